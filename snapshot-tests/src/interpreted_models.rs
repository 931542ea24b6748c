//! Random models in the interpreter of pmc against the interpreter of the tests. Nothing is built, so that thousands
//! can be compared.

use pmc::driver::{self, Simplify};
use pmc::model::Model;

use crate::engine::{Engine, Figures};
use crate::interpret::{
    Graph, Options, Program, Property, Runs, System, ViolationKind, decide, explore, read_lasso, read_trail, replay,
    replay_lasso,
};
use crate::interpreted::Interpreted;
use crate::load::{Loaded, load_text};
use crate::questions::{Question, Subject, answers, property, questions};

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    Same,
    /// What both say.
    Different(String),
    /// pmc refuses the model, or it is too large.
    None,
}

/// Models that need more are left out.
fn limits() -> Options {
    Options { max_states: 3_000, max_steps: 30_000, max_depth: 2_000, ..Options::default() }
}

fn comparison(result: Result<(), String>) -> Comparison {
    result.map_or_else(Comparison::Different, |()| Comparison::Same)
}

/// Compares the counts, the counterexamples, and the verdicts with reductions and with simplifications. Which search has
/// its turn depends on the text.
pub fn compare(text: &str) -> Comparison {
    compare_with(text, |expected, asked| {
        let check = |simplify: Simplify, turn: usize| {
            with(text, simplify, |engine| check_verdicts(engine, asked, expected, turn))
        };
        check(Simplify::NONE, text.len())?;
        check(Simplify::ALL, text.len() + 1).map_err(|why| format!("simplified: {why}"))
    })
}

/// Compares the counts and the counterexamples of depth-first search alone, which takes a fraction of the time.
pub fn compare_counts(text: &str) -> Comparison {
    compare_with(text, |_, _| Ok(()))
}

fn compare_with(text: &str, more: impl FnOnce(&Expected, &[&str]) -> Result<(), String>) -> Comparison {
    let Ok(loaded) = load_text(text) else { return Comparison::None };
    let graph = explore(&loaded.model, &limits());
    if !graph.complete || graph.is_open {
        return Comparison::None;
    }
    let (expected, asked) = (Expected::new(&graph), asked(&loaded.model));
    let counts = with(text, Simplify::NONE, |engine| {
        check_figures(engine, asked, &expected)?;
        if expected.figures.errors == 0 { Ok(()) } else { check_trails(engine, asked, &loaded) }
    });
    comparison(counts.and_then(|()| more(&expected, asked)))
}

/// What the interpreter of the tests finds.
struct Expected {
    figures: Figures,
    verdict: &'static str,
    first: Option<ViolationKind>,
}

impl Expected {
    fn new(graph: &Graph) -> Self {
        let first = graph.violations.first().map(|violation| violation.kind);
        Self {
            figures: Figures {
                states: graph.states.len() as u64,
                transitions: graph.n_transitions() as u64,
                errors: graph.violations.len() as u64,
            },
            verdict: if first.is_some() { "violated" } else { "verified" },
            first,
        }
    }
}

pub(crate) fn with(
    text: &str,
    simplify: Simplify,
    act: impl FnOnce(&dyn Engine) -> Result<(), String> + Send,
) -> Result<(), String> {
    let options = driver::Options { simplify, ..driver::Options::default() };
    Interpreted::with_text(NAME, text, &options, |engine| act(engine))
}

pub(crate) const NAME: &str = "model";

/// What is asked about finite runs. The tests' interpreter checks a trace along with the rest; here it has a search and a
/// verdict of its own.
fn asked(model: &Model) -> &'static [&'static str] {
    if model.trace.is_some() { &["--safety", "--trace"] } else { &["--safety"] }
}

fn check_figures(engine: &dyn Engine, asked: &[&str], expected: &Expected) -> Result<(), String> {
    let mut errors = 0;
    for question in asked {
        let found = engine.figures(NAME, &[question, "--no-reduction", "--search", "dfs", "--all-errors"])?;
        errors += found.errors;
        if (Figures { errors: 0, ..found }) != (Figures { errors: 0, ..expected.figures }) {
            return Err(format!("{question}: found {found:?}, the tests' interpreter {:?}", expected.figures));
        }
    }
    if errors == expected.figures.errors {
        return Ok(());
    }
    Err(format!("found {errors} errors, the tests' interpreter {:?}, {:?}", expected.figures, expected.first))
}

