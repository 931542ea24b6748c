//! Safe locations: the level at which all steps of a process are independent of all processes outside of its block, in
//! which states, and if there is none, why.
//!
//! All steps out of a location count, enabled or not: in `if :: x = 1 :: g == 1 -> ... fi` another process can enable
//! the second option. Errs towards unsafe.
//!
//! A send and a receive at the two ends of a channel commute, so the only sender is safe while there is room, and the
//! only receiver while there is a message. That is not so if another step is enabled only while there is *no* message:
//! other processes may empty the channel before the send, however many messages it holds now, and then the send
//! disables that step. Such a step tests negatively (an `else` beside a receive, a receive that begins an escape).
//! Under weak fairness the emptiness may matter to every receiver, since a disabled process need not move; but not if
//! there is only one receiver. For let it not move any more: then the channel is never emptied again, and if it is
//! empty infinitely often, nothing is sent. So no send that was taken first made a fair run unfair.

use super::access::{Access, Everything};
use super::actors::{Actor, ActorId, Actors};
use super::channels::ChannelId;
use super::clusters::Clusters;
use super::objects::Object;
use super::ownership::{AccessKey, Ownership, Partners, UsePlace, key};
use super::rules::Rules;
use super::sets::Set;
use super::steps;
use super::uses::{BlockingUse, Negative, StepUse, Uses};
use crate::collections::{IdVec, Lookup};
use crate::ir::{Action, Graph, LocationId, Program, TransitionId, visit};
use crate::model::{ChannelRef, Expr, ExprKind, Side, Type};
use crate::source::Span;

/// The two tables: without and with weak fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Plain,
    Fair,
}

/// The level of a location that is safe at no level.
pub const UNSAFE: u8 = u8::MAX;

/// The safety of one location for one actor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationSafety {
    /// The least level at which it is safe, or [`UNSAFE`].
    pub plain: u8,
    /// The same under weak fairness.
    pub fair: u8,
    /// The same as `plain` and `fair`, if the process is the youngest and no other process may still observe pids
    /// ([`Processes::may_observe_pids`](super::processes::Processes::may_observe_pids)).
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
    /// The channel, evaluated by the process at its location.
    pub channel: ChannelRef,
    /// The condition counts only at levels below this one: from there on all users of the channel are in the block.
    pub below: u8,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.side, it.channel.place.span, it.below);
        key(self) == key(other)
    }
}

impl Eq for Condition {}

impl LocationSafety {
    /// Not safe below a level.
    fn raise(&mut self, table: Table, level: u8) {
        let levels = match table {
            Table::Plain => [&mut self.plain, &mut self.plain_if_youngest],
            Table::Fair => [&mut self.fair, &mut self.fair_if_youngest],
        };
        levels.into_iter().for_each(|own| *own = (*own).max(level));
    }

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
    /// It uses an object that others use.
    Shared(SharedObject),
    /// It uses this side of a channel, and some step is enabled only while the other side cannot be used.
    Tested(Side, Span),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedObject {
    pub object: Object,
    pub is_write: bool,
    /// Where it is used.
    pub span: Span,
    /// The others whose use matters: whether each writes it, and where.
    pub others: Vec<(ActorId, bool, Span)>,
    /// Another process of the same proctype does.
    pub has_twin: bool,
}

#[derive(Clone, Debug)]
pub struct Safety {
    pub locations: IdVec<ActorId, IdVec<LocationId, LocationSafety>>,
}

/// The facts that the tables are computed from.
pub(super) struct SafetyInput<'a, 'm> {
    pub program: &'a Program<'m>,
    pub actors: &'a Actors,
    pub uses: &'a Uses,
    pub ownership: &'a Ownership,
    pub clusters: &'a Clusters,
    pub rules: Rules,
}

/// The level that each kind of access has, in the two tables.
type Levels = Lookup<AccessKey, (u8, u8)>;

impl Safety {
    pub(super) fn new(input: &SafetyInput<'_, '_>) -> Self {
        let of_actor = |(id, actor): (ActorId, &Actor)| {
            let graph = &input.program.graphs[actor.proctype];
            let levels = input.levels(id);
            graph.locations.ids().map(|at| input.location(graph, id, at, &levels)).collect()
        };
        Self { locations: input.actors.list.iter_enumerated().map(of_actor).collect() }
    }
}

impl SafetyInput<'_, '_> {
    /// The partners of an access depend on few things, so they are computed once for each.
    fn levels(&self, actor: ActorId) -> Levels {
        let mut levels = Levels::new();
        for access in self.uses.of_actor(actor).flat_map(|one| &one.accesses) {
            let level = |table: Table| {
                let object = self.uses.objects.list[access.object];
                if self.concerns_everybody(object, access) {
                    return UNSAFE;
                }
                let partners = self.ownership.partners(self.actors, object, actor, access, table);
                self.clusters.level(actor, &partners).unwrap_or(UNSAFE)
            };
            levels.or_insert_with(key(access), || (level(Table::Plain), level(Table::Fair)));
        }
        levels
    }

