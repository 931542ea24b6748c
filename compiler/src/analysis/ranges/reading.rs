//! The cells that each process tracks, and those that it depends on.

use super::super::processes::initial_values;
use super::World;
use super::cells::{CellContent, CellId};
use super::counters::Count;
use super::environment::Slots;
use super::solve::{RangeSolver, WorkItem};
use crate::collections::Id;
use crate::ir::{Action, visit};
use crate::model::{Expr, ExprKind, Owner, ProctypeId, Type};

/// The greatest product of locations and variables; beyond it, variables are not tracked from location to location.
const MOST_SLOTS: usize = 4_000_000;

impl RangeSolver<'_, '_> {
    /// Selects the cells that a process or claim tracks from location to location.
    pub(super) fn find_slots(&mut self, number: usize, counts: &[Count]) {
        let world = self.world;
        let model = world.model;
        let owner = self.owner(number);
        let is_provided =
            number < self.n_proctypes && model.proctypes[ProctypeId::from_index(number)].provided.is_some();
        let flow = &self.graphs[number].flow;
        let can_keep_control =
            flow.edges.iter().any(|edge| edge.keeps_control) && !is_provided && !world.basis.features.priorities;
        let mut mentioned: Vec<CellId> = Vec::new();
        for (action, _) in flow.edges.iter().flat_map(|edge| &edge.actions) {
            read_cells(world, action, &mut |cell| mentioned.push(cell));
            mentioned.extend(action.stored().map(|place| world.cell(place)));
        }
        for expression in flow.edges.iter().flat_map(|edge| &edge.refuted) {
            expression_cells(world, expression, &mut |cell| mentioned.push(cell));
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        let mut slots = Slots::default();
        for cell in mentioned {
            let CellContent::Variable { id, is_single: true } = world.cells.list[cell].content else { continue };
            // A tick changes a timer, also while a process has control.
            if !world.is_followed[id] || world.cells.list[cell].ty == Type::Timer {
                continue;
            }
            let is_own = model.variables[id].owner == owner || world.writers.only(cell) == Some(number);
            let is_shared = model.variables[id].owner == Owner::Global && !world.writers.claims_store_in(cell);
            if is_own || (can_keep_control && is_shared) {
                slots.add(cell, !is_own);
            }
        }
        for count in counts.iter().filter(|count| count.by == number) {
            slots.add_count(count.counter, count.contribution);
        }
        if flow.nodes.len().saturating_mul(slots.list.len()) > MOST_SLOTS {
            slots = Slots::default();
        }
        self.graphs[number].slots = slots;
    }

    fn owner(&self, number: usize) -> Owner {
        if number < self.n_proctypes {
            return Owner::Proctype(ProctypeId::from_index(number));
        }
        Owner::Never(u32::try_from(number - self.n_proctypes).unwrap_or(u32::MAX))
    }

    /// The locations to be evaluated again when a cell's range grows.
    pub(super) fn find_readers(&mut self, number: usize) {
        let graph = &self.graphs[number];
        let world = self.world;
        let is_own = |cell: CellId| graph.slots.of(cell).is_some_and(|slot| !graph.slots.list[slot].is_shared);
        let mut found: Vec<(CellId, usize)> = Vec::new();
        for (place, node) in graph.flow.nodes.iter().enumerate() {
            for edge in node.edges.iter().map(|edge| &graph.flow.edges[*edge]) {
                for (action, _) in &edge.actions {
                    read_cells(world, action, &mut |cell| found.push((cell, place)));
                }
                for expression in &edge.refuted {
                    expression_cells(world, expression, &mut |cell| found.push((cell, place)));
                }
            }
        }
        let start = graph.flow.nodes.len();
        if number < self.n_proctypes {
            let proctype = ProctypeId::from_index(number);
            found.extend(world.cells.arguments(proctype).map(|(argument, _)| (argument, start)));
            for local in &world.model.proctypes[proctype].locals {
                for value in initial_values(&world.model.variables[*local]) {
                    expression_cells(world, value, &mut |cell| found.push((cell, start)));
                }
            }
        }
        found.retain(|(cell, place)| *place == start || !is_own(*cell));
        found.sort_unstable();
        found.dedup();
        for (cell, place) in found {
            self.readers[cell].push(WorkItem { graph: number, place });
        }
    }
}

/// The cells whose ranges a statement asks for.
fn read_cells(world: &World<'_, '_>, action: &Action<'_>, visit: &mut dyn FnMut(CellId)) {
    visit::action_expressions(action, &mut |part| own_cell(world, part, visit));
    if let Action::Receive { channel, .. } = action {
        for site in world.sites(channel) {
            (0..world.n_fields(site)).for_each(|number| visit(world.cells.message(site, number)));
        }
    }
}

fn expression_cells(world: &World<'_, '_>, expression: &Expr, visit: &mut dyn FnMut(CellId)) {
    visit::expression(expression, &mut |part| own_cell(world, part, visit));
}

/// The cell that the outermost part of an expression reads.
fn own_cell(world: &World<'_, '_>, part: &Expr, visit: &mut dyn FnMut(CellId)) {
    match &part.kind {
        ExprKind::Read(place) => visit(world.cell(place)),
        ExprKind::RemoteVariable { place, .. } => visit(world.cell(place)),
        _ => {}
    }
}