/// A search and a reduction in turn come to the right verdict.
fn check_verdicts(engine: &dyn Engine, asked: &[&str], expected: &Expected, turn: usize) -> Result<(), String> {
    const SEARCHES: [[&str; 2]; 3] = [["dfs", "1"], ["bfs", "1"], ["bfs", "2"]];
    let [search, threads] = SEARCHES[turn % SEARCHES.len()];
    for reduction in ["none", "ample", "cluster", "stubborn"] {
        let mut found = "verified";
        for question in asked {
            let flags = [question, "--reduction", reduction, "--search", search, "--threads", threads];
            let report = engine.report(NAME, &flags)?;
            let property = &report["properties"][0];
            // A promise is checked only when steps are left out, and a hidden value may hide a difference.
            if property["violation"]["kind"] == "xr-xs" || property["search"]["hidden_differed"] == true {
                return Ok(());
            }
            if property["verdict"] != "verified" {
                found = "violated";
            }
        }
        if found != expected.verdict {
            let flags = [reduction, search, threads];
            return Err(format!("{flags:?}: {found}, the tests' interpreter {:?}", expected.first));
        }
    }
    Ok(())
}

/// Each counterexample is a run that ends as it says, for pmc and for the tests' interpreter.
fn check_trails(engine: &dyn Engine, asked: &[&str], loaded: &Loaded) -> Result<(), String> {
    let (file, mut n_trails) = ("first.json", 0);
    for question in asked {
        let (code, said) = engine.run(NAME, &[question, "--no-reduction", "--search", "dfs", "--trail", file])?;
        match code {
            0 => continue,
            1 => n_trails += 1,
            _ => return Err(format!("exit code {code}: {said}")),
        }
        check_replay(engine, file)?;
        let trail = engine.trail(file)?;
        let (instructions, claimed) = read_trail(&trail)?;
        replay(&loaded.model, &loaded.sources, &instructions, &claimed, &limits())
            .map_err(|error| format!("the trail is no counterexample ({error:?}): {trail}"))?;
    }
    if n_trails > 0 { Ok(()) } else { Err("no counterexample".to_owned()) }
}

/// The counterexample that a search with these flags finds is a run that ends as it says.
pub(crate) fn check_trail(
    engine: &dyn Engine,
    flags: &[&str],
    loaded: &Loaded,
    limits: &Options,
) -> Result<(), String> {
    let file = "found.json";
    let (code, said) = engine.run(NAME, &[flags, &["--trail", file]].concat())?;
    if code != 1 {
        return Err(format!("exit code {code}: {said}"));
    }
    check_replay(engine, file)?;
    let trail = engine.trail(file)?;
    let (instructions, claimed) = read_trail(&trail)?;
    replay(&loaded.model, &loaded.sources, &instructions, &claimed, limits)
        .map(|_| ())
        .map_err(|error| format!("the trail is no counterexample ({error:?}): {trail}"))
}

pub(crate) fn check_replay(engine: &dyn Engine, file: &str) -> Result<(), String> {
    let (code, said) = engine.run(NAME, &["replay", file])?;
    if code == 1 { Ok(()) } else { Err(format!("replay exits with {code}: {said}")) }
}

/// The ways to look for cycles that are compared.
const SEARCHES: &[&[&str]] = &[
    &["--search", "nested", "--no-reduction"],
    &["--search", "scc", "--no-reduction"],
    &["--search", "nested", "--reduction", "stubborn"],
    &["--search", "scc", "--reduction", "ample"],
    &["--search", "scc", "--reduction", "cluster", "--proviso", "static"],
    // Claims that are safety properties are searched as such unless a search for cycles is asked for.
    &["--no-reduction"],
    &["--reduction", "stubborn"],
    &["--reduction", "ample", "--threads", "2"],
];

