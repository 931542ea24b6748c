//! Processes that split into parts.
//!
//! A process that never leaves a location once it is there (`do :: a?_ :: b?_ od`) is equivalent to one process for
//! each of its options, as long as these are independent: no variable of its own that one writes and another uses, and
//! no dependent operations on shared objects. Then a stubborn set may contain one of them without the others. Errs
//! towards one part.

use super::actors::ActorId;
use super::dependency_classes::ClassSet;
use super::points_to::Context;
use super::steps::Steps;
use super::stubborn::{LocationRelations, StepRelations};
use super::uses::Uses;
use crate::collections::IdVec;
use crate::ir::{Action, LocationId, Transition, TransitionId, visit};
use crate::model::{Expr, ExprKind, Owner, Pattern, ProctypeId, Target, VariableId};

/// The parts of a process at a location.
#[derive(Clone, Debug)]
pub struct Split {
    pub actor: ActorId,
    pub pid: u32,
    pub at: LocationId,
    /// Two at least.
    pub parts: Vec<ProcessPart>,
}

#[derive(Clone, Debug)]
pub struct ProcessPart {
    pub transitions: Vec<TransitionId>,
    /// The dependency classes of what it may do, now and later.
    pub future: ClassSet,
}

/// The greatest number of parts in all that the runtime allows.
const MOST_PARTS: usize = 64;

pub(super) struct PartsInput<'a, 'm> {
    pub context: &'a Context<'a, 'm>,
    pub uses: &'a Uses,
    pub steps: &'a IdVec<ProctypeId, Steps>,
    pub done: &'a IdVec<ActorId, IdVec<TransitionId, ClassSet>>,
    pub locations: &'a IdVec<ActorId, IdVec<LocationId, LocationRelations>>,
    pub relations: &'a IdVec<ActorId, IdVec<TransitionId, Option<StepRelations>>>,
}

pub(super) fn analyze(input: &PartsInput<'_, '_>) -> Vec<Split> {
    let mut splits: Vec<Split> = Vec::new();
    let mut n_parts = 0;
    for (actor, one) in input.context.actors.list.iter_enumerated() {
        let Some(pid) = one.pid else { continue };
        for at in input.context.program.graphs[one.proctype].locations.ids() {
            let parts = input.parts(actor, at);
            if parts.len() > 1 && n_parts + parts.len() <= MOST_PARTS {
                n_parts += parts.len();
                splits.push(Split { actor, pid, at, parts });
            }
        }
    }
    splits
}

impl PartsInput<'_, '_> {
    fn parts(&self, actor: ActorId, at: LocationId) -> Vec<ProcessPart> {
        let proctype = self.context.actors.list[actor].proctype;
        let graph = &self.context.program.graphs[proctype];
        let location = &graph.locations[at];
        let relations = &self.locations[actor][at];
        let is_plain = location.escapes.is_empty()
            && !relations.is_everything
            && !relations.is_whole
            && self.uses.provided[actor].accesses.is_empty()
            && self.context.program.model.proctypes[proctype].provided.is_none();
        if !is_plain {
            return Vec::new();
        }
        let mut groups: Vec<Group> = Vec::new();
        for id in location.leaving.iter().copied() {
            if !self.context.reach[actor].transitions[id] {
                continue;
            }
            let transition = &graph.transitions[id];
            let stays = transition.to == Some(at)
                && !transition.keeps_control
                && transition.merged.is_empty()
                && self.steps[proctype].compounds[id].inner.is_empty();
            let (true, Some(own), Some(relations)) = (stays, self.own(transition), &self.relations[actor][id]) else {
                return Vec::new();
            };
            let mut dependencies = relations.enabled.clone();
            dependencies.add_all(&relations.disabled);
            let group = Group { transitions: vec![id], own, done: self.done[actor][id].clone(), dependencies };
            let (joined, mut rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(|other| group.concerns(other));
            rest.push(joined.into_iter().fold(group, Group::join));
            groups = rest;
        }
        groups.into_iter().map(|group| ProcessPart { transitions: group.transitions, future: group.done }).collect()
    }

    /// The process's own variables in a statement, and whether it writes them. Nothing for statements that are not simple.
    fn own(&self, transition: &Transition<'_>) -> Option<Vec<(VariableId, bool)>> {
        let mut found: Vec<(VariableId, bool)> = Vec::new();
        match &transition.action {
            Action::Condition(_) | Action::Print(_) | Action::Assert(_) => {}
            Action::Assign { target: Target::Place(place), .. } => found.push((place.variable, true)),
            Action::Assign { target: Target::Several(places), .. } => {
                found.extend(places.iter().map(|place| (place.variable, true)));
            }
            Action::Assign { target: Target::Ignore, .. } => {}
            Action::Send { channel, .. } => found.push((channel.place.variable, false)),
            Action::Receive { channel, pattern, .. } => {
                found.push((channel.place.variable, false));
                found.extend(pattern.iter().filter_map(|field| match field {
                    Pattern::Store(place) => Some((place.variable, true)),
                    Pattern::Equal(_) | Pattern::Ignore => None,
                }));
            }
            Action::Assign { target: Target::Priority, .. }
            | Action::Else
            | Action::Jump
            | Action::Event { .. }
            | Action::DStep(_)
            | Action::End => return None,
        }
        let mut is_simple = true;
        visit::action_expressions(&transition.action, &mut |expression: &Expr| match &expression.kind {
            ExprKind::Read(place) => found.push((place.variable, false)),
            ExprKind::Probe(_, channel) => found.push((channel.place.variable, false)),
            ExprKind::Constant(_)
            | ExprKind::Pid
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Host(_) => {}
            ExprKind::Run { .. }
            | ExprKind::Poll { .. }
            | ExprKind::Timeout
            | ExprKind::ProcessCount
            | ExprKind::Last
            | ExprKind::NonProgress
            | ExprKind::Priority
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::SetPriority(..)
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVariable { .. } => is_simple = false,
        });
        found.retain(|(variable, _)| self.context.program.model.variables[*variable].owner != Owner::Global);
        is_simple.then_some(found)
    }
}

/// Options of a location that depend on each other.
struct Group {
    transitions: Vec<TransitionId>,
    own: Vec<(VariableId, bool)>,
    done: ClassSet,
    dependencies: ClassSet,
}

impl Group {
    fn concerns(&self, other: &Group) -> bool {
        let shares = |(variable, is_written): &(VariableId, bool)| {
            other.own.iter().any(|(of, writes)| of == variable && (*is_written || *writes))
        };
        self.own.iter().any(shares) || self.dependencies.meets(&other.done) || other.dependencies.meets(&self.done)
    }

    fn join(mut self, other: Group) -> Group {
        self.transitions.extend(other.transitions);
        self.transitions.sort_unstable();
        self.own.extend(other.own);
        self.done.add_all(&other.done);
        self.dependencies.add_all(&other.dependencies);
        self
    }
}
