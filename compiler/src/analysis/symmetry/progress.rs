//! Statements that are always executable, so that control does not rest before them.
//!
//! Inside of an atomic sequence, control rests where the process cannot move: before a statement that waits, and before
//! one that fails, since a step that fails is not taken. A `provided` clause can stop a process anywhere.

use crate::analysis::failing::is_total;
use crate::model::visit::in_step;
use crate::model::{Choice, Expr, ExprKind, Model, Place, Process, Statement, StatementKind, Target, VariableId};

/// What is known of the process around.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    pub model: &'a Model,
    /// It is a member of a family, and no array that members index is too short.
    pub is_member: bool,
    /// Counters of loops over members, which index such arrays.
    pub counters: &'a [VariableId],
    pub has_provided: bool,
}

impl<'a> Progress<'a> {
    pub fn of(model: &'a Model, process: &Process, is_member: bool) -> Self {
        Self { model, is_member, counters: &[], has_provided: process.provided.is_some() }
    }

    /// Whether a statement is always executable, with all that is in it.
    pub fn goes_on(&self, statement: &Statement) -> bool {
        let all = |body: &[Statement]| body.iter().all(|statement| self.goes_on(statement));
        if self.has_provided {
            return false;
        }
        match &statement.kind {
            StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => all(body),
            StatementKind::If(choices) | StatementKind::Do(choices) => {
                let is_else = |choice: &Choice| matches!(choice.body[0].kind, StatementKind::Else);
                let is_free = choices.iter().any(|choice| is_else(choice) || self.goes_on(&choice.body[0]));
                is_free && choices.iter().all(|choice| self.goes_on_inside(&choice.body))
            }
            StatementKind::Condition(condition) => {
                is_run(statement) || condition.as_constant().is_some_and(|value| value != 0)
            }
            StatementKind::Assign { target, .. } => {
                let is_inside = match target {
                    Target::Place(place) => self.has_total_indices(place),
                    Target::Priority | Target::Ignore | Target::Several(_) => true,
                };
                is_inside && self.is_total(statement)
            }
            StatementKind::Assert(_) | StatementKind::Print(_) => self.is_total(statement),
            StatementKind::Else | StatementKind::Break => true,
            StatementKind::Unless { .. }
            | StatementKind::Goto(_)
            | StatementKind::Send { .. }
            | StatementKind::Receive { .. }
            | StatementKind::Event { .. } => false,
        }
    }

    /// An option that is tested may be closed, if another is open; a test that fails is one that waits.
    fn goes_on_inside(&self, body: &[Statement]) -> bool {
        let is_test = matches!(body[0].kind, StatementKind::Condition(_)) && !is_run(&body[0]);
        let rest = &body[usize::from(is_test)..];
        (!is_test || self.is_total(&body[0])) && rest.iter().all(|statement| self.goes_on(statement))
    }

    /// Whether the values of a statement can always be computed.
    fn is_total(&self, statement: &Statement) -> bool {
        let mut total = true;
        in_step(&statement.kind, &mut |expression| {
            total &= match &expression.kind {
                ExprKind::Read(place) => self.has_total_indices(place),
                // Its parts are asked for themselves, and an index is one.
                ExprKind::Unary(..)
                | ExprKind::Binary(
                    crate::model::BinaryOp::Add
                    | crate::model::BinaryOp::Subtract
                    | crate::model::BinaryOp::Equal
                    | crate::model::BinaryOp::NotEqual
                    | crate::model::BinaryOp::And
                    | crate::model::BinaryOp::Or,
                    ..,
                )
                | ExprKind::Conditional(..) => true,
                _ => is_total(self.model, expression),
            };
        });
        total
    }

    fn has_total_indices(&self, place: &Place) -> bool {
        let is_known = |index: &Expr| match &index.kind {
            ExprKind::Pid => self.is_member,
            ExprKind::Read(place) => {
                place.index.is_none() && place.fields.is_empty() && self.counters.contains(&place.variable)
            }
            _ => false,
        };
        let mut indices = place.index.iter().chain(place.fields.iter().filter_map(|access| access.index.as_ref()));
        let has_known = indices.clone().any(|index| is_known(index));
        if !has_known {
            return crate::analysis::failing::has_total_indices(self.model, place);
        }
        // One of several that is not known may be outside.
        indices.all(|index| is_known(index))
    }
}

/// Where an atomic sequence begins it may wait.
pub fn behind_first(body: &[Statement]) -> &[Statement] {
    match body {
        [first, rest @ ..] if matches!(first.kind, StatementKind::Condition(_)) && !is_run(first) => rest,
        _ => body,
    }
}

fn is_run(statement: &Statement) -> bool {
    matches!(&statement.kind, StatementKind::Condition(Expr { kind: ExprKind::Run { .. }, .. }))
}
