//! The cycle proviso of the depth-first search for safety.
//!
//! A reduction must not ignore an enabled process forever. An ample set with a successor off the path does no harm: the
//! search finishes that state before this one, and a process left out here is still enabled there. An ample set all of
//! whose successors are on the path closes a cycle, on which a process might be ignored in every state. Spin fully
//! expands the state that closes the cycle. Here the state that the cycle leads back to has an *obligation*: when the
//! search backtracks from it, every enabled process must have been expanded in it or in a state that was entered below it.
//! All those states can be reached from where the cycle was closed, so no process is ignored; and mostly they were
//! expanded already, so there is nothing to do. If not, the search fully expands the state with the obligation.
//!
//! Why that is enough: let s close a cycle to y, and let p be enabled in s. p was not expanded in s, so it is enabled in y
//! as well. If no state below y expands p, p is missing when the search backtracks from y. If x expands p, then no step on the
//! path from y to the first such x depends on p, and x takes the steps that p has in s.

use crate::memory::{OutOfMemory, reserve};
use crate::system::AmpleSet;

/// One entry for each state on the path that was not fully expanded when it was entered. The others have no obligation.
#[derive(Default)]
pub(super) struct CycleProviso {
    list: Vec<Obligation>,
}

#[derive(Clone, Copy)]
struct Obligation {
    /// The position of the state on the path.
    place: usize,
    /// What was expanded in this state and in those below it that the search has left.
    taken: AmpleSet,
    is_closed: bool,
}

impl CycleProviso {
    /// An ample set was expanded in the last state of the path, which is at this position.
    pub fn choose(&mut self, place: usize, who: AmpleSet) -> Result<(), OutOfMemory> {
        reserve(&mut self.list)?;
        self.list.push(Obligation { place, taken: who, is_closed: false });
        Ok(())
    }

    /// The last state of the path was fully expanded.
    #[inline]
    pub fn take_all(&mut self) {
        if let Some(obligation) = self.list.last_mut() {
            obligation.taken = AmpleSet::ALL;
        }
    }

    /// A cycle leads back to this position of the path.
    pub fn owe(&mut self, place: usize) {
        if let Ok(found) = self.list.binary_search_by_key(&place, |obligation| obligation.place) {
            self.list[found].is_closed = true;
        }
    }

    /// What must not be enabled if the search is to backtrack from the last state of the path, at this position.
    #[inline]
    pub fn missing(&self, place: usize) -> Option<AmpleSet> {
        let obligation = self.list.last().filter(|obligation| obligation.place == place && obligation.is_closed)?;
        Some(obligation.taken.complement())
    }

    /// The search backtracks from the last state of the path, at this position: what it expanded counts for those above.
    #[inline]
    pub fn leave(&mut self, place: usize) {
        if let Some(&Obligation { taken, .. }) = self.list.last().filter(|obligation| obligation.place == place) {
            self.list.pop();
            if let Some(obligation) = self.list.last_mut() {
                obligation.taken = obligation.taken.union(taken);
            }
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.list.capacity() * size_of::<Obligation>()) as u64
    }
}
