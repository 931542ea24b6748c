//! Implication between formulas, as far as their form shows it.
//!
//! Deciding implication in general is as hard as checking a model. These rules
//! (Somenzi, Bloem: Efficient Büchi automata from LTL formulae, 2000) look at
//! both formulas side by side; a "no" means nothing.

use super::nnf::{FormulaId, Formulas, NnfNode};

/// Beyond this many comparisons every further answer is "no", so that formulas of thousands of operators are still
/// translated.
const MOST_COMPARISONS: usize = 200_000;

impl Formulas {
    /// True only if every word that satisfies `f` satisfies `g`.
    pub fn surely_implies(&mut self, f: FormulaId, g: FormulaId) -> bool {
        if f == g || f == Self::FALSE || g == Self::TRUE {
            return true;
        }
        if f == Self::TRUE || g == Self::FALSE {
            return false;
        }
        if let Some(known) = self.implications.get(&(f, g)) {
            return *known;
        }
        if self.implications.len() >= MOST_COMPARISONS {
            return false;
        }
        let answer = self.is_contained(f, g) || self.splits(f, g);
        self.implications.insert((f, g), answer);
        answer
    }

    /// The rules about the operators of both formulas.
    fn is_contained(&mut self, f: FormulaId, g: FormulaId) -> bool {
        let (f_shape, g_shape) = (self.shape(f), self.shape(g));
        match (self.node(f).clone(), self.node(g).clone()) {
            (NnfNode::Until(a, b), NnfNode::Until(c, d)) if self.surely_implies(a, c) && self.surely_implies(b, d) => {
                true
            }
            (NnfNode::Release(a, b), NnfNode::Release(c, d))
                if self.surely_implies(a, c) && self.surely_implies(b, d) =>
            {
                true
            }
            (NnfNode::Next(a), NnfNode::Next(b)) => self.surely_implies(a, b),
            // `f` holds forever, so it is enough that it implies what `g` requires at each moment.
            (_, NnfNode::Release(_, d)) if f_shape.universal && self.surely_implies(f, d) => true,
            (_, NnfNode::Next(b)) if f_shape.universal && self.surely_implies(f, b) => true,
            // It is enough to imply `g` later, because `g` is a pure eventuality.
            (NnfNode::Until(_, b), _) if g_shape.eventual && self.surely_implies(b, g) => true,
            (NnfNode::Next(a), _) if g_shape.eventual && self.surely_implies(a, g) => true,
            _ => false,
        }
    }

    /// The rules that decompose one side.
    fn splits(&mut self, f: FormulaId, g: FormulaId) -> bool {
        let by_right = match self.node(g).clone() {
            NnfNode::And(operands) => return operands.iter().all(|o| self.surely_implies(f, *o)),
            NnfNode::Or(operands) => operands.iter().any(|o| self.surely_implies(f, *o)),
            NnfNode::Until(_, d) => self.surely_implies(f, d),
            NnfNode::Release(c, d) => self.surely_implies(f, c) && self.surely_implies(f, d),
            NnfNode::False | NnfNode::True | NnfNode::Literal { .. } | NnfNode::Next(_) => false,
        };
        by_right
            || match self.node(f).clone() {
                NnfNode::Or(operands) => operands.iter().all(|o| self.surely_implies(*o, g)),
                NnfNode::And(operands) => operands.iter().any(|o| self.surely_implies(*o, g)),
                NnfNode::Until(a, b) => self.surely_implies(a, g) && self.surely_implies(b, g),
                NnfNode::Release(_, b) => self.surely_implies(b, g),
                NnfNode::False | NnfNode::True | NnfNode::Literal { .. } | NnfNode::Next(_) => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::formula::AtomId;

    #[test]
    fn always_implies_until_implies_eventually() {
        let mut f = Formulas::new();
        let p = f.literal(AtomId(0), true);
        let q = f.literal(AtomId(1), true);
        let always = f.intern(NnfNode::Release(Formulas::FALSE, q));
        let until = f.intern(NnfNode::Until(p, q));
        let eventually = f.intern(NnfNode::Until(Formulas::TRUE, q));
        assert!(f.surely_implies(always, until));
        assert!(f.surely_implies(until, eventually));
        assert!(f.surely_implies(always, eventually));
        assert!(!f.surely_implies(eventually, until));
    }
}
