//! Initial values.

use super::super::code::{Field, Op, Target, Truncation};
use super::super::layout::Base;
use super::super::ticks::Timers;
use super::expr::{RESULT, above, channel_owner};
use super::{Lowering, address, small_bits};
use crate::analysis::places::{Scalar, Shape};
use crate::exec::{self, Cut, Initial, InitialValues, Timer};
use crate::model::{Owner, VariableId};

impl Lowering<'_> {
    /// Code that gives variables their initial values. The words are 0 before.
    pub fn initial(&mut self, initial: &[Initial], variables: impl Iterator<Item = VariableId>) -> Target {
        let entry = self.here();
        for variable in variables {
            self.zeros(variable);
        }
        for one in initial {
            if self.layout.variables[one.variable].is_some() {
                self.initial_value(one);
            }
        }
        self.emit(Op::Done);
        entry
    }

    /// A stored 0 is not always a value of 0: ranges are stored from their least value on.
    fn zeros(&mut self, variable: VariableId) {
        let Some(placed) = &self.layout.variables[variable] else { return };
        let mut scalars = Vec::new();
        all_scalars(&placed.shape, placed.at, &mut scalars);
        let (base, first) = self.own_base(variable);
        for (at, scalar) in scalars.into_iter().filter(|(_, scalar)| scalar.low != 0) {
            self.put(field(base, first + at, scalar), 0);
        }
    }

    /// Where the timers are that a tick lowers.
    pub fn timers(&self) -> Timers {
        Timers {
            globals: self.fields_of(&self.exec.timers),
            locals: self.exec.processes.iter().map(|process| self.fields_of(&process.timers)).collect(),
            at_once: self.exec.ticks_at_once,
            are_abstract: self.program.model.abstract_time,
        }
    }

    fn fields_of(&self, timers: &[Timer]) -> Vec<Field> {
        let mut fields = Vec::new();
        for timer in timers {
            let placed = self.layout.variables[timer.variable].as_ref().expect("a timer is stored");
            let mut elements = Vec::new();
            elements_at(&placed.shape, placed.at, &timer.path, &mut elements);
            let (base, first) = self.own_base(timer.variable);
            fields.extend(elements.into_iter().map(|(at, scalar)| field(base, first + at, scalar)));
        }
        fields
    }

    fn own_base(&self, variable: VariableId) -> (Base, usize) {
        let owner = match self.program.model.variables[variable].owner {
            Owner::Proctype(_) => exec::Owner::Own,
            Owner::Global | Owner::Never(_) => exec::Owner::State,
        };
        self.base(owner, variable)
    }

    fn initial_value(&mut self, initial: &Initial) {
        let placed = self.layout.variables[initial.variable].as_ref().expect("a variable with a place");
        let mut elements = Vec::new();
        elements_at(&placed.shape, placed.at, &initial.path, &mut elements);
        let (base, first) = self.own_base(initial.variable);
        let fields: Vec<Field> = elements.into_iter().map(|(at, scalar)| field(base, first + at, scalar)).collect();
        match &initial.values {
            InitialValues::All(cut) => {
                self.value(&cut.value, RESULT);
                for field in fields {
                    self.store_initial(cut, field);
                }
            }
            InitialValues::List(cuts) => {
                // Every row of an array of records has the same list.
                let mut values = cuts.iter().cycle();
                if cuts.iter().all(|cut| cut.value.as_constant().is_some()) {
                    for (field, cut) in fields.into_iter().zip(values) {
                        let value = cut.value.as_constant().expect("a constant");
                        self.put(field, cut.to.truncate(value));
                    }
                    return;
                }
                for field in fields {
                    let cut = values.next().expect("a list has a value");
                    self.value(&cut.value, RESULT);
                    self.store_initial(cut, field);
                }
            }
            InitialValues::Channels(site) => {
                let owner = match self.program.model.variables[initial.variable].owner {
                    Owner::Proctype(_) => channel_owner(exec::Owner::Own),
                    Owner::Global | Owner::Never(_) => channel_owner(exec::Owner::State),
                };
                for (number, field) in (0..).zip(fields) {
                    self.first_number(*site, owner, RESULT);
                    self.emit(Op::Constant { to: above(RESULT), value: number });
                    self.emit(Op::ChannelElement { to: RESULT, element: above(RESULT) });
                    if field.bits > 0 {
                        self.emit(Op::Store { field, from: RESULT, truncation: Truncation::NONE });
                    }
                }
            }
        }
    }

    fn store_initial(&mut self, cut: &Cut, field: Field) {
        if field.bits > 0 {
            self.emit(Op::Store { field, from: RESULT, truncation: Truncation::to(cut.to) });
        }
    }
}

fn field(base: Base, at: usize, scalar: Scalar) -> Field {
    Field { at: address(at), low: scalar.low, bits: small_bits(scalar.bits), base }
}

/// Every scalar of a shape.
fn all_scalars(shape: &Shape, at: usize, all: &mut Vec<(usize, Scalar)>) {
    match shape {
        Shape::Scalar(scalar) => all.push((at, *scalar)),
        Shape::Row(row) => {
            (0..row.length as usize).for_each(|index| all_scalars(&row.element, at + row.stride.of(index), all));
        }
        Shape::Record(fields) => fields.iter().for_each(|field| all_scalars(&field.shape, at + field.at, all)),
        Shape::Queue(_) => {}
    }
}

/// Every scalar that a path of fields leads to, the innermost index fastest.
fn elements_at(shape: &Shape, at: usize, path: &[u32], all: &mut Vec<(usize, Scalar)>) {
    match shape {
        Shape::Scalar(scalar) => all.push((at, *scalar)),
        Shape::Row(row) => {
            (0..row.length as usize).for_each(|index| elements_at(&row.element, at + row.stride.of(index), path, all));
        }
        Shape::Record(fields) => {
            if let [first, rest @ ..] = path {
                let field = &fields[*first as usize];
                elements_at(&field.shape, at + field.at, rest, all);
            }
        }
        Shape::Queue(_) => {}
    }
}
