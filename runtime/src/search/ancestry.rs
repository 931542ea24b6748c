//! Where each state of a breadth-first search came from, in about ten bits a state.
//!
//! States are numbered in the order in which they are found, and expanded in that order: so the parents of successive
//! states never go back, and the difference to the one before is mostly 0 or 1. It is kept in a stream of bits, as
//! that many zeros and a one: two bits a state, since each state is passed by once. With several shards (see
//! `breadth_first`) a state may come from any of them; then each entry says from which, and differences are counted for
//! each source apart. They are larger, and their lowest bits are written plainly.
//!
//! Beside that there is one byte a state: which successor of its parent it was. A path is found by walking back to the
//! initial state, and then forwards, by expanding again what was expanded then. No state is ever read from a set; so
//! sets that keep something else than states will do as well.

use crate::pack::{OutOfMemory, growth};

/// Entries between two places where reading can start.
const STRIDE: usize = 2048;
/// Ordinals from this on are kept apart.
const LARGE: u8 = u8::MAX;

/// A state is known by its shard and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateId {
    pub number: u64,
    pub shard: u16,
}

/// How a state was reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub parent: StateId,
    /// Which successor of the parent it was, counted through all attempts to expand it.
    pub ordinal: u32,
}

/// The origins of the states of one shard.
pub(crate) struct Ancestry {
    bits: Bits,
    n_shards: u16,
    /// Bits that name a source, and low bits of a difference.
    source_bits: u32,
    low_bits: u32,
    /// The last parent from each source.
    last: Vec<u64>,
    starts: Vec<Start>,
    /// Parents that did go back, by the number of the state: those of a state that was expanded another time.
    backwards: Vec<(u64, u64)>,
    ordinals: Vec<u8>,
    large_ordinals: Vec<(u64, u32)>,
}

/// Where reading can start: the position in the stream, and the last parents before it.
struct Start {
    at: u64,
    last: Vec<u64>,
}

impl Ancestry {
    pub fn new(n_shards: u16) -> Ancestry {
        let source_bits = u32::from(n_shards).next_power_of_two().trailing_zeros();
        Ancestry {
            bits: Bits::default(),
            n_shards,
            source_bits,
            low_bits: source_bits,
            last: vec![0; usize::from(n_shards)],
            starts: Vec::new(),
            backwards: Vec::new(),
            ordinals: Vec::new(),
            large_ordinals: Vec::new(),
        }
    }

    /// Adds the origin of the next state. Nothing is added if there is no memory.
    #[inline]
    pub fn push(&mut self, origin: Origin) -> Result<(), OutOfMemory> {
        let number = self.ordinals.len();
        let difference = origin.parent.number.wrapping_sub(self.last[0]);
        // Nearly always there is one shard, and nothing special about the state.
        if self.source_bits == 0
            && difference < 32
            && origin.ordinal < u32::from(LARGE)
            && !number.is_multiple_of(STRIDE)
            && number < self.ordinals.capacity()
            && self.bits.has_room(64)
        {
            self.bits.put(1 << difference, difference as u32 + 1);
            self.last[0] = origin.parent.number;
            self.ordinals.push(origin.ordinal as u8);
            return Ok(());
        }
        self.push_any(origin)
    }

    /// The same for all states.
    fn push_any(&mut self, origin: Origin) -> Result<(), OutOfMemory> {
        let number = self.ordinals.len();
        if number == self.ordinals.capacity() {
            self.ordinals.try_reserve_exact(growth(number))?;
        }
        let source = usize::from(origin.parent.shard);
        let last = self.last[source];
        // What goes back is written as if it stayed.
        let difference = origin.parent.number.saturating_sub(last);
        let (zeros, low) = (difference >> self.low_bits, difference & ((1 << self.low_bits) - 1));
        self.bits.reserve(zeros + 1 + u64::from(self.source_bits + self.low_bits))?;
        if number.is_multiple_of(STRIDE) || origin.parent.number < last || origin.ordinal >= u32::from(LARGE) {
            self.push_beside(number, origin, last)?;
        }
        if self.source_bits > 0 {
            self.bits.put(source as u64 | low << self.source_bits, self.source_bits + self.low_bits);
        }
        self.bits.put_zeros(zeros);
        self.bits.put(1, 1);
        self.last[source] = origin.parent.number;
        self.ordinals.push(u8::try_from(origin.ordinal).unwrap_or(LARGE));
        Ok(())
    }

    #[cold]
    fn push_beside(&mut self, number: usize, origin: Origin, last: u64) -> Result<(), OutOfMemory> {
        self.starts.try_reserve(1)?;
        self.backwards.try_reserve(1)?;
        self.large_ordinals.try_reserve(1)?;
        if number.is_multiple_of(STRIDE) {
            let mut lasts = Vec::new();
            lasts.try_reserve_exact(self.last.len())?;
            lasts.extend_from_slice(&self.last);
            self.starts.push(Start { at: self.bits.len, last: lasts });
        }
        if origin.parent.number < last {
            self.backwards.push((number as u64, origin.parent.number));
        }
        if origin.ordinal >= u32::from(LARGE) {
            self.large_ordinals.push((number as u64, origin.ordinal));
        }
        Ok(())
    }

