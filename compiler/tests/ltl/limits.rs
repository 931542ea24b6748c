//! Large formulas: either an automaton or a reason why there is none.

use pmc::ltl::formula::{AtomId, Formula};
use pmc::ltl::{self, TooLarge};

type Operator = fn(Box<Formula>, Box<Formula>) -> Formula;

fn joined(operator: Operator, n: u32, operand: impl Fn(Formula) -> Formula) -> Formula {
    let operand = |number| operand(Formula::Atom(AtomId(number)));
    (1..n).fold(operand(0), |all, number| operator(Box::new(all), Box::new(operand(number))))
}

fn always_eventually(formula: Formula) -> Formula {
    Formula::Always(Box::new(Formula::Eventually(Box::new(formula))))
}

#[test]
fn a_long_conjunction_of_atoms_is_one_guard() {
    let claim = ltl::translate(&joined(Formula::And, 1000, |atom| atom)).expect("two states");
    assert_eq!(claim.buchi.locations.len(), 2);
}

#[test]
fn a_long_chain_of_untils_is_linear() {
    let atom = |number| Formula::Atom(AtomId(number));
    let chain = (0..20).rev().fold(atom(20), |rest, number| Formula::Until(Box::new(atom(number)), Box::new(rest)));
    let claim = ltl::translate(&chain).expect("a state for each until");
    assert_eq!(claim.buchi.locations.len(), 21);
}

#[test]
fn eventualities_in_any_order_are_too_many_to_remember() {
    let all = joined(Formula::And, 40, |atom| Formula::Eventually(Box::new(atom)));
    assert!(ltl::translate(&all).is_err());
}

#[test]
fn recurrences_are_limited_by_their_combinations() {
    let few = joined(Formula::And, 6, always_eventually);
    let claim = ltl::translate(&few).expect("a level for each");
    assert_eq!((claim.generalized.locations.len(), claim.buchi.locations.len()), (1, 7));
    let many = joined(Formula::And, 70, always_eventually);
    assert!(matches!(ltl::translate(&many), Err(TooLarge::AcceptanceSets | TooLarge::Guards)));
}
