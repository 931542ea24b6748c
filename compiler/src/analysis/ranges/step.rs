//! The abstract semantics of one step.

use super::World;
use super::cells::{CellContent, CellId};
use super::environment::{Environment, KnownElement, Slots, Summary, is_same_place, is_steady};
use super::flow::FlowEdge;
use super::interval::Range;
use super::observed::Notebook;
use crate::ir::{Action, visit};
use crate::model::{BinaryOp, ChannelRef, Expr, ExprKind, Owner, Pattern, Place, ProctypeId, Target, Type};
use crate::source::Span;

/// A value that is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub cell: CellId,
    pub range: Range,
    /// Before truncation to its type.
    pub uncut: Range,
    pub span: Option<Span>,
}

/// A process, or claim, at one location, before a step.
pub(super) struct AbstractStep<'a, 'm> {
    pub world: &'a World<'a, 'm>,
    /// Number of the process or claim.
    pub by: usize,
    pub slots: &'a Slots,
    pub summary: &'a Summary,
    pub notebook: &'a Notebook,
    pub environment: Environment<'m>,
    pub writes: Vec<Write>,
    /// The processes that it starts.
    pub started: Vec<ProctypeId>,
}

impl<'m> AbstractStep<'_, 'm> {
    /// Takes the edge. Returns whether it can be enabled.
    pub fn take(&mut self, edge: &FlowEdge<'_, 'm>) -> bool {
        let is_possible = edge.refuted.iter().all(|condition| self.assume(condition, false))
            && edge.actions.iter().all(|(action, span)| self.action(action, *span));
        if !is_possible {
            return false;
        }
        for variable in edge.resets {
            for cell in self.world.cells.of_variable(*variable) {
                let idle = self.world.model.variables[*variable].ty.idle();
                self.store_cell(cell, Range::constant(idle), None);
            }
        }
        if !edge.keeps_control {
            self.environment.lose_control(self.slots);
        }
        true
    }

    fn action(&mut self, action: &Action<'m>, span: Span) -> bool {
        let mut runs = Vec::new();
        visit::action_expressions(action, &mut |part| {
            if let ExprKind::Run { proctype, arguments, .. } = &part.kind {
                runs.push((*proctype, arguments));
            }
        });
        runs.into_iter().for_each(|(proctype, arguments)| self.run(proctype, arguments, span));
        match action {
            Action::Condition(condition) => self.assume(condition, true),
            Action::Assign { target: Target::Place(place), value } => {
                self.assign(place, value, span);
                true
            }
            Action::Send { channel, message, .. } => {
                self.send(channel, message, span);
                self.meet_others(channel);
                true
            }
            Action::Receive { channel, pattern, .. } => {
                let is_possible = self.receive(channel, pattern, span);
                self.meet_others(channel);
                is_possible
            }
            Action::Assign { target: Target::Several(places), value } => {
                self.value(value);
                places.iter().for_each(|place| self.store(place, Range::ANY, Some(span)));
                true
            }
            Action::Assign { target: Target::Priority | Target::Ignore, value } => {
                self.value(value);
                true
            }
            // A failed assertion does not end a run.
            Action::Assert(condition) => {
                self.value(condition);
                true
            }
            Action::Print(_) => {
                visit::printed_values(action, &mut |value| _ = self.value(value));
                true
            }
            Action::Else
            | Action::Jump
            | Action::Event { .. }
            // The inside of a `d_step` is a part of the flow.
            | Action::DStep(_)
            | Action::End => true,
        }
    }

    pub fn run(&mut self, proctype: ProctypeId, arguments: &'m [Expr], span: Span) {
        self.started.push(proctype);
        let world = self.world;
        for ((cell, _), argument) in world.cells.arguments(proctype).zip(arguments) {
            let value = self.value(argument);
            self.write(cell, value, Some(span));
        }
    }

    fn assign(&mut self, place: &'m Place, value: &'m Expr, span: Span) {
        self.count(place, value, span);
        let stored = self.value(value);
        self.evaluate_indices(place);
        self.index_is_inside(place);
        self.store(place, stored, Some(span));
    }

    /// `x = x + k` adds to a counter.
    fn count(&mut self, place: &Place, value: &'m Expr, span: Span) {
        let counter = self.world.cell(place);
        let Some(slot) = self.slots.count(counter) else { return };
        let Some((added, is_negative)) = addition(place, value) else { return };
        let added = self.value(added);
        let before = self.environment.slots[slot];
        let sum = if is_negative { before.minus(added) } else { before.plus(added) };
        self.environment.slots[slot] = sum.wrapped();
        self.write(self.slots.list[slot].cell, sum, Some(span));
    }

    fn send(&mut self, channel: &'m ChannelRef, message: &'m [Expr], span: Span) {
        self.evaluate_indices(&channel.place);
        let values: Vec<Range> = message.iter().map(|field| self.value(field)).collect();
        for site in self.world.sites(channel) {
            for number in 0..self.world.n_fields(site) {
                let value = values.get(number as usize).copied().unwrap_or(Range::ZERO);
                self.write(self.world.cells.message(site, number), value, Some(span));
            }
        }
    }

    fn receive(&mut self, channel: &'m ChannelRef, pattern: &'m [Pattern], span: Span) -> bool {
        self.evaluate_indices(&channel.place);
        self.evaluate_pattern(pattern);
        let sites = self.world.sites(channel);
        let field = |number: u32| {
            let values = sites.iter().filter_map(|site| match number < self.world.n_fields(*site) {
                true => self.summary[self.world.cells.message(*site, number)],
                false => Some(Range::ZERO),
            });
            values.reduce(Range::join)
        };
        // Nothing is ever sent, so nothing is received.
        let Some(values) = (0..).zip(pattern).map(|(number, _)| field(number)).collect::<Option<Vec<Range>>>() else {
            return false;
        };
        for (part, value) in pattern.iter().zip(&values) {
            if let Pattern::Equal(expected) = part
                && !self.assume_in(expected, *value)
            {
                return false;
            }
        }
        for (part, value) in pattern.iter().zip(values) {
            match part {
                Pattern::Store(place) => {
                    self.evaluate_indices(place);
                    self.store(place, value, Some(span));
                }
                Pattern::Equal(_) | Pattern::Ignore => {}
            }
        }
        true
    }

    /// A rendezvous involves another process, which may move on before this one.
    fn meet_others(&mut self, channel: &ChannelRef) {
        if channel.sites.iter().any(|site| self.world.model.sites[*site].is_rendezvous()) {
            self.environment.lose_control(self.slots);
        }
    }

    fn store(&mut self, place: &'m Place, value: Range, span: Option<Span>) {
        let cell = self.world.cell(place);
        let stored = self.store_cell(cell, value, span);
        if let Some(element) = self.as_element(place) {
            self.environment.remember(KnownElement { range: stored, ..element });
        }
    }

    /// Stores a value in the cell, and returns the truncated range.
    pub fn store_cell(&mut self, cell: CellId, value: Range, span: Option<Span>) -> Range {
        let stored = self.write(cell, value, span);
        self.environment.forget_elements(&self.world.cells, cell);
        if let Some(slot) = self.slots.of(cell) {
            self.environment.slots[slot] = stored;
        }
        stored
    }

    fn write(&mut self, cell: CellId, uncut: Range, span: Option<Span>) -> Range {
        let cut = uncut.truncated(self.world.cells.list[cell].ty);
        let range = match self.world.caps.get(&cell) {
            // An empty intersection with a cap means that the step cannot happen; then any range is correct.
            Some(cap) => cut.meet(*cap).unwrap_or(*cap),
            None => cut,
        };
        let range = self.world.aged(cell, range);
        self.writes.push(Write { cell, range, uncut, span });
        range
    }

    /// An element of an array that can be distinguished from the others: its index does not change by itself.
    pub(super) fn as_element(&self, place: &'m Place) -> Option<KnownElement<'m>> {
        let cell = self.world.cell(place);
        let CellContent::Variable { id, is_single: false } = self.world.cells.list[cell].content else { return None };
        if self.world.cells.list[cell].ty == Type::Timer {
            return None;
        }
        if !self.world.is_followed[id] || self.world.writers.claims_store_in(cell) {
            return None;
        }
        let is_kept = |read: &Place| {
            let slot = self.slots.of(self.world.cell(read));
            slot.is_some_and(|slot| !self.slots.list[slot].is_shared)
        };
        let indices = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
        let is_steady = indices.into_iter().all(|index| is_steady(index, &is_kept));
        let is_own = matches!(self.world.model.variables[id].owner, Owner::Proctype(_) | Owner::Never(_));
        let is_shared = !is_own && self.world.writers.only(cell) != Some(self.by);
        is_steady.then_some(KnownElement { place, cell, range: Range::ANY, is_shared, growth: 0 })
    }
}

/// What storing a value adds to a place, and whether it is subtracted.
pub(super) fn addition<'m>(place: &Place, value: &'m Expr) -> Option<(&'m Expr, bool)> {
    let is_place = |part: &Expr| matches!(&part.kind, ExprKind::Read(read) if is_same_place(read, place));
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add, left, right) if is_place(left) => Some((right, false)),
        ExprKind::Binary(BinaryOp::Add, left, right) if is_place(right) => Some((left, false)),
        ExprKind::Binary(BinaryOp::Subtract, left, right) if is_place(left) => Some((right, true)),
        _ => None,
    }
}
