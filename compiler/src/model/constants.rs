//! Variables that never change, and expressions without them.
//!
//! A variable without assignments always has its initial value. If that is a constant, it replaces all reads, and
//! expressions that become constant are folded. The verdict cannot depend on it: no state ever had another value there.

use super::statement::{Communication, stored_places};
use super::visit::{each_expr_mut, each_statement};
use super::{Expr, ExprKind, Init, Model, Origin, Owner, Place, Type, VariableId, fold};
use crate::collections::IdVec;

/// The variables in which nothing is ever stored and whose initial value is known.
/// Channels are not among them. Errs towards `false`.
pub fn find(model: &Model) -> IdVec<VariableId, bool> {
    let written = written(model);
    let is_constant = |value: &Expr| value.as_constant().is_some();
    let is_known = |init: &Init| match init {
        Init::Zero => true,
        Init::All(value) => is_constant(value),
        Init::List(values) => values.iter().all(is_constant),
        Init::Channel(_) | Init::FieldChannel { .. } => false,
    };
    let variables = model.variables.iter_enumerated();
    let of_variable = variables.map(|(id, variable)| {
        // Time changes a timer.
        if model.has_timer(variable.ty) {
            return false;
        }
        let is_owned = !matches!(variable.owner, Owner::Never(_)) && variable.origin != Origin::Parameter;
        is_owned && !written[id] && is_known(&variable.init) && !has_channels(model, variable.ty)
    });
    of_variable.collect()
}

/// Replaces variables that never change by their values.
pub fn fold(model: &mut Model) {
    // The initial value of a local may be that of a constant: so repeat until nothing changes.
    let mut known = 0;
    loop {
        let is_constant = find(model);
        let n_constant = is_constant.iter().filter(|is_constant| **is_constant).count();
        if n_constant == known {
            return;
        }
        known = n_constant;
        let values: IdVec<VariableId, Option<ConstantValue>> =
            is_constant.iter_enumerated().map(|(id, is_constant)| is_constant.then(|| value(model, id))?).collect();
        each_expr_mut(model, &mut |expr| fold_tree(expr, &values));
    }
}

/// The constant value of a scalar or an array of scalars.
enum ConstantValue {
    Scalar(i32),
    Array(Vec<i32>),
}

/// `None` for a record: its fields stay as they are.
fn value(model: &Model, id: VariableId) -> Option<ConstantValue> {
    let variable = &model.variables[id];
    if matches!(variable.ty, Type::Record(_)) {
        return None;
    }
    let list: Vec<i32> = match &variable.init {
        Init::Zero => vec![0],
        Init::All(value) => vec![value.as_constant()?],
        Init::List(values) => values.iter().map(Expr::as_constant).collect::<Option<_>>()?,
        Init::Channel(_) | Init::FieldChannel { .. } => return None,
    };
    let last = *list.last()?;
    Some(match variable.length {
        None => ConstantValue::Scalar(variable.ty.truncate(list[0])),
        Some(length) => {
            let all = list.iter().copied().chain(std::iter::repeat(last)).take(length as usize);
            ConstantValue::Array(all.map(|value| variable.ty.element().truncate(value)).collect())
        }
    })
}

fn fold_tree(expr: &mut Expr, values: &IdVec<VariableId, Option<ConstantValue>>) {
    let span = expr.span;
    let take = |part: &mut Expr| std::mem::replace(part, Expr::constant(0, span));
    let folded = match &mut expr.kind {
        ExprKind::Read(place) => match value_of(place, values) {
            Some(value) => Expr::constant(value, span),
            None => return,
        },
        ExprKind::Unary(op, operand) => {
            fold_tree(operand, values);
            fold::unary(*op, take(operand), span)
        }
        ExprKind::Binary(op, left, right) => {
            fold_tree(left, values);
            fold_tree(right, values);
            // A division by zero stays, and fails when it is reached.
            fold::binary(*op, take(left), take(right), span).0
        }
        ExprKind::Conditional(condition, yes, no) => {
            fold_tree(condition, values);
            fold_tree(yes, values);
            fold_tree(no, values);
            fold::conditional(take(condition), take(yes), take(no), span)
        }
        _ => return,
    };
    *expr = folded;
}

