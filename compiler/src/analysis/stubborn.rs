//! The facts for stubborn sets (Valmari 1991): for each process the dependency classes of what it may still do, and of
//! what it depends on at its location.
//!
//! Steps of one process are dependent on each other, so a stubborn set is a set of processes, all of whose steps are
//! taken, or of *parts* of processes (see [`parts`]). It is closed if no process outside may ever take a step on which
//! a process inside depends, before that one moves. An enabled step depends on whatever does not commute with it. A
//! disabled one has a false guard, and depends on whatever can make that one guard true (a necessary enabling set): if
//! several guards are false, any of them will do. Errs towards dependent.
//!
//! A step beside an `else` or under an escape depends on its neighbours; there the whole location has one bit set.

use super::access::{Access, Effect, EffectPart, SideUse};
use super::actors::ActorId;
use super::channels::ChannelId;
use super::dependency_classes::{ClassSet, DependencyClass, DependencyClasses};
use super::guarded::Guarded;
use super::parts::{self, Split};
use super::points_to::Context;
use super::steps::{self, Steps};
use super::uses::{self, StepUse, Uses};
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, TransitionId};
use crate::model::{ChannelRef, Pattern, ProctypeId, Side};

#[derive(Clone, Debug)]
pub struct Stubborn {
    pub dependency_classes: DependencyClasses,
    /// What a process at a location, and the processes that it starts, may do from there on.
    pub future: IdVec<ActorId, IdVec<LocationId, ClassSet>>,
    /// The dependencies of a process at a location.
    pub locations: IdVec<ActorId, IdVec<LocationId, LocationRelations>>,
    /// The dependencies of each step; `None` for those that the actor never takes.
    pub steps: IdVec<ActorId, IdVec<TransitionId, Option<StepRelations>>>,
    /// Processes that split into parts.
    pub splits: Vec<Split>,
}

#[derive(Clone, Debug, Default)]
pub struct LocationRelations {
    /// It depends on everything: no stubborn set with it is smaller than the set of all processes.
    pub is_everything: bool,
    /// Independent of its steps: the dependencies of the `provided` clause, and, if `is_whole`, all dependencies.
    pub always: ClassSet,
    /// The steps have no bit sets of their own here.
    pub is_whole: bool,
}

#[derive(Clone, Debug, Default)]
pub struct StepRelations {
    /// What does not commute with the step, if it is enabled.
    pub enabled: ClassSet,
    /// The guards of the step. If it is disabled, some of these are false; the bit set of one of them is enough.
    pub guards: Vec<Guard>,
    /// If it is disabled and the false guard is not known: everything that may enable it.
    pub disabled: ClassSet,
}

/// A guard of a step, and what can make it true.
#[derive(Clone, Debug)]
pub enum Guard {
    /// The part of that number of the statement's condition, counted over the operands of its outermost `&&` from the
    /// left, is the first that is false.
    Condition { part: usize, bit_set: ClassSet },
    /// The channel is full. (Where messages to a full channel are lost, the bit set also counts for a send to a full
    /// channel, which is then enabled.)
    Room { channel: ChannelRef, bit_set: ClassSet },
    /// The channel is empty, or its first message does not match.
    Message { channel: ChannelRef, empty: ClassSet, other: ClassSet },
    /// No process is ready for a handshake. A receive is never enabled by itself, so this bit set counts whenever its
    /// process is at it.
    Partner { bit_set: ClassSet },
    /// The process is not the youngest, and cannot end.
    Youngest { bit_set: ClassSet },
}

impl Guard {
    fn rows(&self) -> Vec<&ClassSet> {
        match self {
            Self::Condition { bit_set, .. }
            | Self::Room { bit_set, .. }
            | Self::Partner { bit_set }
            | Self::Youngest { bit_set } => {
                vec![bit_set]
            }
            Self::Message { empty, other, .. } => vec![empty, other],
        }
    }
}

/// The greatest number of bits in all bit sets together.
const MOST_BITS: usize = 1 << 28;

