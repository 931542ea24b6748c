//! What the models in `timed/` must show, from `timed/expected.csv`: figures of an explorer that follows the definition of
//! timers word by word and, where plain Promela can say the same with a clock process, of Spin.

use std::path::{Path, PathBuf};

use pmc::driver::{Options, Session, Simplification, Simplify, on_large_stack};

use crate::batch::Member;
use crate::engine::Engine;
use crate::interpret::{self, Program, Property, Runs, System, decide, explore, read_lasso, read_trail};
use crate::interpret::{replay, replay_lasso};
use crate::load::{Loaded, load_with};

/// One question about one model.
#[derive(Clone, Debug)]
pub struct TimedRow {
    pub model: String,
    pub defines: Vec<String>,
    pub question: Question,
    /// The kind of the violation, if there is one.
    pub violation: Option<&'static str>,
    pub figures: Option<(u64, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Every state and every transition.
    Safety,
    /// The same where ticks up to the next one in which a timer runs out are one.
    Ticks,
    /// The figures of a model that is too large for the rest.
    Figures,
    FiguresOfTicks,
    /// At most so many states with the oldest reduction.
    Ample(u64),
    Formula {
        name: String,
        is_fair: bool,
    },
    /// The same of runs in which time passes again and again.
    TimePasses {
        name: String,
    },
    Zeno,
    /// Every state and every transition where time is abstract.
    Abstract {
        /// What is violated there holds with exact time.
        is_spurious: bool,
    },
    AbstractFormula {
        name: String,
    },
    /// The model is wrong, here.
    Refused {
        code: String,
        line: u32,
        column: u32,
        /// With abstract time.
        is_abstract: bool,
    },
}

/// Larger models have their figures checked, and no more.
const LARGE: u64 = 20_000;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("timed")
}

pub fn rows() -> Vec<TimedRow> {
    let text = std::fs::read_to_string(folder().join("expected.csv")).expect("the figures stand beside the models");
    text.lines().skip(1).map(|line| row(&line.split(',').collect::<Vec<_>>())).collect()
}

fn row(fields: &[&str]) -> TimedRow {
    let [model, defines, question, verdict, states, transitions, _, note] = fields else { panic!("{fields:?}") };
    let words: Vec<&str> = question.split(' ').collect();
    let is_large = states.parse().is_ok_and(|states: u64| states > LARGE);
    let named = |name: &str| name.to_owned();
    let question = match words[..] {
        ["safety", "-O0"] if is_large => Question::Figures,
        ["safety", "-O0"] => Question::Safety,
        ["safety", "-O0", "-O", "ticks"] if is_large => Question::FiguresOfTicks,
        ["safety", "-O0", "-O", "ticks"] => Question::Ticks,
        ["safety", "-O0", "--timers", "abstract"] => Question::Abstract { is_spurious: *note == "spurious" },
        ["safety", "-O0", "--search", "dfs", "--reduction", "ample"] => {
            Question::Ample(states.trim_start_matches("<= ").parse().expect("a bound"))
        }
        ["zeno"] => Question::Zeno,
        ["ltl", name] => Question::Formula { name: named(name), is_fair: false },
        ["ltl", name, "--fair"] => Question::Formula { name: named(name), is_fair: true },
        ["ltl", name, "--time-passes"] => Question::TimePasses { name: named(name) },
        ["ltl", name, "--timers", "abstract"] => Question::AbstractFormula { name: named(name) },
        ["check", ..] => refused(verdict, words.len() > 1),
        _ => panic!("{question} is no question"),
    };
    let violation = match *verdict {
        "violated (assertion)" => Some("assertion"),
        "violated (invalid end state)" => Some("invalid-end-state"),
        "violated (blocked d_step)" => Some("d-step-blocks"),
        "violated (zero-time cycle)" => Some("zero-time-cycle"),
        "violated" => Some("acceptance-cycle"),
        "verified" => None,
        _ if matches!(question, Question::Refused { .. }) => None,
        _ => panic!("{verdict} is no verdict"),
    };
    let figures = states.parse().ok().zip(transitions.parse().ok());
    let defines = defines.split(' ').filter(|define| !define.is_empty()).map(str::to_owned).collect();
    TimedRow { model: (*model).to_owned(), defines, question, violation, figures }
}

/// `error P0220 at 3:23`
fn refused(verdict: &str, is_abstract: bool) -> Question {
    let rest = verdict.strip_prefix("error ").and_then(|rest| rest.split_once(" at "));
    let (code, place) = rest.expect("a code and a place");
    let (line, column) = place.split_once(':').expect("a line and a column");
    let number = |text: &str| text.parse().expect("a number");
    Question::Refused { code: code.to_owned(), line: number(line), column: number(column), is_abstract }
}

