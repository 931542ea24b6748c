use super::formula::{Binary, Formula, Truths, Unary};
use super::meaning::Expr;

fn atom(number: usize) -> Box<Formula> {
    Box::new(Formula::Atom(number, Expr::Constant(1)))
}

fn unary(op: Unary, of: Box<Formula>) -> Box<Formula> {
    Box::new(Formula::Unary(op, of))
}

fn binary(op: Binary, left: Box<Formula>, right: Box<Formula>) -> Box<Formula> {
    Box::new(Formula::Binary(op, left, right))
}

/// The truth of a formula over `p` and `q` in each state: a word is `pq - p`, `-` a state without either, `?` one of which
/// nothing is known.
fn truths(formula: &Formula, word: &str, back: Option<usize>) -> String {
    let state = |state: &str| match state {
        "?" => vec![None, None],
        _ => vec![Some(state.contains('p')), Some(state.contains('q'))],
    };
    let atoms: Vec<Vec<Option<bool>>> = word.split(' ').map(state).collect();
    let shown = |truth: Option<bool>| truth.map_or('?', |truth| if truth { '1' } else { '0' });
    Truths { atoms: &atoms, back }.of(formula).into_iter().map(shown).collect()
}

#[test]
fn formulas_have_a_truth_in_every_state_of_a_lasso() {
    use self::{Binary::*, Unary::*};
    let (p, q) = (|| atom(0), || atom(1));
    let lasso = |formula: &Formula| truths(formula, "p pq - p q", Some(2));
    assert_eq!(lasso(&p()), "11010");
    assert_eq!(lasso(&unary(Not, p())), "00101");
    assert_eq!(lasso(&unary(Next, p())), "10100");
    assert_eq!(lasso(&unary(Eventually, binary(And, p(), q()))), "11000");
    assert_eq!(lasso(&unary(Always, unary(Eventually, q()))), "11111");
    assert_eq!(lasso(&unary(Eventually, unary(Always, q()))), "00000");
    assert_eq!(lasso(&binary(Until, p(), q())), "11011");
    assert_eq!(lasso(&binary(Implies, q(), unary(Next, unary(Not, q())))), "11111");
    assert_eq!(lasso(&binary(Equivalent, p(), q())), "01100");
    assert_eq!(lasso(&binary(Or, p(), q())), "11011");
}

#[test]
fn what_need_not_come_is_weak() {
    use self::{Binary::*, Unary::*};
    let always_p = |formula: &Formula| truths(formula, "p p", Some(0));
    assert_eq!(always_p(&binary(Until, atom(0), atom(1))), "00");
    assert_eq!(always_p(&binary(WeakUntil, atom(0), atom(1))), "11");
    assert_eq!(always_p(&binary(Release, atom(1), atom(0))), "11");
    assert_eq!(truths(&binary(Release, atom(0), atom(1)), "q pq - q", Some(3)), "1101");
    assert_eq!(always_p(&unary(Eventually, atom(1))), "00");
}

#[test]
fn behind_the_end_of_a_finite_run_anything_may_come() {
    use self::{Binary::*, Unary::*};
    let finite = |formula: &Formula| truths(formula, "p p -", None);
    assert_eq!(finite(&unary(Always, atom(0))), "000");
    assert_eq!(finite(&unary(Eventually, atom(1))), "???");
    assert_eq!(finite(&unary(Eventually, atom(0))), "11?");
    assert_eq!(finite(&binary(Until, atom(0), atom(1))), "000");
    assert_eq!(finite(&unary(Next, atom(0))), "10?");
}

#[test]
fn what_is_not_known_is_not_guessed() {
    use self::{Binary::*, Unary::*};
    assert_eq!(truths(&unary(Always, atom(0)), "p ? p", Some(0)), "???");
    assert_eq!(truths(&unary(Eventually, atom(0)), "p ? p", Some(1)), "111");
    assert_eq!(truths(&binary(And, atom(0), atom(1)), "p ? p", Some(0)), "0?0");
}

#[test]
fn one_state_decides_a_formula_without_time() {
    let state = binary(Binary::Implies, atom(0), unary(Unary::Not, atom(1)));
    assert!(state.is_of_one_state());
    assert!(!unary(Unary::Not, unary(Unary::Next, state)).is_of_one_state());
    let (until, mut atoms) = (binary(Binary::Until, atom(0), atom(1)), Vec::new());
    until.atoms(&mut atoms);
    assert_eq!(atoms.len(), 2);
}