pub(super) fn analyze(context: &Context<'_, '_>, steps: &IdVec<ProctypeId, Steps>, uses: &Uses) -> Option<Stubborn> {
    let mut dependency_classes = DependencyClasses::default();
    let mut done: IdVec<ActorId, IdVec<TransitionId, ClassSet>> = IdVec::new();
    for (id, actor) in context.actors.list.iter_enumerated() {
        let graph = &context.program.graphs[actor.proctype];
        let is_negative = uses::negative_transitions(graph);
        let is_inner = inner_transitions(&steps[actor.proctype], &uses.guarded[id]);
        let mut own = IdVec::new();
        for (number, transition) in graph.transitions.iter_enumerated() {
            let Some(effect) = &uses.effects[id][number] else {
                own.push(ClassSet::new());
                continue;
            };
            let sent = |channel: ChannelId| sent_value(context, id, &transition.action, channel);
            let is_negative = is_negative[number] || is_inner[number];
            let mut bit_set = dependency_classes.done(&uses.objects, effect, &sent, is_negative);
            if matches!(transition.action, Action::End) {
                bit_set.insert(dependency_classes.id(DependencyClass::Ends));
            }
            own.push(bit_set);
        }
        done.push(own);
    }
    let n_locations: usize =
        context.actors.list.iter().map(|actor| context.program.graphs[actor.proctype].locations.len()).sum();
    if n_locations.saturating_mul(dependency_classes.list.len()) > MOST_BITS {
        return None;
    }
    let provided: IdVec<ActorId, ClassSet> =
        uses.provided.iter().map(|clause| dependency_classes.read(&uses.objects, clause)).collect();
    let future = futures(context, uses, &done, &provided);
    let builder = StubbornBuilder { context, uses, dependency_classes: &dependency_classes };
    let mut locations = IdVec::new();
    let mut relations = IdVec::new();
    for (id, actor) in context.actors.list.iter_enumerated() {
        let graph = &context.program.graphs[actor.proctype];
        let step = |number: TransitionId| builder.step(graph, id, number);
        relations.push(graph.transitions.ids().map(step).collect::<IdVec<TransitionId, _>>());
        let location = |at: LocationId| builder.location(graph, id, at);
        locations.push(graph.locations.ids().map(location).collect());
    }
    let input = parts::PartsInput { context, uses, steps, done: &done, locations: &locations, relations: &relations };
    let splits = parts::analyze(&input);
    Some(Stubborn { future, locations, steps: relations, splits, dependency_classes })
}

/// Transitions that can run inside a step that another one began, and may end it there.
fn inner_transitions(steps: &Steps, guarded: &Guarded) -> IdVec<TransitionId, bool> {
    let mut is_inner: IdVec<TransitionId, bool> = steps.compounds.iter().map(|_| false).collect();
    for first in steps.compounds.ids() {
        let may_block = guarded.inner(first, steps).iter().filter(|id| !guarded.is_certain(first, **id));
        may_block.for_each(|id| is_inner[*id] = true);
    }
    is_inner
}

/// The value of the first field that a statement sends, cut to the channel's type.
fn sent_value(context: &Context<'_, '_>, actor: ActorId, action: &Action<'_>, channel: ChannelId) -> Option<i32> {
    let Action::Send { message, .. } = action else { return None };
    let value = context.constants.value(Some(actor), message.first()?)?;
    let site = context.channels.list[channel].site;
    Some(context.program.model.sites[site].fields.first()?.truncate(value))
}

/// Backwards from each statement to every location that leads to it.
fn futures(
    context: &Context<'_, '_>,
    uses: &Uses,
    done: &IdVec<ActorId, IdVec<TransitionId, ClassSet>>,
    provided: &IdVec<ActorId, ClassSet>,
) -> IdVec<ActorId, IdVec<LocationId, ClassSet>> {
    let whole = whole(context, uses, done, provided);
    let mut futures = IdVec::new();
    for (id, actor) in context.actors.list.iter_enumerated() {
        let graph = &context.program.graphs[actor.proctype];
        let mut future: IdVec<LocationId, ClassSet> = graph.locations.iter().map(|_| provided[id].clone()).collect();
        let mut before: IdVec<LocationId, Vec<LocationId>> = graph.locations.iter().map(|_| Vec::new()).collect();
        for at in graph.locations.ids() {
            for number in steps::leaving(graph, at).filter(|number| context.reach[id].transitions[*number]) {
                future[at].add_all(&done[id][number]);
                let started = uses.effects[id][number].iter().flat_map(|effect| &effect.starts);
                for other in started.flat_map(|proctype| &context.actors.of[*proctype]) {
                    future[at].add_all(&whole[*other]);
                }
                if let Some(to) = graph.transitions[number].to {
                    before[to].push(at);
                }
            }
        }
        let mut waiting: Vec<LocationId> = graph.locations.ids().collect();
        let mut is_waiting: IdVec<LocationId, bool> = graph.locations.iter().map(|_| true).collect();
        while let Some(at) = waiting.pop() {
            is_waiting[at] = false;
            let bit_set = future[at].clone();
            for from in &before[at] {
                if !bit_set.is_inside(&future[*from]) {
                    future[*from].add_all(&bit_set);
                    if !is_waiting[*from] {
                        is_waiting[*from] = true;
                        waiting.push(*from);
                    }
                }
            }
        }
        futures.push(future);
    }
    futures
}

