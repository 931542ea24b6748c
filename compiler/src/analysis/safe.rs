//! Safe locations: at which level the steps of a process disturb nobody outside
//! of its block, in which states, and if not, why not.
//!
//! All steps out of a location count, enabled or not: in
//! `if :: x = 1 :: g == 1 -> ... fi` another process can open the second way.
//! Errs towards unsafe.

use super::access::{Access, Everything};
use super::actors::{ActorId, Actors};
use super::channels::ChannelId;
use super::clusters::Clusters;
use super::objects::Object;
use super::ownership::Ownership;
use super::sets::Set;
use super::steps;
use super::uses::{Negative, Use, Uses, Waiting};
use crate::collections::IdVec;
use crate::ir::{Graph, LocationId, Program, TransitionId};
use crate::model::{ChannelRef, Side};
use crate::source::Span;

/// Which of the two tables is meant: without or with weak fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Plain,
    Fair,
}

/// The level of a location that is safe at none.
pub const UNSAFE: u8 = u8::MAX;

/// How safe one location is for one actor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationSafety {
    /// The least level at which it is safe, or [`UNSAFE`].
    pub plain: u8,
    /// The same under weak fairness.
    pub fair: u8,
    /// The same as `plain` and `fair`, if the process is the youngest and no other
    /// process may still look at pids ([`Processes::may_look`](super::processes::Processes::may_look)).
    pub plain_if_youngest: u8,
    pub fair_if_youngest: u8,
    /// All of them must hold in the state, at levels below the one each names.
    pub conditions: Vec<Condition>,
}

/// A channel that must not be full, or not be empty.
#[derive(Clone, Debug)]
pub struct Condition {
    /// At the sending side the channel must not be full, at the receiving side not empty.
    pub side: Side,
    /// The channel, evaluated by the process where it stands.
    pub channel: ChannelRef,
    /// The condition counts at levels below this one only: from there on all
    /// users of the channel are in the block.
    pub below: u8,
    /// The channel must be neither full nor empty. Under weak fairness always.
    pub is_strict: bool,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.side, it.channel.place.span, it.below, it.is_strict);
        key(self) == key(other)
    }
}

impl Eq for Condition {}

impl LocationSafety {
    pub fn level(&self, table: Table) -> u8 {
        match table {
            Table::Plain => self.plain,
            Table::Fair => self.fair,
        }
    }
}

/// Why a step is not safe at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It depends on the whole system.
    Everything(Everything, Span),
    /// It uses something that others use.
    Shared(Shared),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    pub object: Object,
    pub is_write: bool,
    /// Where it is used.
    pub span: Span,
    /// The others that use it in a way that matters: whether each writes it, and where.
    pub others: Vec<(ActorId, bool, Span)>,
    /// Another process of the same proctype does.
    pub has_twin: bool,
}

#[derive(Clone, Debug)]
pub struct Safety {
    pub locations: IdVec<ActorId, IdVec<LocationId, LocationSafety>>,
}

/// All that the tables are made from.
pub(super) struct Input<'a, 'm> {
    pub program: &'a Program<'m>,
    pub actors: &'a Actors,
    pub uses: &'a Uses,
    pub ownership: &'a Ownership,
    pub clusters: &'a Clusters,
}

impl Safety {
    pub(super) fn new(input: &Input<'_, '_>) -> Self {
        let of_actor = |(id, actor): (ActorId, &super::actors::Actor)| {
            let graph = &input.program.graphs[actor.proctype];
            graph.locations.ids().map(|at| input.location(graph, id, at)).collect()
        };
        Self { locations: input.actors.list.iter_enumerated().map(of_actor).collect() }
    }
}

impl Input<'_, '_> {
    fn location(&self, graph: &Graph<'_>, actor: ActorId, at: LocationId) -> LocationSafety {
        let mut safety = LocationSafety::default();
        for one in self.uses.location(graph, actor, at) {
            let levels = [
                (&mut safety.plain, Table::Plain, true),
                (&mut safety.fair, Table::Fair, true),
                (&mut safety.plain_if_youngest, Table::Plain, false),
                (&mut safety.fair_if_youngest, Table::Fair, false),
            ];
            for (level, table, counts_pids) in levels {
                *level = (*level).max(self.step(actor, one, table, counts_pids));
            }
            for waiting in &one.conditions {
                let condition = self.condition(actor, waiting);
                if condition.below > 0 && !safety.conditions.contains(&condition) {
                    safety.conditions.push(condition);
                }
            }
        }
        safety
    }

