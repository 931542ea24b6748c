//! The semantics of a formula, straight from the definition.
//!
//! The truth of a temporal operator in a state follows from the truth of its parts there and from its own truth in the
//! next state: `[] p` is `p` now and `[] p` next. Of all assignments of truth values along a run that obey these rules,
//! exactly one does not postpone anything forever (`<> p` because of `<> p` next, and so on): the one of the
//! definition.

use pmc::model::{Expr, Formula};

/// A formula's parts, each behind its own parts; the formula itself is the last.
#[derive(Debug)]
pub struct Parts<'f> {
    parts: Vec<Part<'f>>,
    /// The temporal ones.
    temporal: Vec<usize>,
    pub atoms: Vec<&'f Expr>,
}

#[derive(Debug)]
enum Part<'f> {
    /// By its number among the atoms.
    Atom(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Implies(usize, usize),
    Equivalent(usize, usize),
    Temporal(&'f Formula, usize, usize),
}

impl<'f> Parts<'f> {
    pub fn of(formula: &'f Formula) -> Self {
        let mut parts = Self { parts: Vec::new(), temporal: Vec::new(), atoms: Vec::new() };
        parts.add(formula);
        parts
    }

    fn add(&mut self, formula: &'f Formula) -> usize {
        let part = match formula {
            Formula::Atom(expr) => {
                self.atoms.push(expr);
                Part::Atom(self.atoms.len() - 1)
            }
            Formula::Not(a) => Part::Not(self.add(a)),
            Formula::And(a, b) => Part::And(self.add(a), self.add(b)),
            Formula::Or(a, b) => Part::Or(self.add(a), self.add(b)),
            Formula::Implies(a, b) => Part::Implies(self.add(a), self.add(b)),
            Formula::Equivalent(a, b) => Part::Equivalent(self.add(a), self.add(b)),
            Formula::Next(a) | Formula::Always(a) | Formula::Eventually(a) => {
                let a = self.add(a);
                Part::Temporal(formula, a, a)
            }
            Formula::Until(a, b) | Formula::WeakUntil(a, b) | Formula::Release(a, b) => {
                Part::Temporal(formula, self.add(a), self.add(b))
            }
        };
        if matches!(part, Part::Temporal(..)) {
            self.temporal.push(self.parts.len());
        }
        self.parts.push(part);
        self.parts.len() - 1
    }

    pub fn n_temporal(&self) -> usize {
        self.temporal.len()
    }

    /// The truth of every part in a state, from the truth of the atoms there and
    /// of every part in the next state.
    pub fn before(&self, atoms: &[bool], next: &[bool]) -> Vec<bool> {
        self.fill(atoms, |now, number, formula, a, b| match formula {
            Formula::Next(_) => next[a],
            Formula::Always(_) => now[a] && next[number],
            Formula::Eventually(_) => now[a] || next[number],
            Formula::Until(..) | Formula::WeakUntil(..) => now[b] || (now[a] && next[number]),
            Formula::Release(..) => now[b] && (now[a] || next[number]),
            _ => unreachable!("only temporal operators are asked about"),
        })
    }

    /// The truth of every part, when that of the temporal ones is given, a bit each.
    pub fn values(&self, atoms: &[bool], guess: usize) -> Vec<bool> {
        let bit = |part: usize| self.temporal.iter().position(|temporal| *temporal == part).unwrap_or(0);
        self.fill(atoms, |_, number, _, _, _| guess >> bit(number) & 1 == 1)
    }

    /// The truth of the temporal parts as bits.
    pub fn guess(&self, values: &[bool]) -> usize {
        self.temporal.iter().enumerate().map(|(bit, part)| usize::from(values[*part]) << bit).sum()
    }

    fn fill(&self, atoms: &[bool], temporal: impl Fn(&[bool], usize, &Formula, usize, usize) -> bool) -> Vec<bool> {
        let mut now: Vec<bool> = Vec::with_capacity(self.parts.len());
        for (number, part) in self.parts.iter().enumerate() {
            now.push(match *part {
                Part::Atom(atom) => atoms[atom],
                Part::Not(a) => !now[a],
                Part::And(a, b) => now[a] && now[b],
                Part::Or(a, b) => now[a] || now[b],
                Part::Implies(a, b) => !now[a] || now[b],
                Part::Equivalent(a, b) => now[a] == now[b],
                Part::Temporal(formula, a, b) => temporal(&now, number, formula, a, b),
            });
        }
        now
    }

    /// Whether the whole formula is true.
    pub fn whole(&self, values: &[bool]) -> bool {
        values.last().copied().unwrap_or(true)
    }

    /// For each temporal part a bit: set if nothing is postponed in this state. `<> p` is postponed while it is true
    /// and `p` is not; that `[] p` is false is postponed while `p` is true. An assignment along a run is that of the
    /// definition if and only if each bit is set infinitely often.
    pub fn settled(&self, values: &[bool]) -> u64 {
        let mut bits = 0;
        for (bit, &number) in self.temporal.iter().enumerate() {
            let Part::Temporal(formula, a, b) = self.parts[number] else { continue };
            let is_settled = match formula {
                Formula::Always(_) => values[number] || !values[a],
                Formula::Eventually(_) | Formula::Until(..) => !values[number] || values[b],
                Formula::WeakUntil(..) => values[number] || (!values[a] && !values[b]),
                Formula::Release(..) => values[number] || !values[b],
                _ => true,
            };
            bits |= u64::from(is_settled) << bit;
        }
        bits
    }

    /// Whether the formula holds on the run through these states, of which the
    /// last is followed by number `back`. Each state is given by its atoms.
    pub fn hold_on(&self, states: &[Vec<bool>], back: usize) -> bool {
        let after = |n: usize| if n + 1 < states.len() { n + 1 } else { back };
        let mut truth: Vec<Vec<bool>> = vec![Vec::new(); states.len()];
        for part in &self.parts {
            let number = truth.first().map_or(0, Vec::len);
            let start =
                matches!(part, Part::Temporal(Formula::Always(_) | Formula::WeakUntil(..) | Formula::Release(..), ..));
            truth.iter_mut().for_each(|values| values.push(start));
            // From the end to the beginning, and once more for what comes round the loop.
            for n in (0..states.len()).rev().chain((0..states.len()).rev()) {
                let (now, next) = (&truth[n], &truth[after(n)]);
                let value = match *part {
                    Part::Atom(atom) => states[n][atom],
                    Part::Not(a) => !now[a],
                    Part::And(a, b) => now[a] && now[b],
                    Part::Or(a, b) => now[a] || now[b],
                    Part::Implies(a, b) => !now[a] || now[b],
                    Part::Equivalent(a, b) => now[a] == now[b],
                    Part::Temporal(Formula::Next(_), a, _) => next[a],
                    Part::Temporal(Formula::Always(_), a, _) => now[a] && next[number],
                    Part::Temporal(Formula::Eventually(_), a, _) => now[a] || next[number],
                    Part::Temporal(Formula::Release(..), a, b) => now[b] && (now[a] || next[number]),
                    Part::Temporal(_, a, b) => now[b] || (now[a] && next[number]),
                };
                truth[n][number] = value;
            }
        }
        truth.first().is_none_or(|values| self.whole(values))
    }
}
