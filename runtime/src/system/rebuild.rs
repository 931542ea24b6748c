//! Finds the steps between the stored states of a path.
//!
//! A search stores the states of a path and not the steps between them. They are found again by expanding each state
//! until a step leads to the next; inside an atomic sequence the shortest path is taken.

use crate::dyn_model::{DynModel, DynState, Identity};
use crate::goal::Goal;
use crate::model::SourcePosition;
use crate::record::{Offer, can_move, offers};
use crate::step::{Pid, PidSet};
use crate::trail::{Move, Step};
use crate::verdict::{Found, ViolationKind};
use crate::walk::follow;
use std::collections::HashSet;

/// The steps along a path of so many points and then to the violation `found`.
pub(super) fn rebuild<'m>(
    n_points: usize,
    point: &mut dyn FnMut(usize) -> Option<DynState<'m>>,
    found: Found,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let Some(mut here) = point(0) else { return steps };
    for index in 1..n_points {
        let Some(next) = point(index) else { break };
        steps.extend(steps_to(here, None, &next.identity()).unwrap_or_default());
        here = next;
    }
    if found.transition.is_some() {
        steps.extend(steps_to_violation(here, found).unwrap_or_default());
    }
    steps
}

/// The steps of a run from the initial state through these orbits, given by the words of their representatives, and then
/// to the violation `found`. A run of representatives may take another statement of the same kind, where a selection
/// names one member after the other.
pub(super) fn run_through(
    dyn_model: &dyn DynModel,
    orbits: &[Vec<u64>],
    represent: &mut dyn FnMut(&[u64]) -> Vec<u64>,
    is_member: &dyn Fn(Pid) -> bool,
    found: Found,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let Ok(mut here) = dyn_model.initial() else { return steps };
    for orbit in orbits.iter().skip(1) {
        remove_ended(&mut here, is_member, &mut steps);
        let path = find_path(here.clone(), None, &mut |target| match target {
            Target::Stored(dyn_state) => represent(&dyn_state.identity().words) == *orbit,
            Target::Current(_) | Target::Step(_) => false,
        });
        let Some((path, next)) = path else { break };
        steps.extend(path);
        here = next;
    }
    remove_ended(&mut here, is_member, &mut steps);
    if found.transition.is_some() {
        let exactly = steps_to_violation(here.clone(), found);
        steps.extend(exactly.or_else(|| steps_to_similar(here, found)).unwrap_or_default());
    }
    steps
}

/// Removes the youngest process as long as it has ended and `is_member`.
fn remove_ended(here: &mut DynState<'_>, is_member: &dyn Fn(Pid) -> bool, steps: &mut Vec<Step>) {
    while let Some(youngest) = here.n_processes().checked_sub(1).map(Pid::from_index) {
        let is_removal = |offer: &Offer<'_>| {
            let n_left = offer.next.as_ref().map(|next| next.n_processes());
            offer.step.pid == youngest && n_left == Some(youngest.index())
        };
        let removal = if is_member(youngest) { offers(&mut here.clone()).into_iter().find(is_removal) } else { None };
        let Some((step, next)) = removal.and_then(|offer| Some((offer.step, offer.next?))) else { return };
        steps.push(step);
        *here = next;
    }
}

/// The first process at an invalid end location after these moves: its pid, its proctype and the position.
pub(super) fn end_place(dyn_model: &dyn DynModel, moves: &[Move]) -> Option<(Pid, usize, SourcePosition)> {
    place_of(dyn_model, moves, &|dyn_state, pid| !dyn_state.is_valid_end(pid))
}

/// The first process at the goal after these moves.
pub(super) fn goal_place(
    dyn_model: &dyn DynModel,
    moves: &[Move],
    goal: &Goal,
) -> Option<(Pid, usize, SourcePosition)> {
    place_of(dyn_model, moves, &|dyn_state, pid| goal.has(dyn_state.location(pid)))
}

