//! The product of the system and a claim that finite runs violate, as a system of its own: its states are states of the
//! product, and its violations are those of the claim, so that every search for safety can be asked about the claim.
//!
//! # With a reduction
//!
//! A violating run is a run of the system and a path of the claim to its end. An ample set keeps one of at most the same
//! length: either the run has a step of the set, which is invisible and moves to the front, or any step of the set may
//! come before the run. The claim then reads a letter twice, and maybe another one once less. If it is stutter-robust, it
//! can wait after the first letter and hurry over the other: it is at some location after its next move, from where the
//! rest of the run violates the claim. The proviso says that following ample sets ends in a full expansion, but only for
//! some successor, and successors at another location of the claim do not count. So an ample set is used only where the
//! claim has one move to make. In other states all steps are taken, which is always sound.
//!
//! A claim that is not stutter-robust has the static proviso. There the ample set depends on the state of the system
//! alone, whatever the claim does.

use super::claim::{AutomatonMoves, Claim};
use super::{
    AmpleSet, Expansion, Mark, ObserverConfig, Point, Product, ProductState, ProductSystem, ProductSystems, Pulse,
    RealRun, ReductionConfig, ReductionStatistics, Successors, System, Systems, Tally, ThrottleSetting, Wants,
};
use crate::distance::Distances;
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::model::ModelInfo;
use crate::pack::{Keyed, Packed};
use crate::property::Property;
use crate::reduction::ReductionInfo;
use crate::step::{ClaimLocation, PidSet};
use crate::trail::Move;
use crate::verdict::{Found, ViolationKind};

/// A model with one of its claims.
pub(crate) struct ClaimSystems<'m, P: Packed> {
    systems: &'m dyn ProductSystems<P>,
    observer: ObserverConfig<'m>,
    claim: Claim<'m>,
}

impl<'m, P: Packed> ClaimSystems<'m, P> {
    /// `None` for a property that is no claim with an automaton. Infinite runs that violate it are not found.
    pub fn new(systems: &'m dyn ProductSystems<P>, property: Property) -> Option<ClaimSystems<'m, P>> {
        let observer = ObserverConfig::new(systems.info(), property, false)?;
        Some(ClaimSystems { systems, observer, claim: observer.claim()? })
    }

    /// The violation of the initial state, if there is one: then there is nothing to search.
    pub fn wrong_from_the_beginning(&self) -> Option<Found> {
        let initial = self.systems.system(Wants::FAULTS, None).initial(&mut P::default());
        let kind = match initial {
            Err(fault) => ViolationKind::Fault(fault),
            Ok(_) if self.observer.ends_at_once() => ViolationKind::ClaimEnd,
            Ok(_) => return None,
        };
        Some(Found::state(kind))
    }
}

impl<P: Packed> Systems<Keyed<P>> for ClaimSystems<'_, P> {
    fn info(&self) -> &ModelInfo<'_> {
        self.systems.info()
    }

    fn reduction(&self) -> &ReductionInfo<'_> {
        self.systems.reduction()
    }

    fn has_hidden(&self) -> bool {
        self.systems.has_hidden()
    }

    fn system<'s>(&'s self, wants: Wants, config: Option<ReductionConfig<'s>>) -> Box<dyn System<Keyed<P>> + 's> {
        Box::new(ClaimSystem {
            of: self,
            wants,
            // Assertions of the model and end states are left to the search for safety.
            system: self.systems.system(Wants::FAULTS, config),
            observed: self.systems.product_system(None),
            is_by_state_alone: config.is_some_and(|config| config.is_static()),
            moves: AutomatonMoves::default(),
            steps: Successors::new(),
            next: Keyed::default(),
        })
    }

    /// The claim may take another path where steps are left out, so that nothing is known about such a run.
    fn leave_out(&self, _: &[Move], _: Found, _: u64, _: &dyn Fn() -> bool) -> Option<Vec<Move>> {
        None
    }
}

