//! What the distance to a statement needs to know of the control flow: which locations a process passes within a step, the
//! assertions, and what starts processes.

use pmc_runtime::control_flow::UNREACHABLE;
use pmc_runtime::step;

use crate::collections::Id;
use crate::ir::formula::Automaton;
use crate::ir::{Action, Graph, Location, LocationId, Program, Transition, visit};
use crate::model::{ExprKind, ProctypeId};

use super::claim_locations;

/// The rows of [`ControlFlow`](pmc_runtime::control_flow::ControlFlow), owned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlFlowRows {
    /// Sets of locations and of statements are bit sets.
    pub passed: Vec<u64>,
    pub assertions: Vec<u64>,
    pub also_leaves: Vec<(u32, step::TransitionId)>,
    pub starts: Vec<(step::TransitionId, u32)>,
    /// For each claim, in the order of their numbers; empty for one that is no safety property, and for a trace.
    pub claims: Vec<Vec<u32>>,
}

impl ControlFlowRows {
    pub fn new(program: &Program<'_>) -> Self {
        let mut rows = Self { claims: claims(program), ..Self::default() };
        let mut assertions = Vec::new();
        let mut statement = 0;
        for (id, graph) in program.graphs.iter_enumerated() {
            let first = program.first_location(id);
            let leaves = leaves(graph, first);
            for (transition, from) in graph.transitions.iter().zip(leaves) {
                // The table of statements has the first of these locations.
                let others = from.get(1..).unwrap_or_default();
                let number = statement;
                visit_statements(transition, &mut |action| {
                    let is_assertion = matches!(action, Action::Assert(_));
                    let starts = started(action);
                    if is_assertion {
                        assertions.push(statement);
                    }
                    if statement == number || is_assertion || !starts.is_empty() {
                        let also = others.iter().map(|from| (*from, step::TransitionId(statement)));
                        rows.also_leaves.extend(also);
                    }
                    for proctype in starts {
                        let begin = program.first_location(proctype) + program.graphs[proctype].start.0;
                        rows.starts.push((step::TransitionId(statement), begin));
                    }
                    statement += 1;
                });
            }
        }
        rows.assertions = words(assertions);
        rows.passed = words(passed(program, &rows.starts));
        rows
    }
}

/// A bit set.
fn words(numbers: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let mut words = Vec::new();
    for number in numbers {
        let word = number as usize / 64;
        if word >= words.len() {
            words.resize(word + 1, 0);
        }
        words[word] |= 1 << (number % 64);
    }
    words
}

/// The transitions that leave a location, escapes included.
fn leaving<'g, 'm>(graph: &'g Graph<'m>, location: &'g Location) -> impl Iterator<Item = &'g Transition<'m>> {
    location.escapes.iter().flatten().chain(&location.leaving).map(|id| &graph.transitions[*id])
}

/// The locations that each transition leaves, by their numbers.
fn leaves(graph: &Graph<'_>, first: u32) -> Vec<Vec<u32>> {
    let mut leaves = vec![Vec::new(); graph.transitions.len()];
    for (at, location) in graph.locations.iter_enumerated() {
        for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
            let of = &mut leaves[transition.index()];
            if of.last() != Some(&(first + at.0)) {
                of.push(first + at.0);
            }
        }
    }
    leaves
}

/// The statements of a step in the order of their numbers: itself, what is inside, what is merged.
fn visit_statements<'m>(transition: &Transition<'m>, visit: &mut dyn FnMut(&Action<'m>)) {
    visit(&transition.action);
    if let Action::DStep(inner) = &transition.action {
        inner.transitions.iter().for_each(|inside| visit_statements(inside, visit));
    }
    transition.merged.iter().for_each(|merged| visit(&merged.action));
}

/// The proctypes that a statement starts processes of; those inside a `d_step` have statements of their own.
fn started(action: &Action<'_>) -> Vec<ProctypeId> {
    let mut starts = Vec::new();
    if !matches!(action, Action::DStep(_)) {
        visit::action_expressions(action, &mut |part| {
            if let ExprKind::Run { proctype, .. } = part.kind
                && !starts.contains(&proctype)
            {
                starts.push(proctype);
            }
        });
    }
    starts
}

