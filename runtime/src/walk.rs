//! A run that is replayed from a trail, move by move: the system, and a claim beside it.
//!
//! The steps are computed from the model again, without the visited set, proviso or ample sets of a search. So whatever
//! the search did, the result is a run of the model.

use crate::dyn_model::{DynModel, DynState, Identity};
use crate::fault::Fault;
use crate::record::{Offer, can_move, offers, offers_with};
use crate::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves, Pid, PidSet};
use crate::trail::{Move, Step, Trail};
use crate::verdict::{Found, ViolationKind};

/// The mover of the next move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mover {
    Claim,
    /// The claim is inside an atomic sequence of its own.
    ClaimAgain,
    System,
}

/// The system in a state, the claim at a location.
pub struct Walk<'m> {
    /// An index into the claims of the model.
    claim: Option<usize>,
    pub dyn_state: DynState<'m>,
    pub at: ClaimLocation,
    turn: Mover,
    /// The steps that the system can take in this state.
    offers: Vec<Offer<'m>>,
}

/// A move that was made.
pub struct TakenMove<'m> {
    /// The step of the system or the tick, if it was one. Its `next` is the state of the walk now.
    pub step: Option<Offer<'m>>,
    /// The violations in it.
    pub violations: Vec<Found>,
}

/// Two positions of a run are equal if the same continuations are possible from both.
pub struct RunPosition {
    identity: Identity,
    atomic_owner: Option<Pid>,
    at: ClaimLocation,
    turn: Mover,
}

/// How two positions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    State,
    Hidden,
    ClaimLocation,
    Turn,
}

impl RunPosition {
    pub fn difference(&self, other: &RunPosition) -> Option<Difference> {
        if self.identity.words != other.identity.words || self.atomic_owner != other.atomic_owner {
            return Some(Difference::State);
        }
        if self.identity.hidden != other.identity.hidden || self.identity.hidden.is_none() {
            return Some(Difference::Hidden);
        }
        if self.at != other.at {
            return Some(Difference::ClaimLocation);
        }
        (self.turn != other.turn).then_some(Difference::Turn)
    }
}

/// The state at the end of the moves of a run without a claim, if all of them can be made.
pub fn follow<'m>(dyn_model: &'m dyn DynModel, moves: &[Move]) -> Option<DynState<'m>> {
    let mut walk = Walk::new(dyn_model, None).ok()?;
    for next in moves {
        walk.make(next)?;
    }
    Some(walk.dyn_state)
}

/// The same with exact time.
pub fn follow_exactly<'m>(dyn_model: &'m dyn DynModel, moves: &[Move]) -> Option<DynState<'m>> {
    let mut walk = Walk::exactly(dyn_model, None).ok()?;
    for next in moves {
        walk.make(next)?;
    }
    Some(walk.dyn_state)
}

