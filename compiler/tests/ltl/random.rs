//! Random formulas and words from a seed, the same on every machine.

use pmc::ltl::formula::{AtomId, Formula};

use crate::lasso::Lasso;

/// Marsaglia's xorshift: small, and good enough to pick formulas.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from((self.0 >> 33) % u64::from(bound)).expect("smaller than the bound")
    }

    /// A formula with `size` operators and atoms, more or less.
    pub fn formula(&mut self, size: u32, n_atoms: u32, with_next: bool) -> Formula {
        if size <= 1 {
            return match self.below(12) {
                0 => Formula::Constant(self.below(2) == 0),
                _ => Formula::Atom(AtomId(self.below(n_atoms))),
            };
        }
        match self.below(if with_next { 13 } else { 12 }) {
            0 | 1 => Formula::Not(self.operand(size - 1, n_atoms, with_next)),
            2 => Formula::Always(self.operand(size - 1, n_atoms, with_next)),
            3 => Formula::Eventually(self.operand(size - 1, n_atoms, with_next)),
            12 => Formula::Next(self.operand(size - 1, n_atoms, with_next)),
            operator => {
                let left = 1 + self.below((size - 1).max(1));
                let a = self.operand(left.min(size - 1), n_atoms, with_next);
                let b = self.operand((size - 1).saturating_sub(left).max(1), n_atoms, with_next);
                match operator {
                    4 | 5 => Formula::And(a, b),
                    6 | 7 => Formula::Or(a, b),
                    8 => Formula::Implies(a, b),
                    9 => Formula::Until(a, b),
                    10 => Formula::Release(a, b),
                    _ if self.below(2) == 0 => Formula::WeakUntil(a, b),
                    _ => Formula::Equivalent(a, b),
                }
            }
        }
    }

    fn operand(&mut self, size: u32, n_atoms: u32, with_next: bool) -> Box<Formula> {
        Box::new(self.formula(size, n_atoms, with_next))
    }

    pub fn lasso(&mut self, n_atoms: u32) -> Lasso {
        let prefix = self.below(5) as usize;
        let cycle = 1 + self.below(4) as usize;
        Lasso { letters: (0..prefix + cycle).map(|_| self.below(1 << n_atoms)).collect(), cycle_start: prefix }
    }
}
