//! Ticks: where no process can move, every timer that is on is lowered by one.

use std::rc::Rc;

use pmc::model::{Model, Type, VariableId};
use pmc::source::Span;

use super::program::{Program, elements, size_of_type, size_of_variable};
use super::state::State;
use super::steps::{Step, Taken};

/// What moves on a tick: no process.
pub const TIME: usize = usize::MAX;

/// The tick out of a state in which no process can move, if a timer is on.
pub fn tick(program: &Program<'_>, state: &State) -> Option<Step> {
    let model = program.model;
    let mut after = state.clone();
    let mut is_on = false;
    for id in &model.globals {
        for at in timers(program, *id) {
            is_on |= lower(&mut Rc::make_mut(&mut after.globals)[at]);
        }
    }
    for process in &mut after.processes {
        for id in &model.proctypes[process.proctype].locals {
            for at in timers(program, *id) {
                is_on |= lower(&mut Rc::make_mut(process).locals[at]);
            }
        }
    }
    let taken =
        Taken { pid: TIME, span: Span::default(), silent: false, d_step: None, receiver: None, accesses: Vec::new() };
    is_on.then_some(Step { taken, state: after, exclusive: None, complaints: Vec::new() })
}

fn lower(timer: &mut i32) -> bool {
    let is_on = *timer >= 0;
    *timer -= i32::from(is_on);
    is_on
}

/// The scalars of a variable that are timers.
fn timers(program: &Program<'_>, id: VariableId) -> Vec<usize> {
    let variable = &program.model.variables[id];
    let mut is_timer = Vec::with_capacity(size_of_variable(program.model, id));
    scalars(program.model, variable.ty, variable.length, &mut is_timer);
    let first = program.offsets[id];
    (first..).zip(is_timer).filter(|(_, is_timer)| *is_timer).map(|(at, _)| at).collect()
}

/// For each scalar of a value whether it is a timer.
fn scalars(model: &Model, ty: Type, length: Option<u32>, found: &mut Vec<bool>) {
    for _ in 0..elements(length) {
        match ty {
            Type::Record(record) => {
                for field in &model.records[record].fields {
                    scalars(model, field.ty, field.length, found);
                }
            }
            ty => {
                debug_assert_eq!(size_of_type(model, ty), 1);
                found.push(ty == Type::Timer);
            }
        }
    }
}
