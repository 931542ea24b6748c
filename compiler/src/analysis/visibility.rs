//! Visibility: the steps that a property can observe, and whether it allows reduction at all.
//!
//! A step is visible if it can change something that the property reads. Errs towards visible. Properties that are not
//! stutter-closed, and those that observe the scheduling itself, allow no reduction.

use super::access::{Effect, asked_location};
use super::actors::{Actor, ActorId};
use super::channels::ChannelId;
use super::objects::{self, Object};
use super::points_to::{Context, PointsTo};
use super::sets::Set;
use super::steps::{self, Compound, Steps};
use super::stutter;
use super::uses::Uses;
use crate::collections::IdVec;
use crate::ir::visit;
use crate::ir::{Action, Graph, Location, LocationId, TransitionId};
use crate::model::{
    self, ChannelRef, Expr, ExprKind, Formula, Owner, Pattern, ProctypeId, StatementKind, Trace, VariableId,
};
use crate::source::{Name, Span};

/// A property beside assertions and deadlocks, for which no step is visible.
#[derive(Clone, Debug)]
pub struct Property {
    pub kind: PropertyKind,
    /// The name of a formula or claim.
    pub name: Name,
    pub span: Span,
    /// Why reduction is off for it; empty if it is not.
    pub obstacles: Vec<Obstacle>,
    /// A repeated state changes the run of the claim only near the repetition (stutter-robust). If not, ample sets must
    /// not depend on the location of the claim.
    pub is_stutter_robust: bool,
    /// For each actor and location whether some step out of it is visible.
    pub visible: IdVec<ActorId, IdVec<LocationId, bool>>,
    /// For each actor and transition whether the step that it begins is visible.
    pub visible_steps: IdVec<ActorId, IdVec<TransitionId, bool>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// The formula of that number in the model.
    Ltl(usize),
    /// The claim of that number in the model.
    Never(usize),
    /// Cycles through accept labels, without a claim.
    Acceptance,
    NonProgress,
    Trace,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    pub cause: ObstacleCause,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleCause {
    /// It reads `_last`, `enabled`, `pc_value`, `timeout` or a priority.
    Scheduling,
    /// The formula has an `X`.
    Next,
    /// A handwritten claim that does not pass the test: because of this edge it may not be stutter-closed. The author
    /// may know better.
    NotStutterClosed,
    /// A handwritten claim with more conditions than can be tested.
    TooManyConditions,
    /// A handwritten claim with a construct that is not tested.
    Untested,
}

/// What a property reads.
#[derive(Default)]
struct ObservedSet {
    globals: Vec<Object>,
    locals: Vec<VariableId>,
    channels: Set<ChannelId>,
    locations: Vec<(u32, Option<ProctypeId>)>,
    /// The set of processes of these proctypes matters.
    proctypes: Vec<ProctypeId>,
    /// The set of processes matters.
    processes: bool,
    progress: bool,
    accept: bool,
}

fn is_stutter_robust(context: &Context<'_, '_>, kind: PropertyKind, obstacles: &[Obstacle]) -> bool {
    match kind {
        PropertyKind::Ltl(number) => context.program.formulas.get(number).is_some_and(|it| it.is_stutter_robust),
        // The test for an obstacle is a test for this.
        PropertyKind::Never(_) => obstacles.is_empty(),
        PropertyKind::Acceptance | PropertyKind::NonProgress | PropertyKind::Trace => true,
    }
}

pub(super) fn analyze(
    context: &Context<'_, '_>,
    points_to: &PointsTo,
    steps: &IdVec<ProctypeId, Steps>,
    uses: &Uses,
) -> Vec<Property> {
    let model = context.program.model;
    let mut properties = Vec::new();
    let mut add = |kind: PropertyKind, name: &str, span: Span, observed: &ObservedSet, obstacles: Vec<Obstacle>| {
        let visible_steps = visible_steps(context, steps, uses, observed);
        let visible = visible_locations(context, &visible_steps);
        let is_stutter_robust = is_stutter_robust(context, kind, &obstacles);
        properties.push(Property {
            kind,
            name: name.into(),
            span,
            obstacles,
            is_stutter_robust,
            visible,
            visible_steps,
        });
    };
    for (number, ltl) in model.formulas.iter().enumerate() {
        let mut reader = Reader { context, points_to, observed: ObservedSet::default(), obstacles: Vec::new() };
        reader.formula(&ltl.formula, ltl.span);
        // The translation knows better whether an `X` matters, if there is one.
        if context.program.formulas.get(number).is_some_and(|automaton| automaton.is_stutter_closed) {
            reader.obstacles.retain(|obstacle| obstacle.cause != ObstacleCause::Next);
        }
        add(PropertyKind::Ltl(number), &ltl.name, ltl.span, &reader.observed, reader.obstacles);
    }
    for (number, (claim, graph)) in model.never.iter().zip(&context.program.claims).enumerate() {
        // Beside a handwritten claim the accept labels of processes count, too.
        let observed = ObservedSet { accept: true, ..ObservedSet::default() };
        let mut reader = Reader { context, points_to, observed, obstacles: Vec::new() };
        visit::graph_expressions(graph, &mut |expression| reader.expression(expression));
        let mut obstacles = reader.obstacles;
        if obstacles.is_empty() {
            obstacles.extend(stutter::obstacle(graph, claim.span));
        }
        add(PropertyKind::Never(number), &claim.name, claim.span, &reader.observed, obstacles);
    }
    let is_marked =
        |marked: fn(&Location) -> bool| context.program.graphs.iter().any(|it| it.locations.iter().any(marked));
    if is_marked(|location| location.is_accept) {
        let observed = ObservedSet { accept: true, ..ObservedSet::default() };
        add(PropertyKind::Acceptance, "acceptance", Span::default(), &observed, Vec::new());
    }
    let observed = ObservedSet { progress: true, ..ObservedSet::default() };
    add(PropertyKind::NonProgress, "non-progress", Span::default(), &observed, Vec::new());
    if let Some(trace) = &model.trace {
        let mut reader = Reader { context, points_to, observed: ObservedSet::default(), obstacles: Vec::new() };
        reader.trace(trace);
        add(PropertyKind::Trace, "trace", trace.span, &reader.observed, Vec::new());
    }
    properties
}

/// Collects what a property reads.
struct Reader<'a, 'm> {
    context: &'a Context<'a, 'm>,
    points_to: &'a PointsTo,
    observed: ObservedSet,
    obstacles: Vec<Obstacle>,
}

impl Reader<'_, '_> {
    /// The channels of a trace, and the values that it compares with.
    fn trace(&mut self, trace: &Trace) {
        model::visit::each_statement(&trace.process.body, &mut |statement| {
            if let StatementKind::Event { channel, pattern, .. } = &statement.kind {
                self.channel(channel);
                let compared = pattern.iter().filter_map(|field| match field {
                    Pattern::Equal(value) => Some(value),
                    Pattern::Store(_) | Pattern::Ignore => None,
                });
                compared.for_each(|value| visit::expression(value, &mut |part| self.expression(part)));
            }
        });
    }

