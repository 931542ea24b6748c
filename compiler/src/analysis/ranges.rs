//! Which values an expression can have, judged by types and constants alone.
//!
//! Errs towards more values. Code generation asks it where 32 bits might
//! overflow and where an index might be outside of its array.

use crate::model::{BinaryOp, Expr, ExprKind, Type, UnaryOp};

/// All values from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub low: i64,
    pub high: i64,
}

impl Range {
    pub const ANY: Self = Self { low: i32::MIN as i64, high: i32::MAX as i64 };
    const TRUTH: Self = Self { low: 0, high: 1 };
    const BYTE: Self = Self { low: 0, high: 255 };

    pub fn constant(value: i32) -> Self {
        Self { low: value.into(), high: value.into() }
    }

    /// Whether every value fits in 32 bits with a sign.
    pub fn is_int(self) -> bool {
        self.low >= Self::ANY.low && self.high <= Self::ANY.high
    }

    fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What 32-bit arithmetic makes of a range that may be wider.
    fn wrapped(self) -> Self {
        if self.is_int() { self } else { Self::ANY }
    }
}

/// The values that a variable of a type can hold.
pub fn of_type(ty: Type) -> Range {
    match ty {
        Type::Bit | Type::Bool => Range::TRUTH,
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => Range::BYTE,
        Type::Short => Range { low: i16::MIN.into(), high: i16::MAX.into() },
        Type::Unsigned(width) if width < 32 => Range { low: 0, high: (1 << width) - 1 },
        Type::Unsigned(_) | Type::Int | Type::Record(_) => Range::ANY,
    }
}

/// The values of an expression.
pub fn of(expression: &Expr) -> Range {
    match &expression.kind {
        ExprKind::Constant(value) => Range::constant(*value),
        ExprKind::Read(place) => of_type(place.ty),
        ExprKind::RemoteVariable { place, .. } => of_type(place.ty).join(Range::constant(0)),
        ExprKind::Unary(op, inner) => match op {
            UnaryOp::Not => Range::TRUTH,
            UnaryOp::Negate => unwrapped_negation(of(inner)).wrapped(),
            UnaryOp::Complement | UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next => Range::ANY,
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
        ExprKind::PcValue(_) => Range { low: 0, high: Range::ANY.high },
    }
}

pub fn unwrapped_negation(range: Range) -> Range {
    Range { low: -range.high, high: -range.low }
}

/// The values before they are cut to 32 bits.
pub fn of_binary(op: BinaryOp, left: Range, right: Range) -> Range {
    match op {
        BinaryOp::Add => Range { low: left.low + right.low, high: left.high + right.high },
        BinaryOp::Subtract => Range { low: left.low - right.high, high: left.high - right.low },
        BinaryOp::Multiply => {
            let products = [left.low * right.low, left.low * right.high, left.high * right.low, left.high * right.high];
            products
                .map(|value| Range { low: value, high: value })
                .into_iter()
                .reduce(Range::join)
                .unwrap_or(Range::ANY)
        }
        BinaryOp::Divide if left.low >= 0 && right.low >= 1 => Range { low: 0, high: left.high },
        BinaryOp::Remainder if left.low >= 0 && right.low >= 1 => Range { low: 0, high: left.high.min(right.high - 1) },
        BinaryOp::BitAnd if left.low >= 0 && right.low >= 0 => Range { low: 0, high: left.high.min(right.high) },
        BinaryOp::BitAnd if left.low >= 0 => Range { low: 0, high: left.high },
        BinaryOp::BitAnd if right.low >= 0 => Range { low: 0, high: right.high },
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::And
        | BinaryOp::Or => Range::TRUTH,
        _ => Range::ANY,
    }
}
