//! Some states of a level that one thread expands.
//!
//! They are copies, so that nobody has to wait for the shard while they are expanded, and so that it may forget them.

use crate::pack::{OutOfMemory, Packed, Pool};
use crate::search::ancestry::StateId;
use crate::system::{Hidden, reserve};

/// States in a unit; few in tests, so that there are many.
pub(super) const UNIT: u64 = if cfg!(test) { 2 } else { 128 };

pub(super) struct Unit<P: Packed> {
    pub first: StateId,
    /// When the first one is expanded.
    pub first_turn: u64,
    states: P::Pool,
    hidden: Vec<Hidden>,
    pub buffer: P,
}

impl<P: Packed> Unit<P> {
    pub fn new() -> Unit<P> {
        let first = StateId { number: 0, shard: 0 };
        Unit { first, first_turn: 0, states: P::Pool::default(), hidden: Vec::new(), buffer: P::default() }
    }

    pub fn clear(&mut self, first: StateId) {
        self.first = first;
        self.states.truncate(0);
        self.hidden.clear();
    }

    /// Adds the state in the buffer.
    pub fn push(&mut self, hidden: Hidden) -> Result<(), OutOfMemory> {
        reserve(&mut self.hidden)?;
        self.states.push(&self.buffer)?;
        self.hidden.push(hidden);
        Ok(())
    }

    pub fn n_states(&self) -> u64 {
        self.hidden.len() as u64
    }

    /// Copies the state that is expanded in this turn.
    #[inline]
    pub fn read(&self, turn: u64, into: &mut P) -> Hidden {
        let place = (turn - self.first_turn) as usize;
        self.states.read(place, into);
        self.hidden[place]
    }
}
