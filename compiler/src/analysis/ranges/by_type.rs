//! The values of an expression by types and constants alone.
//!
//! Errs towards more values. Code generation asks it where 32 bits might
//! overflow and where an index might be outside of its array.

use super::interval::{Range, of_binary, of_type, unwrapped_negation};
use crate::model::{Expr, ExprKind, UnaryOp};

/// The values of an expression.
pub fn of(expression: &Expr) -> Range {
    match &expression.kind {
        ExprKind::Constant(value) => Range::constant(*value),
        ExprKind::Read(place) => of_type(place.ty),
        ExprKind::RemoteVariable { place, .. } => of_type(place.ty).join(Range::constant(0)),
        ExprKind::Unary(op, inner) => match op {
            UnaryOp::Not => Range::TRUTH,
            UnaryOp::Negate => unwrapped_negation(of(inner)).wrapped(),
            UnaryOp::Complement => Range::ANY,
        },
        ExprKind::Binary(op, left, right) => of_binary(*op, of(left), of(right)).wrapped(),
        ExprKind::Conditional(_, yes, no) => of(yes).join(of(no)),
        ExprKind::Run { .. }
        | ExprKind::Pid
        | ExprKind::ProcessCount
        | ExprKind::Last
        | ExprKind::Priority
        | ExprKind::GetPriority(_)
        | ExprKind::SetPriority(..) => Range { low: 0, high: 256 },
        ExprKind::Poll { .. }
        | ExprKind::Timeout
        | ExprKind::NonProgress
        | ExprKind::Enabled(_)
        | ExprKind::RemoteLabel { .. } => Range::TRUTH,
        ExprKind::Probe(..) => Range { low: 0, high: 0xffff },
        ExprKind::Host(_) => Range::ANY,
        ExprKind::PcValue(_) => Range { low: 0, high: Range::ANY.high },
    }
}
