//! Models with timers in the interpreter of pmc, and in that of the tests: figures, verdicts, reductions, counterexamples.
//! `conformance.rs` builds them.

use pmc::driver::Simplify;
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};
use snapshot_tests::timed::{
    Question, TimedRow, figures_are_right, infinite_runs_are_decided, reduction_is_as_good, rows, searches_agree,
    tests_interpreter_agrees,
};

/// Checks some rows, and names all that fail.
fn check_all(
    is_meant: impl Fn(&TimedRow) -> bool,
    simplify: Simplify,
    check: impl Fn(&dyn Engine, &TimedRow) -> Result<(), String> + Sync,
) {
    let rows: Vec<TimedRow> = rows().into_iter().filter(is_meant).collect();
    let checked = on_all_cores(&rows, |row| Interpreted::with(&row.member(simplify), |engine| check(engine, row)));
    let failed = rows.iter().zip(checked).filter_map(|(row, checked)| Some((row, checked.err()?)));
    let wrong: Vec<String> = failed.map(|(row, why)| format!("{} {:?}: {why}", row.name(), row.question)).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(rows.len() >= 4, "only {} rows", rows.len());
}

fn is_safety(row: &TimedRow) -> bool {
    row.question == Question::Safety
}

#[test]
fn states_and_transitions_are_as_defined() {
    check_all(is_safety, Simplify::NONE, figures_are_right);
}

#[test]
fn the_interpreter_of_the_tests_agrees() {
    check_all(is_safety, Simplify::NONE, |_, row| tests_interpreter_agrees(row));
}

#[test]
fn every_search_and_reduction_agrees() {
    check_all(is_safety, Simplify::NONE, searches_agree);
}

#[test]
fn simplified_models_have_the_same_verdicts() {
    check_all(is_safety, Simplify::ALL, |engine, row| {
        let row = TimedRow { figures: None, ..row.clone() };
        searches_agree(engine, &row)
    });
}

#[test]
fn the_reduction_takes_steps_on_timers_ahead() {
    let is_bound = |row: &TimedRow| matches!(row.question, Question::Ample(_));
    check_all(is_bound, Simplify::NONE, |engine, row| match row.question {
        Question::Ample(most) => reduction_is_as_good(engine, row, most),
        _ => Ok(()),
    });
}

#[test]
fn infinite_runs_are_decided_with_and_without_fairness() {
    let is_infinite = |row: &TimedRow| matches!(row.question, Question::Formula { .. } | Question::Zeno);
    for simplify in [Simplify::NONE, Simplify::ALL] {
        check_all(is_infinite, simplify, infinite_runs_are_decided);
    }
}

#[test]
fn a_model_without_timers_is_not_asked_whether_time_passes() {
    let row = rows().into_iter().find(|row| row.model == "t31_plain").expect("a model that is not timed");
    let asked = Interpreted::with(&row.member(Simplify::NONE), |engine| engine.run(&row.name(), &["--zeno"]));
    let refusal = asked.expect_err("it has no timers");
    assert!(refusal.contains("--zeno asks whether time passes, and t31_plain.pml has no timers"), "{refusal}");
}
