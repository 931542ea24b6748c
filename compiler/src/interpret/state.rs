//! States: the words of the layout, and the memory that holds them.

use pmc_runtime::generated::{Objections, TraceObserver};
use pmc_runtime::pack::{Bytes, Packed, Words};
use pmc_runtime::step::Pid;
use smallvec::SmallVec;

use super::code::Field;
use crate::analysis::places::Bits;

/// The words of a state. States of a fixed size are arrays, others grow.
pub trait Memory: Clone + Send + Sync {
    type Packed: Packed;

    /// So many words of 0.
    fn blank(n_words: usize) -> Self;
    fn words(&self) -> &[u64];
    fn words_mut(&mut self) -> &mut [u64];
    /// New words are 0.
    fn resize(&mut self, n_words: usize);
    /// Becomes a copy of another one.
    fn become_copy(&mut self, of: &Self);
}

/// A state of the model.
#[derive(Clone, Debug)]
pub struct State<M> {
    pub memory: M,
    pub atomic_owner: Option<Pid>,
    /// The messages of the current step that the trace does not allow.
    pub objections: Objections,
}

impl<M> TraceObserver for State<M> {
    fn objections(&mut self) -> &mut Objections {
        &mut self.objections
    }
}

impl<M: Memory> State<M> {
    pub fn blank(n_words: usize) -> Self {
        Self { memory: M::blank(n_words), atomic_owner: None, objections: Objections::default() }
    }

    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        self.memory.words()
    }

    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.memory.words_mut()
    }

    /// Becomes a copy of another state.
    #[inline]
    pub fn become_copy(&mut self, of: &Self) {
        self.memory.become_copy(&of.memory);
        self.atomic_owner = of.atomic_owner;
        self.objections = of.objections;
    }
}

/// At most `N` words.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<const N: usize>(pub Words<N>);

impl<const N: usize> Memory for Fixed<N> {
    type Packed = Words<N>;

    fn blank(n_words: usize) -> Self {
        debug_assert!(n_words <= N, "the size was chosen for the layout");
        Self(Words([0; N]))
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        &self.0.0
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0.0
    }

    #[inline(always)]
    fn resize(&mut self, _: usize) {}

    #[inline(always)]
    fn become_copy(&mut self, of: &Self) {
        *self = *of;
    }
}

/// Any number of words; so many need no allocation.
#[derive(Clone, Debug)]
pub struct Growing(pub SmallVec<[u64; 24]>);

impl Memory for Growing {
    type Packed = Bytes;

    fn blank(n_words: usize) -> Self {
        Self(SmallVec::from_elem(0, n_words))
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        &self.0
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    fn resize(&mut self, n_words: usize) {
        self.0.resize(n_words, 0);
    }

    #[inline]
    fn become_copy(&mut self, of: &Self) {
        if self.0.len() == of.0.len() {
            self.0.copy_from_slice(&of.0);
        } else {
            self.0.clear();
            self.0.extend_from_slice(&of.0);
        }
    }
}

/// The bits of a field at a position, as a number.
#[inline(always)]
pub fn get(words: &[u64], at: usize, bits: u32) -> u32 {
    debug_assert!((1..=32).contains(&bits) && at % 64 + bits as usize <= 64, "a field lies in one word");
    #[expect(clippy::cast_possible_truncation, reason = "the mask leaves at most 32 bits")]
    let low = (words[at / 64] >> (at % 64)) as u32;
    low & (u32::MAX >> (32 - bits))
}

#[inline(always)]
pub fn set(words: &mut [u64], at: usize, bits: u32, raw: u32) {
    let mask = u64::from(u32::MAX >> (32 - bits));
    debug_assert!(u64::from(raw) & !mask == 0, "a value fits in the bits of its field");
    let word = &mut words[at / 64];
    *word = *word & !(mask << (at % 64)) | (u64::from(raw) & mask) << (at % 64);
}

/// The value of a field at a position.
#[inline(always)]
pub fn value(words: &[u64], at: usize, field: Field) -> i32 {
    get(words, at, u32::from(field.bits)).cast_signed().wrapping_add(field.low)
}

#[inline(always)]
pub fn set_value(words: &mut [u64], at: usize, field: Field, value: i32) {
    set(words, at, u32::from(field.bits), value.wrapping_sub(field.low).cast_unsigned());
}

/// A number of the state: of processes, of a location.
#[inline(always)]
pub fn number(words: &[u64], base: usize, bits: Bits) -> usize {
    get(words, base + bits.at, bits.bits) as usize
}

#[inline(always)]
pub fn set_number(words: &mut [u64], base: usize, bits: Bits, number: usize) {
    let raw = u32::try_from(number).expect("a number of a state has at most 32 bits");
    set(words, base + bits.at, bits.bits, raw);
}

/// Sets bits to 0, in as many words as it takes.
pub fn clear(words: &mut [u64], mut at: usize, mut size: usize) {
    while size > 0 {
        let here = size.min(64 - at % 64);
        words[at / 64] &= !(u64::MAX >> (64 - here) << (at % 64));
        at += here;
        size -= here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_and_leave_their_neighbours_alone() {
        let mut words = [u64::MAX; 2];
        let field = |bits: u8, low: i32| Field { at: 0, low, bits, base: super::super::layout::Base::State };
        set_value(&mut words, 3, field(5, 0), 9);
        set_value(&mut words, 96, field(32, 0), -7);
        set_value(&mut words, 80, field(4, -3), -2);
        assert_eq!((value(&words, 3, field(5, 0)), value(&words, 96, field(32, 0))), (9, -7));
        assert_eq!((value(&words, 80, field(4, -3)), get(&words, 80, 4)), (-2, 1));
        assert_eq!((get(&words, 0, 3), get(&words, 8, 8), get(&words, 84, 12)), (7, 255, 0xfff));
        clear(&mut words, 60, 68);
        assert_eq!((words[0] >> 59, words[1]), (1, 0));
    }
}
