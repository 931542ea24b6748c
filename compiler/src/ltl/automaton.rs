//! Automata on infinite words, as graphs.
//!
//! A word is accepted if some run over it takes, for each acceptance set,
//! infinitely many transitions that carry that set's mark. With one set and all
//! transitions out of a location marked alike, this is a Büchi automaton whose
//! locations accept, as a never claim needs it.

use crate::collections::IdVec;
use crate::ids;

use super::bdd::{Bdd, Cube, Diagrams};
use super::formula::AtomId;

ids! {
    /// A location of one automaton.
    LocationId;
}

/// A set of acceptance sets: those that contain a transition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Marks(u64);

impl Marks {
    pub const NONE: Marks = Marks(0);
    /// How many acceptance sets an automaton can have.
    pub const MOST: u32 = 64;

    /// The first `n_sets` sets.
    pub fn all(n_sets: u32) -> Self {
        Self(u64::MAX.checked_shr(Self::MOST - n_sets).unwrap_or(0))
    }

    pub fn contains(self, set: u32) -> bool {
        self.0 >> set & 1 == 1
    }

    pub fn includes(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    #[must_use]
    pub fn with(self, set: u32) -> Self {
        Self(self.0 | 1 << set)
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Each set's number raised by `sets`.
    #[must_use]
    pub fn shifted(self, sets: u32) -> Self {
        Self(self.0.checked_shl(sets).unwrap_or(0))
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Self::MOST).filter(move |set| self.contains(*set))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// A function of the atoms; never false.
    pub guard: Bdd,
    pub marks: Marks,
    pub to: LocationId,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    pub transitions: Vec<Transition>,
}

#[derive(Clone, Debug)]
pub struct Automaton {
    pub(super) guards: Diagrams,
    pub n_sets: u32,
    pub initial: LocationId,
    pub locations: IdVec<LocationId, Location>,
}

impl Automaton {
    pub fn n_transitions(&self) -> usize {
        self.locations.iter().map(|location| location.transitions.len()).sum()
    }

    /// A guard as a sum of products of atoms; true means not negated.
    pub fn cubes(&self, guard: Bdd) -> Vec<Vec<(AtomId, bool)>> {
        let literals = |cube: Cube| cube.into_iter().map(|(atom, positive)| (AtomId(atom), positive)).collect();
        self.guards.clone().cubes(guard).into_iter().map(literals).collect()
    }

    /// Whether a guard holds where `value` says which atoms do.
    pub fn holds(&self, guard: Bdd, value: impl Fn(AtomId) -> bool) -> bool {
        self.guards.holds(guard, |atom| value(AtomId(atom)))
    }

    /// The first atom that a guard tests, and the rest of the guard if it is false and if it is true; `None` for a
    /// constant guard. Atoms come in the order of their numbers.
    pub fn question(&self, guard: Bdd) -> Option<(AtomId, Bdd, Bdd)> {
        self.guards.question(guard).map(|(atom, no, yes)| (AtomId(atom), no, yes))
    }

    /// Whether every transition out of a location carries every mark.
    pub fn is_accepting(&self, location: LocationId) -> bool {
        let all = Marks::all(self.n_sets);
        self.locations[location].transitions.iter().all(|transition| transition.marks == all)
    }

    /// Whether every word is accepted from a location, and by staying there.
    pub fn accepts_all(&self, location: LocationId) -> bool {
        let stays = |t: &Transition| t.guard == Bdd::TRUE && t.to == location && t.marks == Marks::all(self.n_sets);
        matches!(&self.locations[location].transitions[..], [only] if stays(only))
    }

    /// Merges transitions that differ only in their guard, and sorts them, so that the order does not depend on how
    /// they were made.
    pub(super) fn merge_transitions(&mut self) {
        for location in self.locations.ids() {
            let mut list = std::mem::take(&mut self.locations[location].transitions);
            list.retain(|t| t.guard != Bdd::FALSE);
            list.sort_by_key(|t| (t.to, t.marks));
            let mut merged: Vec<Transition> = Vec::with_capacity(list.len());
            for transition in list {
                match merged.last_mut() {
                    Some(last) if (last.to, last.marks) == (transition.to, transition.marks) => {
                        last.guard = self.guards.or(last.guard, transition.guard);
                    }
                    _ => merged.push(transition),
                }
            }
            self.locations[location].transitions = merged;
        }
    }

    /// Removes the locations that `keep` rejects and those that become unreachable, and numbers the rest in
    /// breadth-first order. The initial location stays.
    pub(super) fn keep(&mut self, keep: impl Fn(LocationId) -> bool) {
        let mut number: IdVec<LocationId, Option<LocationId>> = self.locations.ids().map(|_| None).collect();
        let mut order = vec![self.initial];
        number[self.initial] = Some(LocationId(0));
        let mut next = 0;
        while next < order.len() {
            let transitions = &mut self.locations[order[next]].transitions;
            transitions.retain(|t| keep(t.to));
            for transition in transitions {
                let count = u32::try_from(order.len()).expect("locations are counted in 32 bits");
                let to = *number[transition.to].get_or_insert_with(|| {
                    order.push(transition.to);
                    LocationId(count)
                });
                transition.to = to;
            }
            next += 1;
        }
        self.locations = order.into_iter().map(|location| std::mem::take(&mut self.locations[location])).collect();
        self.initial = LocationId(0);
    }

    /// Removes the diagrams that no guard needs.
    pub(super) fn compact(&mut self) {
        let mut guards = Diagrams::new();
        for location in self.locations.ids() {
            for transition in &mut self.locations[location].transitions {
                transition.guard = self.guards.copy(transition.guard, &mut guards);
            }
        }
        self.guards = guards;
    }
}
