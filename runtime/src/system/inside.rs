//! States inside an atomic sequence.

use crate::scene::Identity;
use crate::step::Pid;
use std::collections::HashSet;

/// A set of states, each with the process that has control.
pub(super) trait Inside {
    /// Whether the state is new.
    fn insert(&mut self, state: Identity, holder: Pid) -> bool;

    fn remove(&mut self, state: Identity, holder: Pid);

    fn clear(&mut self);
}

/// An empty set. It is an object so that no part of a hash table, its destruction least of all, is compiled with a model.
pub(super) fn inside() -> Box<dyn Inside> {
    Box::new(HashSet::new())
}

impl Inside for HashSet<(Identity, Pid)> {
    fn insert(&mut self, state: Identity, holder: Pid) -> bool {
        HashSet::insert(self, (state, holder))
    }

    fn remove(&mut self, state: Identity, holder: Pid) {
        HashSet::remove(self, &(state, holder));
    }

    fn clear(&mut self) {
        HashSet::clear(self);
    }
}
