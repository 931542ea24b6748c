//! Claims, acceptance and progress: the explicit product against the verdicts
//! recorded from Spin.

use pmc::model::Model;
use snapshot_tests::expected::{self, Row};
use snapshot_tests::interpret::{NoAnswer, Options, Program, Property, Runs, System, Verdict, decide};
use snapshot_tests::load::{load, load_text};

/// A row in which the product is right to differ from Spin.
struct Exception {
    model: &'static str,
    modes: &'static [&'static str],
    claim: &'static str,
    /// What is right.
    violated: bool,
    /// Why Spin says something else.
    why: &'static str,
}

const BOTH: &[&str] = &["acc", "accfair"];

const EXCEPTIONS: &[Exception] = &[
    Exception {
        model: "expr_np_no_accept",
        modes: BOTH,
        claim: "",
        violated: true,
        why: "Without accept labels pan ignores -a, and then does not keep track of progress labels for np_.",
    },
    Exception {
        model: "live_ltl_accept_in_model",
        modes: BOTH,
        claim: "",
        violated: false,
        why: "pan reports the accept label of a process as if the formula were violated. The formula holds on every \
              run; that there is an acceptance cycle is the answer to another question.",
    },
    Exception {
        model: "live_never_timeout",
        modes: BOTH,
        claim: "",
        violated: true,
        why: "Nobody can move, so timeout is true; pan computes it only if a process asks for it.",
    },
    Exception {
        model: "proc_nr_pr_claim",
        modes: BOTH,
        claim: "",
        violated: false,
        why: "pan counts the claim as a process, and so an assertion of the model fails; the claim itself never ends.",
    },
    Exception {
        model: "live_fair_last_writer",
        modes: &["accfair"],
        claim: "",
        violated: true,
        why: "P, then Q, then both end: every process has taken all its steps and is owed no more, so the run is fair, \
              and n stays 2 for ever. pan's copies for fairness do not follow a run of which nobody is left.",
    },
    Exception {
        model: "live_fair_order",
        modes: &["npfair"],
        claim: "",
        violated: true,
        why: "P waits for ever and Q goes round by its second option, which is fair and makes no progress; pan finds \
              the cycle when the options stand the other way round (live_fair_order_back).",
    },
    Exception {
        model: "live_ltl_fair_termination",
        modes: &["accfair"],
        claim: "",
        violated: true,
        why: "The only run ends with x == 0, which then stays: the same loss of finite runs under fairness.",
    },
    Exception {
        model: "live_ltl_define",
        modes: &["accfair"],
        claim: "f3",
        violated: true,
        why: "The only run ends with an empty channel: the same loss of finite runs under fairness.",
    },
];

/// Rows that Spin cannot run, and what is right.
const UNKNOWN_TO_SPIN: &[(&str, bool)] = &[("live_ltl_next", false)];

fn has_flag(row: &Row, flag: &str) -> bool {
    row.pan_flags.split_whitespace().any(|word| word == flag)
}

/// The claim that a row names, or the only one; nothing if the model has none.
fn claim_of(row: &Row) -> Option<String> {
    let mut words = row.pan_flags.split_whitespace().skip_while(|word| *word != "-N");
    words.nth(1).map(str::to_owned)
}

fn property<'m>(model: &'m Model, row: &Row) -> Property<'m> {
    if has_flag(row, "-l") {
        return Property::Progress;
    }
    let name = claim_of(row);
    let is_named = |other: &str| name.as_ref().is_none_or(|name| name == other);
    if let Some(ltl) = model.formulas.iter().find(|ltl| is_named(&ltl.name)) {
        return Property::Formula(&ltl.formula);
    }
    match model.never.iter().position(|never| is_named(&never.name)) {
        Some(number) => Property::Never(number),
        None => Property::Acceptance,
    }
}

fn verdict(row: &Row) -> Result<Verdict, String> {
    let loaded = load(&expected::folder().join(format!("{}.pml", row.model)))?;
    let program = Program::new(&loaded.model, &Options::default());
    let runs = if has_flag(row, "-f") { Runs::FAIR } else { Runs::ALL };
    let answer = decide(&mut System::new(&program), property(&loaded.model, row), runs);
    answer.map_err(|error: NoAnswer| format!("{error:?}"))
}

fn exception(row: &Row) -> Option<&'static Exception> {
    let claim = claim_of(row).unwrap_or_default();
    EXCEPTIONS.iter().find(|it| it.model == row.model && it.modes.contains(&&*row.mode) && it.claim == claim)
}

/// What Spin said, or why it is not known.
fn spin_says(row: &Row) -> Option<bool> {
    row.figures.map(|[_, _, errors]| errors > 0)
}

fn liveness_rows() -> Vec<Row> {
    ["acc", "accfair", "np", "npfair"].into_iter().flat_map(expected::rows).collect()
}

#[test]
fn verdicts_are_those_of_spin() {
    let rows = liveness_rows();
    let mut wrong = Vec::new();
    for row in &rows {
        let unknown = UNKNOWN_TO_SPIN.iter().find(|(model, _)| *model == row.model).map(|(_, violated)| *violated);
        let expected = exception(row).map(|exception| exception.violated).or(unknown).or(spin_says(row));
        let found = verdict(row);
        if found.as_ref().ok().map(|found| found.is_violated()) != expected {
            wrong.push(format!(
                "{} {} {}: found {found:?}, Spin {:?} {}",
                row.model, row.mode, row.pan_flags, row.figures, row.first_error
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn an_exception_is_one() {
    for row in liveness_rows() {
        if let Some(exception) = exception(&row) {
            assert_ne!(Some(exception.violated), spin_says(&row), "{} agrees with Spin: {}", row.model, exception.why);
        }
        assert!(
            spin_says(&row).is_some() || UNKNOWN_TO_SPIN.iter().any(|(model, _)| *model == row.model),
            "{}: {}",
            row.model,
            row.first_error
        );
    }
}

/// A known complaint against Spin. Weak fairness owes a step to a process that can move from some time on for ever.
/// After P and Q have ended nobody can move, so nobody is owed anything: `n = 1; n = 2` is a fair run that ends with 2,
/// and `<> [] (n == 1)` fails on it with fairness as without. `<> [] (n > 0)` holds: it is not that all runs are fair.
#[test]
fn a_run_that_ends_is_fair() {
    let model = "byte n; active proctype P() { n = 1 } active proctype Q() { n = 2 }
        ltl one { <> [] (n == 1) } ltl two { <> [] (n == 2) } ltl some { <> [] (n > 0) }";
    assert_eq!(fair_verdicts(model), [true, true, false]);
    // Here P can go on for ever alone, but that is not fair to Q; and it is fair once Q has ended.
    let model = "byte n, m; active proctype P() { do :: n = 1 - n od } active proctype Q() { m = 1 }
        ltl served { <> (m == 1) } ltl quiet { <> [] (n == 0) }";
    assert_eq!(fair_verdicts(model), [false, true]);
}

/// For each formula, whether it is violated under weak fairness.
fn fair_verdicts(text: &str) -> Vec<bool> {
    let loaded = load_text(text).expect("the model is well-formed");
    let program = Program::new(&loaded.model, &Options::default());
    let mut system = System::new(&program);
    let verdict = |ltl: &pmc::model::Ltl| decide(&mut system, Property::Formula(&ltl.formula), Runs::FAIR);
    let verdicts: Result<Vec<Verdict>, NoAnswer> = loaded.model.formulas.iter().map(verdict).collect();
    verdicts.expect("the model is small").into_iter().map(Verdict::is_violated).collect()
}
