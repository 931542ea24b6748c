//! A bound on the number of processes.
//!
//! Errs towards more. The bound of a proctype is the number of its active instances plus, for each `run` of it, how
//! often that can be executed: in the beginning of `init` as often as it is, else once per instance of the process that
//! contains it, unless the `run` lies on a cycle.

use super::Instances;
use super::components::components;
use crate::collections::{Id, IdVec};
use crate::ir::visit;
use crate::ir::{Graph, LocationId, Program};
use crate::model::{ExprKind, ProcessKind, ProctypeId};

/// More processes than this are kept in a growing list instead of an array, unless each is known by its pid.
pub const LARGEST_ARRAY: u32 = 32;

/// The greatest number of processes in a model.
pub const MOST_PROCESSES: u32 = 255;

#[derive(Clone, Debug)]
pub struct Population {
    /// The greatest number of processes at once; `None` if no useful bound is known.
    pub bound: Option<u32>,
    /// The greatest number of processes of each proctype in one run; `None` if there is no bound.
    pub started: IdVec<ProctypeId, Option<u32>>,
}

impl Population {
    /// The same for states without fixed positions: an array of many processes is not worth its size.
    pub(super) fn forget_many(&mut self) {
        self.bound = self.bound.filter(|bound| *bound <= LARGEST_ARRAY);
    }
}

pub(super) fn analyze(program: &Program<'_>, instances: &Instances) -> Population {
    let runs = runs(program, instances);
    let active = |id: ProctypeId| {
        let initial = program.model.initial.iter().filter(|started| **started == id).count() as u64;
        initial + u64::from(instances.started_at_first[id])
    };
    let mut counts: IdVec<ProctypeId, u64> = program.graphs.ids().map(active).collect();
    for round in 0.. {
        let mut next: IdVec<ProctypeId, u64> = program.graphs.ids().map(active).collect();
        for run in &runs {
            let started = if run.repeats && counts[run.by] > 0 { MANY } else { counts[run.by] };
            next[run.of] = next[run.of].saturating_add(started).min(MANY);
        }
        for id in program.graphs.ids() {
            // A number that still grows after as many rounds as there are proctypes comes from a cycle of runs.
            let grows_for_ever = next[id] > counts[id] && round > program.graphs.len();
            next[id] = if grows_for_ever { MANY } else { next[id].max(counts[id]) };
        }
        if next == counts {
            break;
        }
        counts = next;
    }
    let total = counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    // Of many processes that come and go few may be there at once, and a growing list is shorter then.
    let are_known = instances.fixed.len() as u64 == total;
    let most = if are_known { MOST_PROCESSES } else { LARGEST_ARRAY };
    let bound = u32::try_from(total).ok().filter(|total| *total <= most);
    Population { bound, started: counts.iter().map(|count| u32::try_from(*count).ok()).collect() }
}

/// Stands for any number.
const MANY: u64 = 1 << 32;

struct RunSite {
    by: ProctypeId,
    of: ProctypeId,
    repeats: bool,
}

/// The `run`s outside of the beginning of `init`.
fn runs(program: &Program<'_>, instances: &Instances) -> Vec<RunSite> {
    let mut runs = Vec::new();
    for (by, graph) in program.graphs.iter_enumerated() {
        let mut on_cycle = None;
        let is_init = program.model.proctypes[by].kind == ProcessKind::Init;
        for (id, transition) in graph.transitions.iter_enumerated() {
            if is_init && instances.is_later.get(id) == Some(&false) {
                continue;
            }
            visit::action_expressions(&transition.action, &mut |expression| {
                if let ExprKind::Run { proctype: of, .. } = expression.kind {
                    let on_cycle = on_cycle.get_or_insert_with(|| on_cycle_of(graph));
                    runs.push(RunSite { by, of, repeats: on_cycle[id.index()] });
                }
            });
        }
    }
    runs
}

/// Whether each transition is on a cycle: it leaves and enters one strongly connected component.
fn on_cycle_of(graph: &Graph<'_>) -> Vec<bool> {
    let component = components(graph.locations.len(), |at| {
        let location = &graph.locations[LocationId::from_index(at)];
        let leaving = location.leaving.iter().chain(location.escapes.iter().flatten());
        leaving.filter_map(|transition| graph.transitions[*transition].to).map(Id::index).collect()
    });
    let mut on_cycle = vec![false; graph.transitions.len()];
    for (from, location) in graph.locations.iter_enumerated() {
        for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
            let to = graph.transitions[*transition].to;
            on_cycle[transition.index()] |= to.is_some_and(|to| component[to.index()] == component[from.index()]);
        }
    }
    on_cycle
}
