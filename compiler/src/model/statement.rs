//! Questions about a statement that several passes ask. A new kind of statement is decided on here, once.

use super::{ChannelRef, Expr, Pattern, Place, Statement, StatementKind, Target};

/// A statement about the messages of a channel.
#[derive(Clone, Copy, Debug)]
pub enum Communication<'m> {
    Send {
        channel: &'m ChannelRef,
        message: &'m [Expr],
    },
    Receive {
        channel: &'m ChannelRef,
        pattern: &'m [Pattern],
    },
    /// A send or a receive, as a trace observes it.
    Event {
        channel: &'m ChannelRef,
        pattern: &'m [Pattern],
    },
}

impl StatementKind {
    pub fn communication(&self) -> Option<Communication<'_>> {
        match self {
            Self::Send { channel, message, .. } => Some(Communication::Send { channel, message }),
            Self::Receive { channel, pattern, .. } => Some(Communication::Receive { channel, pattern }),
            Self::Event { channel, pattern, .. } => Some(Communication::Event { channel, pattern }),
            Self::Block(_)
            | Self::Atomic(_)
            | Self::DStep(_)
            | Self::If(_)
            | Self::Do(_)
            | Self::Unless { .. }
            | Self::Break
            | Self::Goto(_)
            | Self::Condition(_)
            | Self::Else
            | Self::Assign { .. }
            | Self::Assert(_)
            | Self::Print(_) => None,
        }
    }

    /// The channel of [`Self::communication`].
    pub fn channel_mut(&mut self) -> Option<&mut ChannelRef> {
        match self {
            Self::Send { channel, .. } | Self::Receive { channel, .. } | Self::Event { channel, .. } => Some(channel),
            Self::Block(_)
            | Self::Atomic(_)
            | Self::DStep(_)
            | Self::If(_)
            | Self::Do(_)
            | Self::Unless { .. }
            | Self::Break
            | Self::Goto(_)
            | Self::Condition(_)
            | Self::Else
            | Self::Assign { .. }
            | Self::Assert(_)
            | Self::Print(_) => None,
        }
    }

    /// The variable that an assignment stores in, and the value.
    pub fn assignment(&self) -> Option<(&Place, &Expr)> {
        let Self::Assign { target: Target::Place(place), value } = self else { return None };
        Some((place, value))
    }

    /// The places that an assignment stores in: one, or several that a `c_code` changes.
    pub fn assigned_places(&self) -> &[Place] {
        match self {
            Self::Assign { target: Target::Place(place), .. } => std::slice::from_ref(place),
            Self::Assign { target: Target::Several(places), .. } => places,
            Self::Assign { target: Target::Priority | Target::Ignore, .. }
            | Self::Block(_)
            | Self::Atomic(_)
            | Self::DStep(_)
            | Self::If(_)
            | Self::Do(_)
            | Self::Unless { .. }
            | Self::Break
            | Self::Goto(_)
            | Self::Condition(_)
            | Self::Else
            | Self::Send { .. }
            | Self::Receive { .. }
            | Self::Assert(_)
            | Self::Print(_)
            | Self::Event { .. } => &[],
        }
    }

    /// The statements of a block, an `atomic` or a `d_step`, which begins with what the first of them begins with.
    pub fn sequence(&self) -> Option<&[Statement]> {
        match self {
            Self::Block(body) | Self::Atomic(body) | Self::DStep(body) => Some(body),
            Self::If(_)
            | Self::Do(_)
            | Self::Unless { .. }
            | Self::Break
            | Self::Goto(_)
            | Self::Condition(_)
            | Self::Else
            | Self::Assign { .. }
            | Self::Send { .. }
            | Self::Receive { .. }
            | Self::Assert(_)
            | Self::Print(_)
            | Self::Event { .. } => None,
        }
    }
}

/// The first step of a sequence, also if blocks are around it.
pub fn first_step(body: &[Statement]) -> Option<&Statement> {
    let first = body.first()?;
    match first.kind.sequence() {
        Some(inner) => first_step(inner),
        None => Some(first),
    }
}

/// The variables that a pattern stores in.
pub fn stored_places(pattern: &[Pattern]) -> impl Iterator<Item = &Place> {
    pattern.iter().filter_map(|part| match part {
        Pattern::Store(place) => Some(place),
        Pattern::Equal(_) | Pattern::Ignore => None,
    })
}
