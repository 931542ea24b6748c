//! Promela's arithmetic: compute in 32 bits, truncate when a value is stored.

use crate::fault::Fault;
use crate::step::Pid;

/// A stored value as the 32-bit integer that expressions compute with.
#[inline(always)]
pub fn int(value: impl Int) -> i32 {
    value.int()
}

pub trait Int {
    fn int(self) -> i32;
}

macro_rules! int_by_cast {
    ($($type:ty),*) => {
        $(impl Int for $type {
            #[inline(always)]
            fn int(self) -> i32 {
                self as i32
            }
        })*
    };
}

// `u32` stores `unsigned x : 32`, which C also converts to a signed number in mixed arithmetic; `usize` is a length.
int_by_cast!(bool, u8, u16, u32, i16, i32, usize);

impl Int for Pid {
    #[inline(always)]
    fn int(self) -> i32 {
        i32::from(self.0)
    }
}

/// The value that a `bit` or `bool` stores: the lowest bit, so 2 is stored as 0.
#[inline(always)]
pub fn bit(value: i32) -> u8 {
    (value & 1) as u8
}

/// The value that a `byte`, `mtype` or `pid` stores.
#[inline(always)]
pub const fn byte(value: i32) -> u8 {
    value as u8
}

/// The value that a `short` stores.
#[inline(always)]
pub fn short(value: i32) -> i16 {
    value as i16
}

/// The value that an `unsigned x : bits` stores.
#[inline(always)]
pub fn unsigned(value: i32, bits: u32) -> u32 {
    if bits >= 32 { value as u32 } else { value as u32 & ((1 << bits) - 1) }
}
/// An index into an array of `length` elements.
#[inline(always)]
pub fn index(index: i32, length: usize) -> Result<usize, Fault> {
    if (index as u32 as usize) < length && index >= 0 {
        Ok(index as usize)
    } else {
        Err(Fault::ArrayIndex { index, length: length as u32 })
    }
}

/// `a / b`, truncated towards zero.
#[inline(always)]
pub fn divide(a: i32, b: i32) -> Result<i32, Fault> {
    a.checked_div(b).ok_or_else(|| no_quotient(b))
}

/// `a % b`, with the sign of `a`.
#[inline(always)]
pub fn remainder(a: i32, b: i32) -> Result<i32, Fault> {
    a.checked_rem(b).ok_or_else(|| no_quotient(b))
}

/// The fault of a division by `b`: if `b` is not zero, the quotient overflows.
#[cold]
fn no_quotient(b: i32) -> Fault {
    if b == 0 { Fault::DivideByZero } else { Fault::DivideOverflow }
}

/// `a << b`; as on the usual processors, only the low five bits of `b` count.
#[inline(always)]
pub fn shift_left(a: i32, b: i32) -> i32 {
    a.wrapping_shl(b as u32)
}

/// `a >> b`, keeping the sign of `a`; only the low five bits of `b` count.
#[inline(always)]
pub fn shift_right(a: i32, b: i32) -> i32 {
    a.wrapping_shr(b as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_when_stored() {
        assert_eq!((bit(2), bit(3), byte(256), byte(-1), short(40_000)), (0, 1, 0, 255, -25_536));
        assert_eq!((unsigned(9, 3), unsigned(-1, 32), int(u32::MAX)), (1, u32::MAX, -1));
    }

    #[test]
    fn division_truncates_to_zero_and_never_stops_the_verifier() {
        assert_eq!((divide(-7, 2), remainder(-7, 2), remainder(7, -2)), (Ok(-3), Ok(-1), Ok(1)));
        let overflow = Err(Fault::DivideOverflow);
        assert_eq!((divide(i32::MIN, -1), remainder(i32::MIN, -1)), (overflow, overflow));
        assert_eq!((divide(i32::MIN + 1, -1), remainder(i32::MIN + 1, -1)), (Ok(i32::MAX), Ok(0)));
        assert_eq!((divide(1, 0), remainder(1, 0)), (Err(Fault::DivideByZero), Err(Fault::DivideByZero)));
    }

    #[test]
    fn shifts_keep_the_sign_and_any_count_is_fine() {
        assert_eq!((shift_right(-8, 1), shift_left(1, 4), shift_left(1, 33), shift_right(4, -31)), (-4, 16, 2, 2));
    }

    #[test]
    fn an_index_is_checked_at_both_ends() {
        assert_eq!(index(2, 3), Ok(2));
        assert_eq!(index(3, 3), Err(Fault::ArrayIndex { index: 3, length: 3 }));
        assert_eq!(index(-1, 3), Err(Fault::ArrayIndex { index: -1, length: 3 }));
    }
}
