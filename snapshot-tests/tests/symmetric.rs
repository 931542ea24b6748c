//! Models with interchangeable members in the interpreter of pmc: figures, classes, verdicts, counterexamples, mistakes.

use pmc::driver::Simplify;
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};
use snapshot_tests::symmetric::rows::{
    Question, SymmetricRow, figures_are_right, formulas_are_decided, is_refused, rows, searches_agree,
};

/// Checks some rows, and names all that fail.
fn check_all(
    n_expected: usize,
    is_meant: impl Fn(&SymmetricRow) -> bool,
    simplify: Simplify,
    check: impl Fn(&dyn Engine, &SymmetricRow) -> Result<(), String> + Sync,
) {
    let rows: Vec<SymmetricRow> = rows().into_iter().filter(is_meant).collect();
    let checked = on_all_cores(&rows, |row| Interpreted::with(&row.member(simplify), |engine| check(engine, row)));
    let wrong: Vec<String> = checked.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert_eq!(rows.len(), n_expected);
}

/// Rows that take long are left to a campaign.
fn is_small(row: &SymmetricRow) -> bool {
    row.figures.is_none_or(|(states, _)| states < 10_000)
}

#[test]
fn without_symmetry_counts_are_those_of_spin() {
    check_all(
        69,
        |row| row.question == Question::Off && is_small(row),
        Simplify::NONE,
        |engine, row| figures_are_right(engine, row, "off"),
    );
}

#[test]
fn orbits_are_as_many_as_by_brute_force() {
    check_all(
        60,
        |row| row.question == Question::Orbits && is_small(row),
        Simplify::NONE,
        |engine, row| figures_are_right(engine, row, "exact"),
    );
}

#[test]
fn nothing_is_interchangeable_where_the_model_tells_members_apart() {
    check_all(
        12,
        |row| row.question == Question::Lost,
        Simplify::NONE,
        |engine, row| figures_are_right(engine, row, "exact"),
    );
}

#[test]
fn every_search_and_reduction_agrees() {
    let is_meant = |row: &SymmetricRow| {
        matches!(row.question, Question::Orbits | Question::Lost) && row.figures.is_none_or(|(states, _)| states < 600)
    };
    for (simplify, follows) in [(Simplify::NONE, true), (Simplify::ALL, false)] {
        check_all(66, is_meant, simplify, |engine, row| searches_agree(engine, row, follows));
    }
}

#[test]
fn formulas_have_the_verdicts_of_spin() {
    let is_formula = |row: &SymmetricRow| matches!(row.question, Question::Formula { .. });
    for (simplify, follows) in [(Simplify::NONE, true), (Simplify::ALL, false)] {
        check_all(22, is_formula, simplify, |engine, row| formulas_are_decided(engine, row, follows));
    }
}

#[test]
fn mistakes_with_members_are_found_at_their_place() {
    let rows: Vec<SymmetricRow> = rows().into_iter().filter(|row| row.question == Question::Refused).collect();
    let wrong: Vec<String> = rows.iter().filter_map(|row| is_refused(row).err()).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert_eq!(rows.len(), 10);
}
