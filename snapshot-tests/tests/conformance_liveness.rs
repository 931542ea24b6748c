//! Generated verifiers on what the models say about infinite runs: the verdicts of the explicit product, which
//! `conformance_claims.rs` compares with Spin's, from every search, and counterexamples that replay.

use std::collections::BTreeSet;
use std::path::Path;

use pmc::driver;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::expected::{self, Row};
use snapshot_tests::interpret::{Options, Program, Property, Runs, System, decide};
use snapshot_tests::load::{Loaded, load};

fn rows() -> Vec<Row> {
    ["acc", "accfair", "np", "npfair"].into_iter().flat_map(expected::rows).collect()
}

fn has_flag(row: &Row, flag: &str) -> bool {
    row.pan_flags.split_whitespace().any(|word| word == flag)
}

/// What a row asks, as a flag of the verifier and as a question to the product.
fn question<'m>(row: &Row, loaded: &'m Loaded) -> (String, Property<'m>) {
    if has_flag(row, "-l") {
        return ("--non-progress".to_owned(), Property::Progress);
    }
    let mut words = row.pan_flags.split_whitespace().skip_while(|word| *word != "-N");
    let name = words.nth(1);
    let is_named = |other: &str| name.is_none_or(|name| name == other);
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

fn batch(rows: &[Row]) -> Batch {
    let models: BTreeSet<&str> = rows.iter().map(|row| row.model.as_str()).collect();
    let member = |model: &&str| Member {
        name: (*model).to_owned(),
        path: expected::folder().join(format!("{model}.pml")),
        options: driver::Options::default(),
    };
    let members: Vec<Member> = models.iter().map(member).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance_liveness");
    Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"))
}

/// What one search says.
struct Found {
    /// The steps of the counterexample, if there is one; it was replayed.
    steps: Option<u64>,
    n_states: u64,
}

fn ask(batch: &Batch, row: &Row, flags: &[&str]) -> Result<Found, String> {
    let file = format!("{}.json", row.model);
    let report = batch.report_and_trail(&row.model, flags, &file)?;
    let property = &report["properties"][0];
    let n_states = property["search"]["states_stored"].as_u64().ok_or_else(|| format!("no states: {report}"))?;
    match property["verdict"].as_str() {
        Some("verified") => return Ok(Found { steps: None, n_states }),
        Some("violated") => {}
        _ => return Err(format!("no verdict: {report}")),
    }
    let (code, said) = batch.run(&row.model, &["replay", &file])?;
    if code != 1 {
        let trail = std::fs::read_to_string(batch.work().join(&file)).unwrap_or_default();
        return Err(format!("replay exits with {code}: {said}\n{trail}"));
    }
    let steps = property["violation"]["steps"].as_u64().ok_or_else(|| format!("no steps: {report}"))?;
    Ok(Found { steps: Some(steps), n_states })
}

/// Whether a reduction stored fewer states than there are.
fn check(batch: &Batch, row: &Row) -> Result<bool, String> {
    let loaded = load(&expected::folder().join(format!("{}.pml", row.model)))?;
    let (flag, property) = question(row, &loaded);
    let fair = has_flag(row, "-f");
    let runs = if fair { Runs::FAIR } else { Runs::ALL };
    let program = Program::new(&loaded.model, &Options::default());
    let answer = decide(&mut System::new(&program), property, runs).map_err(|error| format!("{error:?}"))?;
    let (mut shortest, mut n_whole, mut is_smaller) = (None, None, false);
    for search in searches(&row.model, fair) {
        let flags: Vec<&str> = std::iter::once(flag.as_str()).chain(search.iter().copied()).collect();
        let Found { steps, n_states } = ask(batch, row, &flags).map_err(|error| format!("{flags:?}: {error}"))?;
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

#[test]
fn verifiers_give_the_verdicts_of_the_product_and_lassos_that_replay() {
    let rows = rows();
    let batch = batch(&rows);
    let (mut wrong, mut n_smaller) = (Vec::new(), 0);
    for row in &rows {
        match check(&batch, row) {
            Ok(is_smaller) => n_smaller += usize::from(is_smaller),
            Err(why) => wrong.push(format!("{} ({}): {why}", row.model, row.mode)),
        }
    }
    println!("{} rows, fewer states with a reduction in {n_smaller}", rows.len());
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(n_smaller > 0, "no reduction ever left out anything");
}
