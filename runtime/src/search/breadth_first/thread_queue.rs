//! The queue of one thread: the states that it has found, and the origin of each for counterexamples.

use super::chunk::Chunk;
use super::expansion_order::StateId;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::search::ancestry::{Ancestry, Origin, OriginReader};
use crate::search::frontier::{Frontier, Kept};
use std::ops::Range;

/// The data of a queue beside a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub origin: Origin,
    pub hidden: Hidden,
}

pub(super) struct ThreadQueue<P: Packed> {
    /// The number of the thread.
    pub number: u16,
    pub frontier: Frontier<P>,
    ancestry: Ancestry,
    /// The states of the current level that no thread has claimed; those behind them are the next level.
    pub level: Range<u64>,
    /// The distance of that level from the initial state.
    depth: u64,
    pub transitions: u64,
    pub state_bytes: usize,
}

impl<P: Packed> ThreadQueue<P> {
    /// If the set keeps the states, the queue does not: they have the same order there.
    pub fn new(number: u16, has_hidden: bool, is_indexed: bool, is_kept: bool) -> ThreadQueue<P> {
        ThreadQueue {
            number,
            frontier: Frontier::new(has_hidden, is_indexed, is_kept),
            ancestry: Ancestry::default(),
            level: 0..0,
            depth: 0,
            transitions: 0,
            state_bytes: 0,
        }
    }

    /// Adds a state that is new in the set.
    #[inline(always)]
    pub fn add(&mut self, state: &P, entry: Entry) -> Result<(), OutOfMemory> {
        self.ancestry.push(entry.origin)?;
        self.frontier.push(state, entry.hidden)?;
        self.state_bytes = self.state_bytes.max(state.n_bytes());
        Ok(())
    }

    /// Reads the origins of the states.
    pub fn origins(&self) -> OriginReader<'_> {
        OriginReader::new(&self.ancestry)
    }

    /// Declares all states found so far the level at this depth, unless that was done already.
    pub fn advance_to(&mut self, depth: u64) {
        if self.depth < depth {
            self.depth = depth;
            self.advance();
        }
    }

    /// Advances to the next level, which was found while the current one was expanded. Returns its number of states.
    pub fn advance(&mut self) -> u64 {
        self.frontier.release_before(self.level.end);
        self.level = self.level.end..self.frontier.end();
        self.level.end - self.level.start
    }

    /// States of the next level.
    pub fn n_next(&self) -> u64 {
        self.frontier.end() - self.level.end
    }

    /// Moves at most `n_most` states of the level into `chunk`, which one of so many threads expands. Returns whether
    /// there are any.
    pub fn claim(&mut self, (n_threads, n_most): (u64, u64), chunk: &mut Chunk<P>) -> Result<bool, OutOfMemory> {
        let n_states = Chunk::<P>::size(self.level.end - self.level.start, n_threads, n_most);
        let end = self.level.start + n_states;
        chunk.first = StateId { number: self.level.start, queue: self.number };
        chunk.take(&self.frontier, self.level.start..end)?;
        self.level.start = end;
        self.frontier.release_before(end);
        Ok(n_states > 0)
    }

    /// Whether a state is in the next level.
    pub fn is_in_next_level(&mut self, state: &P, hash: u64, kept: Option<&impl Kept<P>>) -> bool {
        self.frontier.find(state, hash, kept).is_some_and(|number| number >= self.level.end)
    }

    pub fn memory_bytes(&self) -> u64 {
        self.frontier.memory_bytes() + self.ancestry.memory_bytes()
    }
}
