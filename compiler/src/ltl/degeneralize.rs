//! Degeneralization: from marks on transitions to accepting locations, as a never claim has them.
//!
//! In a component that needs n sets, locations get n + 1 levels: level i waits for the i-th mark, and the last one
//! accepts and counts as level 0 again. A component that accepts every run in it, or none, needs no levels. A run that
//! enters a component may begin at any level, since finite prefixes do not decide acceptance; so it begins where a copy
//! exists anyway.
//!
//! The levels are those of Gastin, Oddoux: Fast LTL to Büchi automata
//! translation, 2001; levels per component: Babiak, Badie, Duret-Lutz,
//! Křetínský, Strejček: Compositional approach to suspension and other
//! improvements to LTL translation, 2013.

use crate::collections::{IdVec, Lookup};

use super::automaton::{Automaton, Location, LocationId, Marks, Transition};
use super::scc::Components;
use super::simplify::simplify_buchi;

/// Up to so many sets, every order of waiting for them is tried.
const MOST_PERMUTED: u32 = 3;

/// A Büchi automaton with accepting locations for the result of `simplify`. The order in which it waits for marks has a
/// small and unpredictable effect; the smallest result wins, the earliest among equals.
pub fn degeneralize(automaton: &Automaton) -> Automaton {
    let orders = orders(automaton.n_sets);
    let results = orders.iter().map(|order| {
        let mut result = with_levels(automaton, order);
        simplify_buchi(&mut result);
        result
    });
    let smallest = results.min_by_key(|result| (result.locations.len(), result.n_transitions()));
    smallest.expect("there is at least one order")
}

fn orders(n_sets: u32) -> Vec<Vec<u32>> {
    let given: Vec<u32> = (0..n_sets).collect();
    if n_sets > MOST_PERMUTED {
        return vec![given];
    }
    let mut orders = vec![Vec::new()];
    for _ in &given {
        let longer = |order: &Vec<u32>| {
            let unused = given.iter().filter(|set| !order.contains(set));
            unused.map(|set| [&order[..], &[*set]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// The acceptance sets that a component waits for, in order.
#[derive(Clone)]
enum AwaitedSets {
    /// No run that stays in it is accepted.
    Forever,
    /// These sets; none if every run that stays is accepted.
    For(Vec<u32>),
}

impl AwaitedSets {
    fn is_accepting(&self, level: usize) -> bool {
        match self {
            Self::Forever => false,
            Self::For(sets) => level == sets.len(),
        }
    }

    /// The level after a transition inside the component.
    fn advance(&self, level: usize, marks: Marks) -> usize {
        let Self::For(sets) = self else { return 0 };
        let level = if level == sets.len() { 0 } else { level };
        let met = sets[level..].iter().take_while(|set| marks.contains(**set));
        level + met.count()
    }
}

fn with_levels(automaton: &Automaton, order: &[u32]) -> Automaton {
    let components = Components::of(automaton);
    let of_components = awaited_sets(automaton, &components, order);

    let mut numbers: Lookup<(LocationId, usize), LocationId> = Lookup::new();
    let mut copies = vec![(automaton.initial, 0)];
    numbers.insert(copies[0], LocationId(0));
    let mut locations: IdVec<LocationId, Location> = IdVec::new();
    while let Some((from, level)) = copies.get(locations.len()).copied() {
        let awaited = &of_components[components.number(from)];
        let marks = if awaited.is_accepting(level) { Marks::all(1) } else { Marks::NONE };
        let mut transitions = Vec::new();
        for transition in &automaton.locations[from].transitions {
            let is_inside = components.is_inside(from, transition);
            let level = if is_inside { awaited.advance(level, transition.marks) } else { 0 };
            let count = u32::try_from(copies.len()).expect("locations are few");
            let to = *numbers.or_insert_with((transition.to, level), || {
                copies.push((transition.to, level));
                LocationId(count)
            });
            transitions.push(Transition { guard: transition.guard, marks, to });
        }
        locations.push(Location { transitions });
    }
    let mut result = Automaton { guards: automaton.guards.clone(), n_sets: 1, initial: LocationId(0), locations };
    enter_at_cycles(&mut result, &copies);
    result.merge_transitions();
    result.keep(|_| true);
    result
}

fn awaited_sets(automaton: &Automaton, components: &Components, order: &[u32]) -> Vec<AwaitedSets> {
    let all = Marks::all(automaton.n_sets);
    let mut lacking = vec![Marks::NONE; components.count()];
    for (from, location) in automaton.locations.iter_enumerated() {
        for transition in location.transitions.iter().filter(|t| components.is_inside(from, t)) {
            let lacks = &mut lacking[components.number(from)];
            *lacks = lacks.union(all.without(transition.marks));
        }
    }
    let of = |(component, lacking): (usize, Marks)| {
        if components.accepts(component, all) {
            AwaitedSets::For(order.iter().copied().filter(|set| lacking.contains(*set)).collect())
        } else {
            AwaitedSets::Forever
        }
    };
    lacking.into_iter().enumerate().map(of).collect()
}

/// Redirects transitions from outside a component to a copy that is on a cycle.
fn enter_at_cycles(result: &mut Automaton, copies: &[(LocationId, usize)]) {
    let components = Components::of(result);
    let mut entry: Lookup<LocationId, LocationId> = Lookup::new();
    for (copy, (original, _)) in result.locations.ids().zip(copies) {
        if components.has_cycle(components.number(copy)) {
            entry.or_insert_with(*original, || copy);
        }
    }
    let original: IdVec<LocationId, LocationId> = copies.iter().map(|(original, _)| *original).collect();
    let enter = |copy: LocationId| entry.get(&original[copy]).copied().unwrap_or(copy);
    for from in result.locations.ids() {
        for transition in &mut result.locations[from].transitions {
            if !components.is_inside(from, transition) {
                transition.to = enter(transition.to);
            }
        }
    }
    result.initial = enter(result.initial);
}
