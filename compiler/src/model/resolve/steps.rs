//! Statements that are one step, and the rules for what may stand in a claim or a trace.

use super::Resolver;
use super::statements::skip;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::expressions::Sort;
use crate::model::resolve::processes::Setting;
use crate::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Init, Origin, Pattern, Place, Statement, StatementKind, Target, Type,
    VariableId, codes,
};
use crate::source::Span;
use crate::syntax::ast::{self, StatementKind as Ast};

impl<'a> Resolver<'a> {
    /// A statement that is one step.
    pub(super) fn step(&mut self, statement: &'a ast::Statement) -> Option<StatementKind> {
        let span = statement.span;
        match &statement.kind {
            Ast::Expr(expr) => {
                self.check_event(span, true);
                let is_run = matches!(expr.kind, ast::ExprKind::Run { .. });
                let ban = self.here.run_ban.or((!is_run).then_some("a condition with other parts"));
                let outer = std::mem::replace(&mut self.here.run_ban, ban);
                let condition = self.expr(expr);
                self.here.run_ban = outer;
                Some(StatementKind::Condition(condition))
            }
            Ast::Assign { target, value } => {
                self.check_event(span, false);
                self.assign(target, value, span)
            }
            Ast::Increment(target) => self.change(target, BinaryOp::Add, span),
            Ast::Decrement(target) => self.change(target, BinaryOp::Subtract, span),
            Ast::Send { channel, sorted, arguments } => {
                self.check_claim_io(span);
                let channel = self.channel(channel, span);
                if self.here.setting == Setting::Trace {
                    let pattern = self.sent_pattern(arguments);
                    let pattern = event_pattern(pattern, true);
                    let channel = self.event_channel(channel?)?;
                    return Some(StatementKind::Event { side: ast::Side::Send, channel, pattern });
                }
                let outer = self.here.run_ban.or(self.here.run_ban.replace("a message"));
                let outer_value = std::mem::replace(&mut self.here.is_value, true);
                let message = self.message(arguments);
                self.here.is_value = outer_value;
                self.here.run_ban = outer;
                Some(StatementKind::Send { channel: channel?, sorted: *sorted, message })
            }
            Ast::Receive { channel, random, peek, arguments } => {
                self.check_claim_io(span);
                let channel = self.channel(channel, span);
                let pattern = self.pattern(arguments);
                if self.here.setting == Setting::Trace {
                    let pattern = event_pattern(pattern, false);
                    let channel = self.event_channel(channel?)?;
                    return Some(StatementKind::Event { side: ast::Side::Receive, channel, pattern });
                }
                self.check_distinct(&pattern, span);
                Some(StatementKind::Receive { channel: channel?, random: *random, peek: *peek, pattern })
            }
            Ast::Assert(condition) => {
                self.check_event(span, true);
                Some(StatementKind::Assert(self.expr(condition)))
            }
            Ast::Printf { format, arguments } => {
                self.check_event(span, false);
                Some(StatementKind::Print(self.printf(format, arguments, span)))
            }
            Ast::Printm(value) => {
                self.check_event(span, false);
                Some(StatementKind::Print(self.printm(value)))
            }
            Ast::Return(value) => match self.here.results.last().copied() {
                Some(Some(result)) => self.assign(result, value, span),
                Some(None) => {
                    let error = Diagnostic::error(codes::RETURN, span, "the value of this inline is not asked for")
                        .help("a call that returns a value stands in an assignment, as in `x = f(...)`");
                    self.diagnostics.add(error);
                    None
                }
                None => {
                    self.error(codes::RETURN, span, "`return` can only be used in an inline");
                    None
                }
            },
            Ast::Declaration(_)
            | Ast::Exclusive { .. }
            | Ast::Block(_)
            | Ast::Atomic(_)
            | Ast::DStep(_)
            | Ast::If(_)
            | Ast::Do(_)
            | Ast::ForRange { .. }
            | Ast::ForIn { .. }
            | Ast::Unless { .. }
            | Ast::Inlined(_)
            | Ast::Select { .. }
            | Ast::Timer { .. }
            | Ast::Skip
            | Ast::Else
            | Ast::Break
            | Ast::Goto(_)
            | Ast::CCode { .. }
            | Ast::Broken => None,
        }
    }

