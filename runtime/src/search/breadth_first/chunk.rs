//! A chunk of a level: the states that one thread claims and expands.
//!
//! Unless the set keeps its states a chunk has copies, so that no thread blocks on the queue while they are expanded, and so
//! that the queue may free them.

use super::expansion_order::StateId;
use crate::hidden::Hidden;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Packed, Pool};
use crate::search::frontier::Frontier;
use crate::store::concurrent::ConcurrentSet;
use std::ops::Range;

/// The fewest states in a chunk, unless the level has fewer. Small in tests, so that there are many chunks.
const LEAST: u64 = if cfg!(test) { 1 } else { 8 };

pub(super) struct Chunk<P: Packed> {
    pub first: StateId,
    /// The expansion index of the first state.
    pub first_index: u64,
    n_states: u64,
    /// Empty if the set keeps its states.
    states: P::Pool,
    /// Empty if the model has no hidden variables.
    hidden: Vec<Hidden>,
    buffer: P,
}

impl<P: Packed> Chunk<P> {
    pub fn new() -> Chunk<P> {
        let first = StateId { number: 0, queue: 0 };
        let (states, hidden, buffer) = (P::Pool::default(), Vec::new(), P::default());
        Chunk { first, first_index: 0, n_states: 0, states, hidden, buffer }
    }

    /// The size of a chunk of `n_states` states: smaller towards the end of a level, so that no thread has much left when
    /// the others are done.
    pub fn size(n_states: u64, n_threads: u64, n_most: u64) -> u64 {
        let n_most = if cfg!(test) { 2 } else { n_most };
        (n_states / (2 * n_threads)).clamp(LEAST, n_most).min(n_states)
    }

    /// Copies the part of the queue with these numbers.
    pub fn take(&mut self, frontier: &Frontier<P>, numbers: Range<u64>) -> Result<(), OutOfMemory> {
        self.n_states = numbers.end - numbers.start;
        self.states.truncate(0);
        self.hidden.clear();
        for number in numbers {
            if frontier.has_states() {
                frontier.read(number, None::<&P::Pool>, &mut self.buffer);
                self.states.push(&self.buffer)?;
            }
            if frontier.has_hidden() {
                reserve(&mut self.hidden)?;
                self.hidden.push(frontier.hidden(number));
            }
        }
        Ok(())
    }

    pub fn n_states(&self) -> u64 {
        self.n_states
    }

    /// Copies the state with this number in the expansion order of the thread.
    #[inline]
    pub fn read(&self, expansion_index: u64, set: &impl ConcurrentSet<P>, into: &mut P) -> Hidden {
        let place = expansion_index - self.first_index;
        if is_kept(set) {
            set.read(usize::from(self.first.queue), self.first.number + place, into);
        } else {
            self.states.read(place as usize, into);
        }
        self.hidden.get(place as usize).copied().unwrap_or_default()
    }
}

fn is_kept<P: Packed, C: ConcurrentSet<P>>(_: &C) -> bool {
    C::KEEPS_STATES
}
