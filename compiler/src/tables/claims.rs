//! The rows of never claims, formulas and the trace.

use pmc_runtime::model::{ClaimKind, ClaimLocationInfo};

use super::{ClaimRow, MoveRow, guard_text, place, statement_text, visible};
use crate::collections::IdVec;
use crate::ir::formula::Automaton;
use crate::ir::{Action, Graph, LocationId, Program, TransitionId};
use crate::source::{SourceMap, Span};

/// The claims by their numbers.
pub(super) fn claims(program: &Program<'_>, sources: &SourceMap) -> Vec<ClaimRow> {
    let model = program.model;
    let never = model.never.iter().zip(&program.claims).map(|(claim, graph)| ClaimRow {
        name: visible(&claim.name),
        kind: ClaimKind::Never,
        place: place(sources, claim.span),
        locations: never_locations(graph, sources),
        moves: never_moves(graph, sources),
        is_stutter_closed: false,
        is_safety: program.is_safety(graph),
    });
    let formulas = model.formulas.iter().zip(&program.formulas).map(|(ltl, automaton)| ClaimRow {
        name: visible(&ltl.name),
        kind: ClaimKind::Ltl,
        place: place(sources, ltl.span),
        locations: formula_locations(automaton, sources, ltl.written),
        moves: formula_moves(automaton, sources, ltl.written),
        is_stutter_closed: automaton.is_stutter_closed,
        is_safety: automaton.is_safety(),
    });
    // A trace observes steps and not states: it makes no moves of its own.
    let trace = model.trace.iter().map(|trace| ClaimRow {
        name: visible(&trace.process.name),
        kind: ClaimKind::Trace,
        place: place(sources, trace.span),
        locations: Vec::new(),
        moves: Vec::new(),
        is_stutter_closed: false,
        is_safety: true,
    });
    never.chain(formulas).chain(trace).collect()
}

/// The locations of a never claim by their numbers, the initial one first.
pub fn claim_locations(graph: &Graph<'_>) -> impl Iterator<Item = LocationId> {
    let others = graph.locations.ids().filter(|id| *id != graph.start);
    std::iter::once(graph.start).chain(others)
}

/// The number of the move that each transition of a never claim is; nothing for the closing brace, which a claim does
/// not leave. The statements inside a `d_step` have the numbers behind its own.
pub fn claim_moves(graph: &Graph<'_>) -> IdVec<TransitionId, Option<u32>> {
    let mut next = 0;
    let number = |action: &Action<'_>| {
        let is_move = !action.is_end();
        let number = next;
        if is_move {
            next += 1 + n_inside(action);
        }
        is_move.then_some(number)
    };
    graph.transitions.iter().map(|transition| &transition.action).map(number).collect()
}

fn n_inside(action: &Action<'_>) -> u32 {
    action.d_step().map_or(0, |inner| inner.transitions.iter().map(|inside| 1 + n_inside(&inside.action)).sum())
}

fn never_locations(graph: &Graph<'_>, sources: &SourceMap) -> Vec<ClaimLocationInfo> {
    let closing_brace = graph.closing_brace();
    let info = |id: LocationId| {
        let location = &graph.locations[id];
        let is_end = closing_brace == Some(id);
        ClaimLocationInfo { place: place(sources, location.span), is_accepting: location.is_accept, is_end }
    };
    claim_locations(graph).map(info).collect()
}

/// In the order of [`claim_moves`].
fn never_moves(graph: &Graph<'_>, sources: &SourceMap) -> Vec<MoveRow> {
    let mut rows = Vec::new();
    add_moves(graph, sources, &mut rows);
    rows
}

fn add_moves(graph: &Graph<'_>, sources: &SourceMap, rows: &mut Vec<MoveRow>) {
    for transition in graph.transitions.iter().filter(|transition| !transition.action.is_end()) {
        let text = visible(&statement_text(sources, transition.span));
        rows.push(MoveRow { place: place(sources, transition.span), text });
        if let Action::DStep(inner) = &transition.action {
            add_moves(inner, sources, rows);
        }
    }
}

/// The automaton of a formula is not in the source text: all of it is where the formula is written.
fn formula_locations(automaton: &Automaton, sources: &SourceMap, written: Span) -> Vec<ClaimLocationInfo> {
    let place = place(sources, written);
    let info = |(is_accepting, is_end)| ClaimLocationInfo { place, is_accepting, is_end };
    automaton.locations.iter().map(|location| info((location.is_accepting, location.is_end))).collect()
}

/// The edges of the automaton: those of its first location first.
fn formula_moves(automaton: &Automaton, sources: &SourceMap, written: Span) -> Vec<MoveRow> {
    let place = place(sources, written);
    let edges = automaton.locations.iter().flat_map(|location| &location.edges);
    edges.map(|edge| MoveRow { place, text: visible(&guard_text(sources, automaton, edge.guard)) }).collect()
}
