//! States inside an atomic sequence.

use crate::dyn_model::Identity;
use crate::step::Pid;
use std::collections::HashSet;

/// A set of states, each with its atomic owner.
pub(super) trait AtomicStates {
    /// Whether the state is new.
    fn insert(&mut self, state: Identity, owner: Pid) -> bool;

    fn remove(&mut self, state: Identity, owner: Pid);

    fn clear(&mut self);
}

/// An empty set. It is an object so that no part of a hash table is compiled for each model.
pub(super) fn atomic_states() -> Box<dyn AtomicStates> {
    Box::new(HashSet::new())
}

impl AtomicStates for HashSet<(Identity, Pid)> {
    fn insert(&mut self, state: Identity, owner: Pid) -> bool {
        HashSet::insert(self, (state, owner))
    }

    fn remove(&mut self, state: Identity, owner: Pid) {
        HashSet::remove(self, &(state, owner));
    }

    fn clear(&mut self) {
        HashSet::clear(self);
    }
}