/// Further ways for those claims.
const SAFETY_SEARCHES: &[&[&str]] = &[
    &["--search", "dfs", "--reduction", "stubborn"],
    &["--search", "dfs", "--reduction", "ample", "--proviso", "prompt"],
    &["--search", "bfs", "--reduction", "ample", "--proviso", "prompt"],
    &["--search", "bfs", "--reduction", "stubborn", "--store", "hash-compact"],
    &["--search", "guided", "--reduction", "stubborn"],
    &["--search", "a-star"],
];

/// Compares the answers to all questions about infinite runs with those of the explicit product, and follows the
/// counterexamples.
pub fn compare_infinite_runs(text: &str) -> Comparison {
    let Ok(loaded) = load_text(text) else { return Comparison::None };
    let limits = Options { max_states: 600, max_steps: 6_000, ..Options::default() };
    let questions = questions(&loaded.model);
    let Ok(answers) = answers(&loaded.model, &questions, &limits) else { return Comparison::None };
    if questions.is_empty() {
        return Comparison::None;
    }
    let check = |engine: &dyn Engine, follows: bool| {
        for (question, answer) in questions.iter().zip(&answers) {
            let mut searches = SEARCHES.to_vec();
            if is_safety(engine, &loaded.model, &question.subject)? {
                searches.extend(SAFETY_SEARCHES);
            }
            for search in searches {
                let mut flags = vec![flag(&loaded.model, &question.subject)];
                flags.extend(question.fair.then(|| "--fair".to_owned()));
                flags.extend(search.iter().map(|flag| (*flag).to_owned()));
                let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
                let report = engine.report_and_trail(NAME, &flags, "cycle.json")?;
                let expected = if answer.violated { "violated" } else { "verified" };
                if report["properties"][0]["verdict"] != expected {
                    return Err(format!("{flags:?}: {report}, the product {answer:?}"));
                }
                if answer.violated {
                    check_replay(engine, "cycle.json").map_err(|why| format!("{flags:?}: {why}"))?;
                }
                if answer.violated && follows {
                    let lasso = read_lasso(&engine.trail("cycle.json")?)?;
                    let property = property(&loaded.model, &question.subject);
                    replay_lasso(&loaded.model, &loaded.sources, &lasso, property, &limits)
                        .map_err(|error| format!("{flags:?}: the trail is no counterexample: {error:?}"))?;
                }
            }
        }
        Ok(())
    };
    let plain = with(text, Simplify::NONE, |engine| check(engine, true));
    let simple = || with(text, Simplify::ALL, |engine| check(engine, false));
    comparison(plain.and_then(|()| simple().map_err(|why| format!("simplified: {why}"))))
}

/// Whether the claim is searched as a safety property by default.
fn is_safety(engine: &dyn Engine, model: &Model, subject: &Subject) -> Result<bool, String> {
    let report = engine.report(NAME, &[&flag(model, subject)])?;
    Ok(["bfs", "dfs"].iter().any(|algorithm| report["properties"][0]["search"]["algorithm"] == **algorithm))
}

/// The flag that asks a question.
fn flag(model: &Model, subject: &Subject) -> String {
    match subject {
        Subject::Acceptance => "--acceptance".to_owned(),
        Subject::Progress => "--non-progress".to_owned(),
        Subject::Zeno => "--zeno".to_owned(),
        Subject::Claim(name) if model.formulas.iter().any(|ltl| *ltl.name == **name) => format!("--ltl={name}"),
        Subject::Claim(name) => format!("--never={name}"),
    }
}

