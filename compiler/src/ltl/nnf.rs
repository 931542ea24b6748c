//! Hash-consed formulas in negation normal form.
//!
//! Only atoms are negated, and the temporal operators are `X`, `U` and `V`;
//! `<> a` is `true U a` and `[] a` is `false V a`. Equal formulas have equal
//! numbers, whatever the order of their operands, so that a formula can be a key.

use crate::collections::{Id, IdVec, Lookup};
use crate::ids;

use super::formula::AtomId;

ids! {
    /// A formula of [`Formulas`].
    FormulaId;
}

/// Operands of `And` and `Or` are ascending, at least two, and never of the
/// same operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NnfNode {
    False,
    True,
    Literal { atom: AtomId, positive: bool },
    And(Box<[FormulaId]>),
    Or(Box<[FormulaId]>),
    Next(FormulaId),
    Until(FormulaId, FormulaId),
    Release(FormulaId, FormulaId),
}

/// Syntactic classes of formulas (Etessami, Holzmann: Optimizing Büchi automata, 2000). They may miss a case but are
/// never wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntacticClass {
    /// If it holds at some later moment then it holds now: `<> a`.
    pub eventual: bool,
    /// If it holds now then it holds at every later moment: `[] a`.
    pub universal: bool,
}

impl SyntacticClass {
    /// It holds always or never: `[] <> a`.
    pub fn is_suspendable(self) -> bool {
        self.eventual && self.universal
    }

    fn both(self, other: Self) -> Self {
        Self { eventual: self.eventual && other.eventual, universal: self.universal && other.universal }
    }
}

/// Every formula made so far, and what is known about each.
pub struct Formulas {
    nodes: IdVec<FormulaId, NnfNode>,
    shapes: IdVec<FormulaId, SyntacticClass>,
    negations: IdVec<FormulaId, Option<FormulaId>>,
    numbers: Lookup<NnfNode, FormulaId>,
    pub(super) implications: Lookup<(FormulaId, FormulaId), bool>,
}

impl Formulas {
    pub const FALSE: FormulaId = FormulaId(0);
    pub const TRUE: FormulaId = FormulaId(1);

    pub fn new() -> Self {
        let mut formulas = Self {
            nodes: IdVec::new(),
            shapes: IdVec::new(),
            negations: IdVec::new(),
            numbers: Lookup::new(),
            implications: Lookup::new(),
        };
        formulas.intern(NnfNode::False);
        formulas.intern(NnfNode::True);
        formulas
    }

    pub fn node(&self, formula: FormulaId) -> &NnfNode {
        &self.nodes[formula]
    }

    pub fn shape(&self, formula: FormulaId) -> SyntacticClass {
        self.shapes[formula]
    }

    pub fn literal(&mut self, atom: AtomId, positive: bool) -> FormulaId {
        self.intern(NnfNode::Literal { atom, positive })
    }

    /// The operand of `[]`, if it is one.
    pub fn always_of(&self, formula: FormulaId) -> Option<FormulaId> {
        match self.node(formula) {
            NnfNode::Release(Self::FALSE, operand) => Some(*operand),
            _ => None,
        }
    }

    /// The conjuncts: the operands of an `And`, or the formula itself.
    pub fn conjuncts(&self, formula: FormulaId) -> Vec<FormulaId> {
        match self.node(formula) {
            NnfNode::And(operands) => operands.to_vec(),
            _ => vec![formula],
        }
    }

    /// Whether `X` occurs in it.
    pub fn has_next(&self, formula: FormulaId) -> bool {
        let mut seen: IdVec<FormulaId, bool> = self.nodes.ids().map(|_| false).collect();
        let mut open = vec![formula];
        while let Some(formula) = open.pop() {
            if std::mem::replace(&mut seen[formula], true) {
                continue;
            }
            match self.node(formula) {
                NnfNode::Next(_) => return true,
                NnfNode::False | NnfNode::True | NnfNode::Literal { .. } => {}
                NnfNode::And(operands) | NnfNode::Or(operands) => open.extend(operands.iter()),
                NnfNode::Until(a, b) | NnfNode::Release(a, b) => open.extend([a, b]),
            }
        }
        false
    }

