//! What the models in `snapshot-tests/symmetric` must show, from `expected.csv` beside them: figures of an explorer that counts
//! orbits by brute force, verdicts of Spin, and the places of mistakes.

use std::path::{Path, PathBuf};

use pmc::driver::{Options, Session, Simplify};
use serde_json::Value;

use crate::batch::Member;
use crate::engine::Engine;
use crate::interpret::{self, Property, read_lasso, read_trail, replay, replay_lasso};
use crate::load::{Loaded, load_with};

/// One question about one model.
#[derive(Clone, Debug)]
pub struct SymmetricRow {
    pub model: String,
    pub defines: Vec<String>,
    pub question: Question,
    /// The kind of the violation, if there is one; of an error the code and the place.
    pub violation: Option<String>,
    pub figures: Option<(u64, u64)>,
    /// The classes of members.
    pub classes: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Every state and every transition.
    Off,
    /// One state of each orbit.
    Orbits,
    /// Nothing is interchangeable, and a reason is given.
    Lost,
    Formula {
        name: String,
        is_fair: bool,
    },
    /// The model is refused.
    Refused,
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("symmetric")
}

/// All rows.
pub fn rows() -> Vec<SymmetricRow> {
    let text = std::fs::read_to_string(folder().join("expected.csv")).expect("the figures stand beside the models");
    text.lines().skip(1).map(|line| row(&line.splitn(8, ',').collect::<Vec<_>>())).collect()
}

fn row(fields: &[&str]) -> SymmetricRow {
    let [model, defines, question, verdict, states, transitions, _, note] = fields else { panic!("{fields:?}") };
    let words: Vec<&str> = question.split(' ').collect();
    let question = match words[..] {
        ["safety", "-O0", "--symmetry", "off"] => Question::Off,
        ["safety", "-O0", "--symmetry", "exact"] => Question::Orbits,
        ["safety", "-O0", "--symmetry", "auto"] => Question::Lost,
        ["ltl", name] => Question::Formula { name: name.to_owned(), is_fair: false },
        ["ltl", name, "--fair"] => Question::Formula { name: name.to_owned(), is_fair: true },
        ["check"] => Question::Refused,
        _ => panic!("{question} is no question"),
    };
    let violation = match *verdict {
        "verified" => None,
        "violated (assertion)" => Some("assertion".to_owned()),
        "violated (invalid end state)" => Some("invalid-end-state".to_owned()),
        "violated" => Some("acceptance-cycle".to_owned()),
        error => Some(error.strip_prefix("error ").unwrap_or_else(|| panic!("{error} is no verdict")).to_owned()),
    };
    SymmetricRow {
        model: (*model).to_owned(),
        defines: defines.split(' ').filter(|define| !define.is_empty()).map(str::to_owned).collect(),
        question,
        violation,
        figures: states.parse().ok().zip(transitions.parse().ok()),
        classes: note.trim_matches('"').split(';').next().unwrap_or_default().trim().to_owned(),
    }
}

impl SymmetricRow {
    /// A name that can be that of a Rust module.
    pub fn name(&self) -> String {
        let defines: String = self.defines.iter().map(|define| format!("_{}", define.replace('=', ""))).collect();
        format!("symmetric_{}{}", self.model, defines.to_lowercase())
    }

    pub fn member(&self, simplify: Simplify) -> Member {
        let options = Options { defines: self.defines.clone(), simplify, ..Options::default() };
        Member { name: self.name(), path: folder().join(format!("{}.pml", self.model)), options }
    }

    fn load(&self) -> Result<Loaded, String> {
        let Member { path, options, .. } = self.member(Simplify::NONE);
        load_with(&path, &options)
    }

    fn wrong(&self, what: &dyn std::fmt::Debug) -> String {
        format!("{} {:?}: {what:?}, expected {self:?}", self.name(), self.question)
    }
}

/// The figures and the verdict of a complete search are those of the row.
pub fn figures_are_right(engine: &dyn Engine, row: &SymmetricRow, how: &str) -> Result<(), String> {
    let flags = ["--safety", "--no-reduction", "--search", "dfs", "--all-errors", "--symmetry", how];
    let report = engine.report(&row.name(), &flags)?;
    let property = &report["properties"][0];
    let search = &property["search"];
    let found = search["states_stored"].as_u64().zip(search["transitions"].as_u64());
    let kind = property["violation"]["kind"].as_str();
    let classes = classes(search);
    let are_classes = row.question == Question::Off && classes.is_empty() || same_classes(&classes, &row.classes);
    if found == row.figures && kind == row.violation.as_deref() && are_classes {
        return Ok(());
    }
    Err(row.wrong(&(found, kind, classes)))
}

