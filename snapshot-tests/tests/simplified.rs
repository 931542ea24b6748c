//! What is simplified before the search starts changes no verdict: verifiers made
//! as users make them, against the interpreter, which knows no simplification. The same
//! verifiers store no more than Spin's, simplified and reduced as well.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pmc::driver::{Options, Simplification, Simplify};
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::expected::{self, Row};
use snapshot_tests::findings::{Findings, check_trail};
use snapshot_tests::interpret::{self, Graph, explore};
use snapshot_tests::load::{Loaded, load, load_text};
use snapshot_tests::random_model::random_model;
use snapshot_tests::savings::{self, REDUCTIONS, UNSOUND};
use snapshot_tests::spin;

const FLAGS: [&str; 5] = ["--safety", "--no-reduction", "--search", "dfs", "--all-errors"];

/// What is found depends on the order of the search, since a match hides the value of a hidden variable.
const ORDER_MATTERS: &[&str] = &["misc_hidden_match", "type_hidden"];

/// Models of which the interpreter checks more: `trace` and `notrace`.
fn has_trace(loaded: &Loaded) -> bool {
    loaded.model.trace.is_some()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the models");
    folder
}

/// All models, built once for the tests in this file.
fn batch() -> &'static Batch {
    static BATCH: OnceLock<Batch> = OnceLock::new();
    BATCH.get_or_init(|| {
        let members: Vec<Member> = expected::rows("exact").iter().map(savings::member).collect();
        Batch::build(&folder("simplified"), &members).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Every fourth model, or with `ALL_MODELS=1` all of them.
fn rows() -> Vec<Row> {
    let step = if std::env::var_os("ALL_MODELS").is_some() { 1 } else { 4 };
    expected::rows("exact").into_iter().step_by(step).collect()
}

#[test]
fn the_models_of_the_language_keep_their_verdicts() {
    let rows = rows();
    let mut wrong = Vec::new();
    let (mut n_states, mut n_plain) = (0, 0);
    for row in &rows {
        match check_row(batch(), row) {
            Ok((states, plain)) => {
                n_states += states;
                n_plain += plain;
            }
            Err(why) => wrong.push(format!("{}: {why}", row.model)),
        }
    }
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    println!("{n_states} states instead of {n_plain}");
    assert!(n_states < n_plain, "nothing was simplified: {n_states} states, {n_plain} without");
}

fn check_row(batch: &Batch, row: &Row) -> Result<(u64, u64), String> {
    let loaded = load(&expected::folder().join(format!("{}.pml", row.model)))?;
    let options = interpreter_options(row);
    let graph = explore(&loaded.model, &options);
    let flags: Vec<&str> = FLAGS.into_iter().chain(savings::flags(row)).collect();
    let findings = Findings::of(batch, &row.model, &flags)?;
    let plain = graph.states.len() as u64;
    if ORDER_MATTERS.contains(&row.model.as_str()) || has_trace(&loaded) || !graph.complete {
        return Ok((plain, plain));
    }
    findings.compare(&loaded, &graph)?;
    if findings.states > plain {
        return Err(format!("{} states, but {plain} without simplification", findings.states));
    }
    if !graph.violations.is_empty() {
        // A reduced search looks after promises (`xr`, `xs`) where a process stands, the interpreter where one is broken.
        let promises = loaded.model.proctypes.iter().any(|process| !process.exclusive.is_empty());
        for search in ["dfs", "bfs"] {
            let own = ["--safety", "--search", search].into_iter().chain(promises.then_some("--no-reduction"));
            let flags: Vec<&str> = own.chain(savings::flags(row)).collect();
            check_trail(batch, &row.model, &loaded, &flags, &options).map_err(|why| format!("{search}: {why}"))?;
        }
    }
    Ok((findings.states, plain))
}

/// Every reduction comes to the right verdict, and stores no more than Spin's where that does.
#[test]
fn reductions_store_no_more_than_spins() {
    let rows = savings::recorded();
    let mut wrong = Vec::new();
    for (row, spin) in &rows {
        match savings::of_recorded(batch(), row, *spin) {
            Ok(found) => wrong.extend(found.complaints(savings::exception(&row.model))),
            Err(why) => wrong.push(format!("{}: {why}", row.model)),
        }
    }
    assert!(rows.len() > 500, "{} rows", rows.len());
    assert!(wrong.is_empty(), "{} complaints about {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Models of several kinds, small ones, verified and violated.
const VARIED: &[&str] = &[
    "chan_sorted_send",
    "flow_unless_option",
    "misc_barrier",
    "misc_rendezvous_net",
    "misc_sieve",
    "red_else_message",
    "red_guarded",
    "red_ign2",
    "red_mgr",
];

/// Provisos ask the queue or the path, so that what a reduction leaves out does not depend on how states are kept.
#[test]
fn every_store_goes_with_every_reduction() {
    let rows: Vec<Row> =
        expected::rows("exact").into_iter().filter(|row| VARIED.contains(&row.model.as_str())).collect();
    assert_eq!(rows.len(), VARIED.len());
    let (mut n_reduced, mut n_violated) = (0, 0);
    for row in &rows {
        for search in ["bfs", "dfs"] {
            let stored = |reduction: &str, store: &str| {
                let own =
                    ["--safety", "--search", search, "--reduction", reduction, "--store", store, "--memory", "32M"];
                let flags: Vec<&str> = own.into_iter().chain(["--all-errors"]).chain(savings::flags(row)).collect();
                let report = batch().report(&row.model, &flags).unwrap_or_else(|error| panic!("{error}"));
                let property = &report["properties"][0];
                (property["verdict"].clone(), property["search"]["states_stored"].as_u64())
            };
            let (verdict, full) = stored("none", "exact");
            n_violated += usize::from(verdict == "violated");
            for reduction in ["none", "ample", "cluster", "stubborn"] {
                let exact = stored(reduction, "exact");
                assert_eq!(exact.0, verdict, "{}, {search}, {reduction}", row.model);
                n_reduced += usize::from(exact.1 < full);
                for store in ["tree", "compact", "hash-compact", "bitstate"] {
                    let found = stored(reduction, store);
                    // Of so few states none is missed in so large a table, with any luck: it is always the same.
                    assert_eq!(found, exact, "{}, {search}, {reduction}, {store}", row.model);
                }
            }
        }
    }
    assert!(n_reduced > 0 && n_violated > 0, "{n_reduced} reduced, {n_violated} violated");
}

/// Where Spin stores less and is said to be lucky, it is not in a model that is much the same.
#[test]
fn what_spin_takes_ahead_can_hide_an_error() {
    let dir = folder("unsound");
    let path = |name: &str| dir.join(format!("{name}.pml"));
    let member = |(name, text): &(&str, &str)| {
        std::fs::write(path(name), text).expect("the model can be written");
        Member { name: (*name).to_owned(), path: path(name), options: Options::default() }
    };
    let members: Vec<Member> = UNSOUND.iter().map(member).collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    for (name, text) in UNSOUND {
        let question = if text.contains("trace") { "--trace" } else { "--safety" };
        for reduction in REDUCTIONS.iter().chain(&["none"]) {
            let flags = [question, "--reduction", reduction, "--search", "dfs"];
            let report = batch.report(name, &flags).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(report["properties"][0]["verdict"], "violated", "{name}, {reduction}: {report}");
        }
        if spin::is_installed() {
            let errors = |cc_flags: &str| {
                let folder = tempfile::tempdir().expect("a folder for what Spin writes");
                let figures = spin::figures_of_file(&path(name), folder.path(), "-a", cc_flags, "-c0 -m100000");
                figures.unwrap_or_else(|error| panic!("{error:?}")).errors
            };
            assert!(errors("-DSAFETY -DNOCLAIM") == 0 && errors("-DSAFETY -DNOCLAIM -DNOREDUCE") > 0, "{name}");
        }
    }
}

fn interpreter_options(row: &Row) -> interpret::Options {
    let pan = |flag: &str| row.pan_flags.split_whitespace().any(|word| word == flag);
    interpret::Options {
        lossy: row.spin_flags.split_whitespace().any(|word| word == "-m"),
        inner_escape_first: pan("-J"),
        empty_channels: pan("-q"),
        end_states: !pan("-E"),
        assertions: !pan("-A"),
        ..interpret::Options::default()
    }
}

/// How many random models are built. `RANDOM_MODELS=first..end` takes others.
const SEEDS: std::ops::Range<u64> = 0..12;

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("RANDOM_MODELS").ok();
    let range = given.as_deref().and_then(|given| given.split_once(".."));
    match range.map(|(first, end)| (first.parse(), end.parse())) {
        Some((Ok(first), Ok(end))) => first..end,
        _ => SEEDS,
    }
}

fn random_options() -> interpret::Options {
    interpret::Options { max_states: 3_000, max_steps: 30_000, max_depth: 2_000, ..interpret::Options::default() }
}

/// Everything at once, and one simplification by itself: one after the other has its turn.
fn choices(seed: u64) -> [(&'static str, Simplify); 2] {
    let one = Simplification::ALL[seed as usize % Simplification::ALL.len()];
    [("all", Simplify::ALL), (one.name(), Simplify::NONE.with(one, true))]
}

#[test]
fn random_models_keep_their_verdicts_with_each_simplification() {
    let dir = folder("simplified_random");
    let mut chosen: Vec<(u64, String, Loaded, Graph)> = Vec::new();
    for seed in seeds() {
        let text = random_model(seed).to_string();
        let Ok(loaded) = load_text(&text) else { continue };
        let graph = explore(&loaded.model, &random_options());
        if graph.complete {
            chosen.push((seed, text, loaded, graph));
        }
    }
    let mut members = Vec::new();
    for (seed, text, ..) in &chosen {
        let path = dir.join(format!("seed_{seed}.pml"));
        std::fs::write(&path, text).expect("the model can be written");
        for (name, simplify) in choices(*seed) {
            let options = Options { simplify, ..Options::default() };
            members.push(Member { name: format!("seed_{seed}_{name}"), path: path.clone(), options });
        }
    }
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    for (seed, text, loaded, graph) in &chosen {
        for (choice, _) in choices(*seed) {
            if let Err(why) = check_random(&batch, &format!("seed_{seed}_{choice}"), loaded, graph) {
                wrong.push(format!("seed {seed}, {choice}: {why}\n{text}"));
            }
        }
    }
    println!("{} models", chosen.len());
    assert!(wrong.is_empty(), "{} verifiers differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn check_random(batch: &Batch, name: &str, loaded: &Loaded, graph: &Graph) -> Result<(), String> {
    let findings = Findings::of(batch, name, &FLAGS)?;
    findings.compare(loaded, graph)?;
    if findings.states > graph.states.len() as u64 {
        return Err(format!("{} states instead of {}", findings.states, graph.states.len()));
    }
    if graph.violations.is_empty() {
        return Ok(());
    }
    check_trail(batch, name, loaded, &["--safety"], &random_options())
}

/// A model with a figure that is known from elsewhere.
#[track_caller]
fn check_states(name: &str, text: &str, expected: &[(Simplify, u64)]) {
    let dir = folder(&format!("simplified_{name}"));
    let path = dir.join(format!("{name}.pml"));
    std::fs::write(&path, text).expect("the model can be written");
    let member = |(number, (simplify, _)): (usize, &(Simplify, u64))| Member {
        name: format!("{name}_{number}"),
        path: path.clone(),
        options: Options { simplify: *simplify, ..Options::default() },
    };
    let members: Vec<Member> = expected.iter().enumerate().map(member).collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    for (member, (_, states)) in members.iter().zip(expected) {
        let figures = batch.figures(&member.name, &FLAGS).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(figures.states, *states, "{}", member.name);
    }
}

/// Nobody reads what the processes write: only their ends tell states apart.
#[test]
fn what_is_written_only_does_not_tell_states_apart() {
    let pairs = "\
int v0;
int v1;
proctype Lo0() { v0 = 0 }
proctype Hi0() { v0 = 1 }
proctype Lo1() { v1 = 0 }
proctype Hi1() { v1 = 1 }
init { atomic { run Lo0(); run Hi0(); run Lo1(); run Hi1() } }
";
    let unread = Simplify::NONE.with(Simplification::Unread, true);
    check_states("pairs", pairs, &[(Simplify::ALL, 33), (Simplify::NONE, 65), (unread, 33)]);
}

/// Such a variable stands beside the others in a state, also of a process that has no place there: this did not build.
#[test]
fn what_is_written_only_in_a_process_that_is_never_started_builds() {
    let idle = "\
byte x;
proctype idle() { byte note; note = x }
active proctype p() { x = 1; x > 0 }
";
    check_states("idle", idle, &[(Simplify::ALL, 4), (Simplify::NONE, 4)]);
}
