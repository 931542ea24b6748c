//! Statements.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::labels::{self, misplaced};
use crate::model::resolve::processes::Setting;
use crate::model::statement::first_step;
use crate::model::{Choice, Expr, ExprKind, LabelId, Statement, StatementKind, codes, desugar};
use crate::source::Span;
use crate::syntax::ast::{self, StatementKind as Ast};

/// Where control is at a label in front of a statement that becomes several.
pub(super) enum LabelTarget {
    First,
    /// At the last one: Spin puts the label on the loop that a `for` or `select` becomes, and not on the assignment in
    /// front of it. The text names what is set there.
    BehindInitialisation(String),
}

impl<'a> Resolver<'a> {
    /// The body of a process: only here declarations at the head cost no step.
    pub(super) fn body(&mut self, block: &'a ast::Block, out: &mut Vec<Statement>) {
        for statement in &block.statements {
            self.statement(statement, out);
        }
    }

    /// A block with a scope of its own. Never empty.
    pub(super) fn block(&mut self, block: &'a ast::Block, is_guard: bool) -> Vec<Statement> {
        self.scopes.enter();
        self.sequence(block, is_guard)
    }

    /// The statements of a block or an option, whose scope is open and ends with them.
    fn sequence(&mut self, block: &'a ast::Block, is_guard: bool) -> Vec<Statement> {
        self.here.at_head = false;
        let mut out = Vec::with_capacity(block.statements.len());
        for (number, statement) in block.statements.iter().enumerate() {
            self.here.is_guard = is_guard && number == 0;
            self.statement(statement, &mut out);
        }
        self.scopes.leave();
        if out.is_empty() {
            self.check_sequence(block);
            out.push(skip(block.span));
        }
        out
    }

    /// A block of which Spin does not allow the first statement to have a label,
    /// unless it is a loop: the label is then that of the loop, as everywhere.
    fn unlabelled(&mut self, block: &'a ast::Block, what: &str, is_guard: bool) -> Vec<Statement> {
        if let Some(first) = block.statements.first()
            && let Some(label) = first.labels.first()
            && !self.is_loop(first)
        {
            self.diagnostics.add(misplaced(label, what));
        }
        self.block(block, is_guard)
    }

    /// Whether Spin makes a `do` of a statement.
    fn is_loop(&self, statement: &ast::Statement) -> bool {
        match &statement.kind {
            Ast::Do(_) | Ast::ForRange { .. } | Ast::ForIn { .. } => true,
            Ast::Select { variable, from, to } => {
                let bounds = self.plain_bounds(variable, from, to, statement.span);
                bounds.is_none_or(|(first, last)| last.saturating_sub(first) > desugar::LISTED_RANGE)
            }
            _ => false,
        }
    }

    /// A channel's declaration is no step, and Spin wants one in every block and option.
    fn check_sequence(&mut self, block: &ast::Block) {
        if let Some(declaration) = block.statements.iter().find(|one| matches!(one.kind, Ast::Declaration(_))) {
            let error = Diagnostic::error(
                codes::DECLARATION_PLACE,
                declaration.span,
                "there is no statement beside this declaration of a channel",
            )
            .help("move the declaration to the head of the process");
            self.diagnostics.add(error);
        }
    }

    fn statement(&mut self, statement: &'a ast::Statement, out: &mut Vec<Statement>) {
        let first = out.len();
        let is_guard = std::mem::take(&mut self.here.is_guard);
        match &statement.kind {
            Ast::Declaration(_) | Ast::Exclusive { .. } => {
                if let Some(span) = labels::span_of(&statement.labels) {
                    self.error(codes::LABEL_PLACE, span, "a label cannot stand in front of a declaration");
                }
            }
            _ => self.here.at_head = false,
        }
        self.check_traced(statement);
        let entry = self.unlabelled_statement(statement, is_guard, out);
        let labels = self.own_labels(&statement.labels);
        if !labels.is_empty() {
            if out.len() == first {
                out.push(skip(statement.span));
            }
            let labelled = match entry {
                LabelTarget::First => first,
                LabelTarget::BehindInitialisation(of) => {
                    self.here.behind_initialisation.extend(labels.iter().map(|label| (*label, of.clone())));
                    out.len() - 1
                }
            };
            out[labelled].labels = labels;
        }
    }

    fn own_labels(&self, labels: &[ast::Ident]) -> Vec<LabelId> {
        labels.iter().filter_map(|label| self.here.labels.own(&label.name, &self.here.position)).collect()
    }

