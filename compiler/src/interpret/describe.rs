//! How a state is shown: every variable with its name, for simulation and replay.

use pmc_runtime::model::Describe;
use pmc_runtime::step::Pid;

use super::code::Field;
use super::layout::{Base, Layout};
use super::program::Program;
use super::state::value;
use crate::analysis::places::Shape;
use crate::analysis::{Facts, Stored};
use crate::collections::{Id, IdVec};
use crate::exec;
use crate::ir;
use crate::model::{Model, Owner, ProctypeId, SiteId, Type, VariableId};
use crate::tables::{variable_names, visible};

/// The names and positions of everything that is shown.
pub struct Description {
    globals: Vec<Shown>,
    global_queues: Vec<ShownQueue>,
    processes: IdVec<ProctypeId, Locals>,
}

struct Locals {
    variables: Vec<Shown>,
    queues: Vec<ShownQueue>,
}

/// A scalar.
struct Shown {
    name: String,
    place: ShownPlace,
    ty: Type,
    /// The locations where it is dead: it was reset to 0, which the model does not say, and is not shown.
    dead: Vec<usize>,
}

enum ShownPlace {
    Constant(i32),
    Field(Field),
}

struct ShownQueue {
    name: String,
    site: u32,
    element: usize,
    types: Vec<Type>,
}

/// What a description is made from.
pub struct Source<'a> {
    pub program: &'a ir::Program<'a>,
    pub facts: &'a Facts,
    pub exec: &'a exec::Program,
    pub layout: &'a Layout,
}

impl Description {
    pub fn new(source: &Source<'_>) -> Self {
        let model = source.program.model;
        let layout = &source.facts.layout;
        let names = &variable_names(model);
        let globals = model.state_variables().flat_map(|id| source.variable(names, id, &[])).collect();
        let processes = model.proctypes.iter_enumerated().map(|(id, process)| {
            let variables = process.parameters.iter().chain(&process.locals).flat_map(|variable| {
                let dead = source.facts.dead.at[id].iter_enumerated().filter(|(_, dead)| dead.contains(variable));
                let dead: Vec<usize> = dead.map(|(at, _)| at.index()).collect();
                source.variable(names, *variable, &dead)
            });
            Locals { variables: variables.collect(), queues: source.queues(&layout.processes[id].sites) }
        });
        let processes = processes.collect();
        Self { globals, global_queues: source.queues(&layout.global_sites), processes }
    }

    pub fn describe(&self, program: &Program, words: &[u64], to: &mut dyn Describe) {
        for shown in &self.globals {
            shown.tell(program, words, None, [0; 2], to);
        }
        for queue in &self.global_queues {
            queue.tell(program, words, None, 0, to);
        }
        for pid in program.pids(words) {
            let proctype = program.proctype(words, pid);
            let location = program.location_in(words, pid, proctype);
            let locals = &self.processes[ProctypeId::from_index(proctype)];
            let slot = &program.layout.slots[pid.index()];
            for shown in locals.variables.iter().filter(|shown| !shown.dead.contains(&location)) {
                shown.tell(program, words, Some(pid), [slot.at, slot.beside], to);
            }
            for queue in &locals.queues {
                queue.tell(program, words, Some(pid), slot.at, to);
            }
        }
    }
}

impl Shown {
    fn tell(&self, program: &Program, words: &[u64], owner: Option<Pid>, bases: [usize; 2], to: &mut dyn Describe) {
        let number = match self.place {
            ShownPlace::Constant(value) => value,
            ShownPlace::Field(field) => {
                let base = match field.base {
                    Base::State => 0,
                    Base::Own | Base::Found => bases[0],
                    Base::OwnBeside | Base::FoundBeside => bases[1],
                };
                value(words, base + field.at as usize, field)
            }
        };
        to.variable(owner, format_args!("{}", self.name), format_args!("{}", text(program, self.ty, number)));
    }
}

impl ShownQueue {
    fn tell(&self, program: &Program, words: &[u64], owner: Option<Pid>, base: usize, to: &mut dyn Describe) {
        let Some(placed) = program.queue(self.site) else { return };
        let at = base + placed.at + placed.spacing.of(self.element);
        let message = |position: usize| {
            let field =
                |(number, ty): (usize, &Type)| text(program, *ty, placed.queue.field(words, at, position, number));
            let fields: Vec<String> = self.types.iter().enumerate().map(field).collect();
            format!("[{}]", fields.join(","))
        };
        let messages: String = (0..placed.queue.len(words, at)).map(message).collect();
        to.channel(owner, format_args!("{}", self.name), format_args!("{messages}"));
    }
}

