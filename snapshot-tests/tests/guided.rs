//! Guided search on the models in `guided/`: A* finds the shortest run, by both engines, and greedy search finds one.

use std::path::{Path, PathBuf};

use pmc::driver::{Options, Simplify};
use serde_json::Value;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::Interpreted;
use snapshot_tests::interpreted_models::{Comparison, compare_guided};
use snapshot_tests::random_model::{random_model, random_reduction_model, random_whole_model};

/// A model, its goal if that is no assertion, the steps of the shortest run as states count them, and its statements.
const MODELS: [(&str, Option<&str>, u64, u64); 8] = [
    ("g_line", None, 12, 12),
    ("g_rv", None, 26, 26),
    ("g_loop", None, 32, 32),
    ("g_dead", None, 4, 4),
    ("g_bakery", None, 23, 23),
    ("g_label", Some("target"), 19, 19),
    // The assertion is in a process that is started late.
    ("g_run", None, 25, 25),
    // One long step is shorter than five short ones.
    ("g_atomic", None, 3, 10),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("guided")
}

fn member(name: &str) -> Member {
    let options = Options { simplify: Simplify::NONE, ..Options::default() };
    Member { name: name.to_owned(), path: folder().join(format!("{name}.pml")), options }
}

fn property(engine: &dyn Engine, name: &str, flags: &[&str]) -> Result<Value, String> {
    let report = engine.report_and_trail(name, flags, "guided.json")?;
    Ok(report["properties"][0].clone())
}

/// Every search for a model finds a violation of the right kind, which replays; A*, and what follows greedy search, a
/// shortest one.
fn check(engine: &dyn Engine, name: &str) -> Result<(), String> {
    let Some((_, goal, n_steps, n_statements)) = MODELS.into_iter().find(|(known, ..)| *known == name) else {
        return Err(format!("{name} is not in the list"));
    };
    let kind = if goal.is_some() { "goal" } else { "assertion" };
    let asks: Vec<&str> = goal.map_or(vec!["--safety", "--no-deadlock"], |goal| vec!["--towards", goal]);
    for how in [
        &["--search", "bfs", "--no-reduction", "--threads", "1"][..],
        &["--search", "a-star"],
        &["--search", "a-star", "--store", "tree"],
        &["--search", "guided"],
        &["--search", "guided", "--no-reduction", "--store", "compact"],
        &["--search", "guided", "--store", "hash-compact"],
    ] {
        let flags = [&asks[..], how].concat();
        let found = property(engine, name, &flags)?;
        let (what, length) = (&found["violation"]["kind"], &found["violation"]["steps"]);
        if *what != kind || *length != n_statements || found["search"]["algorithm"] != how[1] {
            return Err(format!("{flags:?}: {found}"));
        }
        let (code, said) = engine.run(name, &["replay", "guided.json"])?;
        if code != 1 {
            return Err(format!("{flags:?}: replay exits with {code}: {said}"));
        }
        // A* expands nothing behind the shortest run: its depth is that of the last state before the violation.
        let depth = n_steps - u64::from(goal.is_none());
        if how[1] == "a-star" && found["search"]["depth"] != depth {
            return Err(format!("{flags:?}: {found}"));
        }
    }
    Ok(())
}

#[test]
fn the_interpreter_finds_the_shortest_runs() {
    let wrong = MODELS.iter().filter_map(|(name, ..)| {
        Interpreted::with(&member(name), |engine| check(engine, name)).err().map(|why| format!("{name}: {why}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn emitted_verifiers_find_the_shortest_runs() {
    let members: Vec<Member> = MODELS.iter().map(|(name, ..)| member(name)).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guided");
    let batch = Batch::build(&dir, &members).expect("the verifiers build");
    let wrong = MODELS.iter().filter_map(|(name, ..)| check(&batch, name).err().map(|why| format!("{name}: {why}")));
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

/// The way to a label of another process is cut off in half of the states.
#[test]
fn a_goal_that_is_not_reached_is_a_proof() {
    let text = "byte x; active proctype P() { if :: x = 1 :: x = 2 -> x = 3; x == 9 -> L: x = 4 fi }";
    for search in ["bfs", "dfs", "auto", "guided", "a-star"] {
        let options = Options { simplify: Simplify::NONE, ..Options::default() };
        let found = Interpreted::with_text("model", text, &options, |engine| {
            let report = engine.report("model", &["--towards", "L", "--search", search])?;
            let refused = engine.run("model", &["--towards", "M", "--search", search]).err().unwrap_or_default();
            Ok((report["properties"][0].clone(), refused))
        });
        let (found, refused) = found.expect("a report");
        assert_eq!((&found["verdict"], &found["kind"]), (&"verified".into(), &"goal".into()), "{search}: {found}");
        // The state behind the first option is not expanded, so that the end of the process is not there.
        assert_eq!(found["search"]["states_stored"], 4, "{search}: {found}");
        assert!(refused.contains("rests at a label `M`, but L"), "{refused}");
    }
}

/// Figures, lengths and verdicts are those of breadth-first search. Debug builds also check in every step that the
/// distance is consistent.
#[test]
fn guided_searches_agree_with_breadth_first_search_on_random_models() {
    let mut n_compared = 0;
    let mut wrong = Vec::new();
    for seed in 0..60 {
        for make in [random_model, random_whole_model, random_reduction_model] {
            let text = make(seed).to_string();
            match compare_guided(&text) {
                Comparison::Same => n_compared += 1,
                Comparison::Different(what) => wrong.push(format!("seed {seed}: {what}\n{text}")),
                Comparison::None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_compared > 60, "only {n_compared} models are compared");
}
