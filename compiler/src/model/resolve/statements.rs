//! Statements.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::expressions::Sort;
use crate::model::resolve::labels::{self, misplaced};
use crate::model::resolve::processes::Setting;
use crate::model::resolve::scopes::{self, Symbol};
use crate::model::{
    BinaryOp, Choice, Expr, ExprKind, Init, LabelId, Origin, Pattern, Place, Statement, StatementKind, Target, Type,
    Variable, VariableId, codes, desugar,
};
use crate::source::{Name, Span};
use crate::syntax::ast::{self, StatementKind as Ast};

/// The counter of `for (m in q)`: one in each scope, as in Spin. No author can write this name.
const COUNTER: &str = "for (.. in ..)";

impl<'a> Resolver<'a> {
    /// The body of a process: only here declarations at the head cost no step.
    pub(super) fn body(&mut self, block: &'a ast::Block, out: &mut Vec<Statement>) {
        for statement in &block.statements {
            self.statement(statement, out);
        }
    }

    /// A block with a scope of its own. Never empty.
    fn block(&mut self, block: &'a ast::Block, is_guard: bool) -> Vec<Statement> {
        self.here.at_head = false;
        self.scopes.enter();
        let mut out = Vec::with_capacity(block.statements.len());
        for (number, statement) in block.statements.iter().enumerate() {
            self.here.is_guard = is_guard && number == 0;
            self.statement(statement, &mut out);
        }
        self.scopes.leave();
        if out.is_empty() {
            out.push(skip(block.span));
        }
        out
    }

    /// A block of which Spin does not allow the first statement to have a label.
    fn unlabelled(&mut self, block: &'a ast::Block, what: &str, is_guard: bool) -> Vec<Statement> {
        if let Some(label) = block.statements.first().and_then(|first| first.labels.first()) {
            self.diagnostics.add(misplaced(label, what));
        }
        self.block(block, is_guard)
    }

    fn statement(&mut self, statement: &'a ast::Statement, out: &mut Vec<Statement>) {
        let first = out.len();
        let is_guard = std::mem::take(&mut self.here.is_guard);
        match &statement.kind {
            Ast::Declaration(_) | Ast::Exclusive { .. } => {
                if let Some(span) = labels::span_of(&statement.labels) {
                    self.error(codes::LABEL_PLACE, span, "a label can not stand in front of a declaration");
                }
            }
            _ => self.here.at_head = false,
        }
        self.unlabelled_statement(statement, is_guard, out);
        let labels = self.own_labels(&statement.labels);
        if !labels.is_empty() {
            if out.len() == first {
                out.push(skip(statement.span));
            }
            out[first].labels = labels;
        }
    }

    fn own_labels(&self, labels: &[ast::Ident]) -> Vec<LabelId> {
        labels.iter().filter_map(|label| self.here.labels.own(&label.name, &self.here.position)).collect()
    }

    fn unlabelled_statement(&mut self, statement: &'a ast::Statement, is_guard: bool, out: &mut Vec<Statement>) {
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
                push(StatementKind::DStep(body));
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
            Ast::ForRange { variable, from, to, body } => self.for_range(variable, from, to, body, out),
            Ast::ForIn { variable, container, body } => self.for_in(variable, container, body, out),
            Ast::Unless { body, escape } => {
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
            Ast::Select { variable, from, to } => self.select(variable, from, to, span, out),
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
            Ast::CCode { .. } => self.embedded_c(span),
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
    }

    /// A statement that is one step.
    fn step(&mut self, statement: &'a ast::Statement) -> Option<StatementKind> {
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
                    let pattern = self.event_pattern(arguments);
                    return Some(StatementKind::Event { side: ast::Side::Send, channel: channel?, pattern });
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
                    return Some(StatementKind::Event { side: ast::Side::Receive, channel: channel?, pattern });
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
            | Ast::Skip
            | Ast::Else
            | Ast::Break
            | Ast::Goto(_)
            | Ast::CCode { .. }
            | Ast::Broken => None,
        }
    }

    /// Only sends and receives are events; conditions may stand between them.
    fn check_event(&mut self, span: Span, is_condition: bool) {
        if self.here.setting == Setting::Trace && !is_condition {
            let error = Diagnostic::error(codes::TRACE, span, "only sends and receives can stand in a trace");
            self.diagnostics.add(error);
        }
        if self.here.setting == Setting::Never && !is_condition {
            let message = "a claim should only watch: this step changes or prints something";
            self.diagnostics.add(Diagnostic::warning(Lint::ClaimSideEffect, span, message));
        }
    }

    fn check_claim_io(&mut self, span: Span) {
        if self.here.setting == Setting::Never {
            let error = Diagnostic::error(codes::CLAIM, span, "a claim can not send or receive")
                .help("ask about a message with `q?[...]`, which takes nothing out");
            self.diagnostics.add(error);
        }
    }

