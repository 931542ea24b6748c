//! Formulas of temporal logic, and on a run which part of one holds where.
//!
//! A run that violates a formula is a word: the states that the claim has seen. It ends in a cycle, or, for a safety
//! property, anywhere. Then what follows is not known, and a part of the formula may have no truth.

use super::meaning::Expr;

#[derive(Debug, PartialEq)]
pub(crate) enum Formula {
    /// With its number among the atoms of the formula.
    Atom(usize, Expr),
    Unary(Unary, Box<Formula>),
    Binary(Binary, Box<Formula>, Box<Formula>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Next,
    Always,
    Eventually,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    /// The right side holds up to the moment when the left one does too, which need not come.
    Release,
}

impl Unary {
    pub fn sign(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X",
            Unary::Always => "[]",
            Unary::Eventually => "<>",
        }
    }
}

impl Binary {
    pub fn sign(self) -> &'static str {
        match self {
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::Implies => "->",
            Binary::Equivalent => "<->",
            Binary::Until => "U",
            Binary::WeakUntil => "W",
            Binary::Release => "V",
        }
    }
}

impl Formula {
    /// Whether one state decides it.
    pub fn is_of_one_state(&self) -> bool {
        match self {
            Formula::Atom(..) => true,
            Formula::Unary(Unary::Not, of) => of.is_of_one_state(),
            Formula::Binary(Binary::And | Binary::Or | Binary::Implies | Binary::Equivalent, left, right) => {
                left.is_of_one_state() && right.is_of_one_state()
            }
            Formula::Unary(..) | Formula::Binary(..) => false,
        }
    }

    /// Its atoms by their numbers.
    pub fn atoms<'f>(&'f self, found: &mut Vec<&'f Expr>) {
        match self {
            Formula::Atom(_, expr) => found.push(expr),
            Formula::Unary(_, of) => of.atoms(found),
            Formula::Binary(_, left, right) => {
                left.atoms(found);
                right.atoms(found);
            }
        }
    }
}

/// The shape of a word, and the truth of atoms on it.
pub(super) struct Truths<'w> {
    /// For each state and each atom.
    pub atoms: &'w [Vec<Option<bool>>],
    /// The state that follows the last one.
    pub back: Option<usize>,
}

impl Truths<'_> {
    /// The state behind one.
    pub fn next(&self, at: usize) -> Option<usize> {
        if at + 1 < self.atoms.len() { Some(at + 1) } else { self.back }
    }

    /// Every state from one on, that one first.
    pub fn onwards(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.back.map_or(at, |back| back.min(at));
        (at..self.atoms.len()).chain(first..at)
    }

    /// Where a formula holds, if that is known.
    pub fn of(&self, formula: &Formula) -> Vec<Option<bool>> {
        match formula {
            Formula::Atom(number, _) => self.atoms.iter().map(|atoms| atoms.get(*number).copied().flatten()).collect(),
            Formula::Unary(op, of) => {
                let of = self.of(of);
                match op {
                    Unary::Not => of.into_iter().map(not).collect(),
                    Unary::Next => (0..of.len()).map(|at| self.next(at).and_then(|next| of[next])).collect(),
                    Unary::Always => self.fixed_point(true, |at, next| and(of[at], next)),
                    Unary::Eventually => self.fixed_point(false, |at, next| or(of[at], next)),
                }
            }
            Formula::Binary(op, left, right) => {
                let (left, right) = (self.of(left), self.of(right));
                let both = |of: fn(Option<bool>, Option<bool>) -> Option<bool>| {
                    left.iter().zip(&right).map(|(left, right)| of(*left, *right)).collect()
                };
                let until = |at: usize, next| or(right[at], and(left[at], next));
                match op {
                    Binary::And => both(and),
                    Binary::Or => both(or),
                    Binary::Implies => both(|left, right| or(not(left), right)),
                    Binary::Equivalent => both(|left, right| Some(left? == right?)),
                    Binary::Until => self.fixed_point(false, until),
                    Binary::WeakUntil => self.fixed_point(true, until),
                    Binary::Release => self.fixed_point(true, |at, next| and(right[at], or(left[at], next))),
                }
            }
        }
    }

    /// The truth in each state from that in the next one: the least solution on a cycle, or the `greatest`.
    fn fixed_point(&self, greatest: bool, of: impl Fn(usize, Option<bool>) -> Option<bool>) -> Vec<Option<bool>> {
        let n = self.atoms.len();
        let first = self.back.map(|_| greatest);
        let mut truths = vec![first; n];
        // The second round begins with the truth of the first state of the cycle from the first round.
        for _ in 0..2 {
            for at in (0..n).rev() {
                let next = self.next(at).and_then(|next| truths[next]);
                truths[at] = of(at, next);
            }
        }
        truths
    }
}

fn not(of: Option<bool>) -> Option<bool> {
    of.map(|of| !of)
}

fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    not(and(not(left), not(right)))
}
