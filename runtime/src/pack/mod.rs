//! States as few bytes: what the stores keep.
//!
//! A layout that is known at compile time becomes [`Words`], one that grows with the processes becomes [`Bytes`]. Both are
//! written and read in the same manner, field after field:
//!
//! ```
//! use pmc_core::pack::{Packed, Reader, Words, Writer};
//! let mut packed = Words::<1>::default();
//! let mut writer = packed.writer();
//! writer.put(5, 3); // the value 5 in 3 bits
//! writer.put(-2_i32 as u32, 32);
//! writer.finish();
//! let mut reader = packed.reader();
//! assert_eq!(reader.take(3), 5);
//! assert_eq!(reader.take(32) as i32, -2);
//! ```

mod bytes;
mod keyed;
mod part;
mod words;

pub use bytes::{Bytes, BytesPool, BytesReader, BytesWriter};
pub use keyed::{Keyed, KeyedPool};
pub use part::{PART_BITS, PartReader, PartWriter, Scalar};
pub use words::{Words, WordsPool, WordsReader, WordsWriter};

use crate::memory::OutOfMemory;
use std::fmt::Debug;

/// A packed state, and the buffer that it is packed into.
pub trait Packed: Clone + Default + Debug + Eq + Send + Sync + 'static {
    /// Writes a state.
    type Writer<'a>: Writer
    where
        Self: 'a;
    /// Reads a state.
    type Reader<'a>: Reader
    where
        Self: 'a;
    /// Many packed states, numbered. The stores and the stacks of the searches are made of these.
    type Pool: Pool<Self>;

    /// Starts to write from the beginning; the previous content is lost.
    fn writer(&mut self) -> Self::Writer<'_>;

    /// Reads from the beginning.
    fn reader(&self) -> Self::Reader<'_>;

    /// A hash of the whole state.
    fn hash(&self) -> u64;

    /// The size of this state in bytes.
    fn n_bytes(&self) -> usize;

    /// How many words hold a state, if all have the same size.
    const WORDS: Option<usize>;

    /// The size of this state in words.
    fn n_words(&self) -> usize;

    /// The words that identify a state. Those behind the end are 0, and the last one is not, if sizes differ: so states
    /// of different sizes still differ when words of 0 are appended.
    fn word(&self, index: usize) -> u64;

    /// Becomes the state with these words.
    fn set_words(&mut self, n_words: usize, word: impl Fn(usize) -> u64);

    /// 128 bits that are independent of [`hash`](Self::hash), for stores that keep nothing else of a state.
    #[inline]
    fn wide_hash(&self) -> [u64; 2] {
        let (mut one, mut other) = (!SEED, SEED.rotate_left(17));
        for index in 0..self.n_words() {
            let word = self.word(index);
            one = mix_by(one, word, WIDE_MULTIPLIERS[0]);
            other = mix_by(other, word, WIDE_MULTIPLIERS[1]);
        }
        [mix(one, SEED.rotate_left(32)), mix(other, SEED.rotate_left(48))]
    }
}

/// Writes values one after another.
pub trait Writer: Sized {
    /// Appends `value`, which fits in `bits` (0 to 32) bits. Debug builds check that; others cut higher bits off.
    fn put(&mut self, value: u32, bits: u32);

    /// A writer for a few values, [`PART_BITS`] bits at most, that [`put_part`](Self::put_part) then appends as one:
    /// that takes less time and, in [`Bytes`], less space.
    #[inline(always)]
    fn part(&self) -> PartWriter {
        PartWriter::default()
    }

    /// Appends the values of a part.
    fn put_part(&mut self, part: PartWriter);

    /// Appends the distance of each of `values` from `low`.
    #[inline(always)]
    fn put_all<T: Scalar>(&mut self, values: &[T], low: i32, bits: u32) {
        let above = |value: &T| value.to_bits().wrapping_sub(low as u32);
        let at_once = PART_BITS / bits.max(1);
        let parts = values.chunks_exact(at_once as usize);
        let rest = parts.remainder();
        for values in parts {
            let mut part = self.part();
            values.iter().for_each(|value| part.put(above(value), bits));
            self.put_part(part);
        }
        let mut part = self.part();
        rest.iter().for_each(|value| part.put(above(value), bits));
        self.put_part(part);
    }

    /// To be called after the last value.
    fn finish(self) {}
}

/// Reads values in the order in which they were written, with the same widths.
pub trait Reader {
    /// The next value, which has so many bits.
    fn take(&mut self, bits: u32) -> u32;

    /// A reader for the next values, [`PART_BITS`] bits at most; [`skip_part`](Self::skip_part) skips them.
    fn part(&self) -> PartReader;

    /// Skips a part.
    fn skip_part(&mut self, part: PartReader);

    /// The next `N` values, each stored as its distance above `low`.
    #[inline(always)]
    fn take_all<T: Scalar, const N: usize>(&mut self, low: i32, bits: u32) -> [T; N] {
        let at_once = PART_BITS / bits.max(1);
        let mut values = [T::from_bits(0); N];
        for values in values.chunks_mut(at_once as usize) {
            let mut part = self.part();
            values.iter_mut().for_each(|value| *value = T::from_bits(part.take(bits).wrapping_add(low as u32)));
            self.skip_part(part);
        }
        values
    }
}

/// In debug builds: checks that a value is in the range that the compiler found for it.
#[inline(always)]
fn check_fits(value: u32, bits: u32) {
    debug_assert!(
        u64::from(value) >> bits == 0,
        "a value lies {value} above the least that pmc thought possible, and was given {bits} bits: \
         that is a mistake in pmc, not in the model"
    );
}

/// Many packed states, numbered from 0 in the order in which they were pushed.
pub trait Pool<P>: Default + Send + Sync {
    /// The number of states.
    fn n_states(&self) -> usize;
    /// Appends a state.
    fn push(&mut self, state: &P) -> Result<(), OutOfMemory>;
    /// Copies state number `index` into `into`.
    fn read(&self, index: usize, into: &mut P);
    /// State number `index`: decoded into `buffer` or, if it is kept in that form, in place.
    #[inline]
    fn get<'s>(&'s self, index: usize, buffer: &'s mut P) -> &'s P {
        self.read(index, buffer);
        buffer
    }
    /// Whether state number `index` equals this one.
    fn is_equal(&self, index: usize, state: &P) -> bool;
    /// Removes the states from number `n_states` on.
    fn truncate(&mut self, n_states: usize);
    /// Bytes taken from the system, used or not.
    fn memory_bytes(&self) -> u64;
    /// The most that pushing one more state of this size may add to `memory_bytes`.
    fn growth_bytes(&self) -> u64;
    /// Prefetches state `index`.
    fn prefetch(&self, index: usize);
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Where a hash starts: anything but 0.
pub(crate) const SEED: u64 = 0x243f_6a88_85a3_08d3;

/// One round of the hash: multiply wide, fold the halves together.
#[inline]
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    mix_by(hash, word, MULTIPLIER)
}

#[inline]
fn mix_by(hash: u64, word: u64, multiplier: u64) -> u64 {
    let wide = u128::from(hash ^ word) * u128::from(multiplier);
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// Odd, with as many ones as zeros.
const WIDE_MULTIPLIERS: [u64; 2] = [0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];

/// A round that takes two words.
#[inline]
pub(crate) fn mix_pair(hash: u64, first: u64, second: u64) -> u64 {
    let wide = u128::from(first ^ MULTIPLIER) * u128::from(second ^ hash);
    (wide as u64) ^ ((wide >> 64) as u64)
}
