//! Options of `if` and `do` that do not fit together.

use crate::diagnostic::{Diagnostic, Diagnostics, Lint};
use crate::model::statement::{Communication, first_step};
use crate::model::visit;
use crate::model::{Choice, ExprKind, Model, Place, Process, Statement, StatementKind, Type};
use crate::source::{SourceMap, Span};

pub(super) fn lint(model: &Model, process: &Process, sources: &SourceMap, diagnostics: &mut Diagnostics) {
    visit::each_statement(&process.body, &mut |statement| {
        if let StatementKind::If(choices) | StatementKind::Do(choices) = &statement.kind {
            let guards: Vec<&Statement> = choices.iter().filter_map(|choice| first_step(&choice.body)).collect();
            let written_else = guards.iter().find(|guard| matches!(guard.kind, StatementKind::Else));
            if let Some(otherwise) = written_else {
                beside_else(model, &guards, otherwise.span, diagnostics);
            }
            for choice in choices {
                assignment(choice, &guards, sources, diagnostics);
            }
        }
    });
}

fn beside_else(model: &Model, guards: &[&Statement], otherwise: Span, diagnostics: &mut Diagnostics) {
    if let Some(always) = guards.iter().find(|guard| is_always_executable(guard)) {
        let warning = Diagnostic::warning(Lint::DeadElse, otherwise, "this `else` can never be taken")
            .label(always.span, "this option can always be taken");
        diagnostics.add(warning);
    }
    for guard in guards {
        if matches!(&guard.kind, StatementKind::Condition(condition) if matches!(condition.kind, ExprKind::Timeout)) {
            let message = "this `timeout` can never be taken: `else` comes before it";
            let warning = Diagnostic::warning(Lint::TimeoutElse, guard.span, message)
                .label(otherwise, "taken whenever no other option can be");
            diagnostics.add(warning);
        }
        if let Some(Communication::Send { channel, .. } | Communication::Receive { channel, .. }) =
            guard.kind.communication()
            && channel.sites.iter().any(|site| model.sites[*site].is_rendezvous())
        {
            let message = "`else` beside a rendezvous depends on what other processes wait for";
            let warning =
                Diagnostic::warning(Lint::ElseRendezvous, otherwise, message).label(guard.span, "the rendezvous");
            diagnostics.add(warning);
        }
    }
}

fn is_always_executable(guard: &Statement) -> bool {
    match &guard.kind {
        StatementKind::Condition(condition) => condition.as_constant().is_some_and(|value| value != 0),
        StatementKind::Assign { .. } | StatementKind::Assert(_) | StatementKind::Print(_) => true,
        StatementKind::Goto(_) | StatementKind::Break => true,
        StatementKind::Else
        | StatementKind::Send { .. }
        | StatementKind::Receive { .. }
        | StatementKind::Event { .. }
        | StatementKind::Block(_)
        | StatementKind::Atomic(_)
        | StatementKind::DStep(_)
        | StatementKind::If(_)
        | StatementKind::Do(_)
        | StatementKind::Unless { .. } => false,
    }
}

/// `:: x = 1 -> ...` where another option asks about `x`, or there is an `else`.
fn assignment(choice: &Choice, guards: &[&Statement], sources: &SourceMap, diagnostics: &mut Diagnostics) {
    let [first, second, ..] = &choice.body[..] else { return };
    let Some((target, _)) = first.kind.assignment().filter(|(target, _)| target.ty != Type::Timer) else { return };
    let between = Span { start: first.span.end, end: second.span.start, ..first.span };
    let is_arrow = between.start < between.end && sources.text(between).contains("->");
    let is_choice = guards.iter().any(|guard| {
        matches!(guard.kind, StatementKind::Else)
            || matches!(&guard.kind, StatementKind::Condition(condition) if reads(condition, target))
    });
    if is_arrow && is_choice {
        let message = "this assigns, and can always be taken; a comparison was probably meant";
        let warning = Diagnostic::warning(Lint::Assignment, first.span, message).help("compare with `==`");
        diagnostics.add(warning);
    }
}

fn reads(condition: &crate::model::Expr, target: &Place) -> bool {
    let mut found = false;
    visit::in_expr(condition, &mut |expr| {
        if let ExprKind::Read(place) = &expr.kind {
            found |= place.variable == target.variable;
        }
    });
    found
}