/// Compares the verdicts on the formulas of a model with timers, of runs in which time passes again and again.
pub fn compare_divergent_runs(text: &str) -> Comparison {
    let Ok(loaded) = load_text(text) else { return Comparison::None };
    let limits = Options { max_states: 600, max_steps: 6_000, ..Options::default() };
    let program = Program::new(&loaded.model, &limits);
    let mut system = System::new(&program);
    let mut answers = Vec::new();
    for ltl in &loaded.model.formulas {
        for fair in [false, true] {
            let runs = Runs { fair, divergent: true, ..Runs::ALL };
            let Ok(answer) = decide(&mut system, Property::Formula(&ltl.formula), runs) else {
                return Comparison::None;
            };
            answers.push((format!("--ltl={}", ltl.name), fair, answer.is_violated()));
        }
    }
    let check = |engine: &dyn Engine| {
        for (question, fair, is_violated) in &answers {
            for reduction in ["none", "ample", "stubborn"] {
                let mut flags = vec![question.as_str(), "--time-passes", "--search", "scc", "--reduction", reduction];
                flags.extend(fair.then_some("--fair"));
                let property = engine.report_and_trail(NAME, &flags, "divergent.json")?["properties"][0].clone();
                let found = property["verdict"] == "violated";
                // What is violated within finitely many steps is so in whatever run they begin.
                let is_finite = property["violation"]["kind"] == "claim";
                if found != *is_violated && !is_finite {
                    return Err(format!("{flags:?}: {property}, the product: violated {is_violated}"));
                }
                if found {
                    check_replay(engine, "divergent.json")?;
                }
            }
        }
        Ok(())
    };
    let both = [Simplify::NONE, Simplify::ALL].into_iter().try_for_each(|simplify| with(text, simplify, check));
    comparison(both)
}

/// A model with timers whose values nobody reads, from any.
fn without_values(text: &str) -> String {
    text.replace(" <= 1", " <= 0").replace(" >= 1", " >= 0")
}

/// The verdicts of a model with timers where time is abstract, compared with those of exact time: what is verified there
/// holds, and what is said to be violated is. Nothing is known of the rest.
pub fn compare_abstract(text: &str) -> Comparison {
    let text = &without_values(text);
    let Ok(loaded) = load_text(text) else { return Comparison::None };
    let graph = explore(&loaded.model, &limits());
    let questions: Vec<Question> =
        questions(&loaded.model).into_iter().filter(|question| question.subject != Subject::Zeno).collect();
    let Ok(answers) = answers(&loaded.model, &questions, &limits()) else { return Comparison::None };
    if !graph.complete {
        return Comparison::None;
    }
    let check = |engine: &dyn Engine, follows: bool| {
        let is_violated = !graph.violations.is_empty();
        for (turn, reduction) in ["none", "ample", "cluster", "stubborn"].iter().enumerate() {
            let search = ["dfs", "bfs"][(turn + text.len()) % 2];
            let flags = ["--safety", "--reduction", reduction, "--search", search, "--threads", "1"];
            if is_sound(engine, &flags, is_violated)? && follows {
                let (instructions, claimed) = read_trail(&engine.trail(ABSTRACT)?)?;
                replay(&loaded.model, &loaded.sources, &instructions, &claimed, &limits())
                    .map_err(|error| format!("{flags:?}: the trail is no counterexample: {error:?}"))?;
            }
        }
        for (question, answer) in questions.iter().zip(&answers) {
            let asked = flag(&loaded.model, &question.subject);
            for search in ["nested", "scc"] {
                for reduction in ["none", "stubborn"] {
                    let mut flags = vec![asked.as_str(), "--search", search, "--reduction", reduction];
                    flags.extend(question.fair.then_some("--fair"));
                    if is_sound(engine, &flags, answer.violated)? && follows {
                        let lasso = read_lasso(&engine.trail(ABSTRACT)?)?;
                        let property = property(&loaded.model, &question.subject);
                        replay_lasso(&loaded.model, &loaded.sources, &lasso, property, &limits())
                            .map_err(|error| format!("{flags:?}: the trail is no counterexample: {error:?}"))?;
                    }
                }
            }
        }
        Ok(())
    };
    let both = [Simplify::NONE, Simplify::ALL].into_iter().try_for_each(|simplify| {
        let options = driver::Options { simplify, abstract_time: true, ..driver::Options::default() };
        Interpreted::with_text(NAME, text, &options, |engine| check(engine, simplify == Simplify::NONE))
    });
    comparison(both)
}

const ABSTRACT: &str = "abstract.json";