/// Locations that a process may leave in the step in which it arrives there, by their numbers.
///
/// Inside an atomic sequence this is every location. Elsewhere a process moves twice in a step only as the partner of
/// a process that sends from inside an atomic sequence: after an earlier rendezvous in the same step, or where it begins.
fn passed(program: &Program<'_>, starts: &[(step::TransitionId, u32)]) -> Vec<u32> {
    let has_rendezvous = program.model.sites.iter().any(|site| site.capacity == 0);
    let (mut passed, mut partners) = (Vec::new(), Vec::new());
    let mut sends_inside = false;
    for (id, graph) in program.graphs.iter_enumerated() {
        let first = program.first_location(id);
        let inside = |at: LocationId| {
            let arrives = |transition: &Transition<'_>| transition.to == Some(at) && transition.keeps_control;
            graph.transitions.iter().any(arrives)
        };
        for (at, location) in graph.locations.iter_enumerated() {
            let number = first + at.0;
            let is_inside = inside(at);
            if is_inside {
                passed.push(number);
            }
            sends_inside |= is_inside && leaving(graph, location).any(|transition| sends(&transition.action));
            let may_receive = leaving(graph, location).any(|transition| receives(&transition.action));
            let arrives = |transition: &Transition<'_>| {
                transition.to == Some(at) && (sends(&transition.action) || receives(&transition.action))
            };
            let begins = starts.iter().any(|(_, begin)| *begin == number);
            if may_receive && (begins || graph.transitions.iter().any(arrives)) {
                partners.push(number);
            }
        }
    }
    if has_rendezvous && sends_inside {
        passed.extend(partners);
    }
    passed
}

fn sends(action: &Action<'_>) -> bool {
    matches!(action, Action::Send { .. })
}

/// A `d_step` may begin with a receive.
fn receives(action: &Action<'_>) -> bool {
    match action {
        Action::DStep(inner) => inner.transitions.iter().any(|inside| receives(&inside.action)),
        Action::Receive { .. } => true,
        Action::Condition(_) | Action::Else | Action::Jump | Action::Assign { .. } | Action::Send { .. } => false,
        Action::Assert(_) | Action::Print(_) | Action::Event { .. } | Action::End => false,
    }
}

fn claims(program: &Program<'_>) -> Vec<Vec<u32>> {
    let never = program.claims.iter().map(|graph| match program.is_safety(graph) {
        true => never_distances(graph),
        false => Vec::new(),
    });
    let formulas = program.formulas.iter().map(|automaton| match automaton.is_safety() {
        true => formula_distances(automaton),
        false => Vec::new(),
    });
    never.chain(formulas).chain(program.trace.iter().map(|_| Vec::new())).collect()
}

/// A location of a claim.
struct ClaimLocation {
    is_end: bool,
    /// The claim may move on from here in the same step.
    is_passed: bool,
    edges: Vec<usize>,
}

fn never_distances(graph: &Graph<'_>) -> Vec<u32> {
    let order: Vec<LocationId> = claim_locations(graph).collect();
    let number = |id: LocationId| order.iter().position(|other| *other == id);
    let closing_brace = graph.closing_brace();
    let locations = order.iter().map(|id| ClaimLocation {
        is_end: closing_brace == Some(*id),
        is_passed: graph.transitions.iter().any(|transition| transition.to == Some(*id) && transition.keeps_control),
        edges: leaving(graph, &graph.locations[*id]).filter_map(|transition| number(transition.to?)).collect(),
    });
    distances(&locations.collect::<Vec<_>>())
}

fn formula_distances(automaton: &Automaton) -> Vec<u32> {
    let locations = automaton.locations.iter().map(|location| ClaimLocation {
        is_end: location.is_end,
        is_passed: false,
        edges: location.edges.iter().map(|edge| edge.to.index()).collect(),
    });
    distances(&locations.collect::<Vec<_>>())
}

/// For each location the fewest steps before the one that brings the claim to its end.
fn distances(locations: &[ClaimLocation]) -> Vec<u32> {
    let mut at = vec![UNREACHABLE; locations.len()];
    // The same for a claim that arrives there within a step.
    let mut on = vec![UNREACHABLE; locations.len()];
    let mut changes = true;
    while changes {
        changes = false;
        for (number, location) in locations.iter().enumerate() {
            let behind = location.edges.iter().map(|to| if locations[*to].is_end { 0 } else { on[*to] });
            let behind = behind.min().unwrap_or(UNREACHABLE);
            let arriving = at[number].saturating_add(1).min(if location.is_passed { behind } else { UNREACHABLE });
            if (behind, arriving) != (at[number], on[number]) {
                (at[number], on[number]) = (behind, arriving);
                changes = true;
            }
        }
    }
    at
}
