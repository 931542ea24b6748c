//! States inside an atomic sequence.

use crate::scene::Identity;
use crate::step::Pid;
use std::collections::HashSet;

/// A set of states, each with the process that has control.
#[derive(Default)]
pub(super) struct Inside(HashSet<(Identity, Pid)>);

impl Inside {
    /// Whether the state is new.
    pub fn insert(&mut self, state: Identity, holder: Pid) -> bool {
        self.0.insert((state, holder))
    }

    pub fn remove(&mut self, state: Identity, holder: Pid) {
        self.0.remove(&(state, holder));
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}
