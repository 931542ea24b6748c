//! Where each state of a breadth-first search came from, in about ten bits a state.
//!
//! States are numbered in the order in which they are found. One thread with one shard expands them in that order: so the
//! parents of successive states never go back, and the difference to the one before is mostly 0 or 1. It is kept in a
//! stream of bits, as that many zeros and a one: two bits a state, since each state is passed by once. With several
//! threads (see `breadth_first`) a parent is named by its turn among the states that a thread has expanded, which never
//! goes back either; each entry says whose turn it was, and differences are counted for each thread apart. With several
//! shards they are larger, and their lowest bits are written plainly.
//!
//! Beside that there is one byte a state: which successor of its parent it was. A path is found by walking back to the
//! initial state, and then forwards, by expanding again what was expanded then. No state is ever read from a set; so
//! sets that keep something else than states will do as well.

use crate::pack::{OutOfMemory, growth};

/// Entries between two places where reading can start.
const STRIDE: usize = 2048;
/// Ordinals from this on are kept apart.
const LARGE: u8 = u8::MAX;
/// With fewer zeros an entry has at most 64 bits.
const MOST_ZEROS: u64 = 31;

/// A state is known by its shard and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateId {
    pub number: u64,
    pub shard: u16,
}

/// When a state was expanded: its number among those that a thread has expanded, in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn {
    pub number: u64,
    pub thread: u16,
}

/// How a state was reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub parent: Turn,
    /// Which successor of the parent it was, counted through all attempts to expand it.
    pub ordinal: u32,
}

/// The origins of the states of one shard.
pub(crate) struct Ancestry {
    bits: Bits,
    /// Bits that name a thread, and low bits of a difference.
    thread_bits: u32,
    low_bits: u32,
    /// The last parent from each thread.
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
    /// Of one out of so many shards; of the only one if there is one thread.
    pub fn new(n_threads: u16, n_shards: u16) -> Ancestry {
        let bits = |n: u16| u32::from(n).next_power_of_two().trailing_zeros();
        Ancestry {
            bits: Bits::default(),
            thread_bits: bits(n_threads),
            low_bits: bits(n_shards).max(u32::from(n_threads > 1)),
            last: vec![0; usize::from(n_threads)],
            starts: Vec::new(),
            backwards: Vec::new(),
            ordinals: Vec::new(),
            large_ordinals: Vec::new(),
        }
    }

    /// Adds the origin of the next state. Nothing is added if there is no memory.
    #[inline]
    pub fn push(&mut self, origin: Origin) -> Result<(), OutOfMemory> {
        let thread = usize::from(origin.parent.thread);
        let difference = origin.parent.number.wrapping_sub(self.last[thread]);
        // Nearly always there is nothing special about the state.
        let number = self.ordinals.len();
        let is_ordinary = origin.ordinal < u32::from(LARGE)
            && !number.is_multiple_of(STRIDE)
            && number < self.ordinals.capacity()
            && self.bits.has_room(64);
        if is_ordinary && self.low_bits == 0 && difference < MOST_ZEROS {
            // One shard, and one thread.
            self.bits.put(1 << difference, difference as u32 + 1);
        } else if is_ordinary && difference >> self.low_bits < MOST_ZEROS {
            let (zeros, low) = (difference >> self.low_bits, difference & ((1 << self.low_bits) - 1));
            let (head, n_head) = (thread as u64 | low << self.thread_bits, self.thread_bits + self.low_bits);
            self.bits.put(head | 1 << n_head << zeros, n_head + zeros as u32 + 1);
        } else {
            return self.push_any(origin);
        }
        self.last[thread] = origin.parent.number;
        self.ordinals.push(origin.ordinal as u8);
        Ok(())
    }

