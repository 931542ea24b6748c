//! Warnings: constructs that are allowed, but rarely intended.

mod choices;
mod names;
mod reach;
mod timers;
mod usage;

use super::{Model, Process, VariableId};
use crate::diagnostic::Diagnostics;
use crate::source::SourceMap;

/// `read_early` are variables whose initial value is now a constant elsewhere.
pub(super) fn lint(model: &Model, read_early: &[VariableId], sources: &SourceMap, diagnostics: &mut Diagnostics) {
    usage::lint(model, read_early, diagnostics);
    names::lint(model, diagnostics);
    timers::lint(model, diagnostics);
    for process in processes(model) {
        choices::lint(model, process, sources, diagnostics);
        reach::lint(process, diagnostics);
    }
}

/// Proctypes, claims and the trace.
fn processes(model: &Model) -> impl Iterator<Item = &Process> {
    model.proctypes.iter().chain(&model.never).chain(model.trace.iter().map(|trace| &trace.process))
}
