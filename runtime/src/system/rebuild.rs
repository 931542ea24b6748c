//! Finds the steps between the stored states of a path.
//!
//! A search remembers the states of a path and not the steps between them. They are found again by expanding each
//! state until one arrives at the next; inside an atomic sequence the shortest way is taken.

use super::expand::{Expander, Inside};
use super::{Hidden, Point};
use crate::model::Model;
use crate::record::{Offer, offers};
use crate::step::{Pid, PidSet};
use crate::trail::Step;
use crate::verdict::{Found, ViolationKind};
use std::collections::HashSet;

/// The steps along `path` and then to the violation `found`.
pub(super) fn rebuild<M: Model>(expander: &mut Expander<'_, M>, path: &[Point<M::Packed>], found: Found) -> Vec<Step> {
    let model = expander.model;
    let mut steps = Vec::new();
    for pair in path.windows(2) {
        let [from, to] = pair else { continue };
        let start = expander.unpack(&from.packed, from.hidden);
        let way = find_way(model, start, None, &mut |target| match target {
            Target::Stored(state) => is_at(expander, state, &to.packed, Some(to.hidden)),
            Target::Standing(_) | Target::Step(_) => false,
        });
        steps.extend(way.unwrap_or_default());
    }
    if let (Some(last), Some(_)) = (path.last(), found.transition) {
        let start = expander.unpack(&last.packed, last.hidden);
        let way = find_way(model, start, None, &mut |target| match target {
            Target::Stored(_) => false,
            Target::Standing(state) => breaks_promise(model, state, found),
            Target::Step(offer) => offer.violations.contains(&found),
        });
        steps.extend(way.unwrap_or_default());
    }
    steps
}

/// Whether a state is the packed one, also in its hidden variables if those are given.
pub(super) fn is_at<M: Model>(
    expander: &mut Expander<'_, M>,
    state: &M::State,
    packed: &M::Packed,
    hidden: Option<Hidden>,
) -> bool {
    let mut own = M::Packed::default();
    expander.model.pack(state, &mut own);
    let value = expander.model.hidden(state);
    own == *packed && hidden.is_none_or(|hidden| expander.hidden.value(hidden) == value)
}

/// Whether somebody stands where he would use what another has for himself, in the way that was found.
pub(super) fn breaks_promise<M: Model>(model: &M, state: &M::State, found: Found) -> bool {
    let mut pids = (0..model.n_processes(state)).map(Pid::from_index);
    M::HAS_PROMISES
        && pids.any(|pid| {
            let breach = model.breach(state, pid);
            breach.is_some_and(|(transition, fault)| Found::at(ViolationKind::Fault(fault), transition) == found)
        })
}

/// Where a way may end.
pub(super) enum Target<'a, S> {
    /// A state that is stored.
    Stored(&'a S),
    /// The first state or one inside an atomic sequence, before anybody moves.
    Standing(&'a S),
    /// A step, with the violations in it.
    Step(&'a Offer<S>),
}

/// A state on the way, and how it was reached.
struct Reached<S> {
    state: S,
    parent: usize,
    step: Option<Step>,
    /// Who moved so far; nobody, if that does not matter.
    movers: PidSet,
}

/// Breadth-first from one stored state through states inside atomic, up to the target. If `movers` are given, the
/// processes that move on the way to a stored state must be these.
pub(super) fn find_way<M: Model>(
    model: &M,
    from: M::State,
    movers: Option<PidSet>,
    is_target: &mut dyn FnMut(Target<'_, M::State>) -> bool,
) -> Option<Vec<Step>> {
    let mut reached = vec![Reached { state: from, parent: 0, step: None, movers: PidSet::EMPTY }];
    let mut seen: HashSet<(Inside<M>, PidSet)> = HashSet::new();
    let fits = |moved: PidSet| movers.is_none_or(|movers| movers == moved);
    let mut next = 0;
    while next < reached.len() {
        let mut state = reached[next].state.clone();
        if is_target(Target::Standing(&state)) {
            return Some(way(&reached, next, None));
        }
        let had_holder = model.holder(&state).is_some();
        let offers = offers(model, &mut state);
        if had_holder && model.holder(&state).is_none() {
            // The holder was blocked: this is a stored state, and others would move next.
            if fits(reached[next].movers) && is_target(Target::Stored(&state)) {
                return Some(way(&reached, next, None));
            }
            next += 1;
            continue;
        }
        for offer in offers {
            if is_target(Target::Step(&offer)) {
                return Some(way(&reached, next, Some(offer.step)));
            }
            let Some(state) = offer.next else { continue };
            let moved = movers.map_or(PidSet::EMPTY, |_| reached[next].movers.union(movers_of(&offer.step)));
            match model.holder(&state) {
                None if fits(moved) && is_target(Target::Stored(&state)) => {
                    return Some(way(&reached, next, Some(offer.step)));
                }
                None => {}
                Some(holder) if seen.insert((Inside::new(model, &state, holder), moved)) => {
                    reached.push(Reached { state, parent: next, step: Some(offer.step), movers: moved });
                }
                Some(_) => {}
            }
        }
        next += 1;
    }
    None
}

/// The process that takes a step, and its partner in a rendezvous.
fn movers_of(step: &Step) -> PidSet {
    step.receiver.iter().map(|&(receiver, _)| receiver).chain([step.pid]).collect()
}

fn way<S>(reached: &[Reached<S>], mut at: usize, last: Option<Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = last.into_iter().collect();
    while let Some(step) = reached[at].step {
        steps.push(step);
        at = reached[at].parent;
    }
    steps.reverse();
    steps
}
