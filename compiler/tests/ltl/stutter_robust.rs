//! Which automata are stutter-robust: reduced searches rely on it.

use pmc::ltl;

use crate::formulas::parse;

fn is_stutter_robust(formula: &str) -> bool {
    ltl::translate(&parse(formula).formula).unwrap_or_else(|error| panic!("{formula}: {error}")).is_stutter_robust
}

#[test]
fn automata_that_stay_where_they_are_while_nothing_changes_are_stutter_robust() {
    for formula in ["<> p", "[] p", "[] <> p", "<> [] p", "p U q", "[] (p -> <> q)", "[] (p -> (q U r))"] {
        assert!(is_stutter_robust(formula), "{formula}");
        assert!(is_stutter_robust(&format!("!({formula})")), "!({formula})");
    }
    // The claim of a formula with a fairness condition.
    assert!(is_stutter_robust("!(([] <> p) -> ([] <> q))"));
}

#[test]
fn automata_that_hurry_through_an_accepting_location_are_not() {
    // Where p and q hold, the automaton goes from waiting for q to an accepting location and on, and on again.
    assert!(!is_stutter_robust("([] <> p) && ([] <> q) && ([] <> r)"));
    // It counts to two while nothing changes.
    assert!(!is_stutter_robust("p && X p"));
}

#[test]
fn few_formulas_that_people_check_have_automata_that_are_not_stutter_robust() {
    let formulas = || include_str!("sizes.csv").lines().skip(1).filter_map(|line| line.split(',').nth(1));
    let n_others = formulas().filter(|formula| !is_stutter_robust(formula)).count();
    assert!(n_others * 20 < formulas().count(), "{n_others} of {}", formulas().count());
}
