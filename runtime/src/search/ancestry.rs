//! The parent of each state of a breadth-first search, in about ten bits a state.
//!
//! A thread numbers the states that it finds, and it numbers the states that it expands. So the expansion indices of the
//! parents of successive states do not decrease, and the difference between two of them is mostly 0 or 1. A stream of
//! bits holds each difference in unary, as that many zeros and a one: two bits a state, since the indices pass each
//! expanded state once. With one thread a state is expanded at the index that is its number.
//!
//! One more byte a state holds the number of the state among the successors of its parent. A path is found by walking
//! back to the initial state, and then forwards by expanding the same states again. No state is ever read from a set, so
//! that lossy sets (hash compaction, bitstate) work as well.

use crate::memory::{OutOfMemory, growth};

/// Entries between two places where reading can start.
const STRIDE: usize = 2048;
/// Ordinals from this on are kept apart.
const LARGE: u8 = u8::MAX;
/// With fewer zeros an entry has at most 64 bits.
const MOST_ZEROS: u64 = 63;

/// How a state was reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The index of its parent in the expansion order of the thread.
    pub expansion_index: u64,
    /// Its number among the successors of the parent, counted through all attempts to expand the parent.
    pub ordinal: u32,
}

/// The origins of the states that one thread has found.
#[derive(Default)]
pub(crate) struct Ancestry {
    bits: BitStream,
    /// The last expansion index.
    last: u64,
    starts: Vec<Start>,
    /// Expansion indices that do decrease, by the number of the state: a parent was expanded again.
    backwards: Vec<(u64, u64)>,
    ordinals: Vec<u8>,
    large_ordinals: Vec<(u64, u32)>,
}

/// Where reading can start: the position in the stream, and the last expansion index before it.
struct Start {
    at: u64,
    last: u64,
}

impl Ancestry {
    /// Adds the origin of the next state. Nothing is added if there is no memory.
    #[inline]
    pub fn push(&mut self, origin: Origin) -> Result<(), OutOfMemory> {
        let difference = origin.expansion_index.wrapping_sub(self.last);
        // Nearly all states take this fast path.
        let number = self.ordinals.len();
        let is_ordinary = origin.ordinal < u32::from(LARGE)
            && difference < MOST_ZEROS
            && !number.is_multiple_of(STRIDE)
            && number < self.ordinals.capacity()
            && self.bits.has_room(64);
        if !is_ordinary {
            return self.push_any(origin);
        }
        self.bits.put(1 << difference, difference as u32 + 1);
        self.last = origin.expansion_index;
        self.ordinals.push(origin.ordinal as u8);
        Ok(())
    }

    /// The same for all states.
    fn push_any(&mut self, origin: Origin) -> Result<(), OutOfMemory> {
        let number = self.ordinals.len();
        if number == self.ordinals.capacity() {
            self.ordinals.try_reserve_exact(growth(number))?;
        }
        // A decrease is written as a difference of 0, and kept apart.
        let difference = origin.expansion_index.saturating_sub(self.last);
        self.bits.reserve(difference + 1)?;
        if number.is_multiple_of(STRIDE) || origin.expansion_index < self.last || origin.ordinal >= u32::from(LARGE) {
            self.push_beside(number, origin)?;
        }
        self.bits.put_zeros(difference);
        self.bits.put(1, 1);
        self.last = origin.expansion_index;
        self.ordinals.push(u8::try_from(origin.ordinal).unwrap_or(LARGE));
        Ok(())
    }

    #[cold]
    fn push_beside(&mut self, number: usize, origin: Origin) -> Result<(), OutOfMemory> {
        self.starts.try_reserve(1)?;
        self.backwards.try_reserve(1)?;
        self.large_ordinals.try_reserve(1)?;
        if number.is_multiple_of(STRIDE) {
            self.starts.push(Start { at: self.bits.len, last: self.last });
        }
        if origin.expansion_index < self.last {
            self.backwards.push((number as u64, origin.expansion_index));
        }
        if origin.ordinal >= u32::from(LARGE) {
            self.large_ordinals.push((number as u64, origin.ordinal));
        }
        Ok(())
    }

    /// The expansion indices of the states of one stride, as far as there are any.
    fn read_stride(&self, stride: usize, into: &mut Vec<u64>) {
        into.clear();
        let Some(&Start { mut at, last: mut expansion_index }) = self.starts.get(stride) else { return };
        let first = stride * STRIDE;
        let numbers = first as u64..self.ordinals.len().min(first + STRIDE) as u64;
        let first_backwards = self.backwards.partition_point(|&(other, _)| other < numbers.start);
        let mut backwards = self.backwards[first_backwards..].iter().peekable();
        for number in numbers {
            let zeros = self.bits.zeros_from(at);
            at += zeros + 1;
            expansion_index += zeros;
            if let Some(&(_, before)) = backwards.next_if(|&&(other, _)| other == number) {
                expansion_index = before;
            }
            into.push(expansion_index);
        }
    }

    fn ordinal(&self, number: u64) -> Option<u32> {
        match *self.ordinals.get(number as usize)? {
            LARGE => {
                let place = self.large_ordinals.binary_search_by_key(&number, |&(other, _)| other).ok()?;
                Some(self.large_ordinals[place].1)
            }
            small => Some(u32::from(small)),
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let lists = self.starts.capacity() * size_of::<Start>()
            + self.backwards.capacity() * size_of::<(u64, u64)>()
            + self.large_ordinals.capacity() * size_of::<(u64, u32)>()
            + self.bits.words.capacity() * size_of::<u64>();
        (lists + self.ordinals.capacity()) as u64
    }
}

/// Reads origins. A path goes back through states with ever smaller numbers, many of one stride after the other, so the
/// stride that was read last is kept.
pub(crate) struct OriginReader<'a> {
    ancestry: &'a Ancestry,
    stride: usize,
    /// The expansion indices of its states; none if no stride was read yet.
    expansion_indices: Vec<u64>,
}

