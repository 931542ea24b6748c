//! The moves of a claim.
//!
//! Generated code computes the guard of a move and its changes, if any; the functions here pass them to [`ClaimMoves`].
//! Each returns whether the move is enabled, which an `else` needs to know.

use super::d_step::{DStep, offer_d_step};
use super::outcome::Outcome;
use crate::fault::{Fault, TraceError};
use crate::step::{After, ClaimLocation, ClaimMoveId, ClaimMoves, Pid, Steps, TransitionId};

/// A move, its target, and whether the claim or the system moves next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimMove {
    pub by: ClaimMoveId,
    pub to: ClaimLocation,
    pub after: After,
}

impl ClaimMove {
    /// Move number `by`, to location number `to`; then the system moves.
    pub const fn new(by: u16, to: u16) -> ClaimMove {
        ClaimMove { by: ClaimMoveId(by), to: ClaimLocation(to), after: After::System }
    }

    /// The same inside an atomic sequence: the claim moves again.
    pub const fn atomic(by: u16, to: u16) -> ClaimMove {
        ClaimMove { after: After::Claim, ..ClaimMove::new(by, to) }
    }
}

/// The result of a condition, which may be a fault.
pub trait Condition {
    fn holds(self) -> Result<bool, Fault>;
}

impl Condition for bool {
    #[inline(always)]
    fn holds(self) -> Result<bool, Fault> {
        Ok(self)
    }
}

impl Condition for Result<bool, Fault> {
    #[inline(always)]
    fn holds(self) -> Result<bool, Fault> {
        self
    }
}

/// A move that changes nothing, if its guard holds.
#[inline]
pub fn go<S>(step: ClaimMove, condition: impl Condition, moves: &mut impl ClaimMoves<S>) -> bool {
    match condition.holds() {
        Ok(true) => {
            moves.go(step.by, step.to, step.after);
            true
        }
        Ok(false) => false,
        Err(fault) => {
            moves.fault(step.by, fault);
            false
        }
    }
}

/// An assertion: the move is made whether it holds or not.
#[inline]
pub fn go_asserting<S>(step: ClaimMove, assertion: impl Condition, moves: &mut impl ClaimMoves<S>) -> bool {
    let asserted = assertion.holds();
    if let Ok(holds) = asserted {
        moves.assert(step.by, holds);
    }
    go(step, asserted.map(|_| true), moves)
}

/// A move that changes a variable, if it can be made.
#[inline]
pub fn go_changing<S>(step: ClaimMove, next: impl Outcome<S>, moves: &mut impl ClaimMoves<S>) -> bool {
    match next.outcome() {
        Ok(Some(next)) => {
            moves.go_changing(step.by, step.to, step.after, next);
            true
        }
        Ok(None) => false,
        Err(fault) => {
            moves.fault(step.by, fault);
            false
        }
    }
}

/// A `d_step` of a claim. The statements inside are numbered among the moves of the claim.
#[inline]
pub fn go_d_step<S: Clone>(
    step: ClaimMove,
    take: impl FnOnce(&mut DStep) -> Result<Option<S>, Fault>,
    moves: &mut impl ClaimMoves<S>,
) -> bool {
    offer_d_step(TransitionId(step.by.0.into()), take, &mut AsSteps { step, moves })
}

/// Makes moves of a claim from the steps that the code of a process would offer.
struct AsSteps<'m, M> {
    step: ClaimMove,
    moves: &'m mut M,
}

fn number(transition: TransitionId) -> ClaimMoveId {
    ClaimMoveId(u16::try_from(transition.0).unwrap_or(u16::MAX))
}

impl<S: Clone, M: ClaimMoves<S>> Steps<S> for AsSteps<'_, M> {
    fn offer(&mut self, _: TransitionId, next: &mut S) {
        self.moves.go_changing(self.step.by, self.step.to, self.step.after, next.clone());
    }

    /// A claim neither sends nor receives.
    fn offer_handshake(&mut self, _: TransitionId, _: Pid, _: TransitionId, _: &mut S) {}

    fn assert(&mut self, transition: TransitionId, holds: bool) {
        self.moves.assert(number(transition), holds);
    }

    /// Nor does it take steps that a trace observes.
    fn trace(&mut self, _: TransitionId, _: TraceError) {}

    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        self.moves.fault(number(transition), fault);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Seen(Vec<String>);

    impl ClaimMoves<u8> for Seen {
        fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After) {
            self.0.push(format!("{} to {} then {after:?}", by.0, to.0));
        }
        fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: u8) {
            self.0.push(format!("{} to {} with {next} then {after:?}", by.0, to.0));
        }
        fn assert(&mut self, by: ClaimMoveId, holds: bool) {
            self.0.push(format!("{} asserts {holds}", by.0));
        }
        fn fault(&mut self, by: ClaimMoveId, fault: Fault) {
            self.0.push(format!("{} fails: {fault:?}", by.0));
        }
    }

    #[test]
    fn moves_are_made_where_they_can_be() {
        let (mut seen, step) = (Seen::default(), ClaimMove::new(3, 5));
        assert!(!go(step, false, &mut seen));
        assert!(go(step, true, &mut seen));
        assert!(!go(step, Err(Fault::DivideByZero), &mut seen));
        assert!(go_asserting(step, false, &mut seen));
        assert!(!go_changing(step, None::<u8>, &mut seen));
        assert!(go_changing(ClaimMove::atomic(3, 5), Some(7), &mut seen));
        let expected = [
            "3 to 5 then System",
            "3 fails: DivideByZero",
            "3 asserts false",
            "3 to 5 then System",
            "3 to 5 with 7 then Claim",
        ];
        assert_eq!(seen.0, expected);
    }

    #[test]
    fn a_d_step_is_one_move() {
        let (mut seen, step) = (Seen::default(), ClaimMove::new(3, 5));
        let take = |d_step: &mut DStep| {
            d_step.reach(TransitionId(4));
            d_step.assert(TransitionId(4), false);
            Ok(Some(9))
        };
        assert!(go_d_step(step, take, &mut seen));
        assert_eq!(seen.0, ["4 asserts false", "3 to 5 with 9 then System"]);
    }
}
