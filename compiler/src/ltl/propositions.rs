//! The formulas of a model, with its conditions as numbered atoms.
//!
//! Conditions with the same text are one atom, and so are a comparison and its negation (`x != 1` is `!(x == 1)`):
//! fewer atoms make the automaton smaller, and each is evaluated once. The first text of an atom names it.

use crate::collections::IdVec;
use crate::model::{self, BinaryOp, ChannelRef, Expr, ExprKind, FieldAccess, Pattern, Place, UnaryOp};

use super::formula::{AtomId, Formula};

/// A formula over atoms, and the expression of each: true if its value is not zero.
#[derive(Clone, Debug)]
pub struct Propositions {
    pub formula: Formula,
    pub atoms: IdVec<AtomId, Expr>,
}

impl Propositions {
    pub fn of(formula: &model::Formula) -> Self {
        let mut atoms = IdVec::new();
        let formula = number(formula, &mut atoms);
        Self { formula, atoms }
    }
}

fn number(formula: &model::Formula, atoms: &mut IdVec<AtomId, Expr>) -> Formula {
    let mut operand = |formula: &model::Formula| Box::new(number(formula, atoms));
    match formula {
        model::Formula::Atom(expr) => condition(expr, atoms),
        model::Formula::Not(a) => Formula::Not(operand(a)),
        model::Formula::And(a, b) => Formula::And(operand(a), operand(b)),
        model::Formula::Or(a, b) => Formula::Or(operand(a), operand(b)),
        model::Formula::Implies(a, b) => Formula::Implies(operand(a), operand(b)),
        model::Formula::Equivalent(a, b) => Formula::Equivalent(operand(a), operand(b)),
        model::Formula::Next(a) => Formula::Next(operand(a)),
        model::Formula::Always(a) => Formula::Always(operand(a)),
        model::Formula::Eventually(a) => Formula::Eventually(operand(a)),
        model::Formula::Until(a, b) => Formula::Until(operand(a), operand(b)),
        model::Formula::WeakUntil(a, b) => Formula::WeakUntil(operand(a), operand(b)),
        model::Formula::Release(a, b) => Formula::Release(operand(a), operand(b)),
    }
}

/// The logical operators that are left in an expression are the formula's too.
fn condition(expr: &Expr, atoms: &mut IdVec<AtomId, Expr>) -> Formula {
    let mut operand = |expr: &Expr| Box::new(condition(expr, atoms));
    match &expr.kind {
        ExprKind::Constant(value) => Formula::Constant(*value != 0),
        ExprKind::Unary(UnaryOp::Not, a) => Formula::Not(operand(a)),
        ExprKind::Binary(BinaryOp::And, a, b) => Formula::And(operand(a), operand(b)),
        ExprKind::Binary(BinaryOp::Or, a, b) => Formula::Or(operand(a), operand(b)),
        _ => atom(expr, atoms),
    }
}

fn atom(expr: &Expr, atoms: &mut IdVec<AtomId, Expr>) -> Formula {
    let find = |wanted: &Expr, atoms: &IdVec<AtomId, Expr>| {
        atoms.iter_enumerated().find(|(_, atom)| is_same(atom, wanted)).map(|(id, _)| Formula::Atom(id))
    };
    let known = find(expr, atoms);
    let known = known.or_else(|| opposite(expr).and_then(|opposite| find(&opposite, atoms)).map(Formula::negated));
    known.unwrap_or_else(|| Formula::Atom(atoms.push(expr.clone())))
}

/// The negation of this comparison.
fn opposite(expr: &Expr) -> Option<Expr> {
    let ExprKind::Binary(op, a, b) = &expr.kind else { return None };
    let op = match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        _ => return None,
    };
    Some(Expr::new(ExprKind::Binary(op, a.clone(), b.clone()), expr.span))
}

/// Whether two expressions have the same text, whatever their positions. A "no" may be wrong: then one condition has
/// two numbers.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
        (ExprKind::Read(a), ExprKind::Read(b)) => is_same_place(a, b),
        (ExprKind::Unary(f, a), ExprKind::Unary(g, b)) => f == g && is_same(a, b),
        (ExprKind::Binary(f, a, x), ExprKind::Binary(g, b, y)) => f == g && is_same(a, b) && is_same(x, y),
        (ExprKind::Conditional(a, x, u), ExprKind::Conditional(b, y, v)) => {
            is_same(a, b) && is_same(x, y) && is_same(u, v)
        }
        (ExprKind::Probe(f, a), ExprKind::Probe(g, b)) => f == g && is_same_channel(a, b),
        (
            ExprKind::Poll { channel: a, random: f, pattern: x },
            ExprKind::Poll { channel: b, random: g, pattern: y },
        ) => f == g && is_same_channel(a, b) && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| is_same_field(x, y)),
        (ExprKind::Timeout, ExprKind::Timeout)
        | (ExprKind::Pid, ExprKind::Pid)
        | (ExprKind::ProcessCount, ExprKind::ProcessCount)
        | (ExprKind::Last, ExprKind::Last)
        | (ExprKind::NonProgress, ExprKind::NonProgress) => true,
        (ExprKind::Enabled(a), ExprKind::Enabled(b))
        | (ExprKind::PcValue(a), ExprKind::PcValue(b))
        | (ExprKind::GetPriority(a), ExprKind::GetPriority(b)) => is_same(a, b),
        (
            ExprKind::RemoteLabel { proctype: p, pid: a, label: l },
            ExprKind::RemoteLabel { proctype: q, pid: b, label: m },
        ) => p == q && l == m && are_same(a, b),
        (
            ExprKind::RemoteVariable { proctype: p, pid: a, place: x },
            ExprKind::RemoteVariable { proctype: q, pid: b, place: y },
        ) => p == q && are_same(a, b) && is_same_place(x, y),
        _ => false,
    }
}

/// For an optional pid or index.
fn are_same(a: &Option<Box<Expr>>, b: &Option<Box<Expr>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => is_same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn is_same_channel(a: &ChannelRef, b: &ChannelRef) -> bool {
    is_same_place(&a.place, &b.place)
}

fn is_same_field(a: &Pattern, b: &Pattern) -> bool {
    match (a, b) {
        // A poll stores nothing, so that a variable matches anything.
        (Pattern::Ignore | Pattern::Store(_), Pattern::Ignore | Pattern::Store(_)) => true,
        (Pattern::Equal(a), Pattern::Equal(b)) => is_same(a, b),
        _ => false,
    }
}

fn is_same_place(a: &Place, b: &Place) -> bool {
    let is_same_access = |(a, b): (&FieldAccess, &FieldAccess)| a.field == b.field && are_same(&a.index, &b.index);
    a.variable == b.variable
        && are_same(&a.index, &b.index)
        && a.fields.len() == b.fields.len()
        && a.fields.iter().zip(&b.fields).all(is_same_access)
}