    fn step(&self, actor: ActorId, one: &Use, table: Table, counts_pids: bool) -> u8 {
        if one.everything.is_some() {
            return UNSAFE;
        }
        let counts = |access: &&Access| {
            let object = self.uses.objects.list[access.object];
            (table == Table::Fair || !access.is_fair_only) && (counts_pids || object != Object::ProcessTable)
        };
        let levels = one.accesses.iter().filter(counts).map(|access| {
            let object = self.uses.objects.list[access.object];
            let partners = self.ownership.partners(self.actors, object, actor, access, table);
            self.clusters.level(actor, &partners).unwrap_or(UNSAFE)
        });
        levels.max().unwrap_or(0)
    }

    fn condition(&self, actor: ActorId, waiting: &Waiting) -> Condition {
        let mut users = Set::of(actor);
        waiting.channels.iter().for_each(|channel| users.add_all(&self.ownership.channel_users[*channel]));
        // Processes of one class are together from level 1 on.
        let has_twin = self.actors.list[actor].is_class();
        let partners = super::ownership::Partners { actors: users, has_twin };
        Condition {
            side: waiting.side,
            channel: waiting.channel.clone(),
            below: self.clusters.level(actor, &partners).unwrap_or(UNSAFE),
            is_strict: waiting.channels.iter().any(|channel| is_strict(&self.uses.negative, waiting.side, *channel)),
        }
    }

    /// Why the steps that begin with a transition are not safe at a level.
    pub fn reasons(&self, actor: ActorId, id: TransitionId, level: u8, table: Table) -> Vec<Reason> {
        let Some(one) = &self.uses.steps[actor][id] else { return Vec::new() };
        let mut reasons: Vec<Reason> = Vec::new();
        reasons.extend(one.everything.map(|(what, span)| Reason::Everything(what, span)));
        for access in one.accesses.iter().filter(|access| table == Table::Fair || !access.is_fair_only) {
            let object = self.uses.objects.list[access.object];
            let partners = self.ownership.partners(self.actors, object, actor, access, table);
            if self.clusters.level(actor, &partners).is_some_and(|least| least <= level) {
                continue;
            }
            let others = partners.actors.iter().filter(|other| *other != actor);
            let others = others.filter_map(|other| self.conflict(object, access, other, table));
            let others = others.collect();
            let has_twin = partners.has_twin;
            reasons.push(Reason::Shared(Shared {
                object,
                is_write: access.is_write,
                span: access.span,
                others,
                has_twin,
            }));
        }
        reasons
    }

    /// Where another actor uses the same object in a way that matters to this access.
    fn conflict(&self, object: Object, access: &Access, other: ActorId, table: Table) -> Option<(ActorId, bool, Span)> {
        let is_ready = matches!(object, Object::Ready(_));
        let matters = |theirs: &&Access| {
            theirs.object == access.object
                && (table == Table::Fair || !theirs.is_fair_only)
                && if is_ready { theirs.is_write != access.is_write } else { theirs.is_write || access.is_write }
        };
        let theirs: Vec<&Access> = self.uses.of_actor(other).flat_map(|one| &one.accesses).filter(matters).collect();
        let found = theirs.iter().find(|access| access.is_write).or(theirs.first())?;
        Some((other, found.is_write, found.span))
    }

    /// Why a location is not safe at a level, over all that leaves it.
    pub fn location_reasons(&self, actor: ActorId, at: LocationId, level: u8, table: Table) -> Vec<Reason> {
        let graph = &self.program.graphs[self.actors.list[actor].proctype];
        steps::leaving(graph, at).flat_map(|id| self.reasons(actor, id, level, table)).collect()
    }
}

/// A send into an empty channel that somebody tests for messages keeps something
/// from being executable; so does a receive from a full one that is tested for room.
fn is_strict(negative: &Negative, side: Side, channel: ChannelId) -> bool {
    match side {
        Side::Send => negative.receiving.contains(channel),
        Side::Receive => negative.sending.contains(channel),
    }
}
