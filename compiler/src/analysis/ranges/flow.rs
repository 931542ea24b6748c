//! The control flow of a process, including the inside of its `d_step`s.
//!
//! A `d_step` is a graph within a transition. Here both are one graph, so that the analysis has only one kind of step.

use crate::collections::{Id, IdVec};
use crate::ir::{Action, Graph, LocationId, TransitionId};
use crate::model::{Expr, ExprKind, VariableId};
use crate::source::Span;

pub(super) struct Flow<'p, 'm> {
    pub start: usize,
    pub nodes: Vec<FlowNode>,
    pub edges: Vec<FlowEdge<'p, 'm>>,
}

pub(super) struct FlowNode {
    /// The edges that leave it.
    pub edges: Vec<usize>,
    /// Whether a process that has control may lose it here, since nothing is enabled.
    pub may_block: bool,
}

/// A sequence of statements.
pub(super) struct FlowEdge<'p, 'm> {
    /// The conditions that are false when it is taken: those of the neighbours of an `else`.
    pub refuted: Vec<&'m Expr>,
    pub actions: Vec<(&'p Action<'m>, Span)>,
    /// Set to 0 at the end.
    pub resets: &'p [VariableId],
    /// `None` if the process ends.
    pub to: Option<usize>,
    /// No other process moves until the next edge, unless nothing is enabled there.
    pub keeps_control: bool,
}

/// What follows the last statement of a graph.
#[derive(Clone)]
struct Rest<'p, 'm> {
    actions: Vec<(&'p Action<'m>, Span)>,
    resets: &'p [VariableId],
    to: Option<usize>,
    keeps_control: bool,
}

impl<'p, 'm> Flow<'p, 'm> {
    /// `resets` are those of the graph's transitions; a claim has none.
    pub fn new(graph: &'p Graph<'m>, resets: Option<&'p IdVec<TransitionId, Vec<VariableId>>>) -> Self {
        let mut flow = Self { start: 0, nodes: Vec::new(), edges: Vec::new() };
        let nowhere = Rest { actions: Vec::new(), resets: &[], to: None, keeps_control: false };
        flow.start = flow.add(graph, resets, &nowhere, false);
        flow
    }

    /// Adds a graph that continues with `rest`, and returns its start.
    fn add(
        &mut self,
        graph: &'p Graph<'m>,
        resets: Option<&'p IdVec<TransitionId, Vec<VariableId>>>,
        rest: &Rest<'p, 'm>,
        is_d_step: bool,
    ) -> usize {
        let first = self.nodes.len();
        for location in &graph.locations {
            let may_block = !is_d_step && !location.leaving.iter().any(|id| is_always(&graph.transitions[*id].action));
            self.nodes.push(FlowNode { edges: Vec::new(), may_block });
        }
        let node = |location: LocationId| first + location.index();
        // The start of the inside of each `d_step`; several locations may lead there.
        let mut insides: IdVec<TransitionId, Option<usize>> = graph.transitions.iter().map(|_| None).collect();
        for (at, location) in graph.locations.iter_enumerated() {
            for (place, id) in location.escapes.iter().flatten().map(|id| (0, id)).chain((0..).zip(&location.leaving)) {
                let transition = &graph.transitions[*id];
                let mut after = Rest {
                    actions: transition.merged.iter().map(|merged| (&merged.action, merged.span)).collect(),
                    resets: resets.map_or(&[], |resets| &resets[*id]),
                    to: transition.to.map(node),
                    keeps_control: transition.keeps_control || (is_d_step && transition.to.is_some()),
                };
                if is_d_step && transition.to.is_none() {
                    after.actions.extend(rest.actions.iter().copied());
                    after.resets = rest.resets;
                    after.to = rest.to;
                    after.keeps_control = rest.keeps_control;
                }
                let refuted = match matches!(transition.action, Action::Else) {
                    true => location.leaving[..place].iter().flat_map(|id| guards(graph, *id)).collect(),
                    false => Vec::new(),
                };
                let edge = if let Action::DStep(inner) = &transition.action {
                    let inside = match insides[*id] {
                        Some(inside) => inside,
                        None => self.add(inner, None, &after, true),
                    };
                    insides[*id] = Some(inside);
                    FlowEdge { refuted, actions: Vec::new(), resets: &[], to: Some(inside), keeps_control: true }
                } else {
                    let mut actions = vec![(&transition.action, transition.span)];
                    actions.append(&mut after.actions);
                    FlowEdge {
                        refuted,
                        actions,
                        resets: after.resets,
                        to: after.to,
                        keeps_control: after.keeps_control,
                    }
                };
                self.nodes[node(at)].edges.push(self.edges.len());
                self.edges.push(edge);
            }
        }
        node(graph.start)
    }
}

/// The conditions one of which must hold for a transition to be enabled; empty if that is not known.
fn guards<'m>(graph: &Graph<'m>, id: TransitionId) -> Vec<&'m Expr> {
    let action = &graph.transitions[id].action;
    let inside = action.d_step().into_iter();
    let inside = inside.flat_map(|inner| inner.locations[inner.start].leaving.iter().flat_map(|id| guards(inner, *id)));
    action.condition().into_iter().chain(inside).collect()
}

/// Whether a statement is enabled whenever control reaches it; an `else` is, or one of its neighbours.
fn is_always(action: &Action<'_>) -> bool {
    match action {
        Action::Else | Action::Jump | Action::Assign { .. } | Action::Assert(_) | Action::Print(_) => true,
        Action::Condition(condition) => matches!(condition.kind, ExprKind::Constant(value) if value != 0),
        Action::DStep(inner) => {
            inner.locations[inner.start].leaving.iter().any(|id| is_always(&inner.transitions[*id].action))
        }
        Action::Send { .. } | Action::Receive { .. } | Action::Event { .. } | Action::End => false,
    }
}