    /// The same for all states.
    fn push_any(&mut self, origin: Origin) -> Result<(), OutOfMemory> {
        let number = self.ordinals.len();
        if number == self.ordinals.capacity() {
            self.ordinals.try_reserve_exact(growth(number))?;
        }
        let thread = usize::from(origin.parent.thread);
        let last = self.last[thread];
        // What goes back is written as if it stayed.
        let difference = origin.parent.number.saturating_sub(last);
        let (zeros, low) = (difference >> self.low_bits, difference & ((1 << self.low_bits) - 1));
        self.bits.reserve(zeros + 1 + u64::from(self.thread_bits + self.low_bits))?;
        if number.is_multiple_of(STRIDE) || origin.parent.number < last || origin.ordinal >= u32::from(LARGE) {
            self.push_beside(number, origin, last)?;
        }
        self.bits.put(thread as u64 | low << self.thread_bits, self.thread_bits + self.low_bits);
        self.bits.put_zeros(zeros);
        self.bits.put(1, 1);
        self.last[thread] = origin.parent.number;
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
        let mut thread = 0;
        let first_backwards = self.backwards.partition_point(|&(other, _)| other < start_number);
        let mut backwards = self.backwards[first_backwards..].iter().peekable();
        for current in start_number..=number {
            thread = self.bits.get(at, self.thread_bits) as u16;
            at += u64::from(self.thread_bits);
            let low = self.bits.get(at, self.low_bits);
            at += u64::from(self.low_bits);
            let zeros = self.bits.zeros_from(at);
            at += zeros + 1;
            let parent = last.get_mut(usize::from(thread))?;
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
        Some(Origin { parent: Turn { number: last[usize::from(thread)], thread }, ordinal })
    }

    pub fn memory_bytes(&self) -> u64 {
        let starts = self.starts.capacity() * (size_of::<Start>() + self.last.len() * size_of::<u64>());
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

    fn check(n_threads: u16, n_shards: u16, origins: &[Origin]) -> Ancestry {
        let mut ancestry = Ancestry::new(n_threads, n_shards);
        for &origin in origins {
            ancestry.push(origin).unwrap();
        }
        assert_eq!(ancestry.ordinals.len(), origins.len());
        // Reading one takes up to a stride: some of them, and all kinds of places.
        let places = (0..origins.len()).filter(|place| place % 131 == 0 || place % STRIDE < 3 || origins.len() < 9);
        for number in places {
            let origin = origins[number];
            assert_eq!(
                ancestry.origin(number as u64),
                Some(origin),
                "state {number}, {n_threads} threads, {n_shards} shards"
            );
        }
        assert_eq!(ancestry.origin(origins.len() as u64 + STRIDE as u64), None);
        ancestry
    }

    /// Parents that go on by random steps, and now and then back.
    fn some_origins(n_threads: u16, n_states: usize, longest: u64, goes_back: bool) -> Vec<Origin> {
        let mut random = Random(u64::from(n_threads) * 77 + longest);
        let mut last = vec![0_u64; usize::from(n_threads)];
        let mut next = |below: u64| random.below(below);
        (0..n_states)
            .map(|_| {
                let thread = next(u64::from(n_threads)) as u16;
                let parent = &mut last[usize::from(thread)];
                *parent += next(longest);
                if goes_back && next(100) == 0 {
                    *parent /= 2;
                }
                let largest = if next(50) == 0 { 100_000 } else { 200 };
                let ordinal = next(largest) as u32;
                Origin { parent: Turn { number: *parent, thread }, ordinal }
            })
            .collect()
    }

    #[test]
    fn origins_come_back() {
        for (n_threads, n_shards) in [(1, 1), (2, 2), (2, 8), (3, 12), (4, 4), (7, 28), (64, 256), (u16::MAX, u16::MAX)]
        {
            for longest in [1, 3, 500] {
                for goes_back in [false, true] {
                    check(n_threads, n_shards, &some_origins(n_threads, 6_000, longest, goes_back));
                }
            }
        }
    }

    #[test]
    fn a_long_jump_crosses_words() {
        let origin = |number, ordinal| Origin { parent: Turn { number, thread: 0 }, ordinal };
        check(1, 1, &[origin(0, 0), origin(63, 254), origin(64, 255), origin(1_000, 256), origin(1_000, u32::MAX)]);
    }

    #[test]
    fn a_state_takes_about_ten_bits() {
        // Each state has one child on average.
        let origins = some_origins(1, 200_000, 3, false);
        let mut ancestry = Ancestry::new(1, 1);
        for origin in origins {
            ancestry.push(Origin { ordinal: origin.ordinal % 200, ..origin }).unwrap();
        }
        let used = ancestry.bits.len + 8 * ancestry.ordinals.len() as u64;
        assert!((9.5..10.5).contains(&(used as f64 / 200_000.0)), "{used} bits");
        assert!(ancestry.memory_bytes() < 200_000 * 2);
    }
}