    /// Returns the target of the labels in front of the statement.
    fn unlabelled_statement(
        &mut self,
        statement: &'a ast::Statement,
        is_guard: bool,
        out: &mut Vec<Statement>,
    ) -> LabelTarget {
        let span = statement.span;
        let mut push = |kind| out.push(Statement { labels: Vec::new(), kind, span });
        match &statement.kind {
            Ast::Declaration(declaration) => self.local_declaration(declaration, out),
            Ast::Exclusive { side, channels } => {
                for channel in channels {
                    if let Some(channel) = self.channel(channel, channel.span) {
                        self.here.exclusive.push((*side, channel));
                    }
                }
            }
            Ast::Block(block) => push(StatementKind::Block(self.unlabelled(block, "a block", is_guard))),
            Ast::Atomic(block) => push(StatementKind::Atomic(self.unlabelled(block, "an `atomic`", is_guard))),
            Ast::DStep(block) => {
                let outer = self.here.position.enter_d_step();
                let ban = self.here.run_ban.or(Some("a `d_step`"));
                let outer_ban = std::mem::replace(&mut self.here.run_ban, ban);
                let body = self.unlabelled(block, "a `d_step`", is_guard);
                self.here.run_ban = outer_ban;
                self.here.position.leave_d_step(outer);
                let is_nested = self.here.position.d_step != 0;
                // What lies inside a `d_step` is one step already.
                push(if is_nested { StatementKind::Block(body) } else { StatementKind::DStep(body) });
            }
            Ast::If(options) => {
                let choices = self.choices(options);
                push(StatementKind::If(choices));
            }
            Ast::Do(options) => {
                self.here.loops.push(self.here.position.d_step);
                let choices = self.choices(options);
                self.here.loops.pop();
                push(StatementKind::Do(choices));
            }
            Ast::ForRange { variable, from, to, body } => return self.for_range(variable, from, to, body, out),
            Ast::ForIn { variable, container, body } => return self.for_in(variable, container, body, out),
            Ast::Unless { body, escape } => {
                if self.here.position.d_step != 0 {
                    let warning = Diagnostic::warning(Lint::Portability, span, "an `unless` inside a `d_step`")
                        .help("Spin refuses it: put the `d_step` inside the `unless`");
                    self.diagnostics.add(warning);
                }
                let body = self.part(body);
                let escape = self.part(escape);
                push(StatementKind::Unless { body, escape });
            }
            Ast::Inlined(inlined) => {
                self.here.position.enter_call();
                self.here.results.push(inlined.result.as_ref());
                let body = self.unlabelled(&inlined.body, "an inline", is_guard);
                self.here.results.pop();
                self.here.position.leave_call();
                push(StatementKind::Block(body));
            }
            Ast::Select { variable, from, to } => return self.select(variable, from, to, span, out),
            Ast::Timer { operation, arguments } => {
                self.here.n_runs = 0;
                self.timer_statement(*operation, arguments, span, out);
            }
            Ast::Skip => {
                self.check_event(span, true);
                push(StatementKind::Condition(Expr::constant(1, span)));
            }
            Ast::Else => {
                if !is_guard {
                    let error =
                        Diagnostic::error(codes::ELSE, span, "`else` can only be the first statement of an option")
                            .help("options begin with `::` in an `if` or a `do`");
                    self.diagnostics.add(error);
                }
                push(StatementKind::Else);
            }
            Ast::Break => {
                self.check_break(span);
                push(StatementKind::Break);
            }
            Ast::Goto(label) => {
                if let Some(label) = self.goto(label, span) {
                    push(StatementKind::Goto(label));
                }
            }
            Ast::Broken => {}
            Ast::CCode { guard, text } => {
                if let Some(kind) = self.c_code(guard.as_ref(), text, span) {
                    push(kind);
                }
            }
            Ast::Expr(_)
            | Ast::Assign { .. }
            | Ast::Increment(_)
            | Ast::Decrement(_)
            | Ast::Send { .. }
            | Ast::Receive { .. }
            | Ast::Assert(_)
            | Ast::Printf { .. }
            | Ast::Printm(_)
            | Ast::Return(_) => {
                self.here.n_runs = 0;
                if let Some(kind) = self.step(statement) {
                    push(kind);
                }
                if self.here.n_runs > 1 {
                    let error = Diagnostic::error(codes::RUN, span, "a statement can start only one process")
                        .help("use a statement for each `run`");
                    self.diagnostics.add(error);
                }
            }
        }
        LabelTarget::First
    }

    fn choices(&mut self, options: &'a [ast::Block]) -> Vec<Choice> {
        let mut choices = Vec::with_capacity(options.len());
        let mut first_else: Option<Span> = None;
        for option in options {
            if let Some(first) = option.statements.first()
                && let Some(label) = first.labels.first()
                && !self.is_loop(first)
            {
                let message =
                    format!("label `{}` on the first statement of an option marks the whole choice", label.name);
                let warning = Diagnostic::warning(Lint::Portability, label.span, message)
                    .help("put the label in front of the `if` or `do`: Spin complains about this place");
                self.diagnostics.add(warning);
            }
            self.scopes.enter_option();
            let mut body = self.sequence(option, true);
            if self.here.setting != Setting::Never {
                leave_out_repeated_skips(&mut body, option);
            }
            if let Some(span) = leading_else(&body) {
                if let Some(first) = first_else {
                    let error = Diagnostic::error(codes::ELSE, span, "there are two `else` options")
                        .label(first, "the first one");
                    self.diagnostics.add(error);
                }
                first_else = first_else.or(Some(span));
            }
            choices.push(Choice { body, span: option.span });
        }
        choices
    }

