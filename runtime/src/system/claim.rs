//! The moves of a claim between two steps of the system.
//!
//! Most claims make one move. A claim inside an atomic sequence of its own moves again before the system does; all paths
//! through the sequence are followed. Where the claim is blocked, inside too, the run is cut: the claim is not about it.

use super::{Point, ProductSystem};
use crate::fault::Fault;
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::model::ClaimLocationInfo;
use crate::pack::Packed;
use crate::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves};
use crate::trail::Move;
use crate::verdict::{Found, ViolationKind};

/// A claim and its automaton.
#[derive(Clone, Copy)]
pub(crate) struct Claim<'m> {
    pub index: usize,
    pub locations: &'m [ClaimLocationInfo],
}

impl Claim<'_> {
    pub fn is_accepting(self, at: ClaimLocation) -> bool {
        self.locations.get(at.index()).is_some_and(|location| location.is_accepting)
    }

    pub fn is_end(self, at: ClaimLocation) -> bool {
        self.locations.get(at.index()).is_some_and(|location| location.is_end)
    }
}

/// A sequence of moves that ends with the turn of the system; mostly one.
#[derive(Clone, Copy)]
pub(crate) struct AutomatonMove {
    pub to: ClaimLocation,
    /// The changed state, if the claim changed it: an index into [`AutomatonMoves::changed`].
    pub changed: Option<usize>,
    pub n_moves: u32,
    /// The last move: an index into `made`.
    last: usize,
}

/// A violation in a move of the claim.
#[derive(Clone, Copy)]
pub(crate) struct ClaimViolation {
    pub found: Found,
    /// The move: an index into `made`.
    last: usize,
}

/// A move, and the one before it in the same turn.
struct Made {
    by: ClaimMoveId,
    choice: u32,
    to: ClaimLocation,
    before: usize,
}

const NONE: usize = usize::MAX;

/// All moves of the claim in one state. A buffer that is reused.
pub(crate) struct AutomatonMoves<P> {
    pub list: Vec<AutomatonMove>,
    pub changed: Vec<Point<P>>,
    pub violations: Vec<ClaimViolation>,
    made: Vec<Made>,
    /// Moves that are inside an atomic sequence of the claim.
    inside: Vec<AutomatonMove>,
    seen: Vec<(ClaimLocation, Point<P>)>,
}

