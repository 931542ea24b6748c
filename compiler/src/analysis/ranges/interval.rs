//! Intervals.

use crate::model::{BinaryOp, Type};

/// All values from `low` to `high`; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub low: i64,
    pub high: i64,
}

impl Range {
    pub const ANY: Self = Self { low: i32::MIN as i64, high: i32::MAX as i64 };
    pub const ZERO: Self = Self { low: 0, high: 0 };
    pub(super) const TRUTH: Self = Self { low: 0, high: 1 };
    pub(super) const BYTE: Self = Self { low: 0, high: 255 };

    pub fn constant(value: i32) -> Self {
        Self { low: value.into(), high: value.into() }
    }

    /// Whether every value fits in 32 bits with a sign.
    pub fn is_int(self) -> bool {
        self.is_within(Self::ANY)
    }

    pub fn is_within(self, other: Self) -> bool {
        self.low >= other.low && self.high <= other.high
    }

    pub fn contains(self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The intersection.
    pub fn meet(self, other: Self) -> Option<Self> {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }.unless_empty()
    }

    /// Removes a value that is one of the ends.
    pub(super) fn without(self, value: i64) -> Option<Self> {
        let low = if self.low == value { value + 1 } else { self.low };
        let high = if self.high == value { value - 1 } else { self.high };
        Self { low, high }.unless_empty()
    }

    fn unless_empty(self) -> Option<Self> {
        (self.low <= self.high).then_some(self)
    }

    /// The range truncated to 32 bits.
    pub(super) fn wrapped(self) -> Self {
        if self.is_int() { self } else { Self::ANY }
    }

    /// The range truncated to a type.
    pub(super) fn truncated(self, ty: Type) -> Self {
        let all = of_type(ty);
        if ty == Type::Timer {
            // Every negative value is off.
            let wrapped = self.wrapped();
            return Self { low: wrapped.low.max(all.low), high: wrapped.high.max(all.low) };
        }
        if self.is_within(all) || all == Self::ANY {
            return self.wrapped();
        }
        // Values that wrap around equally often stay adjacent.
        let n_values = all.high - all.low + 1;
        let turns = (self.low - all.low).div_euclid(n_values);
        let shifted = Self { low: self.low - turns * n_values, high: self.high - turns * n_values };
        if shifted.is_within(all) { shifted } else { all }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self { low: self.low - other.high, high: self.high - other.low }
    }

    fn times(self, other: Self) -> Self {
        let ends = [self.low * other.high, self.high * other.low, self.high * other.high];
        let first = self.low * other.low;
        ends.into_iter().fold(Self { low: first, high: first }, |all, end| all.join(Self { low: end, high: end }))
    }
}

/// The values that a variable of a type can hold.
pub fn of_type(ty: Type) -> Range {
    match ty {
        Type::Bit | Type::Bool => Range::TRUTH,
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => Range::BYTE,
        Type::Short => Range { low: i16::MIN.into(), high: i16::MAX.into() },
        Type::Unsigned(width) if width < 32 => Range { low: 0, high: (1 << width) - 1 },
        Type::Timer => Range { low: -1, high: i32::MAX.into() },
        Type::Unsigned(_) | Type::Int | Type::Record(_) => Range::ANY,
    }
}

pub fn unwrapped_negation(range: Range) -> Range {
    Range { low: -range.high, high: -range.low }
}

/// The values before they are cut to 32 bits.
pub fn of_binary(op: BinaryOp, left: Range, right: Range) -> Range {
    match op {
        BinaryOp::Add => left.plus(right),
        BinaryOp::Subtract => left.minus(right),
        BinaryOp::Multiply => left.times(right),
        BinaryOp::Divide if left.low >= 0 && right.low >= 1 => {
            Range { low: left.low / right.high, high: left.high / right.low }
        }
        BinaryOp::Remainder if right.low >= 1 => {
            let most = right.high - 1;
            // The sign is that of the left side.
            let low = if left.low >= 0 { 0 } else { left.low.max(-most) };
            let high = if left.high <= 0 { 0 } else { left.high.min(most) };
            if left.low >= 0 && left.high < right.low { left } else { Range { low, high } }
        }
        BinaryOp::BitAnd if left.low >= 0 && right.low >= 0 => Range { low: 0, high: left.high.min(right.high) },
        BinaryOp::BitAnd if left.low >= 0 => Range { low: 0, high: left.high },
        BinaryOp::BitAnd if right.low >= 0 => Range { low: 0, high: right.high },
        BinaryOp::BitOr if left.low >= 0 && right.low >= 0 => {
            Range { low: left.low.max(right.low), high: all_ones(left.high | right.high) }
        }
        BinaryOp::BitXor if left.low >= 0 && right.low >= 0 => Range { low: 0, high: all_ones(left.high | right.high) },
        BinaryOp::ShiftLeft if left.low >= 0 && right.low >= 0 && right.high < 31 => {
            Range { low: left.low << right.low, high: left.high << right.high }
        }
        BinaryOp::ShiftRight if left.low >= 0 && right.low >= 0 && right.high < 32 => {
            Range { low: left.low >> right.high, high: left.high >> right.low }
        }
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

/// The largest number with no more binary digits than this one.
fn all_ones(value: i64) -> i64 {
    if value == 0 { 0 } else { (2_i64 << value.ilog2()) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fold::apply_binary;

    fn range(low: i64, high: i64) -> Range {
        Range { low, high }
    }

    #[test]
    fn storing_cuts() {
        assert_eq!(range(256, 258).truncated(Type::Byte), range(0, 2));
        assert_eq!(range(255, 256).truncated(Type::Byte), range(0, 255));
        assert_eq!(range(-1, -1).truncated(Type::Byte), range(255, 255));
        assert_eq!(range(32_768, 32_769).truncated(Type::Short), range(-32_768, -32_767));
        assert_eq!(range(2, 2).truncated(Type::Bit), range(0, 0));
        assert_eq!(range(0, 9).truncated(Type::Unsigned(3)), range(0, 7));
        assert_eq!(range(0, 1 << 31).truncated(Type::Int), Range::ANY);
    }

    /// Every operator, on all small ranges, against the arithmetic of the verifier.
    #[test]
    fn what_an_operator_gives_is_in_its_range() {
        let operators = [
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
            BinaryOp::BitAnd,
            BinaryOp::BitOr,
            BinaryOp::BitXor,
            BinaryOp::ShiftLeft,
            BinaryOp::ShiftRight,
            BinaryOp::Less,
            BinaryOp::And,
        ];
        let ends = [-5, -1, 0, 1, 2, 3, 7, 8, 33];
        let ranges: Vec<Range> = ends
            .iter()
            .flat_map(|low| ends.iter().map(|high| range(*low, *high)))
            .filter(|r| r.low <= r.high)
            .collect();
        let values = |range: &Range| (range.low..=range.high).map(|value| i32::try_from(value).expect("small"));
        for op in operators {
            for left in &ranges {
                for right in &ranges {
                    let all = of_binary(op, *left, *right).wrapped();
                    for (a, b) in values(left).flat_map(|a| values(right).map(move |b| (a, b))) {
                        if let Ok(value) = apply_binary(op, a, b) {
                            assert!(all.contains(value.into()), "{a} {op:?} {b} = {value}, not in {all:?}");
                        }
                    }
                }
            }
        }
    }
}
