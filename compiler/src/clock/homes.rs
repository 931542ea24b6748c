//! Where the timers of processes move to: globals, with an element for each process of the proctype.

use super::build::{self, Names, int};
use super::{Known, numbers};
use crate::collections::IdVec;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Init, Model, ProctypeId, Type, Variable, VariableId, codes};
use crate::source::Name;
use crate::syntax::ast::{Declaration, Declarator, Expr, Item, ItemKind, TypeKind, TypeName, VarRef};

/// There cannot be more processes.
const MOST_PROCESSES: u32 = 255;

/// The timers of one proctype.
pub struct Home {
    pub name: Name,
    record: Name,
    /// The pid of the process that has element 0; the clock is process 0.
    first: u32,
    pub count: u32,
    is_started: bool,
    /// The field of each local with timers in it.
    pub fields: Vec<(VariableId, Name)>,
}

impl Home {
    /// Whether there is only one process, so that no array is needed.
    pub fn is_alone(&self) -> bool {
        self.count == 1 && !self.is_started
    }

    /// The place of a local of the process that asks.
    pub fn place(&self, id: VariableId) -> Option<VarRef> {
        let (_, field) = self.fields.iter().find(|(local, _)| *local == id)?;
        let own = build::read(VarRef::new(build::ident("_pid")));
        let index = (!self.is_alone()).then(|| build::plus(own, -self.first.cast_signed()));
        Some(build::in_record(&self.name, index, field))
    }

    /// The record of the timers of a process, and the records of all.
    pub fn declare(&self, model: &Model, number: &TypeKind) -> Vec<Item> {
        let of = |(id, name): &(VariableId, Name)| {
            let variable = &model.variables[*id];
            let is_timer = variable.ty == Type::Timer;
            let kind = match variable.ty {
                Type::Record(record) => TypeKind::Record(build::ident(&model.records[record].name)),
                _ => number.clone(),
            };
            let init = is_timer.then(|| numbers(&variable.init, variable.span));
            let size = variable.length.map(|length| int(length.cast_signed()));
            declaration(kind, Declarator { init, ..declarator(name, size) })
        };
        let record =
            ItemKind::Typedef { name: build::ident(&self.record), fields: self.fields.iter().map(of).collect() };
        let size = (!self.is_alone()).then(|| int(self.count.cast_signed()));
        let all = declaration(TypeKind::Record(build::ident(&self.record)), declarator(&self.name, size));
        let item = |kind| Item { kind, span: build::MADE, comment: None };
        vec![item(record), item(ItemKind::Global(all))]
    }
}

pub fn declarator(name: &str, size: Option<Expr>) -> Declarator {
    Declarator { name: build::ident(name), width: None, size, init: None, span: build::MADE }
}

pub fn declaration(kind: TypeKind, declarator: Declarator) -> Declaration {
    let ty = TypeName { kind, span: build::MADE };
    Declaration { visibility: None, ty, variables: vec![declarator], span: build::MADE }
}

/// By proctype.
pub struct Homes {
    pub all: Vec<Home>,
    of: IdVec<ProctypeId, Option<usize>>,
}

impl Homes {
    pub fn new(known: &Known<'_>, names: &mut Names, diagnostics: &mut Diagnostics) -> Self {
        let model = known.program.model;
        let mut all = Vec::new();
        let mut of = IdVec::new();
        for (id, process) in model.proctypes.iter_enumerated() {
            let timers = process.locals.iter().filter(|local| model.has_timer(model.variables[**local].ty));
            let mut taken: Vec<Name> = Vec::new();
            let mut fields = Vec::new();
            for local in timers {
                // Blocks beside each other may use a name twice.
                let mut name = model.variables[*local].name.to_string();
                while taken.iter().any(|other| **other == *name) {
                    name.push('_');
                }
                taken.push(Name::from(name.as_str()));
                fields.push((*local, Name::from(name)));
            }
            if fields.is_empty() {
                of.push(None);
                continue;
            }
            let n_active = model.initial.iter().filter(|active| **active == id).count();
            let is_started = known.population.started[id].is_none_or(|started| started as usize > n_active);
            let pid = model.initial.iter().position(|active| *active == id).unwrap_or(0);
            let (first, count) = if is_started {
                (1, known.population.bound.unwrap_or(MOST_PROCESSES - 1))
            } else {
                (1 + u32::try_from(pid).unwrap_or(0), u32::try_from(n_active).unwrap_or(MOST_PROCESSES).max(1))
            };
            fields
                .iter()
                .for_each(|(local, _)| check_initial(&model.variables[*local], model, is_started, diagnostics));
            let home = Home {
                name: names.fresh(&format!("timers_of_{}", process.name)),
                record: names.fresh(&format!("Timers_of_{}", process.name)),
                first,
                count,
                is_started,
                fields,
            };
            of.push(Some(all.len()));
            all.push(home);
        }
        Self { all, of }
    }

    pub fn of(&self, proctype: ProctypeId) -> Option<&Home> {
        self.of[proctype].map(|number| &self.all[number])
    }
}

/// The initial value must be known before the process is there; the global of a process that is started later has it
/// from the beginning.
fn check_initial(variable: &Variable, model: &Model, is_started: bool, diagnostics: &mut Diagnostics) {
    let message = match &variable.init {
        _ if variable.ty != Type::Timer => return check_fields(variable, model, is_started, diagnostics),
        Init::All(value) => match value.as_constant() {
            None => "has an initial value that is computed",
            Some(0..) if is_started => "is on at first in a process that is started later",
            Some(_) => return,
        },
        _ => "has several initial values",
    };
    refuse(variable, message, diagnostics);
}

fn check_fields(variable: &Variable, model: &Model, is_started: bool, diagnostics: &mut Diagnostics) {
    if is_started && super::ends::may_be_on(model, variable.ty, &variable.init) {
        refuse(variable, "has a timer that is on at first in a process that is started later", diagnostics);
    }
}

fn refuse(variable: &Variable, why: &str, diagnostics: &mut Diagnostics) {
    let message = format!("`{}` {why}, which plain Promela cannot say", variable.name);
    let error = Diagnostic::error(codes::UNSUPPORTED, variable.span, message);
    diagnostics.add(error.help("let the first statement of the process set the timer"));
}
