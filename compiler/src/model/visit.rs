//! Walks over the expressions and statements of a model.

use super::{
    ChannelRef, Choice, Expr, ExprKind, Formula, Init, Model, Pattern, Place, Printed, Process, Statement,
    StatementKind, Target,
};

/// Generates each visitor twice: for shared and for mutable references.
macro_rules! walks {
    ($each_expr:ident, $each_statement:ident, $in_process:ident, $statements:ident, $statement:ident, $steps:ident,
     $expr:ident, $place:ident, $channel:ident, $pattern:ident, $init:ident, $formula:ident,
     $iter:ident, $as_deref:ident $(, $mut:tt)?) => {
        /// Every expression of the model, each before its parts.
        pub fn $each_expr(model: &$($mut)? Model, found: &mut impl FnMut(&$($mut)? Expr)) {
            for variable in model.variables.$iter() {
                $init(&$($mut)? variable.init, found);
            }
            for process in model.proctypes.$iter() {
                $in_process(process, found);
            }
            for process in model.never.$iter() {
                $in_process(process, found);
            }
            for ltl in model.formulas.$iter() {
                $formula(&$($mut)? ltl.formula, found);
            }
            if let Some(trace) = &$($mut)? model.trace {
                $in_process(&$($mut)? trace.process, found);
            }
        }

        /// Every expression of a process, but for the initial values of its variables.
        pub fn $in_process(process: &$($mut)? Process, found: &mut impl FnMut(&$($mut)? Expr)) {
            if let Some(provided) = &$($mut)? process.provided {
                $expr(provided, found);
            }
            for (_, channel) in process.exclusive.$iter() {
                $channel(channel, found);
            }
            $each_statement(&$($mut)? process.body, &mut |statement| $steps(&$($mut)? statement.kind, found));
        }

        /// Every statement, each before its parts.
        pub fn $each_statement(list: &$($mut)? [Statement], found: &mut impl FnMut(&$($mut)? Statement)) {
            for statement in list.$iter() {
                found(statement);
                $statement(&$($mut)? statement.kind, found);
            }
        }

        fn $statement(kind: &$($mut)? StatementKind, found: &mut impl FnMut(&$($mut)? Statement)) {
            match kind {
                StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => {
                    $each_statement(body, found);
                }
                StatementKind::If(choices) | StatementKind::Do(choices) => {
                    for Choice { body, .. } in choices.$iter() {
                        $each_statement(body, found);
                    }
                }
                StatementKind::Unless { body, escape } => {
                    $each_statement(body, found);
                    $each_statement(escape, found);
                }
                StatementKind::Break
                | StatementKind::Goto(_)
                | StatementKind::Condition(_)
                | StatementKind::Else
                | StatementKind::Assign { .. }
                | StatementKind::Send { .. }
                | StatementKind::Receive { .. }
                | StatementKind::Assert(_)
                | StatementKind::Print(_)
                | StatementKind::Event { .. } => {}
            }
        }

        /// The expressions of a step, not those of the statements in it.
        pub fn $steps(kind: &$($mut)? StatementKind, found: &mut impl FnMut(&$($mut)? Expr)) {
            match kind {
                StatementKind::Block(_)
                | StatementKind::Atomic(_)
                | StatementKind::DStep(_)
                | StatementKind::If(_)
                | StatementKind::Do(_)
                | StatementKind::Unless { .. }
                | StatementKind::Break
                | StatementKind::Goto(_)
                | StatementKind::Else => {}
                StatementKind::Condition(condition) => $expr(condition, found),
                StatementKind::Assign { target, value } => {
                    match target {
                        Target::Place(place) => $place(place, found),
                        Target::Several(places) => {
                            for place in places.$iter() {
                                $place(place, found);
                            }
                        }
                        Target::Priority | Target::Ignore => {}
                    }
                    $expr(value, found);
                }
                StatementKind::Send { channel, message, .. } => {
                    $channel(channel, found);
                    for value in message.$iter() {
                        $expr(value, found);
                    }
                }
                StatementKind::Receive { channel, pattern, .. } | StatementKind::Event { channel, pattern, .. } => {
                    $channel(channel, found);
                    $pattern(pattern, found);
                }
                StatementKind::Assert(condition) => $expr(condition, found),
                StatementKind::Print(parts) => {
                    for part in parts.$iter() {
                        match part {
                            Printed::Text(_) => {}
                            Printed::Signed(value)
                            | Printed::Unsigned(value)
                            | Printed::Octal(value)
                            | Printed::Hexadecimal(value)
                            | Printed::Character(value)
                            | Printed::Symbol(_, value) => $expr(value, found),
                        }
                    }
                }
            }
        }

        pub fn $expr(expr: &$($mut)? Expr, found: &mut impl FnMut(&$($mut)? Expr)) {
            found(expr);
            match &$($mut)? expr.kind {
                ExprKind::Constant(_)
                | ExprKind::Timeout
                | ExprKind::Pid
                | ExprKind::ProcessCount
                | ExprKind::Last
                | ExprKind::NonProgress
                | ExprKind::Priority => {}
                ExprKind::Read(place) => $place(place, found),
                ExprKind::Unary(_, operand) => $expr(operand, found),
                ExprKind::Binary(_, left, right) => {
                    $expr(left, found);
                    $expr(right, found);
                }
                ExprKind::Conditional(condition, yes, no) => {
                    $expr(condition, found);
                    $expr(yes, found);
                    $expr(no, found);
                }
                ExprKind::Run { arguments, .. } => {
                    for argument in arguments.$iter() {
                        $expr(argument, found);
                    }
                }
                ExprKind::Probe(_, channel) => $channel(channel, found),
                ExprKind::Poll { channel, pattern, .. } => {
                    $channel(channel, found);
                    $pattern(pattern, found);
                }
                ExprKind::Enabled(pid) | ExprKind::PcValue(pid) | ExprKind::GetPriority(pid) => $expr(pid, found),
                ExprKind::SetPriority(pid, priority) => {
                    $expr(pid, found);
                    $expr(priority, found);
                }
                ExprKind::RemoteLabel { pid, .. } => {
                    if let Some(pid) = pid.$as_deref() {
                        $expr(pid, found);
                    }
                }
                ExprKind::RemoteVariable { pid, place, .. } => {
                    if let Some(pid) = pid.$as_deref() {
                        $expr(pid, found);
                    }
                    $place(place, found);
                }
                ExprKind::Host(call) => {
                    for argument in call.arguments.$iter() {
                        $expr(argument, found);
                    }
                }
            }
        }

        fn $place(place: &$($mut)? Place, found: &mut impl FnMut(&$($mut)? Expr)) {
            if let Some(index) = place.index.$as_deref() {
                $expr(index, found);
            }
            for field in place.fields.$iter() {
                if let Some(index) = field.index.$as_deref() {
                    $expr(index, found);
                }
            }
        }

        fn $channel(channel: &$($mut)? ChannelRef, found: &mut impl FnMut(&$($mut)? Expr)) {
            $place(&$($mut)? channel.place, found);
        }

        fn $pattern(pattern: &$($mut)? [Pattern], found: &mut impl FnMut(&$($mut)? Expr)) {
            for part in pattern.$iter() {
                match part {
                    Pattern::Store(place) => $place(place, found),
                    Pattern::Equal(value) => $expr(value, found),
                    Pattern::Ignore => {}
                }
            }
        }

        pub fn $init(init: &$($mut)? Init, found: &mut impl FnMut(&$($mut)? Expr)) {
            match init {
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => {}
                Init::All(value) => $expr(value, found),
                Init::List(values) => {
                    for value in values.$iter() {
                        $expr(value, found);
                    }
                }
            }
        }

        pub fn $formula(formula: &$($mut)? Formula, found: &mut impl FnMut(&$($mut)? Expr)) {
            match formula {
                Formula::Atom(expr) => $expr(expr, found),
                Formula::Not(inner) | Formula::Next(inner) | Formula::Always(inner) | Formula::Eventually(inner) => {
                    $formula(inner, found);
                }
                Formula::And(left, right)
                | Formula::Or(left, right)
                | Formula::Implies(left, right)
                | Formula::Equivalent(left, right)
                | Formula::Until(left, right)
                | Formula::WeakUntil(left, right)
                | Formula::Release(left, right) => {
                    $formula(left, found);
                    $formula(right, found);
                }
            }
        }
    };
}

walks!(
    each_expr,
    each_statement,
    in_process,
    statements,
    statement,
    in_step,
    in_expr,
    in_place,
    in_channel,
    in_pattern,
    in_init,
    in_formula,
    iter,
    as_deref
);
walks!(
    each_expr_mut,
    each_statement_mut,
    in_process_mut,
    statements_mut,
    statement_mut,
    in_step_mut,
    in_expr_mut,
    in_place_mut,
    in_channel_mut,
    in_pattern_mut,
    in_init_mut,
    in_formula_mut,
    iter_mut,
    as_deref_mut,
    mut
);
