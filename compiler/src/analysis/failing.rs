//! Whether computing a value can fail, or has a side effect.

use super::ranges;
use crate::model::{BinaryOp, Expr, ExprKind, FieldAccess, Model, Place, Type};

/// Whether the expression always has a value: no division by zero, no index outside of its array, no access to a
/// channel or a process that does not exist, no side effect. Errs towards `false`.
pub fn is_total(model: &Model, expression: &Expr) -> bool {
    let total = |part: &Expr| is_total(model, part);
    match &expression.kind {
        ExprKind::Constant(_)
        | ExprKind::Timeout
        | ExprKind::Pid
        | ExprKind::ProcessCount
        | ExprKind::Last
        | ExprKind::NonProgress
        | ExprKind::Priority => true,
        ExprKind::Read(place) => has_total_indices(model, place),
        ExprKind::Unary(_, inner) => total(inner),
        ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right) => {
            ranges::of(right).low >= 1 && total(left) && total(right)
        }
        ExprKind::Binary(_, left, right) => total(left) && total(right),
        ExprKind::Conditional(condition, yes, no) => total(condition) && total(yes) && total(no),
        ExprKind::Run { .. }
        | ExprKind::Probe(..)
        | ExprKind::Poll { .. }
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_)
        | ExprKind::GetPriority(_)
        | ExprKind::SetPriority(..)
        | ExprKind::RemoteLabel { .. }
        | ExprKind::RemoteVariable { .. }
        | ExprKind::Host(_) => false,
    }
}

/// Whether every index of a place is certain to be inside of its array.
pub fn has_total_indices(model: &Model, place: &Place) -> bool {
    let variable = &model.variables[place.variable];
    let is_inside = |index: Option<&Expr>, length: Option<u32>| match (index, length) {
        (Some(index), Some(length)) => {
            let range = ranges::of(index);
            range.low >= 0 && range.high < i64::from(length) && is_total(model, index)
        }
        _ => true,
    };
    let mut inside = is_inside(place.index.as_deref(), variable.length);
    let mut ty = variable.ty;
    for FieldAccess { field, index } in &place.fields {
        let Type::Record(record) = ty else { return false };
        let declared = &model.records[record].fields[*field as usize];
        inside &= is_inside(index.as_deref(), declared.length);
        ty = declared.ty;
    }
    inside
}

/// The indices of a place.
pub fn indices(place: &Place) -> impl Iterator<Item = &Expr> {
    place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref())).map(|index| &**index)
}
