//! The control flow of a model, as far as the distance to a statement needs it.
//!
//! A distance counts steps and not statements: an atomic sequence, a `d_step` and merged statements are one step, like a
//! step of any length. So beside the statements of a process ([`TransitionInfo`](crate::model::TransitionInfo)) these
//! tables say which locations a process may pass within a step, and which processes a statement starts.

use crate::step::TransitionId;

/// Static facts about the control flow. Sets of locations and of transitions are bit sets. All facts err towards shorter
/// distances.
#[derive(Clone, Copy, Debug)]
pub struct ControlFlow<'m> {
    /// Locations that a process may leave in the same step in which it arrives there.
    pub passed: &'m [u64],
    /// Statements that are assertions.
    pub assertions: &'m [u64],
    /// The locations that a statement leaves beside its [`from`](crate::model::TransitionInfo::from).
    pub also_leaves: &'m [(u32, TransitionId)],
    /// The statements that start processes, each with the location where the new process begins.
    pub starts: &'m [(TransitionId, u32)],
    /// For each claim that is a safety property, and each of its locations: the fewest steps before the one that brings
    /// the claim to its end. Nothing for other claims.
    pub claims: &'m [&'m [u32]],
}

/// The distance of a location from which no target can be reached.
pub const UNREACHABLE: u32 = u32::MAX;
