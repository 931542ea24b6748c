//! Visitors for the expressions of a program, at any depth.

use super::{Action, Graph, Program, Transition};
use crate::model::{ChannelRef, Expr, ExprKind, Formula, Init, Pattern, Place, Printed, Target};

/// Visits every expression of the program: those of statements, of `provided`
/// clauses and of initial values, outer ones before inner ones.
pub fn program_expressions<'p>(program: &Program<'p>, visit: &mut dyn FnMut(&'p Expr)) {
    for graph in &program.graphs {
        graph_expressions(graph, visit);
    }
    for process in &program.model.proctypes {
        process.provided.iter().for_each(|provided| expression(provided, visit));
    }
    for variable in &program.model.variables {
        match &variable.init {
            Init::All(value) => expression(value, visit),
            Init::List(values) => values.iter().for_each(|value| expression(value, visit)),
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => {}
        }
    }
}

/// Visits every expression of the never claims, of the formulas and of the trace.
pub fn claim_expressions<'p>(program: &Program<'p>, visit: &mut dyn FnMut(&'p Expr)) {
    for claim in program.claims.iter().chain(&program.trace) {
        graph_expressions(claim, visit);
    }
    for ltl in &program.model.formulas {
        formula_expressions(&ltl.formula, visit);
    }
}

fn formula_expressions<'p>(formula: &'p Formula, visit: &mut dyn FnMut(&'p Expr)) {
    match formula {
        Formula::Atom(atom) => expression(atom, visit),
        Formula::Not(inner) | Formula::Next(inner) | Formula::Always(inner) | Formula::Eventually(inner) => {
            formula_expressions(inner, visit);
        }
        Formula::And(left, right)
        | Formula::Or(left, right)
        | Formula::Implies(left, right)
        | Formula::Equivalent(left, right)
        | Formula::Until(left, right)
        | Formula::WeakUntil(left, right)
        | Formula::Release(left, right) => {
            formula_expressions(left, visit);
            formula_expressions(right, visit);
        }
    }
}

/// Visits every expression of a graph.
pub fn graph_expressions<'p>(graph: &Graph<'p>, visit: &mut dyn FnMut(&'p Expr)) {
    for action in graph.transitions.iter().flat_map(Transition::actions) {
        action_expressions(action, visit);
    }
}

/// Visits every expression of one statement; those inside a `d_step` too.
pub fn action_expressions<'p>(action: &Action<'p>, visit: &mut dyn FnMut(&'p Expr)) {
    match action {
        Action::Condition(condition) | Action::Assert(condition) => expression(condition, visit),
        Action::Assign { target, value } => {
            match target {
                Target::Place(target) => place(target, visit),
                Target::Several(targets) => targets.iter().for_each(|target| place(target, visit)),
                Target::Priority | Target::Ignore => {}
            }
            expression(value, visit);
        }
        Action::Send { channel, message, .. } => {
            channel_expressions(channel, visit);
            message.iter().for_each(|field| expression(field, visit));
        }
        Action::Receive { channel, pattern, .. } | Action::Event { channel, pattern, .. } => {
            channel_expressions(channel, visit);
            pattern_expressions(pattern, visit);
        }
        Action::Print(_) => printed_values(action, &mut |value| expression(value, visit)),
        Action::DStep(inner) => graph_expressions(inner, visit),
        Action::Else | Action::Jump | Action::End => {}
    }
}

/// Visits the values that a statement prints, not their parts.
pub fn printed_values<'p>(action: &Action<'p>, visit: &mut dyn FnMut(&'p Expr)) {
    let Action::Print(parts) = action else { return };
    for part in *parts {
        match part {
            Printed::Text(_) => {}
            Printed::Signed(value)
            | Printed::Unsigned(value)
            | Printed::Octal(value)
            | Printed::Hexadecimal(value)
            | Printed::Character(value)
            | Printed::Symbol(_, value) => visit(value),
        }
    }
}

/// Visits every statement of a graph; what is inside a `d_step` after the whole.
pub fn actions<'g, 'p>(graph: &'g Graph<'p>, visit: &mut dyn FnMut(&'g Action<'p>)) {
    for action in graph.transitions.iter().flat_map(Transition::actions) {
        visit(action);
        if let Action::DStep(inner) = action {
            actions(inner, visit);
        }
    }
}

/// Visits an expression and all inside it.
pub fn expression<'p>(whole: &'p Expr, visit: &mut dyn FnMut(&'p Expr)) {
    visit(whole);
    match &whole.kind {
        ExprKind::Read(read) => place(read, visit),
        ExprKind::Unary(_, inner)
        | ExprKind::Enabled(inner)
        | ExprKind::PcValue(inner)
        | ExprKind::GetPriority(inner) => expression(inner, visit),
        ExprKind::Binary(_, left, right) | ExprKind::SetPriority(left, right) => {
            expression(left, visit);
            expression(right, visit);
        }
        ExprKind::Conditional(condition, yes, no) => {
            expression(condition, visit);
            expression(yes, visit);
            expression(no, visit);
        }
        ExprKind::Run { arguments, .. } => arguments.iter().for_each(|argument| expression(argument, visit)),
        ExprKind::Probe(_, channel) => channel_expressions(channel, visit),
        ExprKind::Poll { channel, pattern, .. } => {
            channel_expressions(channel, visit);
            pattern_expressions(pattern, visit);
        }
        ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| expression(pid, visit)),
        ExprKind::RemoteVariable { pid, place: remote, .. } => {
            pid.iter().for_each(|pid| expression(pid, visit));
            place(remote, visit);
        }
        ExprKind::Host(call) => call.arguments.iter().for_each(|argument| expression(argument, visit)),
        ExprKind::Constant(_)
        | ExprKind::Timeout
        | ExprKind::Pid
        | ExprKind::ProcessCount
        | ExprKind::Last
        | ExprKind::NonProgress
        | ExprKind::Priority => {}
    }
}

fn channel_expressions<'p>(channel: &'p ChannelRef, visit: &mut dyn FnMut(&'p Expr)) {
    place(&channel.place, visit);
}

fn pattern_expressions<'p>(pattern: &'p [Pattern], visit: &mut dyn FnMut(&'p Expr)) {
    for field in pattern {
        match field {
            Pattern::Store(target) => place(target, visit),
            Pattern::Equal(value) => expression(value, visit),
            Pattern::Ignore => {}
        }
    }
}

fn place<'p>(place: &'p Place, visit: &mut dyn FnMut(&'p Expr)) {
    let indices = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
    indices.for_each(|index| expression(index, visit));
}
