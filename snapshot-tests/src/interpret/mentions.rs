//! The names that a model mentions, anywhere in it.
//!
//! Two things depend on that: `_last` is part of the state only if the model reads it, and a jump that a label makes
//! visible is a step.

use std::collections::HashSet;

use pmc::model::{
    Expr, ExprKind, Formula, LabelId, Model, Pattern, Place, Printed, Process, ProctypeId, Statement, StatementKind,
    Target,
};

#[derive(Debug, Default)]
pub struct Mentions {
    /// `_last` occurs.
    pub last: bool,
    /// The labels of each proctype that a remote reference names.
    pub labels: HashSet<(ProctypeId, LabelId)>,
}

impl Mentions {
    pub fn of(model: &Model) -> Self {
        let mut mentions = Self { last: model.mentions_last, ..Self::default() };
        let trace = model.trace.iter().map(|trace| &trace.process);
        model.proctypes.iter().chain(&model.never).chain(trace).for_each(|process| mentions.process(process));
        model.formulas.iter().for_each(|ltl| mentions.formula(&ltl.formula));
        mentions
    }

    fn process(&mut self, process: &Process) {
        process.provided.iter().for_each(|expr| self.expr(expr));
        self.sequence(&process.body);
    }

    fn sequence(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => {
                self.sequence(body);
            }
            StatementKind::If(choices) | StatementKind::Do(choices) => {
                choices.iter().for_each(|choice| self.sequence(&choice.body));
            }
            StatementKind::Unless { body, escape } => {
                self.sequence(body);
                self.sequence(escape);
            }
            StatementKind::Break | StatementKind::Goto(_) | StatementKind::Else => {}
            StatementKind::Condition(expr) | StatementKind::Assert(expr) => self.expr(expr),
            StatementKind::Assign { target, value } => {
                self.expr(value);
                match target {
                    Target::Place(place) => self.place(place),
                    Target::Several(places) => places.iter().for_each(|place| self.place(place)),
                    Target::Priority | Target::Ignore => {}
                }
            }
            StatementKind::Send { channel, message, .. } => {
                self.place(&channel.place);
                message.iter().for_each(|expr| self.expr(expr));
            }
            StatementKind::Receive { channel, pattern, .. } | StatementKind::Event { channel, pattern, .. } => {
                self.place(&channel.place);
                pattern.iter().for_each(|pattern| self.pattern(pattern));
            }
            StatementKind::Print(parts) => {
                for part in parts {
                    match part {
                        Printed::Text(_) => {}
                        Printed::Signed(expr)
                        | Printed::Unsigned(expr)
                        | Printed::Octal(expr)
                        | Printed::Hexadecimal(expr)
                        | Printed::Character(expr)
                        | Printed::Symbol(_, expr) => self.expr(expr),
                    }
                }
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Store(place) => self.place(place),
            Pattern::Equal(expr) => self.expr(expr),
            Pattern::Ignore => {}
        }
    }

    fn place(&mut self, place: &Place) {
        let indices = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
        indices.for_each(|index| self.expr(index));
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(expr) => self.expr(expr),
            Formula::Not(a) | Formula::Next(a) | Formula::Always(a) | Formula::Eventually(a) => self.formula(a),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => {
                self.formula(a);
                self.formula(b);
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_)
            | ExprKind::Timeout
            | ExprKind::Pid
            | ExprKind::ProcessCount
            | ExprKind::Last
            | ExprKind::NonProgress
            | ExprKind::Priority => {}
            ExprKind::Read(place) => self.place(place),
            ExprKind::Host(call) => call.arguments.iter().for_each(|argument| self.expr(argument)),
            ExprKind::Unary(_, a) | ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => {
                self.expr(a);
            }
            ExprKind::Binary(_, a, b) | ExprKind::SetPriority(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Run { arguments, .. } => arguments.iter().for_each(|expr| self.expr(expr)),
            ExprKind::Probe(_, channel) => self.place(&channel.place),
            ExprKind::Poll { channel, pattern, .. } => {
                self.place(&channel.place);
                pattern.iter().for_each(|pattern| self.pattern(pattern));
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.labels.insert((*proctype, *label));
                pid.iter().for_each(|pid| self.expr(pid));
            }
            ExprKind::RemoteVariable { pid, place, .. } => {
                pid.iter().for_each(|pid| self.expr(pid));
                self.place(place);
            }
        }
    }
}
