//! The accesses of each step of each process, from its first statement to the location where control rests again.
//!
//! A step uses what its statements use together. For channels that is not precise enough: of two sends in one `atomic`
//! the second may find the channel full, and the step ends there; so it depends on operations at the other side. Only a
//! single use of a channel in a step is a use of one side.

use super::access::{Access, Asked, Effect, Everything, SideUse};
use super::actors::ActorId;
use super::channels::ChannelId;
use super::effects::Collector;
use super::followers::{self, Follower};
use super::guarded::{self, Guarded};
use super::objects::{Object, Objects};
use super::points_to::{Context, PointsTo};
use super::sets::Set;
use super::steps::{self, Steps};
use crate::collections::{Id, IdVec};
use crate::ir::{Action, Graph, LocationId, TransitionId};
use crate::model::{ChannelRef, ProctypeId, Side};
use crate::source::Span;

/// The accesses of the step that begins with some transition.
#[derive(Clone, Debug, Default)]
pub struct StepUse {
    /// Each object once for each kind of use.
    pub accesses: Vec<Access>,
    pub conditions: Vec<BlockingUse>,
    pub everything: Option<(Everything, Span)>,
}

/// A side of a buffered channel that a step uses, and at which it may block because the channel is full or empty.
#[derive(Clone, Debug)]
pub struct BlockingUse {
    pub side: Side,
    /// As the statement names it. The step uses the channel that it denotes where the step begins.
    pub channel: ChannelRef,
    /// The channels that it may denote.
    pub channels: Vec<ChannelId>,
    /// It is not the first operation of the step.
    pub is_inner: bool,
}

/// Channels that are tested negatively: while an operation is enabled, another step is not.
#[derive(Clone, Debug, Default)]
pub struct Negative {
    /// Whether a message can be sent.
    pub sending: Set<ChannelId>,
    /// Whether a message can be received.
    pub receiving: Set<ChannelId>,
}

#[derive(Clone, Debug)]
pub struct Uses {
    pub objects: Objects,
    /// The effects of each statement; `None` for those that the actor never takes.
    pub effects: IdVec<ActorId, IdVec<TransitionId, Option<Effect>>>,
    /// The accesses of the step that it begins; `None` for those that the actor never takes.
    pub steps: IdVec<ActorId, IdVec<TransitionId, Option<StepUse>>>,
    /// What the `provided` clause reads.
    pub provided: IdVec<ActorId, StepUse>,
    pub negative: Negative,
    pub followers: Vec<Follower>,
    /// The operations that cannot block inside of steps.
    pub guarded: IdVec<ActorId, Guarded>,
}

