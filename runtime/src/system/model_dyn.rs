//! Implements [`DynState`] for the states of every model, by one small function for each method.

use super::{ModelSystems, Systems, abstract_time};
use crate::dyn_model::{DynModel, DynState, Identity, StateObject};
use crate::fault::{Fault, TraceError};
use crate::hidden::{Hidden, Shared};
use crate::model::{Describe, Model, ModelInfo, Tick};
use crate::pack::Packed;
use crate::reduction::Independence;
use crate::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves, Pid, Steps, TransitionId};
use std::fmt;

impl<M: Independence> DynModel for ModelSystems<'_, M> {
    fn info(&self) -> &ModelInfo<'_> {
        Systems::info(self)
    }

    fn initial(&self) -> Result<DynState<'_>, Fault> {
        Ok(self.dyn_states().dyn_state(self.model.initial()?))
    }

    fn initial_exactly(&self) -> Result<DynState<'_>, Fault> {
        let exactly = DynStates { is_abstract: false, ..self.dyn_states() };
        Ok(exactly.dyn_state(self.model.initial()?))
    }
}

/// Makes a [`DynState`] of a state.
pub(super) struct DynStates<'m, M: Model> {
    pub model: &'m M,
    pub hidden: &'m Shared<M::Hidden>,
    /// Time is abstract.
    pub is_abstract: bool,
}

impl<M: Model> Clone for DynStates<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for DynStates<'_, M> {}

impl<'m, M: Independence> DynStates<'m, M> {
    pub fn dyn_state(self, mut state: M::State) -> DynState<'m> {
        if self.is_abstract {
            abstract_time::forget(self.model, &mut state);
        }
        Box::new(ModelState { dyn_states: self, state })
    }
}

/// The identity of a packed state.
pub(super) fn identity<P: Packed>(packed: &P, hidden: Option<Hidden>) -> Identity {
    let words = (0..packed.n_words()).map(|index| packed.word(index)).collect();
    Identity { words, hidden }
}

struct ModelState<'m, M: Model> {
    dyn_states: DynStates<'m, M>,
    state: M::State,
}

impl<'m, M: Independence> StateObject<'m> for ModelState<'m, M> {
    fn copy(&self) -> DynState<'m> {
        self.dyn_states.dyn_state(self.state.clone())
    }

    fn uses_timeout(&self) -> bool {
        self.dyn_states.model.uses_timeout()
    }

    fn uses_priorities(&self) -> bool {
        self.dyn_states.model.uses_priorities()
    }

    fn n_processes(&self) -> usize {
        self.dyn_states.model.n_processes(&self.state)
    }

    fn offer_steps(&self, me: Pid, timeout: bool, steps: &mut dyn Steps<DynState<'m>>) {
        offer_steps_to(
            self.dyn_states.model,
            &self.state,
            me,
            timeout,
            &mut Translator { dyn_states: self.dyn_states, to: steps },
        );
    }

    fn tick(&self, which: u32) -> Option<Tick<DynState<'m>>> {
        let DynStates { model, is_abstract, .. } = self.dyn_states;
        let Tick { next, n_ticks } = match is_abstract {
            true => abstract_time::tick(model, &self.state, which)?,
            false => model.tick(&self.state, which)?,
        };
        Some(Tick { next: self.dyn_states.dyn_state(next), n_ticks })
    }

    fn atomic_owner(&self) -> Option<Pid> {
        self.dyn_states.model.atomic_owner(&self.state)
    }

    fn release(&mut self) {
        self.dyn_states.model.release(&mut self.state);
    }

    fn priority(&self, pid: Pid) -> i32 {
        self.dyn_states.model.priority(&self.state, pid)
    }

    fn is_valid_end(&self, pid: Pid) -> bool {
        self.dyn_states.model.is_valid_end(&self.state, pid)
    }

    fn is_accepting(&self, pid: Pid) -> bool {
        self.dyn_states.model.is_accepting(&self.state, pid)
    }

    fn is_progress(&self, pid: Pid) -> bool {
        self.dyn_states.model.is_progress(&self.state, pid)
    }

    fn offer_claim_moves(
        &self,
        claim: usize,
        at: ClaimLocation,
        timeout: bool,
        moves: &mut dyn ClaimMoves<DynState<'m>>,
    ) {
        let mut translator = Translator { dyn_states: self.dyn_states, to: moves };
        self.dyn_states.model.offer_claim_moves(claim, at, &self.state, timeout, &mut translator);
    }

    fn breach(&self, pid: Pid) -> Option<(TransitionId, Fault)> {
        let model = self.dyn_states.model;
        if model.has_promises() { model.breach(&self.state, pid) } else { None }
    }

    fn trace_may_end(&self) -> bool {
        self.dyn_states.model.trace_may_end(&self.state)
    }

    fn has_messages(&self) -> bool {
        self.dyn_states.model.has_messages(&self.state)
    }

    fn proctype(&self, pid: Pid) -> usize {
        self.dyn_states.model.proctype(&self.state, pid)
    }

    fn location(&self, pid: Pid) -> usize {
        self.dyn_states.model.location(&self.state, pid)
    }

    fn describe(&self, to: &mut dyn Describe) {
        self.dyn_states.model.describe(&self.state, to);
    }

    fn identity(&self) -> Identity {
        let mut packed = M::Packed::default();
        self.dyn_states.model.pack(&self.state, &mut packed);
        identity(&packed, self.dyn_states.hidden.number(self.dyn_states.model.hidden(&self.state)))
    }
}

/// Has a model offer its steps to a trait object: compiled once for all callers that handle single states.
#[inline(never)]
pub(super) fn offer_steps_to<M: Model>(
    model: &M,
    state: &M::State,
    me: Pid,
    timeout: bool,
    mut steps: &mut dyn Steps<M::State>,
) {
    model.offer_steps(state, me, timeout, &mut steps);
}

/// Forwards what a model offers, with its states as [`DynState`]s.
struct Translator<'m, M: Model, T> {
    dyn_states: DynStates<'m, M>,
    to: T,
}

impl<'m, M: Independence> Steps<M::State> for Translator<'m, M, &mut dyn Steps<DynState<'m>>> {
    fn offer(&mut self, transition: TransitionId, next: &mut M::State) {
        self.to.offer(transition, &mut self.dyn_states.dyn_state(next.clone()));
    }

    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut M::State) {
        self.to.offer_handshake(send, receiver, receive, &mut self.dyn_states.dyn_state(next.clone()));
    }

    fn assert(&mut self, transition: TransitionId, holds: bool) {
        self.to.assert(transition, holds);
    }

    fn trace(&mut self, transition: TransitionId, error: TraceError) {
        self.to.trace(transition, error);
    }

    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        self.to.fault(transition, fault);
    }

    fn reach(&mut self, transition: TransitionId) {
        self.to.reach(transition);
    }

    fn print(&mut self, text: fmt::Arguments<'_>) {
        self.to.print(text);
    }

    fn wants_text(&self) -> bool {
        self.to.wants_text()
    }
}

impl<'m, M: Independence> ClaimMoves<M::State> for Translator<'m, M, &mut dyn ClaimMoves<DynState<'m>>> {
    fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After) {
        self.to.go(by, to, after);
    }

    fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: M::State) {
        self.to.go_changing(by, to, after, self.dyn_states.dyn_state(next));
    }

    fn assert(&mut self, by: ClaimMoveId, holds: bool) {
        self.to.assert(by, holds);
    }

    fn fault(&mut self, by: ClaimMoveId, fault: Fault) {
        self.to.fault(by, fault);
    }
}
