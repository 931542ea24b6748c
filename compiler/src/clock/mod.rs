//! A timed model as plain Promela, which Spin reads: timers are numbers, and a process lowers them where nobody else can
//! move.
//!
//! ```promela
//! timer t;                                    short t = -1;
//! active proctype P() {                       active proctype Clock() {
//!   delay(t, 2)                               end: do
//! }                                             :: d_step { timeout && t >= 0 -> t = (t >= 0 -> t - 1 : t) }
//!                                               od
//!                                             }
//!                                             active proctype P() { t = 2; t == 0 }
//! ```
//!
//! The clock is the first process, so that it keeps no other from ending; every pid in the text is one higher then.
//! Timers of processes move to globals ([`homes`]), since another process cannot reach them. States and transitions are
//! those of the timed model, one by one. What plain Promela cannot say is refused: that timers go with their process
//! ([`ends`]), and a `timeout` that comes before a tick.

mod build;
mod ends;
mod expr;
mod homes;
mod statement;

use crate::analysis::{Population, Ranges};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::Program;
use crate::model::{Init, Model, Origin, Type, VariableId, codes};
use crate::source::{Name, Span};
use crate::syntax::ast::{
    BinaryOp, Block, Declaration, ExprKind, File, Initializer, InitializerKind, Item, ItemKind, StatementKind,
    TypeKind, VarRef, Visibility,
};
use build::{Names, at_least_zero, binary, int, lowered};
use homes::{Home, Homes};

/// More timers than this would make a clock that nobody could read.
const MOST_TIMERS: usize = 2_000;

/// What is known of a model and needed here.
pub struct Known<'k> {
    pub program: &'k Program<'k>,
    pub ranges: &'k Ranges,
    pub population: &'k Population,
}

/// The plain model; a model without timers as it is.
pub fn add(mut file: File, known: &Known<'_>, diagnostics: &mut Diagnostics) -> File {
    let model = known.program.model;
    if !model.variables.iter().any(|variable| model.has_timer(variable.ty)) {
        return file;
    }
    ends::check(known.program, diagnostics);
    let mut names = Names::of(&file);
    let homes = Homes::new(known, &mut names, diagnostics);
    let clock = names.fresh("Clock");
    let mut plain = Plain {
        model,
        homes: &homes,
        number: number_type(known),
        diagnostics,
        scopes: Vec::new(),
        locals: Vec::new().into_iter(),
        at_head: false,
        here: None,
    };
    file.items.iter_mut().for_each(|item| plain.item(item));
    let (declarations, processes): (Vec<Item>, Vec<Item>) = file.items.into_iter().partition(|item| {
        matches!(
            item.kind,
            ItemKind::Mtype { .. } | ItemKind::Typedef { .. } | ItemKind::Global(_) | ItemKind::C { .. }
        )
    });
    let mut items = declarations;
    items.extend(homes.all.iter().flat_map(|home| home.declare(model, &plain.number)));
    items.push(plain.clock(&clock));
    items.extend(processes);
    File { items }
}

/// What holds the value of every timer, and -1.
fn number_type(known: &Known<'_>) -> TypeKind {
    let model = known.program.model;
    let fits = |id: VariableId, ty: Type| {
        let mut all_fit = true;
        scalars(model, ty, &mut Vec::new(), &mut |path| {
            all_fit &= known.ranges.variable(model, id, path).high <= i64::from(i16::MAX);
        });
        all_fit
    };
    let all_fit = model.variables.iter_enumerated().all(|(id, variable)| fits(id, variable.ty));
    if all_fit { TypeKind::Short } else { TypeKind::Int }
}

