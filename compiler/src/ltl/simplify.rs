//! Makes automata smaller without changing what they accept.
//!
//! Locations that accept nothing are removed; irrelevant marks are made uniform, component by component, so that more
//! locations are equal; equal locations are merged (`simulate`). Each step enables the others, so they are repeated
//! while they help.

use crate::collections::{IdVec, Lookup};

use super::automaton::{Automaton, Location, LocationId, Marks, Transition};
use super::bdd::Bdd;
use super::scc::Components;
use super::simulate::{Direction, simulate};

/// Marks on transitions that no run takes infinitely often: they are irrelevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transient {
    Unmarked,
    Marked,
}

/// Makes an automaton with marks on transitions smaller.
pub fn simplify(automaton: &mut Automaton) {
    remove_useless(automaton);
    loop {
        let before = size(automaton);
        for transient in [Transient::Marked, Transient::Unmarked] {
            reduce_marks(automaton, transient);
            merge_equal(automaton);
            simulate(automaton, Direction::Forward, false);
            simulate(automaton, Direction::Backward, false);
            remove_useless(automaton);
        }
        if size(automaton) >= before {
            break;
        }
    }
    reduce_marks(automaton, Transient::Unmarked);
    automaton.merge_transitions();
}

/// Makes an automaton with accepting locations smaller.
pub fn simplify_buchi(automaton: &mut Automaton) {
    remove_useless(automaton);
    loop {
        let before = size(automaton);
        for transient in [Transient::Marked, Transient::Unmarked] {
            mark_locations(automaton, transient);
            merge_equal(automaton);
            simulate(automaton, Direction::Forward, true);
            simulate(automaton, Direction::Backward, true);
            remove_useless(automaton);
        }
        if size(automaton) >= before {
            break;
        }
    }
    mark_locations(automaton, Transient::Unmarked);
    automaton.merge_transitions();
}

/// The measure to be reduced: locations first, then transitions.
fn size(automaton: &Automaton) -> (usize, usize) {
    (automaton.locations.len(), automaton.n_transitions())
}

/// Removes locations that are unreachable or accept nothing. The initial one stays in any case.
pub fn remove_useless(automaton: &mut Automaton) {
    let components = Components::of(automaton);
    let all = Marks::all(automaton.n_sets);
    let mut useful: Vec<bool> = (0..components.count()).map(|number| components.accepts(number, all)).collect();
    let mut ascending: Vec<_> = automaton.locations.ids().collect();
    // Transitions never lead to a higher number, so the targets are decided first.
    ascending.sort_by_key(|location| components.number(*location));
    for location in ascending {
        let mut transitions = automaton.locations[location].transitions.iter();
        if transitions.any(|t| t.guard != Bdd::FALSE && useful[components.number(t.to)]) {
            useful[components.number(location)] = true;
        }
    }
    automaton.merge_transitions();
    automaton.keep(|location| useful[components.number(location)]);
}

