//! The order in which a thread expands states.
//!
//! The origin of a state is the index of its parent in the expansion order of the thread that found the state. These
//! indices only grow, so that they take few bits (`ancestry.rs`), whichever thread found the parents.

use crate::memory::{OutOfMemory, reserve};

/// The thread that found a state, and the number of the state in the queue of that thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateId {
    pub number: u64,
    pub queue: u16,
}

/// The expansion of a state: its index in the expansion order of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExpansionId {
    pub number: u64,
    pub thread: u16,
}

/// The states that one thread expands, in order.
#[derive(Default)]
pub(super) struct ExpansionOrder {
    n_expanded: u64,
    /// Each begins where the order leaves successive states of one queue. Empty with one thread: there a state is
    /// expanded at the index that is its number.
    spans: Vec<Span>,
}

/// States with successive numbers, expanded at successive indices.
struct Span {
    first_index: u64,
    first: StateId,
}

impl ExpansionOrder {
    /// Appends `n_states` states from `first` on. Returns the index of the first.
    pub fn take(&mut self, first: StateId, n_states: u64) -> Result<u64, OutOfMemory> {
        let expansion_index = self.n_expanded;
        let goes_on = self.spans.last().is_some_and(|span| span.at(expansion_index) == first);
        if !goes_on {
            reserve(&mut self.spans)?;
            self.spans.push(Span { first_index: expansion_index, first });
        }
        self.n_expanded += n_states;
        Ok(expansion_index)
    }

    /// The state at this index.
    pub fn state(&self, number: u64) -> StateId {
        let n_before = self.spans.partition_point(|span| span.first_index <= number);
        n_before.checked_sub(1).map_or(StateId { number, queue: 0 }, |last| self.spans[last].at(number))
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.spans.capacity() * size_of::<Span>()) as u64
    }
}

impl Span {
    fn at(&self, expansion_index: u64) -> StateId {
        StateId { number: self.first.number + (expansion_index - self.first_index), queue: self.first.queue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_leads_back_to_its_state() {
        let state = |queue, number| StateId { number, queue };
        let mut expansion_order = ExpansionOrder::default();
        assert_eq!(expansion_order.state(7), state(0, 7), "one thread");
        assert_eq!(expansion_order.take(state(1, 10), 5), Ok(0));
        assert_eq!(expansion_order.take(state(1, 15), 5), Ok(5));
        assert_eq!(expansion_order.take(state(0, 0), 2), Ok(10));
        assert_eq!(expansion_order.take(state(1, 20), 1), Ok(12));
        assert_eq!(expansion_order.spans.len(), 3, "what goes on is one span");
        let states = (0..13).map(|expansion_index| expansion_order.state(expansion_index));
        let expected = (10..20).map(|number| state(1, number)).chain([state(0, 0), state(0, 1), state(1, 20)]);
        assert!(states.eq(expected));
    }
}
