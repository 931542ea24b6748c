//! Processes: what is the same for all of a proctype, and the behaviour of each.

use pmc_runtime::step::{Pid, TransitionId as RunTransitionId};

use super::super::code::Field;
use super::super::layout::Form;
use super::super::program::{Behaviour, Behaviours, Choice, Exits, Location, Process};
use super::Lowering;
use super::transition::{Graph, LoweredTransition};
use crate::collections::{Id, IdVec};
use crate::exec::{self, Place};
use crate::ir::TransitionId;
use crate::model::ProctypeId;

/// Each process has code of its own only if all have fewer transitions than this: a verdict must not wait for it.
const MOST_TRANSITIONS: usize = 20_000;

impl Lowering<'_> {
    pub fn process(&mut self, id: ProctypeId) -> Process {
        let program = self.program;
        let (graph, executed) = (&program.graphs[id], &self.exec.processes[id]);
        let place = Graph { process: Some(id), graph, first: program.first_transition(id) };
        let numbers: IdVec<TransitionId, u32> = place.numbers();
        let locations = graph.locations.iter_enumerated().map(|(at, location)| {
            let leaving = executed.locations[at].groups.iter().flatten();
            Location {
                leaving: leaving.map(|id| (id.index(), RunTransitionId(numbers[*id]))).collect(),
                number: i32::try_from(location.number).unwrap_or(i32::MAX),
                is_end: location.is_end,
                is_accepting: location.is_accept,
                is_progress: location.is_progress,
            }
        });
        let locations = locations.collect();
        let model = program.model;
        let parameters = model.parameter_scalars(id);
        let parameters = parameters.iter().map(|scalar| {
            let (variable, path, ty) = (scalar.variable, scalar.path.clone(), scalar.ty);
            let place = Place { owner: exec::Owner::Own, variable, path, indices: Vec::new(), ty };
            self.layout.variables[variable].as_ref()?;
            self.field_of(&place).filter(|field| field.bits > 0)
        });
        let parameters: Vec<Option<Field>> = parameters.collect();
        let initial = self.initial(&executed.initial, model.proctypes[id].locals.iter().copied());
        Process {
            locations,
            start: graph.start.index(),
            first_location: program.first_location(id) as usize,
            parameters,
            initial,
            channels: self.channel_parts(&self.facts.layout.processes[id].sites),
        }
    }

    /// Where a pid determines the proctype, each process has code of its own.
    pub fn behaviours(&mut self) -> Behaviours {
        let is_known = matches!(self.layout.form, Form::Fixed { .. }) && self.layout.kind.is_none();
        let of_pids: Vec<ProctypeId> = self.layout.slots.iter().map(|slot| slot.proctype).collect();
        let n_transitions: usize = of_pids.iter().map(|id| self.exec.processes[*id].transitions.len()).sum();
        if is_known && n_transitions < MOST_TRANSITIONS {
            let of_pid = |(pid, id): (usize, &ProctypeId)| {
                self.pid = Some(Pid::from_index(pid));
                self.behaviour(*id)
            };
            let all = of_pids.iter().enumerate().map(of_pid).collect();
            self.pid = None;
            return Behaviours::ByPid(all);
        }
        Behaviours::ByProctype(self.program.model.proctypes.ids().map(|id| self.behaviour(id)).collect())
    }

    fn behaviour(&mut self, id: ProctypeId) -> Behaviour {
        let program = self.program;
        let (graph, executed) = (&program.graphs[id], &self.exec.processes[id]);
        let place = Graph { process: Some(id), graph, first: program.first_transition(id) };
        let numbers = place.numbers();
        let lowered: IdVec<TransitionId, LoweredTransition> = executed
            .transitions
            .iter_enumerated()
            .map(|(at, it)| self.transition(place, (at, numbers[at]), it))
            .collect();
        let provided = executed.provided.as_ref().map(|test| self.test(test));
        let exits = graph.locations.ids().map(|at| exits(&executed.locations[at].groups, &lowered)).collect();
        let location = self.layout.location[id].map(|bits| self.own_bits(bits).raw());
        Behaviour { location, provided, first_transition: RunTransitionId(program.first_transition(id)), exits }
    }
}

/// The choices of a location, group after group.
fn exits(groups: &[Vec<TransitionId>], lowered: &IdVec<TransitionId, LoweredTransition>) -> Exits {
    let mut exits = Exits::default();
    for (group, ids) in groups.iter().enumerate() {
        let of = ids.iter().map(|id| &lowered[*id]);
        let in_group = |choice: &Choice| Choice { group, ..choice.clone() };
        exits.choices.extend(of.clone().flat_map(|lowered| &lowered.choices).map(in_group));
        exits.answers.extend(of.filter_map(|lowered| lowered.answer.as_ref()).map(in_group));
    }
    exits
}
