//! What a model says about one state: the steps that a process can take, and what goes wrong in them.
//!
//! Generated code calls [`Steps`]; searches, replay and simulation implement it, each keeping only what it needs.
//! A search keeps packed successors, a replay keeps names and printed text; the model's code is the same for both,
//! compiled once for each.

use crate::fault::Fault;
use std::fmt;

/// The number of a running process: 0 for the oldest. A number is used again after its process is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(pub u8);

impl Pid {
    /// For indexing the arrays of a state.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The process at place `index`. Models have at most 255 processes, so nothing is cut off.
    #[inline]
    pub fn from_index(index: usize) -> Pid {
        debug_assert!(index <= 255, "a pid fits in a byte");
        Pid(index as u8)
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An entry of [`ModelInfo::transitions`](crate::model::ModelInfo::transitions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransitionId(pub u32);

impl TransitionId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Receives the steps of one process in one state.
///
/// The calls that concern one step come in this order: any number of [`assert`](Steps::assert),
/// [`reach`](Steps::reach) and [`print`](Steps::print), then one `offer`, `offer_handshake` or `fault`. So a violation
/// or a printed text always belongs to the next offer.
pub trait Steps<S> {
    /// The process can take `transition`, which leads to `next`.
    fn offer(&mut self, transition: TransitionId, next: S);

    /// The process can send by `send` what `receiver` takes by `receive`; both together lead to `next`.
    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: S);

    /// The assertion at `transition` was evaluated. If it does not hold, that is a violation; the step is still taken.
    ///
    /// Inside a `d_step`, `transition` is that of the assertion, not that of the whole.
    fn assert(&mut self, transition: TransitionId, holds: bool);

    /// The step went wrong at `transition` (which, inside a `d_step`, is the inner one), and is not taken.
    fn fault(&mut self, transition: TransitionId, fault: Fault);

    /// A statement inside a larger step (a `d_step`, a merged chain) was executed; counts for unreached statements.
    /// An offered transition is noted without this call.
    #[inline]
    fn reach(&mut self, transition: TransitionId) {
        let _ = transition;
    }

    /// What a `printf` prints, newline included if the model has one. Searches ignore it.
    #[inline]
    fn print(&mut self, text: fmt::Arguments<'_>) {
        let _ = text;
    }

    /// Whether somebody reads what is printed. If not, it need not be made.
    #[inline]
    fn wants_text(&self) -> bool {
        false
    }
}

/// Takes every step and keeps nothing, for who only wants to know whether there is one (`enabled()`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl<S> Steps<S> for Nobody {
    fn offer(&mut self, _: TransitionId, _: S) {}
    fn offer_handshake(&mut self, _: TransitionId, _: Pid, _: TransitionId, _: S) {}
    fn assert(&mut self, _: TransitionId, _: bool) {}
    fn fault(&mut self, _: TransitionId, _: Fault) {}
}
