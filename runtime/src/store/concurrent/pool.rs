//! States that one thread appends and all threads read.
//!
//! They are words in slabs that never move, so that appending stops no other thread. The thread that appends a state
//! publishes its position by writing it into a table; a thread that has read the position there sees the state as well.

use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::prefetch::prefetch;
use crate::zeroed;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Slabs of elements, each twice as large as the previous one. The unused part of a slab takes no memory.
pub(super) struct Slabs(Vec<OnceLock<Vec<AtomicU64>>>);

/// Elements of the first slab.
const FIRST_BITS: u32 = if cfg!(test) { 4 } else { 10 };
/// Enough for 2^40 elements.
const MOST_SLABS: usize = 41 - FIRST_BITS as usize;
/// Memory is counted in steps of so many elements.
const PORTION: usize = 1 << FIRST_BITS;

/// The slab of an element, and its position there.
#[inline]
fn place(index: usize) -> (usize, usize) {
    let shifted = index + (1 << FIRST_BITS);
    let exponent = shifted.ilog2();
    ((exponent - FIRST_BITS) as usize, shifted ^ (1 << exponent))
}

impl Slabs {
    pub fn new() -> Slabs {
        Slabs((0..MOST_SLABS).map(|_| OnceLock::new()).collect())
    }

    /// The words from this element on up to the end of its slab, if there is one, at so many words for each element.
    #[inline]
    pub fn from(&self, index: usize, unit: usize) -> &[AtomicU64] {
        let (slab, place) = place(index);
        match self.0[slab].get() {
            Some(words) => &words[place * unit..],
            None => &[],
        }
    }

    /// Makes sure that the slab of the element with this number exists.
    fn add(&self, index: usize, unit: usize) -> Result<(), OutOfMemory> {
        let (slab, _) = place(index);
        let slot = self.0.get(slab).ok_or(OutOfMemory)?;
        if slot.get().is_none() {
            _ = slot.set(zeroed::common_words(unit << (FIRST_BITS as usize + slab))?);
        }
        Ok(())
    }
}

impl Slabs {
    /// Makes sure that there is a word for each number below `n`.
    pub fn add_up_to(&self, n: usize) -> Result<(), OutOfMemory> {
        let (last, _) = place(n.saturating_sub(1));
        (0..=last).try_for_each(|slab| self.add((1 << (FIRST_BITS as usize + slab)) - (1 << FIRST_BITS), 1))
    }
}

/// The states of one thread.
pub(super) struct ConcurrentPool<P> {
    n_states: AtomicU64,
    words: Slabs,
    /// The start and the length in words of each state, if sizes differ.
    extents: Slabs,
    /// Used words, if sizes differ.
    n_words: AtomicU64,
    memory_bytes: AtomicU64,
    states: PhantomData<fn() -> P>,
}

/// The high bits of an extent are the number of words.
const BEGIN_BITS: u32 = 40;

impl<P: Packed> ConcurrentPool<P> {
    /// Words of an element in `words`: of a state, if all have the same size.
    const UNIT: usize = match P::WORDS {
        Some(n_words) => n_words,
        None => 1,
    };

    pub fn new() -> ConcurrentPool<P> {
        ConcurrentPool {
            n_states: AtomicU64::new(0),
            words: Slabs::new(),
            extents: Slabs::new(),
            n_words: AtomicU64::new(0),
            memory_bytes: AtomicU64::new(0),
            states: PhantomData,
        }
    }

