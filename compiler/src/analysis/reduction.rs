//! The facts for reductions: the users of objects, safe locations, clusters. Each other file of the folder computes one
//! fact.

use super::access::Everything;
use super::actors::{ActorId, Actors};
use super::channels::Channels;
use super::clusters::{self, Clusters};
use super::constants::{Constants, Reach};
use super::exclusive::{self, Exclusive, Status};
use super::flow;
use super::instances::Instances;
use super::losses::{Loss, LossCause};
use super::ownership::{AccessKey, Ownership, Partners, key};
use super::points_to::{Context, PointsTo};
use super::processes::Processes;
use super::promises::Promises;
use super::rules::Rules;
use super::safe::{LocationSafety, Reason, Safety, SafetyInput, Table, UNSAFE};
use super::sets::Set;
use super::steps::Steps;
use super::sticky;
use super::stubborn::{self, Stubborn};
use super::uses::{self, Uses};
use super::visibility::{self, Property};
use crate::collections::{IdVec, Lookup};
use crate::ir::{self, Action, LocationId, Program, TransitionId};
use crate::model::{ExprKind, ProctypeId, Target, VariableId};
use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Reduction {
    pub actors: Actors,
    pub constants: Constants,
    /// The transitions that each actor can ever take.
    pub reach: IdVec<ActorId, Reach>,
    pub channels: Channels,
    pub points_to: PointsTo,
    pub processes: Processes,
    /// By proctype: the statements of each step, and the locations where control can rest.
    pub steps: IdVec<ProctypeId, Steps>,
    pub uses: Uses,
    pub ownership: Ownership,
    pub exclusives: Vec<Exclusive>,
    /// The promises that are checked at run time.
    pub promises: Promises,
    pub clusters: Clusters,
    pub safety: Safety,
    /// For each location whether it is sticky: see [`sticky`].
    pub sticky: IdVec<ProctypeId, IdVec<LocationId, bool>>,
    /// The facts for stubborn sets; `None` if they would be too large.
    pub stubborn: Option<Stubborn>,
    /// The claims, and acceptance, progress and trace.
    pub properties: Vec<Property>,
    pub losses: Vec<Loss>,
    rules: Rules,
}

pub(super) fn analyze(
    program: &Program<'_>,
    instances: &Instances,
    is_fixed_channel: &IdVec<VariableId, bool>,
    rules: Rules,
) -> Reduction {
    let actors = Actors::new(program, instances);
    let constants = Constants::new(program, &actors);
    let reach: IdVec<ActorId, Reach> = actors
        .list
        .iter_enumerated()
        .map(|(id, actor)| Reach::of(&program.graphs[actor.proctype], id, &constants))
        .collect();
    let channels = Channels::new(program, &actors);
    let context = Context {
        program,
        actors: &actors,
        channels: &channels,
        constants: &constants,
        reach: &reach,
        is_fixed_channel,
    };
    let points_to = flow::analyze(&context);
    let processes = Processes::new(program, instances, &actors);
    let steps: IdVec<ProctypeId, Steps> = program.graphs.ids().map(|id| Steps::new(program, id)).collect();
    let pids_are_observed = processes.pids_are_observed.is_some();
    let mut uses = uses::analyze(&context, &points_to, pids_are_observed, &steps);
    let ownership = Ownership::new(&uses, &actors, &channels);
    let exclusives = exclusive::analyze(&context, &points_to, &uses, &ownership);
    let promises = Promises::analyze(program, &exclusives, &|exclusive| actors.list[exclusive.actor].proctype);
    exclusive::settle(&context, &steps, &exclusives, &promises, &mut uses, rules);
    let dynamic = dynamic(&uses, &actors);
    let need = need(&uses, &ownership, &actors);
    let clusters = Clusters::new(&actors, dynamic, &need);
    let input =
        SafetyInput { program, actors: &actors, uses: &uses, ownership: &ownership, clusters: &clusters, rules };
    let safety = Safety::new(&input);
    let is_unsafe = |proctype: ProctypeId, at: LocationId| {
        let own = &actors.of[proctype];
        own.iter().all(|actor| safety.locations[*actor][at].plain_if_youngest == UNSAFE)
    };
    let sticky = program.graphs.iter_enumerated().map(|(id, graph)| {
        let is_unsafe = graph.locations.ids().map(|at| is_unsafe(id, at)).collect();
        sticky::sticky(graph, &steps[id], &is_unsafe)
    });
    let sticky = sticky.collect();
    let stubborn = stubborn::analyze(&context, &steps, &uses);
    let properties = visibility::analyze(&context, &points_to, &steps, &uses);
    let losses = losses(program, &actors, &uses, &exclusives, &promises, &clusters);
    Reduction {
        sticky,
        reach,
        points_to,
        processes,
        steps,
        uses,
        ownership,
        exclusives,
        promises,
        clusters,
        safety,
        stubborn,
        properties,
        losses,
        rules,
        channels,
        constants,
        actors,
    }
}

/// Classes, and the processes that start processes of one.
fn dynamic(uses: &Uses, actors: &Actors) -> Set<ActorId> {
    let starts_class = |actor: ActorId| {
        let started = uses.effects[actor].iter().flatten().flat_map(|effect| &effect.starts);
        started.flat_map(|proctype| &actors.of[*proctype]).any(|other| actors.list[*other].is_class())
    };
    actors.list.ids().filter(|actor| actors.list[*actor].is_class() || starts_class(*actor)).collect()
}

