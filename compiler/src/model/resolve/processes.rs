//! Proctypes, `init`, claims and traces.

use std::rc::Rc;

use super::Resolver;
use crate::collections::Id;
use crate::diagnostic::Diagnostic;
use crate::model::resolve::labels::{Labels, ScopePath};
use crate::model::{
    ChannelRef, Expr, LabelId, Origin, Owner, Process, ProcessKind, ProctypeId, Side, Statement, Trace, Type,
    VariableId, codes,
};
use crate::source::{Name, Span};
use crate::syntax::ast;

/// More processes than this cannot exist at once.
const MOST_PROCESSES: usize = 255;

/// The kind of text that is being resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Outside,
    Process,
    Never,
    Trace,
    Formula,
}

impl Setting {
    /// Whether it observes processes rather than being one.
    pub fn is_claim(self) -> bool {
        matches!(self, Setting::Never | Setting::Trace | Setting::Formula)
    }
}

/// The context of the statement or expression that is being resolved.
pub(super) struct Surroundings<'a> {
    pub owner: Owner,
    pub setting: Setting,
    pub labels: Rc<Labels>,
    pub position: ScopePath,
    /// Every `goto` so far, with its place.
    pub jumps: Vec<(LabelId, Span)>,
    /// Labels behind the initialisation of a loop, with what is initialised.
    pub behind_initialisation: Vec<(LabelId, String)>,
    /// The enclosing loops, innermost last, each with its `d_step`.
    pub loops: Vec<u32>,
    /// The enclosing calls of inlines, innermost last: the target of the value of each.
    pub results: Vec<Option<&'a ast::VarRef>>,
    pub locals: Vec<VariableId>,
    pub exclusive: Vec<(Side, ChannelRef)>,
    /// This process has contained only declarations so far.
    pub at_head: bool,
    /// The next statement is the first of an option.
    pub is_guard: bool,
    /// Why `run` may not be used here.
    pub run_ban: Option<&'static str>,
    pub n_runs: u32,
    /// The context requires a value rather than a condition.
    pub is_value: bool,
}

impl Surroundings<'_> {
    pub(super) fn outside() -> Self {
        Self {
            owner: Owner::Global,
            setting: Setting::Outside,
            labels: Rc::default(),
            position: ScopePath::default(),
            jumps: Vec::new(),
            behind_initialisation: Vec::new(),
            loops: Vec::new(),
            results: Vec::new(),
            locals: Vec::new(),
            exclusive: Vec::new(),
            at_head: false,
            is_guard: false,
            run_ban: None,
            n_runs: 0,
            is_value: false,
        }
    }

    fn within(owner: Owner, setting: Setting, labels: Rc<Labels>) -> Self {
        Self { owner, setting, labels, at_head: true, ..Self::outside() }
    }
}

/// The parts of a process that its declaration gives, beside the body.
struct Heading {
    name: Name,
    kind: ProcessKind,
    parameters: Vec<VariableId>,
    priority: Option<i32>,
    provided: Option<Expr>,
    deterministic: bool,
    span: Span,
    comment: Option<Name>,
}

impl Heading {
    fn new(name: Name, kind: ProcessKind, span: Span, item: &ast::Item) -> Self {
        Self {
            name,
            kind,
            parameters: Vec::new(),
            priority: None,
            provided: None,
            deterministic: false,
            span,
            comment: item.comment.clone(),
        }
    }
}

impl<'a> Resolver<'a> {
    fn enter_process(&mut self) -> ProctypeId {
        let id = ProctypeId::from_index(self.model.proctypes.len());
        let labels = self.headers[id].labels.clone();
        self.here = Surroundings::within(Owner::Proctype(id), Setting::Process, labels);
        id
    }

    pub(super) fn proctype(&mut self, item: &'a ast::Item, proctype: &'a ast::Proctype) {
        let id = self.enter_process();
        let mut heading = Heading::new(proctype.name.name.clone(), ProcessKind::Proctype, proctype.name.span, item);
        if let Some(earlier) = self.scopes.find(&proctype.name.name) {
            let message = format!("`{}` is already the name of something else", proctype.name.name);
            let error =
                Diagnostic::error(codes::REDECLARED, proctype.name.span, message).label(earlier.span, "declared here");
            self.diagnostics.add(error);
        }
        let n_active = proctype.active.as_ref().map_or(0, |active| self.active_count(active));
        heading.priority = proctype.priority.as_ref().and_then(|priority| self.priority(priority));
        heading.provided = proctype.provided.as_ref().map(|provided| self.provided(provided));
        heading.deterministic = proctype.deterministic;
        self.scopes.enter();
        heading.parameters = self.parameters(&proctype.parameters);
        let process = self.process(heading, &proctype.body);
        self.scopes.leave();
        self.model.proctypes.push(process);
        self.model.initial.extend(std::iter::repeat_n(id, n_active));
        self.here = Surroundings::outside();
    }

    pub(super) fn init(&mut self, item: &'a ast::Item, priority: Option<&'a ast::Expr>, body: &'a ast::Block) {
        let id = self.enter_process();
        let mut heading = Heading::new(Name::from("init"), ProcessKind::Init, item.span, item);
        heading.priority = priority.and_then(|priority| self.priority(priority));
        self.scopes.enter();
        let process = self.process(heading, body);
        self.scopes.leave();
        self.model.proctypes.push(process);
        self.model.initial.push(id);
        self.here = Surroundings::outside();
    }

