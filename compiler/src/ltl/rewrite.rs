//! Simplifies formulas while they are built.
//!
//! A shorter formula gives a smaller automaton, and a rule here is cheaper than the same reduction of the graph. The
//! constructors below take simplified operands and give a simplified result. Rules are stated for `&&` and `U`; those
//! for `||` and `V` are their duals and are obtained by negating twice.
//!
//! The rules are from Etessami, Holzmann: Optimizing Büchi automata, 2000;
//! Somenzi, Bloem: Efficient Büchi automata from LTL formulae, 2000; Babiak,
//! Křetínský, Řehák, Strejček: LTL to Büchi automata translation: fast and more
//! deterministic, 2012.

use crate::collections::Lookup;

use super::nnf::{FormulaId, Formulas, NnfNode, SyntacticClass};

/// In longer lists operands are not compared pairwise.
const MOST_PAIRED: usize = 100;

impl Formulas {
    pub fn or(&mut self, operands: Vec<FormulaId>) -> FormulaId {
        let negated = operands.into_iter().map(|f| self.not(f)).collect();
        let result = self.and(negated);
        self.not(result)
    }

    pub fn release(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let (a, b) = (self.not(a), self.not(b));
        let result = self.until(a, b);
        self.not(result)
    }

    pub fn eventually(&mut self, a: FormulaId) -> FormulaId {
        self.until(Self::TRUE, a)
    }

    pub fn always(&mut self, a: FormulaId) -> FormulaId {
        self.release(Self::FALSE, a)
    }

    pub fn next(&mut self, a: FormulaId) -> FormulaId {
        // This includes true and false.
        if self.shape(a).is_suspendable() { a } else { self.intern(NnfNode::Next(a)) }
    }

    pub fn and(&mut self, operands: Vec<FormulaId>) -> FormulaId {
        let mut list: Vec<_> = operands.into_iter().flat_map(|f| self.conjuncts(f)).collect();
        loop {
            list.sort_unstable();
            list.dedup();
            list.retain(|f| *f != Self::TRUE);
            if list.contains(&Self::FALSE) {
                return Self::FALSE;
            }
            let Some(shorter) = self.joined(&list) else { break };
            list = shorter.into_iter().flat_map(|f| self.conjuncts(f)).collect();
        }
        if self.is_contradictory(&list) {
            return Self::FALSE;
        }
        self.drop_implied(&mut list);
        if let Some(simpler) = self.assume_invariants(&list) {
            return self.and(simpler);
        }
        match list[..] {
            [] => Self::TRUE,
            [only] => only,
            _ => self.intern(NnfNode::And(list.into_boxed_slice())),
        }
    }

    /// Merges two operands, if some pair can be merged.
    fn joined(&mut self, list: &[FormulaId]) -> Option<Vec<FormulaId>> {
        // The first operand with a given key, by which partners are found.
        let mut partners: Lookup<Partner, usize> = Lookup::new();
        for (position, formula) in list.iter().enumerate() {
            for partner in self.partners(*formula) {
                if let Some(first) = partners.get(&partner) {
                    let one = self.join(list[*first], *formula, partner);
                    let mut shorter = list.to_vec();
                    shorter[*first] = one;
                    shorter.remove(position);
                    return Some(shorter);
                }
                partners.insert(partner, position);
            }
        }
        None
    }

    fn partners(&self, formula: FormulaId) -> Vec<Partner> {
        match self.node(formula) {
            NnfNode::Next(_) => vec![Partner::Next],
            NnfNode::Release(a, _) if self.shape(formula).is_suspendable() => {
                vec![Partner::Releasing(*a), Partner::FinallyAlways]
            }
            NnfNode::Release(a, _) => vec![Partner::Releasing(*a)],
            NnfNode::Until(Self::TRUE, b) if self.always_of(*b).is_some() => vec![Partner::FinallyAlways],
            NnfNode::Until(_, b) => vec![Partner::Awaiting(*b)],
            _ => Vec::new(),
        }
    }

