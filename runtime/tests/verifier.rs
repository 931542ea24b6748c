//! A verifier from the command line to the exit code, on the model of `examples/peterson.rs`.

#[path = "../examples/peterson.rs"]
mod peterson;

use peterson::Peterson;
use pmc_runtime::Searches;
use pmc_runtime::json::Json;
use pmc_runtime::options::{Algorithm, Options};
use pmc_runtime::verdict::{ExitCode, Verdict};
use std::path::PathBuf;

const GOOD: Peterson<3, 2> = Peterson { broken: false };
const BROKEN: Peterson<3, 2> = Peterson { broken: true };

/// Exit code, standard output, standard error.
fn run(model: &Peterson<3, 2>, args: &[&str]) -> (ExitCode, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let code = pmc_runtime::run(model, Searches::new(), &args, &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// A file that is gone when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("pmc-runtime-{}-{name}.trail.json", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn read(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap()
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.0, text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn figures_equal_those_of_spin() {
    for (algorithm, depth) in [(Algorithm::BreadthFirst, 108), (Algorithm::DepthFirst, 24_188)] {
        let report =
            pmc_runtime::check(&GOOD, Searches::new(), &Options { algorithm, all_errors: true, ..Options::default() });
        let figures = &report.properties[0].statistics;
        assert_eq!((report.verdict, report.errors()), (Verdict::Verified, 0));
        assert_eq!((figures.states_stored, figures.transitions, figures.depth), (105_432, 301_727, depth));
    }
}

#[test]
fn a_proof_exits_with_0() {
    let (code, out, err) = run(&GOOD, &[]);
    assert_eq!((code, err.as_str()), (ExitCode::Verified, ""));
    assert!(out.starts_with("peterson.pml: verified\n  complete search, no violation\n"), "{out}");
}

#[test]
fn what_is_not_checked_is_told() {
    let (code, out, _) = run(&BROKEN, &["--no-assert", "--no-deadlock"]);
    assert_eq!(code, ExitCode::Verified);
    let told = "  not checked: assertions (--no-assert)\n  not checked: invalid end states (--no-deadlock)\n";
    assert!(out.contains(told), "{out}");
}

#[test]
fn a_limit_exits_with_3_and_says_so() {
    let (code, out, _) = run(&GOOD, &["--max-states", "1000"]);
    assert_eq!(code, ExitCode::Incomplete);
    assert!(out.contains("NOT a proof, the search is incomplete: limit of 1000 states"), "{out}");
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    let (code, out, err) = run(&GOOD, &["--serch", "dfs"]);
    assert_eq!((code, out.as_str()), (ExitCode::Usage, ""));
    assert_eq!(err, "error: there is no flag `--serch`; did you mean `--search`?\n");
}

#[test]
fn a_violation_exits_with_1_and_its_trail_replays() {
    for search in ["bfs", "dfs"] {
        let trail = Scratch::new(search);
        let (code, out, _) = run(&BROKEN, &["--search", search, "--trail", trail.path()]);
        assert_eq!(code, ExitCode::Violated);
        assert!(out.contains("assertion violated: assert(critical == 1)"), "{out}");
        let (code, out, err) = run(&BROKEN, &["replay", trail.path()]);
        assert_eq!((code, err.as_str()), (ExitCode::Violated, ""));
        let told = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert!(told.into_iter().any(|line| line.ends_with("critical++ critical: 1 -> 2")), "{out}");
    }
}

#[test]
fn with_json_standard_output_holds_the_report_only() {
    let trail = Scratch::new("json");
    let (code, out, err) = run(&BROKEN, &["--format=json", "--trail", trail.path(), "--unreached"]);
    assert_eq!((code, err.as_str()), (ExitCode::Violated, ""));
    let report = Json::parse(&out).unwrap();
    let violation = report.get("properties").unwrap().as_list().unwrap()[0].get("violation").unwrap();
    assert_eq!(violation.get("steps").unwrap().as_u64(), Some(31));
    assert_eq!(violation.get("trail").unwrap().as_text(), Some(trail.path()));
}

#[test]
fn a_trail_that_cannot_be_written_does_not_lose_the_verdict() {
    let (code, out, err) = run(&BROKEN, &["--trail", "/nowhere/at/all.json", "--format", "json"]);
    assert_eq!(code, ExitCode::Violated);
    assert!(err.starts_with("error: cannot write the trail `/nowhere/at/all.json`: "), "{err}");
    assert!(out.contains("\"trail\": null"), "{out}");
}

#[test]
fn a_trail_of_another_model_is_refused() {
    let trail = Scratch::new("stale");
    run(&BROKEN, &["--trail", trail.path()]);
    trail.write(&trail.read().replace("by-hand-1", "by-hand-0"));
    let (code, out, err) = run(&BROKEN, &["replay", trail.path()]);
    assert_eq!((code, out.as_str()), (ExitCode::Usage, ""));
    assert!(err.contains("was made for another model (`peterson.pml`, hash by-hand-0), or this one"), "{err}");
}

#[test]
fn a_trail_that_does_not_do_what_it_says_is_refused() {
    let trail = Scratch::new("wrong");
    run(&BROKEN, &["--trail", trail.path()]);
    let text = trail.read();
    // The lock that works does not take the same steps.
    let (code, _, err) = run(&GOOD, &["replay", trail.path()]);
    assert_eq!(code, ExitCode::Usage);
    assert!(err.contains("of the trail cannot be taken"), "{err}");
    // Without its last step it does not come to the violation.
    let last = text.rfind(",\n    {").unwrap();
    trail.write(&format!("{}\n  ]\n}}\n", &text[..last]));
    let (code, _, err) = run(&BROKEN, &["replay", trail.path()]);
    assert_eq!(code, ExitCode::Usage);
    assert!(err.contains("the trail does not end in the violation it claims (assertion)"), "{err}");
}

#[test]
fn a_damaged_or_missing_trail_is_refused() {
    let trail = Scratch::new("damaged");
    assert!(run(&BROKEN, &["replay", trail.path()]).2.contains("there is no such trail"));
    for (text, message) in [
        ("{", "the trail is damaged: not valid JSON at byte 1"),
        ("{}", "the trail is damaged: no `schema` in it"),
        ("{\"schema\": \"other/1\"}", "the trail has the format `other/1`, this is `pmc-trail/1`"),
    ] {
        trail.write(text);
        let (code, _, err) = run(&BROKEN, &["replay", trail.path()]);
        assert_eq!(code, ExitCode::Usage);
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn quiet_says_nothing_about_good_news() {
    assert_eq!(run(&GOOD, &["--quiet"]), (ExitCode::Verified, String::new(), String::new()));
}

#[test]
fn info_and_help_and_version_answer() {
    assert_eq!(Json::parse(&run(&GOOD, &["info"]).1).unwrap().get("transitions").unwrap().as_u64(), Some(14));
    assert!(run(&GOOD, &["--help"]).1.contains("--all-errors"));
    assert!(run(&GOOD, &["--version"]).1.starts_with("peterson.pml (pmc "));
}

#[test]
fn a_simulation_runs_and_stops_at_its_limit() {
    let (code, out, _) = run(&GOOD, &["simulate", "--steps", "50", "--seed", "3", "-g"]);
    assert_eq!(code, ExitCode::Verified);
    assert!(
        out.contains("\n   50  P(")
            && !out.contains("\n   51  P(")
            && out.contains("stopped at the limit of steps (--steps)"),
        "{out}"
    );
}