    /// The number of a formula that is already simplified.
    pub(super) fn intern(&mut self, node: NnfNode) -> FormulaId {
        if let Some(known) = self.numbers.get(&node) {
            return *known;
        }
        let shape = self.shape_of(&node);
        let id = self.nodes.push(node.clone());
        self.shapes.push(shape);
        self.negations.push(None);
        self.numbers.insert(node, id);
        id
    }

    fn shape_of(&self, node: &NnfNode) -> SyntacticClass {
        match node {
            NnfNode::False | NnfNode::True => SyntacticClass { eventual: true, universal: true },
            NnfNode::Literal { .. } => SyntacticClass { eventual: false, universal: false },
            NnfNode::And(operands) | NnfNode::Or(operands) => operands
                .iter()
                .map(|f| self.shape(*f))
                .fold(SyntacticClass { eventual: true, universal: true }, SyntacticClass::both),
            NnfNode::Next(a) => self.shape(*a),
            NnfNode::Until(a, b) => {
                let both = self.shape(*a).both(self.shape(*b));
                let eventual = *a == Self::TRUE || self.shape(*b).eventual;
                SyntacticClass { eventual, universal: both.universal || (*a == Self::TRUE && self.shape(*b).universal) }
            }
            NnfNode::Release(a, b) => {
                let both = self.shape(*a).both(self.shape(*b));
                let universal = *a == Self::FALSE || self.shape(*b).universal;
                SyntacticClass { universal, eventual: both.eventual || (*a == Self::FALSE && self.shape(*b).eventual) }
            }
        }
    }

    /// The negation. Since every rule of `rewrite` comes with its dual, the negation of a simplified formula is
    /// simplified.
    pub fn not(&mut self, formula: FormulaId) -> FormulaId {
        if let Some(known) = self.negations[formula] {
            return known;
        }
        let node = match self.node(formula).clone() {
            NnfNode::False => NnfNode::True,
            NnfNode::True => NnfNode::False,
            NnfNode::Literal { atom, positive } => NnfNode::Literal { atom, positive: !positive },
            NnfNode::And(operands) => NnfNode::Or(self.not_each(&operands)),
            NnfNode::Or(operands) => NnfNode::And(self.not_each(&operands)),
            NnfNode::Next(a) => NnfNode::Next(self.not(a)),
            NnfNode::Until(a, b) => NnfNode::Release(self.not(a), self.not(b)),
            NnfNode::Release(a, b) => NnfNode::Until(self.not(a), self.not(b)),
        };
        let negation = self.intern(node);
        self.negations[formula] = Some(negation);
        self.negations[negation] = Some(formula);
        negation
    }

    fn not_each(&mut self, operands: &[FormulaId]) -> Box<[FormulaId]> {
        let mut negated: Vec<_> = operands.iter().map(|f| self.not(*f)).collect();
        negated.sort_unstable_by_key(|f| f.index());
        negated.into_boxed_slice()
    }
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negating_twice_changes_nothing() {
        let mut formulas = Formulas::new();
        let p = formulas.literal(AtomId(0), true);
        let q = formulas.literal(AtomId(1), true);
        let until = formulas.intern(NnfNode::Until(p, q));
        let negated = formulas.not(until);
        assert!(matches!(formulas.node(negated), NnfNode::Release(_, _)));
        assert_eq!(formulas.not(negated), until);
    }

    #[test]
    fn always_eventually_holds_always_or_never() {
        let mut formulas = Formulas::new();
        let p = formulas.literal(AtomId(0), true);
        let eventually = formulas.intern(NnfNode::Until(Formulas::TRUE, p));
        let recurrent = formulas.intern(NnfNode::Release(Formulas::FALSE, eventually));
        assert!(formulas.shape(recurrent).is_suspendable());
        assert!(!formulas.shape(eventually).is_suspendable());
    }
}