    fn formula(&mut self, formula: &Formula, span: Span) {
        match formula {
            Formula::Atom(atom) => visit::expression(atom, &mut |expression| self.expression(expression)),
            Formula::Next(inner) => {
                self.obstacles.push(Obstacle { cause: ObstacleCause::Next, span });
                self.formula(inner, span);
            }
            Formula::Not(inner) | Formula::Always(inner) | Formula::Eventually(inner) => self.formula(inner, span),
            Formula::And(left, right)
            | Formula::Or(left, right)
            | Formula::Implies(left, right)
            | Formula::Equivalent(left, right)
            | Formula::Until(left, right)
            | Formula::WeakUntil(left, right)
            | Formula::Release(left, right) => {
                self.formula(left, span);
                self.formula(right, span);
            }
        }
    }

    /// One expression; its parts are visited, too.
    fn expression(&mut self, expression: &Expr) {
        let model = self.context.program.model;
        match &expression.kind {
            ExprKind::Read(place) if model.variables[place.variable].owner == Owner::Global => {
                self.observed.globals.extend(objects::of_global(model, self.context.constants, None, place));
            }
            ExprKind::Probe(_, channel) | ExprKind::Poll { channel, .. } => self.channel(channel),
            ExprKind::RemoteVariable { proctype, place, .. } => {
                self.observed.locals.push(place.variable);
                self.observed.proctypes.push(*proctype);
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                // A reference by pid may mean a process of any proctype.
                self.observed.processes |= pid.is_some();
                self.observed.proctypes.push(*proctype);
                self.observed.locations.extend(asked_location(self.context, *proctype, pid.is_some(), *label));
            }
            ExprKind::ProcessCount => self.observed.processes = true,
            ExprKind::NonProgress => self.observed.progress = true,
            ExprKind::Timeout
            | ExprKind::Last
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::Priority
            | ExprKind::GetPriority(_)
            | ExprKind::SetPriority(..) => {
                self.obstacles.push(Obstacle { cause: ObstacleCause::Scheduling, span: expression.span });
            }
            ExprKind::Constant(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Run { .. }
            | ExprKind::Host(_)
            | ExprKind::Pid => {}
        }
    }

    fn channel(&mut self, channel: &ChannelRef) {
        for found in self.points_to.denoted(self.context, None, channel).channels {
            self.observed.channels.insert(found);
        }
        let model = self.context.program.model;
        let place = &channel.place;
        // Another channel may be stored in it.
        if model.variables[place.variable].owner == Owner::Global && !self.context.is_fixed_channel[place.variable] {
            self.observed.globals.extend(objects::of_global(model, self.context.constants, None, place));
        }
    }
}

type PerStep = IdVec<ActorId, IdVec<TransitionId, bool>>;

fn visible_steps(
    context: &Context<'_, '_>,
    steps: &IdVec<ProctypeId, Steps>,
    uses: &Uses,
    observed: &ObservedSet,
) -> PerStep {
    let of_actor = |(id, actor): (ActorId, &Actor)| {
        let graph = &context.program.graphs[actor.proctype];
        let mut alone: IdVec<TransitionId, bool> = graph.transitions.iter().map(|_| false).collect();
        for at in graph.locations.ids() {
            for number in steps::leaving(graph, at) {
                let Some(effect) = &uses.effects[id][number] else { continue };
                let transition = &graph.transitions[number];
                let to = transition.to.map(|to| &graph.locations[to]);
                alone[number] |= observed.moves(actor.proctype, &graph.locations[at], to)
                    || observed.changes(context, uses, effect)
                    || observed.stores(&transition.action)
                    || (matches!(transition.action, Action::End) && observed.looks_at(actor.proctype));
            }
        }
        let whole = |(number, compound): (TransitionId, &Compound)| {
            alone[number] || compound.inner.iter().any(|inner| alone[*inner])
        };
        steps[actor.proctype].compounds.iter_enumerated().map(whole).collect()
    };
    context.actors.list.iter_enumerated().map(of_actor).collect()
}

fn visible_locations(context: &Context<'_, '_>, visible_steps: &PerStep) -> IdVec<ActorId, IdVec<LocationId, bool>> {
    let of_actor = |(id, actor): (ActorId, &Actor)| {
        let graph = &context.program.graphs[actor.proctype];
        let is_visible = |at: LocationId| steps::leaving(graph, at).any(|number| visible_steps[id][number]);
        graph.locations.ids().map(is_visible).collect()
    };
    context.actors.list.iter_enumerated().map(of_actor).collect()
}

impl ObservedSet {
    fn looks_at(&self, proctype: ProctypeId) -> bool {
        self.processes || self.proctypes.contains(&proctype)
    }

