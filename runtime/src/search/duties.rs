//! What a depth-first search that leaves out steps still owes to the states on its path.
//!
//! Nobody who can move may be left out forever. A choice one of whose successors is not on the path does no harm: that
//! state is finished before this one, and who was left out here can still move there. A choice that leads back to the
//! path alone closes a cycle, on which somebody might be left out in every state. Spin takes all steps where the cycle
//! closes. Here the state to which the cycle leads back *owes*: when the search is about to leave it for good, everybody
//! who can move there must have been taken in it or in a state that was entered below it. All those states can be
//! reached from wherever the cycle was closed, so nobody is left out forever; and mostly they were taken, so that there
//! is nothing to do. If not, all steps of that state are taken.
//!
//! Why it is enough to look there: let s close a cycle to y, and let p be able to move in s. It was not taken in s, so it
//! can move in y as well. If p is taken nowhere below y, it is missing when y is left. If it is taken in x, then on the
//! way from y to the first such x nobody has disturbed it, and what it could do in s it does there.

use crate::memory::{OutOfMemory, reserve};
use crate::system::AmpleSet;

/// One entry for each state on the path of which not all steps were taken when it was entered. The others owe nothing.
#[derive(Default)]
pub(super) struct Duties {
    list: Vec<Duty>,
}

#[derive(Clone, Copy)]
struct Duty {
    /// Where the state is on the path.
    place: usize,
    /// Whose steps were taken in this state and in those below it that the search has left.
    taken: AmpleSet,
    owes: bool,
}

impl Duties {
    /// Steps of some were taken in the last state of the path, which is at this place.
    pub fn choose(&mut self, place: usize, who: AmpleSet) -> Result<(), OutOfMemory> {
        reserve(&mut self.list)?;
        self.list.push(Duty { place, taken: who, owes: false });
        Ok(())
    }

    /// All steps of the last state of the path were taken.
    #[inline]
    pub fn take_all(&mut self) {
        if let Some(duty) = self.list.last_mut() {
            duty.taken = AmpleSet::ALL;
        }
    }

    /// A cycle leads back to this place of the path.
    pub fn owe(&mut self, place: usize) {
        if let Ok(found) = self.list.binary_search_by_key(&place, |duty| duty.place) {
            self.list[found].owes = true;
        }
    }

    /// Those who must not be able to move, if the last state of the path, at this place, is to be left.
    #[inline]
    pub fn missing(&self, place: usize) -> Option<AmpleSet> {
        let duty = self.list.last().filter(|duty| duty.place == place && duty.owes)?;
        Some(duty.taken.complement())
    }

    /// The last state of the path, at this place, is left: what was done in it was done below those before.
    #[inline]
    pub fn leave(&mut self, place: usize) {
        if let Some(&Duty { taken, .. }) = self.list.last().filter(|duty| duty.place == place) {
            self.list.pop();
            if let Some(duty) = self.list.last_mut() {
                duty.taken = duty.taken.union(taken);
            }
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.list.capacity() * size_of::<Duty>()) as u64
    }
}
