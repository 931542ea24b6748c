//! Rendezvous followers: statements that bring their process to a receive.
//!
//! ```promela
//! active proctype Late() { byte i; i = 1; k?1 }
//! active proctype Guarded() { { assert(false) } unless { k!1 } }
//! ```
//!
//! `i = 1` touches nothing that is shared. But after it a handshake on `k` is
//! possible, and then `assert(false)` is not. So it writes an object, "somebody
//! is ready on `k`", and every send on `k` that is tested negatively reads it:
//! one at the head of an escape, one beside an `else`, one inside an `atomic`,
//! where the sequence rests if nobody is ready. Under weak fairness each send
//! does, since it is excused while it is not possible.

use super::access::{Access, Effect};
use super::actors::ActorId;
use super::channels::ChannelId;
use super::objects::{Object, Objects};
use super::points_to::Context;
use super::steps::{self, Steps};
use crate::collections::IdVec;
use crate::ir::{LocationId, TransitionId};
use crate::model::ProctypeId;
use crate::source::Span;

/// A step after which its process, or one that it starts, stands at a receive
/// from a rendezvous channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follower {
    pub actor: ActorId,
    /// The statement that the step begins with.
    pub transition: TransitionId,
    pub channel: ChannelId,
    /// The receive that makes it one.
    pub receive: Span,
}

/// The step that an actor begins with a transition.
pub(super) struct Step {
    pub actor: ActorId,
    pub first: TransitionId,
    /// Its being executable keeps something else from being so.
    pub is_negative: bool,
}

type Effects = IdVec<ActorId, IdVec<TransitionId, Option<Effect>>>;

/// Adds what a step has to do with readiness: what it makes ready, and what its sends test.
pub(super) fn add(
    context: &Context<'_, '_>,
    steps: &IdVec<ProctypeId, Steps>,
    effects: &Effects,
    objects: &mut Objects,
    step: &Step,
    accesses: &mut Vec<Access>,
    found: &mut Vec<Follower>,
) {
    let Step { actor, first, is_negative } = *step;
    let proctype = context.actors.list[actor].proctype;
    let compound = &steps[proctype].compounds[first];
    let span = context.program.graphs[proctype].transitions[first].span;
    let mut offered: Vec<(ChannelId, Span)> = Vec::new();
    for at in &compound.rests {
        offered.extend(offers(context, effects, actor, *at));
    }
    let inside = compound.inner.iter().chain([&first]);
    let parts: Vec<(TransitionId, &Effect)> =
        inside.filter_map(|id| effects[actor][*id].as_ref().map(|effect| (*id, effect))).collect();
    for started in parts.iter().flat_map(|(_, effect)| &effect.starts) {
        for other in &context.actors.of[*started] {
            offered.extend(offers(context, effects, *other, context.program.graphs[*started].start));
        }
    }
    offered.sort_by_key(|(channel, receive)| (*channel, receive.start));
    offered.dedup();
    let mut access = |channel: ChannelId, is_write: bool, is_fair_only: bool| {
        let object = objects.id(Object::Ready(channel));
        accesses.push(Access { object, is_write, is_own: false, is_promised: false, is_fair_only, span });
    };
    for (channel, receive) in offered {
        access(channel, true, false);
        found.push(Follower { actor, transition: first, channel, receive });
    }
    for (id, effect) in parts {
        for (channel, is_first) in &effect.sends {
            let is_plain = is_negative || id != first || !is_first;
            access(*channel, false, !is_plain);
        }
    }
}

/// The rendezvous channels that an actor at a location can receive from, and where.
fn offers<'a>(
    context: &'a Context<'_, '_>,
    effects: &'a Effects,
    actor: ActorId,
    at: LocationId,
) -> impl Iterator<Item = (ChannelId, Span)> + use<'a> {
    let graph = &context.program.graphs[context.actors.list[actor].proctype];
    let leaving: Vec<TransitionId> = steps::leaving(graph, at).collect();
    leaving.into_iter().flat_map(move |id| {
        let channels = effects[actor][id].iter().flat_map(|effect| &effect.offers);
        channels.map(move |channel| (*channel, graph.transitions[id].span))
    })
}
