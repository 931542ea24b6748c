//! The processes that are known one by one: those of the initial state, and those that the beginning of `init` starts,
//! each with its pid and its arguments.
//!
//! `beginning.rs` executes the beginning of `init` as long as it is deterministic. Errs towards fewer: any other `run`
//! makes its proctype *dynamic*, and single processes of a dynamic proctype are not known.

use super::beginning;
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, Program, TransitionId, visit};
use crate::model::{ExprKind, ProcessKind, ProctypeId, SiteId, VariableId};

#[derive(Clone, Debug)]
pub struct Instances {
    /// Every process of every proctype that is not dynamic, by ascending pid: its proctype and its pid identify it.
    /// Those that `init` starts may come late, and never if it blocks before.
    pub fixed: Vec<Instance>,
    /// More processes of it may be started than are listed, or their pids are not known. None of its processes is
    /// listed.
    pub is_dynamic: IdVec<ProctypeId, bool>,
    /// For each location of `init` whether its beginning may still continue there, so that an instance may be missing.
    /// Empty if there is no `init`. At a location where this is false, everything that the beginning starts has been
    /// started.
    pub is_beginning: IdVec<LocationId, bool>,
    /// How often a `run` outside of the beginning can be executed follows from the
    /// graphs; these are the ones in it, by proctype.
    pub started_at_first: IdVec<ProctypeId, u32>,
    /// For each transition of `init` whether it can be taken after the beginning.
    pub is_later: IdVec<TransitionId, bool>,
}

/// One process that is known by its pid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub proctype: ProctypeId,
    pub pid: u32,
    /// The parameters whose first value is known, already cut to their type. (Of a
    /// channel the number 0 means none: `active proctype p(chan c)`.)
    pub arguments: Vec<(VariableId, KnownValue)>,
    /// The transition of `init` that starts it; `None` for a process of the initial state.
    pub run: Option<TransitionId>,
}

/// A value that is known before the model runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownValue {
    Number(i32),
    /// The channel of that number among those that a declaration makes.
    Channel(SiteId, u32),
}

pub(super) fn analyze(program: &Program<'_>, is_fixed_channel: &IdVec<VariableId, bool>) -> Instances {
    let model = program.model;
    let init = model.proctypes.iter_enumerated().find(|(_, process)| process.kind == ProcessKind::Init);
    let init = init.map(|(id, _)| id).filter(|id| model.initial.iter().filter(|of| *of == id).count() == 1);
    let beginning = init.map(|init| beginning::follow(program, init, is_fixed_channel));

    let mut is_dynamic: IdVec<ProctypeId, bool> = program.graphs.iter().map(|_| false).collect();
    let mut started_at_first: IdVec<ProctypeId, u32> = program.graphs.iter().map(|_| 0).collect();
    let is_later = match (init, &beginning) {
        (Some(init), Some(beginning)) => later_transitions(&program.graphs[init], beginning.end),
        _ => IdVec::new(),
    };
    for (by, graph) in program.graphs.iter_enumerated() {
        for (id, transition) in graph.transitions.iter_enumerated() {
            let is_followed = Some(by) == init && !is_later[id];
            visit::action_expressions(&transition.action, &mut |expression| {
                if let ExprKind::Run { proctype, .. } = expression.kind
                    && !is_followed
                {
                    is_dynamic[proctype] = true;
                }
            });
        }
    }
    let mut fixed: Vec<Instance> = model.initial.iter().zip(0..).map(|(of, pid)| active(program, *of, pid)).collect();
    let mut is_beginning = IdVec::new();
    if let Some(beginning) = beginning {
        for started in beginning.started {
            started_at_first[started.proctype] += 1;
            match started.pid {
                Some(pid) => fixed.push(Instance {
                    proctype: started.proctype,
                    pid,
                    arguments: started.arguments,
                    run: Some(started.run),
                }),
                None => is_dynamic[started.proctype] = true,
            }
        }
        is_beginning = beginning.visited;
    }
    fixed.retain(|instance| !is_dynamic[instance.proctype]);
    Instances { fixed, is_dynamic, is_beginning, started_at_first, is_later }
}

/// A process of the initial state: its parameters are 0.
fn active(program: &Program<'_>, proctype: ProctypeId, pid: u32) -> Instance {
    let parameters = program.model.proctypes[proctype].parameters.iter();
    let arguments = parameters.map(|parameter| (*parameter, KnownValue::Number(0))).collect();
    Instance { proctype, pid, arguments, run: None }
}

/// The locations that are reachable from the end of the beginning.
fn later_transitions(graph: &Graph<'_>, end: LocationId) -> IdVec<TransitionId, bool> {
    let mut is_later: IdVec<TransitionId, bool> = graph.transitions.iter().map(|_| false).collect();
    let mut is_seen: IdVec<LocationId, bool> = graph.locations.iter().map(|_| false).collect();
    let mut waiting = vec![end];
    is_seen[end] = true;
    while let Some(at) = waiting.pop() {
        let location = &graph.locations[at];
        for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
            is_later[*transition] = true;
            if let Some(to) = graph.transitions[*transition].to
                && !is_seen[to]
            {
                is_seen[to] = true;
                waiting.push(to);
            }
        }
    }
    is_later
}

/// Whether a process can end.
pub(super) fn can_end(graph: &Graph<'_>) -> bool {
    graph.transitions.iter().any(|transition| matches!(transition.action, Action::End))
}

/// Whether a process can start others.
pub(super) fn can_run(graph: &Graph<'_>) -> bool {
    let mut found = false;
    visit::graph_expressions(graph, &mut |expression| found |= matches!(expression.kind, ExprKind::Run { .. }));
    found
}