impl TimedRow {
    /// A name that can be that of a Rust module.
    pub fn name(&self) -> String {
        let defines: String = self.defines.iter().map(|define| format!("_{}", define.replace('=', ""))).collect();
        let how = match self.question {
            Question::Ticks | Question::FiguresOfTicks => "_ticks",
            Question::Abstract { .. } | Question::AbstractFormula { .. } => "_abstract",
            _ => "",
        };
        format!("timed_{}{}{how}", self.model, defines.to_lowercase())
    }

    /// The simplifications that the row asks for.
    pub fn simplify(&self) -> Simplify {
        let at_once = matches!(self.question, Question::Ticks | Question::FiguresOfTicks);
        Simplify::NONE.with(Simplification::Ticks, at_once)
    }

    fn is_abstract(&self) -> bool {
        match &self.question {
            Question::Abstract { .. } | Question::AbstractFormula { .. } => true,
            Question::Refused { is_abstract, .. } => *is_abstract,
            _ => false,
        }
    }

    pub fn member(&self, simplify: Simplify) -> Member {
        let abstract_time = self.is_abstract();
        let options = Options { defines: self.defines.clone(), simplify, abstract_time, ..Options::default() };
        Member { name: self.name(), path: folder().join(format!("{}.pml", self.model)), options }
    }

    fn load(&self) -> Result<Loaded, String> {
        let Member { path, options, .. } = self.member(Simplify::NONE);
        load_with(&path, &options)
    }
}

/// What the row says, and no more.
pub fn agrees(engine: &dyn Engine, row: &TimedRow) -> Result<(), String> {
    match &row.question {
        Question::Safety | Question::Ticks | Question::Figures | Question::FiguresOfTicks => {
            figures_are_right(engine, row)
        }
        Question::Ample(most) => reduction_is_as_good(engine, row, *most),
        Question::Abstract { is_spurious } => abstraction_is_right(engine, row, *is_spurious),
        Question::Formula { name, is_fair: false } => is_answered(engine, row, &[&format!("--ltl={name}")]),
        Question::Formula { name, is_fair: true } => is_answered(engine, row, &[&format!("--ltl={name}"), "--fair"]),
        Question::TimePasses { name } => is_answered(engine, row, &[&format!("--ltl={name}"), "--time-passes"]),
        Question::AbstractFormula { name } => is_answered(engine, row, &[&format!("--ltl={name}")]),
        Question::Zeno => is_answered(engine, row, &["--zeno"]),
        Question::Refused { .. } => is_refused(row),
    }
}

/// The verdict is that of the row.
fn is_answered(engine: &dyn Engine, row: &TimedRow, flags: &[&str]) -> Result<(), String> {
    let report = engine.report(&row.name(), flags)?;
    let property = &report["properties"][0];
    let expected = if row.violation.is_some() { "violated" } else { "verified" };
    if property["verdict"] == expected { Ok(()) } else { Err(format!("{flags:?}: {property}")) }
}

/// The model is refused, by the first message.
pub fn is_refused(row: &TimedRow) -> Result<(), String> {
    let Question::Refused { code, line, column, .. } = &row.question else { return Err("it is not refused".into()) };
    let Member { path, options, .. } = row.member(Simplify::NONE);
    let found = on_large_stack(|| {
        let mut session = Session::open(&path, &options).map_err(|error| error.to_string())?;
        let _ = session.check();
        let (code, span) = session.diagnostics.errors().next().ok_or("it is accepted")?;
        Ok::<_, String>((code.to_string(), session.sources.position(span)))
    });
    let (found, at) = found.map_err(|error| error.to_string())??;
    if (&found, at.line, at.column) == (code, *line, *column) {
        Ok(())
    } else {
        Err(format!("{found} at {}:{}", at.line, at.column))
    }
}

