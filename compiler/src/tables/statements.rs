//! The rows of the proctypes: their statements and their locations.

use pmc_runtime::model::TransitionKind;
use pmc_runtime::step;

use super::{LocationRow, TransitionRow, narrow, place, statement_text, story, visible};
use crate::collections::Id;
use crate::ir::{Action, Graph, Program, Transition};
use crate::model::{Model, ProctypeId};
use crate::source::{SourceMap, Span};

/// The locations of all proctypes.
pub(super) fn locations(program: &Program<'_>, sources: &SourceMap) -> Vec<LocationRow> {
    let mut rows = Vec::new();
    for (id, process) in program.model.proctypes.iter_enumerated() {
        for location in &program.graphs[id].locations {
            let labels = location.labels.iter().map(|label| visible(&process.labels[*label].name)).collect();
            rows.push(LocationRow { proctype: narrow(id.index()), place: place(sources, location.span), labels });
        }
    }
    rows
}

/// The statements of all proctypes, in the order of [`Program::transition_number`].
pub(super) fn transitions(program: &Program<'_>, sources: &SourceMap) -> Vec<TransitionRow> {
    let mut rows = Vec::new();
    for (id, graph) in program.graphs.iter_enumerated() {
        let mut of_process = Statements { model: program.model, sources, id, rows: &mut rows };
        of_process.add_graph(graph, program.first_location(id));
    }
    rows
}

/// The rows of the statements of one proctype, in the making.
struct Statements<'a> {
    model: &'a Model,
    sources: &'a SourceMap,
    id: ProctypeId,
    rows: &'a mut Vec<TransitionRow>,
}

/// A statement, and where it stands.
struct Written<'a> {
    action: &'a Action<'a>,
    span: Span,
    keeps_control: bool,
}

impl<'a> From<&'a Transition<'a>> for Written<'a> {
    fn from(transition: &'a Transition<'a>) -> Self {
        Written { action: &transition.action, span: transition.span, keeps_control: transition.keeps_control }
    }
}

impl Statements<'_> {
    /// Adds the statements of a proctype whose first location has the number `first`.
    fn add_graph(&mut self, graph: &Graph<'_>, first: u32) {
        // A transition can leave several locations; the table has the first one.
        let mut leaves = vec![first; graph.transitions.len()];
        for (at, location) in graph.locations.iter_enumerated().rev() {
            for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
                leaves[transition.index()] = first + at.0;
            }
        }
        for (transition, from) in graph.transitions.iter().zip(leaves) {
            let to = transition.to.map_or(from, |to| first + to.0);
            let number = self.rows.len();
            self.add(kind(&transition.action), transition.into(), (from, to));
            if transition.action.is_end() {
                // The closing brace is no statement of the author.
                self.rows[number].text = "-end-".to_owned();
            }
            if let Action::DStep(inner) = &transition.action {
                self.add_inside(inner, from);
            }
            let first_merged = self.rows.len();
            for merged in &transition.merged {
                let row =
                    Written { action: &merged.action, span: merged.span, keeps_control: transition.keeps_control };
                self.add(kind_inside(&merged.action), row, (from, to));
            }
            self.rows[number].merged = (first_merged..self.rows.len()).map(transition_id).collect();
        }
    }

    /// Adds the statements inside a `d_step` that leaves `at`. Control does not rest inside, so that none of them leads
    /// to another location.
    fn add_inside(&mut self, graph: &Graph<'_>, at: u32) {
        for transition in &graph.transitions {
            self.add(kind_inside(&transition.action), transition.into(), (at, at));
            if let Action::DStep(inner) = &transition.action {
                self.add_inside(inner, at);
            }
        }
    }

    fn add(&mut self, kind: TransitionKind, row: Written<'_>, (from, to): (u32, u32)) {
        let Written { action, span, keeps_control } = row;
        let number = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.rows.push(TransitionRow {
            proctype: narrow(self.id.index()),
            kind,
            place: place(self.sources, span),
            text: visible(&statement_text(self.sources, span)),
            from,
            to,
            merged: Vec::new(),
            story: story::statement(self.model, self.sources, (action, span, keeps_control), number),
        });
    }
}

fn kind(action: &Action<'_>) -> TransitionKind {
    match action {
        Action::Send { .. } => TransitionKind::Send,
        Action::Receive { .. } => TransitionKind::Receive,
        Action::End => TransitionKind::End,
        Action::Jump => TransitionKind::Internal,
        Action::Condition(_)
        | Action::Else
        | Action::Assign { .. }
        | Action::Assert(_)
        | Action::Print(_)
        | Action::Event { .. }
        | Action::DStep(_) => TransitionKind::Other,
    }
}

/// The kind of a statement that is executed within the step of another one: simulation shows no message for it.
fn kind_inside(action: &Action<'_>) -> TransitionKind {
    if matches!(action, Action::Jump) { TransitionKind::Internal } else { TransitionKind::Other }
}

fn transition_id(number: usize) -> step::TransitionId {
    step::TransitionId(u32::try_from(number).unwrap_or(u32::MAX))
}
