//! Expressions, places and patterns: lists that begin with an operator.

use super::json::{Text, list, text};
use crate::collections::Id;
use crate::ir::formula::{Automaton, Guard};
use crate::model::BinaryOp;
use crate::model::{ChannelRef, Expr, ExprKind, Model, Pattern, Place, Probe, Type, UnaryOp};

/// A type: `byte`, `u5` for `unsigned : 5`, `m0` and `r0` for the mtype and the record of that number.
pub fn ty(ty: Type) -> String {
    match ty {
        Type::Bit => "bit".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Byte => "byte".to_owned(),
        Type::Pid => "pid".to_owned(),
        Type::Short => "short".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Chan => "chan".to_owned(),
        Type::Timer => "timer".to_owned(),
        Type::Unsigned(width) => format!("u{width}"),
        Type::Mtype(id) => format!("m{}", id.0),
        Type::Record(id) => format!("r{}", id.0),
    }
}

pub fn expr(model: &Model, of: &Expr) -> String {
    expr_in(model, of, 0)
}

/// A reader of JSON has a limit too. Such an expression is not shown with its values.
const DEEPEST: usize = 40;

pub(super) fn expr_in(model: &Model, of: &Expr, depth: usize) -> String {
    if depth > DEEPEST {
        return list([text("...")]);
    }
    let inner = |of: &Expr| expr_in(model, of, depth + 1);
    let place = |model: &Model, of: &Place| place_in(model, of, depth + 1);
    let channel = |model: &Model, of: &ChannelRef| place_in(model, &of.place, depth + 1);
    let pattern = |model: &Model, of: &Pattern| pattern_in(model, of, depth + 1);
    let word = |word: &str| list([text(word)]);
    let call = |word: &str, of: &[&Expr]| list(std::iter::once(text(word)).chain(of.iter().map(|of| inner(of))));
    match &of.kind {
        ExprKind::Constant(value) => match of.mtype {
            Some(id) => list([text("m"), id.0.text(), value.to_string()]),
            None => value.to_string(),
        },
        ExprKind::Read(read) => place(model, read),
        ExprKind::Unary(op, operand) => call(
            match op {
                UnaryOp::Negate => "neg",
                UnaryOp::Not => "!",
                UnaryOp::Complement => "~",
            },
            &[operand],
        ),
        ExprKind::Binary(op, left, right) => call(operator(*op), &[left, right]),
        ExprKind::Conditional(test, yes, no) => call("?", &[test, yes, no]),
        ExprKind::Run { proctype, arguments, .. } => {
            list([text("run"), proctype.0.text(), list(arguments.iter().map(inner))])
        }
        ExprKind::Probe(probe, asked) => {
            let word = match probe {
                Probe::Len => "len",
                Probe::Empty => "empty",
                Probe::Full => "full",
                Probe::Nempty => "nempty",
                Probe::Nfull => "nfull",
            };
            list([text(word), channel(model, asked)])
        }
        ExprKind::Poll { channel: asked, random, pattern: fields } => {
            let word = if *random { "??" } else { "?[" };
            list([text(word), channel(model, asked), list(fields.iter().map(|field| pattern(model, field)))])
        }
        ExprKind::Timeout => word("timeout"),
        ExprKind::Pid => word("_pid"),
        ExprKind::ProcessCount => word("_nr_pr"),
        ExprKind::Last => word("_last"),
        ExprKind::NonProgress => word("np_"),
        ExprKind::Priority => word("_priority"),
        ExprKind::Enabled(pid) => call("enabled", &[pid]),
        ExprKind::PcValue(pid) => call("pc_value", &[pid]),
        ExprKind::GetPriority(pid) => call("get_priority", &[pid]),
        ExprKind::SetPriority(pid, priority) => call("set_priority", &[pid, priority]),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            let label = &model.proctypes[*proctype].labels[*label].name;
            let pid = pid.as_deref().map_or("null".to_owned(), inner);
            list([text("@"), proctype.0.text(), pid, text(&super::visible(label))])
        }
        ExprKind::RemoteVariable { proctype, pid, place: read } => {
            let pid = pid.as_deref().map_or("null".to_owned(), inner);
            list([text(":"), proctype.0.text(), pid, place(model, read)])
        }
        // The runtime cannot compute it.
        ExprKind::Host(_) => word("..."),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

/// `["v", variable, index, [[field, index] ...]]`
pub fn place(model: &Model, of: &Place) -> String {
    place_in(model, of, 0)
}

fn place_in(model: &Model, of: &Place, depth: usize) -> String {
    let index = |index: &Option<Box<Expr>>| {
        index.as_deref().map_or("null".to_owned(), |index| expr_in(model, index, depth + 1))
    };
    let fields = of.fields.iter().map(|field| list([field.field.text(), index(&field.index)]));
    list([text("v"), u32::try_from(of.variable.index()).unwrap_or(u32::MAX).text(), index(&of.index), list(fields)])
}

pub fn channel(model: &Model, of: &ChannelRef) -> String {
    place(model, &of.place)
}

/// A place that a field is stored in, `["=", value]`, or nothing.
pub fn pattern(model: &Model, of: &Pattern) -> String {
    pattern_in(model, of, 0)
}

fn pattern_in(model: &Model, of: &Pattern, depth: usize) -> String {
    match of {
        Pattern::Store(stored) => place_in(model, stored, depth),
        Pattern::Equal(value) => list([text("="), expr_in(model, value, depth + 1)]),
        Pattern::Ignore => "null".to_owned(),
    }
}

/// The condition of a formula's edge. A diagram that is large as a tree is left out.
pub fn guard(model: &Model, automaton: &Automaton, of: Guard) -> String {
    let mut budget = LARGEST_GUARD;
    guard_part(model, automaton, of, &mut budget).unwrap_or_else(|| "null".to_owned())
}

/// In tests.
const LARGEST_GUARD: usize = 60;

fn guard_part(model: &Model, automaton: &Automaton, of: Guard, budget: &mut usize) -> Option<String> {
    let asked = match of {
        Guard::Always => return Some("1".to_owned()),
        Guard::Never => return Some("0".to_owned()),
        Guard::Ask(id) => automaton.questions[id],
    };
    *budget = budget.checked_sub(1)?;
    let atom = expr(model, &automaton.atoms[asked.atom]);
    let negated = |atom: String| list([text("!"), atom]);
    Some(match (asked.yes, asked.no) {
        (Guard::Always, Guard::Never) => atom,
        (Guard::Never, Guard::Always) => negated(atom),
        (yes, Guard::Never) => list([text("&&"), atom, guard_part(model, automaton, yes, budget)?]),
        (Guard::Never, no) => list([text("&&"), negated(atom), guard_part(model, automaton, no, budget)?]),
        (Guard::Always, no) => list([text("||"), atom, guard_part(model, automaton, no, budget)?]),
        (yes, Guard::Always) => list([text("||"), negated(atom), guard_part(model, automaton, yes, budget)?]),
        (yes, no) => {
            let (yes, no) = (guard_part(model, automaton, yes, budget)?, guard_part(model, automaton, no, budget)?);
            list([text("?"), atom, yes, no])
        }
    })
}
