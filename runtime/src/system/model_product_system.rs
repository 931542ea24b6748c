//! Implements [`ProductSystem`] for every model. A state is unpacked once for all calls about it.

use super::expand::Expander;
use super::model_dyn::DynStates;
use super::por::{AmpleSets, StateView};
use super::{Point, ProductSystem, Pulse, Successors, Take, Taken, Tally};
use crate::dyn_model::DynState;
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::model::Model;
use crate::reduction::Independence;
use crate::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves, Pid};

pub(super) struct ModelProductSystem<'m, M: Model> {
    expander: Expander<'m, M>,
    dyn_states: DynStates<'m, M>,
    ample_sets: Option<AmpleSets<'m>>,
    state: Option<M::State>,
}

impl<'m, M: Independence> ModelProductSystem<'m, M> {
    /// The expander is one that reports faults alone.
    pub fn new(
        expander: Expander<'m, M>,
        dyn_states: DynStates<'m, M>,
        ample_sets: Option<AmpleSets<'m>>,
    ) -> ModelProductSystem<'m, M> {
        ModelProductSystem { expander, dyn_states, ample_sets, state: None }
    }

    fn is_anybody(&self, is_such: impl Fn(&M, &M::State, Pid) -> bool) -> bool {
        let (model, state) = (self.expander.model, here(&self.state));
        for index in 0..model.n_processes(state) {
            if is_such(model, state, Pid::from_index(index)) {
                return true;
            }
        }
        false
    }

    /// Takes the steps of the first ample set with an enabled step, if there is one.
    fn take_chosen(
        &mut self,
        take: Take,
        is_fair: bool,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> bool {
        let Some(ample_sets) = &mut self.ample_sets else { return false };
        let begin = out.mark();
        let state = here(&self.state);
        let on = StateView { model: self.expander.model, state };
        let looks = if take == Take::IfItPays { ample_sets.start(&on) } else { ample_sets.repeat(&on) };
        if !looks {
            return false;
        }
        while let Some(chosen) = ample_sets.next(&on) {
            if self.expander.expand_chosen(state, chosen, out, pulse) {
                let hash = out.arrivals.get(begin.arrivals).map_or(0, |arrival| arrival.hash);
                ample_sets.note_success(&on, chosen, hash);
                if is_fair {
                    self.expander.look_at_others(state, chosen, out);
                }
                return true;
            }
            out.truncate(begin);
        }
        false
    }
}

/// The state that all methods are about.
#[inline]
fn here<S>(state: &Option<S>) -> &S {
    state.as_ref().expect("a observer goes to a state before it asks about it")
}

impl<'m, M: Independence> ProductSystem<'m, M::Packed> for ModelProductSystem<'m, M> {
    fn initial(&mut self, into: &mut M::Packed) -> Result<Hidden, Fault> {
        self.expander.initial(into)
    }

    fn go_to(&mut self, state: &M::Packed, hidden: Hidden) {
        self.state = Some(self.expander.unpack(state, hidden));
    }

    fn has_accept_label(&self) -> bool {
        self.is_anybody(M::is_accepting)
    }

    fn makes_progress(&self) -> bool {
        self.is_anybody(M::is_progress)
    }

    fn offer_claim_moves(
        &mut self,
        claim: usize,
        at: ClaimLocation,
        timeout: bool,
        to: &mut dyn ClaimMoves<Point<M::Packed>>,
    ) -> Result<(), OutOfMemory> {
        let model = self.expander.model;
        let mut packing = Packing { expander: &mut self.expander, to, is_full: false };
        model.offer_claim_moves(claim, at, here(&self.state), timeout, &mut packing);
        if packing.is_full { Err(OutOfMemory) } else { Ok(()) }
    }

    fn take_steps(
        &mut self,
        take: Take,
        is_fair: bool,
        out: &mut Successors<M::Packed>,
        pulse: &mut dyn Pulse<M::Packed>,
    ) -> Taken {
        let is_reduced = take != Take::All && self.take_chosen(take, is_fair, out, pulse);
        let state = here(&self.state);
        let moved = is_reduced || self.expander.expand(state, out, pulse);
        let Expander { model, enabled, timed_out, ticks, .. } = self.expander;
        Taken { moved, is_reduced, enabled, timed_out, ticks, n_processes: model.n_processes(state) }
    }

    fn note_rejection(&mut self) {
        if let Some(ample_sets) = &mut self.ample_sets {
            ample_sets.note_rejection();
        }
    }

    fn dyn_state(&self) -> DynState<'m> {
        self.dyn_states.dyn_state(here(&self.state).clone())
    }

    fn tally(&self) -> Tally {
        self.expander.tally.clone()
    }
}

/// Hands on the moves of a claim, with the states that it changes packed.
struct Packing<'a, 'm, M: Model> {
    expander: &'a mut Expander<'m, M>,
    to: &'a mut dyn ClaimMoves<Point<M::Packed>>,
    /// A move is missing: there was no memory for its target.
    is_full: bool,
}

impl<M: Independence> ClaimMoves<M::State> for Packing<'_, '_, M> {
    fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After) {
        self.to.go(by, to, after);
    }

    fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: M::State) {
        match self.expander.point(&next) {
            Ok(point) => self.to.go_changing(by, to, after, point),
            Err(OutOfMemory) => self.is_full = true,
        }
    }

    fn assert(&mut self, by: ClaimMoveId, holds: bool) {
        self.to.assert(by, holds);
    }

    fn fault(&mut self, by: ClaimMoveId, fault: Fault) {
        self.to.fault(by, fault);
    }
}