struct ClaimSystem<'s, 'm, P: Packed> {
    of: &'s ClaimSystems<'m, P>,
    wants: Wants,
    /// Takes the steps of the system.
    system: Box<dyn System<P> + 's>,
    /// Offers the moves of the claim.
    observed: Box<dyn ProductSystem<'s, P> + 's>,
    /// The ample set does not depend on the location of the claim.
    is_by_state_alone: bool,
    moves: AutomatonMoves<P>,
    /// The steps of the system out of the state.
    steps: Successors<P>,
    next: Keyed<P>,
}

impl<P: Packed> ClaimSystem<'_, '_, P> {
    /// Finds the moves of the claim, with `timeout` if there are none without it. Returns the value of `timeout`.
    fn find_moves(&mut self, state: (&P, Hidden), at: ClaimLocation) -> Result<bool, OutOfMemory> {
        self.observed.go_to(state.0, state.1);
        self.moves.collect(&mut *self.observed, self.of.claim, at, state, false)?;
        let timeout = self.moves.is_empty();
        if timeout {
            self.moves.collect(&mut *self.observed, self.of.claim, at, state, true)?;
        }
        Ok(timeout)
    }

    /// Whether an ample set may be used.
    fn may_reduce(&self) -> bool {
        // A claim that changes the state may change what the ample set depends on.
        self.moves.changed.is_empty() && (self.is_by_state_alone || self.moves.list.len() <= 1)
    }

    fn try_expand(
        &mut self,
        from: &Keyed<P>,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<Keyed<P>>,
        pulse: &mut dyn Pulse<Keyed<P>>,
    ) -> Result<Expansion, OutOfMemory> {
        let (state, at) = ((&from.packed, hidden), ClaimLocation(from.key));
        let timeout = self.find_moves(state, at)?;
        if self.moves.is_empty() {
            return Ok(Expansion { chosen: None, who: AmpleSet::ALL, moved: false, timed_out: false });
        }
        let n_rejected = if self.may_reduce() { n_rejected } else { usize::MAX };
        let expansion = self.take_steps(state, n_rejected, out, pulse)?;
        if expansion.timed_out != timeout {
            self.moves.collect(&mut *self.observed, self.of.claim, at, state, expansion.timed_out)?;
        }
        for violation in &self.moves.violations {
            if self.wants.wants(violation.found.kind) {
                out.push_found(violation.found);
            }
        }
        for position in 0..self.moves.list.len() {
            let automaton_move = self.moves.list[position];
            if automaton_move.changed.is_none() {
                self.push_branch(automaton_move.to, automaton_move.n_moves, out);
            }
        }
        if self.moves.list.iter().any(|automaton_move| automaton_move.changed.is_none()) {
            self.push_faults(out);
        }
        for position in 0..self.moves.list.len() {
            let automaton_move = self.moves.list[position];
            let Some(changed) = automaton_move.changed else { continue };
            let Point { packed, hidden } = self.moves.changed[changed].clone();
            self.take_steps((&packed, hidden), usize::MAX, out, pulse)?;
            self.push_branch(automaton_move.to, automaton_move.n_moves, out);
            self.push_faults(out);
        }
        Ok(expansion)
    }

    /// Computes the steps of the system out of a state. If there are none the system stutters.
    fn take_steps(
        &mut self,
        state: (&P, Hidden),
        n_rejected: usize,
        out: &mut Successors<Keyed<P>>,
        pulse: &mut dyn Pulse<Keyed<P>>,
    ) -> Result<Expansion, OutOfMemory> {
        self.steps.truncate(Mark::default());
        let mut beat = OuterPulse { pulse, out };
        let expansion = self.system.expand(state.0, state.1, n_rejected, &mut self.steps, &mut beat);
        // A run ends with a fault, so it does not stutter behind one.
        if !expansion.moved && self.steps.found.is_empty() {
            self.steps.push(state.0, 1, Ok(state.1));
        }
        if self.steps.is_full() { Err(OutOfMemory) } else { Ok(expansion) }
    }

