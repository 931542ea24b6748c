//! The frontier of a breadth-first search: the queue of states to be expanded.
//!
//! A set that keeps its states in the order of insertion serves as the queue as well: callers then pass its states, and
//! the frontier only knows which of them are next. Other sets cannot be read. For these the frontier holds the states
//! of the current level and of the next one, in chunks that it frees as soon as they are expanded.

use super::queue_index::QueueIndex;
use crate::hidden::Hidden;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Packed, Pool};
use std::collections::VecDeque;

/// States in a chunk.
const CHUNK: u64 = 1024;
/// Empty chunks that are kept for later use.
const MOST_SPARE: usize = 4;

pub(crate) struct Frontier<P: Packed> {
    chunks: VecDeque<Block<P>>,
    spare: Vec<Block<P>>,
    /// The number of the first state in the first chunk; a multiple of `CHUNK`.
    first: u64,
    /// States before this one have been expanded.
    begin: u64,
    end: u64,
    has_hidden: bool,
    /// The states are in the set.
    is_kept: bool,
    /// The memory of the chunks before the last one.
    full_bytes: u64,
    index: Option<QueueIndex>,
}

/// States that a set keeps in the order of insertion.
pub(crate) trait Kept<P> {
    fn read(&self, number: u64, into: &mut P);

    fn hash(&self, number: u64, buffer: &mut P) -> u64;

    fn is_equal(&self, number: u64, state: &P) -> bool;
}

impl<P: Packed, T: Pool<P>> Kept<P> for T {
    #[inline]
    fn read(&self, number: u64, into: &mut P) {
        Pool::read(self, number as usize, into);
    }

    #[inline]
    fn hash(&self, number: u64, buffer: &mut P) -> u64 {
        self.get(number as usize, buffer).hash()
    }

    #[inline]
    fn is_equal(&self, number: u64, state: &P) -> bool {
        Pool::is_equal(self, number as usize, state)
    }
}

struct Block<P: Packed> {
    states: P::Pool,
    hidden: Vec<Hidden>,
}

impl<P: Packed> Default for Block<P> {
    fn default() -> Block<P> {
        Block { states: P::Pool::default(), hidden: Vec::new() }
    }
}

impl<P: Packed> Block<P> {
    fn memory_bytes(&self) -> u64 {
        self.states.memory_bytes() + (self.hidden.capacity() * size_of::<Hidden>()) as u64
    }
}

impl<P: Packed> Frontier<P> {
    /// With an index, states in the queue can be looked up. If the set keeps the states, callers pass them.
    pub fn new(has_hidden: bool, is_indexed: bool, is_kept: bool) -> Frontier<P> {
        Frontier {
            chunks: VecDeque::new(),
            spare: Vec::new(),
            first: 0,
            begin: 0,
            end: 0,
            has_hidden,
            is_kept,
            full_bytes: 0,
            index: is_indexed.then(QueueIndex::default),
        }
    }

    /// The number that the next state will get.
    #[inline]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Adds a state, whose number is [`end`](Self::end).
    #[inline]
    pub fn push(&mut self, state: &P, hidden: Hidden) -> Result<(), OutOfMemory> {
        if !self.is_kept || self.has_hidden {
            self.push_to_chunk(state, hidden)?;
        }
        self.end += 1;
        Ok(())
    }

    #[inline]
    fn push_to_chunk(&mut self, state: &P, hidden: Hidden) -> Result<(), OutOfMemory> {
        if (self.end - self.first) as usize == self.chunks.len() * CHUNK as usize {
            self.add_chunk()?;
        }
        let Some(chunk) = self.chunks.back_mut() else { return Err(OutOfMemory) };
        if self.has_hidden {
            reserve(&mut chunk.hidden)?;
        }
        if !self.is_kept {
            chunk.states.push(state)?;
        }
        if self.has_hidden {
            chunk.hidden.push(hidden);
        }
        Ok(())
    }

    #[cold]
    fn add_chunk(&mut self) -> Result<(), OutOfMemory> {
        self.chunks.try_reserve(1)?;
        self.full_bytes += self.chunks.back().map_or(0, Block::memory_bytes);
        self.chunks.push_back(self.spare.pop().unwrap_or_default());
        Ok(())
    }

    #[inline]
    fn place(&self, number: u64) -> (usize, usize) {
        (((number - self.first) / CHUNK) as usize, (number % CHUNK) as usize)
    }

    /// Copies a state that is in the queue.
    #[inline]
    pub fn read(&self, number: u64, kept: Option<&impl Kept<P>>, into: &mut P) -> Hidden {
        match kept {
            Some(states) => states.read(number, into),
            None => {
                let (chunk, place) = self.place(number);
                Pool::read(&self.chunks[chunk].states, place, into);
            }
        }
        self.hidden(number)
    }

    /// Whether the states are here, and not in the set.
    #[inline]
    pub fn has_states(&self) -> bool {
        !self.is_kept
    }

    #[inline]
    pub fn has_hidden(&self) -> bool {
        self.has_hidden
    }

