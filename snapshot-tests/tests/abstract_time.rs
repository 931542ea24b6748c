//! `--timers abstract`: a timer is off, running or expired, and any that runs may expire at any time. Of the figures and of
//! what a search may say see `timed.rs` and `conformance.rs`; this is about what a person gets to see.

use std::io::Write;
use std::process::{Command, Stdio};

use pmc::driver::{Options, Session, Simplify};
use serde_json::Value;
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::Interpreted;

fn with<T: Send>(text: &str, act: impl FnOnce(&dyn Engine) -> T + Send) -> Result<T, String> {
    let options = Options { abstract_time: true, ..Options::default() };
    Interpreted::with_text("model", text, &options, |engine| Ok(act(engine)))
}

fn property(text: &str, flags: &[&str]) -> Value {
    let report = with(text, |engine| engine.report("model", flags)).expect("a good model").expect("a report");
    report["properties"][0].clone()
}

/// What a command says, and its exit code.
fn said(text: &str, flags: &[&str]) -> (i32, String) {
    with(text, |engine| engine.run("model", flags)).expect("a good model").expect("it runs")
}

/// The first error of a model.
fn refusal(text: &str) -> Option<String> {
    let options = Options { abstract_time: true, ..Options::default() };
    let mut session = Session::from_text("model.pml", text.to_owned(), &options).expect("a small model");
    let _ = session.check();
    let (code, span) = session.diagnostics.errors().next()?;
    let at = session.sources.position(span);
    Some(format!("{code} {}:{}", at.line, at.column))
}

/// The slow one is never first.
const RACE: &str = "timer fast, slow; byte first;
    active proctype P() { set(fast, 2); set(slow, 5); if :: expire(fast) -> first = 1 :: expire(slow) -> first = 2 fi;
      assert(first == FIRST) }";

#[test]
fn what_exact_time_does_not_allow_is_no_violation() {
    let text = RACE.replace("FIRST", "1");
    let (code, said) = said(&text, &["--search", "bfs", "--threads", "1"]);
    assert_eq!(code, 3, "{said}");
    for part in [
        "model.pml: incomplete",
        "time passes  slow expires",
        "time is abstract here",
        "NOT a proof, and no violation of the model",
        "time is abstract: what is verified holds",
    ] {
        assert!(said.contains(part), "no `{part}` in\n{said}");
    }
    assert!(!said.contains("at time") && !said.contains("--zeno"), "{said}");
    let found = property(&text, &[]);
    assert_eq!((&found["verdict"], &found["violation"]["abstract_time"]), (&"incomplete".into(), &true.into()));
    assert_eq!(found["search"]["abstract_time"], true);
    assert!(found["violation"].get("time").is_none(), "{found}");
}

#[test]
fn a_violation_is_shown_with_exact_time() {
    let text = RACE.replace("FIRST", "2");
    let (code, said) = said(&text, &["--search", "bfs", "--threads", "1"]);
    assert_eq!(code, 1, "{said}");
    for part in ["model.pml: violated", "at time 2", "time 2  fast expires", "slow: off -> 5"] {
        assert!(said.contains(part), "no `{part}` in\n{said}");
    }
    let found = property(&text, &[]);
    assert_eq!((&found["verdict"], &found["violation"]["time"]), (&"violated".into(), &2.into()));
}

/// In the abstraction w runs on while the other timer goes round; with exact time the cycle closes once w is off.
#[test]
fn a_cycle_closes_after_as_many_rounds_as_it_needs() {
    let text = "timer a, w = 7; byte n; chan q = [1] of { byte };
        active proctype A() { do :: set(a, 2); expire(a) od }
        active proctype B() { byte x; q?x; expire(w); n = 1 }
        ltl f { <> (n == 1) }";
    for flags in [&["--ltl", "f"][..], &["--ltl", "f", "--fair"], &["--ltl", "f", "--time-passes"]] {
        let found = property(text, &[flags, &["--no-reduction"]].concat());
        assert_eq!(found["verdict"], "violated", "{flags:?}: {found}");
        assert_eq!(found["violation"]["ticks"], 2, "{flags:?}: {found}");
    }
}

/// The slower of two timers would expire in between, which the steps of the cycle leave out.
#[test]
fn a_cycle_that_time_does_not_allow_proves_nothing() {
    let text = "timer a, b; bool met;
        active proctype A() { do :: set(a, 2); expire(a) od }
        active proctype B() { set(b, 3); expire(b); met = true }
        ltl f { <> met }";
    let found = property(text, &["--ltl", "f"]);
    assert_eq!(found["verdict"], "incomplete", "{found}");
    assert_eq!(found["violation"]["kind"], "acceptance-cycle", "{found}");
}