impl<'m> Walk<'m> {
    /// At the initial state. The claim is an index into those of the model.
    pub fn new(dyn_model: &'m dyn DynModel, claim: Option<usize>) -> Result<Walk<'m>, Fault> {
        Ok(Walk::from(dyn_model.initial()?, claim))
    }

    /// At the initial state of a trail, with time as it has it.
    pub fn along(dyn_model: &'m dyn DynModel, claim: Option<usize>, trail: &Trail) -> Result<Walk<'m>, Fault> {
        if trail.abstract_time { Walk::new(dyn_model, claim) } else { Walk::exactly(dyn_model, claim) }
    }

    /// The same with exact time.
    pub fn exactly(dyn_model: &'m dyn DynModel, claim: Option<usize>) -> Result<Walk<'m>, Fault> {
        Ok(Walk::from(dyn_model.initial_exactly()?, claim))
    }

    fn from(dyn_state: DynState<'m>, claim: Option<usize>) -> Walk<'m> {
        let turn = if claim.is_some() { Mover::Claim } else { Mover::System };
        let mut walk = Walk { claim, dyn_state, at: ClaimLocation::default(), turn, offers: Vec::new() };
        walk.look();
        walk
    }

    /// Another walk, at the same place.
    pub fn fork(&self) -> Walk<'m> {
        let Walk { claim, dyn_state, at, turn, .. } = self;
        let mut walk = Walk { claim: *claim, dyn_state: dyn_state.clone(), at: *at, turn: *turn, offers: Vec::new() };
        walk.look();
        walk
    }

    /// Finds the steps of the system. A blocked atomic owner loses control.
    fn look(&mut self) {
        self.offers = offers(&mut self.dyn_state);
    }

    /// Whether the state has no atomic owner, so that claims and labels apply to it.
    fn is_open(&self) -> bool {
        self.dyn_state.atomic_owner().is_none()
    }

    /// Whether the claim moves next, or the system if there is no claim: here the location of the claim and the labels
    /// of processes count.
    pub fn is_turn_begin(&self) -> bool {
        self.is_open() && self.turn == if self.claim.is_some() { Mover::Claim } else { Mover::System }
    }

    /// Whether the system moves next in a state that a claim has observed.
    pub fn is_systems_turn(&self) -> bool {
        self.is_open() && self.turn == Mover::System
    }

    /// Whether the system makes the next move, perhaps inside an atomic sequence.
    pub fn is_systems_move(&self) -> bool {
        self.turn == Mover::System
    }

    /// Whether this step can be taken, or fails.
    pub fn offers_step(&self, step: &Step) -> bool {
        self.offers.iter().any(|offer| offer.step == *step)
    }

    /// The first of the ways in which time passes here, if it does.
    pub fn ticks(&self) -> Option<Move> {
        self.offers.iter().find(|offer| offer.step.is_tick()).map(|offer| Move::from(offer.step))
    }

    /// Whether no step is possible, and none fails.
    pub fn is_stuck(&self) -> bool {
        self.offers.is_empty()
    }

    /// The moves that the claim can make, those that fail included, if it is its turn.
    pub fn claim_moves(&self) -> Vec<Move> {
        let offered = self.offered_to_claim().unwrap_or_default();
        let made =
            |(made, choice): (ClaimOffer<'_>, u32)| Move::Claim { by: made.by, choice, to: made.to.unwrap_or(self.at) };
        offered.into_iter().zip(0..).map(made).collect()
    }

    /// Whether a process can move, or time passes because none can.
    pub fn system_can_move(&self) -> bool {
        can_move(&self.offers)
    }

    /// The enabled processes.
    pub fn enabled(&self) -> PidSet {
        let enabled = self.offers.iter().filter(|offer| offer.next.is_some() && !offer.step.is_tick());
        enabled.map(|offer| offer.step.pid).collect()
    }

    pub fn position(&self) -> RunPosition {
        RunPosition {
            identity: self.dyn_state.identity(),
            atomic_owner: self.dyn_state.atomic_owner(),
            at: self.at,
            turn: self.turn,
        }
    }

    /// Makes one move. `None`: it cannot be made here.
    pub fn make(&mut self, next: &Move) -> Option<TakenMove<'m>> {
        match next {
            Move::System(step) => self.step(step),
            Move::Tick(passed) => self.step(&Step::tick(*passed)),
            Move::Claim { by, choice, to } => self.claim_move(*by, *choice, *to),
            Move::Stutter => self.stutter(),
        }
    }

    fn step(&mut self, step: &Step) -> Option<TakenMove<'m>> {
        if self.turn != Mover::System {
            return None;
        }
        let index = self.offers.iter().position(|offer| offer.step == *step)?;
        let mut offer = self.offers.swap_remove(index);
        let violations = std::mem::take(&mut offer.violations);
        if let Some(next) = &offer.next {
            self.dyn_state = next.clone();
        }
        self.look();
        if self.claim.is_some() && self.is_open() {
            self.turn = Mover::Claim;
        }
        Some(TakenMove { step: Some(offer), violations })
    }

    /// The system stutters, unless a step is enabled or fails.
    fn stutter(&mut self) -> Option<TakenMove<'m>> {
        if self.turn != Mover::System || !self.offers.is_empty() {
            return None;
        }
        if self.claim.is_some() {
            self.turn = Mover::Claim;
        }
        Some(TakenMove { step: None, violations: Vec::new() })
    }

    /// What the claim can do, if it is its turn.
    fn offered_to_claim(&self) -> Option<Vec<ClaimOffer<'m>>> {
        let claim = self.claim.filter(|_| self.turn != Mover::System)?;
        let mut recorder = ClaimRecorder { moves: Vec::new(), violations: Vec::new() };
        let timeout = !can_move(&offers_with(&self.dyn_state, false));
        self.dyn_state.offer_claim_moves(claim, self.at, timeout, &mut recorder);
        Some(recorder.moves)
    }

    fn claim_move(&mut self, by: ClaimMoveId, choice: u32, to: ClaimLocation) -> Option<TakenMove<'m>> {
        let made = self.offered_to_claim()?.into_iter().nth(choice as usize)?;
        if made.by != by || made.to.unwrap_or(self.at) != to {
            return None;
        }
        self.at = to;
        if let Some(dyn_state) = made.next {
            self.dyn_state = dyn_state;
            self.look();
        }
        self.turn = match made.after {
            After::System => Mover::System,
            After::Claim => Mover::ClaimAgain,
        };
        Some(TakenMove { step: None, violations: made.violations })
    }
}

/// A move that the claim can make, or that fails.
struct ClaimOffer<'m> {
    by: ClaimMoveId,
    /// `None`: the move fails and is not made.
    to: Option<ClaimLocation>,
    after: After,
    next: Option<DynState<'m>>,
    violations: Vec<Found>,
}

struct ClaimRecorder<'m> {
    moves: Vec<ClaimOffer<'m>>,
    violations: Vec<Found>,
}

impl<'m> ClaimRecorder<'m> {
    fn record(&mut self, by: ClaimMoveId, to: Option<ClaimLocation>, after: After, next: Option<DynState<'m>>) {
        let violations = std::mem::take(&mut self.violations);
        self.moves.push(ClaimOffer { by, to, after, next, violations });
    }
}

impl<'m> ClaimMoves<DynState<'m>> for ClaimRecorder<'m> {
    fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After) {
        self.record(by, Some(to), after, None);
    }

    fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: DynState<'m>) {
        self.record(by, Some(to), after, Some(next));
    }

    fn assert(&mut self, by: ClaimMoveId, holds: bool) {
        if !holds {
            self.violations.push(Found::at_claim(ViolationKind::Assertion, by));
        }
    }

    fn fault(&mut self, by: ClaimMoveId, fault: Fault) {
        self.violations.push(Found::at_claim(ViolationKind::Fault(fault), by));
        self.record(by, None, After::Claim, None);
    }
}