/// Visits the path to each timer in a value.
fn scalars(model: &Model, ty: Type, path: &mut Vec<u32>, visit: &mut dyn FnMut(&[u32])) {
    match ty {
        Type::Timer => visit(path),
        Type::Record(record) => {
            for (field, number) in model.records[record].fields.iter().zip(0..) {
                path.push(number);
                scalars(model, field.ty, path, visit);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The model on its way from timers to numbers.
struct Plain<'p> {
    model: &'p Model,
    homes: &'p Homes,
    number: TypeKind,
    diagnostics: &'p mut Diagnostics,
    /// The names that the process declares, innermost block last. Options of `if` and `do` belong to the block around.
    scopes: Vec<Vec<(Name, VariableId)>>,
    /// The locals of the process that were not declared yet.
    locals: std::vec::IntoIter<VariableId>,
    /// The process has contained only declarations so far.
    at_head: bool,
    /// Where the timers of the process are.
    here: Option<&'p Home>,
}

impl<'p> Plain<'p> {
    fn refuse(&mut self, span: Span, message: &str, help: &str) {
        let message = format!("{message}, which plain Promela cannot say");
        self.diagnostics.add(Diagnostic::error(codes::UNSUPPORTED, span, message).help(help));
    }

    fn item(&mut self, item: &mut Item) {
        match &mut item.kind {
            ItemKind::Typedef { name, fields } => {
                let record = self.model.records.iter().find(|record| record.name == name.name);
                let known = |name: &Name| {
                    let field = record?.fields.iter().find(|field| field.name == *name);
                    field.map(|field| &field.init)
                };
                fields.iter_mut().for_each(|field| self.declaration(field, known));
            }
            ItemKind::Global(declaration) => {
                let model = self.model;
                let global = |name: &Name| {
                    let mut globals = model.globals.iter().map(|id| &model.variables[*id]);
                    globals.find(|variable| variable.name == *name).map(|variable| &variable.init)
                };
                self.declaration(declaration, global);
            }
            ItemKind::Proctype(proctype) => {
                if let Some(provided) = &mut proctype.provided {
                    *provided = self.expr(provided);
                }
                self.process(&proctype.name.name, &mut proctype.body);
            }
            ItemKind::Init { body, .. } => self.process("init", body),
            ItemKind::Never { body, .. } | ItemKind::Trace { body, .. } => self.body(body),
            ItemKind::Ltl { formula, .. } => *formula = self.expr(formula),
            ItemKind::Mtype { .. } | ItemKind::C { .. } => {}
        }
    }

    fn process(&mut self, name: &str, body: &mut Block) {
        let model = self.model;
        let found = model.proctypes.iter_enumerated().find(|(_, process)| *process.name == *name);
        let declared: Vec<VariableId> = found.map_or(Vec::new(), |(_, process)| {
            process.locals.iter().copied().filter(|id| model.variables[*id].origin == Origin::Declared).collect()
        });
        self.locals = declared.into_iter();
        self.here = found.and_then(|(id, _)| self.homes.of(id));
        self.at_head = true;
        self.body(body);
        self.here = None;
        self.scopes.clear();
    }

    /// A declaration that stays where it is, with the initial values that the resolved model knows.
    fn declaration<'i>(&self, declaration: &mut Declaration, init: impl Fn(&Name) -> Option<&'i Init>) {
        // The clock uses the variable too.
        if declaration.visibility == Some(Visibility::Local) && self.has_timer(declaration) {
            declaration.visibility = None;
        }
        if declaration.ty.kind != TypeKind::Timer {
            return;
        }
        declaration.ty.kind = self.number.clone();
        for declarator in &mut declaration.variables {
            declarator.init = init(&declarator.name.name).map(|init| numbers(init, declarator.span));
        }
    }

    fn has_timer(&self, declaration: &Declaration) -> bool {
        match &declaration.ty.kind {
            TypeKind::Timer => true,
            TypeKind::Record(name) => {
                let mut records = self.model.records.iter_enumerated();
                records.any(|(id, record)| record.name == name.name && self.model.has_timer(Type::Record(id)))
            }
            _ => false,
        }
    }

    fn clock(&mut self, name: &Name) -> Item {
        let mut timers = Vec::new();
        for id in &self.model.globals {
            let variable = &self.model.variables[*id];
            self.elements(VarRef::new(build::ident(&variable.name)), variable.ty, variable.length, &mut timers);
        }
        for home in &self.homes.all {
            for element in 0..home.count {
                for (id, field) in &home.fields {
                    let variable = &self.model.variables[*id];
                    let index = (!home.is_alone()).then(|| int(element.cast_signed()));
                    let base = build::in_record(&home.name, index, field);
                    self.elements(base, variable.ty, variable.length, &mut timers);
                }
            }
        }
        if timers.len() > MOST_TIMERS {
            let message = format!("more than {MOST_TIMERS} timers, which are too many for a clock in plain Promela");
            let largest = self.model.variables.iter().filter(|variable| self.model.has_timer(variable.ty));
            let largest =
                largest.max_by_key(|variable| variable.length).map_or(Span::default(), |variable| variable.span);
            self.diagnostics.add(Diagnostic::error(codes::UNSUPPORTED, largest, message));
        }
        let are_on =
            timers.iter().map(|timer| at_least_zero(timer.clone())).reduce(|all, one| binary(BinaryOp::Or, all, one));
        let guard = binary(BinaryOp::And, build::expr(ExprKind::Timeout), are_on.unwrap_or_else(|| int(0)));
        let mut tick = vec![build::statement(StatementKind::Expr(guard))];
        tick.extend(timers.iter().map(lowered));
        build::clock(name, tick)
    }

    /// Each timer in a variable or field.
    fn elements(&self, at: VarRef, ty: Type, length: Option<u32>, found: &mut Vec<VarRef>) {
        if !self.model.has_timer(ty) || found.len() > MOST_TIMERS {
            return;
        }
        for element in 0..length.unwrap_or(1) {
            let mut one = at.clone();
            if length.is_some() {
                build::set_index(&mut one, int(element.cast_signed()));
            }
            let Type::Record(record) = ty else {
                found.push(one);
                continue;
            };
            for field in &self.model.records[record].fields {
                let mut inside = one.clone();
                inside.fields.push(build::field(&field.name, None));
                self.elements(inside, field.ty, field.length, found);
            }
        }
    }
}

/// Initial values as the resolved model knows them: each is a constant here.
fn numbers(init: &Init, span: Span) -> Initializer {
    let number = |value: &crate::model::Expr| int(Type::Timer.truncate(value.as_constant().unwrap_or(-1)));
    let kind = match init {
        Init::All(value) => InitializerKind::Value(number(value)),
        Init::List(values) => InitializerKind::List(values.iter().map(number).collect()),
        Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => InitializerKind::Value(int(0)),
    };
    Initializer { kind, span }
}
