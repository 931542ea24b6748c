//! Postpones what can wait.
//!
//! `[] <> a` holds at every moment or at none, so beside another formula it need
//! not be watched from the start: it is enough to begin when the automaton of
//! that other formula has got to a component in which it could stay and accept.
//! For `fair -> response`, negated, this keeps the fairness out of all locations
//! in which the claim only waits for the request.
//!
//! Babiak, Badie, Duret-Lutz, Křetínský, Strejček: Compositional approach to
//! suspension and other improvements to LTL translation, 2013.

use crate::collections::{IdVec, Lookup};

use super::automaton::{Automaton, Location, LocationId, Marks, Transition};
use super::bdd::Diagrams;
use super::nnf::{FormulaId, Formulas};
use super::scc::Components;

/// The operands that hold always or never, and the others, if there are both.
pub fn split(formulas: &mut Formulas, formula: FormulaId) -> Option<(FormulaId, FormulaId)> {
    let conjuncts = formulas.conjuncts(formula);
    let (patient, eager): (Vec<_>, Vec<_>) = conjuncts.into_iter().partition(|f| formulas.shape(*f).is_suspendable());
    (!patient.is_empty() && !eager.is_empty()).then(|| (formulas.and(patient), formulas.and(eager)))
}

/// The automaton for both, where `patient` accepts a word if it accepts what is
/// left of it after any number of letters. Nothing if there are too many sets.
pub fn conjoin(patient: &Automaton, eager: &Automaton) -> Option<Automaton> {
    let n_sets = patient.n_sets + eager.n_sets;
    if n_sets > Marks::MOST {
        return None;
    }
    let components = Components::of(eager);
    let all = Marks::all(eager.n_sets);
    let is_watched = |location: LocationId| components.accepts(components.number(location), all);
    let begin = |location: LocationId| (location, is_watched(location).then_some(patient.initial));

    let mut guards = Diagrams::new();
    let mut numbers: Lookup<(LocationId, Option<LocationId>), LocationId> = Lookup::new();
    let mut pairs = vec![begin(eager.initial)];
    numbers.insert(pairs[0], LocationId(0));
    let mut locations: IdVec<LocationId, Location> = IdVec::new();
    while let Some((location, watching)) = pairs.get(locations.len()).copied() {
        let mut transitions = Vec::new();
        for step in &eager.locations[location].transitions {
            let guard = eager.guards.copy(step.guard, &mut guards);
            let mut go = |pair, guard, marks| {
                let count = u32::try_from(pairs.len()).expect("locations are few");
                let to = *numbers.or_insert_with(pair, || {
                    pairs.push(pair);
                    LocationId(count)
                });
                transitions.push(Transition { guard, marks, to });
            };
            // Whoever leaves a component leaves what was watched in it.
            let Some(watched) = watching.filter(|_| components.is_inside(location, step)) else {
                go(begin(step.to), guard, step.marks);
                continue;
            };
            for other in &patient.locations[watched].transitions {
                let other_guard = patient.guards.copy(other.guard, &mut guards);
                let both = guards.and(guard, other_guard);
                go((step.to, Some(other.to)), both, step.marks.union(other.marks.shifted(eager.n_sets)));
            }
        }
        locations.push(Location { transitions });
    }
    let mut automaton = Automaton { guards, n_sets, initial: LocationId(0), locations };
    automaton.merge_transitions();
    Some(automaton)
}
