//! The static information about a model, as rows: what reports and trails know without a state.
//!
//! Both back ends read these rows, so that a statement has the same number, place and text in each of them: `codegen`
//! prints them as the constants of an emitted crate, and an interpreter lends them to the runtime.

mod claims;
mod control_flow;
mod files;
mod growing;
mod lend;
mod reduction;
mod statements;
mod story;
mod symmetry;
mod text;

#[cfg(test)]
mod tests;

use pmc_runtime::model::{ClaimKind, ClaimLocationInfo, SourcePosition, TransitionKind};
use pmc_runtime::step;

pub use claims::{claim_locations, claim_moves};
pub use control_flow::ControlFlowRows;
pub use files::from_folder;
pub use growing::{name as growing_name, proctype as growing_proctype};
pub use reduction::{PartRow, SplitRow, class_words, lend_reduction, splits};
pub use story::variable_names;
pub use symmetry::lend_symmetry;
pub use text::{file_name, guard_text, statement_text, visible};

use crate::analysis::{Facts, Ticks};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{Model, Type, VariableId};
use crate::source::{SourceMap, Span};

/// The rows of [`ModelInfo`](pmc_runtime::model::ModelInfo), owned.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The file name of the model.
    pub name: String,
    /// A hash of all sources and flags: trails belong to the model with the same hash.
    pub hash: String,
    pub pmc_version: &'static str,
    /// As seen from the folder of the model; places refer to them.
    pub files: Vec<String>,
    pub proctypes: Vec<ProctypeRow>,
    /// The statements of all proctypes, by their numbers. Those inside a `d_step` follow it, and then those that are
    /// merged with it.
    pub transitions: Vec<TransitionRow>,
    /// The locations of all proctypes, by their numbers.
    pub locations: Vec<LocationRow>,
    /// The never claims, then the formulas, then the trace.
    pub claims: Vec<ClaimRow>,
    /// The variables that grow without bound.
    pub growing: Vec<GrowingRow>,
    pub control_flow: ControlFlowRows,
    /// The meaning of the statements, which the runtime decodes when it shows a run.
    pub story: String,
    /// The timers that are declared, arrays counting as one.
    pub n_timers: usize,
    /// Ticks up to the next one in which a timer runs out are one step.
    pub ticks_at_once: bool,
    pub abstract_time: bool,
    /// The names of variables in reports: those of a process differ.
    pub variable_names: IdVec<VariableId, String>,
}

#[derive(Clone, Debug)]
pub struct ProctypeRow {
    pub name: String,
    pub place: SourcePosition,
}

#[derive(Clone, Debug)]
pub struct TransitionRow {
    pub proctype: u16,
    pub kind: TransitionKind,
    pub place: SourcePosition,
    /// The statement as the author wrote it, on one line and cut if it is long.
    pub text: String,
    pub from: u32,
    pub to: u32,
    /// The statements that are executed in the same step.
    pub merged: Vec<step::TransitionId>,
    /// What it means, as a part of [`Tables::story`].
    pub story: String,
}

#[derive(Clone, Debug)]
pub struct LocationRow {
    pub proctype: u16,
    pub place: SourcePosition,
    pub labels: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct ClaimRow {
    pub name: String,
    pub kind: ClaimKind,
    pub place: SourcePosition,
    /// The initial one first; none for a trace.
    pub locations: Vec<ClaimLocationInfo>,
    /// By their numbers; none for a trace.
    pub moves: Vec<MoveRow>,
    pub is_stutter_closed: bool,
    /// Only finite runs violate it.
    pub is_safety: bool,
}

#[derive(Clone, Debug)]
pub struct MoveRow {
    pub place: SourcePosition,
    pub text: String,
}

/// A variable that grows without bound, and the statement that makes it grow.
#[derive(Clone, Debug)]
pub struct GrowingRow {
    /// With `[]` for all elements of an array: `table[].size`.
    pub variable: String,
    /// The proctype of a local variable.
    pub proctype: Option<String>,
    pub place: SourcePosition,
    pub text: String,
}

impl Tables {
    pub fn new(program: &Program<'_>, facts: &Facts, sources: &SourceMap, hash: &str) -> Self {
        let paths: Vec<&str> = sources.files().iter().map(|file| &*file.path).collect();
        let files: Vec<String> = from_folder(&paths).iter().map(|path| visible(path)).collect();
        let proctypes = program
            .model
            .proctypes
            .iter()
            .map(|process| ProctypeRow { name: visible(&process.name), place: place(sources, process.span) });
        let transitions = statements::transitions(program, sources);
        let n_timers = program.model.variables.iter().map(|variable| n_timers(program.model, variable.ty)).sum();
        Self {
            story: story::story(program, facts, sources, &transitions),
            n_timers,
            ticks_at_once: n_timers > 0 && facts.ticks == Ticks::AtOnce,
            abstract_time: program.model.abstract_time,
            variable_names: variable_names(program.model),
            name: files.first().cloned().unwrap_or_default(),
            hash: hash.to_owned(),
            pmc_version: env!("CARGO_PKG_VERSION"),
            files,
            proctypes: proctypes.collect(),
            transitions,
            locations: statements::locations(program, sources),
            claims: claims::claims(program, sources),
            growing: growing::growing(program.model, &facts.ranges.growing, sources),
            control_flow: ControlFlowRows::new(program),
        }
    }
}

/// The timers in a value of a type.
fn n_timers(model: &Model, ty: Type) -> usize {
    match ty {
        Type::Timer => 1,
        Type::Record(record) => model.records[record].fields.iter().map(|field| n_timers(model, field.ty)).sum(),
        _ => 0,
    }
}

/// Where a span begins.
fn place(sources: &SourceMap, span: Span) -> SourcePosition {
    let position = sources.position(span);
    SourcePosition { file: narrow(sources.file_number(span)), line: position.line, column: position.column }
}

/// The number of a proctype, of which `model` admits no more, or of a file, whose name only reports use.
fn narrow(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