    /// One side of an `unless`.
    fn part(&mut self, statement: &'a ast::Statement) -> Vec<Statement> {
        match &statement.kind {
            Ast::Block(block) if statement.labels.is_empty() => self.unlabelled(block, "a block", false),
            _ => {
                let mut out = Vec::new();
                self.statement(statement, &mut out);
                if out.is_empty() {
                    out.push(skip(statement.span));
                }
                out
            }
        }
    }

    fn check_break(&mut self, span: Span) {
        match self.here.loops.last() {
            None => {
                let error = Diagnostic::error(codes::BREAK, span, "`break` outside of a loop")
                    .help("`break` leaves the innermost `do` or `for`; an `if` needs none");
                self.diagnostics.add(error);
            }
            Some(d_step) if *d_step != self.here.position.d_step => {
                self.error(codes::JUMP, span, "this `break` leaves a `d_step`, which must run to its end");
            }
            Some(_) => {}
        }
    }

    fn goto(&mut self, name: &ast::Ident, span: Span) -> Option<LabelId> {
        let labels = self.here.labels.clone();
        let Some(label) = labels.find(&name.name, &self.here.position) else {
            let mut error = Diagnostic::error(
                codes::UNKNOWN_LABEL,
                name.span,
                format!("there is no label `{}` in this process", name.name),
            );
            if let Some(entry) = self.scopes.find(&name.name) {
                error = error.label(entry.span, format!("`{}` is not a label", name.name));
            }
            if let Some(other) = self.closest(&name.name, labels.names()) {
                error = error.help(format!("did you mean `{other}`?"));
            }
            self.diagnostics.add(error);
            return None;
        };
        self.note_use(name, labels.list[label].span);
        let (from, to) = (&self.here.position.d_steps[..], labels.d_steps_of(label));
        if from != to {
            let leads_in = to.starts_with(from);
            let message =
                if leads_in { "this jump leads into a `d_step`" } else { "this jump leads out of a `d_step`" };
            let error = Diagnostic::error(codes::JUMP, span, message).label(labels.list[label].span, "to here").help(
                "a `d_step` is entered at its start and left at its end; an `atomic` may be jumped into and out of",
            );
            self.diagnostics.add(error);
        } else if labels.is_before_d_step(label) {
            let message = "this jump leads to the start of a `d_step`";
            let warning = Diagnostic::warning(Lint::Portability, span, message)
                .label(labels.list[label].span, "to here")
                .help("Spin takes it for a jump into the `d_step`: put a `skip` between the label and the `d_step`");
            self.diagnostics.add(warning);
        }
        self.here.jumps.push((label, span));
        Some(label)
    }
}

pub(super) fn skip(span: Span) -> Statement {
    Statement { labels: Vec::new(), kind: StatementKind::Condition(Expr::constant(1, span)), span }
}

/// Spin takes several `skip`s behind each other in an option for one, unless they have labels; so do counts of states.
/// A `skip` behind a `printf` is left out, too, the first and the last statement of an option never.
fn leave_out_repeated_skips(body: &mut Vec<Statement>, option: &ast::Block) {
    let is_skip = |statement: &Statement| {
        let is_one = matches!(&statement.kind, StatementKind::Condition(Expr { kind: ExprKind::Constant(1), .. }));
        // A condition that is computed from constants is a step of its own.
        is_one && option.statements.iter().any(|written| written.span == statement.span && is_constant(written))
    };
    let (mut at, last) = (0, body.len().saturating_sub(1));
    let mut is_behind = false;
    body.retain(|statement| {
        let is_skip = is_skip(statement);
        let does_nothing =
            statement.labels.is_empty() && (is_skip || matches!(statement.kind, StatementKind::Print(_)));
        let is_left_out = is_behind && does_nothing && is_skip && at != last;
        (at, is_behind) = (at + 1, does_nothing);
        !is_left_out
    });
}

/// Whether a statement is written as a constant: `skip`, `true`, `1` or a name.
fn is_constant(statement: &ast::Statement) -> bool {
    use ast::ExprKind::{Bool, Number, Place, Skip};
    match &statement.kind {
        Ast::Skip => true,
        Ast::Expr(expr) => matches!(expr.kind, Number(_) | Bool(_) | Skip | Place(_)),
        _ => false,
    }
}

/// The `else` that a body begins with, also inside blocks.
fn leading_else(body: &[Statement]) -> Option<Span> {
    first_step(body).filter(|first| matches!(first.kind, StatementKind::Else)).map(|first| first.span)
}