/// Whether a search where time is abstract finds a violation with exact time. The error says why that is wrong.
fn is_sound(engine: &dyn Engine, flags: &[&str], is_violated: bool) -> Result<bool, String> {
    let property = engine.report_and_trail(NAME, flags, ABSTRACT)?["properties"][0].clone();
    let verdict = property["verdict"].as_str().unwrap_or_default();
    let is_right = match verdict {
        "verified" => !is_violated,
        "violated" => is_violated,
        _ => property["violation"]["abstract_time"] == true,
    };
    if !is_right {
        return Err(format!("{flags:?}: {property}, with exact time: violated {is_violated}"));
    }
    if verdict != "verified" {
        check_replay(engine, ABSTRACT).map_err(|why| format!("{flags:?}: {why}"))?;
    }
    Ok(verdict == "violated")
}

/// Compares guided searches with breadth-first search.
pub fn compare_guided(text: &str) -> Comparison {
    let Ok(loaded) = load_text(text) else { return Comparison::None };
    let graph = explore(&loaded.model, &limits());
    if !graph.complete || graph.is_open {
        return Comparison::None;
    }
    let (expected, asked) = (Expected::new(&graph), asked(&loaded.model));
    let has_atomic = text.contains("atomic");
    comparison(with(text, Simplify::NONE, |engine| {
        for question in asked {
            check_guided(engine, question, &expected, has_atomic)?;
        }
        let labels = loaded.model.proctypes.iter().flat_map(|process| process.labels.iter());
        labels.take(3).try_for_each(|label| check_goal(engine, &label.name))
    }))
}

/// Every search comes to the same verdict on whether a process arrives at a label.
fn check_goal(engine: &dyn Engine, label: &str) -> Result<(), String> {
    let verdict = |how: &[&str]| {
        let flags = [&["--towards", label], how].concat();
        let property = engine.report(NAME, &flags)?["properties"][0].clone();
        Ok::<_, String>((property["search"]["hidden_differed"] != true).then(|| property["verdict"].clone()))
    };
    // A label inside an atomic sequence or a `d_step` is refused.
    let Ok(Some(expected)) = verdict(&["--search", "bfs", "--no-reduction", "--threads", "1"]) else { return Ok(()) };
    for search in ["guided", "a-star", "dfs", "bfs"] {
        for reduction in ["none", "ample", "stubborn"] {
            let found = verdict(&["--search", search, "--reduction", reduction, "--threads", "1"])?;
            if found.as_ref().is_some_and(|found| *found != expected) {
                return Err(format!("--towards {label}, {search}, {reduction}: {found:?}, expected {expected}"));
            }
        }
    }
    Ok(())
}

fn check_guided(engine: &dyn Engine, question: &str, expected: &Expected, has_atomic: bool) -> Result<(), String> {
    let report = |flags: &[&str]| {
        let flags = [&[question, "--no-deadlock"], flags].concat();
        Ok::<_, String>(engine.report(NAME, &flags)?["properties"][0].clone())
    };
    let shortest = report(&["--search", "bfs", "--no-reduction", "--threads", "1"])?;
    if shortest["search"]["hidden_differed"] == true {
        return Ok(());
    }
    for search in ["guided", "a-star"] {
        let found = engine.figures(NAME, &[question, "--no-reduction", "--search", search, "--all-errors"])?;
        let hidden = report(&["--no-reduction", "--search", search, "--all-errors"])?;
        let is_same = (found.states, found.transitions) == (expected.figures.states, expected.figures.transitions);
        // The search ends at a fault that leaves nothing to go on with.
        if !is_same && hidden["search"]["complete"] == true && hidden["search"]["hidden_differed"] != true {
            return Err(format!("{question} {search}: found {found:?}, the tests' interpreter {:?}", expected.figures));
        }
        for reduction in ["none", "ample", "stubborn", "auto"] {
            let found = report(&["--reduction", reduction, "--search", search])?;
            if found["violation"]["kind"] == "xr-xs" || found["search"]["hidden_differed"] == true {
                continue;
            }
            // Statements inside an atomic sequence are counted in a run, and steps in its length.
            let length = |of: &serde_json::Value| of["violation"]["steps"].clone();
            let is_as_long = has_atomic || length(&found) == length(&shortest);
            if found["verdict"] != shortest["verdict"] || !is_as_long {
                return Err(format!("{question} {search}, {reduction}: {found}, breadth-first {shortest}"));
            }
        }
    }
    Ok(())
}
