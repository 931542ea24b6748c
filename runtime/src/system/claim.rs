//! What a claim can do between two steps of the system.
//!
//! Most claims make one move. One that is inside an atomic sequence of its own moves again before the system does; all
//! ways through the sequence are followed. Where it cannot go on, inside too, the run is cut: such a run is none that
//! the claim is about.

use crate::fault::Fault;
use crate::model::{ClaimLocationInfo, Model};
use crate::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves};
use crate::trail::Move;
use crate::verdict::{Found, ViolationKind};

/// Which claim, and its automaton.
#[derive(Clone, Copy)]
pub(crate) struct Claim {
    pub index: usize,
    pub locations: &'static [ClaimLocationInfo],
}

impl Claim {
    pub fn is_accepting(self, at: ClaimLocation) -> bool {
        self.locations.get(at.index()).is_some_and(|location| location.is_accepting)
    }

    pub fn is_end(self, at: ClaimLocation) -> bool {
        self.locations.get(at.index()).is_some_and(|location| location.is_end)
    }
}

/// One way that ends with the system's turn.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub to: ClaimLocation,
    /// Where the changed state is, if the claim changed it: an index into [`Ways::changed`].
    pub changed: Option<usize>,
    pub n_moves: u32,
    /// The last move: an index into `made`.
    last: usize,
}

/// Something that goes wrong in a move of the claim.
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

/// All ways of one state. A buffer, to be filled again and again.
pub(crate) struct Ways<M: Model> {
    pub list: Vec<Way>,
    pub changed: Vec<M::State>,
    pub wrong: Vec<Wrong>,
    made: Vec<Made>,
    /// Ways that are inside an atomic sequence of the claim.
    inside: Vec<Way>,
    seen: Vec<(ClaimLocation, M::Packed, M::Hidden)>,
}

impl<M: Model> Default for Ways<M> {
    fn default() -> Ways<M> {
        Ways {
            list: Vec::new(),
            changed: Vec::new(),
            wrong: Vec::new(),
            made: Vec::new(),
            inside: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl<M: Model> Ways<M> {
    pub fn clear(&mut self) {
        self.list.clear();
        self.changed.clear();
        self.wrong.clear();
        self.made.clear();
    }

    /// A way of a property that needs no claim.
    pub fn push_silent(&mut self, to: ClaimLocation) {
        self.list.push(Way { to, changed: None, n_moves: 0, last: NONE });
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.wrong.is_empty()
    }

    /// Finds all ways of `claim` that begin at `at` while the system is in `state`.
    pub fn gather(&mut self, model: &M, claim: Claim, at: ClaimLocation, state: &M::State, timeout: bool) {
        self.clear();
        let start = Way { to: at, changed: None, n_moves: 0, last: NONE };
        self.offer(model, claim, start, state, timeout);
        if self.inside.is_empty() {
            return;
        }
        let mut next = 0;
        while let Some(&way) = self.inside.get(next) {
            next += 1;
            let now = way.changed.map_or_else(|| state.clone(), |changed| self.changed[changed].clone());
            // A sequence may go round in circles; each of its states is left once.
            let mut packed = M::Packed::default();
            model.pack(&now, &mut packed);
            let key = (way.to, packed, model.hidden(&now));
            if !self.seen.contains(&key) {
                self.seen.push(key);
                self.offer(model, claim, way, &now, timeout);
            }
        }
        self.inside.clear();
        self.seen.clear();
    }

    fn offer(&mut self, model: &M, claim: Claim, way: Way, state: &M::State, timeout: bool) {
        let mut gathering = Gathering { ways: self, claim, way, choice: 0, failed: None };
        model.offer_claim_moves(claim.index, way.to, state, timeout, &mut gathering);
    }

    pub fn moves(&self, way: &Way) -> Vec<Move> {
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
struct Gathering<'a, M: Model> {
    ways: &'a mut Ways<M>,
    claim: Claim,
    /// What came before in this turn.
    way: Way,
    choice: u32,
    /// An assertion that does not hold, of the move that comes next.
    failed: Option<ClaimMoveId>,
}

impl<M: Model> Gathering<'_, M> {
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
        let way = Way { to, changed, n_moves: self.way.n_moves + 1, last };
        if self.claim.is_end(to) {
            self.ways.wrong.push(Wrong { found: Found::at_claim(ViolationKind::ClaimEnd, by), last });
        } else if after == After::Claim {
            self.ways.inside.push(way);
        } else {
            self.ways.list.push(way);
        }
    }
}

impl<M: Model> ClaimMoves<M::State> for Gathering<'_, M> {
    #[inline]
    fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After) {
        self.arrive(by, to, after, self.way.changed);
    }

    fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: M::State) {
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
