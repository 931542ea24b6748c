//! Takes the steps of a trail again.

use crate::model::Model;
use crate::record::{Offer, offers};
use crate::trail::Step;

/// A step of a trail that cannot be taken: the number of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchStep(pub usize);

/// The offer that a step of a trail means. `state` is released if its holder is blocked.
pub(crate) fn take<M: Model>(model: &M, state: &mut M::State, step: &Step) -> Option<Offer<M::State>> {
    offers(model, state).into_iter().find(|offer| offer.step == *step)
}

/// The state to which steps lead from the initial one.
pub(crate) fn follow<M: Model>(model: &M, steps: &[Step]) -> Result<M::State, NoSuchStep> {
    let mut state = model.initial().map_err(|_| NoSuchStep(0))?;
    for (n, step) in steps.iter().enumerate() {
        let offer = take(model, &mut state, step).ok_or(NoSuchStep(n))?;
        if let Some(next) = offer.next {
            state = next;
        }
    }
    Ok(state)
}
