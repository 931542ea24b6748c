//! A model, and a state with its model, as objects.
//!
//! Simulation, replay and counterexamples handle the states of one run. They use a model through these traits only, so
//! they are compiled once, with the runtime; `system` is for the operations that a search repeats millions of times.
//! `system/model_dyn.rs` implements the traits for every [`Model`](crate::model::Model).

use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::model::{Describe, ModelInfo, Tick};
use crate::pack::{SEED, mix};
use crate::step::{ClaimLocation, ClaimMoves, Pid, Steps, TransitionId};
use std::hash::{Hash, Hasher};

/// A model of any type.
pub trait DynModel {
    fn info(&self) -> &ModelInfo<'_>;

    fn initial(&self) -> Result<DynState<'_>, Fault>;

    /// The same with exact time, also if searches take it in the abstract.
    fn initial_exactly(&self) -> Result<DynState<'_>, Fault>;
}

/// A state together with its model. A copy allocates memory.
pub type DynState<'m> = Box<dyn StateObject<'m> + 'm>;

/// The methods are those of [`Model`](crate::model::Model), for this state.
pub trait StateObject<'m> {
    fn copy(&self) -> DynState<'m>;

    fn uses_timeout(&self) -> bool;
    fn uses_priorities(&self) -> bool;

    fn n_processes(&self) -> usize;
    fn offer_steps(&self, me: Pid, timeout: bool, steps: &mut dyn Steps<DynState<'m>>);
    fn tick(&self, which: u32) -> Option<Tick<DynState<'m>>>;
    fn atomic_owner(&self) -> Option<Pid>;
    fn release(&mut self);
    fn priority(&self, pid: Pid) -> i32;
    fn is_valid_end(&self, pid: Pid) -> bool;
    fn is_accepting(&self, pid: Pid) -> bool;
    fn is_progress(&self, pid: Pid) -> bool;
    fn offer_claim_moves(
        &self,
        claim: usize,
        at: ClaimLocation,
        timeout: bool,
        moves: &mut dyn ClaimMoves<DynState<'m>>,
    );
    /// Always empty if the model makes no promises.
    fn breach(&self, pid: Pid) -> Option<(TransitionId, Fault)>;
    fn trace_may_end(&self) -> bool;
    fn has_messages(&self) -> bool;
    fn proctype(&self, pid: Pid) -> usize;
    fn location(&self, pid: Pid) -> usize;
    fn describe(&self, to: &mut dyn Describe);

    /// The identity of a state, apart from the atomic owner.
    fn identity(&self) -> Identity;
}

impl<'m> Clone for DynState<'m> {
    fn clone(&self) -> DynState<'m> {
        self.copy()
    }
}

/// The identity of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its packed form.
    pub words: Vec<u64>,
    /// `None` if there is no memory to number it.
    pub hidden: Option<Hidden>,
}

impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.words.iter().fold(SEED, |hash, &word| mix(hash, word)));
    }
}

impl<'m> dyn StateObject<'m> + 'm {
    pub fn pids(&self) -> impl DoubleEndedIterator<Item = Pid> + use<> {
        (0..self.n_processes()).map(Pid::from_index)
    }

    /// The priority of a process, if the model has priorities.
    pub fn ranks(&self) -> Option<impl Fn(Pid) -> i32> {
        self.uses_priorities().then_some(|pid| self.priority(pid))
    }

    pub fn all_may_end(&self) -> bool {
        self.pids().all(|pid| self.is_valid_end(pid))
    }
}