/// The partners of each access of each step, and how often each set occurs. Accesses that depend on everything are left
/// out.
fn need(uses: &Uses, ownership: &Ownership, actors: &Actors) -> Vec<(Partners, usize)> {
    let mut need: Vec<(Partners, usize)> = Vec::new();
    for actor in actors.list.ids() {
        let mut known: Lookup<AccessKey, usize> = Lookup::new();
        let steps = uses.of_actor(actor).filter(|one| one.everything.is_none());
        for access in steps.flat_map(|one| &one.accesses).filter(|access| !access.is_fair_only) {
            if let Some(number) = known.get(&key(access)) {
                need[*number].1 += 1;
                continue;
            }
            let object = uses.objects.list[access.object];
            known.insert(key(access), need.len());
            need.push((ownership.partners(actors, object, actor, access, Table::Plain), 1));
        }
    }
    need
}

/// The greatest number of losses that are reported.
const MOST_LOSSES: usize = 200;

fn losses(
    program: &Program<'_>,
    actors: &Actors,
    uses: &Uses,
    exclusives: &[Exclusive],
    promises: &Promises,
    clusters: &Clusters,
) -> Vec<Loss> {
    let mut losses: Vec<Loss> = Vec::new();
    let mut lose = |cause: LossCause, span: Span| {
        let loss = Loss { cause, span };
        // If it occurs everywhere, the first places are enough.
        if losses.len() < MOST_LOSSES && !losses.contains(&loss) {
            losses.push(loss);
        }
    };
    let model = program.model;
    for process in model.proctypes.iter().filter(|process| process.priority.is_some()) {
        lose(LossCause::Priorities, process.span);
    }
    ir::visit::program_expressions(program, &mut |expression| match &expression.kind {
        ExprKind::Priority
        | ExprKind::GetPriority(_)
        | ExprKind::SetPriority(..)
        | ExprKind::Run { priority: Some(_), .. } => lose(LossCause::Priorities, expression.span),
        ExprKind::Last => lose(LossCause::Last, expression.span),
        ExprKind::Enabled(_) => lose(LossCause::Enabled, expression.span),
        ExprKind::PcValue(_) => lose(LossCause::PcValue, expression.span),
        ExprKind::NonProgress => lose(LossCause::NonProgress, expression.span),
        _ => {}
    });
    for transition in program.graphs.iter().flat_map(|graph| &graph.transitions) {
        if let Action::Assign { target: Target::Priority, .. } = transition.action {
            lose(LossCause::Priorities, transition.span);
        }
    }
    for effect in uses.effects.iter().flatten().flatten() {
        effect.unknown.iter().for_each(|span| lose(LossCause::ChannelInNumber, *span));
    }
    for actor in actors.list.iter().filter(|actor| actor.is_class()) {
        lose(LossCause::Dynamic(actor.proctype), model.proctypes[actor.proctype].span);
    }
    for exclusive in exclusives {
        match exclusive.status {
            Status::Proved => {}
            Status::Refuted { .. } => lose(LossCause::Refuted, exclusive.channel.place.span),
            Status::Unproved if exclusive.is_believed(promises) => {
                lose(LossCause::Believed, exclusive.channel.place.span);
            }
            Status::Unproved => lose(LossCause::Unproved, exclusive.channel.place.span),
        }
    }
    if clusters.is_too_large {
        let late = actors.list.iter().find(|actor| actor.pid.is_some_and(|pid| pid >= clusters::MOST_PROCESSES));
        late.iter().for_each(|actor| lose(LossCause::TooManyProcesses, model.proctypes[actor.proctype].span));
    }
    losses
}

impl Reduction {
    /// Whether there can be any reduction at all.
    pub fn is_off(&self) -> bool {
        self.losses.iter().any(|loss| loss.cause.is_total())
    }

    /// How safe a location is for an actor.
    pub fn location(&self, actor: ActorId, at: LocationId) -> &LocationSafety {
        &self.safety.locations[actor][at]
    }

    /// Why the steps that begin with a transition are not safe at a level.
    pub fn reasons(
        &self,
        program: &Program<'_>,
        actor: ActorId,
        id: TransitionId,
        level: u8,
        table: Table,
    ) -> Vec<Reason> {
        self.input(program).reasons(actor, id, level, table)
    }

    /// Why a location is not safe at a level, over all its transitions.
    pub fn location_reasons(
        &self,
        program: &Program<'_>,
        actor: ActorId,
        at: LocationId,
        level: u8,
        table: Table,
    ) -> Vec<Reason> {
        self.input(program).location_reasons(actor, at, level, table)
    }

    fn input<'a, 'm>(&'a self, program: &'a Program<'m>) -> SafetyInput<'a, 'm> {
        let Self { actors, uses, ownership, clusters, rules, .. } = self;
        SafetyInput { program, actors, uses, ownership, clusters, rules: *rules }
    }

    /// Whether a fact relies on a promise that is checked at run time.
    pub fn relies_on_promises(&self) -> bool {
        self.exclusives.iter().any(|exclusive| exclusive.is_believed(&self.promises))
    }

    /// Whether a step waits for `timeout`.
    pub fn waits_for_timeout(&self, actor: ActorId, id: TransitionId) -> bool {
        let everything = self.uses.steps[actor][id].as_ref().and_then(|one| one.everything);
        matches!(everything, Some((Everything::Timeout, _)))
    }
}
