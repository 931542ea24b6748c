//! A state during one step of one process, with what the step read and wrote.

use std::rc::Rc;

use pmc::model::{Owner, Place, ProctypeId, Type, VariableId};
use pmc::source::Span;

use super::program::{Program, elements, offset_of_field, size_of_type};
use super::state::{Channel, ProcessState, State};
use super::{Fault, ViolationKind};

/// An object that a step can read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A scalar of a global variable: the variable and the number in it.
    Global(VariableId, usize),
    /// A scalar of a local variable of the process with that pid.
    Local(usize, VariableId, usize),
    /// A scalar of a local variable of the claim.
    Claim(VariableId, usize),
    /// The contents of the channel with that number.
    Channel(usize),
    /// The location of the process with that pid.
    Location(usize),
    Priority(usize),
    /// Which processes exist.
    Processes,
    Last,
    /// Whether other processes are enabled: `timeout`, `enabled`.
    Everything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    Read(Object),
    Write(Object),
}

/// The conditions under which a step is looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode<'a> {
    /// No process is enabled without `timeout`.
    pub timeout: bool,
    /// The sender of a rendezvous has moved: only a matching receive is executable.
    pub offer: Option<Offer<'a>>,
    /// No other option of the innermost choice is executable.
    pub else_holds: bool,
    /// Inside a `d_step`: the first executable option is taken.
    pub first_only: bool,
    /// How many `enabled` are nested.
    pub nested: u8,
}

/// A message that a rendezvous hands over.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// Number of the channel.
    pub channel: usize,
    pub message: &'a [i32],
}

/// The state before a step, and its changes by the step so far.
pub struct Moment<'a> {
    pub program: &'a Program<'a>,
    before: &'a State,
    after: Option<State>,
    /// The process that moves; a claim has none.
    pub me: Option<usize>,
    pub mode: Mode<'a>,
    pub accesses: Vec<Access>,
    /// Violated assertions and trace errors, which do not stop the step.
    pub complaints: Vec<Fault>,
}

impl<'a> Moment<'a> {
    pub fn new(program: &'a Program<'a>, before: &'a State, me: Option<usize>, mode: Mode<'a>) -> Self {
        Self { program, before, after: None, me, mode, accesses: Vec::new(), complaints: Vec::new() }
    }

    pub fn state(&self) -> &State {
        self.after.as_ref().unwrap_or(self.before)
    }

    pub fn state_mut(&mut self) -> &mut State {
        self.after.get_or_insert_with(|| self.before.clone())
    }

    pub fn into_state(self) -> (State, Vec<Access>, Vec<Fault>) {
        (self.after.unwrap_or_else(|| self.before.clone()), self.accesses, self.complaints)
    }

    pub fn note(&mut self, access: Access) {
        if self.program.options.accesses && !self.accesses.contains(&access) {
            self.accesses.push(access);
        }
    }

    pub fn process_mut(&mut self, pid: usize) -> &mut ProcessState {
        Rc::make_mut(&mut self.state_mut().processes[pid])
    }

    pub fn channel_mut(&mut self, number: usize) -> &mut Channel {
        Rc::make_mut(&mut self.state_mut().channels[number - 1])
    }

    pub fn proctype_of(&self, pid: usize) -> ProctypeId {
        self.state().processes[pid].proctype
    }

    /// The number of a place's scalar among those of its variable.
    fn scalar(&mut self, place: &Place) -> Result<usize, Fault> {
        let model = self.program.model;
        let variable = &model.variables[place.variable];
        let mut ty = variable.ty;
        let mut offset = self.element(place.index.as_deref(), variable.length, place.span)? * size_of_type(model, ty);
        for access in &place.fields {
            let Type::Record(record) = ty else { break };
            let field = &model.records[record].fields[access.field as usize];
            ty = field.ty;
            offset += offset_of_field(model, record, access.field as usize);
            offset += self.element(access.index.as_deref(), field.length, place.span)? * size_of_type(model, ty);
        }
        Ok(offset)
    }

    fn element(&mut self, index: Option<&pmc::model::Expr>, length: Option<u32>, span: Span) -> Result<usize, Fault> {
        let Some(index) = index else { return Ok(0) };
        let index = self.value(index)?;
        match usize::try_from(index) {
            Ok(index) if index < elements(length) => Ok(index),
            _ => Err(Fault { kind: ViolationKind::ArrayIndex, span }),
        }
    }

    /// The value of a place. Locals are those of the process with that pid.
    pub fn load(&mut self, place: &Place, pid: Option<usize>) -> Result<i32, Fault> {
        let scalar = self.scalar(place)?;
        let (object, at) = self.locate(place.variable, scalar, pid);
        self.note(Access::Read(object));
        Ok(match object {
            Object::Local(pid, ..) => self.state().processes[pid].locals[at],
            Object::Claim(..) => self.state().claim[at],
            _ => self.state().globals[at],
        })
    }

    /// Stores a value, truncated to the place's type.
    pub fn store(&mut self, place: &Place, value: i32) -> Result<(), Fault> {
        let scalar = self.scalar(place)?;
        self.store_scalar(place.variable, scalar, place.ty.truncate(value));
        Ok(())
    }

    pub fn store_scalar(&mut self, variable: VariableId, scalar: usize, value: i32) {
        let (object, at) = self.locate(variable, scalar, self.me);
        self.note(Access::Write(object));
        match object {
            Object::Local(pid, ..) => self.process_mut(pid).locals[at] = value,
            Object::Claim(..) => Rc::make_mut(&mut self.state_mut().claim)[at] = value,
            _ => Rc::make_mut(&mut self.state_mut().globals)[at] = value,
        }
    }

    fn locate(&self, variable: VariableId, scalar: usize, pid: Option<usize>) -> (Object, usize) {
        let at = self.program.offsets[variable] + scalar;
        match (self.program.model.variables[variable].owner, pid) {
            (Owner::Proctype(_), Some(pid)) => (Object::Local(pid, variable, scalar), at),
            (Owner::Never(_), _) => (Object::Claim(variable, scalar), at),
            _ => (Object::Global(variable, scalar), at),
        }
    }
}
