//! Statements.

use super::Plain;
use super::build::{self, assign, cut, int, is_zero};
use super::homes::{declaration, declarator};
use crate::model::Type;
use crate::syntax::ast::{
    Block, Declaration, Expr, ExprKind, InitializerKind, Inlined, Statement, StatementKind, TimerOperation, TypeKind,
    VarRef,
};

impl Plain<'_> {
    /// The statements between two braces.
    pub(super) fn body(&mut self, body: &mut Block) {
        self.scopes.push(Vec::new());
        self.sequence(body);
        self.scopes.pop();
    }

    fn sequence(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.statements);
        block.statements = statements.into_iter().flat_map(|statement| self.statement(statement)).collect();
        if block.statements.is_empty() {
            block.statements.push(build::statement(StatementKind::Declaration(self.unused())));
        }
    }

    /// A statement, or several in its place.
    fn statement(&mut self, mut statement: Statement) -> Vec<Statement> {
        if !matches!(statement.kind, StatementKind::Declaration(_) | StatementKind::Exclusive { .. }) {
            self.at_head = false;
        }
        match &mut statement.kind {
            StatementKind::Timer { operation, arguments } => {
                let mut steps = self.operation(*operation, arguments);
                if let Some(first) = steps.first_mut() {
                    first.labels = statement.labels;
                }
                steps
            }
            StatementKind::Declaration(declaration) => match self.local_declaration(declaration) {
                Some(again) => again,
                None => vec![statement],
            },
            kind => {
                self.inside(kind);
                vec![statement]
            }
        }
    }

    fn inside(&mut self, kind: &mut StatementKind) {
        match kind {
            StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => self.body(body),
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter_mut().for_each(|option| self.sequence(option));
            }
            StatementKind::ForRange { variable, from, to, body } => {
                self.range(variable, from, to);
                self.body(body);
            }
            StatementKind::ForIn { variable, container, body } => {
                *variable = self.place(variable);
                *container = self.place(container);
                self.body(body);
            }
            StatementKind::Unless { body, escape } => {
                self.part(body);
                self.part(escape);
            }
            StatementKind::Inlined(Inlined { result, body, .. }) => {
                *result = result.as_ref().map(|result| self.place(result));
                self.body(body);
            }
            StatementKind::Select { variable, from, to } => self.range(variable, from, to),
            StatementKind::Expr(condition) => *condition = self.run(condition),
            StatementKind::Exclusive { channels, .. } => {
                channels.iter_mut().for_each(|channel| *channel = self.place(channel));
            }
            StatementKind::Assign { target, value } => {
                *target = self.place(target);
                *value = self.expr(value);
            }
            StatementKind::Increment(target) | StatementKind::Decrement(target) => *target = self.place(target),
            StatementKind::Send { channel, arguments, .. } => {
                *channel = self.place(channel);
                self.all(arguments);
            }
            StatementKind::Receive { channel, arguments, .. } => {
                *channel = self.place(channel);
                arguments.iter_mut().for_each(|argument| *argument = self.receive_argument(argument));
            }
            StatementKind::Assert(value) | StatementKind::Printm(value) | StatementKind::Return(value) => {
                *value = self.expr(value);
            }
            StatementKind::Printf { arguments, .. } => self.all(arguments),
            StatementKind::Declaration(_)
            | StatementKind::Timer { .. }
            | StatementKind::Skip
            | StatementKind::Else
            | StatementKind::Break
            | StatementKind::Goto(_)
            | StatementKind::CCode { .. }
            | StatementKind::Broken => {}
        }
    }

    fn all(&mut self, values: &mut [Expr]) {
        values.iter_mut().for_each(|value| *value = self.expr(value));
    }

    fn range(&mut self, variable: &mut VarRef, from: &mut Expr, to: &mut Expr) {
        *variable = self.place(variable);
        *from = self.expr(from);
        *to = self.expr(to);
    }

    /// One side of an `unless`, which is one statement.
    fn part(&mut self, part: &mut Box<Statement>) {
        let mut steps = self.statement((**part).clone());
        **part = match steps.pop() {
            Some(only) if steps.is_empty() => only,
            last => build::statement(StatementKind::Block(build::block(steps.into_iter().chain(last).collect()))),
        };
    }

    fn operation(&mut self, operation: TimerOperation, arguments: &[Expr]) -> Vec<Statement> {
        let Some(ExprKind::Place(timer)) = arguments.first().map(|timer| &timer.kind) else { return Vec::new() };
        let timer = self.place(timer);
        let wait = || build::statement(StatementKind::Expr(is_zero(timer.clone())));
        let set = |value| assign(timer.clone(), value);
        let duration = arguments.get(1).map_or_else(|| int(-1), |value| self.duration(value));
        match operation {
            TimerOperation::Set | TimerOperation::Reset => vec![set(duration)],
            TimerOperation::Delay => vec![set(duration), wait()],
            TimerOperation::UnboundedDelay => {
                let on = build::block(vec![set(int(1)), wait()]);
                let stop = build::block(vec![build::statement(StatementKind::Break)]);
                vec![build::statement(StatementKind::Do(vec![on, stop]))]
            }
        }
    }

    /// The timers of a process are declared elsewhere. Behind a statement a declaration is a step, which stores the initial
    /// value again, of an array in element 0.
    /// Nothing if it stays.
    fn local_declaration(&mut self, declaration: &mut Declaration) -> Option<Vec<Statement>> {
        let mut again = Vec::new();
        for declarator in &mut declaration.variables {
            match declarator.init.as_mut().map(|init| &mut init.kind) {
                Some(InitializerKind::Value(value)) => *value = self.expr(value),
                Some(InitializerKind::List(values)) => self.all(values),
                Some(InitializerKind::Channel { .. }) | None => {}
            }
            let declared = self.locals.next();
            let Some(id) = declared else { continue };
            if let Some(scope) = self.scopes.last_mut() {
                scope.push((declarator.name.name.clone(), id));
            }
            let variable = &self.model.variables[id];
            if variable.ty == Type::Timer
                && let Some(mut place) = self.here.and_then(|home| home.place(id))
            {
                if variable.length.is_some() {
                    build::set_index(&mut place, int(0));
                }
                let value = match declarator.init.as_ref().map(|init| &init.kind) {
                    Some(InitializerKind::Value(value)) => cut(value.clone()),
                    Some(InitializerKind::List(values)) => values.first().cloned().map_or_else(|| int(-1), cut),
                    Some(InitializerKind::Channel { .. }) | None => int(-1),
                };
                again.push(assign(place, value));
            }
        }
        match (&declaration.ty.kind, self.at_head) {
            (TypeKind::Timer, true) => Some(Vec::new()),
            (TypeKind::Timer, false) => Some(again),
            _ => None,
        }
    }

    /// Stands where nothing but declarations of timers stood.
    fn unused(&self) -> Declaration {
        declaration(self.number.clone(), declarator("unused_timer", None))
    }
}
