//! Whether a model speaks of `_last`, anywhere: only then is it part of the state.

use pmc::model::{Expr, ExprKind, Formula, Model, Pattern, Place, Printed, Process, Statement, StatementKind, Target};

pub fn last(model: &Model) -> bool {
    let processes = model.proctypes.iter().chain(&model.never).chain(model.trace.iter().map(|trace| &trace.process));
    processes.into_iter().any(in_process) || model.formulas.iter().any(|ltl| in_formula(&ltl.formula))
}

fn in_process(process: &Process) -> bool {
    process.provided.iter().any(in_expr) || process.body.iter().any(in_statement)
}

fn in_statement(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => {
            body.iter().any(in_statement)
        }
        StatementKind::If(choices) | StatementKind::Do(choices) => {
            choices.iter().any(|choice| choice.body.iter().any(in_statement))
        }
        StatementKind::Unless { body, escape } => body.iter().chain(escape).any(in_statement),
        StatementKind::Break | StatementKind::Goto(_) | StatementKind::Else => false,
        StatementKind::Condition(expr) | StatementKind::Assert(expr) => in_expr(expr),
        StatementKind::Assign { target, value } => {
            in_expr(value) || matches!(target, Target::Place(place) if in_place(place))
        }
        StatementKind::Send { channel, message, .. } => in_place(&channel.place) || message.iter().any(in_expr),
        StatementKind::Receive { channel, pattern, .. } | StatementKind::Event { channel, pattern, .. } => {
            in_place(&channel.place) || pattern.iter().any(in_pattern)
        }
        StatementKind::Print(parts) => parts.iter().any(|part| match part {
            Printed::Text(_) => false,
            Printed::Signed(expr)
            | Printed::Unsigned(expr)
            | Printed::Octal(expr)
            | Printed::Hexadecimal(expr)
            | Printed::Character(expr)
            | Printed::Symbol(_, expr) => in_expr(expr),
        }),
    }
}

fn in_pattern(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Store(place) => in_place(place),
        Pattern::Equal(expr) => in_expr(expr),
        Pattern::Ignore => false,
    }
}

fn in_place(place: &Place) -> bool {
    place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref())).any(|index| in_expr(index))
}

fn in_formula(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(expr) => in_expr(expr),
        Formula::Not(a) | Formula::Next(a) | Formula::Always(a) | Formula::Eventually(a) => in_formula(a),
        Formula::And(a, b)
        | Formula::Or(a, b)
        | Formula::Implies(a, b)
        | Formula::Equivalent(a, b)
        | Formula::Until(a, b)
        | Formula::WeakUntil(a, b)
        | Formula::Release(a, b) => in_formula(a) || in_formula(b),
    }
}

fn in_expr(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Last => true,
        ExprKind::Constant(_)
        | ExprKind::Timeout
        | ExprKind::Pid
        | ExprKind::ProcessCount
        | ExprKind::NonProgress
        | ExprKind::Priority => false,
        ExprKind::Read(place) => in_place(place),
        ExprKind::Unary(_, a) | ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => in_expr(a),
        ExprKind::Binary(_, a, b) | ExprKind::SetPriority(a, b) => in_expr(a) || in_expr(b),
        ExprKind::Conditional(a, b, c) => in_expr(a) || in_expr(b) || in_expr(c),
        ExprKind::Run { arguments, .. } => arguments.iter().any(in_expr),
        ExprKind::Probe(_, channel) => in_place(&channel.place),
        ExprKind::Poll { channel, pattern, .. } => in_place(&channel.place) || pattern.iter().any(in_pattern),
        ExprKind::RemoteLabel { pid, .. } => pid.as_ref().is_some_and(|pid| in_expr(pid)),
        ExprKind::RemoteVariable { pid, place, .. } => pid.as_ref().is_some_and(|pid| in_expr(pid)) || in_place(place),
    }
}