    /// Only sends and receives are events, and only plain control flow leads from one to the next.
    pub(super) fn check_traced(&mut self, statement: &ast::Statement) {
        if self.here.setting != Setting::Trace {
            return;
        }
        match statement.kind {
            Ast::Send { .. }
            | Ast::Receive { .. }
            | Ast::If(_)
            | Ast::Do(_)
            | Ast::Block(_)
            | Ast::Inlined(_)
            | Ast::Break
            | Ast::Goto(_)
            | Ast::Declaration(_)
            | Ast::Broken => {}
            _ => self.error(codes::TRACE, statement.span, "only sends and receives can stand in a trace"),
        }
    }

    /// A claim should change nothing.
    pub(super) fn check_event(&mut self, span: Span, is_condition: bool) {
        if self.here.setting == Setting::Never && !is_condition {
            let message = "a claim should only watch: this step changes or prints something";
            self.diagnostics.add(Diagnostic::warning(Lint::ClaimSideEffect, span, message));
        }
    }

    /// A trace observes all steps, so that its channels cannot depend on a variable.
    fn event_channel(&mut self, channel: ChannelRef) -> Option<ChannelRef> {
        let place = &channel.place;
        let mut indices = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
        if let Some(index) = indices.find(|index| index.as_constant().is_none()) {
            self.error(codes::TRACE, index.span, "a trace watches fixed channels: this index must be a constant");
            return None;
        }
        Some(channel)
    }

    fn check_claim_io(&mut self, span: Span) {
        if self.here.setting == Setting::Never {
            let error = Diagnostic::error(codes::CLAIM, span, "a claim cannot send or receive")
                .help("ask about a message with `q?[...]`, which takes nothing out");
            self.diagnostics.add(error);
        }
    }

