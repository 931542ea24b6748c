//! Which states a thread has expanded, in which order.
//!
//! A state remembers where it came from as a turn of a thread: those of one thread only grow, which takes few bits
//! (`ancestry.rs`), whichever shards its states were from.

use crate::pack::OutOfMemory;
use crate::search::ancestry::{StateId, Turn};
use crate::system::reserve;

/// The turns of one thread.
pub(super) struct Turns {
    pub thread: u16,
    n_turns: u64,
    /// Where its turns went on in another place. None if there is one shard: turns and states have the same numbers.
    spans: Vec<Span>,
}

/// States with successive numbers in successive turns.
struct Span {
    first_turn: u64,
    first: StateId,
}

impl Turns {
    pub fn new(thread: u16) -> Turns {
        Turns { thread, n_turns: 0, spans: Vec::new() }
    }

    /// Takes so many turns, for the states from this one on. Returns the first.
    pub fn take(&mut self, first: StateId, n_states: u64) -> Result<Turn, OutOfMemory> {
        let turn = self.turn(self.n_turns);
        let goes_on = self.spans.last().is_some_and(|span| span.at(self.n_turns) == first);
        if !goes_on {
            reserve(&mut self.spans)?;
            self.spans.push(Span { first_turn: self.n_turns, first });
        }
        self.n_turns += n_states;
        Ok(turn)
    }

    #[inline]
    pub fn turn(&self, number: u64) -> Turn {
        Turn { number, thread: self.thread }
    }

    /// The state that was expanded then.
    pub fn state(&self, number: u64) -> StateId {
        let n_before = self.spans.partition_point(|span| span.first_turn <= number);
        n_before.checked_sub(1).map_or(StateId { number, shard: 0 }, |last| self.spans[last].at(number))
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.spans.capacity() * size_of::<Span>()) as u64
    }
}

impl Span {
    fn at(&self, turn: u64) -> StateId {
        StateId { number: self.first.number + (turn - self.first_turn), shard: self.first.shard }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_leads_back_to_its_state() {
        let state = |shard, number| StateId { number, shard };
        let mut turns = Turns::new(3);
        assert_eq!(turns.state(7), state(0, 7), "one shard");
        assert_eq!(turns.take(state(1, 10), 5), Ok(Turn { number: 0, thread: 3 }));
        assert_eq!(turns.take(state(1, 15), 5), Ok(Turn { number: 5, thread: 3 }));
        assert_eq!(turns.take(state(0, 0), 2), Ok(Turn { number: 10, thread: 3 }));
        assert_eq!(turns.take(state(1, 20), 1), Ok(Turn { number: 12, thread: 3 }));
        assert_eq!(turns.spans.len(), 3, "what goes on is one span");
        let states = (0..13).map(|turn| turns.state(turn));
        let expected = (10..20).map(|number| state(1, number)).chain([state(0, 0), state(0, 1), state(1, 20)]);
        assert!(states.eq(expected));
    }
}
