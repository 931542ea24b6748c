//! The system and a claim that watches it, moving in turns.
//!
//! A state of the product is a stored state of the system and the place of the claim. From there the claim moves, once
//! or through an atomic sequence of its own, and then the system. If the claim cannot move the run is cut; if the
//! system cannot, it stays where it is and the claim goes on alone, so that finite runs count as infinite ones.
//!
//! Acceptance without a claim has one place, at which everything may happen. Non-progress has two: it guesses when
//! the last progress was made, and is accepting from then on. There nothing stutters: a system that has stopped is not
//! one that goes on without progress.

use super::claim::{Claim, Ways};
use super::control::Control;
use super::expand::{Expander, Sink};
use super::fan::Fan;
use crate::fault::Fault;
use crate::model::{ClaimKind, Model};
use crate::pack::OutOfMemory;
use crate::property::Property;
use crate::step::{ClaimLocation, Pid, PidSet};
use crate::verdict::{Found, ViolationKind};

/// Who watches.
#[derive(Clone, Copy)]
enum Watcher {
    /// With the accept labels of the processes, or its own ones alone.
    Claim(Claim, AcceptLabels),
    Acceptance,
    NonProgress,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AcceptLabels {
    /// A never claim is a filter on runs: what must not be repeated forever on them may be said in the processes too.
    Everywhere,
    /// A formula says all there is to say; a label elsewhere cannot make it false.
    OfTheClaim,
}

/// The place of the non-progress watcher from which on there must be no progress.
const NO_PROGRESS: ClaimLocation = ClaimLocation(1);

pub(crate) struct Product<'m, M: Model> {
    pub model: &'m M,
    watcher: Watcher,
    fair: bool,
    pub expander: Expander<'m, M, PidSet>,
    pub ways: Ways<M>,
    /// What went wrong in the state that was expanded last.
    pub found: Vec<Found>,
    /// What else takes memory, for the limit.
    pub memory_beside: u64,
    packed: M::Packed,
    n_checks: u32,
}

