//! Comparisons in the form that the machine executes: without a branch on the operator.

use crate::exec::Comparison;

/// The values for which a comparison with a constant holds, from the first to the last. They may wrap around, so that
/// all but one value are an interval too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    first: u32,
    /// From the first value to the last.
    distance: u32,
}

impl Interval {
    /// Nothing if the comparison never holds.
    pub fn of(comparison: Comparison, right: i32) -> Option<Self> {
        let between = |first: i32, last: i32| Self {
            first: first.cast_unsigned(),
            distance: last.wrapping_sub(first).cast_unsigned(),
        };
        Some(match comparison {
            Comparison::Equal => between(right, right),
            Comparison::NotEqual => between(right.wrapping_add(1), right.wrapping_sub(1)),
            Comparison::Less => between(i32::MIN, right.checked_sub(1)?),
            Comparison::LessEqual => between(i32::MIN, right),
            Comparison::Greater => between(right.checked_add(1)?, i32::MAX),
            Comparison::GreaterEqual => between(right, i32::MAX),
        })
    }

    /// The same for values that are stored as their distance from one.
    pub fn stored_from(self, low: i32) -> Self {
        Self { first: self.first.wrapping_sub(low.cast_unsigned()), ..self }
    }

    #[inline(always)]
    pub fn contains(self, value: u32) -> bool {
        value.wrapping_sub(self.first) <= self.distance
    }
}

/// The orders of two values for which a comparison holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders(u8);

impl Orders {
    const LESS: u8 = 1;
    const EQUAL: u8 = 2;
    const GREATER: u8 = 4;

    pub fn of(comparison: Comparison) -> Self {
        Self(match comparison {
            Comparison::Equal => Self::EQUAL,
            Comparison::NotEqual => Self::LESS | Self::GREATER,
            Comparison::Less => Self::LESS,
            Comparison::LessEqual => Self::LESS | Self::EQUAL,
            Comparison::Greater => Self::GREATER,
            Comparison::GreaterEqual => Self::GREATER | Self::EQUAL,
        })
    }

    #[inline(always)]
    pub fn contains(self, left: i32, right: i32) -> bool {
        let order = match left.cmp(&right) {
            std::cmp::Ordering::Less => Self::LESS,
            std::cmp::Ordering::Equal => Self::EQUAL,
            std::cmp::Ordering::Greater => Self::GREATER,
        };
        self.0 & order != 0
    }
}

/// The comparison with its sides exchanged.
pub fn exchanged(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal | Comparison::NotEqual => comparison,
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::GreaterEqual,
    ];

    fn holds(comparison: Comparison, left: i32, right: i32) -> bool {
        match comparison {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
        }
    }

    #[test]
    fn intervals_and_orders_are_comparisons() {
        let values = [i32::MIN, i32::MIN + 1, -7, -1, 0, 1, 2, 255, i32::MAX - 1, i32::MAX];
        for comparison in ALL {
            for right in values {
                let interval = Interval::of(comparison, right);
                for left in values {
                    let expected = holds(comparison, left, right);
                    assert_eq!(Orders::of(comparison).contains(left, right), expected, "{left} {comparison:?} {right}");
                    assert_eq!(holds(exchanged(comparison), right, left), expected, "{left} {comparison:?} {right}");
                    for low in [0, -3, 7, i32::MIN] {
                        let raw = left.wrapping_sub(low).cast_unsigned();
                        let is_inside = interval.is_some_and(|values| values.stored_from(low).contains(raw));
                        assert_eq!(is_inside, expected, "{left} {comparison:?} {right}, stored from {low}");
                    }
                }
            }
        }
    }
}
