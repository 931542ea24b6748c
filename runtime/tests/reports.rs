//! What each format makes of several properties, a lasso among their counterexamples.

mod lamp;

use lamp::Lamp;
use pmc_runtime::json::Json;
use pmc_runtime::limits::Stop;
use pmc_runtime::model::{GrowingInfo, Model, ModelInfo, SourcePosition};
use pmc_runtime::options::Options;
use pmc_runtime::property::PropertyKind;
use pmc_runtime::report::{Format, Subject};
use pmc_runtime::step::{ClaimLocation, ClaimMoveId, Pid, TransitionId};
use pmc_runtime::trail::{Move, Step, Trail};
use pmc_runtime::verdict::{
    Found, ProbeOutcome, ProbeStatistics, PropertyReport, Report, Statistics, Verdict, Violation, ViolationKind,
};
use std::time::Duration;

fn step(transition: u32) -> Move {
    Move::System(Step { pid: Pid(0), transition: TransitionId(transition), choice: 0, receiver: None })
}

fn claim(by: u16, to: u16) -> Move {
    Move::Claim { by: ClaimMoveId(by), choice: u32::from(by), to: ClaimLocation(to) }
}

fn property(name: &str, kind: PropertyKind, verdict: Verdict, violations: Vec<Violation>) -> PropertyReport {
    let statistics = Statistics {
        algorithm: if kind == PropertyKind::Safety { "bfs" } else { "nested" },
        storage: "exact",
        threads: 1,
        states_stored: 1_234,
        transitions: 5_678,
        depth: 9,
        state_bytes: 8,
        memory_bytes: 2 << 20,
        elapsed: Duration::from_millis(10),
        ..Statistics::default()
    };
    let stop = match verdict {
        Verdict::Verified => None,
        Verdict::Violated => Some(Stop::Violation),
        Verdict::Incomplete => Some(Stop::MaxStates(100)),
    };
    let errors = violations.len() as u64;
    PropertyReport { name: name.into(), kind, verdict, errors, violations, stop, statistics, reached: vec![true; 3] }
}

fn violation(found: Found, message: &str, line: u32, trail: Trail) -> Violation {
    let trail = Trail { message: message.into(), ..trail };
    let place = Some(SourcePosition { file: 0, line, column: 3 });
    Violation { found, message: message.into(), place, trail, occurrences: 1 }
}

/// Safety holds; nobody ever reads; the lamp was lit; a never claim ran into a limit.
fn several() -> Report {
    let go = claim(0, 0);
    let lasso = Trail {
        moves: vec![go, step(0), go, step(1), go, step(0), go, step(1)],
        cycle_start: Some(4),
        claim: Some("read".into()),
        ..Trail::default()
    };
    let finite = Trail { moves: vec![go, step(0), claim(1, 1)], claim: Some("dark".into()), ..Trail::default() };
    let cycle = Found::state(ViolationKind::AcceptanceCycle);
    let end = Found::at_claim(ViolationKind::ClaimEnd, ClaimMoveId(1));
    let lasso = violation(cycle, "acceptance cycle: an infinite run violates ltl read", 11, lasso);
    let finite = violation(end, "claim violated: however it goes on, this run violates ltl dark", 12, finite);
    let properties = vec![
        property("safety", PropertyKind::Safety, Verdict::Verified, vec![]),
        property("read", PropertyKind::Ltl, Verdict::Violated, vec![lasso]),
        property("dark", PropertyKind::Ltl, Verdict::Violated, vec![finite]),
        property("off", PropertyKind::Never, Verdict::Incomplete, vec![]),
    ];
    let options = Options::default();
    Report { verdict: Verdict::Violated, properties, options, warnings: vec![], explanation: None }
}

fn text(format: Format, report: &Report) -> String {
    text_of(&Lamp::default(), format, report)
}

