//! The synchronous product of the system and an observer (Vardi and Wolper, 1986).
//!
//! A state of the product is a stored state of the system and a location of the observer. First the observer moves, once
//! or through an atomic sequence of its own, and then the system. If the observer is blocked the run is cut; if the system
//! is, the system stutters and the observer moves alone, so that finite runs count as infinite ones.
//!
//! A reduction takes the same ample set after each move of the observer. Whether a process is idle, which counts as served
//! under fairness, depends on the state and not on the ample set.

use super::claim::AutomatonMoves;
use super::model_dyn::identity;
use super::observer::{AcceptLabels, NO_PROGRESS, Observer};
use super::rebuild::{steps_to_violation, system_moves};
use super::{
    NoLimits, ObserverConfig, Outlook, Point, ProductState, ProductSuccessors, ProductSystem, Pulse, Take, Tally, Wants,
};
use crate::dyn_model::DynState;
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::step::{ClaimLocation, Pid, PidSet};
use crate::symmetry::Representatives;
use crate::trail::Move;
use crate::verdict::Found;

/// Expands states of the product. It is compiled for each size of states. The system is in the state that is expanded,
/// unless a method says otherwise.
pub(crate) struct Product<'s, P: Packed> {
    system: Box<dyn ProductSystem<'s, P> + 's>,
    observed: ObserverConfig<'s>,
    /// Which violations of the claim itself are reported. Assertions of the model are left to the search for safety;
    /// both searches continue behind them.
    wants: Wants,
    moves: AutomatonMoves<P>,
}

/// The steps of the system out of a state, as they were appended to the successors.
struct Pushed {
    group: u32,
    faults: Vec<Found>,
    is_reduced: bool,
    timed_out: bool,
    ticks: bool,
}

/// A state of the system.
type StateRef<'a, P> = (&'a P, Hidden);

