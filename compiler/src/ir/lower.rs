//! Lowers the resolved model to control-flow graphs.
//!
//! Promela's `if`, `do`, `goto`, `break`, `atomic` and `unless` are many ways to describe the same thing, control flow.
//! Everything after this point sees only locations and transitions, so an analysis has one form to understand.
//!
//! Before: names resolved, inlines expanded, types checked.
//! After: no structured statement remains; each transition knows its source.
//!
//! The choice of locations determines how many states a model has, so this follows Spin closely: a `goto` behind a
//! statement is not a step, one that is the whole of an option is a step, and so is one that leaves an `atomic`.

use super::elements::{ElementBuilder, ElementId, ElementKind, Sequence};
use super::escapes::EscapeSteps;
use super::formula::Automaton;
use super::{Action, EscapeOrder, Graph, Location, LocationId, Program, Transition, TransitionId};
use crate::collections::{Id, IdVec};
use crate::ltl::Refutation;
use crate::model::visit::each_expr;
use crate::model::{ExprKind, Label, LabelId, Model, Process, ProctypeId};

/// The model and the automata of its formulas, as graphs.
pub fn lower(model: &Model, refutations: Vec<Refutation>) -> Program<'_> {
    lower_with(model, refutations, EscapeOrder::OuterFirst)
}

/// The same with nested escapes in a given order.
pub fn lower_with(model: &Model, refutations: Vec<Refutation>, order: EscapeOrder) -> Program<'_> {
    // A jump whose label is referred to is a step, so the graphs depend on all expressions.
    let mut program = lower_seeing(model, referenced_labels(model));
    if order == EscapeOrder::InnerFirst {
        let graphs = program.graphs.iter_mut().chain(&mut program.claims);
        let locations = graphs.flat_map(|graph| graph.locations.iter_mut());
        locations.for_each(|location| location.escapes.reverse());
    }
    program.formulas = refutations.into_iter().map(Automaton::new).collect();
    program
}

fn lower_seeing(model: &Model, seen: Vec<(ProctypeId, LabelId)>) -> Program<'_> {
    let graphs = model.proctypes.iter_enumerated().map(|(id, process)| {
        let own: Vec<LabelId> = seen.iter().filter(|(of, _)| *of == id).map(|(_, label)| *label).collect();
        lower_process(process, &own)
    });
    let claims = model.never.iter().map(|claim| lower_process(claim, &[])).collect();
    let trace = model.trace.as_ref().map(|trace| lower_process(&trace.process, &[]));
    let graphs = graphs.collect();
    Program { model, graphs, claims, formulas: Vec::new(), trace, referenced_labels: seen }
}

/// The labels that remote references name.
fn referenced_labels(model: &Model) -> Vec<(ProctypeId, LabelId)> {
    let mut seen = Vec::new();
    each_expr(model, &mut |expression| {
        if let ExprKind::RemoteLabel { proctype, label, .. } = expression.kind {
            seen.push((proctype, label));
        }
    });
    seen
}

/// The control flow of a proctype, `init` or a claim. `seen` are the labels that others refer to.
fn lower_process<'m>(process: &'m Process, seen: &[LabelId]) -> Graph<'m> {
    let is_special = |label: &Label| label.is_end() || label.is_accept() || label.is_progress();
    let mut visible: IdVec<LabelId, bool> = process.labels.iter().map(is_special).collect();
    seen.iter().for_each(|label| visible[*label] = true);
    let (elements, first) = ElementBuilder::process(process, visible);
    Lowering { elements: &elements, process, is_inside_d_step: false }.graph(first)
}

pub(super) struct Lowering<'b, 'm> {
    pub elements: &'b ElementBuilder<'m>,
    process: &'m Process,
    is_inside_d_step: bool,
}

/// A location while the graph still refers to elements.
struct Resting {
    element: ElementId,
    escapes: Vec<Vec<ElementId>>,
    leaving: Vec<ElementId>,
}

impl Location {
    fn mark(&mut self, id: LabelId, label: &Label) {
        self.labels.push(id);
        self.mark_kind(label);
    }