#[test]
fn trails_replay_with_the_time_that_they_have() {
    for first in ["1", "2"] {
        let text = RACE.replace("FIRST", first);
        let replayed = with(&text, |engine| {
            engine.report_and_trail("model", &["--search", "dfs"], "race.json")?;
            engine.run("model", &["replay", "race.json"])
        });
        let (code, said) = replayed.expect("a good model").expect("it replays");
        assert_eq!(code, 1, "{said}");
        let parts = if first == "1" { ["time passes", "fast = running"] } else { ["time 2", "slow = 3"] };
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
}

#[test]
fn what_is_verified_does_not_depend_on_numbers() {
    let figures = |delay: u32| {
        let text = format!(
            "timer t; byte n; active proctype P() {{ do :: n < 3 -> set(t, {delay}); expire(t); reset(t); n++ :: else -> break od }}"
        );
        let found = property(&text, &["--safety", "--no-reduction", "--search", "dfs"]);
        (found["verdict"].clone(), found["search"]["states_stored"].clone())
    };
    assert_eq!(figures(2), figures(5_000));
    assert_eq!(figures(2).0, "verified");
}

/// 2 to the power of 16 ticks are the most that a state can have.
#[test]
fn too_many_timers_leave_the_search_incomplete() {
    let model = |n: usize| {
        let sets: String = (0..n).map(|at| format!("set(t[{at}], 1); ")).collect();
        format!("timer t[{n}]; active proctype P() {{ atomic {{ {sets} skip }}; expire(t[0]) }}")
    };
    let many = property(&model(17), &["--safety", "--no-deadlock"]);
    assert_eq!(many["verdict"], "incomplete", "{many}");
    let why = many["search"]["stopped_by"].as_str().expect("a reason");
    assert!(why.contains("more than 16 timers run at once"), "{why}");
    let few = property(&model(10), &["--safety", "--no-deadlock", "--no-reduction", "--search", "dfs"]);
    assert_eq!(few["verdict"], "verified", "{few}");
    // The sets in between that leave a timer running are states of their own.
    assert!(few["search"]["states_stored"].as_u64().is_some_and(|states| states >= 1 << 10), "{few}");
}

#[test]
fn what_counts_ticks_is_not_asked() {
    let model = "timer t; active proctype P() { set(t, 2); expire(t) } ltl f { X X (!on(t)) } ltl g { [] !expire(t) }";
    let found = property(model, &["--ltl", "f"]);
    assert_eq!(found["verdict"], "incomplete", "{found}");
    assert_eq!(property(model, &["--ltl", "g"])["verdict"], "violated");
    let refused = with(model, |engine| engine.run("model", &["--zeno"])).expect("a good model").expect_err("refused");
    assert!(refused.contains("--zeno does not go with --timers abstract"), "{refused}");
}

#[test]
fn values_of_timers_are_refused_wherever_they_are_read() {
    for (model, at) in [
        ("timer t; active proctype P() { set(t, 4); t < 3; expire(t) }", "P0221 1:43"),
        ("timer t; byte x; active proctype P() { set(t, 4); x = t; expire(t) }", "P0221 1:55"),
        ("timer t; active proctype P() { set(t, 4); printf(\"%d\", t); expire(t) }", "P0221 1:56"),
        ("timer t; active proctype P() { set(t, 4); expire(t) } ltl f { [] (t < 9) }", "P0221 1:67"),
        ("timer t[3]; byte a[9]; active proctype P() { set(t[1], 4); d_step { a[t[1]] = 1; a[0] = 1 } }", "P0221 1:71"),
        ("timer t; active proctype P() provided (t < 2) { set(t, 4) }", "P0221 1:40"),
    ] {
        assert_eq!(refusal(model).as_deref(), Some(at), "{model}");
    }
    let asked =
        "timer t; active proctype P() { set(t, 4); t >= 0; t > -1; t != 0; expire(t) } ltl f { [] (t < 0 || on(t)) }";
    assert_eq!(refusal(asked), None);
}

#[test]
fn a_simulation_knows_no_clock() {
    let model = "timer t; active proctype P() { set(t, 7); expire(t); reset(t) }";
    let (code, said) = said(model, &["simulate", "--seed", "3"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("time passes") && said.contains("t: off -> running"), "{said}");
}

#[test]
fn processes_that_are_alike_are_exchanged_with_their_timers() {
    let model = "byte busy; active [3] proctype P() { timer t; set(t, 2); expire(t); reset(t); busy++; set(t, 9);
      if :: expire(t) -> busy-- :: false fi; assert(busy <= 2); end: false }";
    let states = |symmetry: &str| {
        let flags = ["--safety", "--no-reduction", "--search", "dfs", "--all-errors"];
        let found = property(model, &[&flags[..], &["--symmetry", symmetry]].concat());
        assert_eq!(found["verdict"], "verified", "{symmetry}: {found}");
        found["search"]["states_stored"].as_u64().expect("a number")
    };
    assert!(states("exact") * 4 < states("off"));
}

/// What an atomic sequence, a `d_step` or a claim does to a timer is forgotten as well.
#[test]
fn every_way_to_set_a_timer_leads_to_one_state() {
    let states = |value: u32| {
        let model = format!(
            "timer t = {value}, u; active proctype P() {{ atomic {{ set(u, {value}); set(t, {value}) }};
             d_step {{ set(t, {value}); set(u, {value} + 1) }}; expire(u); set(u, {value}); expire(u) }}"
        );
        let options = Options { abstract_time: true, simplify: Simplify::NONE, ..Options::default() };
        let flags = ["--safety", "--no-reduction", "--search", "dfs", "--all-errors"];
        Interpreted::with_text("model", &model, &options, |engine| engine.figures("model", &flags)).expect("figures")
    };
    assert_eq!(states(3), states(70));
}