impl<'s, P: Packed> Product<'s, P> {
    /// A product that reports the violations in `wants`, and faults.
    pub fn new(
        system: Box<dyn ProductSystem<'s, P> + 's>,
        observed: ObserverConfig<'s>,
        wants: Wants,
    ) -> Product<'s, P> {
        Product { system, observed, wants, moves: AutomatonMoves::default() }
    }

    /// The initial state of the system; the observer is at its location 0.
    pub fn initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        self.system.initial(into)
    }

    /// Appends the successors of a state of the product to `edges`, and puts the violations there into `edges.found`.
    /// The result for a state is always the same, except with [`Take::IfItPays`].
    pub fn expand(
        &mut self,
        from: &ProductState<P>,
        take: Take,
        edges: &mut ProductSuccessors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Outlook {
        let at = self.go_to(from);
        let is_accepting = self.is_accepting(at);
        let is_reduced = match self.expand_state(state_ref(from), at, take, edges, pulse) {
            Ok(is_reduced) => is_reduced,
            Err(OutOfMemory) => {
                edges.set_full();
                false
            }
        };
        Outlook { is_accepting, is_reduced }
    }

    /// The search has rejected the last ample set.
    pub fn note_rejection(&mut self) {
        self.system.note_rejection();
    }

    /// The moves of observer and system on an edge; under fairness those in which exactly `movers` move.
    pub fn moves_between(&mut self, from: &ProductState<P>, to: &ProductState<P>, movers: PidSet) -> Vec<Move> {
        self.find_all_moves(from);
        let movers = self.observed.is_fair.then_some(movers);
        for hidden in [Some(to.hidden), None] {
            let target = identity(&to.state.packed, hidden);
            for position in 0..self.moves.list.len() {
                let automaton_move = self.moves.list[position];
                if automaton_move.to != ClaimLocation(to.state.key) {
                    continue;
                }
                let dyn_state = self.state_after(from, automaton_move.changed);
                if let Some(steps) = system_moves(dyn_state, movers, &target) {
                    let mut moves = self.moves.moves(&automaton_move);
                    moves.extend(steps);
                    return moves;
                }
            }
        }
        Vec::new()
    }

    /// The moves from a state to a violation.
    pub fn moves_to(&mut self, from: &ProductState<P>, found: Found) -> Vec<Move> {
        self.find_all_moves(from);
        if let Some(violation) = self.moves.violations.iter().find(|violation| violation.found == found) {
            return self.moves.moves_to_violation(violation);
        }
        for position in 0..self.moves.list.len() {
            let automaton_move = self.moves.list[position];
            let dyn_state = self.state_after(from, automaton_move.changed);
            if let Some(steps) = steps_to_violation(dyn_state, found) {
                let mut moves = self.moves.moves(&automaton_move);
                moves.extend(steps.into_iter().map(Move::from));
                return moves;
            }
        }
        Vec::new()
    }

    /// Finds representatives, if the states of the system are some.
    pub fn representatives(&self) -> Option<Representatives<'s>> {
        self.system.representatives()
    }

    /// The initial state of the model, which may not be its representative.
    pub fn real_initial(&mut self, into: &mut P) -> Result<Hidden, Fault> {
        self.system.real_initial(into)
    }

    /// A move of the observer, to `to` if that is given, and the moves of the system that `find` finds behind it.
    pub fn behind_observer(
        &mut self,
        from: &ProductState<P>,
        to: Option<ClaimLocation>,
        find: &mut dyn FnMut(DynState<'s>) -> Option<Vec<Move>>,
    ) -> Option<Vec<Move>> {
        self.find_all_moves(from);
        for position in 0..self.moves.list.len() {
            let automaton_move = self.moves.list[position];
            if to.is_some_and(|to| automaton_move.to != to) {
                continue;
            }
            let dyn_state = self.state_after(from, automaton_move.changed);
            if let Some(steps) = find(dyn_state) {
                let mut moves = self.moves.moves(&automaton_move);
                moves.extend(steps);
                return Some(moves);
            }
        }
        None
    }

    pub fn tally(&self) -> Tally {
        self.system.tally()
    }

    /// Sets the system to a state of the product. Returns the location of the observer.
    fn go_to(&mut self, product_state: &ProductState<P>) -> ClaimLocation {
        self.system.go_to(&product_state.state.packed, product_state.hidden);
        ClaimLocation(product_state.state.key)
    }

    /// The system after a move of the observer.
    fn state_after(&mut self, from: &ProductState<P>, changed: Option<usize>) -> DynState<'s> {
        let (state, hidden) = changed.map_or(state_ref(from), |changed| point_ref(&self.moves.changed[changed]));
        self.system.go_to(state, hidden);
        self.system.dyn_state()
    }

    fn is_accepting(&self, at: ClaimLocation) -> bool {
        match self.observed.observer {
            Observer::Claim(claim, AcceptLabels::OfTheClaim) => claim.is_accepting(at),
            Observer::Claim(claim, AcceptLabels::Everywhere) => {
                claim.is_accepting(at) || self.system.has_accept_label()
            }
            Observer::Acceptance => self.system.has_accept_label(),
            Observer::NonProgress | Observer::Zeno => at == NO_PROGRESS,
        }
    }

    fn has_claim(&self) -> bool {
        matches!(self.observed.observer, Observer::Claim(..))
    }

    /// Computes the moves of the observer into `self.moves`.
    #[inline]
    fn find_moves(&mut self, state: StateRef<'_, P>, at: ClaimLocation, timeout: bool) -> Result<(), OutOfMemory> {
        match self.observed.observer {
            Observer::Claim(claim, _) => return self.moves.collect(&mut *self.system, claim, at, state, timeout),
            Observer::Acceptance => {
                self.moves.clear();
                self.moves.push_silent(at);
            }
            // In a state that ticks the latter is taken back, as soon as that is known.
            Observer::Zeno => {
                self.moves.clear();
                if at != NO_PROGRESS {
                    self.moves.push_silent(at);
                }
                self.moves.push_silent(NO_PROGRESS);
            }
            Observer::NonProgress => {
                self.moves.clear();
                if at != NO_PROGRESS {
                    self.moves.push_silent(at);
                }
                if !self.system.makes_progress() {
                    self.moves.push_silent(NO_PROGRESS);
                }
            }
        }
        Ok(())
    }

    /// Returns whether only an ample set was expanded.
    fn expand_state(
        &mut self,
        state: StateRef<'_, P>,
        at: ClaimLocation,
        take: Take,
        edges: &mut ProductSuccessors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Result<bool, OutOfMemory> {
        edges.found.clear();
        self.find_moves(state, at, false)?;
        let mut timeout = false;
        if self.moves.is_empty() && self.has_claim() {
            timeout = true;
            self.find_moves(state, at, timeout)?;
        }
        if self.moves.is_empty() {
            return Ok(false);
        }
        // A claim that changes the state may change what the ample set depends on.
        let take = if self.moves.changed.is_empty() { take } else { Take::All };
        let Pushed { group, faults, is_reduced, timed_out, ticks } = self.push_steps(state, take, edges, pulse)?;
        if ticks && matches!(self.observed.observer, Observer::Zeno) {
            self.moves.list.retain(|automaton_move| automaton_move.to != NO_PROGRESS);
        }
        if timed_out != timeout && self.has_claim() {
            self.find_moves(state, at, timed_out)?;
        }
        for violation in &self.moves.violations {
            if self.wants.wants(violation.found.kind) {
                edges.found.push(violation.found);
            }
        }
        let mut reports_faults = false;
        for position in 0..self.moves.list.len() {
            let automaton_move = self.moves.list[position];
            let Some(changed) = automaton_move.changed else {
                reports_faults = true;
                edges.push_branch(automaton_move.to, automaton_move.n_moves, group)?;
                continue;
            };
            let changed = self.moves.changed[changed].clone();
            self.system.go_to(&changed.packed, changed.hidden);
            let Pushed { group, faults, .. } = self.push_steps(point_ref(&changed), Take::All, edges, pulse)?;
            edges.found.extend(faults);
            edges.push_branch(automaton_move.to, automaton_move.n_moves, group)?;
        }
        if reports_faults && !faults.is_empty() {
            edges.found.extend(faults);
        }
        Ok(is_reduced)
    }

    /// The system's steps out of `state`, as a group, and the faults among them.
    #[inline]
    fn push_steps(
        &mut self,
        state: StateRef<'_, P>,
        take: Take,
        edges: &mut ProductSuccessors<P>,
        pulse: &mut dyn Pulse<P>,
    ) -> Result<Pushed, OutOfMemory> {
        let begin = edges.extent();
        let taken = self.system.take_steps(take, self.observed.is_fair, &mut edges.steps, pulse);
        let faults = if edges.steps.found.is_empty() { Vec::new() } else { edges.steps.take_found() };
        // A run ends with a fault, so it does not stutter behind one.
        let stutters = !taken.moved
            && faults.is_empty()
            && !matches!(self.observed.observer, Observer::NonProgress | Observer::Zeno);
        let idle = self.observed.has_more_marks().then(|| {
            // If no process is enabled, all count as served.
            let served = if self.observed.is_fair { taken.enabled.complement() } else { PidSet::ALL };
            let stands_still = self.observed.time_passes && !taken.ticks && !stutters;
            if stands_still { served.without(Pid::TIME) } else { served }
        });
        if stutters {
            edges.steps.push(state.0, 1, Ok(state.1));
            edges.steps.push_movers(PidSet::EMPTY);
        }
        let group = edges.push_group(begin, taken.n_processes, idle)?;
        Ok(Pushed { group, faults, is_reduced: taken.is_reduced, timed_out: taken.timed_out, ticks: taken.ticks })
    }

    /// Computes the moves of the observer in a state, with the right value of `timeout`. It ignores limits, because the
    /// violation is known and only its counterexample is missing.
    fn find_all_moves(&mut self, from: &ProductState<P>) {
        let mut edges = ProductSuccessors::new(self.observed.is_fair);
        self.expand(from, Take::All, &mut edges, &mut NoLimits);
    }
}

fn state_ref<P>(product_state: &ProductState<P>) -> StateRef<'_, P> {
    (&product_state.state.packed, product_state.hidden)
}

fn point_ref<P>(point: &Point<P>) -> StateRef<'_, P> {
    (&point.packed, point.hidden)
}
