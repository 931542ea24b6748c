//! The accesses of a statement to shared objects.
//!
//! Errs towards more: an unknown index is every element, an unknown channel is every channel.

use std::ops::Range;

use super::channels::ChannelId;
use super::objects::ObjectId;
use super::points_to::Context;
use crate::ir::visit;
use crate::model::{ChannelRef, Expr, ExprKind, LabelId, ProctypeId, Side, VariableId};
use crate::source::Span;

/// One object, read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub object: ObjectId,
    pub is_write: bool,
    /// The process that declares the channel uses it by its own variable: two processes of a class that do this use two
    /// channels.
    pub is_own: bool,
    /// The author declares, with `xr` or `xs`, that no other process uses this side, and the analysis believes it; see
    /// [`exclusive`](super::exclusive).
    pub is_promised: bool,
    /// It counts under weak fairness only.
    pub is_fair_only: bool,
    /// The statement or expression that does it.
    pub span: Span,
}

/// A blocking use of one side of a buffered channel: it commutes with operations of others at the other side, while the
/// channel is neither full nor empty.
#[derive(Clone, Debug)]
pub struct SideUse {
    pub side: Side,
    pub is_write: bool,
    /// The channels that it may denote.
    pub channels: Vec<ChannelId>,
    pub channel: ChannelRef,
    pub is_own: bool,
    pub is_promised: bool,
    /// It denotes the same channel wherever the process evaluates it.
    pub is_stable: bool,
    /// While it is executable, something else is not.
    pub is_negative: bool,
    /// It is the first operation of the statement; not so inside a `d_step`.
    pub is_first: bool,
    pub span: Span,
}

/// A dependence on the whole system at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Everything {
    Timeout,
    /// `enabled`, `pc_value`, `_last`, `np_`
    Global,
    Priority,
    /// The end of a process with a promise (`xr`, `xs`), which is checked only while the process exists.
    Promise,
}

/// What one transition of one actor does.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    pub accesses: Vec<Access>,
    pub sides: Vec<SideUse>,
    /// Buffered channels of which both sides are read or changed; once for each such use.
    pub both_sides: Vec<ChannelId>,
    /// Rendezvous channels that it receives from.
    pub offers: Vec<ChannelId>,
    /// Rendezvous channels that it sends to, and whether as its first operation.
    pub sends: Vec<(ChannelId, bool)>,
    pub starts: Vec<ProctypeId>,
    pub everything: Option<(Everything, Span)>,
    /// Something inside may be executed twice.
    pub repeats: bool,
    /// Channels that came through a number, and where.
    pub unknown: Vec<Span>,
    /// The accesses and sides of each operand of the outermost `&&` of a condition.
    pub parts: Vec<EffectPart>,
    /// The accesses that determine the channel.
    pub channel_reads: Range<usize>,
}

/// The accesses of one part of a condition, as indices into the lists of the whole.
#[derive(Clone, Debug)]
pub struct EffectPart {
    pub accesses: Range<usize>,
    pub sides: Range<usize>,
}

/// What some process observes of others.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub locals: Vec<VariableId>,
    /// Numbers of locations, and the proctype unless the reference goes by pid.
    pub locations: Vec<(u32, Option<ProctypeId>)>,
}

impl Asked {
    pub(super) fn new(context: &Context<'_, '_>) -> Self {
        let mut asked = Self::default();
        visit::program_expressions(context.program, &mut |expression| asked.add(context, expression));
        asked
    }

    pub(super) fn add(&mut self, context: &Context<'_, '_>, expression: &Expr) {
        match &expression.kind {
            ExprKind::RemoteVariable { place, .. } if !self.locals.contains(&place.variable) => {
                self.locals.push(place.variable);
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let key = asked_location(context, *proctype, pid.is_some(), *label);
                self.locations.extend(key.filter(|key| !self.locations.contains(key)));
            }
            _ => {}
        }
    }
}

/// A label by the number of its location: a reference by pid finds any process there, whatever its proctype.
pub(super) fn asked_location(
    context: &Context<'_, '_>,
    proctype: ProctypeId,
    by_pid: bool,
    label: LabelId,
) -> Option<(u32, Option<ProctypeId>)> {
    let graph = &context.program.graphs[proctype];
    let at = graph.labels[label]?;
    Some((graph.locations[at].number, (!by_pid).then_some(proctype)))
}
