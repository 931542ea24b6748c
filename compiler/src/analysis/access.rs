//! What a statement can do to things that are shared.
//!
//! Errs towards more: an index that is not known is every element, a channel
//! that is not known is every channel.

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
    /// The process that declares the channel uses it by its own variable: two
    /// processes of a class that do this use two channels.
    pub is_own: bool,
    /// The author says, with `xr` or `xs`, that no other process uses this side, and it is believed; see
    /// [`exclusive`](super::exclusive).
    pub is_promised: bool,
    /// It counts under weak fairness only.
    pub is_fair_only: bool,
    /// The statement or expression that does it.
    pub span: Span,
}

/// A statement that works at one side of a buffered channel and waits for it: it
/// commutes with what others do at the other side, while the channel is neither
/// full nor empty.
#[derive(Clone, Debug)]
pub struct SideUse {
    pub side: Side,
    pub is_write: bool,
    /// Those that it may be.
    pub channels: Vec<ChannelId>,
    pub channel: ChannelRef,
    pub is_own: bool,
    pub is_promised: bool,
    /// It denotes the same channel wherever the process evaluates it.
    pub is_stable: bool,
    /// Its being executable keeps something else from being so.
    pub is_negative: bool,
    /// It is the first thing that the statement does; not so inside a `d_step`.
    pub is_first: bool,
    pub span: Span,
}

/// What depends on the whole system at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Everything {
    Timeout,
    /// `enabled`, `pc_value`, `_last`, `np_`
    Global,
    Priority,
    /// The end of a process that has promised something (`xr`, `xs`) which is checked only while it is there.
    Promise,
}

/// What one transition of one actor does.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    pub accesses: Vec<Access>,
    pub sides: Vec<SideUse>,
    /// Buffered channels of which both sides are looked at or changed; again for
    /// each such use.
    pub both_sides: Vec<ChannelId>,
    /// Rendezvous channels that it receives from.
    pub offers: Vec<ChannelId>,
    /// Rendezvous channels that it sends to, and whether as the first thing.
    pub sends: Vec<(ChannelId, bool)>,
    pub starts: Vec<ProctypeId>,
    pub everything: Option<(Everything, Span)>,
    /// Something inside may be executed twice.
    pub repeats: bool,
    /// Channels that came through a number, and where.
    pub unknown: Vec<Span>,
    /// Of a condition the operands of its outermost `&&`: which accesses and sides are theirs.
    pub parts: Vec<EffectPart>,
    /// The accesses that find out which channel is meant.
    pub channel_reads: Range<usize>,
}

/// What one part of a condition uses, as places in the lists of the whole.
#[derive(Clone, Debug)]
pub struct EffectPart {
    pub accesses: Range<usize>,
    pub sides: Range<usize>,
}

/// What some process asks about others.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub locals: Vec<VariableId>,
    /// Numbers of locations, and the proctype if it does not go by pid.
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

/// A label by the number of its location: a reference by pid finds any process
/// there, whatever its proctype.
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
