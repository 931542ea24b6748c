//! Time in the abstract: a timer is off, running or expired, and how long it still runs is not known.
//!
//! Where no process can move, a tick ends the slice. Timers that had expired go off, and *any* of those that run expire: a
//! state has as many ticks as there are sets of them. Setting a timer to 5 and to 900 leads to the same state, so that the
//! states no longer depend on the numbers of the model.
//!
//! Every exact run has an image here. All conditions of a model whose values of timers are not read (the compiler refuses
//! others) are the same in a state and in its image, and an exact tick is one of those here, or leaves the image as it is:
//! that is the empty set, which is a tick only where a timer goes off. Since timers count down, the image of a run in which
//! time passes forever is one, too. So what holds here holds: assertions, deadlocks, formulas that count no steps, with
//! fairness and where time passes. A run of the abstraction need not be one of the model: see `exact_run.rs`.

use crate::limits::MOST_RUNNING_TIMERS;
use crate::model::{Model, Tick};

/// A timer that runs, for whatever time.
const RUNNING: i32 = 1;

/// The timers that are on in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct On {
    pub running: u32,
    pub expired: u32,
}

/// Counts the timers that are on.
pub(crate) fn on<M: Model>(model: &M, state: &M::State) -> On {
    let mut on = On::default();
    model.change_timers(&mut state.clone(), &mut |left| {
        on.running += u32::from(left > 0);
        on.expired += u32::from(left == 0);
        left
    });
    on
}

/// Makes the state that stands for this one and for all others in which the same timers run.
#[inline]
pub(crate) fn forget<M: Model>(model: &M, state: &mut M::State) {
    model.change_timers(state, &mut |left| left.min(RUNNING));
}

/// One of the ways in which time passes: the bits of a number say which of the timers that run expire, the first
/// [`MOST_RUNNING_TIMERS`] of them.
pub(crate) fn tick<M: Model>(model: &M, now: &M::State, which: u32) -> Option<Tick<M::State>> {
    let On { running, expired } = on(model, now);
    // Nothing changes in the empty set unless a timer goes off.
    let set = if expired > 0 { which } else { which.checked_add(1)? };
    if running + expired == 0 || u64::from(set) >= 1 << running.min(MOST_RUNNING_TIMERS) {
        return None;
    }
    let mut next = now.clone();
    let mut n_seen = 0;
    model.change_timers(&mut next, &mut |left| match left {
        ..=0 => -1,
        _ => {
            let expires = n_seen < MOST_RUNNING_TIMERS && set >> n_seen & 1 > 0;
            n_seen += 1;
            if expires { 0 } else { RUNNING }
        }
    });
    Some(Tick { next, n_ticks: 1 })
}
