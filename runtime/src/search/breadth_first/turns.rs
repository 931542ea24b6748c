//! Which states a thread has expanded, in which order.
//!
//! A state remembers where it came from as a turn of the thread that found it: those only grow, which takes few bits
//! (`ancestry.rs`), whichever thread found the states that it expanded.

use crate::memory::{OutOfMemory, reserve};

/// A state is known by the thread that found it, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateId {
    pub number: u64,
    pub queue: u16,
}

/// When a state was expanded: its number among those that a thread has expanded, in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub number: u64,
    pub thread: u16,
}

/// The turns of one thread.
#[derive(Default)]
pub(super) struct Turns {
    n_turns: u64,
    /// Where its turns went on in another place. None if there is one thread: turns and states have the same numbers.
    spans: Vec<Span>,
}

/// States with successive numbers in successive turns.
struct Span {
    first_turn: u64,
    first: StateId,
}

impl Turns {
    /// Takes so many turns, for the states from this one on. Returns the first.
    pub fn take(&mut self, first: StateId, n_states: u64) -> Result<u64, OutOfMemory> {
        let turn = self.n_turns;
        let goes_on = self.spans.last().is_some_and(|span| span.at(turn) == first);
        if !goes_on {
            reserve(&mut self.spans)?;
            self.spans.push(Span { first_turn: turn, first });
        }
        self.n_turns += n_states;
        Ok(turn)
    }

    /// The state that was expanded then.
    pub fn state(&self, number: u64) -> StateId {
        let n_before = self.spans.partition_point(|span| span.first_turn <= number);
        n_before.checked_sub(1).map_or(StateId { number, queue: 0 }, |last| self.spans[last].at(number))
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.spans.capacity() * size_of::<Span>()) as u64
    }
}

impl Span {
    fn at(&self, turn: u64) -> StateId {
        StateId { number: self.first.number + (turn - self.first_turn), queue: self.first.queue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_leads_back_to_its_state() {
        let state = |queue, number| StateId { number, queue };
        let mut turns = Turns::default();
        assert_eq!(turns.state(7), state(0, 7), "one thread");
        assert_eq!(turns.take(state(1, 10), 5), Ok(0));
        assert_eq!(turns.take(state(1, 15), 5), Ok(5));
        assert_eq!(turns.take(state(0, 0), 2), Ok(10));
        assert_eq!(turns.take(state(1, 20), 1), Ok(12));
        assert_eq!(turns.spans.len(), 3, "what goes on is one span");
        let states = (0..13).map(|turn| turns.state(turn));
        let expected = (10..20).map(|number| state(1, number)).chain([state(0, 0), state(0, 1), state(1, 20)]);
        assert!(states.eq(expected));
    }
}
