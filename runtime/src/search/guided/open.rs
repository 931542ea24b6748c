//! The open states of a guided search: a queue for each rank, the lowest rank first.
//!
//! Ranks are few, since distances are small numbers. Within a rank states leave in the order in which they came. A queue
//! consists of chunks, which are freed as soon as their states are expanded.

use crate::hidden::Hidden;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Packed, Pool};
use std::collections::VecDeque;

/// States in a chunk.
const CHUNK: usize = 256;
/// Empty chunks that are kept for later use.
const MOST_SPARE: usize = 8;

/// Compared from left to right.
pub(super) type Rank = (u64, u64);

/// The data of an open state beside the state itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenState {
    /// Steps from the initial state.
    pub depth: u64,
    /// Where it came from, or the number that it has already: the search knows which.
    pub origin: u64,
    pub hidden: Hidden,
}

pub(super) struct Open<P: Packed> {
    /// The lowest rank is the last: a tree of the standard library would be half of the code of a guided search.
    ranks: Vec<(Rank, VecDeque<Chunk<P>>)>,
    spare: Vec<Chunk<P>>,
    /// The memory of the chunks that are full.
    full_bytes: u64,
}

struct Chunk<P: Packed> {
    states: P::Pool,
    entries: Vec<OpenState>,
    next: usize,
}

impl<P: Packed> Default for Chunk<P> {
    fn default() -> Chunk<P> {
        Chunk { states: P::Pool::default(), entries: Vec::new(), next: 0 }
    }
}

impl<P: Packed> Chunk<P> {
    fn memory_bytes(&self) -> u64 {
        self.states.memory_bytes() + (self.entries.capacity() * size_of::<OpenState>()) as u64
    }
}

impl<P: Packed> Open<P> {
    pub fn new() -> Open<P> {
        Open { ranks: Vec::new(), spare: Vec::new(), full_bytes: 0 }
    }

    pub fn push(&mut self, rank: Rank, state: &P, entry: OpenState) -> Result<(), OutOfMemory> {
        let place = self.ranks.partition_point(|(other, _)| *other > rank);
        if self.ranks.get(place).is_none_or(|(other, _)| *other != rank) {
            self.ranks.insert(place, (rank, VecDeque::new()));
        }
        let (_, queue) = &mut self.ranks[place];
        if queue.back().is_none_or(|chunk| chunk.entries.len() >= CHUNK) {
            queue.try_reserve(1)?;
            self.full_bytes += queue.back().map_or(0, Chunk::memory_bytes);
            queue.push_back(self.spare.pop().unwrap_or_default());
        }
        let Some(chunk) = queue.back_mut() else { return Err(OutOfMemory) };
        reserve(&mut chunk.entries)?;
        chunk.states.push(state)?;
        chunk.entries.push(entry);
        Ok(())
    }

    /// Removes the first state of the lowest rank.
    pub fn pop(&mut self, into: &mut P) -> Option<OpenState> {
        let (_, queue) = self.ranks.last_mut()?;
        let chunk = queue.front_mut()?;
        let entry = *chunk.entries.get(chunk.next)?;
        chunk.states.read(chunk.next, into);
        chunk.next += 1;
        if chunk.next == chunk.entries.len() {
            let was_full = queue.len() > 1;
            let chunk = queue.pop_front();
            if queue.is_empty() {
                self.ranks.pop();
            }
            self.recycle(chunk, was_full);
        }
        Some(entry)
    }

    fn recycle(&mut self, chunk: Option<Chunk<P>>, was_full: bool) {
        let Some(mut chunk) = chunk else { return };
        if was_full {
            self.full_bytes = self.full_bytes.saturating_sub(chunk.memory_bytes());
        }
        if self.spare.len() < MOST_SPARE {
            chunk.states.truncate(0);
            chunk.entries.clear();
            chunk.next = 0;
            self.spare.push(chunk);
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let last = self.ranks.iter().filter_map(|(_, queue)| queue.back()).map(Chunk::memory_bytes);
        let spare = self.spare.iter().map(Chunk::memory_bytes);
        self.full_bytes + last.chain(spare).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Bytes, Words, Writer};
    use crate::toy::Random;

    fn state<P: Packed>(value: u64) -> P {
        let mut packed = P::default();
        let mut writer = packed.writer();
        writer.put(value as u32, 32);
        writer.finish();
        packed
    }

    fn check<P: Packed>() {
        let mut open = Open::<P>::new();
        let mut random = Random(7);
        let mut expected = Vec::new();
        let mut out = P::default();
        for round in 0..4 {
            for value in 0..3_000 {
                let rank = (random.below(5), random.below(3));
                let entry = OpenState { depth: round, origin: value, hidden: Hidden::default() };
                open.push(rank, &state(value), entry).unwrap();
                expected.push((rank, round, value));
            }
            // A stable sort: the oldest first within a rank.
            expected.sort_by_key(|&(rank, ..)| rank);
            for (_, depth, origin) in expected.drain(..2_000) {
                assert_eq!(open.pop(&mut out), Some(OpenState { depth, origin, hidden: Hidden::default() }));
                assert_eq!(out, state(origin));
            }
        }
        let most = open.memory_bytes();
        assert!(most > 0);
        while open.pop(&mut out).is_some() {}
        assert_eq!(open.full_bytes, 0);
        assert!(open.memory_bytes() < most);
    }

    #[test]
    fn the_lowest_rank_leaves_first_and_of_its_states_the_oldest() {
        check::<Words<2>>();
        check::<Bytes>();
    }
}