    pub(super) fn never(&mut self, item: &'a ast::Item, name: Option<&ast::Ident>, body: &'a ast::Block) {
        let (name, span) = match name {
            Some(ident) => (ident.name.clone(), ident.span),
            None => {
                let name = Name::from(format!("never_{}", self.n_anonymous_nevers));
                self.n_anonymous_nevers += 1;
                (name, item.span)
            }
        };
        self.claim_name(&name, span);
        let number = u32::try_from(self.model.never.len()).unwrap_or(u32::MAX);
        let labels = Rc::new(Labels::collect(body, self.diagnostics));
        self.here = Surroundings::within(Owner::Never(number), Setting::Never, labels);
        self.here.run_ban = Some("a claim");
        let heading = Heading::new(name, ProcessKind::Never, span, item);
        self.scopes.enter();
        let process = self.process(heading, body);
        self.scopes.leave();
        self.model.never.push(process);
        self.here = Surroundings::outside();
    }

    pub(super) fn trace(&mut self, item: &'a ast::Item, negated: bool, body: &'a ast::Block) {
        if let Some(first) = &self.model.trace {
            let error =
                Diagnostic::error(codes::TRACE, item.span, "there is already a trace, and only one is possible")
                    .label(first.span, "the first one");
            self.diagnostics.add(error);
            return;
        }
        let word = if negated { "notrace" } else { "trace" };
        let labels = Rc::new(Labels::collect(body, self.diagnostics));
        self.here = Surroundings::within(Owner::Global, Setting::Trace, labels);
        self.here.run_ban = Some("a trace");
        let heading = Heading::new(Name::from(word), ProcessKind::Never, item.span, item);
        self.scopes.enter();
        let process = self.process(heading, body);
        self.scopes.leave();
        self.model.trace = Some(Trace { negated, process, span: item.span });
        self.here = Surroundings::outside();
    }

    fn process(&mut self, heading: Heading, body: &'a ast::Block) -> Process {
        let mut statements: Vec<Statement> = Vec::with_capacity(body.statements.len());
        self.body(body, &mut statements);
        self.check_jumps_into_loops();
        let end = Span { start: body.span.end.saturating_sub(1).max(body.span.start), ..body.span };
        Process {
            name: heading.name,
            kind: heading.kind,
            parameters: heading.parameters,
            locals: std::mem::take(&mut self.here.locals),
            labels: self.here.labels.list.clone(),
            body: statements,
            end,
            priority: heading.priority,
            provided: heading.provided,
            deterministic: heading.deterministic,
            exclusive: std::mem::take(&mut self.here.exclusive),
            span: heading.span,
            comment: heading.comment,
        }
    }

    fn parameters(&mut self, declarations: &'a [ast::Declaration]) -> Vec<VariableId> {
        let mut parameters = Vec::new();
        for declaration in declarations {
            if let Some(ty) = self.type_name(&declaration.ty)
                && !self.may_be_handed_on(ty, declaration.ty.span)
            {
                let names = declaration.variables.iter().map(|declarator| declarator.name.name.clone());
                names.for_each(|name| _ = self.misdeclared.insert(name, ()));
                continue;
            }
            for declarator in &declaration.variables {
                let name = &declarator.name;
                if declarator.size.is_some() {
                    let error = Diagnostic::error(
                        codes::DECLARATION_PLACE,
                        name.span,
                        format!("parameter `{}` is an array", name.name),
                    )
                    .help("pass the elements one by one, or use a global");
                    self.diagnostics.add(error);
                }
                if declarator.init.is_some() {
                    let message = format!("parameter `{}` has an initial value, but gets one from `run`", name.name);
                    self.error(codes::DECLARATION_PLACE, name.span, message);
                }
                let Some(id) = self.variable(declaration, declarator, Origin::Parameter, None) else { continue };
                if self.has_array(self.model.variables[id].ty) {
                    let message = format!("parameter `{}` has an array in it", name.name);
                    self.error(codes::DECLARATION_PLACE, name.span, message);
                }
                parameters.push(id);
            }
        }
        parameters
    }

    fn has_array(&self, ty: Type) -> bool {
        let Type::Record(record) = ty else { return false };
        let fields = &self.model.records[record].fields;
        fields.iter().any(|field| field.length.is_some() || self.has_array(field.ty))
    }

    fn active_count(&mut self, active: &'a ast::Active) -> usize {
        let Some(count) = &active.count else { return self.started(1, active.span) };
        let Some(value) = self.constant(count, "the number of active processes") else { return 0 };
        match usize::try_from(value) {
            Ok(number) => self.started(number, count.span),
            Err(_) => {
                self.error(codes::PROCESSES, count.span, format!("{value} active processes: it must be 0 or more"));
                0
            }
        }
    }

    fn started(&mut self, number: usize, span: Span) -> usize {
        if self.model.initial.len() + number > MOST_PROCESSES {
            let message = format!("there would be more than {MOST_PROCESSES} processes");
            self.error(codes::PROCESSES, span, message);
            return 0;
        }
        number
    }

    pub(super) fn priority(&mut self, expr: &'a ast::Expr) -> Option<i32> {
        let value = self.constant(expr, "a priority")?;
        if (1..=255).contains(&value) {
            return Some(value);
        }
        self.error(codes::PRIORITY, expr.span, format!("a priority of {value}: it must be 1 to 255"));
        None
    }

    fn provided(&mut self, expr: &'a ast::Expr) -> Expr {
        self.here.run_ban = Some("a `provided` clause");
        let provided = self.expr(expr);
        self.here.run_ban = None;
        provided
    }

    /// Reports a model without processes.
    pub(super) fn check_processes(&mut self) {
        if !self.model.initial.is_empty() || self.diagnostics.has_errors() {
            return;
        }
        let end = self.sources.files().first().map_or(0, crate::source::SourceFile::end);
        let error = Diagnostic::error(codes::PROCESSES, Span::new(end, end), "the model has no process to run")
            .help("add an `init`, or put `active` in front of a proctype");
        self.diagnostics.add(error);
    }
}