/// All that an actor, and those that it starts, may ever do.
fn whole(
    context: &Context<'_, '_>,
    uses: &Uses,
    done: &IdVec<ActorId, IdVec<TransitionId, ClassSet>>,
    provided: &IdVec<ActorId, ClassSet>,
) -> IdVec<ActorId, ClassSet> {
    let own = |(rows, clause): (&IdVec<TransitionId, ClassSet>, &ClassSet)| {
        let mut all = clause.clone();
        rows.iter().for_each(|bit_set| all.add_all(bit_set));
        all
    };
    let mut whole: IdVec<ActorId, ClassSet> = done.iter().zip(provided).map(own).collect();
    loop {
        let mut has_grown = false;
        for actor in context.actors.list.ids() {
            let started: Vec<ProctypeId> =
                uses.effects[actor].iter().flatten().flat_map(|effect| effect.starts.iter().copied()).collect();
            for other in started.iter().flat_map(|proctype| &context.actors.of[*proctype]) {
                let bit_set = whole[*other].clone();
                has_grown |= !bit_set.is_inside(&whole[actor]);
                whole[actor].add_all(&bit_set);
            }
        }
        if !has_grown {
            return whole;
        }
    }
}

struct StubbornBuilder<'a, 'm> {
    context: &'a Context<'a, 'm>,
    uses: &'a Uses,
    dependency_classes: &'a DependencyClasses,
}

impl StubbornBuilder<'_, '_> {
    /// What does not commute with all that a step uses.
    fn enabled(&self, one: &StepUse, effect: &Effect, bit_set: &mut ClassSet) {
        let sides: Vec<ChannelId> = one.conditions.iter().flat_map(|it| it.channels.iter().copied()).collect();
        for access in &one.accesses {
            // A use of one side is less than a use of the channel.
            let channel = self.uses.objects.list[access.object].channel();
            if !channel.is_some_and(|channel| sides.contains(&channel)) {
                self.dependency_classes.put_access(bit_set, &self.uses.objects, access);
            }
        }
        for waiting in &one.conditions {
            for channel in &waiting.channels {
                if waiting.is_inner {
                    self.dependency_classes.put_any_use(bit_set, *channel);
                }
                // A read is a part of a write; the difference is not kept here.
                self.dependency_classes.put_side(bit_set, waiting.side, true, *channel);
            }
        }
        if !effect.starts.is_empty() {
            self.dependency_classes.put_ends(bit_set);
        }
    }

    fn step(&self, graph: &Graph<'_>, actor: ActorId, number: TransitionId) -> Option<StepRelations> {
        let (one, effect) = (self.uses.steps[actor][number].as_ref()?, self.uses.effects[actor][number].as_ref()?);
        let mut relations = StepRelations::default();
        self.enabled(one, effect, &mut relations.enabled);
        let action = &graph.transitions[number].action;
        if matches!(action, Action::End) {
            self.dependency_classes.put_starts(&mut relations.enabled);
        }
        relations.guards = self.guards(actor, action, effect, &relations.enabled);
        // A statement that fails may succeed when what it reads changes.
        relations.disabled = self.anything(effect);
        relations.guards.iter().flat_map(Guard::rows).for_each(|bit_set| relations.disabled.add_all(bit_set));
        Some(relations)
    }

