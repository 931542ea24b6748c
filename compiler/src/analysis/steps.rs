//! The step graph: the statements of each step, and the locations where control can rest.
//!
//! A statement that keeps control (`atomic`) is followed by others in the same step, so a step that begins with it can
//! execute all of them, up to the end of the sequence or to a location where it blocks. Errs towards more: more
//! statements in one step, more locations of rest.

use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, Program, Transition, TransitionId, visit};
use crate::model::{BinaryOp, ExprKind, ProctypeId, SiteId, Target};

/// The steps of one proctype.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Whether control can rest here while others move.
    pub may_rest: IdVec<LocationId, bool>,
    pub compounds: IdVec<TransitionId, Compound>,
}

/// All that can happen in a step that begins with a transition.
#[derive(Clone, Debug)]
pub struct Compound {
    /// The other transitions that can run in it, ascending.
    pub inner: Vec<TransitionId>,
    /// Where control can rest afterwards, ascending. Empty if the process ends.
    pub rests: Vec<LocationId>,
    /// A statement of it may be executed twice.
    pub repeats: bool,
}

impl Steps {
    pub(super) fn new(program: &Program<'_>, proctype: ProctypeId) -> Self {
        let graph = &program.graphs[proctype];
        let is_rendezvous = |site: &SiteId| program.model.sites[*site].is_rendezvous();
        let is_suspended = program.model.proctypes[proctype].provided.is_some();
        let can_block = |at: LocationId| is_suspended || !goes_on(graph, at);
        // A rendezvous hands control to the receiver.
        let hands_over = |transition: &Transition<'_>| matches!(transition.action, Action::Send { channel, .. } if channel.sites.iter().any(is_rendezvous));
        let mut may_rest: IdVec<LocationId, bool> = graph.locations.iter().map(|_| false).collect();
        may_rest[graph.start] = true;
        for transition in &graph.transitions {
            if let Some(to) = transition.to {
                may_rest[to] |= !transition.keeps_control || hands_over(transition) || can_block(to);
            }
        }
        // A transition that leaves only locations where control never rests begins no step.
        let mut begins: IdVec<TransitionId, bool> = graph.transitions.iter().map(|_| false).collect();
        for at in graph.locations.ids().filter(|at| may_rest[*at]) {
            leaving(graph, at).for_each(|id| begins[id] = true);
        }
        let compound = |id: TransitionId| match begins[id] {
            true => compound(graph, id, &may_rest),
            false => Compound { inner: Vec::new(), rests: Vec::new(), repeats: false },
        };
        let compounds = graph.transitions.ids().map(compound).collect();
        Self { may_rest, compounds }
    }
}

/// The transitions of a location: escapes first, as they are tried first.
pub(super) fn leaving<'g>(graph: &'g Graph<'_>, at: LocationId) -> impl Iterator<Item = TransitionId> + use<'g> {
    let location = &graph.locations[at];
    location.escapes.iter().flatten().chain(&location.leaving).copied()
}

fn compound(graph: &Graph<'_>, first: TransitionId, may_rest: &IdVec<LocationId, bool>) -> Compound {
    let transition = &graph.transitions[first];
    let mut rests: Vec<LocationId> = Vec::new();
    let Some(to) = transition.to else { return Compound { inner: Vec::new(), rests, repeats: false } };
    if !transition.keeps_control {
        return Compound { inner: Vec::new(), rests: vec![to], repeats: false };
    }
    let mut inner = Vec::new();
    let mut is_done: IdVec<LocationId, Option<bool>> = graph.locations.iter().map(|_| None).collect();
    let mut repeats = false;
    // Depth first; a location whose value is `Some(false)` is on the path.
    let mut path = vec![(to, leaving(graph, to).collect::<Vec<_>>())];
    is_done[to] = Some(false);
    while let Some((at, waiting)) = path.last_mut() {
        let Some(id) = waiting.pop() else {
            if may_rest[*at] {
                rests.push(*at);
            }
            is_done[*at] = Some(true);
            path.pop();
            continue;
        };
        inner.push(id);
        repeats |= id == first;
        let transition = &graph.transitions[id];
        let Some(next) = transition.to else { continue };
        match is_done[next] {
            _ if !transition.keeps_control => rests.push(next),
            None => {
                is_done[next] = Some(false);
                path.push((next, leaving(graph, next).collect()));
            }
            Some(false) => repeats = true,
            Some(true) => {}
        }
    }
    inner.sort_unstable();
    inner.dedup();
    rests.sort_unstable();
    rests.dedup();
    Compound { inner, rests, repeats }
}

/// Whether control at these transitions never blocks: one is always enabled, or there is an `else` and no condition
/// beside it can fail.
fn goes_on(graph: &Graph<'_>, at: LocationId) -> bool {
    let transitions = || graph.locations[at].leaving.iter().map(|id| &graph.transitions[*id]);
    let is_plain = |transition: &Transition<'_>| match &transition.action {
        Action::Condition(_) => is_without_fault(&transition.action),
        Action::Else => true,
        Action::Jump
        | Action::Assign { .. }
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::Assert(_)
        | Action::Print(_)
        | Action::Event { .. }
        | Action::DStep(_)
        | Action::End => is_certain(transition),
    };
    let has_else = transitions().any(|transition| matches!(transition.action, Action::Else));
    transitions().any(is_certain) || (has_else && transitions().all(is_plain))
}

fn is_without_fault(action: &Action<'_>) -> bool {
    let mut can_fail = false;
    visit::action_expressions(action, &mut |expression| {
        can_fail |= match &expression.kind {
            ExprKind::Read(place) => place.index.is_some() || !place.fields.is_empty(),
            ExprKind::Binary(op, ..) => matches!(op, BinaryOp::Divide | BinaryOp::Remainder),
            ExprKind::Constant(_) | ExprKind::Unary(..) | ExprKind::Conditional(..) | ExprKind::Pid => false,
            _ => true,
        };
    });
    !can_fail
}

/// Whether a transition is enabled whenever control is at its source. Even an assignment is not if it fails.
fn is_certain(transition: &Transition<'_>) -> bool {
    match &transition.action {
        Action::Condition(condition) => condition.as_constant().is_some_and(|value| value != 0),
        Action::Assign { target: Target::Place(place), .. } => {
            place.index.is_none() && place.fields.is_empty() && is_without_fault(&transition.action)
        }
        Action::Assign { .. } | Action::Assert(_) | Action::Print(_) => is_without_fault(&transition.action),
        Action::Jump => true,
        // An option before an `else` may fail.
        Action::Else
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::Event { .. }
        | Action::DStep(_)
        | Action::End => false,
    }
}
