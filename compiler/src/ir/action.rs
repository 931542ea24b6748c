//! Questions about an action that several analyses ask. A new kind of action is decided on here, once.

use super::{Action, Graph};
use crate::model::{ChannelRef, Expr, Pattern, Place, Side, Target, stored_places};

impl<'m> Action<'m> {
    /// The variables that it stores in. Those of a `d_step` are stored in by its statements.
    pub fn stored(&self) -> impl Iterator<Item = &'m Place> + use<'m> {
        let (targets, pattern): (&'m [Place], &'m [Pattern]) = match *self {
            Self::Assign { target: Target::Place(place), .. } => (std::slice::from_ref(place), &[]),
            Self::Assign { target: Target::Several(places), .. } => (places, &[]),
            Self::Receive { pattern, .. } => (&[], pattern),
            Self::Assign { target: Target::Priority | Target::Ignore, .. }
            | Self::Condition(_)
            | Self::Else
            | Self::Jump
            | Self::Send { .. }
            | Self::Assert(_)
            | Self::Print(_)
            | Self::Event { .. }
            | Self::DStep(_)
            | Self::End => (&[], &[]),
        };
        targets.iter().chain(stored_places(pattern))
    }

    /// The value that an assignment stores.
    pub fn assigned(&self) -> Option<&'m Expr> {
        if let Self::Assign { target: Target::Place(_), value } = *self { Some(value) } else { None }
    }

    /// The channel of a send or a receive. An event of a trace is neither.
    pub fn channel(&self) -> Option<(Side, &'m ChannelRef)> {
        match *self {
            Self::Send { channel, .. } => Some((Side::Send, channel)),
            Self::Receive { channel, .. } => Some((Side::Receive, channel)),
            Self::Condition(_)
            | Self::Else
            | Self::Jump
            | Self::Assign { .. }
            | Self::Assert(_)
            | Self::Print(_)
            | Self::Event { .. }
            | Self::DStep(_)
            | Self::End => None,
        }
    }

    /// The expression that it waits for.
    pub fn condition(&self) -> Option<&'m Expr> {
        if let Self::Condition(condition) = *self { Some(condition) } else { None }
    }

    /// The statements of a `d_step`.
    pub fn d_step(&self) -> Option<&Graph<'m>> {
        if let Self::DStep(inner) = self { Some(inner) } else { None }
    }

    pub fn is_end(&self) -> bool {
        matches!(self, Self::End)
    }
}