/// The classes in the notation of the rows: `P={0|1,2}`.
fn classes(search: &Value) -> String {
    let numbers = |class: &Value| {
        let members = class.as_array().into_iter().flatten();
        members.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let family = |family: &Value| {
        let name = family["name"].as_str().unwrap_or_default();
        let name = name
            .strip_prefix("scalarset(")
            .map_or(name.to_owned(), |size| format!("set{}", size.trim_end_matches(')')));
        let classes = family["classes"].as_array().into_iter().flatten();
        format!("{name}={{{}}}", classes.map(numbers).collect::<Vec<_>>().join("|"))
    };
    let families = search["symmetry"]["families"].as_array().into_iter().flatten();
    families.map(family).collect::<Vec<_>>().join(" ")
}

/// A family without interchangeable members is not reported.
fn same_classes(found: &str, expected: &str) -> bool {
    let with_any = |family: &&str| family.contains(',');
    let expected: Vec<&str> = expected.split(' ').filter(|family| family.contains('=')).filter(with_any).collect();
    found == expected.join(" ")
}

/// Every search and reduction comes to the verdict of the row, and each counterexample is a run of the model, which the tests'
/// interpreter follows if nothing is simplified.
pub fn searches_agree(engine: &dyn Engine, row: &SymmetricRow, follows: bool) -> Result<(), String> {
    let loaded = row.load()?;
    let name = row.name();
    let searches: [&[&str]; 5] = [
        &["dfs", "--store", "tree"],
        &["bfs", "--threads", "1", "--shortest"],
        &["bfs", "--threads", "2"],
        &["auto", "--threads", "1"],
        &["guided"],
    ];
    for search in searches {
        for (how, reduction) in [("exact", "none"), ("exact", "stubborn"), ("sort", "ample"), ("exact", "cluster")] {
            if search.contains(&"--shortest") && reduction != "none" {
                continue;
            }
            let flags = [&["--safety", "--symmetry", how, "--reduction", reduction, "--search"], search].concat();
            let report = engine.report_and_trail(&name, &flags, "symmetric.json")?;
            let property = &report["properties"][0];
            if (property["verdict"] == "violated") != row.violation.is_some() {
                return Err(row.wrong(&(flags, property)));
            }
            if row.violation.is_some() {
                let (code, said) = engine.run(&name, &["replay", "symmetric.json"])?;
                if code != 1 {
                    return Err(row.wrong(&(flags, code, said)));
                }
                if !follows {
                    continue;
                }
                let trail = engine.trail("symmetric.json")?;
                let (instructions, claimed) = read_trail(&trail)?;
                replay(&loaded.model, &loaded.sources, &instructions, &claimed, &interpret::Options::default())
                    .map_err(|error| row.wrong(&(flags, error, trail)))?;
            }
        }
    }
    Ok(())
}

/// Every search for cycles up to symmetry gives the verdict of the row, and each counterexample is a run of the model that
/// closes in the model.
pub fn formulas_are_decided(engine: &dyn Engine, row: &SymmetricRow, follows: bool) -> Result<(), String> {
    let Question::Formula { name: formula, is_fair } = &row.question else { return Err("no formula".to_owned()) };
    let is_fair = *is_fair;
    let loaded = row.load()?;
    let options = interpret::Options::default();
    let ltl = loaded.model.formulas.iter().find(|ltl| *ltl.name == **formula).ok_or("no such formula")?;
    let property = Property::Formula(&ltl.formula);
    for how in ["exact", "sort", "full"] {
        for search in [
            &["--no-reduction"][..],
            &["--search", "nested", "--no-reduction"],
            &["--search", "scc", "--no-reduction"],
            &["--search", "nested", "--reduction", "stubborn"],
            &["--search", "scc", "--reduction", "ample"],
            &["--search", "scc", "--reduction", "cluster", "--proviso", "static"],
            &["--threads", "2"],
        ] {
            let question = format!("--ltl={formula}");
            let mut flags = vec![question.as_str(), "--symmetry", how];
            flags.extend(search);
            flags.extend(is_fair.then_some("--fair"));
            if is_fair && search.contains(&"nested") {
                continue;
            }
            let report = engine.report_and_trail(&row.name(), &flags, "cycle.json")?;
            let is_violated = report["properties"][0]["verdict"] == "violated";
            // The automaton of `each` watches one member, whichever: its locations are exchanged with members.
            let search = &report["properties"][0]["search"];
            let is_safety = search["algorithm"] == "bfs" || search["algorithm"] == "dfs";
            let expected = if is_fair && !is_safety || formula == "each" { "" } else { &row.classes };
            let are_classes = same_classes(&classes(search), expected);
            if is_violated != row.violation.is_some() || !are_classes {
                return Err(row.wrong(&(flags, report)));
            }
            if is_violated {
                let (code, said) = engine.run(&row.name(), &["replay", "cycle.json"])?;
                if code != 1 {
                    return Err(row.wrong(&(flags, code, said)));
                }
                if !follows {
                    continue;
                }
                let trail = engine.trail("cycle.json")?;
                replay_lasso(&loaded.model, &loaded.sources, &read_lasso(&trail)?, property, &options)
                    .map_err(|error| row.wrong(&(flags, error, trail)))?;
            }
        }
    }
    Ok(())
}

/// The model is refused with the code, at the place.
pub fn is_refused(row: &SymmetricRow) -> Result<(), String> {
    let Member { path, options, .. } = row.member(Simplify::NONE);
    let mut session = Session::open(&path, &options).map_err(|error| error.to_string())?;
    let refused = session.check().is_err();
    let places: Vec<String> = session
        .diagnostics
        .sorted()
        .iter()
        .map(|diagnostic| {
            let at = session.sources.position(diagnostic.primary.span);
            format!("{} at {}:{}", diagnostic.code, at.line, at.column)
        })
        .collect();
    if refused && places.iter().any(|place| Some(place) == row.violation.as_ref()) {
        return Ok(());
    }
    Err(row.wrong(&places))
}
