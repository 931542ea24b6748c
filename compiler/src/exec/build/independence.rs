//! The results of the independence analyses, as tables and tests.

use super::{Context, changes_state};
use crate::analysis::actors::ActorId;
use crate::analysis::dependency_classes::ClassSet;
use crate::analysis::parts;
use crate::analysis::safe::{Condition, LocationSafety};
use crate::analysis::sets::Set;
use crate::analysis::stubborn::{self, Guard, StepRelations};
use crate::analysis::visibility::{Obstacle, ObstacleCause, Property, PropertyKind};
use crate::collections::{Id, IdVec};
use crate::exec::Test;
use crate::exec::effects::Executable;
use crate::exec::independence::{
    Cluster, Dependencies, Independence, Levels, LocationLevels, LocationSet, Part, Shared, Split, StepDependencies,
    Stubborn, Visibility,
};
use crate::ir::{Action, LocationId};
use crate::model::{BinaryOp, Expr, ExprKind, Probe, ProcessKind, ProctypeId, Side};

impl Context<'_> {
    /// Fails with the reason why every state must be fully expanded.
    pub fn independence(&self) -> Result<Independence, &'static str> {
        let reduction = &self.facts.reduction;
        if reduction.is_off() {
            return Err("the model looks at how processes are scheduled (priorities, _last, enabled, pc_value, np_)");
        }
        if self.program.model.trace.is_some() {
            return Err("the model has a trace, to which the order of sends and receives matters");
        }
        if self.options.loses_messages {
            return Err("whether a message is lost depends on the order of sender and receiver");
        }
        let model = self.program.model;
        let init = model.proctypes.ids().find(|id| model.proctypes[*id].kind == ProcessKind::Init);
        let is_beginning = |id: ProctypeId, at: LocationId| {
            Some(id) == init && self.facts.instances.is_beginning.get(at) == Some(&true)
        };
        let observed = reduction.processes.pids_are_observed.is_some();
        let never = (0..model.never.len()).map(PropertyKind::Never);
        let formulas = (0..model.formulas.len()).map(PropertyKind::Ltl);
        Ok(Independence {
            clusters: self.clusters(),
            beginning: self.location_set(is_beginning),
            sticky: self.location_set(|id, at| reduction.sticky[id][at]),
            pids_are_observed: observed,
            may_observe_pids: self.location_set(|id, at| observed && reduction.processes.may_observe_pids[id][at]),
            relies_on_promises: reduction.relies_on_promises(),
            claims: never.chain(formulas).map(|kind| self.visibility(self.property(kind))).collect(),
            acceptance: match self.property(PropertyKind::Acceptance) {
                // No process has such a label.
                None => Visibility::nothing(),
                some => self.visibility(some),
            },
            progress: self.visibility(self.property(PropertyKind::NonProgress)),
            levels: model.proctypes.ids().map(|id| self.shared(id, |actor| self.levels(id, actor))).collect(),
            stubborn: reduction.stubborn.as_ref().map(|stubborn| self.stubborn(stubborn)),
        })
    }

    /// The entries of the actors of a proctype; actors with equal entries share one.
    fn shared<T: PartialEq>(&self, id: ProctypeId, make: impl Fn(ActorId) -> T) -> Vec<Shared<T>> {
        let actors = &self.facts.reduction.actors;
        let mut all: Vec<Shared<T>> = Vec::new();
        for actor in &actors.of[id] {
            let pid = actors.list[*actor].pid;
            let of = make(*actor);
            match all.iter_mut().find(|other| other.of == of) {
                Some(same) => same.pids.iter_mut().for_each(|pids| pids.extend(pid)),
                None => all.push(Shared { pids: Some(pid.into_iter().collect()), of }),
            }
        }
        if let [only] = &mut all[..] {
            only.pids = None;
        }
        all
    }

    fn clusters(&self) -> Vec<Vec<Cluster>> {
        let reduction = &self.facts.reduction;
        let cluster = |block: &Set<ActorId>| {
            let mut cluster = Cluster { pids: [0; 4], proctypes: Vec::new() };
            for actor in block.iter().map(|actor| &reduction.actors.list[actor]) {
                match actor.pid {
                    Some(pid) => {
                        if let Some(word) = cluster.pids.get_mut(pid as usize / 64) {
                            *word |= 1 << (pid % 64);
                        }
                    }
                    None => cluster.proctypes.push(actor.proctype),
                }
            }
            cluster
        };
        // Sorted by their highest pid, the highest first; processes of a class have the highest pids of all.
        let highest = |block: &&Set<ActorId>| {
            block.iter().map(|actor| reduction.actors.list[actor].pid.unwrap_or(u32::MAX)).max()
        };
        let level = |level: &crate::analysis::clusters::Level| {
            let mut blocks: Vec<&Set<ActorId>> = level.blocks.iter().collect();
            blocks.sort_by_key(|block| std::cmp::Reverse(highest(block)));
            blocks.into_iter().map(cluster).collect()
        };
        reduction.clusters.levels.iter().skip(1).map(level).collect()
    }

    fn location_set(&self, is_in: impl Fn(ProctypeId, LocationId) -> bool) -> LocationSet {
        let mut words: Vec<u64> = Vec::new();
        for (id, graph) in self.program.graphs.iter_enumerated() {
            let first = self.program.first_location(id) as usize;
            for at in graph.locations.ids().filter(|at| is_in(id, *at)) {
                let number = first + at.index();
                words.resize(words.len().max(number / 64 + 1), 0);
                words[number / 64] |= 1 << (number % 64);
            }
        }
        words
    }

    fn property(&self, kind: PropertyKind) -> Option<&Property> {
        self.facts.reduction.properties.iter().find(|property| property.kind == kind)
    }

    fn visibility(&self, property: Option<&Property>) -> Visibility {
        let Some(property) = property else {
            return Visibility { off: Some("it is not known which steps are visible to it"), ..Visibility::nothing() };
        };
        let actors = &self.facts.reduction.actors;
        let visible = self.location_set(|id, at| actors.of[id].iter().any(|actor| property.visible[*actor][at]));
        match property.obstacles.first() {
            None => Visibility { visible, off: None, is_doubt: false, is_stutter_robust: property.is_stutter_robust },
            Some(Obstacle { cause, .. }) => Visibility {
                visible,
                off: Some(match cause {
                    ObstacleCause::Scheduling => "the claim looks at how processes are scheduled",
                    ObstacleCause::Next => "the formula has an X, so that it is not known to be stutter-closed",
                    ObstacleCause::NotStutterClosed => "the claim is not known to be stutter-closed",
                    ObstacleCause::TooManyConditions => {
                        "the claim has too many conditions to find out whether it is stutter-closed"
                    }
                    ObstacleCause::Untested => "there is no test of whether the claim is stutter-closed",
                }),
                is_doubt: matches!(cause, ObstacleCause::NotStutterClosed | ObstacleCause::TooManyConditions),
                is_stutter_robust: false,
            },
        }
    }

    fn levels(&self, id: ProctypeId, actor: ActorId) -> Levels {
        let inside = self.inside(id);
        let location = |safety: &LocationSafety| {
            let mut raised: Vec<(Test, u8)> =
                safety.conditions.iter().map(|condition| (inside.keeps_waiting(condition), condition.below)).collect();
            raised.dedup();
            let levels = [safety.plain, safety.fair, safety.plain_if_youngest, safety.fair_if_youngest];
            LocationLevels { levels, raised }
        };
        Levels { locations: self.facts.reduction.safety.locations[actor].iter().map(location).collect() }
    }

    /// A channel is full or empty, so that a step waits for a process on the other side.
    fn keeps_waiting(&self, condition: &Condition) -> Test {
        match condition.side {
            Side::Send => self.probe(Probe::Full, &condition.channel),
            Side::Receive => self.probe(Probe::Empty, &condition.channel),
        }
    }

    fn stubborn(&self, stubborn: &stubborn::Stubborn) -> Stubborn {
        let proctypes = || self.program.model.proctypes.ids();
        let future = |id| self.shared(id, |actor| stubborn.future[actor].clone());
        let dependencies = |id| self.shared(id, |actor| self.dependencies(stubborn, id, actor));
        Stubborn {
            n_words: stubborn.n_words().max(1),
            future: proctypes().map(future).collect(),
            dependencies: proctypes().map(dependencies).collect(),
            splits: stubborn.splits.iter().map(|split| self.split(stubborn, split)).collect(),
        }
    }

    fn dependencies(
        &self,
        stubborn: &stubborn::Stubborn,
        id: ProctypeId,
        actor: ActorId,
    ) -> IdVec<LocationId, Dependencies> {
        let inside = self.inside(id);
        let graph = &self.program.graphs[id];
        let at_location = |(at, relations): (LocationId, &stubborn::LocationRelations)| {
            if relations.is_everything {
                return Dependencies::Everything;
            }
            let location = &graph.locations[at];
            let leaving = location.escapes.iter().flatten().chain(&location.leaving).filter(|_| !relations.is_whole);
            let steps = leaving.filter_map(|number| {
                let relations = stubborn.steps[actor][*number].as_ref()?;
                Some((&graph.transitions[*number].action, relations))
            });
            inside.of_steps(relations.always.clone(), steps)
        };
        stubborn.locations[actor].iter_enumerated().map(at_location).collect()
    }

    fn split(&self, stubborn: &stubborn::Stubborn, split: &parts::Split) -> Split {
        let id = self.facts.reduction.actors.list[split.actor].proctype;
        let graph = &self.program.graphs[id];
        let part = |part: &parts::ProcessPart| {
            let steps = part.transitions.iter().filter_map(|number| {
                let relations = stubborn.steps[split.actor][*number].as_ref()?;
                Some((&graph.transitions[*number].action, relations))
            });
            let always = stubborn.locations[split.actor][split.at].always.clone();
            let dependencies = self.inside(id).of_steps(always, steps);
            Part { transitions: part.transitions.clone(), future: part.future.clone(), dependencies }
        };
        Split { proctype: id, pid: split.pid, at: split.at, parts: split.parts.iter().map(part).collect() }
    }

    fn of_steps<'s, 'm: 's>(
        &self,
        mut always: ClassSet,
        steps: impl Iterator<Item = (&'s Action<'m>, &'s StepRelations)>,
    ) -> Dependencies {
        let steps = steps.filter_map(|(action, relations)| self.of_step(action, relations, &mut always)).collect();
        Dependencies::Some { always, steps }
    }

    /// The dependencies of one step. Those that do not change with the state go to `always`.
    fn of_step(&self, action: &Action<'_>, step: &StepRelations, always: &mut ClassSet) -> Option<StepDependencies> {
        let mut disabled = self.disabled(action, step);
        let is_same = |(_, bit_set): &(Test, ClassSet)| *bit_set == step.enabled;
        if disabled.is_empty() || disabled.iter().all(is_same) {
            // Whether the step is enabled is not known here, or makes no difference.
            always.add_all(&step.enabled);
            if disabled.is_empty() {
                always.add_all(&step.disabled);
            }
            return None;
        }
        // A last test that makes no difference is left out, unless it may be a fault.
        while disabled.last().is_some_and(|reason| is_same(reason) && !reason.0.effects().can_fail) {
            disabled.pop();
        }
        Some(StepDependencies { disabled, enabled: step.enabled.clone() })
    }

    /// Why a step may be disabled, as far as a state can tell.
    fn disabled(&self, action: &Action<'_>, step: &StepRelations) -> Vec<(Test, ClassSet)> {
        match (&step.guards[..], action) {
            ([Guard::Room { channel, bit_set }], Action::Send { .. }) => {
                vec![(self.probe(Probe::Full, channel), bit_set.clone())]
            }
            ([Guard::Message { channel, empty, other }], Action::Receive { random, pattern, .. }) => vec![
                (self.probe(Probe::Empty, channel), empty.clone()),
                (self.poll(channel, *random, pattern).negated(), other.clone()),
            ],
            ([Guard::Youngest { bit_set }], Action::End) => vec![(Test::IsYoungest.negated(), bit_set.clone())],
            (guards, Action::Condition(condition)) if !changes_state(condition) => {
                let sets = guards.iter().map(|guard| match guard {
                    Guard::Condition { bit_set, .. } => Some(bit_set.clone()),
                    Guard::Room { .. } | Guard::Message { .. } | Guard::Partner { .. } | Guard::Youngest { .. } => None,
                });
                let Some(sets) = sets.collect::<Option<Vec<ClassSet>>>() else { return Vec::new() };
                conjuncts(condition).into_iter().map(|part| self.test(part).negated()).zip(sets).collect()
            }
            (
                _,
                Action::Condition(_)
                | Action::Else
                | Action::Jump
                | Action::Assign { .. }
                | Action::Send { .. }
                | Action::Receive { .. }
                | Action::Assert(_)
                | Action::Print(_)
                | Action::Event { .. }
                | Action::DStep(_)
                | Action::End,
            ) => Vec::new(),
        }
    }
}

/// The operands of the outermost `&&`, from the left.
fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        _ => vec![condition],
    }
}
