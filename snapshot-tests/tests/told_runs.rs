//! Runs in words and values: what `verify` says of a counterexample, and that `simulate` tells the same values whether dead
//! variables are reset or not.

use std::path::{Path, PathBuf};
use std::process::Command;

fn pmc(dir: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_pmc-under-test")).args(arguments).current_dir(dir).output().expect("it runs");
    assert_ne!(output.status.code(), Some(101), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The lines that the report of a violated model must have, in this order; runs of spaces count as one.
fn check(model: &str, lines: &[&str]) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("model.pml"), model).expect("a file in it");
    let report =
        pmc(dir.path(), &["verify", "--engine", "interpret", "--threads", "1", "--search", "bfs", "model.pml"]);
    let folded: Vec<String> =
        report.lines().map(|line| line.split_whitespace().collect::<Vec<&str>>().join(" ")).collect();
    let mut rest = folded.iter();
    for line in lines {
        assert!(rest.any(|said| said.contains(line)), "no `{line}` there, or not behind the others:\n{report}");
    }
}

#[test]
fn messages_have_kinds_and_values_and_processes_their_parameters() {
    check(
        "mtype = { vote, reply };
chan inbox[2] = [2] of { mtype, byte, bool };
byte leaders;
inline bump(x, n) { x = x + n }
proctype node(byte id) {
  byte from; bool yes;
  inbox[1 - id]!vote(id, true);
  inbox[id]?vote(from, yes);
  bump(leaders, 1);
  assert(leaders == 1)
}
init { atomic { run node(0); run node(1) } }
",
        &[
            "init model.pml:12 run node(0)",
            "!vote(",
            "?vote(",
            "leaders++ leaders: 0 -> 1",
            "leaders++ leaders: 1 -> 2",
            "assert(leaders == 1) leaders = 2 <- here",
            "leaders = 2, expected 1",
            "pmc replay model.pml model.trail.json",
        ],
    );
}

#[test]
fn a_deadlock_says_what_each_process_waits_for_and_what_channels_hold() {
    check(
        "chan a = [0] of { byte }; chan b = [1] of { byte };
active proctype p() { byte x; b!3; b!4; a!x }
active proctype q() { byte y; a?y; b?y }
",
        &[
            "invalid end state",
            "p model.pml:2 b!3",
            "waits for b!4, but b is full: 1 of 1",
            "waits for a?y",
            "b holds [3]",
        ],
    );
}

#[test]
fn faults_say_the_values_that_caused_them() {
    check("byte a[3], i = 2; active proctype p() { i++; a[i] = 1 }", &["i: 2 -> 3", "a[i] = 1", "i = 3"]);
    check("byte x, y = 1; active proctype p() { y--; x = 7 / y }", &["y: 1 -> 0", "x = 7 / y", "y = 0"]);
}

#[test]
fn a_formula_says_which_part_of_it_fails_and_where() {
    check(
        "byte x; active proctype p() { x = 1; do :: x = 2 :: x = 1 od } ltl l { <> (x == 3) }",
        &["start of cycle", "and so on from", "`l` is `<> (x == 3)`", "from the start on `x == 3` is never true: x is"],
    );
    // A macro may have negated what it stands for; a constant is no part of a state.
    check(
        "#define free (!taken)
bool taken, is_on = true;
active proctype p() { taken = true; do :: true od }
ltl f { [] (taken -> (is_on U free)) }
",
        &[
            "`f` is `[] (taken -> (is_on U free))`",
            "after step 1 `taken` is true",
            "from then on `taken` is always true",
        ],
    );
    // Finite runs; remote references.
    check(
        "byte n;
active proctype p() { byte own; do :: n < 9 -> own++; n++; critical: skip od }
ltl low { [] (n < 2) }
",
        &["`low` is `[] (n < 2)`", "`n < 2` is false: n = 2"],
    );
    check(
        "byte n; active proctype p() { n = 1; critical: n = 2 } ltl away { [] !p@critical }",
        &["after step 1 `p@critical` is true"],
    );
}