impl<P> Default for AutomatonMoves<P> {
    fn default() -> AutomatonMoves<P> {
        AutomatonMoves {
            list: Vec::new(),
            changed: Vec::new(),
            violations: Vec::new(),
            made: Vec::new(),
            inside: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl<P: Packed> AutomatonMoves<P> {
    pub fn clear(&mut self) {
        self.list.clear();
        self.changed.clear();
        self.violations.clear();
        self.made.clear();
    }

    /// A move of an observer without a claim.
    pub fn push_silent(&mut self, to: ClaimLocation) {
        self.list.push(AutomatonMove { to, changed: None, n_moves: 0, last: NONE });
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.violations.is_empty()
    }

    /// Finds all moves of `claim` from `at` while the system is in `state`. The system must be in that state, and is in
    /// it again afterwards.
    #[inline]
    pub fn collect(
        &mut self,
        system: &mut dyn ProductSystem<'_, P>,
        claim: Claim<'_>,
        at: ClaimLocation,
        state: (&P, Hidden),
        timeout: bool,
    ) -> Result<(), OutOfMemory> {
        self.clear();
        let start = AutomatonMove { to: at, changed: None, n_moves: 0, last: NONE };
        let offered = self.offer(system, claim, start, timeout);
        if self.inside.is_empty() {
            return offered;
        }
        let followed = offered.and_then(|()| self.follow(system, claim, state, timeout));
        self.inside.clear();
        self.seen.clear();
        system.go_to(state.0, state.1);
        followed
    }

    /// Continues the moves that are inside an atomic sequence.
    #[cold]
    fn follow(
        &mut self,
        system: &mut dyn ProductSystem<'_, P>,
        claim: Claim<'_>,
        state: (&P, Hidden),
        timeout: bool,
    ) -> Result<(), OutOfMemory> {
        let mut next = 0;
        while let Some(&prefix) = self.inside.get(next) {
            next += 1;
            let now = match prefix.changed {
                Some(changed) => self.changed[changed].clone(),
                None => Point { packed: state.0.clone(), hidden: state.1 },
            };
            // A sequence may contain a cycle; each of its states is expanded once.
            let key = (prefix.to, now);
            if !self.seen.contains(&key) {
                system.go_to(&key.1.packed, key.1.hidden);
                self.seen.push(key);
                self.offer(system, claim, prefix, timeout)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn offer(
        &mut self,
        system: &mut dyn ProductSystem<'_, P>,
        claim: Claim<'_>,
        prefix: AutomatonMove,
        timeout: bool,
    ) -> Result<(), OutOfMemory> {
        let mut collector = MoveCollector { moves: self, claim, prefix, choice: 0, failed: None };
        system.offer_claim_moves(claim.index, prefix.to, timeout, &mut collector)
    }

    pub fn moves(&self, automaton_move: &AutomatonMove) -> Vec<Move> {
        self.moves_up_to(automaton_move.last)
    }

    pub fn moves_to_violation(&self, violation: &ClaimViolation) -> Vec<Move> {
        self.moves_up_to(violation.last)
    }

    fn moves_up_to(&self, mut last: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        while let Some(&Made { by, choice, to, before }) = self.made.get(last) {
            moves.push(Move::Claim { by, choice, to });
            last = before;
        }
        moves.reverse();
        moves
    }
}

/// The [`ClaimMoves`] of the searches and of the counterexamples.
struct MoveCollector<'a, 'm, P> {
    moves: &'a mut AutomatonMoves<P>,
    claim: Claim<'m>,
    /// The moves of this turn so far.
    prefix: AutomatonMove,
    choice: u32,
    /// A failed assertion of the next move.
    failed: Option<ClaimMoveId>,
}

impl<P> MoveCollector<'_, '_, P> {
    #[inline]
    fn make(&mut self, by: ClaimMoveId, to: ClaimLocation) -> usize {
        let last = self.moves.made.len();
        self.moves.made.push(Made { by, choice: self.choice, to, before: self.prefix.last });
        self.choice += 1;
        if let Some(by) = self.failed.take() {
            self.moves.violations.push(ClaimViolation { found: Found::at_claim(ViolationKind::Assertion, by), last });
        }
        last
    }

    #[inline]
    fn arrive(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, changed: Option<usize>) {
        let last = self.make(by, to);
        let arrived = AutomatonMove { to, changed, n_moves: self.prefix.n_moves + 1, last };
        if self.claim.is_end(to) {
            self.moves.violations.push(ClaimViolation { found: Found::at_claim(ViolationKind::ClaimEnd, by), last });
        } else if after == After::Claim {
            self.moves.inside.push(arrived);
        } else {
            self.moves.list.push(arrived);
        }
    }
}

impl<P> ClaimMoves<Point<P>> for MoveCollector<'_, '_, P> {
    #[inline]
    fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After) {
        self.arrive(by, to, after, self.prefix.changed);
    }

    fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: Point<P>) {
        self.moves.changed.push(next);
        self.arrive(by, to, after, Some(self.moves.changed.len() - 1));
    }

    fn assert(&mut self, by: ClaimMoveId, holds: bool) {
        if !holds {
            self.failed = Some(by);
        }
    }

    /// The move is not made: the claim stays at its location.
    fn fault(&mut self, by: ClaimMoveId, fault: Fault) {
        let last = self.make(by, self.prefix.to);
        self.moves.violations.push(ClaimViolation { found: Found::at_claim(ViolationKind::Fault(fault), by), last });
    }
}
