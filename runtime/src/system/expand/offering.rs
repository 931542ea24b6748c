//! The steps that one process offers in a state.

use super::pending::{Pending, Taken};
use super::{Expander, Outlet};
use crate::fault::{Fault, TraceError};
use crate::model::Model;
use crate::reduction::Independence;
use crate::step::{Pid, PidSet, Steps, TransitionId};
use crate::system::{Pulse, Successors};
use crate::verdict::{Found, ViolationKind};

/// When the steps of a process are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// At once, unless an atomic sequence comes before them.
    Immediate,
    /// They become pending.
    Deferred,
    /// Never: only whether there is one is of interest.
    Omitted,
}

/// A process that offers its steps.
pub(super) struct Turn {
    pub pid: Pid,
    pub timeout: bool,
    /// The steps since the stored state, and the processes that took them.
    pub n_steps: u32,
    pub movers: PidSet,
    pub delivery: Delivery,
}

impl Turn {
    /// In a stored state; the caller sets the pid.
    #[inline]
    pub fn first(timeout: bool) -> Turn {
        Turn { pid: Pid(0), timeout, n_steps: 0, movers: PidSet::EMPTY, delivery: Delivery::Immediate }
    }
}

/// Receives the [`Steps`] of one process.
pub(super) struct Offering<'a, 'm, M: Model> {
    pub expander: &'a mut Expander<'m, M>,
    pub out: &'a mut Successors<M::Packed>,
    pub turn: Turn,
    /// Pending work from before this turn.
    pub n_before: usize,
    pub moved: bool,
}

impl<'a, 'm, M: Independence> Offering<'a, 'm, M> {
    #[inline]
    pub fn new(
        expander: &'a mut Expander<'m, M>,
        out: &'a mut Successors<M::Packed>,
        turn: Turn,
    ) -> Offering<'a, 'm, M> {
        let n_before = expander.pending.len();
        Offering { expander, out, turn, n_before, moved: false }
    }

    /// Lets the process offer its steps. The whole model is inlined here, so there is one copy.
    #[inline(never)]
    pub fn ask(&mut self, state: &M::State) {
        let Turn { pid, timeout, .. } = self.turn;
        self.expander.model.offer_steps(state, pid, timeout, self);
    }

    /// Whether there is pending work before the next process.
    #[inline]
    pub fn has_more(&self) -> bool {
        !self.expander.pending.is_empty() || self.out.len() >= self.out.high_water
    }

    #[cold]
    pub fn follow(&mut self, pulse: &mut dyn Pulse<M::Packed>) {
        if const { M::FEATURES.atomic } {
            self.expander.pending.reverse(self.n_before);
            self.expander.continue_sequences(&mut Outlet { out: self.out, pulse });
        }
        if self.out.len() >= self.out.high_water {
            pulse.beat(self.out);
        }
    }

    /// Steps behind an atomic sequence wait until the sequence has been expanded.
    #[inline]
    fn must_wait(&self) -> bool {
        self.turn.delivery != Delivery::Immediate || self.expander.pending.len() > self.n_before
    }

    #[inline]
    fn movers(&self, receiver: Option<Pid>) -> PidSet {
        let movers = self.turn.movers.with(self.turn.pid);
        receiver.map_or(movers, |receiver| movers.with(receiver))
    }

    #[inline]
    fn arrive(&mut self, state: &M::State, n_steps: u32, receiver: Option<Pid>) {
        self.moved = true;
        let n_steps = self.turn.n_steps + n_steps;
        let owner = self.expander.model.atomic_owner(state);
        if owner.is_some() || self.must_wait() {
            if const { M::FEATURES.atomic } {
                self.put_off(state, owner, n_steps, receiver);
            }
            return;
        }
        self.expander.arrive(state, n_steps, self.out);
        if self.out.keeps_movers() {
            self.out.push_movers(self.movers(receiver));
        }
    }

    /// An atomic sequence comes first, from this state on or before it.
    #[inline(never)]
    fn put_off(&mut self, state: &M::State, owner: Option<Pid>, n_steps: u32, receiver: Option<Pid>) {
        if self.turn.delivery == Delivery::Omitted {
            return;
        }
        let movers = if self.out.keeps_movers() { self.movers(receiver) } else { PidSet::EMPTY };
        let taken = Taken { n_steps, movers };
        let slot = self.expander.pending.keep(state);
        self.expander.pending.push(match owner {
            Some(owner) => Pending::Continue(slot, owner, taken),
            None => Pending::Arrive(slot, taken),
        });
    }

    /// Whether the transition belongs to a part of the process that is not in the ample set.
    #[inline]
    fn leaves_out(&self, transition: TransitionId) -> bool {
        self.expander.only.is_some_and(|(split, chosen)| !split.has(chosen, transition))
    }

    #[cold]
    fn violation(&mut self, kind: ViolationKind, transition: TransitionId) {
        let found = Found::at(kind, transition);
        if self.turn.delivery == Delivery::Omitted {
            return;
        }
        if self.must_wait() {
            self.expander.pending.push(Pending::Violation(found));
        } else {
            self.expander.violation(found, self.out);
        }
    }
}

impl<M: Independence> Steps<M::State> for Offering<'_, '_, M> {
    #[inline]
    fn offer(&mut self, transition: TransitionId, next: &mut M::State) {
        if self.leaves_out(transition) {
            return;
        }
        self.reach(transition);
        self.arrive(next, 1, None);
    }

    #[inline]
    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut M::State) {
        if self.leaves_out(send) {
            return;
        }
        self.reach(send);
        self.reach(receive);
        self.arrive(next, 2, Some(receiver));
    }

    #[inline]
    fn assert(&mut self, transition: TransitionId, holds: bool) {
        if !holds && !self.leaves_out(transition) {
            self.violation(ViolationKind::Assertion, transition);
        }
    }

    fn trace(&mut self, transition: TransitionId, error: TraceError) {
        self.violation(ViolationKind::Trace(error), transition);
    }

    /// The step is not taken: a process whose only steps fail is stuck.
    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        if self.leaves_out(transition) {
            return;
        }
        self.reach(transition);
        let found = Found::at(ViolationKind::Fault(fault), transition);
        let faults = &mut self.expander.faults;
        if !self.turn.timeout {
            faults.push(found);
        } else if faults.contains(&found) {
            return;
        }
        self.violation(ViolationKind::Fault(fault), transition);
    }

    #[inline]
    fn reach(&mut self, transition: TransitionId) {
        self.expander.tally.reached.add(transition.index());
    }

    #[inline]
    fn reach_all(&mut self, first: TransitionId, bits: u64) {
        self.expander.tally.reached.add_all(first.index(), bits);
    }
}
