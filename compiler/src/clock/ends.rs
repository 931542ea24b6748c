//! Whether a process can end while a timer of its own is on.
//!
//! Such a timer ends with its process; the global in its place would go on. Errs towards on: a timer goes off where it is
//! reset, or found to be off, and comes on where it is set.

use crate::collections::IdVec;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{Action, Graph, LocationId, Program};
use crate::model::{BinaryOp, Expr, ExprKind, Init, Model, Place, Type, UnaryOp, VariableId, codes};

/// Reports the timers that may be on where their process ends.
pub fn check(program: &Program<'_>, diagnostics: &mut Diagnostics) {
    let model = program.model;
    for (id, graph) in program.graphs.iter_enumerated() {
        let process = &model.proctypes[id];
        let timers: Vec<VariableId> =
            process.locals.iter().copied().filter(|local| model.has_timer(model.variables[*local].ty)).collect();
        if timers.is_empty() {
            continue;
        }
        let at_first = timers.iter().map(|timer| starts_on(model, *timer)).collect();
        let Some(end) = graph.closing_brace() else { continue };
        let Some(at_the_end) = &(Flow { timers: &timers }).through(graph, at_first).0[end] else { continue };
        for (timer, _) in timers.iter().zip(at_the_end).filter(|(_, is_on)| **is_on) {
            let variable = &model.variables[*timer];
            let message = format!(
                "`{}` may be on where `{}` ends, and would end with it, which plain Promela cannot say",
                variable.name, process.name
            );
            let error = Diagnostic::error(codes::UNSUPPORTED, process.end, message)
                .label(variable.span, "declared here")
                .help(format!("make `reset({})` the last statement", variable.name));
            diagnostics.add(error);
        }
    }
}

/// For each timer, or array or record of timers, whether it may be on.
type On = Vec<bool>;

struct Flow<'t> {
    timers: &'t [VariableId],
}

impl Flow<'_> {
    /// What may be on at each location that can be reached, and at the end of a `d_step`.
    fn through(&self, graph: &Graph<'_>, at_first: On) -> (IdVec<LocationId, Option<On>>, Option<On>) {
        let mut found: IdVec<LocationId, Option<On>> = graph.locations.iter().map(|_| None).collect();
        let mut behind = None;
        found[graph.start] = Some(at_first);
        let mut open = vec![graph.start];
        while let Some(from) = open.pop() {
            let location = &graph.locations[from];
            for transition in location.leaving.iter().chain(location.escapes.iter().flatten()) {
                let transition = &graph.transitions[*transition];
                let Some(mut on) = found[from].clone() else { continue };
                if !transition.actions().all(|action| self.step(action, &mut on)) {
                    continue;
                }
                let known = transition.to.map_or(&mut behind, |to| &mut found[to]);
                if join(known, on) {
                    open.extend(transition.to);
                }
            }
        }
        (found, behind)
    }

    /// Returns whether the statement can be done.
    fn step(&self, action: &Action<'_>, on: &mut On) -> bool {
        if let Action::DStep(inner) = action {
            let behind = self.through(inner, on.clone()).1;
            let can_end = behind.is_some();
            on.clone_from(&behind.unwrap_or_default());
            return can_end;
        }
        if action.condition().and_then(Expr::as_constant) == Some(0) {
            return false;
        }
        if let Some(off) = action.condition().and_then(found_off)
            && let Some(n) = self.number(off)
        {
            on[n] = false;
        }
        if let Some(value) = action.assigned() {
            let goes_off = value.as_constant().is_some_and(|value| value < 0);
            for place in action.stored() {
                if let Some(n) = self.number(place).filter(|_| goes_off) {
                    on[n] = false;
                } else if let Some(n) = self.timers.iter().position(|timer| *timer == place.variable) {
                    on[n] |= place.ty == Type::Timer && !goes_off;
                }
            }
        }
        true
    }

    /// The number of a timer that is neither an element nor a field.
    fn number(&self, place: &Place) -> Option<usize> {
        let is_whole = place.index.is_none() && place.fields.is_empty();
        self.timers.iter().position(|timer| is_whole && *timer == place.variable)
    }
}

/// Returns whether anything was new.
fn join(known: &mut Option<On>, found: On) -> bool {
    let Some(known) = known else {
        *known = Some(found);
        return true;
    };
    let mut is_new = false;
    for (known, found) in known.iter_mut().zip(found) {
        is_new |= found && !*known;
        *known |= found;
    }
    is_new
}

/// The timer that a guard `!on(t)` finds off.
fn found_off(guard: &Expr) -> Option<&Place> {
    let ExprKind::Unary(UnaryOp::Not, inner) = &guard.kind else { return None };
    let ExprKind::Binary(BinaryOp::GreaterEqual, read, zero) = &inner.kind else { return None };
    match (&read.kind, zero.as_constant()) {
        (ExprKind::Read(place), Some(0)) => Some(place),
        _ => None,
    }
}

fn starts_on(model: &Model, id: VariableId) -> bool {
    let variable = &model.variables[id];
    may_be_on(model, variable.ty, &variable.init)
}

pub fn may_be_on(model: &Model, ty: Type, init: &Init) -> bool {
    if let Type::Record(record) = ty {
        return model.records[record].fields.iter().any(|field| may_be_on(model, field.ty, &field.init));
    }
    let is_off = |value: &Expr| value.as_constant().is_some_and(|value| value < 0);
    ty == Type::Timer
        && match init {
            Init::All(value) => !is_off(value),
            Init::List(values) => !values.iter().all(is_off),
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => true,
        }
}