    /// Whether a move between two locations is visible, in either direction.
    fn moves(&self, proctype: ProctypeId, from: &Location, to: Option<&Location>) -> bool {
        let ends = || [Some(from), to].into_iter().flatten();
        let is_observed = |number: u32| {
            let of =
                |(observed, of): &(u32, Option<ProctypeId>)| *observed == number && of.is_none_or(|of| of == proctype);
            self.locations.iter().any(of)
        };
        (self.accept && ends().any(|location| location.is_accept))
            || (self.progress && ends().any(|location| location.is_progress))
            || ends().any(|location| is_observed(location.number))
    }

    /// Whether a statement changes something that is read.
    fn changes(&self, context: &Context<'_, '_>, uses: &Uses, effect: &Effect) -> bool {
        let writes = |object: Object| match object.channel() {
            Some(channel) => self.channels.contains(channel),
            None => self.globals.contains(&object),
        };
        let accesses = effect.accesses.iter().filter(|access| access.is_write);
        let mut sides = effect.sides.iter().filter(|side| side.is_write).flat_map(|side| &side.channels);
        let starts = |proctype: &ProctypeId| {
            let graph = &context.program.graphs[*proctype];
            let start = &graph.locations[graph.start];
            self.looks_at(*proctype) || self.moves(*proctype, start, None)
        };
        accesses.map(|access| uses.objects.list[access.object]).any(writes)
            || sides.any(|channel| self.channels.contains(*channel))
            || effect.starts.iter().any(starts)
    }

    /// Whether a statement stores in a local variable that is read.
    fn stores(&self, action: &Action<'_>) -> bool {
        let in_d_step = |inner: &Graph<'_>| inner.transitions.iter().any(|transition| self.stores(&transition.action));
        action.stored().any(|place| self.locals.contains(&place.variable)) || action.d_step().is_some_and(in_d_step)
    }
}