    /// Whether an access is never safe by weaker rules.
    fn concerns_everybody(&self, object: Object, access: &Access) -> bool {
        self.rules == Rules::Spin
            && match object {
                Object::Global { .. } | Object::Handshake(_) => true,
                Object::Sending(_) | Object::Receiving(_) => !access.is_promised,
                Object::Local { .. } | Object::Ready(_) | Object::At { .. } | Object::ProcessTable => false,
            }
    }

    fn location(&self, graph: &Graph<'_>, actor: ActorId, at: LocationId, levels: &Levels) -> LocationSafety {
        let mut safety = LocationSafety::default();
        if self.rules == Rules::Spin
            && steps::leaving(graph, at).any(|id| hands_on_channel(&graph.transitions[id].action))
        {
            safety.raise(Table::Plain, UNSAFE);
            safety.raise(Table::Fair, UNSAFE);
        }
        for one in self.uses.location(graph, actor, at) {
            self.add_step(&mut safety, one, levels);
            for waiting in &one.conditions {
                let condition = self.condition(actor, waiting);
                for table in [Table::Plain, Table::Fair].into_iter().filter(|table| self.matters(waiting, *table)) {
                    safety.raise(table, condition.below);
                }
                if condition.below > 0 && !safety.conditions.contains(&condition) {
                    safety.conditions.push(condition);
                }
            }
        }
        safety
    }

    fn add_step(&self, safety: &mut LocationSafety, one: &StepUse, levels: &Levels) {
        let LocationSafety { plain, fair, plain_if_youngest, fair_if_youngest, .. } = safety;
        if one.everything.is_some() {
            for level in [plain, fair, plain_if_youngest, fair_if_youngest] {
                *level = UNSAFE;
            }
            return;
        }
        for access in &one.accesses {
            let (in_plain, in_fair) = levels.get(&key(access)).copied().unwrap_or((UNSAFE, UNSAFE));
            let counts_always = self.uses.objects.list[access.object] != Object::ProcessTable;
            if !access.is_fair_only {
                *plain = (*plain).max(in_plain);
                if counts_always {
                    *plain_if_youngest = (*plain_if_youngest).max(in_plain);
                }
            }
            *fair = (*fair).max(in_fair);
            if counts_always {
                *fair_if_youngest = (*fair_if_youngest).max(in_fair);
            }
        }
    }

    fn condition(&self, actor: ActorId, waiting: &BlockingUse) -> Condition {
        let mut users = Set::of(actor);
        waiting.channels.iter().for_each(|channel| users.add_all(&self.ownership.channel_users[*channel]));
        // Processes of one class are together from level 1 on.
        let has_twin = self.actors.list[actor].is_class();
        let partners = Partners { actors: users, has_twin };
        Condition {
            side: waiting.side,
            channel: waiting.channel.clone(),
            below: self.clusters.level(actor, &partners).unwrap_or(UNSAFE),
        }
    }

    /// Whether some step is enabled only while the other side of a channel cannot be used.
    fn matters(&self, waiting: &BlockingUse, table: Table) -> bool {
        let is_tested = |channel: &ChannelId| is_tested(&self.uses.negative, waiting.side, *channel);
        let is_observed = |channel: &ChannelId| {
            let other = match waiting.side {
                Side::Send => Object::Receiving(*channel),
                Side::Receive => Object::Sending(*channel),
            };
            let Some(users) = self.uses.objects.get(other).map(|id| &self.ownership.users[id]) else { return false };
            let mut all = users.fair_readers.clone();
            all.add_all(&users.writers);
            let mut all = all.iter();
            // A class represents several processes.
            all.next().is_some_and(|first| self.actors.list[first].is_class()) || all.next().is_some()
        };
        waiting.channels.iter().any(|channel| is_tested(channel) || table == Table::Fair && is_observed(channel))
    }

