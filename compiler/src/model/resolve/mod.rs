//! Resolves a tree to a model: every name becomes the id of its declaration.
//!
//! One pass in the order of the text, since a declaration is visible only after it. Proctypes and their labels, which
//! may be used before their declaration, are collected first. References to variables of other processes are resolved
//! last, as are formulas, which see the whole model.

mod declarations;
mod embedded;
mod expressions;
mod formulas;
mod globals;
mod labels;
mod loops;
mod messages;
mod places;
mod printed;
mod processes;
pub(super) mod scopes;
mod sets;
mod statements;
mod steps;
mod timers;
mod types;

use std::rc::Rc;

use self::expressions::RemoteRef;
use self::labels::Labels;
use self::processes::Surroundings;
use self::scopes::Scopes;
use super::check::RecordArgument;
use super::{Model, Mtype, MtypeId, ProctypeId, RecordId, Use, VariableId, codes};
use crate::collections::{IdVec, Lookup};
use crate::diagnostic::{Diagnostic, Diagnostics, spelling};
use crate::source::{Name, SourceMap, Span};
use crate::syntax::ast::{self, Declarator, ItemKind};

pub(super) struct Resolver<'a> {
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    pub(super) model: Model,
    scopes: Scopes,
    records: Lookup<Name, RecordId>,
    mtypes: Lookup<Name, MtypeId>,
    /// Uses of `mtype:kind`, to be checked once all lists are known.
    mtype_uses: Vec<(MtypeId, Span)>,
    /// The scalarsets: named ones by name, the others by size.
    sets: Vec<(sets::SetName, MtypeId)>,
    proctypes: Lookup<Name, ProctypeId>,
    /// By proctype: what may be referred to before its body was read.
    headers: IdVec<ProctypeId, Header>,
    /// Where the name of a claim or a formula was given.
    claims: Lookup<Name, Span>,
    here: Surroundings<'a>,
    remotes: Vec<RemoteRef<'a>>,
    /// The number of a field in its record.
    fields: Lookup<(RecordId, Name), u32>,
    /// How many scalars each record is made of.
    record_sizes: IdVec<RecordId, u64>,
    /// The first parameter or local of that name in a proctype.
    locals_by_name: Lookup<(ProctypeId, Name), VariableId>,
    record_arguments: Vec<RecordArgument>,
    symbols: Lookup<Span, ()>,
    n_anonymous_nevers: usize,
    /// Names whose declaration was rejected: their uses are not reported as further mistakes.
    misdeclared: Lookup<Name, ()>,
    /// Where each global is declared, for those that are used above.
    globals: Lookup<Name, Span>,
    /// Variables that are read before the model starts, by initial values and array sizes.
    read_early: Vec<VariableId>,
    /// Blocks of C whose mentions are not known yet.
    pending: Vec<embedded::Pending>,
}

/// The model, and further facts for the checks.
pub(super) struct Resolved {
    pub model: Model,
    pub record_arguments: Vec<RecordArgument>,
    /// Constants in messages and arguments that were written as the name of an mtype.
    pub symbols: Lookup<Span, ()>,
    /// Variables whose initial value was read, and is now a constant elsewhere.
    pub read_early: Vec<VariableId>,
}

struct Header {
    name: Name,
    span: Span,
    labels: Rc<Labels>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(sources: &'a SourceMap, diagnostics: &'a mut Diagnostics) -> Self {
        let mut model = Model::default();
        model.mtypes.push(Mtype { kind: None, names: Vec::new(), members: None });
        Self {
            sources,
            diagnostics,
            model,
            scopes: Scopes::default(),
            records: Lookup::new(),
            mtypes: Lookup::new(),
            mtype_uses: Vec::new(),
            sets: Vec::new(),
            proctypes: Lookup::new(),
            headers: IdVec::new(),
            claims: Lookup::new(),
            here: Surroundings::outside(),
            remotes: Vec::new(),
            fields: Lookup::new(),
            record_sizes: IdVec::new(),
            locals_by_name: Lookup::new(),
            record_arguments: Vec::new(),
            symbols: Lookup::new(),
            n_anonymous_nevers: 0,
            misdeclared: Lookup::new(),
            globals: Lookup::new(),
            read_early: Vec::new(),
            pending: Vec::new(),
        }
    }

