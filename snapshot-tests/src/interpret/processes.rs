//! How processes and variables are created, and how processes end.

use std::rc::Rc;

use pmc::model::{Expr, Init, ProctypeId, Record, Type, VariableId};
use pmc::source::Span;

use super::moment::{Access, Mode, Moment, Object};
use super::program::{Program, elements, size_of_type, size_of_variable};
use super::state::{ProcessState, State};
use super::{Fault, ViolationKind};

/// Spin's limit on processes that exist at one time.
const MAX_PROCESSES: usize = 255;

/// The default priority of a process.
const DEFAULT_PRIORITY: i32 = 1;

/// The initial state, and a fault in an initialiser, if there is one.
pub fn initial_state(program: &Program<'_>) -> (State, Option<Fault>) {
    let empty = State {
        globals: Rc::new(vec![0; program.n_globals()]),
        processes: Vec::new(),
        channels: Vec::new(),
        last: 0,
        trace: program.trace.as_ref().map(super::traces::Automaton::start),
        claim: Rc::default(),
    };
    let mut moment = Moment::new(program, &empty, None, Mode::default());
    let fault = moment.set_up().err();
    (moment.into_state().0, fault)
}

/// The state with the locals of a never claim in it.
pub fn with_claim(program: &Program<'_>, state: &State, claim: usize) -> Result<State, Fault> {
    let locals = &program.model.never[claim].locals;
    let scalars = locals.iter().map(|local| size_of_variable(program.model, *local)).sum();
    let state = State { claim: Rc::new(vec![0; scalars]), ..state.clone() };
    let mut moment = Moment::new(program, &state, None, Mode::default());
    locals.iter().try_for_each(|local| moment.initialize(*local))?;
    Ok(moment.into_state().0)
}

impl Moment<'_> {
    fn set_up(&mut self) -> Result<(), Fault> {
        let model = self.program.model;
        for variable in &model.globals {
            self.initialize(*variable)?;
        }
        for proctype in &model.initial {
            self.start(*proctype, &[], None)?;
        }
        Ok(())
    }

    /// `run`: the pid of the new process.
    pub fn run(
        &mut self,
        proctype: ProctypeId,
        arguments: &[Expr],
        priority: Option<i32>,
        span: Span,
    ) -> Result<i32, Fault> {
        self.note(Access::Write(Object::Processes));
        if self.state().processes.len() >= MAX_PROCESSES {
            return Err(Fault { kind: ViolationKind::TooManyProcesses, span });
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let pid = self.start(proctype, &values, priority)?;
        Ok(i32::try_from(pid).unwrap_or(0))
    }

    /// A new process with the next pid. Arguments that are not given are 0.
    fn start(&mut self, proctype: ProctypeId, arguments: &[i32], priority: Option<i32>) -> Result<usize, Fault> {
        let program = self.program;
        let process = &program.model.proctypes[proctype];
        let pid = self.state().processes.len();
        let newcomer = ProcessState {
            proctype,
            at: program.codes[proctype].start,
            locals: vec![0; program.n_locals(proctype)],
            priority: priority.or(process.priority).unwrap_or(DEFAULT_PRIORITY),
            first_channel: self.state().channels.len(),
        };
        self.state_mut().processes.push(Rc::new(newcomer));
        let parent = self.me.replace(pid);
        let scalars = program.model.parameter_scalars(proctype);
        for (number, scalar) in scalars.iter().enumerate() {
            let value = arguments.get(number).copied().unwrap_or(0);
            // Those of one parameter follow each other.
            let within = scalars[..number].iter().filter(|earlier| earlier.variable == scalar.variable).count();
            self.store_scalar(scalar.variable, within, scalar.ty.truncate(value));
        }
        let set = process.locals.iter().try_for_each(|local| self.initialize(*local));
        self.me = parent;
        set.map(|()| pid)
    }

    /// Removes the youngest process, and its channels.
    pub fn die(&mut self, pid: usize) {
        self.note(Access::Write(Object::Processes));
        let state = self.state_mut();
        state.channels.truncate(state.processes[pid].first_channel);
        state.processes.truncate(pid);
    }

    /// Gives a variable its initial value.
    fn initialize(&mut self, variable: VariableId) -> Result<(), Fault> {
        let declared = &self.program.model.variables[variable];
        let ty = if declared.length.is_some() { declared.ty.element() } else { declared.ty };
        self.set(variable, 0, ty, elements(declared.length), &declared.init, &mut Vec::new())
    }

    /// Sets the elements of a variable or of a field. `path` holds the numbers
    /// of the fields that lead to it.
    fn set(
        &mut self,
        variable: VariableId,
        first: usize,
        ty: Type,
        count: usize,
        init: &Init,
        path: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        let size = size_of_type(self.program.model, ty);
        for element in 0..count {
            let scalar = first + element * size;
            if let Type::Record(record) = ty {
                let record: &Record = &self.program.model.records[record];
                self.set_fields(variable, scalar, record, path)?;
                continue;
            }
            let value = match init {
                Init::Zero => 0,
                Init::All(value) => self.value(value)?,
                Init::List(values) => match values.get(element).or(values.last()) {
                    Some(value) => self.value(value)?,
                    None => 0,
                },
                Init::Channel(site) => self.new_channel(*site),
                Init::FieldChannel { .. } => {
                    let mut sites = self.program.model.sites.iter_enumerated();
                    let site = sites.find(|(_, site)| site.variable == variable && site.path == *path);
                    site.map_or(0, |(id, _)| self.new_channel(id))
                }
            };
            self.store_scalar(variable, scalar, ty.truncate(value));
        }
        Ok(())
    }

    fn set_fields(
        &mut self,
        variable: VariableId,
        first: usize,
        record: &Record,
        path: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        let mut offset = 0;
        for (number, field) in record.fields.iter().enumerate() {
            let ty = if field.length.is_some() { field.ty.element() } else { field.ty };
            path.push(u32::try_from(number).unwrap_or(u32::MAX));
            let done = self.set(variable, first + offset, ty, elements(field.length), &field.init, path);
            path.pop();
            done?;
            offset += size_of_type(self.program.model, ty) * elements(field.length);
        }
        Ok(())
    }
}