    /// In a trace the values of a send are matched: `_` and variables match anything.
    fn event_pattern(&mut self, arguments: &'a [ast::Expr]) -> Vec<Pattern> {
        let mut pattern = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match &argument.kind {
                ast::ExprKind::Place(place) if &*place.name.name == "_" => pattern.push(Pattern::Ignore),
                _ => pattern.extend(self.message(std::slice::from_ref(argument)).into_iter().map(Pattern::Equal)),
            }
        }
        pattern
    }

    fn choices(&mut self, options: &'a [ast::Block]) -> Vec<Choice> {
        let mut choices = Vec::with_capacity(options.len());
        let mut first_else: Option<Span> = None;
        for option in options {
            if let Some(label) = option.statements.first().and_then(|first| first.labels.first()) {
                let message =
                    format!("label `{}` on the first statement of an option marks the whole choice", label.name);
                let warning = Diagnostic::warning(Lint::Portability, label.span, message)
                    .help("put the label in front of the `if` or `do`: Spin complains about this place");
                self.diagnostics.add(warning);
            }
            let body = self.block(option, true);
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
            if let Some(other) = scopes::closest(&name.name, labels.names()) {
                error = error.help(format!("did you mean `{other}`?"));
            }
            self.diagnostics.add(error);
            return None;
        };
        let (from, to) = (self.here.position.d_step, labels.d_step_of(label));
        if from != to {
            let message =
                if from == 0 { "this jump leads into a `d_step`" } else { "this jump leads out of a `d_step`" };
            let error = Diagnostic::error(codes::JUMP, span, message).label(labels.list[label].span, "to here").help(
                "a `d_step` is entered at its start and left at its end; an `atomic` may be jumped into and out of",
            );
            self.diagnostics.add(error);
        }
        Some(label)
    }

    fn assign(&mut self, target: &'a ast::Place, value: &'a ast::Expr, span: Span) -> Option<StatementKind> {
        let target = self.target(target);
        let outer = std::mem::replace(&mut self.here.is_value, true);
        let (value, sort) = self.value(value);
        self.here.is_value = outer;
        let target = target?;
        if let Target::Place(place) = &target {
            let ty = place.ty;
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
    fn change(&mut self, target: &'a ast::Place, op: BinaryOp, span: Span) -> Option<StatementKind> {
        self.check_event(span, false);
        let target = self.target(target)?;
        let old = match &target {
            Target::Place(place) if place.ty == Type::Chan => {
                self.error(codes::CHANNEL_VALUE, span, "a channel can not be calculated with");
                return None;
            }
            Target::Place(place) => ExprKind::Read(place.clone()),
            Target::Priority => ExprKind::Priority,
            Target::Ignore => {
                self.error(codes::WRITE_ONLY, span, "`_` can only be written: it forgets what it is given");
                return None;
            }
        };
        let old = Box::new(Expr { kind: old, span });
        let kind = ExprKind::Binary(op, old, Box::new(Expr::constant(1, span)));
        Some(StatementKind::Assign { target, value: Expr { kind, span } })
    }

    /// At the head of a process a declaration says what its variables start
    /// with; anywhere else each is a step that stores it.
    fn local_declaration(&mut self, declaration: &'a ast::Declaration, out: &mut Vec<Statement>) {
        if self.here.setting == Setting::Trace {
            self.error(codes::TRACE, declaration.span, "a trace has no variables");
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
        let zero = Expr::constant(0, span);
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
                let error = Diagnostic::error(codes::DECLARATION_PLACE, declaration.span, message)
                    .help("move the declaration to the head of the process, or make it global");
                self.diagnostics.add(error);
                return;
            }
            Some((ast::InitializerKind::List(_), list)) => {
                let message = "a list of initial values can not stand behind a statement";
                let error = Diagnostic::error(codes::DECLARATION_PLACE, list, message)
                    .help("move the declaration to the head of the process");
                self.diagnostics.add(error);
                return;
            }
            Some((ast::InitializerKind::Value(_), _)) => {
                let message =
                    format!("`{}` is a record, and can not be given a value as a whole", declarator.name.name);
                self.error(codes::INITIALIZER, span, message);
                return;
            }
        };
        // Of an array Spin sets the first element only.
        let index = length.map(|_| Box::new(Expr::constant(0, span)));
        let place = Place { variable: id, index, fields: Vec::new(), ty, span: declarator.name.span };
        let kind = StatementKind::Assign { target: Target::Place(place), value };
        out.push(Statement { labels: Vec::new(), kind, span });
    }

    fn for_range(
        &mut self,
        variable: &'a ast::Place,
        from: &'a ast::Expr,
        to: &'a ast::Expr,
        body: &'a ast::Block,
        out: &mut Vec<Statement>,
    ) {
        let span = variable.span.to(to.span);
        let place = self.counter_place(variable);
        let (from, to) = self.range(from, to);
        if let (Some(first), Some(last)) = (from.as_constant(), to.as_constant())
            && first > last
        {
            self.error(codes::RANGE, span, format!("the range {first} .. {last} is empty"));
        }
        let body = self.loop_body(body);
        if let Some(place) = place {
            out.extend(desugar::for_range(place, from, to, body, span));
        }
    }

    fn range(&mut self, from: &'a ast::Expr, to: &'a ast::Expr) -> (Expr, Expr) {
        let outer = self.here.run_ban.or(self.here.run_ban.replace("a range"));
        let range = (self.expr(from), self.expr(to));
        self.here.run_ban = outer;
        range
    }

    fn loop_body(&mut self, body: &'a ast::Block) -> Vec<Statement> {
        self.here.loops.push(self.here.position.d_step);
        let body = self.block(body, false);
        self.here.loops.pop();
        body
    }

    /// What `for` and `select` count in.
    fn counter_place(&mut self, variable: &'a ast::Place) -> Option<Place> {
        let place = self.scalar(variable)?;
        if place.ty == Type::Chan {
            let message = format!("`{}` is a channel, and can not count", self.text(place.span));
            self.error(codes::CHANNEL_VALUE, place.span, message);
            return None;
        }
        Some(place)
    }

    fn for_in(
        &mut self,
        variable: &'a ast::Place,
        container: &'a ast::Place,
        body: &'a ast::Block,
        out: &mut Vec<Statement>,
    ) {
        let span = variable.span.to(container.span);
        let Some(over) = self.reference(container) else { return };
        if let Some(length) = over.array {
            let Some(place) = self.counter_place(variable) else { return };
            let last = i32::try_from(length - 1).unwrap_or(i32::MAX);
            let body = self.loop_body(body);
            let (from, to) = (Expr::constant(0, span), Expr::constant(last, span));
            out.extend(desugar::for_range(place, from, to, body, span));
            return;
        }
        if over.place.ty != Type::Chan {
            let message = format!("`{}` is neither an array nor a channel", self.text(container.span));
            self.error(codes::LOOP, container.span, message);
            return;
        }
        let Some(message) = self.reference(variable) else { return };
        if !matches!(message.place.ty, Type::Record(_)) || message.array.is_some() {
            let error = Diagnostic::error(
                codes::LOOP,
                container.span,
                format!(
                    "`for` takes the messages of `{}` as records, but `{}` is none",
                    self.text(container.span),
                    self.text(variable.span)
                ),
            )
            .help("give the channel one field of a typedef, and the loop a variable of that typedef");
            self.diagnostics.add(error);
            return;
        }
        let mut places = Vec::new();
        self.each_scalar(&message, &mut |place| places.push(place));
        let counter = self.message_counter(span);
        let body = self.loop_body(body);
        let channel = crate::model::ChannelRef { place: over.place, sites: Vec::new() };
        out.extend(desugar::for_messages(counter, channel, places, body, span));
    }

    fn message_counter(&mut self, span: Span) -> Place {
        let known = self.scopes.find_here(COUNTER).map(|entry| entry.symbol);
        let variable = match known {
            Some(Symbol::Variable(id)) => id,
            _ => {
                let id = self.model.variables.push(Variable {
                    name: Name::from("for_counter"),
                    owner: self.here.owner,
                    ty: Type::Byte,
                    length: None,
                    init: Init::Zero,
                    hidden: false,
                    promised_local: false,
                    origin: Origin::Synthetic,
                    span,
                    comment: None,
                });
                self.here.locals.push(id);
                self.scopes.declare(&Name::from(COUNTER), Symbol::Variable(id), span);
                id
            }
        };
        Place { variable, index: None, fields: Vec::new(), ty: Type::Byte, span }
    }

    fn select(
        &mut self,
        variable: &'a ast::Place,
        from: &'a ast::Expr,
        to: &'a ast::Expr,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let place = self.counter_place(variable);
        let literals = match (&from.kind, &to.kind) {
            (ast::ExprKind::Number(from), ast::ExprKind::Number(to)) => Some((*from, *to)),
            _ => None,
        };
        let (from, to) = self.range(from, to);
        if let (Some(first), Some(last)) = (from.as_constant(), to.as_constant())
            && first > last
        {
            let whole = variable.span.to(to.span);
            self.error(codes::RANGE, whole, format!("the range {first} .. {last} is empty"));
            return;
        }
        let Some(place) = place else { return };
        match literals {
            Some((first, last)) if last.saturating_sub(first) <= desugar::LISTED_RANGE => {
                out.push(desugar::select_listed(&place, first, last, span));
            }
            _ => out.extend(desugar::select_counted(place, from, to, literals.is_some(), span)),
        }
    }
}

fn skip(span: Span) -> Statement {
    Statement { labels: Vec::new(), kind: StatementKind::Condition(Expr::constant(1, span)), span }
}

/// The `else` that a body begins with, also inside blocks.
fn leading_else(body: &[Statement]) -> Option<Span> {
    let first = body.first()?;
    match &first.kind {
        StatementKind::Else => Some(first.span),
        StatementKind::Block(inner) | StatementKind::Atomic(inner) | StatementKind::DStep(inner) => leading_else(inner),
        StatementKind::If(_)
        | StatementKind::Do(_)
        | StatementKind::Unless { .. }
        | StatementKind::Break
        | StatementKind::Goto(_)
        | StatementKind::Condition(_)
        | StatementKind::Assign { .. }
        | StatementKind::Send { .. }
        | StatementKind::Receive { .. }
        | StatementKind::Assert(_)
        | StatementKind::Print(_)
        | StatementKind::Event { .. } => None,
    }
}
