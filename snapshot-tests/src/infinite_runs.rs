//! What the models of `expected.csv` must show of their infinite runs, whatever engine runs them.

use crate::engine::Engine;
use crate::expected::{self, Row};
use crate::expected_claims::{claim_of, has_flag, right_answer};
use crate::interpret::{Options, Program, Property, Runs, System, decide};
use crate::load::{Loaded, load};

/// Asks what the row asks, and has the counterexample replayed.
pub fn verdict_is_right(engine: &dyn Engine, row: &Row) -> Result<(), String> {
    let loaded = load(&expected::folder().join(format!("{}.pml", row.model)))?;
    let formulas = loaded.model.formulas.iter().map(|ltl| ltl.name.to_string());
    let mut claims = formulas.chain(loaded.model.never.iter().map(|claim| claim.name.to_string()));
    let question = match claim_of(row).or_else(|| claims.next()) {
        _ if has_flag(row, "-l") => "--non-progress".to_owned(),
        Some(claim) => format!("--ltl={claim}"),
        None => "--acceptance".to_owned(),
    };
    let mut flags = vec![question.as_str()];
    flags.extend(has_flag(row, "-f").then_some("--fair"));
    // Other tests write the usual trail of this model meanwhile.
    let file = format!("{}.infinite.json", row.model);
    let report = engine.report_and_trail(&row.model, &flags, &file)?;
    let property = &report["properties"][0];
    let expected = right_answer(row).map(|violated| if violated { "violated" } else { "verified" });
    if property["verdict"].as_str() != expected {
        return Err(format!("found {property}, Spin {:?} {}", row.figures, row.first_error));
    }
    if expected == Some("violated") {
        let (code, said) = engine.run(&row.model, &["replay", &file])?;
        if code != 1 {
            return Err(format!("replay says {said}"));
        }
    }
    Ok(())
}

/// What a row asks, as a flag of the verifier and as a question to the product.
fn question<'m>(row: &Row, loaded: &'m Loaded) -> (String, Property<'m>) {
    if has_flag(row, "-l") {
        return ("--non-progress".to_owned(), Property::Progress);
    }
    let name = claim_of(row);
    let is_named = |other: &str| name.as_ref().is_none_or(|name| name == other);
    let model = &loaded.model;
    if let Some(ltl) = model.formulas.iter().find(|ltl| is_named(&ltl.name)) {
        return (format!("--ltl={}", ltl.name), Property::Formula(&ltl.formula));
    }
    match model.never.iter().position(|never| is_named(&never.name)) {
        Some(number) => (format!("--never={}", model.never[number].name), Property::Never(number)),
        None => ("--acceptance".to_owned(), Property::Acceptance),
    }
}

/// The ways to look for cycles that a row allows, the plain one first.
fn searches(model: &str, fair: bool) -> Vec<Vec<&'static str>> {
    let is_trap = TRAPS.iter().any(|trap| model.starts_with(trap));
    let mut searches = Vec::new();
    for search in ["nested", "scc"] {
        searches.push(vec!["--search", search, "--no-reduction"]);
        for (reduction, proviso) in REDUCTIONS.iter().filter(|it| is_trap || **it == ("stubborn", "visited")) {
            searches.push(vec!["--search", search, "--reduction", reduction, "--proviso", proviso]);
        }
    }
    // Claims that are safety properties are searched as such unless a search for cycles is asked for.
    searches.push(vec!["--no-reduction"]);
    searches.push(vec!["--reduction", "stubborn"]);
    searches.push(vec!["--reduction", "ample", "--threads", "2"]);
    if fair {
        searches.iter_mut().for_each(|flags| flags.push("--fair"));
    } else {
        searches.push(vec!["--shortest"]);
    }
    searches
}

/// Models that were made to show a wrong reduction, in whatever way; the others are checked in one.
const TRAPS: &[&str] = &[
    "live_accept_reset",
    "live_accept_stuck",
    "live_fair",
    "live_inner_choice",
    "live_labin",
    "live_ltl_stuck",
    "live_np_one_busy",
    "live_remvar",
    "live_wf",
];

const REDUCTIONS: &[(&str, &str)] = &[
    ("ample", "visited"),
    ("ample", "static"),
    ("cluster", "visited"),
    ("cluster", "static"),
    ("stubborn", "visited"),
    ("stubborn", "static"),
];

/// What one search says.
struct Found {
    /// The steps of the counterexample, if there is one; it was replayed.
    steps: Option<u64>,
    n_states: u64,
}

fn ask(engine: &dyn Engine, row: &Row, flags: &[&str]) -> Result<Found, String> {
    let file = format!("{}.json", row.model);
    let report = engine.report_and_trail(&row.model, flags, &file)?;
    let property = &report["properties"][0];
    let n_states = property["search"]["states_stored"].as_u64().ok_or_else(|| format!("no states: {report}"))?;
    match property["verdict"].as_str() {
        Some("verified") => return Ok(Found { steps: None, n_states }),
        Some("violated") => {}
        _ => return Err(format!("no verdict: {report}")),
    }
    let (code, said) = engine.run(&row.model, &["replay", &file])?;
    if code != 1 {
        let trail = engine.trail(&file).unwrap_or_default();
        return Err(format!("replay exits with {code}: {said}\n{trail}"));
    }
    let steps = property["violation"]["steps"].as_u64().ok_or_else(|| format!("no steps: {report}"))?;
    Ok(Found { steps: Some(steps), n_states })
}

/// Every search gives the verdict of the explicit product, and a counterexample that replays. Returns whether a
/// reduction stored fewer states than there are.
pub fn searches_agree(engine: &dyn Engine, row: &Row) -> Result<bool, String> {
    let loaded = load(&expected::folder().join(format!("{}.pml", row.model)))?;
    let (flag, property) = question(row, &loaded);
    let fair = has_flag(row, "-f");
    let runs = if fair { Runs::FAIR } else { Runs::ALL };
    let program = Program::new(&loaded.model, &Options::default());
    let answer = decide(&mut System::new(&program), property, runs).map_err(|error| format!("{error:?}"))?;
    let (mut shortest, mut n_whole, mut is_smaller) = (None, None, false);
    for search in searches(&row.model, fair) {
        let flags: Vec<&str> = std::iter::once(flag.as_str()).chain(search.iter().copied()).collect();
        let Found { steps, n_states } = ask(engine, row, &flags).map_err(|error| format!("{flags:?}: {error}"))?;
        if steps.is_some() != answer.is_violated() {
            return Err(format!("{flags:?}: steps {steps:?}, the product says {answer:?}"));
        }
        if steps.is_none() {
            let n_whole = *n_whole.get_or_insert(n_states);
            is_smaller |= n_states < n_whole;
            if n_states > n_whole {
                return Err(format!("{flags:?}: {n_states} states, without reduction {n_whole}"));
            }
        }
        shortest = [shortest, steps].into_iter().flatten().min();
        if search == ["--shortest"] && steps != shortest {
            return Err(format!("--shortest takes {steps:?} steps, another search {shortest:?}"));
        }
    }
    Ok(is_smaller)
}
