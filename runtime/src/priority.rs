//! Priorities of processes: only enabled processes of the highest priority move. Priority overrides atomic control.

use crate::fault::{Fault, TraceError};
use crate::model::Model;
use crate::step::{Pid, Steps, TransitionId};
use std::cmp::Reverse;

/// Groups of processes with equal priority, the highest first, each by descending pid. One group if the model has no
/// priorities.
pub(crate) fn groups<M: Model>(model: &M, state: &M::State) -> Vec<Vec<Pid>> {
    let pids: Vec<Pid> = (0..model.n_processes(state)).rev().map(Pid::from_index).collect();
    if model.uses_priorities() { group_by_rank(pids, &|pid| model.priority(state, pid)) } else { vec![pids] }
}

/// The same for a model with priorities, with the pids in descending order.
pub(crate) fn group_by_rank(mut pids: Vec<Pid>, priority: &dyn Fn(Pid) -> i32) -> Vec<Vec<Pid>> {
    pids.sort_by_key(|&pid| Reverse(priority(pid)));
    pids.chunk_by(|&a, &b| priority(a) == priority(b)).map(<[Pid]>::to_vec).collect()
}

/// Whether a process of higher priority than `atomic_owner` is enabled: then `atomic_owner` cannot move, although it
/// has control.
pub(crate) fn is_outranked<M: Model>(model: &M, state: &M::State, atomic_owner: Pid) -> bool {
    model.uses_priorities()
        && outranks(model.n_processes(state), &|pid| model.priority(state, pid), atomic_owner, |pid| {
            is_enabled(model, state, pid)
        })
}

/// The same for a model with priorities.
pub(crate) fn outranks(
    n_processes: usize,
    priority: &dyn Fn(Pid) -> i32,
    atomic_owner: Pid,
    is_enabled: impl Fn(Pid) -> bool,
) -> bool {
    let rank = priority(atomic_owner);
    let pids = (0..n_processes).map(Pid::from_index);
    pids.filter(|&pid| priority(pid) > rank).any(is_enabled)
}

fn is_enabled<M: Model>(model: &M, state: &M::State, pid: Pid) -> bool {
    let mut probe = EnabledProbe { can_move: false };
    model.offer_steps(state, pid, false, &mut probe);
    probe.can_move
}

/// Only finds out whether there is a step.
struct EnabledProbe {
    can_move: bool,
}

impl<S> Steps<S> for EnabledProbe {
    fn offer(&mut self, _: TransitionId, _: &mut S) {
        self.can_move = true;
    }

    fn offer_handshake(&mut self, _: TransitionId, _: Pid, _: TransitionId, _: &mut S) {
        self.can_move = true;
    }

    fn assert(&mut self, _: TransitionId, _: bool) {}

    fn trace(&mut self, _: TransitionId, _: TraceError) {}

    fn fault(&mut self, _: TransitionId, _: Fault) {}
}
