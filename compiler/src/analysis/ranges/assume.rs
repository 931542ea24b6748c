//! What a condition implies for the variables in it.

use super::environment::KnownElement;
use super::interval::Range;
use super::step::AbstractStep;
use crate::model::{BinaryOp, Expr, ExprKind, Place, UnaryOp};

impl<'m> AbstractStep<'_, 'm> {
    /// Assumes that a condition is true, or false. Returns whether it can be.
    pub(super) fn assume(&mut self, condition: &'m Expr, truth: bool) -> bool {
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.assume(inner, !truth),
            ExprKind::Binary(BinaryOp::And, left, right) if truth => {
                self.assume(left, true) && self.assume(right, true)
            }
            ExprKind::Binary(BinaryOp::Or, left, right) if !truth => {
                self.assume(left, false) && self.assume(right, false)
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => self.assume_either(left, right, truth),
            ExprKind::Binary(op, left, right) => match if truth { Some(*op) } else { opposite(*op) } {
                Some(op) if opposite(op).is_some() => self.assume_comparison(op, left, right),
                _ => self.assume_truth(condition, truth),
            },
            _ => self.assume_truth(condition, truth),
        }
    }

    /// One of two is `truth`: the left one, or else the right one.
    fn assume_either(&mut self, left: &'m Expr, right: &'m Expr, truth: bool) -> bool {
        let before = self.environment.clone();
        let by_left = self.assume(left, truth);
        let after_left = std::mem::replace(&mut self.environment, before);
        let by_right = self.assume(left, !truth) && self.assume(right, truth);
        match (by_left, by_right) {
            (true, true) => self.environment.join(&after_left),
            (true, false) => self.environment = after_left,
            (false, _) => {}
        }
        by_left || by_right
    }

    fn assume_truth(&mut self, expression: &'m Expr, truth: bool) -> bool {
        let value = self.value(expression);
        let allowed = if truth { value.without(0) } else { value.meet(Range::ZERO) };
        allowed.is_some_and(|allowed| self.assume_in(expression, allowed))
    }

    fn assume_comparison(&mut self, op: BinaryOp, left: &'m Expr, right: &'m Expr) -> bool {
        let (a, b) = (self.value(left), self.value(right));
        let up_to = |high: i64| Range { low: Range::ANY.low, high };
        let from = |low: i64| Range { low, high: Range::ANY.high };
        let allowed = match op {
            BinaryOp::Less => (a.meet(up_to(b.high - 1)), b.meet(from(a.low + 1))),
            BinaryOp::LessEqual => (a.meet(up_to(b.high)), b.meet(from(a.low))),
            BinaryOp::Greater => (a.meet(from(b.low + 1)), b.meet(up_to(a.high - 1))),
            BinaryOp::GreaterEqual => (a.meet(from(b.low)), b.meet(up_to(a.high))),
            BinaryOp::Equal => (a.meet(b), a.meet(b)),
            BinaryOp::NotEqual => (
                if b.low == b.high { a.without(b.low) } else { Some(a) },
                if a.low == a.high { b.without(a.low) } else { Some(b) },
            ),
            _ => (Some(a), Some(b)),
        };
        match allowed {
            (Some(a), Some(b)) => self.assume_in(left, a) && self.assume_in(right, b),
            _ => false,
        }
    }

    /// Assumes that an expression has one of these values. Returns whether it can.
    pub(super) fn assume_in(&mut self, expression: &'m Expr, allowed: Range) -> bool {
        let value = self.value(expression);
        let Some(allowed) = value.meet(allowed) else { return false };
        match &expression.kind {
            ExprKind::Read(place) => self.assume_place(place, allowed),
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                let (a, b) = (self.value(left), self.value(right));
                // A sum that may wrap around implies nothing.
                !a.plus(b).is_int()
                    || (self.assume_in(left, allowed.minus(b)) && self.assume_in(right, allowed.minus(a)))
            }
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                let (a, b) = (self.value(left), self.value(right));
                !a.minus(b).is_int()
                    || (self.assume_in(left, allowed.plus(b)) && self.assume_in(right, a.minus(allowed)))
            }
            _ => true,
        }
    }

    fn assume_place(&mut self, place: &'m Place, range: Range) -> bool {
        if let Some(slot) = self.slots.of(self.world.cell(place)) {
            let here = &mut self.environment.slots[slot];
            return match here.meet(range) {
                Some(both) => {
                    *here = both;
                    true
                }
                None => false,
            };
        }
        if let Some(element) = self.as_element(place) {
            self.environment.remember(KnownElement { range, ..element });
        }
        true
    }

    /// An index outside of its array ends the run.
    pub(super) fn index_is_inside(&mut self, place: &'m Place) {
        let length = self.world.model.variables[place.variable].length;
        if let (Some(index), Some(length)) = (&place.index, length) {
            self.assume_in(index, Range { low: 0, high: i64::from(length) - 1 });
        }
    }
}

/// The negation of a comparison.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        _ => return None,
    })
}
