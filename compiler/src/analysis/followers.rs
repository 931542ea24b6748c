//! Rendezvous followers: statements that bring their process to a receive.
//!
//! ```promela
//! active proctype Late() { byte i; i = 1; k?1 }
//! active proctype Guarded() { { assert(false) } unless { k!1 } }
//! ```
//!
//! `i = 1` touches no shared object. But after it a handshake on `k` is enabled, and then `assert(false)` is not. So it
//! writes an object, "a process is ready on `k`", and every send on `k` that is tested negatively reads it: one at the
//! head of an escape, one beside an `else`, one inside an `atomic`, where the sequence is interrupted if no process is
//! ready. Under weak fairness each send does, since a process that cannot move is not treated unfairly.

use super::access::{Access, Effect};
use super::actors::{Actor, ActorId};
use super::channels::ChannelId;
use super::objects::{Object, Objects};
use super::points_to::Context;
use super::steps::{self, Steps};
use crate::collections::IdVec;
use crate::ir::{LocationId, TransitionId};
use crate::model::ProctypeId;
use crate::source::Span;

/// A step after which its process, or one that it starts, is at a receive from a rendezvous channel.
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
pub(super) struct ActorStep {
    pub actor: ActorId,
    pub first: TransitionId,
    /// While it is enabled, something else is not.
    pub is_negative: bool,
}

type Effects = IdVec<ActorId, IdVec<TransitionId, Option<Effect>>>;

/// The rendezvous channels that an actor at a location can receive from, and where.
pub(super) type Offers = IdVec<ActorId, IdVec<LocationId, Vec<(ChannelId, Span)>>>;

/// All of them, escapes included.
pub(super) fn offers(context: &Context<'_, '_>, effects: &Effects) -> Offers {
    let of_actor = |(id, actor): (ActorId, &Actor)| {
        let graph = &context.program.graphs[actor.proctype];
        let at_location = |at: LocationId| {
            let mut offered = Vec::new();
            for number in steps::leaving(graph, at) {
                let channels = effects[id][number].iter().flat_map(|effect| &effect.offers);
                offered.extend(channels.map(|channel| (*channel, graph.transitions[number].span)));
            }
            offered
        };
        graph.locations.ids().map(at_location).collect()
    };
    context.actors.list.iter_enumerated().map(of_actor).collect()
}

/// Adds the accesses of a step to readiness: what it makes ready, and what its sends test.
#[expect(clippy::too_many_arguments, reason = "each is a fact of its own")]
pub(super) fn add(
    context: &Context<'_, '_>,
    steps: &IdVec<ProctypeId, Steps>,
    effects: &Effects,
    offers: &Offers,
    objects: &mut Objects,
    step: &ActorStep,
    accesses: &mut Vec<Access>,
    found: &mut Vec<Follower>,
) {
    let ActorStep { actor, first, is_negative } = *step;
    let proctype = context.actors.list[actor].proctype;
    let compound = &steps[proctype].compounds[first];
    let span = context.program.graphs[proctype].transitions[first].span;
    let mut offered: Vec<(ChannelId, Span)> = Vec::new();
    for at in &compound.rests {
        offered.extend(&offers[actor][*at]);
    }
    let inside = compound.inner.iter().chain([&first]);
    let parts: Vec<(TransitionId, &Effect)> =
        inside.filter_map(|id| effects[actor][*id].as_ref().map(|effect| (*id, effect))).collect();
    for started in parts.iter().flat_map(|(_, effect)| &effect.starts) {
        for other in &context.actors.of[*started] {
            offered.extend(&offers[*other][context.program.graphs[*started].start]);
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
