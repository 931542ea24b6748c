//! What the models in `timed/` must show, from `timed/expected.csv`: figures of an explorer that follows the definition of
//! timers word by word and, where plain Promela can say the same with a clock process, of Spin.

use std::path::{Path, PathBuf};

use pmc::driver::{Options, Simplify};

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
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("timed")
}

pub fn rows() -> Vec<TimedRow> {
    let text = std::fs::read_to_string(folder().join("expected.csv")).expect("the figures stand beside the models");
    text.lines().skip(1).map(|line| row(&line.split(',').collect::<Vec<_>>())).collect()
}

fn row(fields: &[&str]) -> TimedRow {
    let [model, defines, question, verdict, states, transitions, ..] = fields else { panic!("{fields:?}") };
    let words: Vec<&str> = question.split(' ').collect();
    let bound = || states.trim_start_matches("<= ").parse().expect("a bound");
    let question = match words[..] {
        ["safety"] => Question::Safety,
        ["safety", "ticks"] => Question::Ticks,
        ["figures"] => Question::Figures,
        ["figures", "ticks"] => Question::FiguresOfTicks,
        ["zeno"] => Question::Zeno,
        ["ample"] => Question::Ample(bound()),
        ["ltl", name] => Question::Formula { name: name.to_owned(), is_fair: false },
        ["ltl", name, "--time-passes"] => Question::TimePasses { name: name.to_owned() },
        ["ltl", name, "--fair"] => Question::Formula { name: name.to_owned(), is_fair: true },
        _ => panic!("{question} is no question"),
    };
    let violation = match *verdict {
        "verified" => None,
        "violated (assertion)" => Some("assertion"),
        "violated (invalid end state)" => Some("invalid-end-state"),
        "violated (blocked d_step)" => Some("d-step-blocks"),
        "violated (zero-time cycle)" => Some("zero-time-cycle"),
        "violated" => Some("acceptance-cycle"),
        _ => panic!("{verdict} is no verdict"),
    };
    let figures = states.parse().ok().zip(transitions.parse().ok());
    let defines = defines.split(' ').filter(|define| !define.is_empty()).map(str::to_owned).collect();
    TimedRow { model: (*model).to_owned(), defines, question, violation, figures }
}

impl TimedRow {
    /// A name that can be that of a Rust module.
    pub fn name(&self) -> String {
        let defines: String = self.defines.iter().map(|define| format!("_{}", define.replace('=', ""))).collect();
        format!("timed_{}{}", self.model, defines.to_lowercase())
    }

    pub fn member(&self, simplify: Simplify) -> Member {
        let options = Options { defines: self.defines.clone(), simplify, ..Options::default() };
        Member { name: self.name(), path: folder().join(format!("{}.pml", self.model)), options }
    }

    fn load(&self) -> Result<Loaded, String> {
        let Member { path, options, .. } = self.member(Simplify::NONE);
        load_with(&path, &options)
    }
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
