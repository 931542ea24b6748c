//! Random models: searches that leave out interleavings against those that do not, with and without simplifications.
//!
//! `PMC_RANDOM_REDUCTIONS=500 cargo test -p snapshot-tests --test random_reductions` builds and compares more models,
//! and `PMC_RANDOM_FIRST=1000` begins at another seed.

use std::path::Path;

use pmc::driver;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::interpret::{Graph, Options, ViolationKind, explore};
use snapshot_tests::load::load_text;
use snapshot_tests::random_model::{RandomModel, random_reduction_model, shrink};

/// How many models are built, and the first seed.
fn range() -> (usize, u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    (number("PMC_RANDOM_REDUCTIONS").unwrap_or(24) as usize, number("PMC_RANDOM_FIRST").unwrap_or(0))
}

fn options() -> Options {
    Options { max_states: 3_000, max_steps: 30_000, max_depth: 2_000, ..Options::default() }
}

#[test]
fn reductions_keep_verdicts_and_stuck_states() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_reductions");
    let (n_models, first) = range();
    let all = (first..).filter_map(|seed| {
        let text = random_reduction_model(seed).to_string();
        let graph = explore(&load_text(&text).ok()?.model, &options());
        // Where nothing can be left out there is nothing to compare.
        (graph.complete && graph.states.len() > 20).then_some((seed, text, graph))
    });
    let chosen: Vec<(u64, String, Graph)> = all.take(n_models).collect();
    let members: Vec<Member> = chosen.iter().flat_map(|(seed, text, _)| members(&dir, *seed, text)).collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let (mut wrong, mut n_smaller) = (Vec::new(), 0);
    for (seed, text, graph) in &chosen {
        match check_all(&batch, *seed, text, graph) {
            Ok(n) => n_smaller += n,
            Err(why) => wrong.push((*seed, why)),
        }
    }
    println!("{n_models} models from seed {first} on; fewer states in {n_smaller} of {} searches", 16 * n_models);
    if let Some((seed, why)) = wrong.first() {
        let small = shrink_failure(&dir.join("shrunk"), *seed);
        let all: Vec<String> = wrong.iter().map(|(seed, why)| format!("seed {seed}: {why}")).collect();
        panic!("{} models differ: {}\nseed {seed}, made smaller ({why}):\n{small}", wrong.len(), all.join("\n"));
    }
    assert!(n_smaller > 0, "some state is left out");
}

const SIMPLIFIED: [(&str, driver::Simplify); 2] =
    [("plain", driver::Simplify::NONE), ("simple", driver::Simplify::ALL)];

fn members(dir: &Path, seed: u64, text: &str) -> Vec<Member> {
    let path = dir.join(format!("seed_{seed}.pml"));
    std::fs::create_dir_all(dir).expect("a folder for the models");
    std::fs::write(&path, text).expect("the model can be written");
    let member = |(word, simplify): (&str, driver::Simplify)| {
        let options = driver::Options { simplify, ..driver::Options::default() };
        Member { name: format!("seed_{seed}_{word}"), path: path.clone(), options }
    };
    SIMPLIFIED.map(member).to_vec()
}

/// In how many searches there were fewer states.
fn check_all(batch: &Batch, seed: u64, text: &str, graph: &Graph) -> Result<usize, String> {
    let mut n_smaller = 0;
    for (word, _) in SIMPLIFIED {
        let name = format!("seed_{seed}_{word}");
        let is_broken = is_broken(batch, &name, text)?;
        for reduction in ["ample", "cluster", "stubborn", "auto"] {
            for search in ["bfs", "dfs"] {
                let n_states = check(batch, &name, text, graph, is_broken, reduction, search)
                    .map_err(|why| format!("{word}, {reduction}, {search}: {why}"))?;
                n_smaller += usize::from(n_states < graph.states.len() as u64);
            }
        }
    }
    Ok(n_smaller)
}

/// The smallest model that still shows a difference.
fn shrink_failure(dir: &Path, seed: u64) -> RandomModel {
    shrink(&random_reduction_model(seed), |model| {
        let text = model.to_string();
        let Ok(loaded) = load_text(&text) else { return false };
        let graph = explore(&loaded.model, &options());
        let built = Batch::build(dir, &members(dir, seed, &text));
        graph.complete && built.is_ok_and(|batch| check_all(&batch, seed, &text, &graph).is_err())
    })
}

/// Whether a promise (`xr`, `xs`) is broken in any state: `--shortest` leaves out none, and looks after promises all the
/// same. The interpreter has no notion of where a process stands.
fn is_broken(batch: &Batch, name: &str, text: &str) -> Result<bool, String> {
    if !text.contains("xr ") && !text.contains("xs ") {
        return Ok(false);
    }
    let flags = ["--safety", "--reduction", "auto", "--shortest", "--search", "bfs", "--all-errors"];
    let flags: Vec<&str> = flags.into_iter().chain(["--no-assert", "--no-deadlock"]).collect();
    let property = batch.report(name, &flags)?["properties"][0].clone();
    if property["search"]["reduction"] != false {
        return Err(format!("steps are left out: {property}"));
    }
    Ok(property["violation"]["kind"] == "xr-xs")
}

/// Compares a reduced search with the whole graph, as the interpreter explored it. Gives the number of its states.
fn check(
    batch: &Batch,
    name: &str,
    text: &str,
    graph: &Graph,
    is_broken: bool,
    reduction: &str,
    search: &str,
) -> Result<u64, String> {
    let flags = ["--safety", "--reduction", reduction, "--search", search, "--all-errors"];
    let report = |extra: &'static [&'static str]| {
        let flags: Vec<&str> = flags.into_iter().chain(extra.iter().copied()).collect();
        Ok::<_, String>(batch.report(name, &flags)?["properties"][0].clone())
    };
    // A promise that is broken is told as often as somebody stands where it is, and where it is, others may be missed.
    if is_broken {
        let broken = report(&["--no-assert", "--no-deadlock"])?;
        return match broken["verdict"] == "violated" {
            true => Ok(graph.states.len() as u64),
            false => Err(format!("a promise is broken, but not for the verifier: {broken}")),
        };
    }
    let whole = report(&[])?;
    if (whole["verdict"] == "violated") == graph.violations.is_empty() {
        return Err(format!("the interpreter finds {:?}, the verifier {whole}", graph.violations.first()));
    }
    let kinds = || graph.violations.iter().map(|violation| violation.kind);
    let is_known = |kind: ViolationKind| matches!(kind, ViolationKind::Assertion | ViolationKind::InvalidEndState);
    if kinds().all(is_known) {
        let n_stuck = kinds().filter(|kind| *kind == ViolationKind::InvalidEndState).count() as u64;
        let stuck = report(&["--no-assert"])?;
        let found = stuck["errors"].as_u64().unwrap_or(u64::MAX);
        // Of states that differ only in the order in which processes were started, in who moved last where nobody asks, or
        // in what is simplified away, one may stand for all.
        let may_stand = name.ends_with("simple") || text.contains("run ") || text.contains("_last");
        let is_same = if may_stand { (found > 0) == (n_stuck > 0) } else { found == n_stuck };
        if !is_same {
            return Err(format!("nobody can move in {n_stuck} states, the verifier says {stuck}"));
        }
    }
    whole["search"]["states_stored"].as_u64().ok_or_else(|| format!("no states in {whole}"))
}
