//! The conditions of a model's formulas, numbered.

use pmc::driver::{Options, Session};
use pmc::ltl::propositions::Propositions;

/// The formula of a model's first `ltl`, and how many atoms it has.
fn check(model: &str, expected: &str, n_atoms: usize) {
    let mut session = Session::from_text("model.pml", model.to_owned(), &Options::default()).expect("small");
    let model = session.resolve().expect("a good model");
    let propositions = Propositions::of(&model.formulas[0].formula);
    assert_eq!(propositions.formula.text(&|atom| format!("p{}", atom.0)), expected);
    assert_eq!(propositions.atoms.len(), n_atoms);
}

#[test]
fn equal_conditions_and_opposite_comparisons_are_one_atom() {
    check(
        "byte x, y; active proctype main() { x = 1; y = 1 } \
         ltl { [] (x == 1 -> <> (x != 1 || y >= 2)) && [] (y < 2) }",
        "([] (p0 -> (<> ((!p0) || p1)))) && ([] (!p1))",
        2,
    );
}

#[test]
fn elements_of_an_array_are_told_apart() {
    check(
        "byte a[2]; active proctype main() { a[0] = a[1] } \
         ltl { [] (a[0] == 0) && <> (a[1] == 0) && [] true && <> (a[1] == 0) }",
        "((([] p0) && (<> p1)) && ([] true)) && (<> p1)",
        2,
    );
}

#[test]
fn channels_and_labels_are_conditions() {
    check(
        "chan q = [2] of { byte }; active proctype main() { q!1; there: q?_ } \
         ltl { [] (q?[1] -> <> main@there) && <> (q?[1]) && <> (q?[2]) }",
        "(([] (p0 -> (<> p1))) && (<> p0)) && (<> p2)",
        3,
    );
}