    /// The guards of a step, each with what can make it true.
    fn guards(&self, actor: ActorId, action: &Action<'_>, effect: &Effect, enabled: &ClassSet) -> Vec<Guard> {
        match action {
            Action::Condition(_) => {
                let guard = |(part, uses): (usize, &EffectPart)| {
                    let bit_set =
                        self.removers(&effect.accesses[uses.accesses.clone()], &effect.sides[uses.sides.clone()]);
                    Guard::Condition { part, bit_set }
                };
                effect.parts.iter().enumerate().map(guard).collect()
            }
            // The partner of a handshake may differ from state to state.
            Action::Send { .. } if !effect.sends.is_empty() => {
                let mut bit_set = self.anything(effect);
                effect.sends.iter().for_each(|(channel, _)| self.dependency_classes.put_takers(&mut bit_set, *channel));
                vec![Guard::Partner { bit_set }]
            }
            Action::Receive { .. } if !effect.offers.is_empty() => {
                let mut bit_set = self.anything(effect);
                effect
                    .offers
                    .iter()
                    .for_each(|channel| self.dependency_classes.put_matching(&mut bit_set, *channel, None));
                // The handshake is a step of the sender, but it does this, too.
                bit_set.add_all(enabled);
                vec![Guard::Partner { bit_set }]
            }
            Action::Send { channel, .. } => {
                let mut bit_set = self.removers(&effect.accesses[effect.channel_reads.clone()], &[]);
                let sides = effect.sides.iter().flat_map(|side| &side.channels);
                sides
                    .chain(&effect.both_sides)
                    .for_each(|channel| self.dependency_classes.put_takers(&mut bit_set, *channel));
                vec![Guard::Room { channel: (*channel).clone(), bit_set }]
            }
            Action::Receive { channel, pattern, .. } => {
                let wanted = match pattern.first() {
                    Some(Pattern::Equal(value)) => self.context.constants.value(Some(actor), value),
                    _ => None,
                };
                let mut empty = self.removers(&effect.accesses[effect.channel_reads.clone()], &[]);
                // The value that the message is compared with may change.
                let mut other = self.removers(&effect.accesses, &[]);
                for channel in effect.sides.iter().flat_map(|side| &side.channels).chain(&effect.both_sides) {
                    self.dependency_classes.put_matching(&mut empty, *channel, wanted);
                    self.dependency_classes.put_changes(&mut empty, *channel);
                    self.dependency_classes.put_takers(&mut other, *channel);
                }
                // `??` finds a message anywhere.
                for channel in &effect.both_sides {
                    self.dependency_classes.put_matching(&mut other, *channel, wanted);
                }
                vec![Guard::Message { channel: (*channel).clone(), empty, other }]
            }
            Action::End => {
                let mut bit_set = ClassSet::new();
                self.dependency_classes.put_ends(&mut bit_set);
                vec![Guard::Youngest { bit_set }]
            }
            Action::Else
            | Action::Jump
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::DStep(_) => Vec::new(),
        }
    }

    /// What can make a condition true that depends on these.
    fn removers(&self, accesses: &[Access], sides: &[SideUse]) -> ClassSet {
        let mut bit_set = ClassSet::new();
        accesses
            .iter()
            .for_each(|access| self.dependency_classes.put_writers(&mut bit_set, &self.uses.objects, access));
        for side in sides {
            for channel in &side.channels {
                match side.side {
                    Side::Send => self.dependency_classes.put_takers(&mut bit_set, *channel),
                    Side::Receive => {
                        self.dependency_classes.put_matching(&mut bit_set, *channel, None);
                        self.dependency_classes.put_changes(&mut bit_set, *channel);
                    }
                }
            }
        }
        bit_set
    }

    /// What can enable a statement, whatever it waits for.
    fn anything(&self, effect: &Effect) -> ClassSet {
        let mut bit_set = self.removers(&effect.accesses, &effect.sides);
        let channels = effect.sides.iter().flat_map(|side| &side.channels).chain(&effect.both_sides);
        channels.for_each(|channel| self.dependency_classes.put_any_use(&mut bit_set, *channel));
        bit_set
    }

    fn location(&self, graph: &Graph<'_>, actor: ActorId, at: LocationId) -> LocationRelations {
        let mut relations = LocationRelations::default();
        for access in &self.uses.provided[actor].accesses {
            self.dependency_classes.put_writers(&mut relations.always, &self.uses.objects, access);
        }
        relations.is_everything = self.uses.location(graph, actor, at).any(|one| one.everything.is_some());
        let location = &graph.locations[at];
        let has_else = location.leaving.iter().any(|id| matches!(graph.transitions[*id].action, Action::Else));
        relations.is_whole = has_else || !location.escapes.is_empty();
        if relations.is_whole {
            for number in steps::leaving(graph, at) {
                let Some(step) = self.step(graph, actor, number) else { continue };
                relations.always.add_all(&step.enabled);
                relations.always.add_all(&step.disabled);
                let sides = self.uses.effects[actor][number].iter().flat_map(|effect| &effect.sides);
                for channel in sides.flat_map(|side| &side.channels) {
                    self.dependency_classes.put_any_use(&mut relations.always, *channel);
                }
            }
        }
        relations
    }
}

impl Stubborn {
    /// How many words of 64 bits a bit set has.
    pub fn n_words(&self) -> usize {
        self.dependency_classes.list.len().div_ceil(64)
    }
}