    /// Appends the steps of the system behind a move of the claim.
    fn push_branch(&mut self, to: ClaimLocation, n_moves: u32, out: &mut Successors<Keyed<P>>) {
        self.next.key = to.0;
        for (position, arrival) in self.steps.arrivals.iter().enumerate() {
            self.steps.read(position, &mut self.next.packed);
            let hash = Keyed::<P>::hash_of(arrival.hash, to.0);
            out.push_hashed(&self.next, hash, n_moves + arrival.n_steps, Ok(arrival.hidden));
        }
    }

    fn push_faults(&mut self, out: &mut Successors<Keyed<P>>) {
        for met in &self.steps.found {
            out.push_found(met.found);
        }
    }
}

impl<P: Packed> System<Keyed<P>> for ClaimSystem<'_, '_, P> {
    fn initial(&mut self, into: &mut Keyed<P>) -> Result<Hidden, Fault> {
        into.key = 0;
        self.system.initial(&mut into.packed)
    }

    fn expand(
        &mut self,
        from: &Keyed<P>,
        hidden: Hidden,
        n_rejected: usize,
        out: &mut Successors<Keyed<P>>,
        pulse: &mut dyn Pulse<Keyed<P>>,
    ) -> Expansion {
        self.try_expand(from, hidden, n_rejected, out, pulse).unwrap_or_else(|OutOfMemory| {
            out.set_full();
            Expansion { chosen: None, who: AmpleSet::ALL, moved: false, timed_out: false }
        })
    }

    /// That of the claim: assertions of the model are left to the search for safety.
    fn distance(&mut self, of: &Keyed<P>, _: Hidden, distances: &Distances) -> u32 {
        distances.of_claim(of.key)
    }

    fn is_whole(&mut self, from: &Keyed<P>, hidden: Hidden, n_tried: usize) -> bool {
        self.system.is_whole(&from.packed, hidden, n_tried)
    }

    fn set_throttle(&mut self, throttle: ThrottleSetting) {
        self.system.set_throttle(throttle);
    }

    fn take_statistics(&mut self) -> ReductionStatistics {
        self.system.take_statistics()
    }

    fn can_move(&mut self, from: &Keyed<P>, hidden: Hidden, who: AmpleSet) -> bool {
        self.system.can_move(&from.packed, hidden, who)
    }

    fn rebuild(&mut self, path: &[Point<Keyed<P>>], found: Found) -> Vec<Move> {
        let ClaimSystems { systems, observer, .. } = *self.of;
        let mut product = Product::new(systems.product_system(None), observer, self.wants);
        let states = path.iter().map(|point| ProductState { state: point.packed.clone(), hidden: point.hidden });
        let states: Vec<ProductState<P>> = states.collect();
        if let Some(mut run) = RealRun::new(&mut product) {
            states.iter().skip(1).for_each(|state| run.go_to(state, &[]));
            if found.is_in_a_step() {
                run.end_with(found);
            }
            return run.moves;
        }
        let mut moves = Vec::new();
        for pair in states.windows(2) {
            moves.extend(product.moves_between(&pair[0], &pair[1], PidSet::EMPTY));
        }
        if let Some(last) = states.last().filter(|_| found.is_in_a_step()) {
            moves.extend(product.moves_to(last, found));
        }
        moves
    }

    fn tally(&self) -> Tally {
        self.system.tally()
    }
}

/// The pulse of the search, from within an expansion of the system alone. What has arrived there is not yet in the
/// buffer of the search.
struct OuterPulse<'p, P: Packed> {
    pulse: &'p mut dyn Pulse<Keyed<P>>,
    out: &'p mut Successors<Keyed<P>>,
}

impl<P: Packed> Pulse<P> for OuterPulse<'_, P> {
    fn beat(&mut self, _: &mut Successors<P>) -> bool {
        self.pulse.beat(self.out)
    }
}
