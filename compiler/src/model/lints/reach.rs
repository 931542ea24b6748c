//! Statements that control cannot reach.
//!
//! Judged by the structure alone: behind a `goto`, a `break`, or a loop that
//! nothing leaves. Whatever carries a label counts as reachable.

use crate::diagnostic::{Diagnostic, Diagnostics, Lint};
use crate::model::visit;
use crate::model::{Process, Statement, StatementKind};

pub(super) fn lint(process: &Process, diagnostics: &mut Diagnostics) {
    sequence(&process.body, diagnostics);
}

/// How a statement can end.
#[derive(Clone, Copy, Default)]
struct Ends {
    /// What stands behind it is reached.
    normally: bool,
    /// The loop around it is left.
    by_break: bool,
}

fn sequence(body: &[Statement], diagnostics: &mut Diagnostics) -> Ends {
    let mut ends = Ends { normally: true, by_break: false };
    let mut reported = false;
    for (number, statement) in body.iter().enumerate() {
        if !ends.normally && has_label(statement) {
            ends.normally = true;
            reported = false;
        }
        // The counting step of a `for` stands, in the text, before what it follows.
        let is_written = number == 0 || body[number - 1].span.start < statement.span.start;
        if !ends.normally && !reported && is_written {
            let message = "this statement can never be reached";
            let before = &body[number - 1];
            let warning = Diagnostic::warning(Lint::Unreachable, statement.span, message)
                .label(before.span, "control does not get past this");
            diagnostics.add(warning);
            reported = true;
        }
        let inner = one(statement, diagnostics);
        ends.by_break |= inner.by_break && ends.normally;
        ends.normally &= inner.normally;
    }
    ends
}

fn one(statement: &Statement, diagnostics: &mut Diagnostics) -> Ends {
    match &statement.kind {
        StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => {
            sequence(body, diagnostics)
        }
        StatementKind::If(choices) => {
            choices.iter().map(|choice| sequence(&choice.body, diagnostics)).fold(Ends::default(), |all, one| Ends {
                normally: all.normally | one.normally,
                by_break: all.by_break | one.by_break,
            })
        }
        StatementKind::Do(choices) => {
            let leaves = choices.iter().map(|choice| sequence(&choice.body, diagnostics).by_break);
            // No shortcut: every option is to be looked at.
            let leaves = leaves.fold(false, |any, one| any | one);
            Ends { normally: leaves, by_break: false }
        }
        StatementKind::Unless { body, escape } => {
            let (body, escape) = (sequence(body, diagnostics), sequence(escape, diagnostics));
            Ends { normally: body.normally | escape.normally, by_break: body.by_break | escape.by_break }
        }
        StatementKind::Break => Ends { normally: false, by_break: true },
        StatementKind::Goto(_) => Ends::default(),
        StatementKind::Condition(_)
        | StatementKind::Else
        | StatementKind::Assign { .. }
        | StatementKind::Send { .. }
        | StatementKind::Receive { .. }
        | StatementKind::Assert(_)
        | StatementKind::Print(_)
        | StatementKind::Event { .. } => Ends { normally: true, by_break: false },
    }
}

fn has_label(statement: &Statement) -> bool {
    let mut found = false;
    visit::each_statement(std::slice::from_ref(statement), &mut |inner| found |= !inner.labels.is_empty());
    found
}