    /// In a trace the values of a send are matched too.
    fn sent_pattern(&mut self, arguments: &'a [ast::Expr]) -> Vec<Pattern> {
        let mut pattern = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match &argument.kind {
                ast::ExprKind::Place(place) if &*place.name.name == "_" => pattern.push(Pattern::Ignore),
                _ => pattern.extend(self.message(std::slice::from_ref(argument)).into_iter().map(Pattern::Equal)),
            }
        }
        pattern
    }

    fn assign(&mut self, target: &'a ast::VarRef, value: &'a ast::Expr, span: Span) -> Option<StatementKind> {
        let target = self.target(target);
        let outer = std::mem::replace(&mut self.here.is_value, true);
        let (value, sort) = self.value(value);
        self.here.is_value = outer;
        let target = target?;
        if let Target::Place(place) = &target {
            let ty = place.ty;
            if !self.may_store(place, span) {
                return None;
            }
            if let (Type::Mtype(kind), Sort::MtypeName(other)) = (ty, sort)
                && kind != other
                && self.model.mtypes[kind].kind.is_some()
            {
                let (name, kind) = (self.text(place.span), self.type_text(ty));
                let message =
                    format!("`{name}` is of `{kind}`, but the value is of `{}`", self.type_text(Type::Mtype(other)));
                self.error(codes::MTYPE_KIND, span, message);
            }
            let at = if ty == Type::Chan { span } else { value.span };
            self.check_store(ty, &value, sort, at);
        }
        Some(StatementKind::Assign { target, value })
    }

    /// `x++` and `x--`
    fn change(&mut self, target: &'a ast::VarRef, op: BinaryOp, span: Span) -> Option<StatementKind> {
        self.check_event(span, false);
        let target = self.target(target)?;
        let old = match &target {
            Target::Place(place) if place.ty == Type::Chan => {
                self.error(codes::CHANNEL_VALUE, span, "a channel cannot be calculated with");
                return None;
            }
            Target::Place(place) if !self.may_store(place, span) => return None,
            Target::Place(place) => ExprKind::Read(place.clone()),
            Target::Priority => ExprKind::Priority,
            Target::Several(_) => return None,
            Target::Ignore => {
                self.error(codes::WRITE_ONLY, span, "`_` can only be written: it forgets what it is given");
                return None;
            }
        };
        let old = Box::new(Expr::new(old, span));
        let kind = ExprKind::Binary(op, old, Box::new(Expr::constant(1, span)));
        Some(StatementKind::Assign { target, value: Expr::new(kind, span) })
    }

    /// At the head of a process a declaration says what its variables start
    /// with; anywhere else each is a step that stores it.
    pub(super) fn local_declaration(&mut self, declaration: &'a ast::Declaration, out: &mut Vec<Statement>) {
        if self.here.setting == Setting::Trace {
            let ty = self.type_name(&declaration.ty);
            if ty.is_none_or(|ty| self.may_declare(declaration, ty)) {
                self.error(codes::TRACE, declaration.span, "a trace has no variables");
            }
            return;
        }
        for declarator in &declaration.variables {
            let Some(id) = self.variable(declaration, declarator, Origin::Declared, None) else { continue };
            self.here.locals.push(id);
            if self.here.at_head {
                self.initialize(id, declarator);
            } else {
                self.declaration_step(id, declaration, declarator, out);
            }
        }
    }

    fn declaration_step(
        &mut self,
        id: VariableId,
        declaration: &'a ast::Declaration,
        declarator: &'a ast::Declarator,
        out: &mut Vec<Statement>,
    ) {
        let (ty, length) = (self.model.variables[id].ty, self.model.variables[id].length);
        let (ty, span) = (if length.is_some() { ty.element() } else { ty }, declarator.span);
        if self.model.members(ty).is_some() {
            return self.late_member(ty, &declarator.name);
        }
        let zero = Self::default_value(ty, span);
        let value = match declarator.init.as_ref().map(|init| (&init.kind, init.span)) {
            None if matches!(ty, Type::Record(_)) => {
                out.push(skip(span));
                return;
            }
            None => zero,
            Some((ast::InitializerKind::Value(value), _)) if !matches!(ty, Type::Record(_)) => {
                self.initial_value(value, ty)
            }
            Some((ast::InitializerKind::Channel { .. }, _)) => {
                let message = format!("the channel `{}` is created behind a statement", declarator.name.name);
                let meaning = "it is created with its process, once, and its declaration is no step";
                let advice = "move the declaration to the head of the process, or make it global";
                let finding = Diagnostic::accident(Lint::LateChannel, declaration.span, message, advice, meaning);
                self.diagnostics.add(finding);
                self.initialize(id, declarator);
                return;
            }
            Some((ast::InitializerKind::List(_), list)) => match self.late_list(id, declarator, list) {
                Some(first) => first,
                None => return,
            },
            Some((ast::InitializerKind::Value(_), _)) => {
                let message = format!("`{}` is a record, and cannot be given a value as a whole", declarator.name.name);
                self.error(codes::INITIALIZER, span, message);
                return;
            }
        };
        // In an array Spin sets only the first element.
        let index = length.map(|_| Box::new(Expr::constant(0, span)));
        let place = Place { variable: id, index, fields: Vec::new(), ty, span: declarator.name.span };
        let kind = StatementKind::Assign { target: Target::Place(place), value };
        out.push(Statement { labels: Vec::new(), kind, span });
    }
}

impl<'a> Resolver<'a> {
    /// The elements have the values of the list from the start; each pass stores the first one again.
    fn late_list(&mut self, id: VariableId, declarator: &'a ast::Declarator, list: Span) -> Option<Expr> {
        self.initialize(id, declarator);
        let Init::List(values) = &self.model.variables[id].init else { return None };
        if let Some(value) = values.iter().find(|value| value.as_constant().is_none()) {
            let message = "a list of initial values behind a statement must hold constants";
            let error = Diagnostic::error(codes::DECLARATION_PLACE, value.span, message)
                .help("move the declaration to the head of the process");
            self.diagnostics.add(error);
            return None;
        }
        let first = values.first().cloned();
        let message = "a list of initial values stands behind a statement";
        let meaning = "the elements have these values from the start of the process, and each pass stores the first \
                       value again, in element 0 only";
        let advice = "move the declaration to the head of the process";
        self.diagnostics.add(Diagnostic::accident(Lint::LateArrayList, list, message, advice, meaning));
        first
    }
}

/// A variable in a trace matches anything, and stores nothing; only constants and `eval` compare.
fn event_pattern(pattern: Vec<Pattern>, is_send: bool) -> Vec<Pattern> {
    let loosen = |part| match part {
        Pattern::Store(_) => Pattern::Ignore,
        Pattern::Equal(Expr { kind: ExprKind::Read(_), .. }) if is_send => Pattern::Ignore,
        other => other,
    };
    pattern.into_iter().map(loosen).collect()
}
