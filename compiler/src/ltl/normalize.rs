//! From a formula as written to one in negation normal form.
//!
//! Negations are pushed down to the atoms, and `->`, `<->`, `[]`, `<>` and `W` are expressed by the remaining
//! operators. Every step uses the constructors of `rewrite`, so the result is simplified too.

use super::formula::Formula;
use super::nnf::{FormulaId, Formulas};

impl Formulas {
    pub fn normalize(&mut self, formula: &Formula) -> FormulaId {
        match formula {
            Formula::Constant(false) => Self::FALSE,
            Formula::Constant(true) => Self::TRUE,
            Formula::Atom(atom) => self.literal(*atom, true),
            Formula::Not(a) => {
                let a = self.normalize(a);
                self.not(a)
            }
            Formula::And(..) => {
                let operands = chain(formula, |f| if let Formula::And(a, b) = f { Some((a, b)) } else { None });
                let operands = operands.into_iter().map(|f| self.normalize(f)).collect();
                self.and(operands)
            }
            Formula::Or(..) => {
                let operands = chain(formula, |f| if let Formula::Or(a, b) = f { Some((a, b)) } else { None });
                let operands = operands.into_iter().map(|f| self.normalize(f)).collect();
                self.or(operands)
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.normalize(a), self.normalize(b));
                let not_a = self.not(a);
                self.or(vec![not_a, b])
            }
            Formula::Equivalent(a, b) => {
                let (a, b) = (self.normalize(a), self.normalize(b));
                let (not_a, not_b) = (self.not(a), self.not(b));
                let both = self.and(vec![a, b]);
                let neither = self.and(vec![not_a, not_b]);
                self.or(vec![both, neither])
            }
            Formula::Next(a) => {
                let a = self.normalize(a);
                self.next(a)
            }
            Formula::Always(a) => {
                let a = self.normalize(a);
                self.always(a)
            }
            Formula::Eventually(a) => {
                let a = self.normalize(a);
                self.eventually(a)
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.normalize(a), self.normalize(b));
                self.until(a, b)
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.normalize(a), self.normalize(b));
                let either = self.or(vec![a, b]);
                self.release(b, either)
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.normalize(a), self.normalize(b));
                self.release(a, b)
            }
        }
    }
}

/// The operands of a chain of one operator, left to right, however they are grouped: a long list is simplified once and
/// not at every link.
fn chain<'a>(
    formula: &'a Formula,
    operands_of: impl Fn(&'a Formula) -> Option<(&'a Formula, &'a Formula)>,
) -> Vec<&'a Formula> {
    let (mut operands, mut open) = (Vec::new(), vec![formula]);
    while let Some(formula) = open.pop() {
        match operands_of(formula) {
            Some((a, b)) => open.extend([b, a]),
            None => operands.push(formula),
        }
    }
    operands
}
