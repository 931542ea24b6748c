//! Timers that nothing sets or asks, and a `timeout` beside them.

use super::processes;
use crate::collections::IdVec;
use crate::diagnostic::{Diagnostic, Diagnostics, Lint};
use crate::model::visit;
use crate::model::{Expr, ExprKind, Init, Model, Origin, Place, Type, VariableId};

pub(super) fn lint(model: &Model, diagnostics: &mut Diagnostics) {
    let timers: Vec<VariableId> = model.variables.ids().filter(|id| is_timer(model, *id)).collect();
    if timers.is_empty() {
        return;
    }
    let uses = Uses::of(model);
    for id in timers {
        let variable = &model.variables[id];
        if variable.origin == Origin::Synthetic
            || variable.name.starts_with('_')
            || !uses.is_asked[id] && !uses.is_set[id]
        {
            continue;
        }
        let runs_at_first = matches!(&variable.init, Init::All(value) if value.as_constant() != Some(-1))
            || matches!(variable.init, Init::List(_));
        if !uses.is_set[id] && !runs_at_first {
            let message = format!("the timer `{}` is never set, so it never expires", variable.name);
            let warning = Diagnostic::warning(Lint::TimerNeverSet, variable.span, message);
            diagnostics.add(warning.help(format!("`set({}, n)` lets it run for n ticks", variable.name)));
        } else if !uses.is_asked[id] {
            let message =
                format!("nothing asks whether the timer `{}` has expired: it only lets time pass", variable.name);
            diagnostics.add(Diagnostic::warning(Lint::TimerNeverTested, variable.span, message));
        }
    }
    if let Some(span) = uses.timeout {
        let message = "this `timeout` is true before any time passes, also while timers run";
        let warning = Diagnostic::warning(Lint::TimeoutInTimedModel, span, message);
        diagnostics.add(warning.help("to wait for a while, use a timer: `delay(t, n)`"));
    }
}

/// Whether a variable is a timer or an array of them. Those in records are not looked at one by one.
fn is_timer(model: &Model, id: VariableId) -> bool {
    model.variables[id].ty == Type::Timer
}

struct Uses {
    is_set: IdVec<VariableId, bool>,
    is_asked: IdVec<VariableId, bool>,
    /// The first `timeout` of a process.
    timeout: Option<crate::source::Span>,
}

impl Uses {
    fn of(model: &Model) -> Self {
        let nowhere = || -> IdVec<VariableId, bool> { model.variables.iter().map(|_| false).collect() };
        let mut uses = Self { is_set: nowhere(), is_asked: nowhere(), timeout: None };
        for process in processes(model) {
            visit::each_statement(&process.body, &mut |statement| {
                // A declaration that is a step sets nothing.
                if let Some((place, _)) = statement.kind.assignment()
                    && place.span != model.variables[place.variable].span
                {
                    uses.is_set[place.variable] = true;
                }
            });
        }
        visit::each_expr(model, &mut |expr| uses.expr(expr));
        for process in &model.proctypes {
            visit::in_process(process, &mut |expr| {
                if let ExprKind::Timeout = expr.kind {
                    uses.timeout = uses.timeout.or(Some(expr.span));
                }
            });
        }
        uses
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Read(place) = &expr.kind {
            self.place(place);
        } else if let ExprKind::RemoteVariable { place, .. } = &expr.kind {
            self.place(place);
        }
    }

    fn place(&mut self, place: &Place) {
        self.is_asked[place.variable] = true;
    }
}