pub(super) fn analyze(
    context: &Context<'_, '_>,
    points_to: &PointsTo,
    pids_are_observed: bool,
    steps: &IdVec<ProctypeId, Steps>,
) -> Uses {
    let asked = Asked::new(context);
    let mut objects = Objects::default();
    let program = context.program;
    let from: IdVec<ProctypeId, IdVec<TransitionId, Vec<u32>>> = program.graphs.iter().map(origins).collect();
    let mut effects: IdVec<ActorId, IdVec<TransitionId, Option<Effect>>> = IdVec::new();
    let mut provided = IdVec::new();
    for (id, actor) in context.actors.list.iter_enumerated() {
        let graph = &program.graphs[actor.proctype];
        let mut own = IdVec::new();
        for (number, transition) in graph.transitions.iter_enumerated() {
            own.push(context.reach[id].transitions[number].then(|| {
                let mut collector = Collector::new(context, points_to, &asked, pids_are_observed, &mut objects, id);
                collector.transition(transition, &from[actor.proctype][number]);
                collector.effect
            }));
        }
        effects.push(own);
        let mut collector = Collector::new(context, points_to, &asked, pids_are_observed, &mut objects, id);
        program.model.proctypes[actor.proctype].provided.iter().for_each(|clause| collector.value(clause));
        let Effect { accesses, everything, .. } = collector.effect;
        provided.push(StepUse { accesses: unique(accesses), conditions: Vec::new(), everything });
    }
    let offers = followers::offers(context, &effects);
    let mut negative = Negative::default();
    let mut followers = Vec::new();
    let mut all: IdVec<ActorId, IdVec<TransitionId, Option<StepUse>>> = IdVec::new();
    let mut guarded: IdVec<ActorId, Guarded> = IdVec::new();
    for (id, actor) in context.actors.list.iter_enumerated() {
        let graph = &program.graphs[actor.proctype];
        let is_negative = negative_transitions(graph);
        let steps_of_actor = &steps[actor.proctype];
        let input = guarded::GuardedInput { context, graph, actor: id, steps: steps_of_actor, effects: &effects[id] };
        let cannot_block = input.find();
        let own = graph.transitions.ids().map(|first| {
            effects[id][first].as_ref()?;
            let mut builder = UseBuilder {
                objects: &mut objects,
                negative: &mut negative,
                effects: &effects[id],
                steps: steps_of_actor,
                guarded: &cannot_block,
                done: StepUse::default(),
            };
            builder.step(first, is_negative[first]);
            let mut done = builder.done;
            let step = followers::ActorStep { actor: id, first, is_negative: is_negative[first] };
            followers::add(context, steps, &effects, &offers, &mut objects, &step, &mut done.accesses, &mut followers);
            done.accesses = unique(done.accesses);
            Some(done)
        });
        let own = own.collect();
        all.push(own);
        guarded.push(cannot_block);
    }
    Uses { objects, effects, steps: all, provided, negative, followers, guarded }
}

/// The numbers of the locations that a transition leaves.
fn origins(graph: &Graph<'_>) -> IdVec<TransitionId, Vec<u32>> {
    let mut from: IdVec<TransitionId, Vec<u32>> = graph.transitions.iter().map(|_| Vec::new()).collect();
    for at in graph.locations.ids() {
        for id in steps::leaving(graph, at) {
            from[id].push(graph.locations[at].number);
        }
    }
    from
}

/// Transitions that disable others: the first of an escape, and those beside an `else`.
pub(super) fn negative_transitions(graph: &Graph<'_>) -> IdVec<TransitionId, bool> {
    let mut is_negative: IdVec<TransitionId, bool> = graph.transitions.iter().map(|_| false).collect();
    for location in &graph.locations {
        location.escapes.iter().flatten().for_each(|id| is_negative[*id] = true);
        let has_else = location.leaving.iter().any(|id| matches!(graph.transitions[*id].action, Action::Else));
        location.leaving.iter().filter(|_| has_else).for_each(|id| is_negative[*id] = true);
    }
    is_negative
}

/// Removes duplicate accesses; the first position of each is kept.
fn unique(mut accesses: Vec<Access>) -> Vec<Access> {
    let key = |access: &Access| {
        (access.object, access.is_write, access.is_own, access.is_promised, access.is_fair_only, access.span.start)
    };
    accesses.sort_by_key(key);
    accesses.dedup_by_key(|access| Access { span: Span::default(), ..*access });
    accesses
}

struct UseBuilder<'b> {
    objects: &'b mut Objects,
    negative: &'b mut Negative,
    effects: &'b IdVec<TransitionId, Option<Effect>>,
    steps: &'b Steps,
    guarded: &'b Guarded,
    done: StepUse,
}