/// The figures of the abstraction are those of the row, and what is violated there alone is not said to be violated. Every
/// search and every reduction says something sound, and its run is one: of the abstraction, or of the model, as the
/// interpreter of the tests agrees.
pub fn abstraction_is_right(engine: &dyn Engine, row: &TimedRow, is_spurious: bool) -> Result<(), String> {
    let name = row.name();
    let all = engine.report(&name, &["--safety", "--no-reduction", "--search", "dfs", "--all-errors"])?;
    let property = &all["properties"][0];
    let found = property["search"]["states_stored"].as_u64().zip(property["search"]["transitions"].as_u64());
    let kind = property["violation"]["kind"].as_str();
    let expected = match row.violation {
        None => "verified",
        Some(_) if is_spurious => "incomplete",
        Some(_) => "violated",
    };
    if (found, kind, property["verdict"].as_str()) != (row.figures, row.violation, Some(expected)) {
        return Err(format!("found {found:?} {kind:?}, expected {:?} {:?}: {property}", row.figures, row.violation));
    }
    let loaded = row.load()?;
    let file = &format!("{name}.run.json");
    for search in [&["dfs"][..], &["bfs", "--threads", "1"], &["bfs", "--threads", "2"], &["guided"]] {
        for reduction in ["none", "ample", "cluster", "stubborn"] {
            let flags = [&["--safety", "--reduction", reduction, "--search"], search].concat();
            let report = engine.report_and_trail(&name, &flags, file)?;
            let property = &report["properties"][0];
            // A run that is not possible with exact time proves nothing, not even that there is none.
            let verdict = property["verdict"].as_str().unwrap_or_default();
            if verdict != expected && !(verdict == "incomplete" && expected == "violated") {
                return Err(format!("{flags:?}: {property}"));
            }
            if verdict == "verified" {
                continue;
            }
            let is_exact = property["violation"]["abstract_time"] != true;
            if is_exact != (verdict == "violated") {
                return Err(format!("{flags:?}: {property}"));
            }
            let (code, said) = engine.run(&name, &["replay", file])?;
            if code != 1 {
                return Err(format!("{flags:?}: replay exits with {code}: {said}"));
            }
            if is_exact {
                let trail = engine.trail(file)?;
                let (instructions, claimed) = read_trail(&trail)?;
                replay(&loaded.model, &loaded.sources, &instructions, &claimed, &interpret::Options::default())
                    .map_err(|error| format!("{flags:?}: the trail is no counterexample ({error:?}): {trail}"))?;
            }
        }
    }
    Ok(())
}

/// The figures and the verdict of a complete search are those of the row.
pub fn figures_are_right(engine: &dyn Engine, row: &TimedRow) -> Result<(), String> {
    let name = row.name();
    let report = engine.report(&name, &["--safety", "--no-reduction", "--search", "dfs", "--all-errors"])?;
    let property = &report["properties"][0];
    let search = &property["search"];
    let found = search["states_stored"].as_u64().zip(search["transitions"].as_u64());
    let kind = property["violation"]["kind"].as_str();
    if found == row.figures && kind == row.violation {
        return Ok(());
    }
    Err(format!("found {found:?} {kind:?}, expected {:?} {:?}", row.figures, row.violation))
}

/// The interpreter of the tests agrees with the row.
pub fn tests_interpreter_agrees(row: &TimedRow) -> Result<(), String> {
    let graph = explore(&row.load()?.model, &interpret::Options::default());
    let found = (graph.states.len() as u64, graph.n_transitions() as u64);
    let kind = graph.violations.first().map(|violation| violation.kind);
    let is_kind = match (row.violation, kind) {
        (Some(expected), Some(kind)) => interpret::trail::kinds(expected).contains(&kind),
        (None, None) => true,
        _ => false,
    };
    if Some(found) == row.figures && is_kind {
        Ok(())
    } else {
        Err(format!("found {found:?} {kind:?}, expected {row:?}"))
    }
}

/// Every search and every reduction comes to the same verdict, in no more states, and its counterexample replays, also
/// in the interpreter of the tests.
pub fn searches_agree(engine: &dyn Engine, row: &TimedRow) -> Result<(), String> {
    let loaded = row.load()?;
    let name = row.name();
    let most = row.figures.map_or(u64::MAX, |(states, _)| states);
    for search in [&["dfs"][..], &["bfs", "--threads", "1"], &["bfs", "--threads", "2"], &["guided"]] {
        for reduction in ["none", "ample", "cluster", "stubborn"] {
            let flags = [&["--safety", "--reduction", reduction, "--search"], search].concat();
            let report = engine.report_and_trail(&name, &flags, "timed.json")?;
            let property = &report["properties"][0];
            let n_states = property["search"]["states_stored"].as_u64().unwrap_or(u64::MAX);
            let is_violated = property["verdict"] == "violated";
            if is_violated != row.violation.is_some() || n_states > most {
                return Err(format!("{flags:?}: {property}"));
            }
            if is_violated {
                let (code, said) = engine.run(&name, &["replay", "timed.json"])?;
                if code != 1 {
                    return Err(format!("{flags:?}: replay exits with {code}: {said}"));
                }
                let trail = engine.trail("timed.json")?;
                let (instructions, claimed) = read_trail(&trail)?;
                replay(&loaded.model, &loaded.sources, &instructions, &claimed, &interpret::Options::default())
                    .map_err(|error| format!("{flags:?}: the trail is no counterexample ({error:?}): {trail}"))?;
            }
        }
    }
    Ok(())
}

