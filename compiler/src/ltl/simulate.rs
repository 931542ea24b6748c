//! Simulation: a location that simulates another one replaces it.
//!
//! A location t simulates s if each transition of s is matched, for every value of the atoms, by one of t that carries
//! at least its marks and whose target simulates the target. Locations that simulate each other are merged, and a
//! transition is dropped if another one of the same location dominates it. Backward, the same holds with incoming
//! transitions and the initial location.
//!
//! Etessami, Holzmann: Optimizing Büchi automata, 2000, and Somenzi, Bloem:
//! Efficient Büchi automata from LTL formulae, 2000; that dropping transitions
//! is sound in both directions: Clemente, Mayr: Advanced automata minimization, 2013.

use crate::collections::{Id, IdVec};

use super::automaton::{Automaton, LocationId, Marks};
use super::bdd::Bdd;

/// The work grows with the square of the transitions, so larger automata are left as they are.
const MOST_TRANSITIONS: usize = 1_500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

/// A transition seen from one of its ends.
#[derive(Clone, Copy)]
struct HalfTransition {
    guard: Bdd,
    marks: Marks,
    /// The other end.
    other: LocationId,
}

/// The simulation relation.
struct Relation {
    is_simulated: IdVec<LocationId, Vec<bool>>,
}

impl Relation {
    fn holds(&self, weaker: LocationId, stronger: LocationId) -> bool {
        self.is_simulated[weaker][stronger.index()]
    }
}

/// Merges and drops what simulation allows. With `on_locations`, all
/// transitions of a location are marked alike before and after.
pub fn simulate(automaton: &mut Automaton, direction: Direction, on_locations: bool) {
    if automaton.n_transitions() > MOST_TRANSITIONS {
        return;
    }
    let relation = relate(automaton, direction, on_locations);
    merge(automaton, &relation);
    drop_dominated(automaton, &relation, direction);
    automaton.keep(|_| true);
}

fn edges(automaton: &Automaton, direction: Direction) -> IdVec<LocationId, Vec<HalfTransition>> {
    let mut edges: IdVec<LocationId, Vec<HalfTransition>> = automaton.locations.ids().map(|_| Vec::new()).collect();
    for (from, location) in automaton.locations.iter_enumerated() {
        for transition in &location.transitions {
            let (end, other) = match direction {
                Direction::Forward => (from, transition.to),
                Direction::Backward => (transition.to, from),
            };
            edges[end].push(HalfTransition { guard: transition.guard, marks: transition.marks, other });
        }
    }
    edges
}

/// The greatest simulation, by removing pairs until the rest is stable.
fn relate(automaton: &mut Automaton, direction: Direction, on_locations: bool) -> Relation {
    let edges = edges(automaton, direction);
    let may_match = |s: LocationId, t: LocationId| match direction {
        Direction::Forward => true,
        Direction::Backward => {
            (s != automaton.initial || t == automaton.initial)
                && (!on_locations || !automaton.is_accepting(s) || automaton.is_accepting(t))
        }
    };
    let ids: Vec<LocationId> = automaton.locations.ids().collect();
    let mut relation =
        Relation { is_simulated: ids.iter().map(|s| ids.iter().map(|t| may_match(*s, *t)).collect()).collect() };
    // Locations are numbered from the initial one on, so that in this order most pairs come after those that they
    // depend on.
    let order: Vec<LocationId> = match direction {
        Direction::Forward => ids.iter().rev().copied().collect(),
        Direction::Backward => ids.clone(),
    };
    let mut changed = true;
    while changed {
        changed = false;
        for s in &order {
            for t in ids.iter().filter(|t| *t != s) {
                if relation.holds(*s, *t) && !matches(automaton, &edges[*s], &edges[*t], &relation) {
                    relation.is_simulated[*s][t.index()] = false;
                    changed = true;
                }
            }
        }
    }
    relation
}

fn matches(
    automaton: &mut Automaton,
    weaker: &[HalfTransition],
    stronger: &[HalfTransition],
    relation: &Relation,
) -> bool {
    weaker.iter().all(|edge| {
        let mut unmatched = edge.guard;
        for by in stronger {
            if by.marks.includes(edge.marks) && relation.holds(edge.other, by.other) {
                unmatched = automaton.guards.and_not(unmatched, by.guard);
                if unmatched == Bdd::FALSE {
                    return true;
                }
            }
        }
        false
    })
}

/// Gives the transitions of locations that simulate each other to the first of them.
fn merge(automaton: &mut Automaton, relation: &Relation) {
    let first: IdVec<LocationId, LocationId> = automaton
        .locations
        .ids()
        .map(|s| {
            let mut equals = automaton.locations.ids().filter(|t| relation.holds(s, *t) && relation.holds(*t, s));
            equals.next().expect("a location simulates itself")
        })
        .collect();
    for location in automaton.locations.ids() {
        let mut transitions = std::mem::take(&mut automaton.locations[location].transitions);
        for transition in &mut transitions {
            transition.to = first[transition.to];
        }
        automaton.locations[first[location]].transitions.extend(transitions);
    }
    automaton.initial = first[automaton.initial];
    automaton.merge_transitions();
}

/// Removes from each guard the cases in which a dominating transition is enabled too.
fn drop_dominated(automaton: &mut Automaton, relation: &Relation, direction: Direction) {
    let edges = edges(automaton, direction);
    for from in automaton.locations.ids() {
        for index in 0..automaton.locations[from].transitions.len() {
            let transition = automaton.locations[from].transitions[index];
            let (end, other) = match direction {
                Direction::Forward => (from, transition.to),
                Direction::Backward => (transition.to, from),
            };
            let mut guard = transition.guard;
            for better in &edges[end] {
                let is_same = (better.marks, better.other) == (transition.marks, other);
                if !is_same && better.marks.includes(transition.marks) && relation.holds(other, better.other) {
                    guard = automaton.guards.and_not(guard, better.guard);
                }
            }
            automaton.locations[from].transitions[index].guard = guard;
        }
    }
    automaton.merge_transitions();
}