/// pmc itself, in a folder with a model.
fn pmc(model: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("model.pml"), model).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
    let output = command.args(arguments).arg("model.pml").current_dir(dir.path()).output().expect("it runs");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.code(), said.concat())
}

const VERIFY: [&str; 3] = ["verify", "--engine", "interpret"];

#[test]
fn a_sweep_goes_on_behind_what_is_not_known() {
    for flags in [&["--timers", "abstract"][..], &["--abstract-time"]] {
        let (code, said) = pmc(RACE, &[&VERIFY, flags, &["-D", "FIRST=1..2"]].concat());
        assert_eq!(code, Some(1), "{said}");
        for part in ["FIRST=1  incomplete", "FIRST=2  violated", "this was not found with exact time"] {
            assert!(said.contains(part), "no `{part}` in\n{said}");
        }
        assert!(said.contains("--timers abstract model.pml"), "it is replayed as it was found:\n{said}");
    }
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let good = RACE.replace("FIRST", "1");
    for (arguments, message) in [
        (&["expand", "--spin", "--timers", "abstract"][..], "leave --timers abstract out"),
        (&["verify", "--timers", "exact", "--abstract-time"], "cannot be used with"),
        (
            &["verify", "--engine", "interpret", "--abstract-time", "--zeno"],
            "--zeno does not go with --timers abstract",
        ),
        (&["verify", "--timers", "vague"], "exact, abstract"),
    ] {
        let (code, said) = pmc(&good, arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(message), "no `{message}` in\n{said}");
    }
    let (code, said) = pmc(&good, &[&VERIFY, &["--timers", "exact"][..]].concat());
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn every_format_says_what_is_not_known() {
    let text = RACE.replace("FIRST", "1");
    for (format, parts) in [
        ("junit", &["errors=\"1\"", "failures=\"0\"", "time is abstract here"][..]),
        ("sarif", &["\"level\": \"warning\"", "\"executionSuccessful\": false", "time is abstract here"]),
        ("pan", &["error: a violation with abstract time was not found with exact time", "Search not completed"]),
    ] {
        let (code, said) = said(&text, &["--format", format]);
        assert_eq!(code, 3, "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{format}:\n{said}");
    }
}

#[test]
fn a_simulation_lets_a_person_choose_what_expires() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("model.pml"), RACE.replace("FIRST", "1")).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
    command.args(["simulate", "-i", "--timers", "abstract", "model.pml"]).current_dir(dir.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().expect("a pipe").write_all(b"3\nq\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    for part in ["1  time passes", "; fast expires\n", "; slow expires\n", "; fast expires; slow expires\n"] {
        assert!(said.contains(part), "no `{part}` in\n{said}");
    }
}

#[test]
fn explain_says_what_a_tick_is_and_where_a_value_is_read() {
    let (_, said) = pmc(&RACE.replace("FIRST", "1"), &["explain", "--timers", "abstract"]);
    assert!(said.contains("in a tick any set of the timers that run expires"), "{said}");
    let read = "timer t, u;\nbyte x;\nactive proctype P() { set(t, 4); set(u, 2);\n  x = t; expire(u); expire(t) }";
    let (_, said) = pmc(read, &["explain"]);
    assert!(said.contains("off, or 0 to 4 ticks left, 3 bits, its value is read in line 4\n"), "{said}");
    assert!(said.contains("off, or 0 to 2 ticks left, 2 bits\n"), "{said}");
}
