//! A few fields in one register, for writing or reading a packed state.
//!
//! The position of a field in a state depends on the fields before it, so that writing one costs a dozen instructions.
//! Within a part positions are constants after inlining and a field costs two or three; the part is then written at
//! once.

use super::{Reader, Writer, check_fits};

/// How many bits a part can hold.
pub const PART_BITS: u32 = 64;

/// Fields, side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartWriter {
    pub(super) bits: u64,
    pub(super) at: u32,
}

impl Writer for PartWriter {
    #[inline(always)]
    fn put(&mut self, value: u32, bits: u32) {
        check_fits(value, bits);
        if bits > 0 {
            debug_assert!(self.at + bits <= PART_BITS, "a part holds 64 bits");
            self.bits |= (u64::from(value) & ((1 << bits) - 1)) << (self.at % PART_BITS);
            self.at += bits;
        }
    }

    #[inline(always)]
    fn put_part(&mut self, part: PartWriter) {
        if part.at > 0 {
            debug_assert!(self.at + part.at <= PART_BITS, "a part holds 64 bits");
            self.bits |= part.bits << (self.at % PART_BITS);
            self.at += part.at;
        }
    }
}

/// The next 64 bits of a state, or the rest of it.
#[derive(Clone, Copy, Debug)]
pub struct PartReader {
    pub(super) bits: u64,
    pub(super) at: u32,
}

impl PartReader {
    #[inline(always)]
    pub(super) fn new(bits: u64) -> PartReader {
        PartReader { bits, at: 0 }
    }
}

impl Reader for PartReader {
    #[inline(always)]
    fn take(&mut self, bits: u32) -> u32 {
        if bits == 0 {
            return 0;
        }
        debug_assert!(self.at + bits <= PART_BITS, "a part holds 64 bits");
        let value = (self.bits >> (self.at % PART_BITS)) & ((1 << bits) - 1);
        self.at += bits;
        value as u32
    }

    #[inline(always)]
    fn part(&self) -> PartReader {
        PartReader::new(if self.at < PART_BITS { self.bits >> self.at } else { 0 })
    }

    #[inline(always)]
    fn skip_part(&mut self, part: PartReader) {
        self.at += part.at;
    }
}

/// A type of the variables of models.
pub trait Scalar: Copy {
    /// The value as 32 bits.
    fn to_bits(self) -> u32;
    /// The value with these bits.
    fn from_bits(bits: u32) -> Self;
}

impl Scalar for u8 {
    #[inline(always)]
    fn to_bits(self) -> u32 {
        u32::from(self)
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> u8 {
        bits as u8
    }
}

impl Scalar for bool {
    #[inline(always)]
    fn to_bits(self) -> u32 {
        u32::from(self)
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> bool {
        bits != 0
    }
}

impl Scalar for i16 {
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> i16 {
        bits as i16
    }
}

impl Scalar for i32 {
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> i32 {
        bits as i32
    }
}

impl Scalar for u32 {
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> u32 {
        bits
    }
}

#[cfg(test)]
mod tests {
    use crate::pack::{Bytes, Packed, Reader, Words, Writer};

    /// The same fields one by one, in parts, and as arrays.
    fn check<P: Packed>() {
        let bytes = [1_u8, 0, 255, 7, 9, 200, 3, 4, 5, 6, 77];
        let shorts = [-3_i16, 30_000, 0];
        let mut one_by_one = P::default();
        let mut writer = one_by_one.writer();
        writer.put(5, 3);
        bytes.iter().for_each(|byte| writer.put(u32::from(*byte), 8));
        shorts.iter().for_each(|short| writer.put((i32::from(*short) + 5) as u32, 16));
        bytes.iter().for_each(|byte| writer.put(u32::from(*byte) % 8, 3));
        writer.finish();

        let mut gathered = P::default();
        let mut writer = gathered.writer();
        let mut part = writer.part();
        part.put(5, 3);
        part.put(1, 8);
        part.put(0, 0);
        let mut inner = part.part();
        inner.put(0, 8);
        part.put_part(inner);
        writer.put_part(part);
        writer.put_all(&bytes[2..], 0, 8);
        writer.put_all(&shorts, -5, 16);
        writer.put_all(&bytes.map(|byte| byte % 8), 0, 3);
        writer.finish();
        if P::WORDS.is_some() {
            assert_eq!(one_by_one, gathered);
        } else {
            assert!(gathered.n_bytes() < one_by_one.n_bytes());
        }

        let mut reader = gathered.reader();
        let mut part = reader.part();
        assert_eq!((part.take(3), part.take(0), part.take(8)), (5, 0, 1));
        let mut inner = part.part();
        assert_eq!(inner.take(8), 0);
        part.skip_part(inner);
        reader.skip_part(part);
        assert_eq!(reader.take_all::<u8, 9>(0, 8), bytes[2..]);
        assert_eq!(reader.take_all::<i16, 3>(-5, 16), shorts);
        assert_eq!(reader.take_all::<u8, 11>(0, 3), bytes.map(|byte| byte % 8));
        // The end reads as 0.
        let mut part = reader.part();
        assert_eq!(part.take(1), 0);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a mistake in pmc, not in the model")]
    fn a_value_that_does_not_fit_is_noticed() {
        Words::<1>::default().writer().put(8, 3);
    }

    #[test]
    fn parts_and_arrays_come_back() {
        check::<Words<4>>();
        check::<Bytes>();
    }
}
