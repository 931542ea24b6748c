//! Some states of a level that one thread expands.
//!
//! Unless the set keeps them they are copies, so that nobody has to wait for the lane while they are expanded, and so that
//! it may forget them.

use super::turns::StateId;
use crate::hidden::Hidden;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Packed, Pool};
use crate::search::frontier::Frontier;
use crate::store::common::CommonSet;
use std::ops::Range;

/// States in a unit, if so many are there. Few in tests, so that there are many units.
const LEAST: u64 = if cfg!(test) { 1 } else { 8 };

pub(super) struct Unit<P: Packed> {
    pub first: StateId,
    /// When the first one is expanded.
    pub first_turn: u64,
    n_states: u64,
    /// Nothing if the set keeps its states.
    states: P::Pool,
    /// Nothing if there is none.
    hidden: Vec<Hidden>,
    buffer: P,
}

impl<P: Packed> Unit<P> {
    pub fn new() -> Unit<P> {
        let first = StateId { number: 0, lane: 0 };
        let (states, hidden, buffer) = (P::Pool::default(), Vec::new(), P::default());
        Unit { first, first_turn: 0, n_states: 0, states, hidden, buffer }
    }

    /// Out of so many states, for so many threads, and at most so many: less towards the end of a level, so that nobody has
    /// much left when others are done.
    pub fn size(n_states: u64, n_threads: u64, n_most: u64) -> u64 {
        let n_most = if cfg!(test) { 2 } else { n_most };
        (n_states / (2 * n_threads)).clamp(LEAST, n_most).min(n_states)
    }

    /// Copies what there is in the queue of the states with these numbers.
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

    /// Copies the state that is expanded in this turn.
    #[inline]
    pub fn read(&self, turn: u64, set: &impl CommonSet<P>, into: &mut P) -> Hidden {
        let place = turn - self.first_turn;
        if is_kept(set) {
            set.read(usize::from(self.first.lane), self.first.number + place, into);
        } else {
            self.states.read(place as usize, into);
        }
        self.hidden.get(place as usize).copied().unwrap_or_default()
    }
}

fn is_kept<P: Packed, C: CommonSet<P>>(_: &C) -> bool {
    C::KEEPS_STATES
}
