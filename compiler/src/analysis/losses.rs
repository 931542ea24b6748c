//! Losses: the places where an analysis gives up, why, and what that costs.

use crate::model::ProctypeId;
use crate::source::Span;

/// A part of the model that weakens the reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub cause: LossCause,
    /// Where in the model.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// The model has priorities: no reduction at all.
    Priorities,
    /// The model asks for `_last`, `enabled`, `pc_value` or `np_`: no reduction at all.
    Last,
    Enabled,
    PcValue,
    NonProgress,
    /// A channel is stored in a number: its operations are never safe.
    ChannelInNumber,
    /// Processes of this proctype are not known one by one: they are one cluster.
    Dynamic(ProctypeId),
    /// An `xr` or `xs` that could not be proved: it is checked at run time and relied on where no cycles are looked for.
    Believed,
    /// An `xr` or `xs` that could not be proved and cannot be checked.
    Unproved,
    /// An `xr` or `xs` that is wrong: it is ignored.
    Refuted,
    /// More processes than a mask has bits: no clusters.
    TooManyProcesses,
}

impl LossCause {
    /// Whether no reduction is left.
    pub fn is_total(&self) -> bool {
        matches!(self, Self::Priorities | Self::Last | Self::Enabled | Self::PcValue | Self::NonProgress)
    }
}
