//! Constant folding, with the arithmetic of the verifier: 32 bits that wrap.
//!
//! Expressions are built through [`unary`], [`binary`] and [`conditional`], so
//! that a constant subexpression never reaches a later stage as a tree.

use super::{BinaryOp, Expr, ExprKind, MtypeId, UnaryOp};
use crate::source::Span;

/// Why a division has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoQuotient {
    ByZero,
    /// The least number divided by -1, also as a remainder: processors trap on both.
    Overflow,
}

impl NoQuotient {
    pub fn message(self) -> &'static str {
        match self {
            Self::ByZero => "this divides by zero",
            Self::Overflow => "this divides -2147483648 by -1, which does not fit in 32 bits",
        }
    }
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, mtype: None, span }
    }

    pub fn constant(value: i32, span: Span) -> Self {
        Self::new(ExprKind::Constant(value), span)
    }

    /// A constant that was written as a name of an mtype.
    pub fn symbol(mtype: MtypeId, value: i32, span: Span) -> Self {
        Self { mtype: Some(mtype), ..Self::constant(value, span) }
    }

    pub fn as_constant(&self) -> Option<i32> {
        match self.kind {
            ExprKind::Constant(value) => Some(value),
            _ => None,
        }
    }
}

pub fn unary(op: UnaryOp, operand: Expr, span: Span) -> Expr {
    match operand.as_constant() {
        Some(value) => Expr::constant(apply_unary(op, value), span),
        None => Expr::new(ExprKind::Unary(op, Box::new(operand)), span),
    }
}

/// A division without a result stays as it is, and is reported.
pub fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> (Expr, Result<(), NoQuotient>) {
    let folded = match (left.as_constant(), right.as_constant()) {
        (Some(left), Some(right)) => apply_binary(op, left, right).map(Some),
        // `0 && x` and `1 || x` do not look at x.
        (Some(0), None) if op == BinaryOp::And => Ok(Some(0)),
        (Some(value), None) if op == BinaryOp::Or && value != 0 => Ok(Some(1)),
        (None, Some(0)) if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) => Err(NoQuotient::ByZero),
        _ => Ok(None),
    };
    let tree = |left, right| Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span);
    match folded {
        Ok(Some(value)) => (Expr::constant(value, span), Ok(())),
        Ok(None) => (tree(left, right), Ok(())),
        Err(error) => (tree(left, right), Err(error)),
    }
}

pub fn conditional(condition: Expr, yes: Expr, no: Expr, span: Span) -> Expr {
    match condition.as_constant() {
        Some(0) => Expr { span, ..no },
        Some(_) => Expr { span, ..yes },
        None => Expr::new(ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)), span),
    }
}

pub fn apply_unary(op: UnaryOp, value: i32) -> i32 {
    match op {
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Not => i32::from(value == 0),
        UnaryOp::Complement => !value,
    }
}

pub fn apply_binary(op: BinaryOp, left: i32, right: i32) -> Result<i32, NoQuotient> {
    Ok(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return Err(NoQuotient::ByZero),
        BinaryOp::Divide => left.checked_div(right).ok_or(NoQuotient::Overflow)?,
        BinaryOp::Remainder => left.checked_rem(right).ok_or(NoQuotient::Overflow)?,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        // As the processor does it, the count is taken modulo 32.
        BinaryOp::ShiftLeft => left.wrapping_shl(right.cast_unsigned()),
        BinaryOp::ShiftRight => left.wrapping_shr(right.cast_unsigned()),
        BinaryOp::Equal => i32::from(left == right),
        BinaryOp::NotEqual => i32::from(left != right),
        BinaryOp::Less => i32::from(left < right),
        BinaryOp::LessEqual => i32::from(left <= right),
        BinaryOp::Greater => i32::from(left > right),
        BinaryOp::GreaterEqual => i32::from(left >= right),
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::Or => i32::from(left != 0 || right != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_at_32_bits() {
        assert_eq!(apply_binary(BinaryOp::Add, i32::MAX, 1), Ok(i32::MIN));
        assert_eq!(apply_binary(BinaryOp::Multiply, 65_536, 65_536), Ok(0));
        assert_eq!(apply_unary(UnaryOp::Negate, i32::MIN), i32::MIN);
    }

    #[test]
    fn division_truncates_to_zero_and_remainder_follows_the_dividend() {
        assert_eq!(apply_binary(BinaryOp::Divide, -7, 2), Ok(-3));
        assert_eq!(apply_binary(BinaryOp::Remainder, -7, 2), Ok(-1));
        assert_eq!(apply_binary(BinaryOp::Remainder, 7, 0), Err(NoQuotient::ByZero));
        assert_eq!(apply_binary(BinaryOp::Divide, i32::MIN, -1), Err(NoQuotient::Overflow));
        assert_eq!(apply_binary(BinaryOp::Remainder, i32::MIN, -1), Err(NoQuotient::Overflow));
        assert_eq!(apply_binary(BinaryOp::Divide, i32::MIN + 1, -1), Ok(i32::MAX));
    }

    #[test]
    fn shift_right_keeps_the_sign() {
        assert_eq!(apply_binary(BinaryOp::ShiftRight, -8, 1), Ok(-4));
    }
}
