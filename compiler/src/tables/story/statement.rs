//! Statements: `[kind, flags, text, [line, column of the end], parts ...]`.

use super::expr::{channel, expr, pattern, place};
use super::json::{Text, list, text};
use crate::collections::Id;
use crate::ir::{Action, Graph};
use crate::model::{Model, Printed, Target};
use crate::source::{SourceMap, Span};
use crate::tables::{statement_text, visible};

/// The author did not write the statement: it is part of a `for` or `select`.
const OF_LOOP: u8 = 1;
/// The text is that of a call: the runtime prints the statement anew.
const EXPANDED: u8 = 2;
/// The process keeps exclusive control behind it.
const KEEPS_CONTROL: u8 = 4;

/// A statement of a process. `number` is that of the statement itself, which those inside a `d_step` follow.
pub fn statement(
    model: &Model,
    sources: &SourceMap,
    (action, span, keeps_control): (&Action<'_>, Span, bool),
    number: u32,
) -> String {
    let loop_text = loop_text(model, sources, span).filter(|_| !matches!(action, Action::DStep(_)));
    let mut flags = if keeps_control { KEEPS_CONTROL } else { 0 };
    flags |= if loop_text.is_some() { OF_LOOP } else { 0 };
    let is_part = span.expansion.is_some() || is_part_of_delay(action, sources, span);
    flags |= if loop_text.is_none() && is_part { EXPANDED } else { 0 };
    let end = sources.position(Span { start: span.end.max(span.start), ..span });
    let mut parts = vec![
        text(kind(action)),
        flags.to_string(),
        loop_text.map_or("null".to_owned(), |shown| text(&shown)),
        list([end.line.text(), end.column.text()]),
    ];
    parts.extend(operands(model, action, number));
    list(parts)
}

/// Whether a statement is one of those that `delay` and `udelay` stand for, which have its text.
fn is_part_of_delay(action: &Action<'_>, sources: &SourceMap, span: Span) -> bool {
    let is_possible = matches!(action, Action::Condition(_) | Action::Assign { .. });
    let word = || statement_text(sources, span).split('(').next().unwrap_or_default().trim().to_owned();
    is_possible && matches!(word().as_str(), "delay" | "udelay")
}

/// The moves of a never claim, those inside a `d_step` behind it.
pub fn statement_in_claim(model: &Model, sources: &SourceMap, graph: &Graph<'_>, moves: &mut Vec<String>) {
    for transition in graph.transitions.iter().filter(|transition| !transition.action.is_end()) {
        let number = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        moves.push(statement(model, sources, (&transition.action, transition.span, false), number));
        if let Action::DStep(inner) = &transition.action {
            statement_in_claim(model, sources, inner, moves);
        }
    }
}

fn kind(action: &Action<'_>) -> &'static str {
    match action {
        Action::Condition(_) => "condition",
        Action::Else => "else",
        Action::Jump => "jump",
        // The runtime cannot compute what a block of C does: it takes the values from the state behind it.
        Action::Assign { target: Target::Several(_), .. } => "c_code",
        Action::Assign { .. } => "assign",
        Action::Send { .. } => "send",
        Action::Receive { .. } => "receive",
        Action::Assert(_) => "assert",
        Action::Print(_) => "print",
        Action::Event { .. } => "event",
        Action::DStep(_) => "d_step",
        Action::End => "end",
    }
}

fn operands(model: &Model, action: &Action<'_>, number: u32) -> Vec<String> {
    let flag = |flag: bool| u8::from(flag).to_string();
    match action {
        Action::Condition(condition) | Action::Assert(condition) => vec![expr(model, condition)],
        Action::Else | Action::Jump | Action::Event { .. } | Action::End => Vec::new(),
        Action::Assign { target: Target::Several(_), .. } => Vec::new(),
        Action::Assign { target, value } => {
            let target = match target {
                Target::Place(target) => place(model, target),
                Target::Priority => text("_priority"),
                Target::Ignore | Target::Several(_) => "null".to_owned(),
            };
            vec![target, expr(model, value)]
        }
        Action::Send { channel: to, sorted, message } => {
            vec![channel(model, to), flag(*sorted), list(message.iter().map(|value| expr(model, value)))]
        }
        Action::Receive { channel: from, random, peek, pattern: fields } => vec![
            channel(model, from),
            flag(*random),
            flag(*peek),
            list(fields.iter().map(|field| pattern(model, field))),
        ],
        Action::Print(parts) => vec![list(parts.iter().filter_map(|part| match part {
            Printed::Text(_) => None,
            Printed::Signed(value)
            | Printed::Unsigned(value)
            | Printed::Octal(value)
            | Printed::Hexadecimal(value)
            | Printed::Character(value)
            | Printed::Symbol(_, value) => Some(expr(model, value)),
        }))],
        Action::DStep(inner) => vec![inner.start.0.text(), locations(inner, number + 1)],
    }
}

/// For each location inside a `d_step` the statements that leave it, each with the location that it leads to.
fn locations(graph: &Graph<'_>, first: u32) -> String {
    let mut next = first;
    let numbers: Vec<u32> = graph
        .transitions
        .iter()
        .map(|transition| {
            let number = next;
            next += transition.n_statements();
            number
        })
        .collect();
    list(graph.locations.iter().map(|location| {
        list(location.leaving.iter().map(|id| {
            let to = graph.transitions[*id].to.map_or("null".to_owned(), |to| to.0.text());
            list([numbers[id.index()].text(), to])
        }))
    }))
}

/// `for (i : 0 .. 3)`, of a statement that stands for a part of a loop.
fn loop_text(model: &Model, sources: &SourceMap, span: Span) -> Option<String> {
    model.loops.contains(&span).then(|| {
        let written = visible(&statement_text(sources, span));
        match written.starts_with("select") {
            true => written,
            false => format!("for ({written})"),
        }
    })
}