/// The oldest reduction stores no more states than the row allows.
pub fn reduction_is_as_good(engine: &dyn Engine, row: &TimedRow, most: u64) -> Result<(), String> {
    let flags = ["--safety", "--reduction", "ample", "--search", "dfs", "--all-errors"];
    let report = engine.report(&row.name(), &flags)?;
    let property = &report["properties"][0];
    let n_states = property["search"]["states_stored"].as_u64().unwrap_or(u64::MAX);
    let is_right = property["violation"]["kind"].as_str() == row.violation && n_states <= most;
    if is_right { Ok(()) } else { Err(format!("at most {most} states are wanted: {property}")) }
}

/// Every search for cycles gives the verdict of the row, which is also that of the explicit product of the tests.
pub fn infinite_runs_are_decided(engine: &dyn Engine, row: &TimedRow) -> Result<(), String> {
    let loaded = row.load()?;
    let options = interpret::Options::default();
    let (question, property, is_fair) = match &row.question {
        Question::Formula { name, is_fair } => {
            let ltl = loaded.model.formulas.iter().find(|ltl| *ltl.name == **name).ok_or("no such formula")?;
            (format!("--ltl={name}"), Property::Formula(&ltl.formula), *is_fair)
        }
        _ => ("--zeno".to_owned(), Property::Zeno, false),
    };
    let program = Program::new(&loaded.model, &options);
    let runs = if is_fair { Runs::FAIR } else { Runs::ALL };
    let answer = decide(&mut System::new(&program), property, runs);
    let answer = answer.map_err(|error| format!("{error:?}"))?;
    if answer.is_violated() != row.violation.is_some() {
        return Err(format!("the product says {answer:?}"));
    }
    for search in [
        &["--search", "nested", "--no-reduction"][..],
        &["--search", "scc", "--no-reduction"],
        &["--search", "nested", "--reduction", "stubborn"],
        &["--search", "scc", "--reduction", "ample"],
        &["--search", "scc", "--reduction", "cluster", "--proviso", "static"],
        &["--reduction", "stubborn"],
        &["--threads", "2"],
    ] {
        let mut flags = vec![question.as_str()];
        flags.extend(search);
        flags.extend(is_fair.then_some("--fair"));
        let report = engine.report_and_trail(&row.name(), &flags, "cycle.json")?;
        let expected = if answer.is_violated() { "violated" } else { "verified" };
        if report["properties"][0]["verdict"] != expected {
            return Err(format!("{flags:?}: {report}"));
        }
        if answer.is_violated() {
            let (code, said) = engine.run(&row.name(), &["replay", "cycle.json"])?;
            if code != 1 {
                return Err(format!("{flags:?}: replay exits with {code}: {said}"));
            }
            let trail = engine.trail("cycle.json")?;
            replay_lasso(&loaded.model, &loaded.sources, &read_lasso(&trail)?, property, &options)
                .map_err(|error| format!("{flags:?}: the trail is no counterexample ({error:?}): {trail}"))?;
        }
    }
    Ok(())
}

/// Whatever the reduction, the search for components gives the verdict of the row for runs in which time passes, and its
/// counterexample is one.
pub fn divergent_runs_are_decided(engine: &dyn Engine, row: &TimedRow, name: &str) -> Result<(), String> {
    let question = format!("--ltl={name}");
    for search in [
        &["--search", "scc", "--no-reduction"][..],
        &["--reduction", "stubborn"],
        &["--search", "scc", "--reduction", "ample", "--fair"],
        &["--threads", "2"],
    ] {
        let mut flags = vec![question.as_str(), "--time-passes"];
        flags.extend(search);
        let report = engine.report_and_trail(&row.name(), &flags, "divergent.json")?;
        let expected = if row.violation.is_some() { "violated" } else { "verified" };
        if report["properties"][0]["verdict"] != expected {
            return Err(format!("{flags:?}: {report}"));
        }
        if row.violation.is_some() {
            let (code, said) = engine.run(&row.name(), &["replay", "divergent.json"])?;
            if code != 1 {
                return Err(format!("{flags:?}: replay exits with {code}: {said}"));
            }
        }
    }
    Ok(())
}