    /// The data of a state beside the state itself.
    #[inline]
    pub fn hidden(&self, number: u64) -> Hidden {
        let (chunk, place) = self.place(number);
        if self.has_hidden { self.chunks[chunk].hidden[place] } else { Hidden::default() }
    }

    /// The number of a state if it is in the queue, and the queue has an index.
    pub fn find(&mut self, state: &P, hash: u64, kept: Option<&impl Kept<P>>) -> Option<u64> {
        let mut index = self.index.take()?;
        let mut buffer = P::default();
        let hash_of = |number| {
            let (chunk, place) = self.place(number);
            match kept {
                Some(states) => states.hash(number, &mut buffer),
                None => self.chunks[chunk].states.get(place, &mut buffer).hash(),
            }
        };
        let is_it = |number| {
            let (chunk, place) = self.place(number);
            match kept {
                Some(states) => states.is_equal(number, state),
                None => Pool::is_equal(&self.chunks[chunk].states, place, state),
            }
        };
        let found = index.find(self.begin..self.end, hash_of, hash, is_it);
        self.index = Some(index);
        found
    }

    /// The states before this one have been expanded.
    #[inline]
    pub fn release_before(&mut self, number: u64) {
        self.begin = number;
        if number - self.first >= CHUNK {
            self.release_chunks();
        }
    }

    #[cold]
    fn release_chunks(&mut self) {
        if let Some(index) = &mut self.index {
            index.trim(self.end - self.begin);
        }
        while self.begin - self.first >= CHUNK {
            self.first += CHUNK;
            let Some(mut chunk) = self.chunks.pop_front() else { continue };
            if !self.chunks.is_empty() {
                self.full_bytes = self.full_bytes.saturating_sub(chunk.memory_bytes());
            } else {
                self.full_bytes = 0;
            }
            if self.spare.len() < MOST_SPARE {
                chunk.states.truncate(0);
                chunk.hidden.clear();
                self.spare.push(chunk);
            }
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let last = self.chunks.back().map_or(0, Block::memory_bytes);
        let spare: u64 = self.spare.iter().map(Block::memory_bytes).sum();
        self.full_bytes + last + spare + self.index.as_ref().map_or(0, QueueIndex::memory_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Bytes, Words, Writer};

    fn state<P: Packed>(value: u64) -> P {
        let mut packed = P::default();
        let mut writer = packed.writer();
        writer.put(value as u32, 32);
        writer.finish();
        packed
    }

    fn check<P: Packed>(is_indexed: bool, is_kept: bool) {
        let mut frontier = Frontier::<P>::new(false, is_indexed, is_kept);
        let mut pool = P::Pool::default();
        let mut out = P::default();
        for value in 0..10_001 {
            pool.push(&state(value)).unwrap();
        }
        let kept = is_kept.then_some(&pool);
        for value in 0..10_000 {
            let state: P = state(value);
            frontier.push(&state, Hidden::default()).unwrap();
        }
        // The index is built on demand.
        let first: P = state(0);
        assert_eq!(frontier.find(&first, first.hash(), kept), is_indexed.then_some(0));
        let most = frontier.memory_bytes();
        for number in 0..10_000_u64 {
            frontier.read(number, kept, &mut out);
            assert_eq!(out, state(number));
            frontier.release_before(number);
            if number % 313 == 0 {
                let mut found = |value| frontier.find(&state::<P>(value), state::<P>(value).hash(), kept);
                assert_eq!(found(number), is_indexed.then_some(number));
                assert_eq!(found(9_999), is_indexed.then_some(9_999));
                assert_eq!((number.checked_sub(1).and_then(&mut found), found(10_000)), (None, None));
            }
        }
        if is_kept {
            assert!(is_indexed || most == 0, "{most} bytes for states that are elsewhere");
        } else {
            assert!(frontier.memory_bytes() <= most / 2, "{most} bytes became {}", frontier.memory_bytes());
        }
        frontier.release_before(10_000);
        let next: P = state(10_000);
        frontier.push(&next, Hidden::default()).unwrap();
        frontier.read(10_000, kept, &mut out);
        assert_eq!((out, frontier.end()), (next, 10_001));
    }

    #[test]
    fn states_leave_in_the_order_in_which_they_came() {
        for (is_indexed, is_kept) in [(false, false), (true, false), (false, true), (true, true)] {
            check::<Words<2>>(is_indexed, is_kept);
            check::<Bytes>(is_indexed, is_kept);
        }
    }

    #[test]
    fn hidden_values_are_here_also_if_states_are_not() {
        let mut frontier = Frontier::<Words<2>>::new(true, false, true);
        let mut pool = <Words<2> as Packed>::Pool::default();
        let mut out = Words::default();
        for value in 0..3_000 {
            pool.push(&state(value)).unwrap();
            frontier.push(&state(value), Hidden::numbered(value as u32)).unwrap();
        }
        for number in 0..3_000_u64 {
            assert_eq!(frontier.read(number, Some(&pool), &mut out), Hidden::numbered(number as u32));
            frontier.release_before(number);
        }
    }
}
