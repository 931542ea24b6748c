//! The timers of a model, which a tick lowers all at once.

use crate::model::VariableId;

/// A timer or an array of timers: a variable, or a field of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    pub variable: VariableId,
    /// The fields that lead from the variable to the timer.
    pub path: Vec<u32>,
    /// The lengths of the enclosing arrays, outermost first.
    pub lengths: Vec<u32>,
}
