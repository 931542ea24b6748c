//! The initial ranges of variables.

use super::super::processes::initial_values;
use super::World;
use super::cells::{CellContent, CellId};
use super::environment::Summary;
use super::interval::{Range, of_type};
use super::step::AbstractStep;
use crate::collections::Id;
use crate::ir::visit;
use crate::model::{Expr, ExprKind, Init, Model, Owner, ProctypeId, SiteId, Type, VariableId};

impl World<'_, '_> {
    /// The initial ranges of globals, of claims' variables, and of variables that are not tracked.
    pub(super) fn at_first(&self) -> Summary {
        let model = self.model;
        let mut summary: Summary = self.cells.list.iter().map(|_| None).collect();
        for (id, variable) in model.variables.iter_enumerated() {
            let is_there = matches!(variable.owner, Owner::Global | Owner::Never(_));
            for cell in self.cells.of_variable(id) {
                if !self.is_followed[id] {
                    summary[cell] = Some(of_type(self.cells.list[cell].ty));
                } else if is_there {
                    summary[cell] = Some(self.start_of(cell));
                }
            }
        }
        for proctype in &model.initial {
            for (argument, parameter) in self.cells.arguments(*proctype) {
                let CellContent::Variable { id, .. } = self.cells.list[parameter].content else { continue };
                let is_record = matches!(model.variables[id].ty, Type::Record(_));
                summary[argument] = Some(if is_record { of_type(self.cells.list[parameter].ty) } else { Range::ZERO });
            }
        }
        summary
    }

    /// The initial range of a cell of a global, or of a record: always a constant or a channel.
    pub(super) fn start_of(&self, cell: CellId) -> Range {
        self.aged(cell, self.first_of(cell))
    }

    /// The values of a cell that was given one of a range. A timer is lowered by time, until it is off.
    pub(super) fn aged(&self, cell: CellId, range: Range) -> Range {
        if self.cells.list[cell].ty == Type::Timer { range.join(Range::constant(-1)) } else { range }
    }

    fn first_of(&self, cell: CellId) -> Range {
        let all = of_type(self.cells.list[cell].ty);
        let CellContent::Variable { id, .. } = self.cells.list[cell].content else { return all };
        let variable = &self.model.variables[id];
        let init = match variable.ty {
            Type::Record(record) => {
                let number = cell.index() - self.cells.of_variable(id).first().map_or(0, |first| first.index());
                let mut fields = Vec::new();
                field_inits(self.model, record, &mut fields);
                fields.get(number).copied()
            }
            _ => Some(&variable.init),
        };
        let constant = |value: &Expr| value.as_constant().map(|value| self.cut(cell, value));
        match init {
            Some(Init::Zero) => Range::ZERO,
            Some(Init::All(value)) => constant(value).unwrap_or(all),
            Some(Init::List(values)) => {
                let ranges: Option<Vec<Range>> = values.iter().map(constant).collect();
                ranges.and_then(|ranges| ranges.into_iter().reduce(Range::join)).unwrap_or(all)
            }
            Some(Init::Channel(site)) => self.channel_numbers(*site),
            Some(Init::FieldChannel { .. }) => {
                let of_variable = self.model.sites.iter_enumerated().filter(|(_, site)| site.variable == id);
                of_variable.map(|(site, _)| self.channel_numbers(site)).reduce(Range::join).unwrap_or(all)
            }
            None => all,
        }
    }

    fn cut(&self, cell: CellId, value: i32) -> Range {
        Range::constant(value).truncated(self.cells.list[cell].ty)
    }

    /// The numbers of the channels of a site.
    fn channel_numbers(&self, id: SiteId) -> Range {
        let site = &self.model.sites[id];
        let numbers = match self.model.variables[site.variable].owner {
            Owner::Global | Owner::Never(_) => {
                let is_before = |other: &SiteId| {
                    let owner = self.model.variables[self.model.sites[*other].variable].owner;
                    *other < id && owner == Owner::Global
                };
                let before = self.model.sites.ids().filter(is_before).map(|other| self.n_channels(other));
                let first = 1 + before.sum::<i64>();
                Range { low: first, high: first + self.n_channels(id) - 1 }
            }
            Owner::Proctype(_) => Range { low: 1, high: self.most_channels },
        };
        if numbers.is_within(Range::BYTE) { numbers } else { Range::BYTE }
    }

    fn n_channels(&self, site: SiteId) -> i64 {
        self.model.sites[site].count.into()
    }
}

/// The initial values of the scalars of a record, in order.
fn field_inits<'m>(model: &'m Model, record: crate::model::RecordId, found: &mut Vec<&'m Init>) {
    for field in &model.records[record].fields {
        match field.ty {
            Type::Record(inner) => field_inits(model, inner, found),
            _ => found.push(&field.init),
        }
    }
}

impl<'m> AbstractStep<'_, 'm> {
    /// A process starts: its parameters become its arguments, and its locals get their initial values.
    pub(super) fn start_process(&mut self, proctype: ProctypeId) {
        let world = self.world;
        for (argument, parameter) in world.cells.arguments(proctype) {
            let value = self.summary[argument].unwrap_or(of_type(world.cells.list[parameter].ty));
            self.store_cell(parameter, value, None);
        }
        let process = &world.model.proctypes[proctype];
        // Locals are 0, or have their constant initial value, until they are initialised in order.
        for cell in process.locals.iter().flat_map(|local| world.cells.of_variable(*local)) {
            if let Some(slot) = self.slots.of(cell) {
                self.environment.slots[slot] = world.start_of(cell).join(Range::ZERO);
            }
        }
        process.locals.iter().for_each(|local| self.start_variable(*local));
    }

    fn start_variable(&mut self, id: VariableId) {
        let variable = &self.world.model.variables[id];
        for value in initial_values(variable) {
            visit::expression(value, &mut |part| {
                if let ExprKind::Run { proctype, arguments, .. } = &part.kind {
                    self.run(*proctype, arguments, part.span);
                }
            });
        }
        for cell in self.world.cells.of_variable(id) {
            let value = match (&variable.init, variable.ty) {
                (_, Type::Record(_)) | (Init::Zero | Init::Channel(_) | Init::FieldChannel { .. }, _) => {
                    self.world.start_of(cell)
                }
                (Init::All(value), _) => self.value(value),
                (Init::List(values), _) => {
                    let values = values.iter().map(|value| self.value(value));
                    values.reduce(Range::join).unwrap_or(Range::ZERO)
                }
            };
            self.store_cell(cell, value, Some(variable.span));
        }
    }
}
