//! The image of a state of the tests' interpreter under an exchange of two members.
//!
//! The letters before the `_` of a name say what a variable is: `i` is indexed by pids, `m` holds pids. The same holds for
//! fields of records, and fields of messages hold pids if that is their type.

use std::rc::Rc;

use pmc::model::{Owner, Type, VariableId};

use crate::interpret::Program;
use crate::interpret::program::{elements, offset_of_field, size_of_type};
use crate::interpret::state::{Channel, ProcessState, State};

pub struct Exchange<'a> {
    pub program: &'a Program<'a>,
    /// The pid of member 0.
    pub base: usize,
    pub size: usize,
    pub pair: (usize, usize),
}

/// What is moved and where it is put.
struct Move<'s> {
    from: &'s [i32],
    to: &'s mut [i32],
}

impl Exchange<'_> {
    pub fn state(&self, state: &State) -> State {
        let mut image = state.clone();
        let mut globals = (*state.globals).clone();
        self.variables(Owner::Global, &state.globals, &mut globals);
        image.globals = Rc::new(globals);
        for (pid, process) in state.processes.iter().enumerate() {
            let mut locals = process.locals.clone();
            self.variables(Owner::Proctype(process.proctype), &process.locals, &mut locals);
            image.processes[self.number(pid)] = Rc::new(ProcessState { locals, ..(**process).clone() });
        }
        for (number, channel) in state.channels.iter().enumerate() {
            let first = state.channels.iter().position(|other| other.site == channel.site).unwrap_or(number);
            let model = self.program.model;
            let site = &model.sites[channel.site];
            let is_indexed = kinds(&model.variables[site.variable].name).0;
            let to = if is_indexed { first + self.number(number - first) } else { number };
            let field = |(value, ty): (&i32, &Type)| if *ty == Type::Pid { self.value(*value) } else { *value };
            let message = |message: &Vec<i32>| message.iter().zip(&site.fields).map(field).collect();
            let messages = channel.messages.iter().map(message).collect();
            image.channels[to] = Rc::new(Channel { site: channel.site, messages });
        }
        image
    }

    fn variables(&self, owner: Owner, from: &[i32], to: &mut [i32]) {
        let variables = self.program.model.variables.iter_enumerated().filter(|(_, variable)| variable.owner == owner);
        for (id, variable) in variables {
            if variable.ty != Type::Chan {
                self.variable(id, Move { from, to });
            }
        }
    }

    fn variable(&self, id: VariableId, of: Move<'_>) {
        let variable = &self.program.model.variables[id];
        let at = self.program.offsets[id];
        self.items(&variable.name, variable.ty, variable.length, (at, at), of);
    }

    fn items(&self, name: &str, ty: Type, length: Option<u32>, at: (usize, usize), of: Move<'_>) {
        let model = self.program.model;
        let (is_indexed, holds) = kinds(name);
        let size = size_of_type(model, ty);
        let Move { from, to } = of;
        for index in 0..elements(length) {
            let target = if is_indexed && length.is_some() { self.number(index) } else { index };
            let (source, target) = (at.0 + index * size, at.1 + target * size);
            let Type::Record(record) = ty else {
                to[target] = if holds { self.value(from[source]) } else { from[source] };
                continue;
            };
            for (number, field) in model.records[record].fields.iter().enumerate() {
                let offset = offset_of_field(model, record, number);
                let at = (source + offset, target + offset);
                self.items(&field.name, field.ty, field.length, at, Move { from, to: &mut *to });
            }
        }
    }

    fn value(&self, value: i32) -> i32 {
        usize::try_from(value).map_or(value, |pid| i32::try_from(self.number(pid)).unwrap_or(value))
    }

    /// The image of a pid.
    fn number(&self, pid: usize) -> usize {
        let is_member = |member: usize| member < self.size && pid == self.base + member;
        let (one, other) = self.pair;
        if is_member(one) {
            self.base + other
        } else if is_member(other) {
            self.base + one
        } else {
            pid
        }
    }
}

/// Whether a name is that of an array by pids, and of something that holds pids.
fn kinds(name: &str) -> (bool, bool) {
    let letters = name.split_once('_').map_or("", |(letters, _)| letters);
    (letters.contains('i'), letters.contains('m'))
}
