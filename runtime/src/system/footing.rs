//! What a choice of processes rests on: a state and its model, as one object.
//!
//! Choosing is compiled once, with the runtime. What it asks in every state is asked for all processes at once.

use super::model_scene::offer_steps_to;
use crate::fault::{Fault, TraceError};
use crate::model::Model;
use crate::reduction::Table;
use crate::step::{Pid, Steps, TransitionId};

/// The methods are those of [`Model`], for this state, if nothing else is said.
pub(super) trait Footing {
    fn n_processes(&self) -> usize;

    /// Appends the safe level of each process. Unless `is_watched`, nobody looks at the pid of the youngest.
    fn add_levels(&self, table: Table, is_watched: bool, levels: &mut Vec<u8>);

    /// The youngest of the first `below` processes that is safe alone.
    fn safe_below(&self, below: usize, table: Table, is_watched: bool) -> Option<Pid>;

    fn location(&self, pid: Pid) -> usize;
    fn proctype(&self, pid: Pid) -> usize;
    fn future(&self, pid: Pid) -> &'static [u64];
    fn add_disturbers(&self, pid: Pid, row: &mut [u64]);
    fn add_part_disturbers(&self, part: u32, row: &mut [u64]);

    /// Tells every step of a process, without `timeout`, and whether it can be taken or fails.
    fn tell_steps(&self, pid: Pid, tell: &mut dyn FnMut(TransitionId, bool));
}

/// A state of any model.
pub(super) struct Standing<'a, M: Model> {
    pub model: &'a M,
    pub state: &'a M::State,
}

impl<M: Model> Footing for Standing<'_, M> {
    fn n_processes(&self) -> usize {
        self.model.n_processes(self.state)
    }

    fn add_levels(&self, table: Table, is_watched: bool, levels: &mut Vec<u8>) {
        let n = self.model.n_processes(self.state);
        for index in 0..n {
            let counts_pids = is_watched || index + 1 < n;
            levels.push(self.model.safe_level(self.state, Pid::from_index(index), table, counts_pids));
        }
    }

    #[inline]
    fn safe_below(&self, below: usize, table: Table, is_watched: bool) -> Option<Pid> {
        let n = self.model.n_processes(self.state);
        let level = |pid: Pid| {
            let counts_pids = is_watched || pid.index() + 1 < n;
            self.model.safe_level(self.state, pid, table, counts_pids)
        };
        (0..below).rev().map(Pid::from_index).find(|&pid| level(pid) == 0)
    }

    fn location(&self, pid: Pid) -> usize {
        self.model.location(self.state, pid)
    }

    fn proctype(&self, pid: Pid) -> usize {
        self.model.proctype(self.state, pid)
    }

    fn future(&self, pid: Pid) -> &'static [u64] {
        self.model.future(self.state, pid)
    }

    fn add_disturbers(&self, pid: Pid, row: &mut [u64]) {
        self.model.add_disturbers(self.state, pid, row);
    }

    fn add_part_disturbers(&self, part: u32, row: &mut [u64]) {
        self.model.add_part_disturbers(self.state, part, row);
    }

    fn tell_steps(&self, pid: Pid, tell: &mut dyn FnMut(TransitionId, bool)) {
        offer_steps_to(self.model, self.state, pid, false, &mut Teller(tell));
    }
}

struct Teller<'a>(&'a mut dyn FnMut(TransitionId, bool));

impl<S> Steps<S> for Teller<'_> {
    #[inline]
    fn offer(&mut self, transition: TransitionId, _: &mut S) {
        (self.0)(transition, true);
    }

    #[inline]
    fn offer_handshake(&mut self, send: TransitionId, _: Pid, _: TransitionId, _: &mut S) {
        (self.0)(send, true);
    }

    #[inline]
    fn assert(&mut self, _: TransitionId, _: bool) {}

    #[inline]
    fn trace(&mut self, _: TransitionId, _: TraceError) {}

    #[inline]
    fn fault(&mut self, transition: TransitionId, _: Fault) {
        (self.0)(transition, false);
    }
}
