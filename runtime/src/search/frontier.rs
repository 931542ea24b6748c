//! The queue of a breadth-first search: states that are to be expanded.
//!
//! A set cannot be read, so the states of the level that is expanded and those of the next one are here, in chunks that
//! are given back as soon as they are done.

use super::state_index::StateIndex;
use crate::pack::{OutOfMemory, Packed, Pool};
use crate::system::{Hidden, reserve};
use std::collections::VecDeque;

/// States in a chunk.
const CHUNK: u64 = 1024;
/// Empty chunks that are kept for what comes.
const MOST_SPARE: usize = 4;

pub(crate) struct Frontier<P: Packed> {
    chunks: VecDeque<Chunk<P>>,
    spare: Vec<Chunk<P>>,
    /// The number of the first state in the first chunk; a multiple of `CHUNK`.
    first: u64,
    /// States before this one are done.
    begin: u64,
    end: u64,
    has_hidden: bool,
    /// What the chunks before the last one take.
    full_bytes: u64,
    index: Option<StateIndex>,
}

struct Chunk<P: Packed> {
    states: P::Pool,
    hidden: Vec<Hidden>,
}

impl<P: Packed> Default for Chunk<P> {
    fn default() -> Chunk<P> {
        Chunk { states: P::Pool::default(), hidden: Vec::new() }
    }
}

impl<P: Packed> Chunk<P> {
    fn memory_bytes(&self) -> u64 {
        self.states.memory_bytes() + (self.hidden.capacity() * size_of::<Hidden>()) as u64
    }
}

impl<P: Packed> Frontier<P> {
    /// With an index, states that are in the queue can be found.
    pub fn new(has_hidden: bool, is_indexed: bool) -> Frontier<P> {
        Frontier {
            chunks: VecDeque::new(),
            spare: Vec::new(),
            first: 0,
            begin: 0,
            end: 0,
            has_hidden,
            full_bytes: 0,
            index: is_indexed.then(StateIndex::default),
        }
    }

    /// The number of the next state that comes.
    #[inline]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Adds a state, whose number is [`end`](Self::end).
    #[inline]
    pub fn push(&mut self, state: &P, hash: u64, hidden: Hidden) -> Result<(), OutOfMemory> {
        if (self.end - self.first) as usize == self.chunks.len() * CHUNK as usize {
            self.add_chunk()?;
        }
        let Some(chunk) = self.chunks.back_mut() else { return Err(OutOfMemory) };
        if self.has_hidden {
            reserve(&mut chunk.hidden)?;
        }
        if let Some(index) = &mut self.index {
            index.insert(hash, self.end)?;
        }
        chunk.states.push(state)?;
        if self.has_hidden {
            chunk.hidden.push(hidden);
        }
        self.end += 1;
        Ok(())
    }

    #[cold]
    fn add_chunk(&mut self) -> Result<(), OutOfMemory> {
        self.chunks.try_reserve(1)?;
        self.full_bytes += self.chunks.back().map_or(0, Chunk::memory_bytes);
        self.chunks.push_back(self.spare.pop().unwrap_or_default());
        Ok(())
    }

    #[inline]
    fn place(&self, number: u64) -> (usize, usize) {
        (((number - self.first) / CHUNK) as usize, (number % CHUNK) as usize)
    }

    /// Copies a state that is in the queue.
    #[inline]
    pub fn read(&self, number: u64, into: &mut P) -> Hidden {
        let (chunk, place) = self.place(number);
        let chunk = &self.chunks[chunk];
        chunk.states.read(place, into);
        if self.has_hidden { chunk.hidden[place] } else { Hidden::default() }
    }

    /// The number of a state if it is in the queue, and the queue has an index.
    pub fn find(&self, state: &P, hash: u64) -> Option<u64> {
        let is_it = |number| {
            let (chunk, place) = self.place(number);
            number >= self.begin && self.chunks.get(chunk).is_some_and(|chunk| chunk.states.is_equal(place, state))
        };
        self.index.as_ref()?.find(hash, self.begin, is_it)
    }

    /// The states before this one are done.
    #[inline]
    pub fn release_before(&mut self, number: u64) {
        if self.index.is_some() {
            self.forget_before(number);
        }
        self.begin = number;
        if number - self.first >= CHUNK {
            self.release_chunks();
        }
    }

    #[cold]
    fn release_chunks(&mut self) {
        while self.begin - self.first >= CHUNK
            && let Some(mut chunk) = self.chunks.pop_front()
        {
            self.first += CHUNK;
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

    fn forget_before(&mut self, number: u64) {
        let mut state = P::default();
        for done in self.begin..number {
            self.read(done, &mut state);
            if let Some(index) = &mut self.index {
                index.remove(state.hash(), done);
            }
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let last = self.chunks.back().map_or(0, Chunk::memory_bytes);
        let spare: u64 = self.spare.iter().map(Chunk::memory_bytes).sum();
        self.full_bytes + last + spare + self.index.as_ref().map_or(0, StateIndex::memory_bytes)
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

    fn check<P: Packed>(is_indexed: bool) {
        let mut frontier = Frontier::<P>::new(false, is_indexed);
        let mut out = P::default();
        for value in 0..10_000 {
            let state: P = state(value);
            frontier.push(&state, state.hash(), Hidden::default()).unwrap();
        }
        let most = frontier.memory_bytes();
        for number in 0..10_000_u64 {
            frontier.read(number, &mut out);
            assert_eq!(out, state(number));
            frontier.release_before(number);
            if number % 313 == 0 {
                let found = |value| frontier.find(&state::<P>(value), state::<P>(value).hash());
                assert_eq!(found(number), is_indexed.then_some(number));
                assert_eq!(found(9_999), is_indexed.then_some(9_999));
                assert_eq!((number.checked_sub(1).and_then(found), found(10_000)), (None, None));
            }
        }
        assert!(frontier.memory_bytes() <= most / 2, "{most} bytes became {}", frontier.memory_bytes());
        frontier.release_before(10_000);
        let next: P = state(10_000);
        frontier.push(&next, next.hash(), Hidden::default()).unwrap();
        frontier.read(10_000, &mut out);
        assert_eq!((out, frontier.end()), (next, 10_001));
    }

    #[test]
    fn states_leave_in_the_order_in_which_they_came() {
        for is_indexed in [false, true] {
            check::<Words<2>>(is_indexed);
            check::<Bytes>(is_indexed);
        }
    }
}