impl<'m, M: Model> Product<'m, M> {
    /// Safety and traces have no product, nor has a claim without an automaton.
    pub fn new(model: &'m M, property: Property, fair: bool) -> Option<Product<'m, M>> {
        let watcher = match property {
            Property::Safety => return None,
            Property::Acceptance => Watcher::Acceptance,
            Property::NonProgress => Watcher::NonProgress,
            Property::Claim(index) => {
                let info = model.info().claims.get(index)?;
                let labels = match info.kind {
                    _ if info.locations.is_empty() => return None,
                    ClaimKind::Never => AcceptLabels::Everywhere,
                    ClaimKind::Ltl => AcceptLabels::OfTheClaim,
                    ClaimKind::Trace => return None,
                };
                Watcher::Claim(Claim { index, locations: info.locations }, labels)
            }
        };
        Some(Product {
            model,
            watcher,
            fair,
            expander: Expander::new(model),
            ways: Ways::default(),
            found: Vec::new(),
            memory_beside: 0,
            packed: M::Packed::default(),
            n_checks: 0,
        })
    }

    pub fn is_fair(&self) -> bool {
        self.fair
    }

    /// How a cycle of this property is called.
    pub fn cycle(&self) -> Found {
        Found::state(match self.watcher {
            Watcher::Claim(..) | Watcher::Acceptance => ViolationKind::AcceptanceCycle,
            Watcher::NonProgress => ViolationKind::NonProgressCycle,
        })
    }

    /// Whether the claim is violated before anybody has moved.
    pub fn ends_at_once(&self) -> bool {
        matches!(self.watcher, Watcher::Claim(claim, _) if claim.is_end(ClaimLocation(0)))
    }

    /// Whether a run that comes here again and again is a violation.
    pub fn is_accepting(&self, state: &M::State, at: ClaimLocation) -> bool {
        match self.watcher {
            Watcher::Claim(claim, AcceptLabels::OfTheClaim) => claim.is_accepting(at),
            Watcher::Claim(claim, AcceptLabels::Everywhere) => claim.is_accepting(at) || self.has_accept_label(state),
            Watcher::Acceptance => self.has_accept_label(state),
            Watcher::NonProgress => at == NO_PROGRESS,
        }
    }

    fn has_accept_label(&self, state: &M::State) -> bool {
        self.pids(state).any(|pid| self.model.is_accepting(state, pid))
    }

    fn makes_progress(&self, state: &M::State) -> bool {
        self.pids(state).any(|pid| self.model.is_progress(state, pid))
    }

    fn pids(&self, state: &M::State) -> impl Iterator<Item = Pid> + use<M> {
        (0..self.model.n_processes(state)).map(Pid::from_index)
    }

    /// Computes the ways of the watcher into `self.ways`.
    pub fn watch(&mut self, state: &M::State, at: ClaimLocation, timeout: bool) {
        match self.watcher {
            Watcher::Claim(claim, _) => self.ways.gather(self.model, claim, at, state, timeout),
            Watcher::Acceptance => {
                self.ways.clear();
                self.ways.push_silent(at);
            }
            Watcher::NonProgress => {
                self.ways.clear();
                if at != NO_PROGRESS {
                    self.ways.push_silent(at);
                }
                if !self.makes_progress(state) {
                    self.ways.push_silent(NO_PROGRESS);
                }
            }
        }
    }

    /// Appends to `fan` what the state of the product leads to, and notes in `self.found` what goes wrong there.
    pub fn expand(&mut self, state: &M::State, at: ClaimLocation, fan: &mut Fan<M>, control: &mut Control<'_>) {
        self.found.clear();
        self.watch(state, at, false);
        let mut timeout = false;
        let has_claim = matches!(self.watcher, Watcher::Claim(..));
        if self.ways.is_empty() && has_claim {
            timeout = true;
            self.watch(state, at, timeout);
        }
        if self.ways.is_empty() {
            return;
        }
        if self.push_all(state, at, timeout, fan, control).is_err() {
            control.out_of_memory(self.memory_beside + fan.memory_bytes());
        }
    }

    /// `timeout` is what the ways were computed with.
    fn push_all(
        &mut self,
        state: &M::State,
        at: ClaimLocation,
        timeout: bool,
        fan: &mut Fan<M>,
        control: &mut Control<'_>,
    ) -> Result<(), OutOfMemory> {
        let (group, faults) = self.push_steps(state, fan, control)?;
        if self.expander.timed_out != timeout && matches!(self.watcher, Watcher::Claim(..)) {
            self.watch(state, at, self.expander.timed_out);
        }
        self.found.extend(self.ways.wrong.iter().map(|wrong| wrong.found).filter(|found| control.wants(found.kind)));
        let mut tells_faults = false;
        for position in 0..self.ways.list.len() {
            let way = self.ways.list[position];
            let Some(changed) = way.changed else {
                tells_faults = true;
                fan.push_branch(way.to, way.n_moves, group)?;
                continue;
            };
            let state = self.ways.changed[changed].clone();
            let (group, faults) = self.push_steps(&state, fan, control)?;
            self.found.extend(faults);
            fan.push_branch(way.to, way.n_moves, group)?;
        }
        if tells_faults {
            self.found.extend(faults);
        }
        Ok(())
    }

    /// The system's steps out of `state`, as a group, and the faults among them.
    fn push_steps(
        &mut self,
        state: &M::State,
        fan: &mut Fan<M>,
        control: &mut Control<'_>,
    ) -> Result<(u32, Vec<Found>), OutOfMemory> {
        let begin = fan.extent();
        let mut sink = FanSink {
            model: self.model,
            fan,
            control,
            packed: &mut self.packed,
            fair: self.fair,
            memory_beside: self.memory_beside,
            n_checks: &mut self.n_checks,
            faults: Vec::new(),
            is_full: false,
        };
        let moved = self.expander.expand(state, &mut sink);
        let (faults, is_full) = (sink.faults, sink.is_full);
        if is_full {
            return Err(OutOfMemory);
        }
        // Where nobody can move, everybody is excused.
        let idle = self.fair.then(|| self.expander.enabled.complement());
        // A run that goes wrong does not go on.
        if !moved && faults.is_empty() && !matches!(self.watcher, Watcher::NonProgress) {
            self.push_stutter(state, fan)?;
        }
        let group = fan.push_group(begin, self.model.n_processes(state), idle)?;
        Ok((group, faults))
    }

    fn push_stutter(&mut self, state: &M::State, fan: &mut Fan<M>) -> Result<(), OutOfMemory> {
        self.model.pack(state, &mut self.packed);
        let movers = self.fair.then_some(PidSet::EMPTY);
        fan.push_arrival(&self.packed, self.model.hidden(state), 1, movers)
    }

    pub fn initial(&self) -> Result<M::State, Fault> {
        self.model.initial()
    }
}

/// Packs what the system arrives at.
struct FanSink<'s, 'a, M: Model> {
    model: &'s M,
    fan: &'s mut Fan<M>,
    control: &'s mut Control<'a>,
    packed: &'s mut M::Packed,
    fair: bool,
    memory_beside: u64,
    n_checks: &'s mut u32,
    faults: Vec<Found>,
    is_full: bool,
}

impl<M: Model> Sink<M> for FanSink<'_, '_, M> {
    type Movers = PidSet;

    #[inline]
    fn arrive(&mut self, state: &M::State, n_steps: u32, movers: PidSet) {
        self.model.pack(state, self.packed);
        let movers = self.fair.then_some(movers);
        if self.fan.push_arrival(self.packed, self.model.hidden(state), n_steps, movers).is_err() {
            self.is_full = true;
        }
    }

    /// Assertions of the model are left to the search for safety, which goes on behind them as this one does.
    fn violation(&mut self, found: Found, _n_steps: u32) {
        if matches!(found.kind, ViolationKind::Fault(_)) {
            self.faults.push(found);
        }
    }

    fn is_over(&mut self) -> bool {
        *self.n_checks = self.n_checks.wrapping_add(1);
        if self.n_checks.is_multiple_of(4096) {
            self.control.check_limits(self.memory_beside + self.fan.memory_bytes());
        }
        self.is_full || self.control.is_over()
    }
}
