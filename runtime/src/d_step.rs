//! A `d_step` on its way: many statements, one step.

use crate::fault::Fault;
use crate::step::{Steps, TransitionId};

/// A `d_step` that takes more statements than this seems not to end.
const STATEMENT_LIMIT: u32 = 10_000_000;

/// Where a `d_step` goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// No statement can be executed here.
    Blocked,
    /// At the part of that number.
    To(u32),
    /// It is through.
    Done,
}

/// How far a `d_step` has come.
#[derive(Debug)]
pub struct DStep {
    here: TransitionId,
    n_statements: u32,
}

impl DStep {
    /// Before its first statement; `whole` is the `d_step` itself.
    pub fn new(whole: TransitionId) -> DStep {
        DStep { here: whole, n_statements: 0 }
    }

    /// The statement that is executed, or that went wrong.
    pub fn here(&self) -> TransitionId {
        self.here
    }

    /// Whether a statement was executed.
    pub fn has_begun(&self) -> bool {
        self.n_statements > 0
    }

    /// The statement `transition` is about to be tried.
    #[inline]
    pub fn at(&mut self, transition: TransitionId) {
        self.here = transition;
    }

    /// The statement `transition` can be executed, and will be.
    #[inline]
    pub fn reach<S>(&mut self, transition: TransitionId, steps: &mut impl Steps<S>) -> Result<(), Fault> {
        self.here = transition;
        steps.reach(transition);
        self.n_statements += 1;
        if self.n_statements > STATEMENT_LIMIT { Err(Fault::DStepEndless) } else { Ok(()) }
    }
}

/// Reports what went wrong in a transition, which is then not taken. Whether it was.
#[inline]
pub fn settle<S>(transition: TransitionId, result: Result<bool, Fault>, steps: &mut impl Steps<S>) -> bool {
    result.unwrap_or_else(|fault| {
        steps.fault(transition, fault);
        false
    })
}