/// A value as it is shown: an mtype by its name.
fn text(program: &Program, ty: Type, value: i32) -> String {
    match ty {
        Type::Mtype(id) => program.mtype_name(id.index(), value).to_owned(),
        Type::Unsigned(_) => value.cast_unsigned().to_string(),
        _ => value.to_string(),
    }
}

impl Source<'_> {
    fn model(&self) -> &Model {
        self.program.model
    }

    fn variable(&self, names: &IdVec<VariableId, String>, id: VariableId, dead: &[usize]) -> Vec<Shown> {
        let variable = &self.model().variables[id];
        if self.facts.is_fixed_channel[id] {
            return Vec::new();
        }
        let name = names[id].clone();
        let mut shown = Vec::new();
        let Some(placed) = &self.layout.variables[id] else {
            debug_assert!(self.facts.stored[id] == Stored::Constant, "only constants have no place");
            let ty = if variable.length.is_some() { variable.ty.element() } else { variable.ty };
            let values = constants(self.program, self.exec, id);
            for (number, value) in values.into_iter().enumerate() {
                let name = match variable.length {
                    Some(_) => format!("{name}[{number}]"),
                    None => name.clone(),
                };
                shown.push(Shown { name, place: ShownPlace::Constant(value), ty, dead: dead.to_vec() });
            }
            return shown;
        };
        let base = match (variable.owner, placed.is_beside) {
            (Owner::Proctype(_), false) => Base::Own,
            (Owner::Proctype(_), true) => Base::OwnBeside,
            (Owner::Global | Owner::Never(_), _) => Base::State,
        };
        let mut scalars = Vec::new();
        self.scalars(&placed.shape, placed.at, name, variable.ty, &mut scalars);
        for (name, at, scalar, ty) in scalars {
            let place = match scalar.bits {
                0 => ShownPlace::Constant(scalar.low),
                bits => ShownPlace::Field(Field {
                    at: u32::try_from(at).expect("a state has fewer than 2^32 bits"),
                    low: scalar.low,
                    bits: u8::try_from(bits).expect("at most 32"),
                    base,
                }),
            };
            shown.push(Shown { name, place, ty, dead: dead.to_vec() });
        }
        shown
    }

    fn scalars(
        &self,
        shape: &Shape,
        at: usize,
        name: String,
        ty: Type,
        all: &mut Vec<(String, usize, crate::analysis::places::Scalar, Type)>,
    ) {
        match shape {
            Shape::Scalar(scalar) => all.push((name, at, *scalar, ty)),
            Shape::Row(row) => {
                for index in 0..row.length as usize {
                    let name = format!("{name}[{index}]");
                    self.scalars(&row.element, at + row.stride.of(index), name, ty.element(), all);
                }
            }
            Shape::Record(fields) => {
                let Type::Record(record) = ty else { return };
                for (placed, field) in fields.iter().zip(&self.model().records[record].fields) {
                    let name = format!("{name}.{}", visible(&field.name));
                    self.scalars(&placed.shape, at + placed.at, name, field.ty, all);
                }
            }
            Shape::Queue(_) => {}
        }
    }

    fn queues(&self, sites: &[SiteId]) -> Vec<ShownQueue> {
        let model = self.model();
        let mut shown = Vec::new();
        for id in sites.iter().filter(|id| !model.sites[**id].is_rendezvous()) {
            let site = &model.sites[*id];
            let variable = &model.variables[site.variable];
            let is_array = site.count > 1 || variable.length.is_some();
            for element in 0..site.count as usize {
                let name = visible(&variable.name);
                let name = if is_array { format!("{name}[{element}]") } else { name };
                shown.push(ShownQueue { name, site: id.0, element, types: site.fields.clone() });
            }
        }
        shown
    }
}

/// The value of each element of a variable that always has its initial value.
pub fn constants(program: &ir::Program<'_>, exec: &exec::Program, id: VariableId) -> Vec<i32> {
    let variable = &program.model.variables[id];
    let n = variable.length.unwrap_or(1) as usize;
    let initial = match variable.owner {
        Owner::Proctype(process) => &exec.processes[process].initial,
        Owner::Global | Owner::Never(_) => &exec.initial,
    };
    let value = |cut: &exec::Cut| cut.to.truncate(cut.value.as_constant().unwrap_or(0));
    match initial.iter().find(|initial| initial.variable == id).map(|initial| &initial.values) {
        None | Some(exec::InitialValues::Channels(_)) => vec![0; n],
        Some(exec::InitialValues::All(cut)) => vec![value(cut); n],
        Some(exec::InitialValues::List(cuts)) => cuts.iter().map(value).collect(),
    }
}