fn place_of(
    dyn_model: &dyn DynModel,
    moves: &[Move],
    is_it: &dyn Fn(&DynState<'_>, Pid) -> bool,
) -> Option<(Pid, usize, SourcePosition)> {
    let dyn_state = follow(dyn_model, moves)?;
    let pid = dyn_state.pids().find(|&pid| is_it(&dyn_state, pid))?;
    let location = dyn_model.info().locations.get(dyn_state.location(pid))?;
    Some((pid, dyn_state.proctype(pid), location.place))
}

/// The system's part of an edge: steps to a state, or a stutter if no process is enabled. If `to` has no hidden
/// variables, theirs may have any values.
pub(super) fn system_moves(from: DynState<'_>, movers: Option<PidSet>, to: &Identity) -> Option<Vec<Move>> {
    if !can_move(&offers(&mut from.clone())) {
        return is_at(&from, to).then(|| vec![Move::Stutter]);
    }
    Some(steps_to(from, movers, to)?.into_iter().map(Move::from).collect())
}

/// The system's part of an edge to a state whose words `is_there` accepts, and these words.
pub(super) fn moves_to_stored(
    from: DynState<'_>,
    is_there: &mut dyn FnMut(&[u64]) -> bool,
) -> Option<(Vec<Move>, Vec<u64>)> {
    if !can_move(&offers(&mut from.clone())) {
        let words = from.identity().words;
        return is_there(&words).then(|| (vec![Move::Stutter], words));
    }
    let (steps, there) = find_path(from, None, &mut |target| match target {
        Target::Stored(dyn_state) => is_there(&dyn_state.identity().words),
        Target::Current(_) | Target::Step(_) => false,
    })?;
    Some((steps.into_iter().map(Move::from).collect(), there.identity().words))
}

/// The moves to a violation of the same kind.
pub(super) fn moves_to_similar(from: DynState<'_>, found: Found) -> Option<Vec<Move>> {
    Some(steps_to_similar(from, found)?.into_iter().map(Move::from).collect())
}

fn steps_to_similar(from: DynState<'_>, found: Found) -> Option<Vec<Step>> {
    let path = find_path(from, None, &mut |target| match target {
        Target::Step(offer) => offer.violations.iter().any(|violation| violation.kind == found.kind),
        Target::Stored(_) | Target::Current(_) => false,
    });
    path.map(|(steps, _)| steps)
}

fn steps_to(from: DynState<'_>, movers: Option<PidSet>, to: &Identity) -> Option<Vec<Step>> {
    let path = find_path(from, movers, &mut |target| match target {
        Target::Stored(dyn_state) => is_at(dyn_state, to),
        Target::Current(_) | Target::Step(_) => false,
    });
    path.map(|(steps, _)| steps)
}

pub(super) fn steps_to_violation(from: DynState<'_>, found: Found) -> Option<Vec<Step>> {
    let path = find_path(from, None, &mut |target| match target {
        Target::Stored(_) => false,
        Target::Current(dyn_state) => breaks_promise(dyn_state, found),
        Target::Step(offer) => offer.violations.contains(&found),
    });
    path.map(|(steps, _)| steps)
}

/// Whether a state is this one, also in its hidden variables if those are given.
fn is_at(dyn_state: &DynState<'_>, to: &Identity) -> bool {
    let here = dyn_state.identity();
    here.words == to.words && (to.hidden.is_none() || here.hidden == to.hidden)
}

/// Whether a process is at a statement that breaks a promise of exclusive use, as `found` says.
fn breaks_promise(dyn_state: &DynState<'_>, found: Found) -> bool {
    dyn_state.pids().any(|pid| {
        let breach = dyn_state.breach(pid);
        breach.is_some_and(|(transition, fault)| Found::at(ViolationKind::Fault(fault), transition) == found)
    })
}

/// A candidate for the end of a path.
enum Target<'a, 'm> {
    /// A state that is stored.
    Stored(&'a DynState<'m>),
    /// The first state or one inside an atomic sequence, before the next step.
    Current(&'a DynState<'m>),
    /// A step, with the violations in it.
    Step(&'a Offer<'m>),
}

/// A state on a path, and how it was reached.
struct Reached<'m> {
    dyn_state: DynState<'m>,
    parent: usize,
    step: Option<Step>,
    /// The processes that moved so far; none if they do not matter.
    movers: PidSet,
}

/// A breadth-first search from one stored state through states inside atomic sequences, up to the target. If `movers`
/// are given, exactly these processes must move on the path to a stored state. Returns the target too or, if that is a
/// step, the state before it.
fn find_path<'m>(
    from: DynState<'m>,
    movers: Option<PidSet>,
    is_target: &mut dyn FnMut(Target<'_, 'm>) -> bool,
) -> Option<(Vec<Step>, DynState<'m>)> {
    let mut reached = vec![Reached { dyn_state: from, parent: 0, step: None, movers: PidSet::EMPTY }];
    let mut seen: HashSet<(Identity, Pid, PidSet)> = HashSet::new();
    let fits = |moved: PidSet| movers.is_none_or(|movers| movers == moved);
    let mut next = 0;
    while next < reached.len() {
        let mut dyn_state = reached[next].dyn_state.clone();
        if is_target(Target::Current(&dyn_state)) {
            return Some((path_to(&reached, next, None), dyn_state));
        }
        let had_owner = dyn_state.atomic_owner().is_some();
        let offers = offers(&mut dyn_state);
        if had_owner && dyn_state.atomic_owner().is_none() {
            // The atomic owner was blocked: this is a stored state, and other processes may move next.
            if fits(reached[next].movers) && is_target(Target::Stored(&dyn_state)) {
                return Some((path_to(&reached, next, None), dyn_state));
            }
            next += 1;
            continue;
        }
        for offer in offers {
            if is_target(Target::Step(&offer)) {
                return Some((path_to(&reached, next, Some(offer.step)), dyn_state));
            }
            let Some(dyn_state) = offer.next else { continue };
            let moved = movers.map_or(PidSet::EMPTY, |_| reached[next].movers.union(movers_of(&offer.step)));
            match dyn_state.atomic_owner() {
                None if fits(moved) && is_target(Target::Stored(&dyn_state)) => {
                    return Some((path_to(&reached, next, Some(offer.step)), dyn_state));
                }
                None => {}
                Some(atomic_owner) if seen.insert((dyn_state.identity(), atomic_owner, moved)) => {
                    reached.push(Reached { dyn_state, parent: next, step: Some(offer.step), movers: moved });
                }
                Some(_) => {}
            }
        }
        next += 1;
    }
    None
}

/// The process that takes a step, and its partner in a rendezvous. A tick has none.
fn movers_of(step: &Step) -> PidSet {
    if step.is_tick() {
        return PidSet::EMPTY;
    }
    step.receiver.iter().map(|&(receiver, _)| receiver).chain([step.pid]).collect()
}

fn path_to(reached: &[Reached<'_>], mut at: usize, last: Option<Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = last.into_iter().collect();
    while let Some(step) = reached[at].step {
        steps.push(step);
        at = reached[at].parent;
    }
    steps.reverse();
    steps
}