    #[inline]
    pub fn n_states(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed)
    }

    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes.load(Ordering::Relaxed)
    }

    #[inline]
    fn words_of(&self, index: usize) -> &[AtomicU64] {
        match P::WORDS {
            Some(_) => &self.words.from(index, Self::UNIT)[..Self::UNIT],
            None => {
                let extent = self.extents.from(index, 1)[0].load(Ordering::Relaxed);
                let begin = extent & ((1 << BEGIN_BITS) - 1);
                &self.words.from(begin as usize, 1)[..(extent >> BEGIN_BITS) as usize]
            }
        }
    }

    /// Writes a state behind all others, where it stays if it is [kept](Self::keep). Only the owning thread may do so.
    /// `admit` decides about so many bytes if the pool needs more.
    #[inline]
    pub fn write(&self, state: &P, admit: impl Fn(u64) -> bool) -> Result<(), OutOfMemory> {
        let index = self.n_states() as usize;
        let words = match P::WORDS {
            Some(_) => {
                if index.is_multiple_of(PORTION) {
                    self.extend((&self.words, Self::UNIT), index..index + PORTION, admit)?;
                }
                &self.words.from(index, Self::UNIT)[..Self::UNIT]
            }
            None => self.place_for(state, index, admit)?,
        };
        for (number, word) in words.iter().enumerate() {
            word.store(state.word(number), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Space for a state of any size, recorded as that of this one.
    fn place_for(&self, state: &P, index: usize, admit: impl Fn(u64) -> bool) -> Result<&[AtomicU64], OutOfMemory> {
        let n_words = state.n_words();
        let mut begin = self.n_words.load(Ordering::Relaxed) as usize;
        loop {
            self.words.add(begin, 1)?;
            let rest = self.words.from(begin, 1).len();
            if rest >= n_words {
                break;
            }
            // The state does not fit behind the others: the rest of the slab stays empty.
            begin += rest;
            self.n_words.store(begin as u64, Ordering::Relaxed);
        }
        if begin >> BEGIN_BITS != 0 || n_words >> (64 - BEGIN_BITS) != 0 {
            return Err(OutOfMemory);
        }
        if index.is_multiple_of(PORTION) {
            // As many words as the previous states had.
            let n_words = (begin / index.max(1) + 1) * PORTION;
            self.extend((&self.extents, 1), index..index + PORTION, |n_bytes| admit(n_bytes + n_words as u64 * 8))?;
            self.memory_bytes.store(((begin + n_words + index + PORTION) * 8) as u64, Ordering::Relaxed);
        }
        self.extents.from(index, 1)[0].store(begin as u64 | (n_words as u64) << BEGIN_BITS, Ordering::Relaxed);
        Ok(&self.words.from(begin, 1)[..n_words])
    }

    /// Takes memory for some more elements.
    #[cold]
    fn extend(
        &self,
        (slabs, unit): (&Slabs, usize),
        range: Range<usize>,
        admit: impl Fn(u64) -> bool,
    ) -> Result<(), OutOfMemory> {
        if !admit((range.len() * unit * 8) as u64) {
            return Err(OutOfMemory);
        }
        slabs.add(range.start, unit)?;
        self.memory_bytes.store((range.end * unit * 8) as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Keeps the state that was written last.
    #[inline]
    pub fn keep(&self, state: &P) {
        self.n_states.store(self.n_states() + 1, Ordering::Relaxed);
        if P::WORDS.is_none() {
            self.n_words.store(self.n_words.load(Ordering::Relaxed) + state.n_words() as u64, Ordering::Relaxed);
        }
    }

    #[inline]
    pub fn is_equal(&self, index: usize, state: &P) -> bool {
        let words = self.words_of(index);
        let is_same_size = P::WORDS.is_some() || words.len() == state.n_words();
        let differences = words.iter().enumerate().map(|(n, word)| word.load(Ordering::Relaxed) ^ state.word(n));
        is_same_size && differences.fold(0, |all, one| all | one) == 0
    }

    #[inline]
    pub fn read(&self, index: usize, into: &mut P) {
        let words = self.words_of(index);
        into.set_words(words.len(), |word| words[word].load(Ordering::Relaxed));
    }

    #[inline]
    pub fn prefetch(&self, index: usize) {
        if P::WORDS.is_some() {
            prefetch(self.words.from(index, Self::UNIT), 0);
        } else {
            prefetch(self.extents.from(index, 1), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Bytes, Words, Writer};

    #[test]
    fn places_follow_each_other() {
        let mut expected = (0, 0);
        for index in 0..100_000 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == 1 << (FIRST_BITS as usize + expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
    }

    fn check<P: Packed>(state: impl Fn(u32) -> P) {
        let pool = ConcurrentPool::<P>::new();
        for value in 0..5_000 {
            pool.write(&state(value + 1), |_| true).unwrap();
            // The other one was not kept.
            pool.write(&state(value), |_| true).unwrap();
            pool.keep(&state(value));
        }
        let mut out = P::default();
        for value in 0..5_000 {
            pool.read(value as usize, &mut out);
            assert_eq!(out, state(value));
            assert_eq!(out.hash(), state(value).hash());
            assert!(pool.is_equal(value as usize, &out) && !pool.is_equal(value as usize, &state(value + 1)));
        }
        assert_eq!(pool.n_states(), 5_000);
        assert!(pool.write(&state(0), |_| true).is_ok());
        let full = ConcurrentPool::<P>::new();
        assert_eq!(full.write(&state(0), |_| false), Err(OutOfMemory));
        assert_eq!(full.memory_bytes(), 0);
    }

    #[test]
    fn what_was_kept_comes_back() {
        check(|value| Words([u64::from(value), 3, u64::from(value) << 20]));
        check(|value| {
            let mut state = Bytes::default();
            let mut writer = state.writer();
            (0..value % 71).for_each(|number| writer.put(number, 8));
            writer.put(value, 32);
            writer.finish();
            state
        });
    }
}
