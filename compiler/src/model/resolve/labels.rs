//! The labels of one process.
//!
//! They are collected before the body is resolved, since a jump may lead
//! forward. Each call of an inline has labels of its own; so the walk that
//! collects and the one that resolves both number the calls, and the `d_step`s,
//! in the order of the text.

use crate::collections::{IdVec, Lookup};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Label, LabelId, codes};
use crate::source::{Name, Span};
use crate::syntax::ast::{Block, Ident, Statement, StatementKind};

/// Counts the calls of inlines and the `d_step`s on the way through a body.
#[derive(Clone, Debug, Default)]
pub struct ScopePath {
    n_calls: u32,
    /// The calls that are being expanded, innermost last; none at the level of the process.
    calls: Vec<u32>,
    n_d_steps: u32,
    /// The outermost one; 0 outside of any.
    pub d_step: u32,
    /// All that are open, innermost last.
    pub d_steps: Vec<u32>,
}

impl ScopePath {
    pub fn enter_call(&mut self) {
        self.n_calls += 1;
        self.calls.push(self.n_calls);
    }

    pub fn leave_call(&mut self) {
        self.calls.pop();
    }

    /// Returns what [`Self::leave_d_step`] needs. A `d_step` within another is part of it.
    pub fn enter_d_step(&mut self) -> u32 {
        let outer = self.d_step;
        self.n_d_steps += 1;
        self.d_steps.push(self.n_d_steps);
        if outer == 0 {
            self.d_step = self.n_d_steps;
        }
        outer
    }

    pub fn leave_d_step(&mut self, outer: u32) {
        self.d_steps.pop();
        self.d_step = outer;
    }

    /// Whether this is the text of an inline.
    pub fn is_in_call(&self) -> bool {
        !self.calls.is_empty()
    }

    fn call(&self) -> u32 {
        self.calls.last().copied().unwrap_or(0)
    }
}

#[derive(Debug, Default)]
pub struct Labels {
    pub list: IdVec<LabelId, Label>,
    /// The `d_step`s that each label stands in, innermost last.
    d_steps: IdVec<LabelId, Vec<u32>>,
    /// Whether each label stands in front of a `d_step`.
    before_d_step: IdVec<LabelId, bool>,
    by_call: Lookup<(u32, Name), LabelId>,
    last: Lookup<Name, LabelId>,
}

impl Labels {
    pub fn collect(body: &Block, diagnostics: &mut Diagnostics) -> Self {
        let mut labels = Self::default();
        labels.block(body, &mut ScopePath::default(), diagnostics);
        labels
    }

    /// The label that a `goto` at that position means: the one of the innermost call that has the name, else the last
    /// one of that name in the process.
    pub fn find(&self, name: &Name, position: &ScopePath) -> Option<LabelId> {
        let calls = position.calls.iter().rev().copied().chain([0]);
        calls.filter_map(|call| self.by_call.get(&(call, name.clone()))).next().or_else(|| self.last.get(name)).copied()
    }

    /// The label itself, as a statement carries it.
    pub fn own(&self, name: &Name, position: &ScopePath) -> Option<LabelId> {
        self.by_call.get(&(position.call(), name.clone())).copied()
    }

    /// The label that another process means by a name.
    pub fn find_remote(&self, name: &Name) -> Option<LabelId> {
        self.find(name, &ScopePath::default())
    }

    pub fn d_steps_of(&self, label: LabelId) -> &[u32] {
        &self.d_steps[label]
    }

    pub fn is_before_d_step(&self, label: LabelId) -> bool {
        self.before_d_step[label]
    }

    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.list.iter().map(|label| &label.name)
    }

    fn add(&mut self, ident: &Ident, statement: &Statement, position: &ScopePath, diagnostics: &mut Diagnostics) {
        let key = (position.call(), ident.name.clone());
        if let Some(first) = self.by_call.get(&key) {
            let message = format!("label `{}` is declared twice", ident.name);
            let error = Diagnostic::error(codes::REDECLARED, ident.span, message)
                .label(self.list[*first].span, "first declared here");
            diagnostics.add(error);
            return;
        }
        let id = self.list.push(Label { name: ident.name.clone(), span: ident.span });
        self.d_steps.push(position.d_steps.clone());
        self.before_d_step.push(matches!(statement.kind, StatementKind::DStep(_)));
        self.by_call.insert(key, id);
        self.last.insert(ident.name.clone(), id);
    }

    fn block(&mut self, block: &Block, position: &mut ScopePath, diagnostics: &mut Diagnostics) {
        for statement in &block.statements {
            self.statement(statement, position, diagnostics);
        }
    }

    fn statement(&mut self, statement: &Statement, position: &mut ScopePath, diagnostics: &mut Diagnostics) {
        for label in &statement.labels {
            self.add(label, statement, position, diagnostics);
        }
        match &statement.kind {
            StatementKind::Block(block) | StatementKind::Atomic(block) => self.block(block, position, diagnostics),
            StatementKind::DStep(block) => {
                let outer = position.enter_d_step();
                self.block(block, position, diagnostics);
                position.leave_d_step(outer);
            }
            StatementKind::If(options) | StatementKind::Do(options) => {
                for option in options {
                    self.block(option, position, diagnostics);
                }
            }
            StatementKind::ForRange { body, .. } | StatementKind::ForIn { body, .. } => {
                self.block(body, position, diagnostics);
            }
            StatementKind::Unless { body, escape } => {
                self.statement(body, position, diagnostics);
                self.statement(escape, position, diagnostics);
            }
            StatementKind::Inlined(inlined) => {
                position.enter_call();
                self.block(&inlined.body, position, diagnostics);
                position.leave_call();
            }
            StatementKind::Declaration(_)
            | StatementKind::Exclusive { .. }
            | StatementKind::Select { .. }
            | StatementKind::Timer { .. }
            | StatementKind::Expr(_)
            | StatementKind::Skip
            | StatementKind::Else
            | StatementKind::Break
            | StatementKind::Goto(_)
            | StatementKind::Assign { .. }
            | StatementKind::Increment(_)
            | StatementKind::Decrement(_)
            | StatementKind::Send { .. }
            | StatementKind::Receive { .. }
            | StatementKind::Assert(_)
            | StatementKind::Printf { .. }
            | StatementKind::Printm(_)
            | StatementKind::Return(_)
            | StatementKind::CCode { .. }
            | StatementKind::Broken => {}
        }
    }
}

/// Where a label should stand instead of on the first statement of a block.
pub fn misplaced(label: &Ident, block: &str) -> Diagnostic {
    let message = format!("label `{}` stands on the first statement of {block}", label.name);
    Diagnostic::error(codes::LABEL_PLACE, label.span, message)
        .help(format!("put the label in front of it, as in `{}: {{ ... }}`", label.name))
}

/// The span of the labels of a statement, from the first to the last.
pub fn span_of(labels: &[Ident]) -> Option<Span> {
    let first = labels.first()?;
    Some(first.span.to(labels.last()?.span))
}
