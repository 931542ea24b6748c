//! Random models: searches that leave out interleavings against those that do not.
//!
//! `PMC_RANDOM_REDUCTIONS=500 cargo test -p snapshot-tests --test random_reductions` builds and compares more models,
//! and `PMC_RANDOM_FIRST=1000` begins at another seed.

use std::path::Path;

use pmc::driver;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::interpret::{Graph, Options, ViolationKind, explore};
use snapshot_tests::load::load_text;
use snapshot_tests::random_model::random_model;

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
    std::fs::create_dir_all(&dir).expect("a folder for the models");
    let (n_models, first) = range();
    let all = (first..).filter_map(|seed| {
        let text = random_model(seed).to_string();
        let graph = explore(&load_text(&text).ok()?.model, &options());
        // Where nothing can be left out there is nothing to compare.
        (graph.complete && graph.states.len() > 20).then_some((seed, text, graph))
    });
    let chosen: Vec<(u64, String, Graph)> = all.take(n_models).collect();
    let members: Vec<Member> = chosen
        .iter()
        .map(|(seed, text, _)| {
            let path = dir.join(format!("seed_{seed}.pml"));
            std::fs::write(&path, text).expect("the model can be written");
            let options = driver::Options { simplify: driver::Simplify::NONE, ..driver::Options::default() };
            Member { name: format!("seed_{seed}"), path, options }
        })
        .collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let (mut wrong, mut n_smaller) = (Vec::new(), 0);
    for ((seed, text, graph), member) in chosen.iter().zip(&members) {
        for reduction in ["ample", "cluster", "stubborn"] {
            for search in ["bfs", "dfs"] {
                match check(&batch, &member.name, text, graph, reduction, search) {
                    Ok(n_states) => n_smaller += usize::from(n_states < graph.states.len() as u64),
                    Err(why) => wrong.push(format!("seed {seed}, {reduction}, {search}: {why}\n{text}")),
                }
            }
        }
    }
    println!("{n_models} models from seed {first} on; fewer states in {n_smaller} of {} searches", 6 * n_models);
    assert!(wrong.is_empty(), "{} searches differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_smaller > 0, "some state is left out");
}

/// Compares a reduced search with the whole graph, as the interpreter explored it. Gives the number of its states.
fn check(batch: &Batch, name: &str, text: &str, graph: &Graph, reduction: &str, search: &str) -> Result<u64, String> {
    let flags = ["--safety", "--reduction", reduction, "--search", search, "--all-errors"];
    let report = |extra: &'static [&'static str]| {
        let flags: Vec<&str> = flags.into_iter().chain(extra.iter().copied()).collect();
        Ok::<_, String>(batch.report(name, &flags)?["properties"][0].clone())
    };
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
        // Of states that differ only in the order in which processes were started, one may stand for all.
        let is_same = if text.contains("run ") { (found > 0) == (n_stuck > 0) } else { found == n_stuck };
        if !is_same {
            return Err(format!("nobody can move in {n_stuck} states, the verifier says {stuck}"));
        }
    }
    whole["search"]["states_stored"].as_u64().ok_or_else(|| format!("no states in {whole}"))
}