/// Drops irrelevant acceptance sets, in each component by itself, and renumbers the rest.
///
/// A set can be dropped in a component if every cycle there that has all other marks has this one too.
pub fn reduce_marks(automaton: &mut Automaton, transient: Transient) {
    let components = Components::of(automaton);
    let all = Marks::all(automaton.n_sets);
    let accepting: Vec<bool> = (0..components.count()).map(|number| components.accepts(number, all)).collect();

    for set in all.iter() {
        let lacks = |from: LocationId, t: &Transition| components.is_inside(from, t) && !t.marks.contains(set);
        let without = Components::within(automaton, lacks);
        let others = all.without(Marks::NONE.with(set));
        let mut decides = vec![false; components.count()];
        for location in automaton.locations.ids() {
            decides[components.number(location)] |= without.accepts(without.number(location), others);
        }
        for_each_transition(automaton, |from, transition| {
            if components.is_inside(from, transition) && !decides[components.number(from)] {
                transition.marks = transition.marks.with(set);
            }
        });
    }

    // Of each component, the sets that some transition inside lacks.
    let mut needed = vec![Marks::NONE; components.count()];
    for_each_transition(automaton, |from, transition| {
        let number = components.number(from);
        if accepting[number] && components.is_inside(from, transition) {
            needed[number] = needed[number].union(all.without(transition.marks));
        }
    });
    // A cycle that is not accepted must lack a mark.
    let rejects = (0..components.count()).any(|number| components.has_cycle(number) && !accepting[number]);
    let most_needed = needed.iter().map(|marks| marks.iter().count()).max().unwrap_or(0);
    let n_sets = u32::try_from(most_needed).expect("there are few sets").max(u32::from(rejects));
    for_each_transition(automaton, |from, transition| {
        let number = components.number(from);
        transition.marks = if !components.is_inside(from, transition) || !components.has_cycle(number) {
            transient.marks(n_sets)
        } else if accepting[number] {
            let lacking = needed[number].iter().zip(0..).filter(|(set, _)| !transition.marks.contains(*set));
            lacking.fold(Marks::all(n_sets), |marks, (_, place)| marks.without(Marks::NONE.with(place)))
        } else {
            Marks::NONE
        };
    });
    automaton.n_sets = n_sets;
}

impl Transient {
    fn marks(self, n_sets: u32) -> Marks {
        match self {
            Self::Unmarked => Marks::NONE,
            Self::Marked => Marks::all(n_sets),
        }
    }
}

/// Makes as many locations accepting as possible; those on no cycle get the given value. Before and after, all
/// transitions of a location have the same marks.
fn mark_locations(automaton: &mut Automaton, transient: Transient) {
    let components = Components::of(automaton);
    let all = Marks::all(automaton.n_sets);
    let is_accepting: IdVec<LocationId, bool> =
        automaton.locations.ids().map(|location| automaton.is_accepting(location)).collect();
    let rejecting = Components::within(automaton, |from, t| components.is_inside(from, t) && !is_accepting[from]);
    for_each_transition(automaton, |from, transition| {
        let number = components.number(from);
        transition.marks = if !components.has_cycle(number) {
            transient.marks(1)
        } else if components.accepts(number, all)
            && (is_accepting[from] || !rejecting.has_cycle(rejecting.number(from)))
        {
            Marks::all(1)
        } else {
            Marks::NONE
        };
    });
    automaton.n_sets = 1;
}

fn for_each_transition(automaton: &mut Automaton, mut change: impl FnMut(LocationId, &mut Transition)) {
    for from in automaton.locations.ids() {
        for transition in &mut automaton.locations[from].transitions {
            change(from, transition);
        }
    }
}

/// Merges locations whose transitions are the same up to such merging: the
/// coarsest partition, refined until it is stable.
pub fn merge_equal(automaton: &mut Automaton) {
    let mut class: IdVec<LocationId, LocationId> = automaton.locations.ids().map(|_| LocationId(0)).collect();
    let mut n_classes = 1;
    loop {
        let mut quotient = automaton.clone();
        for_each_transition(&mut quotient, |_, transition| transition.to = class[transition.to]);
        quotient.merge_transitions();
        let mut numbers: Lookup<Vec<(Bdd, Marks, LocationId)>, LocationId> = Lookup::new();
        for (location, Location { transitions }) in quotient.locations.iter_enumerated() {
            let key = transitions.iter().map(|t| (t.guard, t.marks, t.to)).collect();
            // A class has the number of its first location.
            class[location] = *numbers.or_insert_with(key, || location);
        }
        if numbers.len() == n_classes {
            break;
        }
        n_classes = numbers.len();
    }
    automaton.initial = class[automaton.initial];
    for_each_transition(automaton, |_, transition| transition.to = class[transition.to]);
    automaton.merge_transitions();
    automaton.keep(|_| true);
}
