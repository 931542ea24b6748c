//! The reduction's view of a state.
//!
//! The reduction is compiled once, with the runtime, and uses a model through this trait only. Methods for data that it
//! needs in every state return it for all processes at once.

use crate::fault::{Fault, TraceError};
use crate::model::Model;
use crate::reduction::{Independence, Table};
use crate::step::{Pid, Steps, TransitionId};
use crate::system::model_dyn::offer_steps_to;

/// The methods are those of [`Model`] and [`Independence`] for this state, unless they say otherwise.
pub(in crate::system) trait ReductionView<'m> {
    fn n_processes(&self) -> usize;

    /// Appends the safe level of each process. Unless `pids_matter`, no process observes the pid of the youngest.
    fn add_levels(&self, table: Table, pids_matter: bool, levels: &mut Vec<u8>);

    /// The youngest of the first `below` processes that is safe alone.
    fn safe_below(&self, below: usize, table: Table, pids_matter: bool) -> Option<Pid>;

    fn location(&self, pid: Pid) -> usize;
    fn proctype(&self, pid: Pid) -> usize;
    fn future(&self, pid: Pid) -> &'m [u64];
    fn add_dependencies(&self, pid: Pid, classes: &mut [u64]);
    fn add_part_dependencies(&self, part: u32, classes: &mut [u64]);

    /// Calls `tell` with every step of a process without `timeout`, and whether it can be taken or fails.
    fn tell_steps(&self, pid: Pid, tell: &mut dyn FnMut(TransitionId, bool));
}

/// A state of any model.
pub(in crate::system) struct StateView<'m, 'a, M: Model> {
    pub model: &'m M,
    pub state: &'a M::State,
}

impl<'m, M: Independence> ReductionView<'m> for StateView<'m, '_, M> {
    fn n_processes(&self) -> usize {
        self.model.n_processes(self.state)
    }

    fn add_levels(&self, table: Table, pids_matter: bool, levels: &mut Vec<u8>) {
        let n = self.model.n_processes(self.state);
        for index in 0..n {
            let counts_pids = pids_matter || index + 1 < n;
            levels.push(self.model.safe_level(self.state, Pid::from_index(index), table, counts_pids));
        }
    }

    #[inline]
    fn safe_below(&self, below: usize, table: Table, pids_matter: bool) -> Option<Pid> {
        let n = self.model.n_processes(self.state);
        let level = |pid: Pid| {
            let counts_pids = pids_matter || pid.index() + 1 < n;
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

    fn future(&self, pid: Pid) -> &'m [u64] {
        self.model.future(self.state, pid)
    }

    fn add_dependencies(&self, pid: Pid, classes: &mut [u64]) {
        self.model.add_dependencies(self.state, pid, classes);
    }

    fn add_part_dependencies(&self, part: u32, classes: &mut [u64]) {
        self.model.add_part_dependencies(self.state, part, classes);
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