    /// Why the steps that begin with a transition are not safe at a level.
    pub fn reasons(&self, actor: ActorId, id: TransitionId, level: u8, table: Table) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        if let Some(one) = &self.uses.steps[actor][id] {
            self.add_reasons(actor, one, level, table, &mut Lookup::new(), &mut reasons);
        }
        reasons
    }

    fn add_reasons(
        &self,
        actor: ActorId,
        one: &StepUse,
        level: u8,
        table: Table,
        seen: &mut Lookup<AccessKey, ()>,
        reasons: &mut Vec<Reason>,
    ) {
        reasons.extend(one.everything.map(|(what, span)| Reason::Everything(what, span)));
        for access in one.accesses.iter().filter(|access| table == Table::Fair || !access.is_fair_only) {
            if seen.insert(key(access), ()).is_some() {
                continue;
            }
            let object = self.uses.objects.list[access.object];
            let partners = self.ownership.partners(self.actors, object, actor, access, table);
            if self.clusters.level(actor, &partners).is_some_and(|least| least <= level) {
                continue;
            }
            let others = partners.actors.iter().filter(|other| *other != actor);
            let others = others.filter_map(|other| self.conflict(object, access, other, table)).collect();
            let Access { is_write, span, .. } = *access;
            reasons.push(Reason::Shared(SharedObject { object, is_write, span, others, has_twin: partners.has_twin }));
        }
        for waiting in &one.conditions {
            let span = waiting.channel.place.span;
            let is_known = |reason: &Reason| matches!(reason, Reason::Tested(_, known) if *known == span);
            if self.matters(waiting, table)
                && self.condition(actor, waiting).below > level
                && !reasons.iter().any(is_known)
            {
                reasons.push(Reason::Tested(waiting.side, span));
            }
        }
    }

    /// Where another actor uses the same object in a way that matters to this access.
    fn conflict(&self, object: Object, access: &Access, other: ActorId, table: Table) -> Option<(ActorId, bool, Span)> {
        let is_ready = matches!(object, Object::Ready(_));
        let matters = |theirs: &&UsePlace| {
            theirs.actor == other
                && (table == Table::Fair || !theirs.is_fair_only)
                && if is_ready { theirs.is_write != access.is_write } else { theirs.is_write || access.is_write }
        };
        let places = || self.ownership.users[access.object].places.iter().filter(matters);
        let found = places().find(|place| place.is_write).or(places().next())?;
        Some((other, found.is_write, found.span))
    }

    /// Why a location is not safe at a level, over all its transitions.
    pub fn location_reasons(&self, actor: ActorId, at: LocationId, level: u8, table: Table) -> Vec<Reason> {
        let graph = &self.program.graphs[self.actors.list[actor].proctype];
        let mut seen: Lookup<AccessKey, ()> = Lookup::new();
        let steps = steps::leaving(graph, at).filter_map(|id| self.uses.steps[actor][id].as_ref());
        let mut reasons = Vec::new();
        for one in steps.chain([&self.uses.provided[actor]]) {
            self.add_reasons(actor, one, level, table, &mut seen, &mut reasons);
        }
        reasons
    }
}

/// Whether a process is started with a channel. Spin takes every channel without a declaration for shared.
fn hands_on_channel(action: &Action<'_>) -> bool {
    let mut found = false;
    visit::action_expressions(action, &mut |expression| {
        if let ExprKind::Run { arguments, .. } = &expression.kind {
            let is_channel =
                |argument: &Expr| matches!(&argument.kind, ExprKind::Read(place) if place.ty == Type::Chan);
            found |= arguments.iter().any(is_channel);
        }
    });
    found
}

/// A send into an empty channel that some process tests for messages disables a step; so does a receive from a full one
/// that is tested for room.
fn is_tested(negative: &Negative, side: Side, channel: ChannelId) -> bool {
    match side {
        Side::Send => negative.receiving.contains(channel),
        Side::Receive => negative.sending.contains(channel),
    }
}