    fn join(&mut self, f: FormulaId, g: FormulaId, partner: Partner) -> FormulaId {
        match (self.node(f).clone(), self.node(g).clone(), partner) {
            // X a && X b == X (a && b)
            (NnfNode::Next(a), NnfNode::Next(b), Partner::Next) => {
                let both = self.and(vec![a, b]);
                self.next(both)
            }
            // (a V b) && (a V c) == a V (b && c), and [] a && [] b with it
            (NnfNode::Release(a, b), NnfNode::Release(_, c), Partner::Releasing(_)) => {
                let both = self.and(vec![b, c]);
                self.release(a, both)
            }
            // <> [] a && <> [] b == <> [] (a && b), and <> [] a && [] <> b == <> [] (a && <> b): a suspendable formula
            // may as well be required later
            (_, _, Partner::FinallyAlways) => {
                let always = [f, g].map(|part| match self.node(part) {
                    NnfNode::Until(_, always) => *always,
                    _ => part,
                });
                let both = self.and(always.to_vec());
                self.eventually(both)
            }
            // (a U b) && (c U b) == (a && c) U b
            (NnfNode::Until(a, b), NnfNode::Until(c, _), Partner::Awaiting(_)) => {
                let both = self.and(vec![a, c]);
                self.until(both, b)
            }
            _ => unreachable!("partners are found by their operators"),
        }
    }

    fn is_contradictory(&mut self, list: &[FormulaId]) -> bool {
        let is_long = list.len() > MOST_PAIRED;
        list.iter().enumerate().any(|(position, f)| {
            let negated = self.not(*f);
            let is_there = list.binary_search(&negated).is_ok();
            is_there || (!is_long && list[..position].iter().any(|g| self.surely_implies(*g, negated)))
        })
    }

    fn drop_implied(&mut self, list: &mut Vec<FormulaId>) {
        let mut position = 0;
        while position < list.len() && list.len() <= MOST_PAIRED {
            let f = list[position];
            if (0..list.len()).any(|other| other != position && self.surely_implies(list[other], f)) {
                list.remove(position);
            } else {
                position += 1;
            }
        }
    }

    /// Beside `[] a`, `a` is true at every moment, so that the other operands can be simplified. `None` if nothing
    /// changes.
    fn assume_invariants(&mut self, list: &[FormulaId]) -> Option<Vec<FormulaId>> {
        for (position, f) in list.iter().enumerate() {
            let Some(invariant) = self.always_of(*f) else { continue };
            let mut known = Lookup::new();
            for part in self.conjuncts(invariant) {
                known.insert(part, Self::TRUE);
                known.insert(self.not(part), Self::FALSE);
            }
            known.insert(invariant, Self::TRUE);
            let simpler: Vec<_> = (list.iter().enumerate())
                .map(|(other, g)| if other == position { *g } else { self.replace(*g, &mut known) })
                .collect();
            if simpler != list {
                return Some(simpler);
            }
        }
        None
    }

    fn replace(&mut self, formula: FormulaId, known: &mut Lookup<FormulaId, FormulaId>) -> FormulaId {
        if let Some(replaced) = known.get(&formula) {
            return *replaced;
        }
        let replaced = match self.node(formula).clone() {
            NnfNode::False | NnfNode::True | NnfNode::Literal { .. } => formula,
            NnfNode::And(operands) => {
                let operands = operands.iter().map(|f| self.replace(*f, known)).collect();
                self.and(operands)
            }
            NnfNode::Or(operands) => {
                let operands = operands.iter().map(|f| self.replace(*f, known)).collect();
                self.or(operands)
            }
            NnfNode::Next(a) => {
                let a = self.replace(a, known);
                self.next(a)
            }
            NnfNode::Until(a, b) => {
                let (a, b) = (self.replace(a, known), self.replace(b, known));
                self.until(a, b)
            }
            NnfNode::Release(a, b) => {
                let (a, b) = (self.replace(a, known), self.replace(b, known));
                self.release(a, b)
            }
        };
        known.insert(formula, replaced);
        replaced
    }

