//! Loops over all members, whose rounds may come in any order.
//!
//! `i = 0; do :: i < N -> B; i++ :: else -> break od`, as an author writes it or as a `for` stands for it. Inside of B
//! the counter may be a member, if no state shows how far the loop is, and if its rounds commute: each writes what is of
//! its member, or adds to a variable, or stores the same constant there as every other.

use super::progress::Progress;
use crate::model::visit::{each_statement, in_expr, in_step};
use crate::model::{BinaryOp, Choice, Expr, ExprKind, Place, Statement, StatementKind, Target, VariableId};
use crate::source::Span;

/// A counting loop.
pub struct Loop<'m> {
    pub counter: VariableId,
    /// The first and the last value of the counter in the body.
    pub first: i32,
    pub last: i32,
    /// The test, and the statement behind the body.
    pub header: [&'m Statement; 2],
    pub body: &'m [Statement],
    /// What follows the last round.
    pub end: &'m [Statement],
    pub whole: &'m Statement,
}

/// The loop whose counter is set by the first of these statements.
pub fn counting(list: &[Statement]) -> Option<Loop<'_>> {
    let [start, whole, ..] = list else { return None };
    let (counter, first) = start.kind.assignment()?;
    let (counter, first) = (scalar(counter)?, first.as_constant()?);
    let StatementKind::Do(choices) = &whole.kind else { return None };
    let [Choice { body: round, .. }, Choice { body: end, .. }] = &choices[..] else { return None };
    let [test, body @ .., step] = &round[..] else { return None };
    let StatementKind::Condition(Expr { kind: ExprKind::Binary(op, left, limit), .. }) = &test.kind else {
        return None;
    };
    let last = match (op, limit.as_constant()?) {
        (BinaryOp::Less, limit) => limit.checked_sub(1)?,
        (BinaryOp::LessEqual, limit) => limit,
        _ => return None,
    };
    let (stepped, value) = step.kind.assignment()?;
    let is_step = match &value.kind {
        ExprKind::Binary(BinaryOp::Add, left, right) => is_read(left, counter) && right.as_constant() == Some(1),
        _ => false,
    };
    let ends = matches!(end[0].kind, StatementKind::Else) && matches!(end[end.len() - 1].kind, StatementKind::Break);
    let is_loop = is_read(left, counter) && scalar(stepped) == Some(counter) && is_step && ends;
    is_loop.then_some(Loop { counter, first, last, header: [test, step], body, end, whole })
}

fn scalar(place: &Place) -> Option<VariableId> {
    (place.index.is_none() && place.fields.is_empty()).then_some(place.variable)
}

fn is_read(expression: &Expr, variable: VariableId) -> bool {
    matches!(&expression.kind, ExprKind::Read(place) if scalar(place) == Some(variable))
}

impl Loop<'_> {
    /// Whether it never waits, so that inside of an atomic sequence no state shows the counter.
    pub fn goes_on(&self, progress: Progress<'_>, around: &[VariableId]) -> bool {
        let counters = [around, &[self.counter]].concat();
        Progress { counters: &counters, ..progress }.goes_on(self.whole)
    }

    /// The first place that the order of the rounds has an influence on.
    pub fn depends_on_order(&self) -> Option<Span> {
        let mut writes: Vec<Write> = Vec::new();
        let mut found = None;
        each_statement(self.body, &mut |statement| {
            let is_simple = statement.labels.is_empty()
                && match &statement.kind {
                    StatementKind::Block(_)
                    | StatementKind::Atomic(_)
                    | StatementKind::DStep(_)
                    | StatementKind::If(_)
                    | StatementKind::Condition(_)
                    | StatementKind::Else
                    | StatementKind::Assert(_)
                    | StatementKind::Print(_) => true,
                    StatementKind::Assign { target, value } => match self.write(target, value) {
                        Some(write) => {
                            let agrees = writes.iter().all(|other| write.agrees_with(other));
                            writes.push(write);
                            agrees
                        }
                        None => false,
                    },
                    StatementKind::Do(_)
                    | StatementKind::Unless { .. }
                    | StatementKind::Break
                    | StatementKind::Goto(_)
                    | StatementKind::Send { .. }
                    | StatementKind::Receive { .. }
                    | StatementKind::Event { .. } => false,
                };
            if !is_simple && found.is_none() {
                found = Some(statement.span);
            }
        });
        found.or_else(|| (!self.reads_fit(&writes)).then_some(self.whole.span))
    }

    fn write(&self, target: &Target, value: &Expr) -> Option<Write> {
        let Target::Place(place) = target else { return None };
        let variable = place.variable;
        if let Some(index) = &place.index {
            return is_read(index, self.counter).then_some(Write { variable, how: How::Element });
        }
        if !place.fields.is_empty() || variable == self.counter {
            return None;
        }
        let how = match &value.kind {
            ExprKind::Constant(value) => How::Constant(*value),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right)
                if is_read(left, variable) && !reads(right, variable) =>
            {
                How::Sum
            }
            ExprKind::Binary(BinaryOp::Add, left, right) if is_read(right, variable) && !reads(left, variable) => {
                How::Sum
            }
            _ => return None,
        };
        Some(Write { variable, how })
    }

    /// Whether no round reads what another writes, but for the sums themselves. A process is started, and a channel asked,
    /// in no round.
    fn reads_fit(&self, writes: &[Write]) -> bool {
        let written = |variable: VariableId| writes.iter().find(|write| write.variable == variable);
        let mut fits = true;
        each_statement(self.body, &mut |statement| {
            let mut n_own = match statement.kind.assignment() {
                Some((place, _)) if written(place.variable).is_some_and(|write| write.how == How::Sum) => 1,
                _ => 0,
            };
            let own = statement.kind.assignment().map(|(place, _)| place.variable);
            in_step(&statement.kind, &mut |expression| match &expression.kind {
                ExprKind::Read(place) => match written(place.variable) {
                    None => {}
                    Some(Write { how: How::Element, .. }) => {
                        fits &= place.index.as_ref().is_some_and(|index| is_read(index, self.counter));
                    }
                    Some(Write { .. }) if Some(place.variable) == own && n_own > 0 => n_own -= 1,
                    Some(Write { .. }) => fits = false,
                },
                ExprKind::Run { .. }
                | ExprKind::Probe(..)
                | ExprKind::Poll { .. }
                | ExprKind::RemoteVariable { .. }
                | ExprKind::SetPriority(..) => fits = false,
                _ => {}
            });
        });
        fits
    }
}

/// What a round does to a variable.
struct Write {
    variable: VariableId,
    how: How,
}

#[derive(PartialEq, Eq)]
enum How {
    /// To the element of the member.
    Element,
    Sum,
    Constant(i32),
}

impl Write {
    fn agrees_with(&self, other: &Self) -> bool {
        self.variable != other.variable || self.how == other.how
    }
}

fn reads(expression: &Expr, variable: VariableId) -> bool {
    let mut found = false;
    in_expr(expression, &mut |part| found |= matches!(&part.kind, ExprKind::Read(place) if place.variable == variable));
    found
}