    fn mark_kind(&mut self, label: &Label) {
        self.is_end |= label.is_end();
        self.is_accept |= label.is_accept();
        self.is_progress |= label.is_progress();
    }
}

impl<'m> Lowering<'_, 'm> {
    fn graph(&self, first: ElementId) -> Graph<'m> {
        let start = self.resolve(first, false).unwrap_or(first);
        let mut resting = self.reachable(start);
        resting.sort_by_key(|at| (at.leaving.first().copied(), at.element));

        let mut location_of: IdVec<ElementId, Option<LocationId>> =
            self.elements.elements.iter().map(|_| None).collect();
        for (index, at) in resting.iter().enumerate() {
            location_of[at.element] = Some(LocationId::from_index(index));
        }

        let mut taken: Vec<ElementId> =
            resting.iter().flat_map(|at| at.leaving.iter().chain(at.escapes.iter().flatten())).copied().collect();
        taken.sort_unstable();
        taken.dedup();
        let transition_of = |element: &ElementId| {
            TransitionId::from_index(
                taken.binary_search(element).expect("every element that leaves a place was collected"),
            )
        };

        let transitions = taken.iter().map(|element| self.transition(*element, &location_of)).collect();
        let mut locations: IdVec<LocationId, Location> = resting
            .iter()
            .map(|at| {
                let element = &self.elements.elements[at.element];
                Location {
                    number: at.element.0 + 1,
                    span: element.span,
                    labels: Vec::new(),
                    escapes: at.escapes.iter().map(|group| group.iter().map(transition_of).collect()).collect(),
                    leaving: at.leaving.iter().map(transition_of).collect(),
                    is_end: matches!(element.kind, ElementKind::End),
                    is_accept: false,
                    is_progress: false,
                }
            })
            .collect();
        let labels = self.labels(&location_of);
        for (label, rests_at) in labels.iter_enumerated() {
            if let Some(rests_at) = rests_at {
                locations[*rests_at].mark(label, &self.process.labels[label]);
            }
        }
        for (label, behind) in self.labels_on_options() {
            if let Some(there) = location_of[behind] {
                locations[there].mark_kind(&self.process.labels[label]);
            }
        }
        let start = location_of[start].expect("the start was visited first");
        Graph { start, locations, transitions, labels }
    }

    /// Where control is when it is at a label.
    fn labels(&self, location_of: &IdVec<ElementId, Option<LocationId>>) -> IdVec<LabelId, Option<LocationId>> {
        let rests_at = |element: &Option<ElementId>| location_of[self.resolve((*element)?, false)?];
        self.elements.labels.iter().map(rests_at).collect()
    }

    /// Labels on the first statement of an option, and the location behind that statement. Control does not rest at the
    /// statement, so the label counts there, as in Spin: `do :: progress: x = 1 - x od` marks the loop. A label on a
    /// choice belongs to its first option.
    fn labels_on_options(&self) -> Vec<(LabelId, ElementId)> {
        let choices = self.elements.elements.iter().filter_map(|element| match &element.kind {
            ElementKind::Choice(parts) => Some(parts),
            _ => None,
        });
        let firsts: Vec<ElementId> = choices.flatten().map(|part| part.first).collect();
        let labels = self.elements.labels.iter_enumerated().filter_map(|(label, at)| Some((label, (*at)?)));
        labels
            .filter(|(_, at)| firsts.contains(at))
            .filter_map(|(label, at)| {
                let steps = self.flatten(at);
                Some((label, self.successor(*steps.first()?)?))
            })
            .collect()
    }

    /// Every element where control can rest.
    fn reachable(&self, start: ElementId) -> Vec<Resting> {
        let escape_steps = (!self.is_inside_d_step).then(|| EscapeSteps::new(self));
        let mut seen: IdVec<ElementId, bool> = self.elements.elements.iter().map(|_| false).collect();
        let mut waiting = vec![start];
        let mut resting = Vec::new();
        seen[start] = true;
        while let Some(element) = waiting.pop() {
            let at = self.resting(element, escape_steps.as_ref());
            for leaf in at.leaving.iter().chain(at.escapes.iter().flatten()) {
                if let Some(next) = self.successor(*leaf)
                    && !seen[next]
                {
                    seen[next] = true;
                    waiting.push(next);
                }
            }
            resting.push(at);
        }
        resting
    }

    fn resting(&self, element: ElementId, escape_steps: Option<&EscapeSteps>) -> Resting {
        let leaving = self.flatten(element);
        let escapes = escape_steps.map_or_else(Vec::new, |steps| self.escapes(element, &leaving, steps));
        Resting { element, escapes, leaving }
    }

    /// The steps at an element: its own, or those at the heads of its parts.
    pub fn flatten(&self, element: ElementId) -> Vec<ElementId> {
        let mut leaves = Vec::new();
        let mut heads = vec![element];
        while let Some(head) = heads.pop() {
            match &self.elements.elements[head].kind {
                ElementKind::Choice(parts) => heads.extend(parts.iter().rev().map(|part| self.start_of(part.first))),
                ElementKind::Block(part) | ElementKind::Unless { main: part, .. } => {
                    heads.push(self.start_of(part.first));
                }
                ElementKind::Step(_)
                | ElementKind::Goto(_)
                | ElementKind::Join
                | ElementKind::DStep(_)
                | ElementKind::End => leaves.push(head),
            }
        }
        leaves
    }

    /// The start of a sequence: a join before it is not a location of its own.
    fn start_of(&self, first: ElementId) -> ElementId {
        let mut at = first;
        // A chain of joins cannot be longer than there are elements.
        for _ in 0..self.elements.elements.len() {
            let element = &self.elements.elements[at];
            at = match (&element.kind, element.next) {
                (ElementKind::Join, Some(next)) => next,
                (ElementKind::Unless { main, .. }, _) => main.first,
                _ => return at,
            };
        }
        at
    }

    /// Where control rests after an element was taken; `None` at the end of a process or a `d_step`.
    fn successor(&self, element: ElementId) -> Option<ElementId> {
        let taken = &self.elements.elements[element];
        let next = match taken.kind {
            ElementKind::Goto(destination) => self.elements.target(destination),
            ElementKind::End => None,
            _ => taken.next,
        };
        self.resolve(next?, taken.atomic)
    }

    /// Follows jumps and joins from `element`. One that leaves an atomic sequence is a step of its own.
    pub fn resolve(&self, element: ElementId, is_atomic: bool) -> Option<ElementId> {
        let mut at = element;
        // `L: goto L` has no end; after so many jumps it is left as a step.
        for _ in 0..self.elements.elements.len() {
            let element = &self.elements.elements[at];
            let next = match &element.kind {
                ElementKind::Goto(_) if element.is_visible && !self.is_inside_d_step => None,
                ElementKind::Goto(destination) => self.elements.target(*destination),
                ElementKind::Join => Some(element.next?),
                // No place of its own. (In pan control that has to stop in front of one inside an `atomic` is stuck.)
                ElementKind::Unless { main, .. } => {
                    at = main.first;
                    continue;
                }
                _ => None,
            };
            match next {
                None => return Some(at),
                Some(next) if is_atomic && !self.is_inside_d_step && !self.elements.elements[next].atomic => {
                    return Some(at);
                }
                Some(next) => at = next,
            }
        }
        Some(at)
    }

    fn transition(&self, element: ElementId, location_of: &IdVec<ElementId, Option<LocationId>>) -> Transition<'m> {
        let taken = &self.elements.elements[element];
        let action = match &taken.kind {
            ElementKind::Step(action) => action.clone(),
            ElementKind::DStep(inner) => Action::DStep(Box::new(self.d_step(*inner))),
            ElementKind::End => Action::End,
            ElementKind::Goto(_)
            | ElementKind::Join
            | ElementKind::Choice(_)
            | ElementKind::Block(_)
            | ElementKind::Unless { .. } => Action::Jump,
        };
        Transition {
            action,
            to: self.successor(element).and_then(|next| location_of[next]),
            keeps_control: taken.atomic && !self.is_inside_d_step,
            span: taken.span,
            merged: Vec::new(),
        }
    }

    fn d_step(&self, inner: Sequence) -> Graph<'m> {
        Lowering { elements: self.elements, process: self.process, is_inside_d_step: true }.graph(inner.first)
    }
}