#[test]
fn a_formula_that_no_run_satisfies_says_so() {
    check(
        "byte g, h; active proctype p() { g = 1 } ltl never_one { <> (h == 1) }",
        &["`never_one` is", "no run satisfies it"],
    );
}

/// The automaton finds the violation, and the formula is evaluated on the run: they agree.
#[test]
fn every_formula_that_is_violated_is_false_on_its_run() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let names =
        std::fs::read_dir(&models).expect("the models").filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("live_ltl")).collect();
    names.sort();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut n_formulas = 0;
    for name in names {
        let model = models.join(&name);
        let model = model.to_str().expect("a plain path");
        let report = pmc(
            folder.path(),
            &["verify", "--engine", "interpret", "--threads", "1", "--max-states", "20000", "--no-deadlock", model],
        );
        for section in report.split("\nltl ").skip(1).filter(|section| section.contains(":\n")) {
            let Some((claim, said)) = section.split_once(":\n") else { continue };
            assert!(said.contains(&format!("`{claim}` is `")), "{name}, {claim}:\n{said}");
            n_formulas += 1;
        }
    }
    assert!(n_formulas >= 5, "only {n_formulas}");
}

/// The moves of its automaton are shown on request, with the conditions as they are, not by the name of a macro.
#[test]
fn the_automaton_of_a_formula_is_shown_with_all() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let model =
        "#define free (!taken)\nbool taken = true; active proctype p() { do :: taken = true od } ltl f { <> free }";
    std::fs::write(dir.path().join("model.pml"), model).expect("a file in it");
    assert!(!pmc(dir.path(), &["verify", "--engine", "interpret", "model.pml"]).contains("claim f"));
    let all = pmc(dir.path(), &["replay", "--all", "model.pml"]);
    assert!(all.contains("claim f") && all.contains("  taken") && !all.contains("  free"), "{all}");
}

/// What a search has joined with a statement that fails is not told behind it, and of several executions of an assertion in a
/// `d_step` the last one fails.
#[test]
fn a_run_ends_where_it_fails() {
    let said = |model: &str| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(dir.path().join("model.pml"), model).expect("a file in it");
        pmc(dir.path(), &["verify", "--engine", "interpret", "--threads", "1", "model.pml"])
    };
    let joined = said("byte x; active proctype p() { byte y; x = 3; assert(x == 4); y = 7; y = 8; x = y }");
    assert!(joined.contains("<- here") && !joined.contains("y = 7"), "{joined}");
    let inside = said(
        "byte x; active proctype p() { d_step { do :: x < 5 -> x++; assert(x < 3) :: x == 5 -> break od; x = 9 } }",
    );
    assert_eq!(inside.matches("<- here").count(), 1, "{inside}");
    assert!(
        inside.contains("x: 2 -> 3") && !inside.contains("x: 3 -> 4") && inside.contains("x = 3, expected"),
        "{inside}"
    );
    let index =
        said("byte a[3], i; active proctype p() { d_step { do :: i < 9 -> a[i] = 1; i++ :: i == 9 -> break od } }");
    assert!(index.contains("i: 2 -> 3") && index.contains("the index is i = 3"), "{index}");
}

/// A dead variable is reset in the state, and yet shown with the value that its author expects.
#[test]
fn dead_variables_are_told_with_their_values() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&models).expect("the models").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    let mut n_steps = 0;
    for path in paths.iter().step_by(11) {
        let name = path.file_name().expect("a name").to_string_lossy();
        let run = |flags: &[&str]| {
            let steps = ["--seed", "3", "--steps", "40", &*name];
            pmc(&models, &[&["simulate"], flags, &steps].concat())
        };
        let told = run(&[]);
        assert_eq!(told, run(&["-O", "no-dead"]), "{name}");
        n_steps += told.lines().count();
    }
    assert!(n_steps > 500, "{n_steps}");
}