    pub(super) fn resolve(mut self, file: &'a ast::File) -> Resolved {
        self.collect_names(file);
        for item in &file.items {
            self.item(item);
        }
        for item in &file.items {
            if let ItemKind::Ltl { name, formula } = &item.kind {
                self.formula(item, name.as_ref(), formula);
            }
        }
        self.check_mtype_kinds();
        self.settle_remotes();
        self.settle_blocks();
        self.fold_globals();
        self.check_processes();
        Resolved {
            model: self.model,
            record_arguments: self.record_arguments,
            symbols: self.symbols,
            read_early: self.read_early,
        }
    }

    fn collect_names(&mut self, file: &'a ast::File) {
        for item in &file.items {
            let (name, span, body) = match &item.kind {
                ItemKind::Proctype(proctype) => (proctype.name.name.clone(), proctype.name.span, &proctype.body),
                ItemKind::Init { body, .. } => (Name::from("init"), item.span, body),
                ItemKind::Global(declaration) => {
                    for Declarator { name, .. } in &declaration.variables {
                        self.globals.or_insert_with(name.name.clone(), || name.span);
                    }
                    continue;
                }
                ItemKind::Mtype { .. }
                | ItemKind::Typedef { .. }
                | ItemKind::Never { .. }
                | ItemKind::Trace { .. }
                | ItemKind::Ltl { .. }
                | ItemKind::C { .. } => continue,
            };
            let labels = Rc::new(Labels::collect(body, self.diagnostics));
            let id = self.headers.push(Header { name: name.clone(), span, labels });
            let earlier = *self.proctypes.or_insert_with(name.clone(), || id);
            if earlier != id {
                let what = if &*name == "init" { "`init`".to_owned() } else { format!("proctype `{name}`") };
                let error = Diagnostic::error(codes::REDECLARED, span, format!("{what} is declared twice"))
                    .label(self.headers[earlier].span, "first declared here");
                self.diagnostics.add(error);
            }
        }
    }

    fn item(&mut self, item: &'a ast::Item) {
        match &item.kind {
            ItemKind::Mtype { kind, names } => self.mtype_list(item, kind.as_ref(), names),
            ItemKind::Typedef { name, fields } => self.typedef(name, fields),
            ItemKind::Global(declaration) => self.global(declaration, item.comment.as_ref()),
            ItemKind::Proctype(proctype) => self.proctype(item, proctype),
            ItemKind::Init { priority, body } => self.init(item, priority.as_ref(), body),
            ItemKind::Never { name, body } => self.never(item, name.as_ref(), body),
            ItemKind::Trace { negated, body } => self.trace(item, *negated, body),
            // Formulas see all that is declared, so they come last.
            ItemKind::Ltl { .. } => {}
            ItemKind::C { kind, text } => self.piece(*kind, text, item.span),
        }
    }

    fn note_use(&mut self, name: &ast::Ident, declared: Span) {
        self.model.uses.push(Use { span: name.span, declared });
    }

    fn error(&mut self, code: u16, span: Span, message: impl Into<String>) {
        self.diagnostics.add(Diagnostic::error(code, span, message));
    }

    /// Adds "did you mean" when a visible name is close.
    fn with_suggestion(&self, error: Diagnostic, name: &str) -> Diagnostic {
        match self.closest(name, self.scopes.visible()) {
            Some(other) => {
                let message = format!("{}; did you mean `{other}`?", error.message);
                Diagnostic { message, ..error }
            }
            None => error,
        }
    }

    /// Adds the keyword that is close, unless a name is.
    fn with_meant_word(&self, error: Diagnostic, name: &str) -> Diagnostic {
        match spelling::alone(name) {
            Some(word) if !error.message.contains("did you mean") => {
                let message = format!("{}; did you mean `{word}`?", error.message);
                Diagnostic { message, ..error }
            }
            _ => error,
        }
    }

    /// The most similar candidate. After many errors no suggestion is searched for, since that takes time.
    fn closest<'b>(&self, name: &str, candidates: impl Iterator<Item = &'b Name>) -> Option<&'b Name> {
        if self.diagnostics.n_errors() >= Diagnostics::MOST_ERRORS {
            return None;
        }
        scopes::closest(name, candidates)
    }

    fn variable_name(&self, id: VariableId) -> &Name {
        &self.model.variables[id].name
    }
}
