//! Random models in the interpreter of pmc against the interpreter of the tests. Nothing is built, so that thousands
//! can be compared.

use pmc::driver::{self, Simplify};
use pmc::model::Model;

use crate::engine::{Engine, Figures};
use crate::interpret::{Graph, Options, ViolationKind, explore, read_lasso, read_trail, replay, replay_lasso};
use crate::interpreted::Interpreted;
use crate::load::{Loaded, load_text};
use crate::questions::{Subject, answers, property, questions};

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

/// Compares the counts, the counterexamples, and the verdicts with reductions and with simplifications.
pub fn compare(text: &str) -> Comparison {
    let Ok(loaded) = load_text(text) else { return Comparison::None };
    let graph = explore(&loaded.model, &limits());
    if !graph.complete {
        return Comparison::None;
    }
    let expected = Expected::new(&graph);
    let plain = with(text, Simplify::NONE, |engine| {
        check_figures(engine, &expected)?;
        check_verdicts(engine, &expected)?;
        if expected.figures.errors == 0 { Ok(()) } else { check_trail(engine, &loaded) }
    });
    let simple = || with(text, Simplify::ALL, |engine| check_verdicts(engine, &expected));
    comparison(plain.and_then(|()| simple().map_err(|why| format!("simplified: {why}"))))
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

fn with(
    text: &str,
    simplify: Simplify,
    act: impl FnOnce(&dyn Engine) -> Result<(), String> + Send,
) -> Result<(), String> {
    let options = driver::Options { simplify, ..driver::Options::default() };
    Interpreted::with_text(NAME, text, &options, |engine| act(engine))
}

const NAME: &str = "model";

fn check_figures(engine: &dyn Engine, expected: &Expected) -> Result<(), String> {
    let found = engine.figures(NAME, &["--no-reduction", "--search", "dfs", "--all-errors"])?;
    if found == expected.figures {
        return Ok(());
    }
    Err(format!("found {found:?}, the tests' interpreter {:?}, {:?}", expected.figures, expected.first))
}

/// Every search and every reduction comes to the right verdict.
fn check_verdicts(engine: &dyn Engine, expected: &Expected) -> Result<(), String> {
    for reduction in ["none", "ample", "cluster", "stubborn"] {
        for (search, threads) in [("dfs", "1"), ("bfs", "1"), ("bfs", "2")] {
            let flags = ["--safety", "--reduction", reduction, "--search", search, "--threads", threads];
            let report = engine.report(NAME, &flags)?;
            let property = &report["properties"][0];
            // A promise is checked only when steps are left out, and a hidden value may hide a difference.
            let is_incomparable =
                property["violation"]["kind"] == "xr-xs" || property["search"]["hidden_differed"] == true;
            if property["verdict"] != expected.verdict && !is_incomparable {
                return Err(format!("{flags:?}: {property}, the tests' interpreter {:?}", expected.first));
            }
        }
    }
    Ok(())
}

/// The counterexample is a run that ends as it says, for pmc and for the tests' interpreter.
fn check_trail(engine: &dyn Engine, loaded: &Loaded) -> Result<(), String> {
    let file = "first.json";
    let (code, said) = engine.run(NAME, &["--safety", "--no-reduction", "--trail", file])?;
    if code != 1 {
        return Err(format!("exit code {code}: {said}"));
    }
    check_replay(engine, file)?;
    let trail = engine.trail(file)?;
    let (instructions, claimed) = read_trail(&trail)?;
    replay(&loaded.model, &loaded.sources, &instructions, &claimed, &limits())
        .map_err(|error| format!("the trail is no counterexample ({error:?}): {trail}"))
}

fn check_replay(engine: &dyn Engine, file: &str) -> Result<(), String> {
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
            for search in SEARCHES {
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

/// The flag that asks a question.
fn flag(model: &Model, subject: &Subject) -> String {
    match subject {
        Subject::Acceptance => "--acceptance".to_owned(),
        Subject::Progress => "--non-progress".to_owned(),
        Subject::Claim(name) if model.formulas.iter().any(|ltl| *ltl.name == **name) => format!("--ltl={name}"),
        Subject::Claim(name) => format!("--never={name}"),
    }
}