impl<'a> OriginReader<'a> {
    pub fn new(ancestry: &'a Ancestry) -> OriginReader<'a> {
        OriginReader { ancestry, stride: 0, expansion_indices: Vec::new() }
    }

    /// The origin of a state that was added.
    pub fn of(&mut self, number: u64) -> Option<Origin> {
        let (stride, place) = (number as usize / STRIDE, number as usize % STRIDE);
        if self.expansion_indices.is_empty() || stride != self.stride {
            self.ancestry.read_stride(stride, &mut self.expansion_indices);
            self.stride = stride;
        }
        let expansion_index = *self.expansion_indices.get(place)?;
        Some(Origin { expansion_index, ordinal: self.ancestry.ordinal(number)? })
    }
}

/// Words of a stream that are allocated together.
const SPARE_WORDS: usize = 64;

/// A stream of bits.
#[derive(Default)]
struct BitStream {
    words: Vec<u64>,
    len: u64,
}

impl BitStream {
    /// Whether `n` more bits fit.
    #[inline]
    fn has_room(&self, n_bits: u64) -> bool {
        (self.len + n_bits) / 64 < self.words.len() as u64
    }

    /// Makes room for `n` more bits, and some spare ones.
    fn reserve(&mut self, n_bits: u64) -> Result<(), OutOfMemory> {
        if self.has_room(n_bits) {
            return Ok(());
        }
        let n_words = ((self.len + n_bits) / 64 + 1) as usize + SPARE_WORDS;
        if n_words > self.words.capacity() {
            self.words.try_reserve_exact((n_words - self.words.len()).max(growth(self.words.len())))?;
        }
        self.words.resize(n_words, 0);
        Ok(())
    }

    /// Appends the low bits of `value`, which has no others, where there is room.
    #[inline]
    fn put(&mut self, value: u64, n_bits: u32) {
        let (word, shift) = ((self.len / 64) as usize, (self.len % 64) as u32);
        self.words[word] |= value << shift;
        if shift + n_bits > 64 {
            self.words[word + 1] |= value >> (64 - shift);
        }
        self.len += u64::from(n_bits);
    }

    #[inline]
    fn put_zeros(&mut self, n_bits: u64) {
        self.len += n_bits;
    }

    /// The number of zeros from `at` on before the next one.
    fn zeros_from(&self, at: u64) -> u64 {
        let mut zeros = 0;
        let mut at = at;
        while let Some(&word) = self.words.get((at / 64) as usize) {
            let shift = at % 64;
            let bits = word >> shift;
            if bits != 0 {
                return zeros + u64::from(bits.trailing_zeros());
            }
            zeros += 64 - shift;
            at += 64 - shift;
        }
        zeros
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Random;

    fn check(origins: &[Origin]) -> Ancestry {
        let mut ancestry = Ancestry::default();
        for &origin in origins {
            ancestry.push(origin).unwrap();
        }
        assert_eq!(ancestry.ordinals.len(), origins.len());
        let mut reader = OriginReader::new(&ancestry);
        for number in (0..origins.len()).rev() {
            assert_eq!(reader.of(number as u64), Some(origins[number]), "state {number}");
        }
        // From one stride to another, where each is read anew.
        for number in (0..origins.len()).step_by(STRIDE - 1).flat_map(|number| [number, 0]) {
            assert_eq!(reader.of(number as u64), Some(origins[number]), "state {number}");
        }
        for behind in [0, STRIDE] {
            assert_eq!(reader.of((origins.len() + behind) as u64), None);
        }
        ancestry
    }

    /// Expansion indices that grow by random steps, and now and then decrease.
    fn some_origins(n_states: usize, longest: u64, goes_back: bool) -> Vec<Origin> {
        let mut random = Random(longest);
        let mut expansion_index = 0_u64;
        let mut next = |below: u64| random.below(below);
        (0..n_states)
            .map(|_| {
                expansion_index += next(longest);
                if goes_back && next(100) == 0 {
                    expansion_index /= 2;
                }
                let largest = if next(50) == 0 { 100_000 } else { 200 };
                Origin { expansion_index, ordinal: next(largest) as u32 }
            })
            .collect()
    }

    #[test]
    fn origins_come_back() {
        for longest in [1, 3, 70, 500] {
            for goes_back in [false, true] {
                check(&some_origins(6_000, longest, goes_back));
            }
        }
    }

    #[test]
    fn a_long_jump_crosses_words() {
        let origin = |expansion_index, ordinal| Origin { expansion_index, ordinal };
        check(&[origin(0, 0), origin(63, 254), origin(64, 255), origin(1_000, 256), origin(1_000, u32::MAX)]);
    }

    #[test]
    fn a_state_takes_about_ten_bits() {
        // Each state has one child on average.
        let mut ancestry = Ancestry::default();
        for origin in some_origins(200_000, 3, false) {
            ancestry.push(Origin { ordinal: origin.ordinal % 200, ..origin }).unwrap();
        }
        let used = ancestry.bits.len + 8 * ancestry.ordinals.len() as u64;
        assert!((9.5..10.5).contains(&(used as f64 / 200_000.0)), "{used} bits");
        assert!(ancestry.memory_bytes() < 200_000 * 2);
    }
}