fn value_of(place: &mut Place, values: &IdVec<VariableId, Option<ConstantValue>>) -> Option<i32> {
    if let Some(index) = &mut place.index {
        fold_tree(index, values);
    }
    match (values[place.variable].as_ref()?, &place.index) {
        (ConstantValue::Scalar(value), None) => Some(*value),
        (ConstantValue::Array(elements), Some(index)) => {
            usize::try_from(index.as_constant()?).ok().and_then(|index| elements.get(index)).copied()
        }
        _ => None,
    }
}

fn written(model: &Model) -> IdVec<VariableId, bool> {
    let mut written: IdVec<VariableId, bool> = model.variables.iter().map(|_| false).collect();
    for process in model.proctypes.iter().chain(&model.never) {
        each_statement(&process.body, &mut |statement| {
            statement.kind.assigned_places().iter().for_each(|place| written[place.variable] = true);
            if let Some(Communication::Receive { pattern, .. }) = statement.kind.communication() {
                stored_places(pattern).for_each(|place| written[place.variable] = true);
            }
        });
    }
    written
}

/// Whether a variable of this type holds numbers of channels.
fn has_channels(model: &Model, ty: Type) -> bool {
    match ty {
        Type::Chan => true,
        Type::Record(record) => model.records[record].fields.iter().any(|field| has_channels(model, field.ty)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostics, LintLevels};
    use crate::model::StatementKind;
    use crate::source::SourceMap;
    use crate::syntax::{self, LoadError, Loader, PreprocessOptions};

    struct Nothing;

    impl Loader for Nothing {
        fn load(&mut self, _: &str) -> Result<String, LoadError> {
            Err(LoadError::NotFound)
        }
    }

    fn folded(text: &str) -> Model {
        let mut sources = SourceMap::new();
        let main = sources.add("model.pml", text.to_owned()).expect("a short text");
        let mut diagnostics = Diagnostics::new(LintLevels::default());
        let options = PreprocessOptions::default();
        let tokens = syntax::tokenize(&mut sources, main, &mut Nothing, &options, &mut diagnostics);
        let file = syntax::parse(&tokens, &sources, &mut diagnostics);
        let mut model = super::super::resolve(&file, &sources, &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{diagnostics:?}");
        fold(&mut model);
        model
    }

    /// The values of the conditions in the model; nothing for what is not constant.
    fn conditions(text: &str) -> Vec<Option<i32>> {
        let model = folded(text);
        let mut found = Vec::new();
        for process in &model.proctypes {
            each_statement(&process.body, &mut |statement| {
                if let StatementKind::Condition(condition) = &statement.kind {
                    found.push(condition.as_constant());
                }
            });
        }
        found
    }

    #[test]
    fn what_never_changes_is_its_initial_value() {
        assert_eq!(conditions("byte n = 300; init { n + 1 }"), [Some(45)]);
        assert_eq!(conditions("byte n = 3; bit b; init { byte k = n; k > 2 && !b }"), [Some(1)]);
        assert_eq!(
            conditions("int t[3] = { 4, 5 }; byte i; init { t[2] == 5; t[i] == 4; t[i + 3] == 0 }"),
            [Some(1), Some(1), None]
        );
    }

    #[test]
    fn what_is_stored_in_stays() {
        assert_eq!(conditions("byte n; init { n; n = 1 }"), [None]);
        assert_eq!(conditions("byte n; chan c = [1] of { byte }; init { n; c?n }"), [None]);
        assert_eq!(conditions("byte n; init { n } never { n = 1 }"), [None]);
        assert_eq!(conditions("proctype p(byte n) { n } init { run p(1) }")[0], None);
    }

    #[test]
    fn a_division_by_zero_waits_until_it_is_reached() {
        assert_eq!(conditions("byte zero; init { 1 / zero; zero && 1 / zero }"), [None, Some(0)]);
    }
}