fn text_of(lamp: &Lamp, format: Format, report: &Report) -> String {
    let file = |name: &str| vec![Some(format!("{name}.json"))];
    let trails = [vec![], file("lamp.trail"), file("lamp.dark.trail"), vec![]];
    let info = lamp.info();
    let replay = Some("pmc replay lamp.pml");
    let subject = Subject {
        info,
        report,
        trails: &trails,
        runs: &pmc_runtime::story::tell_violations(lamp, report),
        replay,
        parameters: None,
        list_unreached: false,
        use_colors: false,
    };
    let mut out = Vec::new();
    format.reporter().report(&subject, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The same for a model with a variable that grows.
fn text_of_growing(format: Format, report: &Report) -> String {
    let place = SourcePosition { file: 0, line: 4, column: 3 };
    let growing = [
        GrowingInfo { variable: "turns", proctype: None, place, text: "turns++" },
        GrowingInfo { variable: "seen[].often", proctype: Some("reader"), place, text: "seen[i].often++" },
    ];
    let lamp = Lamp::default();
    let info = ModelInfo { growing: &growing, ..*lamp.info() };
    let trails = vec![Vec::new(); report.properties.len()];
    let subject = Subject {
        info: &info,
        report,
        trails: &trails,
        runs: &[],
        replay: None,
        parameters: None,
        list_unreached: false,
        use_colors: false,
    };
    let mut out = Vec::new();
    format.reporter().report(&subject, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_search_that_was_cut_short_names_what_grows() {
    let mut report = several();
    let lines = [
        "`turns` grows without bound at lamp.pml:4: `turns++`; give it a limit, or a smaller type",
        "`seen[].often` of `reader` grows without bound at lamp.pml:4: `seen[i].often++`; give it a limit, or a \
         smaller type",
    ];
    for format in [Format::Human, Format::Junit, Format::Sarif] {
        let text = text_of_growing(format, &report);
        assert!(lines.iter().all(|line| text.matches(line).count() == 1), "{text}");
    }
    let json = Json::parse(&text_of_growing(Format::Json, &report)).unwrap();
    let growing = json.get("growing").unwrap().as_list().unwrap();
    assert_eq!(growing[1].get("variable").unwrap().as_text(), Some("seen[].often"));
    assert_eq!(growing[1].get("proctype").unwrap().as_text(), Some("reader"));
    assert_eq!(growing[0].get("statement").unwrap().as_text(), Some("turns++"));
    assert_eq!(growing[0].get("location").unwrap().get("line").unwrap().as_u64(), Some(4));
    // A violation is one whether or not a variable grows.
    report.properties.pop();
    for format in [Format::Human, Format::Junit, Format::Sarif] {
        assert!(!text_of_growing(format, &report).contains("without bound"));
    }
}

#[test]
fn people_see_a_line_for_each_property_and_then_what_is_wrong() {
    let expected = "\
lamp.pml: violated
  safety     verified    1,234 states, 5,678 transitions; bfs, 0.01 s
  ltl read   violated    1,234 states, 5,678 transitions; nested, 0.01 s
  ltl dark   violated    1,234 states, 5,678 transitions; nested, 0.01 s
  never off  incomplete  1,234 states, 5,678 transitions; nested, 0.01 s
  exact storage; 0.04 s in all, 2 MB
  a search stops at its first violation (--all-errors goes on)

ltl read:
  acceptance cycle: an infinite run violates ltl read
    at lamp.pml:11:3, 2 steps and then a cycle of 2 steps:
         claim read  lamp.pml:11  !seen
      1  switch  lamp.pml:4  lit = true   lit: 0 -> 1
      2  switch  lamp.pml:4  lit = false  lit: 1 -> 0
      <<<<< start of cycle >>>>>
         claim read  lamp.pml:11  !seen
      3  switch  lamp.pml:4  lit = true   lit: 0 -> 1
      4  switch  lamp.pml:4  lit = false  lit: 1 -> 0
         and so on from 3, forever
    `!seen` holds in every state of the cycle, so what the formula `read` waits for never happens
    trail: lamp.trail.json
    step by step: pmc replay lamp.pml lamp.trail.json

ltl dark:
  claim violated: however it goes on, this run violates ltl dark
    at lamp.pml:12:3, after 1 step:
      1  switch  lamp.pml:4  lit = true  lit: 0 -> 1
         claim dark  lamp.pml:12  lit
    trail: lamp.dark.trail.json
    step by step: pmc replay lamp.pml lamp.dark.trail.json

never off:
  NOT a proof, the search is incomplete: limit of 100 states reached (--max-states); no violation so far
";
    assert_eq!(text(Format::Human, &several()), expected);
}

#[test]
fn one_property_has_the_page_for_itself() {
    let mut report = several();
    report.properties.drain(..2);
    report.properties.truncate(1);
    report.options.fair = true;
    let expected = "\
lamp.pml: violated
  claim violated: however it goes on, this run violates ltl dark
    at lamp.pml:12:3, after 1 step:
      1  switch  lamp.pml:4  lit = true  lit: 0 -> 1
         claim dark  lamp.pml:12  lit
  the search stopped at the violation (--all-errors goes on)
  weak fairness: no infinite run counts in which a process waits forever that can always move
  1,234 states, 5,678 transitions, depth 9, 8 bytes a state
  nested, exact storage, no reduction; 0.01 s, 123,400 states/s, 2 MB
";
    assert_eq!(text(Format::Human, &report), expected);
}

/// A cycle of so many steps after a way of so many.
fn long(before: usize, cycle: usize) -> Report {
    let mut report = several();
    let trail = &mut report.properties[1].violations[0].trail;
    trail.moves = (0..before + cycle).map(|n| step(n as u32 % 2)).collect();
    trail.cycle_start = Some(before);
    trail.claim = None;
    report
}

#[test]
fn of_a_long_lasso_the_ends_are_listed() {
    let text = text(Format::Human, &long(1_030, 40));
    let shown: Vec<&str> = text.lines().filter_map(|line| line.trim().split("  switch ").next()).collect();
    let has = |line: &str| shown.contains(&line);
    assert!(text.contains("1,030 steps and then a cycle of 40 steps:\n       1  switch"), "{text}");
    let gap = "... 1,000 more steps; this shows them all: pmc replay lamp.pml lamp.trail.json --all";
    assert!(has("10") && !has("11") && has(gap) && !has("1010") && has("1011") && has("1030"), "{text}");
    assert!((1_031..=1_070).all(|n| has(&n.to_string())), "{text}");
    assert!(
        text.contains(
            "    1070  switch  lamp.pml:4  lit = false  lit: 1 -> 0\n          and so on from 1031, forever\n"
        )
    );
    let cycle = crate::text(Format::Human, &long(40, 41));
    assert!(cycle.contains("         ... 11 more steps; this") && !cycle.contains(" 51  switch"), "{cycle}");
}

/// A run that a probe has found, and that was made shorter as far as it went.
#[test]
fn the_length_of_a_run_is_told_where_it_may_not_be_the_shortest() {
    let mut report = several();
    report.properties.drain(..2);
    report.properties.truncate(1);
    let probe = |found_steps| {
        let outcome = ProbeOutcome::Violation;
        Some(ProbeStatistics { transitions: 2_000, walks: 1, outcome, found_steps })
    };
    report.properties[0].statistics.probe = probe(Some(88_982));
    let line = "shortened from 88,982 to 1 steps; may not be the shortest (--shortest goes on)";
    for format in [Format::Human, Format::Junit, Format::Sarif] {
        assert!(text(format, &report).contains(line), "{}", text(format, &report));
    }
    let json = Json::parse(&text(Format::Json, &report)).unwrap();
    let search = json.get("properties").unwrap().as_list().unwrap()[0].get("search").unwrap().clone();
    assert_eq!(search.get("probe").unwrap().get("found_steps").unwrap().as_u64(), Some(88_982));
    report.properties[0].statistics.probe = probe(Some(1));
    assert!(text(Format::Human, &report).contains("\n    this run may not be the shortest (--shortest goes on)\n"));
    report.properties[0].statistics.probe = probe(None);
    assert!(!text(Format::Human, &report).contains("the shortest"));
}

#[test]
fn a_run_that_depends_on_timing_is_told_as_such() {
    let mut report = several();
    let line = "several threads may show another run the next time; --threads 1 always shows the same";
    let repeatable = |report: &Report| -> Vec<bool> {
        let json = Json::parse(&text(Format::Json, report)).unwrap();
        let properties = json.get("properties").unwrap().as_list().unwrap();
        properties
            .iter()
            .map(|property| property.get("search").unwrap().get("repeatable").unwrap() == &Json::Bool(true))
            .collect()
    };
    assert!(!text(Format::Human, &report).contains(line));
    assert!(repeatable(&report).iter().all(|repeatable| *repeatable));
    for property in &mut report.properties {
        property.statistics.threads = 2;
    }
    let violated: Vec<bool> = report.properties.iter().map(|property| !property.violations.is_empty()).collect();
    assert_eq!(text(Format::Human, &report).matches(line).count(), 1);
    assert_eq!(repeatable(&report), violated.iter().map(|violated| !violated).collect::<Vec<_>>());
}

#[test]
fn a_stutter_is_a_step_in_which_nothing_happens() {
    let mut report = several();
    let trail = &mut report.properties[1].violations[0].trail;
    let read = Move::System(Step { pid: Pid(1), transition: TransitionId(2), choice: 0, receiver: None });
    trail.moves = vec![step(0), read, Move::Stutter];
    trail.claim = None;
    trail.cycle_start = Some(2);
    // The switch breaks, and nothing can move any more.
    let text = text_of(&Lamp { breaks: true, ..Lamp::default() }, Format::Human, &report);
    let expected = "    at lamp.pml:11:3, 2 steps and then a cycle of 1 step:
      1  switch  lamp.pml:4  lit = true   lit: 0 -> 1
      2  reader  lamp.pml:9  seen = true  seen: 0 -> 1
      <<<<< start of cycle >>>>>
      3  no process can move: the state stays as it is
         and so on from 3, forever
";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn json_has_an_entry_for_each_property() {
    let report = Json::parse(&text(Format::Json, &several())).unwrap();
    let properties = report.get("properties").unwrap().as_list().unwrap();
    let text = |value: &Json, name: &str| value.get(name).unwrap().as_text().unwrap().to_owned();
    let told: Vec<String> =
        properties.iter().map(|p| ["kind", "name", "verdict"].map(|m| text(p, m)).join(" ")).collect();
    assert_eq!(told, ["safety safety verified", "ltl read violated", "ltl dark violated", "never off incomplete"]);
    let lasso = properties[1].get("violation").unwrap();
    assert_eq!(text(lasso, "kind"), "acceptance-cycle");
    let number = |name| lasso.get(name).unwrap().as_u64();
    assert_eq!((number("steps"), number("cycle_start")), (Some(4), Some(2)));
    assert_eq!(properties[2].get("violation").unwrap().get("cycle_start"), Some(&Json::Null));
    assert_eq!(properties[0].get("violation"), Some(&Json::Null));
}

#[test]
fn junit_has_a_test_case_for_each_property() {
    let text = text(Format::Junit, &several());
    for line in [
        r#"  <testsuite name="lamp.pml" tests="4" failures="2" errors="1" time="0.040">"#,
        r#"    <testcase classname="lamp.pml" name="safety" time="0.010">"#,
        r#"    <testcase classname="lamp.pml" name="ltl read" time="0.010">"#,
        "  &lt;&lt;&lt;&lt;&lt; start of cycle &gt;&gt;&gt;&gt;&gt;",
        "trail: lamp.dark.trail.json",
        r#"      <error type="incomplete" message="the search is incomplete: limit of 100 states reached (--max-states)"/>"#,
    ] {
        assert!(text.lines().any(|other| other == line), "no line `{line}` in\n{text}");
    }
}

#[test]
fn sarif_has_a_result_for_each_violation() {
    let text = text(Format::Sarif, &several());
    let run = &Json::parse(&text).unwrap().get("runs").unwrap().as_list().unwrap()[0].clone();
    let results = run.get("results").unwrap().as_list().unwrap();
    let rules: Vec<_> = results.iter().map(|result| result.get("ruleId").unwrap().as_text().unwrap()).collect();
    assert_eq!(rules, ["acceptance-cycle", "claim"]);
    assert_eq!(text.matches("start of cycle: switch: lit = true").count(), 1);
    assert!(text.contains("never off: the search is incomplete: limit of 100 states"), "{text}");
}

#[test]
fn pan_has_the_lines_that_scripts_look_for() {
    let text = text(Format::Pan, &several());
    for line in [
        "pan: ltl formula read",
        "pan:1: acceptance cycle (at depth 4)",
        "Never claim moves to line 11\t[!seen]",
        "  <<<<<START OF CYCLE>>>>>",
        "  8:\tproc  0 (switch) lamp.pml:4 (state 0)\t[lit = false]",
        "\tnever claim         \t+ (read)",
        "\tacceptance   cycles \t+ (fairness disabled)",
        "\tinvalid end states\t- (disabled by never claim)",
        "pan:1: end state in claim reached (at depth 3)",
    ] {
        assert!(text.lines().any(|other| other == line), "no line `{line}` in\n{text}");
    }
}
