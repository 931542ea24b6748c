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
    /// Where the changed state is, if the claim changed it: an index into [`AutomatonMoves::changed`].
    pub changed: Option<usize>,
    pub n_moves: u32,
    /// The last move: an index into `made`.
    last: usize,
}

/// A violation in a move of the claim.
#[derive(Clone, Copy)]
pub(crate) struct Wrong {
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
    pub wrong: Vec<Wrong>,
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
            wrong: Vec::new(),
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
        self.wrong.clear();
        self.made.clear();
    }

    /// A way of a property that needs no claim.
    pub fn push_silent(&mut self, to: ClaimLocation) {
        self.list.push(AutomatonMove { to, changed: None, n_moves: 0, last: NONE });
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.wrong.is_empty()
    }

    /// Finds all ways of `claim` that begin at `at` while the system is in `state`, where it stands then and afterwards.
    #[inline]
    pub fn gather(
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

    /// Goes on with the ways that are inside an atomic sequence.
    #[cold]
    fn follow(
        &mut self,
        system: &mut dyn ProductSystem<'_, P>,
        claim: Claim<'_>,
        state: (&P, Hidden),
        timeout: bool,
    ) -> Result<(), OutOfMemory> {
        let mut next = 0;
        while let Some(&way) = self.inside.get(next) {
            next += 1;
            let now = match way.changed {
                Some(changed) => self.changed[changed].clone(),
                None => Point { packed: state.0.clone(), hidden: state.1 },
            };
            // A sequence may go round in circles; each of its states is left once.
            let key = (way.to, now);
            if !self.seen.contains(&key) {
                system.go_to(&key.1.packed, key.1.hidden);
                self.seen.push(key);
                self.offer(system, claim, way, timeout)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn offer(
        &mut self,
        system: &mut dyn ProductSystem<'_, P>,
        claim: Claim<'_>,
        way: AutomatonMove,
        timeout: bool,
    ) -> Result<(), OutOfMemory> {
        let mut gathering = MoveCollector { ways: self, claim, way, choice: 0, failed: None };
        system.offer_claim_moves(claim.index, way.to, timeout, &mut gathering)
    }

    pub fn moves(&self, way: &AutomatonMove) -> Vec<Move> {
        self.moves_up_to(way.last)
    }

    pub fn moves_to_wrong(&self, wrong: &Wrong) -> Vec<Move> {
        self.moves_up_to(wrong.last)
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
    ways: &'a mut AutomatonMoves<P>,
    claim: Claim<'m>,
    /// What came before in this turn.
    way: AutomatonMove,
    choice: u32,
    /// An assertion that does not hold, of the move that comes next.
    failed: Option<ClaimMoveId>,
}

impl<P> MoveCollector<'_, '_, P> {
    #[inline]
    fn make(&mut self, by: ClaimMoveId, to: ClaimLocation) -> usize {
        let last = self.ways.made.len();
        self.ways.made.push(Made { by, choice: self.choice, to, before: self.way.last });
        self.choice += 1;
        if let Some(by) = self.failed.take() {
            self.ways.wrong.push(Wrong { found: Found::at_claim(ViolationKind::Assertion, by), last });
        }
        last
    }

    #[inline]
    fn arrive(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, changed: Option<usize>) {
        let last = self.make(by, to);
        let way = AutomatonMove { to, changed, n_moves: self.way.n_moves + 1, last };
        if self.claim.is_end(to) {
            self.ways.wrong.push(Wrong { found: Found::at_claim(ViolationKind::ClaimEnd, by), last });
        } else if after == After::Claim {
            self.ways.inside.push(way);
        } else {
            self.ways.list.push(way);
        }
    }
}

impl<P> ClaimMoves<Point<P>> for MoveCollector<'_, '_, P> {
    #[inline]
    fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After) {
        self.arrive(by, to, after, self.way.changed);
    }

    fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: Point<P>) {
        self.ways.changed.push(next);
        self.arrive(by, to, after, Some(self.ways.changed.len() - 1));
    }

    fn assert(&mut self, by: ClaimMoveId, holds: bool) {
        if !holds {
            self.failed = Some(by);
        }
    }

    /// The move is not made: the claim stays where it is.
    fn fault(&mut self, by: ClaimMoveId, fault: Fault) {
        let last = self.make(by, self.way.to);
        self.ways.wrong.push(Wrong { found: Found::at_claim(ViolationKind::Fault(fault), by), last });
    }
}
