//! Creation and end of processes: whether their order is observable.
//!
//! Two orders of creation give states that differ in pids alone. If the model does not observe pids, `run` and the end
//! of a process are independent of all other steps. If it does, the table of processes is an object like any other.
//! Errs towards observable.

use super::actors::Actors;
use super::instances::Instances;
use super::steps;
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, Program, visit};
use crate::model::{Expr, ExprKind, Init, Owner, ProcessKind, ProctypeId, Variable};
use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Processes {
    /// The first place found where pids are observed; `None` if there is none.
    pub pids_are_observed: Option<(PidUse, Span)>,
    /// For each location whether a `run`, a read of `_nr_pr` or a reference by pid can still come, here or later. If
    /// pids are observed, `run` and the end of a process are safe if it is the youngest and this holds for no other
    /// process.
    pub may_observe_pids: IdVec<ProctypeId, IdVec<LocationId, bool>>,
}

/// How a pid, or the number of processes, is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PidUse {
    /// `_nr_pr`
    Count,
    /// The value of a `run`.
    RunValue,
    /// `_pid` in a process that is not known by its pid.
    OwnPid,
    /// A reference to another process: `P[i]@here`, `P:x`. It matters only if pids can be reused, or if it may mean
    /// several processes.
    Reference,
}

impl Processes {
    pub(super) fn new(program: &Program<'_>, instances: &Instances, actors: &Actors) -> Self {
        let mut observed: Option<(PidUse, Span)> = None;
        let mut see = |pid_use: PidUse, span: Span| {
            observed.get_or_insert((pid_use, span));
        };
        let model = program.model;
        // If every process is known by its pid, only their number depends on the order.
        let is_by_name =
            |proctype: ProctypeId| matches!(actors.of[proctype][..], [only] if !actors.list[only].is_class());
        let looks = |expression: &Expr| {
            looks(expression).filter(|_| match &expression.kind {
                ExprKind::RemoteLabel { proctype, pid, .. } | ExprKind::RemoteVariable { proctype, pid, .. } => {
                    actors.has_classes() && (pid.is_some() || !is_by_name(*proctype))
                }
                _ => true,
            })
        };
        for (id, graph) in program.graphs.iter_enumerated().filter(|(id, _)| !actors.of[*id].is_empty()) {
            let is_init = model.proctypes[id].kind == ProcessKind::Init;
            for (number, transition) in graph.transitions.iter_enumerated() {
                // The pids of processes that the beginning of `init` starts are known.
                let is_beginning = is_init && instances.is_later.get(number) == Some(&false);
                let statement = transition.action.condition();
                visit::action_expressions(&transition.action, &mut |expression| {
                    let is_statement = statement.is_some_and(|statement| std::ptr::eq(statement, expression));
                    if let ExprKind::Run { proctype, .. } = expression.kind
                        && !is_statement
                        && (!is_beginning || instances.is_dynamic[proctype])
                    {
                        see(PidUse::RunValue, expression.span);
                    }
                });
            }
            let is_dynamic = instances.is_dynamic[id];
            let mut expression = |expression: &Expr| match looks(expression) {
                Some(PidUse::OwnPid) if !is_dynamic => {}
                Some(pid_use) => see(pid_use, expression.span),
                None => {}
            };
            visit::graph_expressions(graph, &mut expression);
            model.proctypes[id].provided.iter().for_each(|provided| visit::expression(provided, &mut expression));
        }
        for variable in &model.variables {
            let is_dynamic = match variable.owner {
                Owner::Proctype(owner) => instances.is_dynamic[owner],
                Owner::Global | Owner::Never(_) => false,
            };
            for value in initial_values(variable) {
                visit::expression(value, &mut |expression| match looks(expression) {
                    Some(PidUse::OwnPid) if !is_dynamic => {}
                    Some(pid_use) => see(pid_use, expression.span),
                    None => {}
                });
            }
        }
        visit::claim_expressions(program, &mut |expression| match looks(expression) {
            Some(PidUse::OwnPid) | None => {}
            Some(pid_use) => see(pid_use, expression.span),
        });
        let may_observe_pids = program.graphs.iter_enumerated().map(|(id, graph)| {
            let is_suspended = model.proctypes[id].provided.as_ref().is_some_and(looks_inside);
            may_observe_pids(graph, is_suspended)
        });
        Self { may_observe_pids: may_observe_pids.collect(), pids_are_observed: observed }
    }
}

/// The computation of the initial value of a variable.
pub(super) fn initial_values(variable: &Variable) -> &[Expr] {
    match &variable.init {
        Init::All(value) => std::slice::from_ref(value),
        Init::List(values) => values,
        Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => &[],
    }
}

fn looks(expression: &Expr) -> Option<PidUse> {
    match &expression.kind {
        ExprKind::ProcessCount => Some(PidUse::Count),
        ExprKind::Pid => Some(PidUse::OwnPid),
        ExprKind::RemoteLabel { .. } | ExprKind::RemoteVariable { .. } => Some(PidUse::Reference),
        _ => None,
    }
}

/// Whether `_nr_pr` or a reference occurs in it.
fn looks_inside(whole: &Expr) -> bool {
    let mut found = false;
    visit::expression(whole, &mut |expression| {
        found |= matches!(looks(expression), Some(PidUse::Count | PidUse::Reference));
    });
    found
}

/// Backwards from each `run`, read of `_nr_pr` and reference.
fn may_observe_pids(graph: &Graph<'_>, always: bool) -> IdVec<LocationId, bool> {
    let does = |action: &Action<'_>| {
        let mut found = false;
        visit::action_expressions(action, &mut |expression| {
            found |= matches!(expression.kind, ExprKind::Run { .. })
                || matches!(looks(expression), Some(PidUse::Count | PidUse::Reference));
        });
        found
    };
    let here = |at: LocationId| steps::leaving(graph, at).any(|id| does(&graph.transitions[id].action));
    let mut may: IdVec<LocationId, bool> = graph.locations.ids().map(|at| always || here(at)).collect();
    let mut before: IdVec<LocationId, Vec<LocationId>> = graph.locations.iter().map(|_| Vec::new()).collect();
    for at in graph.locations.ids() {
        for to in steps::leaving(graph, at).filter_map(|id| graph.transitions[id].to) {
            before[to].push(at);
        }
    }
    let mut waiting: Vec<LocationId> = may.iter_enumerated().filter(|(_, may)| **may).map(|(at, _)| at).collect();
    while let Some(at) = waiting.pop() {
        for from in &before[at] {
            if !may[*from] {
                may[*from] = true;
                waiting.push(*from);
            }
        }
    }
    may
}
