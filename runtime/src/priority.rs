//! Priorities of processes: of those that can move only the highest ones do. That goes before atomic, too.

use crate::fault::{Fault, TraceError};
use crate::model::Model;
use crate::step::{Pid, Steps, TransitionId};

/// Processes with equal priority, the highest first, each group by descending pid. One group if the model has no
/// priorities.
pub(crate) fn groups<M: Model>(model: &M, state: &M::State) -> Vec<Vec<Pid>> {
    let mut pids: Vec<Pid> = (0..model.n_processes(state)).rev().map(Pid::from_index).collect();
    if !M::USES_PRIORITIES {
        return vec![pids];
    }
    pids.sort_by_key(|&pid| std::cmp::Reverse(model.priority(state, pid)));
    pids.chunk_by(|&a, &b| model.priority(state, a) == model.priority(state, b)).map(<[Pid]>::to_vec).collect()
}

/// Whether a process of higher priority than `holder` can move: then `holder` cannot, although it has control.
pub(crate) fn is_outranked<M: Model>(model: &M, state: &M::State, holder: Pid) -> bool {
    if !M::USES_PRIORITIES {
        return false;
    }
    let rank = model.priority(state, holder);
    let pids = (0..model.n_processes(state)).map(Pid::from_index);
    pids.filter(|&pid| model.priority(state, pid) > rank).any(|pid| is_enabled(model, state, pid))
}

fn is_enabled<M: Model>(model: &M, state: &M::State, pid: Pid) -> bool {
    let mut probe = Probe { can_move: false };
    model.offer_steps(state, pid, false, &mut probe);
    probe.can_move
}

/// Only wants to know whether there is a step.
struct Probe {
    can_move: bool,
}

impl<S> Steps<S> for Probe {
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