    pub fn until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        // Only the right operand counts: it is a pure eventuality, or the left operand implies it.
        if self.shape(b).eventual || self.surely_implies(a, b) {
            return b;
        }
        // At every moment one of the two operands holds.
        let not_b = self.not(b);
        if a != Self::TRUE && self.surely_implies(not_b, a) {
            return self.eventually(b);
        }
        self.until_by_goal(a, b)
            .or_else(|| self.until_by_waiting(a, b))
            .unwrap_or_else(|| self.intern(NnfNode::Until(a, b)))
    }

    /// Rules about the right operand of `U`.
    fn until_by_goal(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        match self.node(b).clone() {
            // a U (c U d) == c U d if a implies c, and == a U d if c implies a
            NnfNode::Until(c, _) if self.surely_implies(a, c) => Some(b),
            NnfNode::Until(c, d) if self.surely_implies(c, a) => Some(self.until(a, d)),
            // <> (b || e) == <> b || e where e is a pure eventuality
            NnfNode::Or(operands) if a == Self::TRUE => {
                let (eventual, rest) = self.part(&operands, |shape| shape.eventual)?;
                let rest = self.or(rest);
                let until = self.until(a, rest);
                Some(self.or([eventual, vec![until]].concat()))
            }
            // a U (b && s) == (a U b) && s where s is suspendable
            NnfNode::And(operands) => {
                let (suspendable, rest) = self.part(&operands, SyntacticClass::is_suspendable)?;
                let rest = self.and(rest);
                let until = self.until(a, rest);
                Some(self.and([suspendable, vec![until]].concat()))
            }
            NnfNode::Next(d) => {
                // X c U X d == X (c U d), and <> X d with it
                let c = match self.node(a) {
                    NnfNode::Next(c) => *c,
                    _ if self.shape(a).is_suspendable() => a,
                    _ => return None,
                };
                let until = self.until(c, d);
                Some(self.next(until))
            }
            NnfNode::False
            | NnfNode::True
            | NnfNode::Literal { .. }
            | NnfNode::Or(_)
            | NnfNode::Until(..)
            | NnfNode::Release(..) => None,
        }
    }

    /// Rules about the left operand of `U`.
    fn until_by_waiting(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        match self.node(a).clone() {
            // (c U b) U b == c U b
            NnfNode::Until(_, d) if d == b => Some(a),
            // (a || c) U b == a U b if c implies b: before b, c does not hold
            NnfNode::Or(operands) => {
                let waiting: Vec<_> = operands.iter().copied().filter(|c| !self.surely_implies(*c, b)).collect();
                if waiting.len() == operands.len() {
                    return None;
                }
                let waiting = self.or(waiting);
                Some(self.until(waiting, b))
            }
            _ => None,
        }
    }

    /// The operands of a syntactic class and the rest, if there are both.
    fn part(
        &self,
        operands: &[FormulaId],
        wanted: impl Fn(SyntacticClass) -> bool,
    ) -> Option<(Vec<FormulaId>, Vec<FormulaId>)> {
        let (yes, no): (Vec<_>, Vec<_>) = operands.iter().copied().partition(|f| wanted(self.shape(*f)));
        (!yes.is_empty() && !no.is_empty()).then_some((yes, no))
    }
}

/// What two operands of `&&` have in common, so that they can be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Partner {
    Next,
    /// `a V _`
    Releasing(FormulaId),
    /// `<> [] _`
    FinallyAlways,
    /// `_ U b`
    Awaiting(FormulaId),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::formula::AtomId;

    /// Formulas over p and q, to be compared by number.
    fn check(make: impl Fn(&mut Formulas, FormulaId, FormulaId) -> (FormulaId, FormulaId)) {
        let mut f = Formulas::new();
        let p = f.literal(AtomId(0), true);
        let q = f.literal(AtomId(1), true);
        let (given, expected) = make(&mut f, p, q);
        assert_eq!(given, expected, "{:?} and {:?}", f.node(given), f.node(expected));
        let (given, expected) = (f.not(given), f.not(expected));
        assert_eq!(given, expected);
    }

    #[test]
    fn waiting_for_what_reaches_back_is_not_needed() {
        check(|f, p, q| {
            let eventually = f.eventually(q);
            (f.until(p, eventually), eventually)
        });
    }

    #[test]
    fn an_invariant_is_assumed_elsewhere() {
        check(|f, p, q| {
            let always = f.always(p);
            let until = f.until(p, q);
            let eventually = f.eventually(q);
            (f.and(vec![always, until]), f.and(vec![always, eventually]))
        });
    }

    #[test]
    fn recurrence_or_persistence_is_one_recurrence() {
        check(|f, p, q| {
            let eventually = f.eventually(p);
            let recurrent = f.always(eventually);
            let always = f.always(q);
            let persistent = f.eventually(always);
            let either = f.or(vec![p, always]);
            let either = f.eventually(either);
            (f.or(vec![recurrent, persistent]), f.always(either))
        });
    }

    #[test]
    fn contradictions_are_seen_across_operators() {
        check(|f, p, q| {
            let always = f.always(p);
            let not_p = f.not(p);
            let until = f.until(q, not_p);
            (f.and(vec![always, until]), Formulas::FALSE)
        });
    }

    #[test]
    fn next_leaves_what_holds_always_or_never() {
        check(|f, p, _| {
            let eventually = f.eventually(p);
            let recurrent = f.always(eventually);
            (f.next(recurrent), recurrent)
        });
    }
}