impl UseBuilder<'_> {
    fn step(&mut self, first: TransitionId, is_negative: bool) {
        let effects = self.effects;
        let compound = &self.steps.compounds[first];
        let all = self.guarded.inner(first, self.steps);
        let is_guarded = |id: &&TransitionId| self.guarded.is_certain(first, **id);
        let (guarded, inner): (Vec<&TransitionId>, Vec<&TransitionId>) = all.iter().partition(is_guarded);
        let of = |ids: Vec<&TransitionId>| ids.into_iter().filter_map(|id| effects[*id].as_ref()).collect();
        let (guarded, inner): (Vec<&Effect>, Vec<&Effect>) = (of(guarded), of(inner));
        let is_repeated = all.binary_search(&first).is_ok();
        let Some(head) = &effects[first] else { return };
        let mut n_uses = Counts::default();
        for effect in inner.iter().copied().chain([head]) {
            effect.sides.iter().flat_map(|side| &side.channels).for_each(|channel| n_uses.add(*channel));
        }
        for effect in inner.iter().chain(&guarded).copied().chain([head]) {
            effect.both_sides.iter().for_each(|channel| n_uses.add(*channel));
            self.done.accesses.extend(&effect.accesses);
            if self.done.everything.is_none() {
                self.done.everything = effect.everything;
            }
        }
        for side in &head.sides {
            let repeats = is_repeated || head.repeats;
            self.side(side, side.is_first, is_negative && side.is_first, repeats, &n_uses);
        }
        for effect in guarded {
            for side in &effect.sides {
                self.guarded_side(side);
            }
        }
        for effect in inner {
            for side in &effect.sides {
                self.side(side, false, false, compound.repeats || effect.repeats, &n_uses);
            }
        }
    }

    /// A guarded operation blocks at the test, where the step begins.
    fn guarded_side(&mut self, side: &SideUse) {
        for channel in &side.channels {
            let own = match side.side {
                Side::Send => Object::Sending(*channel),
                Side::Receive => Object::Receiving(*channel),
            };
            self.access(own, side, true);
        }
    }

    fn side(&mut self, side: &SideUse, is_first: bool, is_negative: bool, repeats: bool, n_uses: &Counts) {
        // A disabled statement inside a step ends the step: so it is tested negatively, too.
        if side.is_negative || is_negative || !is_first {
            let tested = match side.side {
                Side::Send => &mut self.negative.sending,
                Side::Receive => &mut self.negative.receiving,
            };
            side.channels.iter().for_each(|channel| {
                tested.insert(*channel);
            });
        }
        let is_single = !repeats && side.channels.iter().all(|channel| n_uses.of(*channel) == 1);
        let is_one_side = is_single && (is_first || side.is_stable);
        for channel in &side.channels {
            let (own, other) = match side.side {
                Side::Send => (Object::Sending(*channel), Object::Receiving(*channel)),
                Side::Receive => (Object::Receiving(*channel), Object::Sending(*channel)),
            };
            self.access(own, side, is_one_side);
            if !is_one_side {
                self.access(other, side, false);
            }
        }
        if is_one_side {
            let SideUse { side, channel, channels, .. } = side;
            let (side, channel, channels) = (*side, channel.clone(), channels.clone());
            self.done.conditions.push(BlockingUse { side, channel, channels, is_inner: !is_first });
        }
    }

    fn access(&mut self, object: Object, side: &SideUse, is_one_side: bool) {
        let object = self.objects.id(object);
        self.done.accesses.push(Access {
            object,
            is_write: side.is_write,
            is_own: side.is_own,
            is_promised: side.is_promised && is_one_side,
            is_fair_only: false,
            span: side.span,
        });
    }
}

/// How often each channel is used in a step.
#[derive(Default)]
struct Counts(Vec<u32>);

impl Counts {
    fn add(&mut self, channel: ChannelId) {
        let index = channel.index();
        if index >= self.0.len() {
            self.0.resize(index + 1, 0);
        }
        self.0[index] += 1;
    }

    fn of(&self, channel: ChannelId) -> u32 {
        self.0.get(channel.index()).copied().unwrap_or(0)
    }
}

impl Uses {
    /// What the steps out of a location use, all of them, with the `provided` clause.
    pub fn location<'u>(
        &'u self,
        graph: &Graph<'_>,
        actor: ActorId,
        at: LocationId,
    ) -> impl Iterator<Item = &'u StepUse> + use<'u> {
        let leaving: Vec<TransitionId> = steps::leaving(graph, at).collect();
        let steps = &self.steps[actor];
        leaving.into_iter().filter_map(|id| steps[id].as_ref()).chain([&self.provided[actor]])
    }

    /// All that an actor uses anywhere.
    pub fn of_actor(&self, actor: ActorId) -> impl Iterator<Item = &StepUse> {
        self.steps[actor].iter().flatten().chain([&self.provided[actor]])
    }
}