    /// The origin of a state that was added.
    pub fn origin(&self, number: u64) -> Option<Origin> {
        let start_number = number / STRIDE as u64 * STRIDE as u64;
        let start = self.starts.get(number as usize / STRIDE)?;
        let (mut at, mut last) = (start.at, start.last.clone());
        let mut shard = 0;
        let first_backwards = self.backwards.partition_point(|&(other, _)| other < start_number);
        let mut backwards = self.backwards[first_backwards..].iter().peekable();
        for current in start_number..=number {
            shard = self.bits.get(at, self.source_bits) as u16;
            at += u64::from(self.source_bits);
            let low = self.bits.get(at, self.low_bits);
            at += u64::from(self.low_bits);
            let zeros = self.bits.zeros_from(at);
            at += zeros + 1;
            let parent = last.get_mut(usize::from(shard))?;
            *parent += zeros << self.low_bits | low;
            if let Some(&(_, before)) = backwards.next_if(|&&(other, _)| other == current) {
                *parent = before;
            }
        }
        let ordinal = match *self.ordinals.get(number as usize)? {
            LARGE => {
                let place = self.large_ordinals.binary_search_by_key(&number, |&(other, _)| other).ok()?;
                self.large_ordinals[place].1
            }
            small => u32::from(small),
        };
        Some(Origin { parent: StateId { number: last[usize::from(shard)], shard }, ordinal })
    }

    pub fn memory_bytes(&self) -> u64 {
        let starts = self.starts.capacity() * (size_of::<Start>() + usize::from(self.n_shards) * size_of::<u64>());
        let lists = self.backwards.capacity() * size_of::<(u64, u64)>()
            + self.large_ordinals.capacity() * size_of::<(u64, u32)>()
            + self.bits.words.capacity() * size_of::<u64>();
        (starts + lists + self.ordinals.capacity()) as u64
    }
}

/// Words of a stream that are prepared together.
const SPARE_WORDS: usize = 64;

/// A stream of bits.
#[derive(Default)]
struct Bits {
    words: Vec<u64>,
    len: u64,
}

impl Bits {
    /// Whether there is room for so many more bits.
    #[inline]
    fn has_room(&self, n_bits: u64) -> bool {
        (self.len + n_bits) / 64 < self.words.len() as u64
    }

    /// Makes room for so many more bits, and some for those that come then.
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

    fn get(&self, at: u64, n_bits: u32) -> u64 {
        let word = |index: u64| self.words.get(index as usize).copied().unwrap_or(0);
        let (index, shift) = (at / 64, (at % 64) as u32);
        // A shift by 64 is none in Rust, so it takes two.
        let bits = word(index) >> shift | word(index + 1) << 1 << (63 - shift);
        bits & ((1 << n_bits) - 1)
    }

    /// How many zeros stand from `at` on before the next one.
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

    fn check(n_shards: u16, origins: &[Origin]) -> Ancestry {
        let mut ancestry = Ancestry::new(n_shards);
        for &origin in origins {
            ancestry.push(origin).unwrap();
        }
        assert_eq!(ancestry.ordinals.len(), origins.len());
        // Reading one takes up to a stride: some of them, and all kinds of places.
        let places = (0..origins.len()).filter(|place| place % 131 == 0 || place % STRIDE < 3 || origins.len() < 9);
        for number in places {
            let origin = origins[number];
            assert_eq!(ancestry.origin(number as u64), Some(origin), "state {number} of {n_shards} shards");
        }
        assert_eq!(ancestry.origin(origins.len() as u64 + STRIDE as u64), None);
        ancestry
    }

    /// Parents that go on by random steps, and now and then back.
    fn some_origins(n_shards: u16, n_states: usize, longest: u64, goes_back: bool) -> Vec<Origin> {
        let mut random = Random(u64::from(n_shards) * 77 + longest);
        let mut last = vec![0_u64; usize::from(n_shards)];
        let mut next = |below: u64| random.below(below);
        (0..n_states)
            .map(|_| {
                let shard = next(u64::from(n_shards)) as u16;
                let parent = &mut last[usize::from(shard)];
                *parent += next(longest);
                if goes_back && next(100) == 0 {
                    *parent /= 2;
                }
                let largest = if next(50) == 0 { 100_000 } else { 200 };
                let ordinal = next(largest) as u32;
                Origin { parent: StateId { number: *parent, shard }, ordinal }
            })
            .collect()
    }

    #[test]
    fn origins_come_back() {
        for n_shards in [1, 2, 3, 4, 7, 64] {
            for longest in [1, 3, 500] {
                for goes_back in [false, true] {
                    check(n_shards, &some_origins(n_shards, 6_000, longest, goes_back));
                }
            }
        }
    }

    #[test]
    fn a_long_jump_crosses_words() {
        let origin = |number, ordinal| Origin { parent: StateId { number, shard: 0 }, ordinal };
        check(1, &[origin(0, 0), origin(63, 254), origin(64, 255), origin(1_000, 256), origin(1_000, u32::MAX)]);
    }

    #[test]
    fn a_state_takes_about_ten_bits() {
        // Each state has one child on average.
        let origins = some_origins(1, 200_000, 3, false);
        let mut ancestry = Ancestry::new(1);
        for origin in origins {
            ancestry.push(Origin { ordinal: origin.ordinal % 200, ..origin }).unwrap();
        }
        let used = ancestry.bits.len + 8 * ancestry.ordinals.len() as u64;
        assert!((9.5..10.5).contains(&(used as f64 / 200_000.0)), "{used} bits");
        assert!(ancestry.memory_bytes() < 200_000 * 2);
    }
}
