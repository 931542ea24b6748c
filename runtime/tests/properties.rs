//! Several properties of one model, from the command line to the exit code.

mod lamp;

use lamp::Lamp;
use pmc_runtime::options::{Ask, Options};
use pmc_runtime::property::PropertyKind;
use pmc_runtime::verdict::{ExitCode, Report};

const LAMP: Lamp = Lamp { breaks: false, scribbles: false, bright: false, progress: false };

/// Exit code, standard output, standard error.
fn run(args: &str) -> (ExitCode, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = args.split_whitespace().map(str::to_owned);
    let code = pmc_runtime::run(&LAMP, args, &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[track_caller]
fn check_refused(args: &str, message: &str) {
    assert_eq!(run(args), (ExitCode::Usage, String::new(), format!("error: {message}\n")));
}

fn asked(ask: Ask) -> Report {
    pmc_runtime::check(&LAMP, &Options { ask, ..Options::default() })
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
