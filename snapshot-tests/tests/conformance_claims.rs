//! Claims, acceptance and progress: the explicit product against the verdicts
//! recorded from Spin.

use pmc::model::Model;
use snapshot_tests::expected::{self, Row};
use snapshot_tests::expected_claims::{
    UNKNOWN_TO_SPIN, claim_of, exception, has_flag, liveness_rows, right_answer, spin_says,
};
use snapshot_tests::interpret::{NoAnswer, Options, Program, Property, Runs, System, Verdict, decide};
use snapshot_tests::load::{load, load_text};

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

#[test]
fn verdicts_are_those_of_spin() {
    let rows = liveness_rows();
    let mut wrong = Vec::new();
    for row in &rows {
        let found = verdict(row);
        if found.as_ref().ok().map(|found| found.is_violated()) != right_answer(row) {
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
