//! Several properties of one model, from the command line to the exit code.

mod lamp;

use lamp::Lamp;
use pmc_runtime::Searches;
use pmc_runtime::json::Json;
use pmc_runtime::options::{Ask, Options};
use pmc_runtime::property::PropertyKind;
use pmc_runtime::verdict::{ExitCode, PropertyReport, Report};

const LAMP: Lamp = Lamp { breaks: false, scribbles: false, bright: false, progress: false };

/// Exit code, standard output, standard error.
fn run(args: &str) -> (ExitCode, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    let code = pmc_runtime::run(&LAMP, Searches::new(), &args, &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[track_caller]
fn check_refused(args: &str, message: &str) {
    assert_eq!(run(args), (ExitCode::Usage, String::new(), format!("error: {message}\n")));
}

/// Every verdict, in words.
fn verdicts(model: &Lamp, options: &Options) -> Vec<String> {
    let report = pmc_runtime::check(model, Searches::new(), options);
    let told = |property: &PropertyReport| format!("{} {}", property.name, property.verdict.name());
    report.properties.iter().map(told).collect()
}

fn asked(ask: Ask) -> Report {
    pmc_runtime::check(&LAMP, Searches::new(), &Options { ask, ..Options::default() })
}

/// Kind and name of what was checked.
#[track_caller]
fn check_asked(ask: Ask, expected: &[(PropertyKind, &str)]) {
    let report = asked(ask);
    let found: Vec<_> = report.properties.iter().map(|property| (property.kind, property.name.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn everything_is_safety_and_each_claim() {
    use PropertyKind::{Ltl, Never, Safety};
    let all = [(Safety, "safety"), (Ltl, "read"), (Ltl, "dark"), (Never, "off")];
    check_asked(Ask::Everything, &all);
    check_asked(Ask::Claim("dark".into()), &[(Ltl, "dark")]);
    check_asked(Ask::Never, &[(Never, "off")]);
    check_asked(Ask::NonProgress, &[(PropertyKind::NonProgress, "non-progress")]);
    // Each once, in the order of the question.
    let several = Ask::Several(vec![Ask::Claim("off".into()), Ask::Acceptance, Ask::Never, Ask::Safety]);
    let expected = [(Never, "off"), (PropertyKind::Acceptance, "acceptance"), (Safety, "safety")];
    check_asked(several, &expected);
}

#[test]
fn a_name_that_is_not_there_is_no_proof() {
    let report = asked(Ask::Claim("drak".into()));
    assert_eq!(report.verdict.exit_code(), ExitCode::Incomplete);
    assert_eq!(report.unchecked(), ["ltl drak: the model has no such claim"]);
    let there = "it has ltl `read`, ltl `dark`, never `off`";
    check_refused("--ltl drak", &format!("lamp.pml has no claim `drak`; {there}"));
    check_refused("--never drak", &format!("lamp.pml has no claim `drak`; {there}"));
    check_refused("--trace --safety", &format!("lamp.pml has no trace assertion; {there}"));
}

#[test]
fn fairness_is_about_infinite_runs() {
    let message = "nothing that is asked for is about infinite runs, as --ltl NAME, --never, --acceptance and \
                   --non-progress are";
    check_refused("--fair --safety", &format!("--fair has no meaning here: {message}"));
    check_refused("--search scc --safety", &format!("--search scc looks for cycles, but {message}"));
}

#[test]
fn a_search_that_cannot_answer_is_refused() {
    check_refused("--search bfs --ltl read", "--search bfs cannot find cycles; nested and scc can");
    check_refused("--never --search dfs", "--search dfs cannot find cycles; nested and scc can");
    check_refused("--never off off", "`off` is no command; there are simulate, replay and info, see --help");
}

#[test]
fn each_property_has_a_verdict_and_the_worst_is_that_of_all() {
    let all = ["safety verified", "read violated", "dark violated", "off violated"];
    assert_eq!(verdicts(&LAMP, &Options::default()), all);
    let cycles = Options { ask: Ask::Several(vec![Ask::Acceptance, Ask::NonProgress]), ..Options::default() };
    assert_eq!(verdicts(&LAMP, &cycles), ["acceptance violated", "non-progress violated"]);
    let progress = Lamp { progress: true, ..LAMP };
    assert_eq!(verdicts(&progress, &cycles), ["acceptance violated", "non-progress verified"]);
    let report = asked(Ask::Several(vec![Ask::Safety, Ask::Claim("read".into())]));
    assert_eq!(report.verdict.exit_code(), ExitCode::Violated);
    assert_eq!(report.property("read").unwrap().violations[0].trail.claim.as_deref(), Some("read"));
    assert_eq!((report.errors(), report.violations().count()), (1, 1));
    asked(Ask::Safety).assert_verified();
}

#[test]
fn fairness_saves_who_can_always_move() {
    let read = |fair| Options { ask: Ask::Claim("read".into()), fair, ..Options::default() };
    // A flickering lamp can be read now and then only, which weak fairness does not care for.
    assert_eq!(verdicts(&LAMP, &read(true)), ["read violated"]);
    let bright = Lamp { bright: true, ..LAMP };
    assert_eq!(verdicts(&bright, &read(false)), ["read violated"]);
    assert_eq!(verdicts(&bright, &read(true)), ["read verified"]);
}

#[test]
#[should_panic(
    expected = "ltl read:\n  acceptance cycle: an infinite run violates ltl read\n    at lamp.pml:11:3, a cycle of 2 steps"
)]
fn an_assertion_in_a_test_names_what_is_violated() {
    asked(Ask::Everything).assert_verified();
}

#[test]
fn every_trail_has_its_file_and_replays() {
    let folder = std::env::temp_dir().join(format!("pmc-runtime-properties-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let base = folder.join("lamp.trail.json");
    let flags = format!("--format json --acceptance --ltl read --non-progress --never --trail {}", base.display());
    let (code, out, err) = run(&flags);
    assert_eq!((code, err.as_str()), (ExitCode::Violated, ""));
    let report = Json::parse(&out).unwrap();
    let properties = report.get("properties").unwrap().as_list().unwrap();
    let trail =
        |property: &Json| property.get("violation").unwrap().get("trail").unwrap().as_text().unwrap().to_owned();
    let trails: Vec<String> = properties.iter().map(trail).collect();
    let expected = ["", ".read", ".non-progress", ".off"].map(|name| format!("lamp{name}.trail.json"));
    assert_eq!(trails, expected.map(|name| folder.join(name).display().to_string()));
    for trail in &trails {
        let (code, out, err) = run(&format!("replay {trail}"));
        assert_eq!((code, err.as_str()), (ExitCode::Violated, ""), "{trail}:\n{out}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_simulation_takes_no_notice_of_claims() {
    let (code, out, _) = run("simulate --steps 30");
    assert_eq!(code, ExitCode::Verified);
    assert!(out.contains("\n   30  switch ") && !out.contains("claim"), "{out}");
}

#[test]
fn info_names_the_claims() {
    assert!(run("info").1.contains(r#"{"name": "dark", "kind": "ltl"}"#));
}
