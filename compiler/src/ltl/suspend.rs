//! Suspends the conjuncts that can wait.
//!
//! `[] <> a` holds at every moment or at none, so in a conjunction its automaton
//! need not run from the start: it is enough to start it when the automaton of the
//! other conjuncts enters an accepting component. In the negation of
//! `fair -> response` this keeps the fairness condition out of all locations in
//! which the claim only waits for the request.
//!
//! Babiak, Badie, Duret-Lutz, Křetínský, Strejček: Compositional approach to
//! suspension and other improvements to LTL translation, 2013.

use crate::collections::{IdVec, Lookup};

use super::automaton::{Automaton, Location, LocationId, Marks, Transition};
use super::bdd::Diagrams;
use super::nnf::{FormulaId, Formulas};
use super::scc::Components;

/// The suspendable conjuncts and the rest, if there are both.
pub fn split(formulas: &mut Formulas, formula: FormulaId) -> Option<(FormulaId, FormulaId)> {
    let conjuncts = formulas.conjuncts(formula);
    let (suspendable, rest): (Vec<_>, Vec<_>) =
        conjuncts.into_iter().partition(|f| formulas.shape(*f).is_suspendable());
    (!suspendable.is_empty() && !rest.is_empty()).then(|| (formulas.and(suspendable), formulas.and(rest)))
}

/// The automaton of the conjunction. `suspendable` must accept a word if and only
/// if it accepts every suffix of it. `None` if there are too many acceptance sets.
pub fn conjoin(suspendable: &Automaton, rest: &Automaton) -> Option<Automaton> {
    let n_sets = suspendable.n_sets + rest.n_sets;
    if n_sets > Marks::MOST {
        return None;
    }
    let components = Components::of(rest);
    let all = Marks::all(rest.n_sets);
    let runs_both = |location: LocationId| components.accepts(components.number(location), all);
    let begin = |location: LocationId| (location, runs_both(location).then_some(suspendable.initial));

    let mut guards = Diagrams::new();
    let mut numbers: Lookup<(LocationId, Option<LocationId>), LocationId> = Lookup::new();
    let mut pairs = vec![begin(rest.initial)];
    numbers.insert(pairs[0], LocationId(0));
    let mut locations: IdVec<LocationId, Location> = IdVec::new();
    while let Some((location, resumed_at)) = pairs.get(locations.len()).copied() {
        let mut transitions = Vec::new();
        for step in &rest.locations[location].transitions {
            let guard = rest.guards.copy(step.guard, &mut guards);
            let mut go = |pair, guard, marks| {
                let count = u32::try_from(pairs.len()).expect("locations are few");
                let to = *numbers.or_insert_with(pair, || {
                    pairs.push(pair);
                    LocationId(count)
                });
                transitions.push(Transition { guard, marks, to });
            };
            // A transition that leaves the component suspends the other automaton again.
            let Some(at) = resumed_at.filter(|_| components.is_inside(location, step)) else {
                go(begin(step.to), guard, step.marks);
                continue;
            };
            for other in &suspendable.locations[at].transitions {
                let other_guard = suspendable.guards.copy(other.guard, &mut guards);
                let both = guards.and(guard, other_guard);
                go((step.to, Some(other.to)), both, step.marks.union(other.marks.shifted(rest.n_sets)));
            }
        }
        locations.push(Location { transitions });
    }
    let mut automaton = Automaton { guards, n_sets, initial: LocationId(0), locations };
    automaton.merge_transitions();
    Some(automaton)
}
