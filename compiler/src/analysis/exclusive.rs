//! `xr` and `xs`: declarations that only one process uses a side of a channel.
//!
//! The analysis finds the other processes that may use that side. If there is none, the declaration is proved. If
//! another process surely uses it, the declaration is ignored. Otherwise it is believed, and checked at run time
//! ([`Promises`]): a search whose reduction relies on it finds the state in which it is broken, if there is one. That
//! requires that every dependence on the side is checked, that the declaration always denotes the same channel, and
//! that the process with the promise does not end before a process that might break it.

use super::access::{Effect, Everything};
use super::actors::ActorId;
use super::channels::ChannelId;
use super::objects::Object;
use super::ownership::Ownership;
use super::points_to::{Context, PointsTo};
use super::promises::Promises;
use super::rules::Rules;
use super::steps::Steps;
use super::uses::Uses;
use crate::collections::IdVec;
use crate::ir::{Action, TransitionId};
use crate::model::{ChannelRef, ProctypeId, Side};
use crate::source::Span;

/// One `xr` or `xs` of one actor.
#[derive(Clone, Debug)]
pub struct Exclusive {
    pub actor: ActorId,
    pub side: Side,
    /// As it is written.
    pub channel: ChannelRef,
    /// The channels that it may denote.
    pub channels: Vec<ChannelId>,
    pub status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No other process can use this side.
    Proved,
    /// Another process uses it. The declaration is ignored.
    Refuted { by: ActorId, span: Span },
    /// Another process may use it. The declaration is believed, if everything that depends on it is checked at run
    /// time.
    Unproved,
}

impl Exclusive {
    /// Whether reductions rely on it although it is not proved.
    pub fn is_believed(&self, promises: &Promises) -> bool {
        self.status == Status::Unproved && promises.is_checked(self.side, &self.channel)
    }

    fn is_about(&self, object: Object) -> bool {
        match (self.side, object) {
            (Side::Send, Object::Sending(channel)) | (Side::Receive, Object::Receiving(channel)) => {
                self.channels.contains(&channel)
            }
            _ => false,
        }
    }
}

pub(super) fn analyze(
    context: &Context<'_, '_>,
    points_to: &PointsTo,
    uses: &Uses,
    ownership: &Ownership,
) -> Vec<Exclusive> {
    let mut found = Vec::new();
    for (id, actor) in context.actors.list.iter_enumerated() {
        for (side, channel) in &context.program.model.proctypes[actor.proctype].exclusive {
            let channels = points_to.denoted(context, Some(id), channel).channels;
            let status = status(context, uses, ownership, id, *side, &channels);
            found.push(Exclusive { actor: id, side: *side, channel: channel.clone(), channels, status });
        }
    }
    found
}

fn status(
    context: &Context<'_, '_>,
    uses: &Uses,
    ownership: &Ownership,
    actor: ActorId,
    side: Side,
    channels: &[ChannelId],
) -> Status {
    let is_class = context.actors.list[actor].is_class();
    if let [channel] = channels
        && !context.channels.list[*channel].is_many
    {
        let others = context.actors.list.ids().filter(|other| *other != actor || is_class);
        let surely = |other: ActorId| {
            let effects = uses.effects[other].iter().flatten();
            effects.filter_map(|effect| use_of(effect, side, *channel)).next().map(|span| (other, span))
        };
        if let Some((by, span)) = others.filter_map(surely).next() {
            return Status::Refuted { by, span };
        }
    }
    let is_alone = |channel: &ChannelId| {
        if context.channels.is_rendezvous(*channel) {
            return rendezvous_users(context, uses, side, *channel).all(|other| other == actor) && !is_class;
        }
        let object = match side {
            Side::Send => Object::Sending(*channel),
            Side::Receive => Object::Receiving(*channel),
        };
        let Some(object) = uses.objects.get(object) else { return true };
        let users = &ownership.users[object];
        let is_own = |other: ActorId| other == actor && !(is_class && users.is_foreign(actor));
        users.readers.iter().all(is_own) && users.writers.iter().all(is_own)
    };
    if channels.iter().all(is_alone) { Status::Proved } else { Status::Unproved }
}

/// Where a statement surely uses the side of this very channel.
fn use_of(effect: &Effect, side: Side, channel: ChannelId) -> Option<Span> {
    let at_side = effect.sides.iter().find(|it| it.side == side && it.channels == [channel]).map(|it| it.span);
    let whole = || (effect.both_sides == [channel]).then(|| effect.accesses.iter().map(|access| access.span).next());
    at_side.or_else(|| whole().flatten())
}

/// Those that send to, or receive from, a rendezvous channel.
fn rendezvous_users<'a>(
    context: &'a Context<'_, '_>,
    uses: &'a Uses,
    side: Side,
    channel: ChannelId,
) -> impl Iterator<Item = ActorId> + use<'a> {
    let does = move |effect: &Effect| match side {
        Side::Send => effect.sends.iter().any(|(sent, _)| *sent == channel),
        Side::Receive => effect.offers.contains(&channel),
    };
    context.actors.list.ids().filter(move |actor| uses.effects[*actor].iter().flatten().any(does))
}

/// Drops the proved declarations, which need no check.
///
/// A process whose promise is relied on must exist when the promise is broken. So its end depends on everything: no
/// ample set contains it alone.
pub(super) fn settle(
    context: &Context<'_, '_>,
    steps: &IdVec<ProctypeId, Steps>,
    exclusives: &[Exclusive],
    promises: &Promises,
    uses: &mut Uses,
    rules: Rules,
) {
    for (id, actor) in context.actors.list.iter_enumerated() {
        let own: Vec<&Exclusive> = exclusives.iter().filter(|it| it.actor == id).collect();
        if own.is_empty() {
            continue;
        }
        let is_believed = |object: Object| {
            let mut about = own.iter().filter(|it| it.is_about(object)).peekable();
            let counts =
                |it: &Exclusive| it.is_believed(promises) || rules == Rules::Spin && it.status == Status::Proved;
            about.peek().is_some() && about.all(|it| counts(it))
        };
        let Uses { objects, steps: all, .. } = &mut *uses;
        let mut relies = false;
        for access in all[id].iter_mut().flatten().flat_map(|one| &mut one.accesses) {
            access.is_promised &= is_believed(objects.list[access.object]);
            relies |= access.is_promised;
        }
        if relies && own.iter().any(|it| it.is_believed(promises)) {
            let graph = &context.program.graphs[actor.proctype];
            let ends = |number: &TransitionId| matches!(graph.transitions[*number].action, Action::End);
            for (number, one) in graph.transitions.ids().zip(all[id].iter_mut()) {
                let inner = &steps[actor.proctype].compounds[number].inner;
                if let Some(end) = inner.iter().copied().chain([number]).find(ends)
                    && let Some(one) = one
                {
                    one.everything.get_or_insert((Everything::Promise, graph.transitions[end].span));
                }
            }
        }
    }
}
