//! `pmc explain`: what is known about a model before it runs.
//!
//! One set of facts, collected here, shown as text (`human.rs`) or as JSON.

mod advice;
mod channels;
mod code;
mod human;
mod names;
mod ranges;
mod reduction;
mod reduction_text;
mod simplified;
mod statements;
mod symmetry;

use serde::Serialize;

use super::{ExitStatus, print, report};
use crate::analysis::layout::{self, FieldContent, WIDEST};
use crate::analysis::population::LARGEST_ARRAY;
use crate::analysis::{Facts, Stored};
use crate::cli::{ExplainArgs, Format};
use crate::driver::{Analysed, Error, Session};
use crate::exec;
use crate::ir::{self, Program};
use crate::model::{Model, Owner, ProctypeId, SiteId, Type, VariableId};
use crate::source::{SourceMap, Span};

pub fn run(arguments: &ExplainArgs) -> Result<ExitStatus, Error> {
    let format = arguments.messages.format;
    if let Some(code) = code::asked(&arguments.model.path) {
        return code::run(code, format);
    }
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let model = session.resolve_simplified();
    report(&session, format, arguments.model.color)?;
    let Ok(model) = model else { return Ok(ExitStatus::Wrong) };
    // A formula that is too large to be translated has fewer facts, and `pmc verify` reports it.
    let analysed = session.analyse(&model).unwrap_or_else(|_| session.analyse_processes(&model));
    if arguments.exec {
        let text = exec::print::print(&analysed.exec, &analysed.program, &session.sources);
        return print(&text).map(|()| ExitStatus::Fine);
    }
    let explanation = explain(&session, &analysed);
    let text = match format {
        Format::Human => human::text(&explanation),
        Format::Json => serde_json::to_string_pretty(&explanation).expect("plain data") + "\n",
    };
    print(&text).map(|()| ExitStatus::Fine)
}

/// All facts; as JSON, schema `pmc-explain/1`.
#[derive(Serialize)]
struct Explanation {
    schema: &'static str,
    pmc: &'static str,
    model: String,
    processes: ExplainedProcesses,
    state: ExplainedState,
    /// The values of each part of the state.
    ranges: Vec<ranges::RangeOf>,
    channels: Vec<channels::ExplainedChannel>,
    reduction: reduction::ExplainedReduction,
    /// The proctypes with several processes that exist together.
    symmetry: Vec<symmetry::ExplainedFamily>,
    simplified: simplified::Simplified,
}

#[derive(Serialize)]
struct ExplainedProcesses {
    /// The greatest number at once; `null` if no bound is known.
    bound: Option<u32>,
    proctypes: Vec<ExplainedProctype>,
}

#[derive(Serialize)]
struct ExplainedProctype {
    name: String,
    #[serde(flatten)]
    place: SourceLine,
    /// The greatest number that one run can start; `null` if no bound is known.
    started: Option<u32>,
    locations: usize,
    transitions: usize,
}

#[derive(Clone, Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct SourceLine {
    file: String,
    line: u32,
}

impl SourceLine {
    fn of(span: Span, sources: &SourceMap) -> Self {
        let (file, line) = sources.presumed(span);
        Self { file: file.to_owned(), line }
    }
}

/// The state as it is stored.
#[derive(Serialize)]
struct ExplainedState {
    /// Whether all states have the same size.
    fixed: bool,
    why: String,
    /// The unit of sizes and offsets: `bits`. In a state of variable size, a part takes whole bytes.
    unit: &'static str,
    /// The widest state.
    bits: Option<u64>,
    bytes: Option<u64>,
    fields: Vec<ExplainedField>,
    /// Behind the fields, each existing process, oldest first.
    processes: Vec<ProcessState>,
    left_out: Vec<LeftOut>,
}

#[derive(Serialize)]
struct ProcessState {
    proctype: String,
    size: u64,
    /// Offsets count from the start of the process.
    fields: Vec<ExplainedField>,
}

#[derive(Serialize)]
struct ExplainedField {
    name: String,
    kind: &'static str,
    #[serde(rename = "type")]
    ty: Option<String>,
    /// The greatest size.
    size: u64,
    /// `null` in a state of variable size, where it depends on earlier fields, and behind a queue, of which only the
    /// existing messages are stored.
    offset: Option<u64>,
}

/// A variable that takes no bits of the state.
#[derive(Serialize)]
struct LeftOut {
    name: String,
    proctype: Option<String>,
    why: &'static str,
}

fn explain(session: &Session, analysed: &Analysed<'_>) -> Explanation {
    let Analysed { program, merging, facts, .. } = analysed;
    let (sources, model) = (&session.sources, program.model);
    Explanation {
        schema: "pmc-explain/1",
        pmc: env!("CARGO_PKG_VERSION"),
        model: session.name().to_owned(),
        processes: processes(program, facts, sources),
        state: state(model, facts),
        ranges: ranges::ranges(program, facts, sources),
        channels: channels::channels(program, sources),
        reduction: reduction::reduction(program, &facts.reduction, sources),
        symmetry: symmetry::symmetry(model, &facts.symmetry, sources),
        simplified: simplified::simplified(program, facts, merging, sources),
    }
}

fn processes(program: &Program<'_>, facts: &Facts, sources: &SourceMap) -> ExplainedProcesses {
    let proctype = |(id, graph): (ProctypeId, &ir::Graph<'_>)| {
        let process = &program.model.proctypes[id];
        ExplainedProctype {
            name: process.name.to_string(),
            place: SourceLine::of(process.span, sources),
            started: facts.population.started[id],
            locations: graph.locations.len(),
            transitions: graph.transitions.len(),
        }
    };
    ExplainedProcesses {
        bound: facts.population.bound,
        proctypes: program.graphs.iter_enumerated().map(proctype).collect(),
    }
}

fn state(model: &Model, facts: &Facts) -> ExplainedState {
    let layout = &facts.layout;
    let is_fixed = layout.total_bits.is_some();
    let fields = |owner: Option<ProctypeId>, fields: &[layout::Field]| {
        let mut offset = is_fixed.then_some(0);
        let field = |field: &layout::Field| {
            let placed = facts.places.as_ref().and_then(|places| places.of(owner, field.content));
            let size = placed.map_or(field.size.bits, |(_, size)| size as u64);
            let (name, kind, ty) = content(model, field.content);
            let at = if facts.places.is_some() { placed.map(|(at, _)| at as u64) } else { offset };
            offset = offset.filter(|_| kind != "queue" || size == 0).map(|offset| offset + size);
            // Fields without bits are left out; the ranges show a variable with only one value.
            (size > 0).then_some(ExplainedField { name, kind, ty, size, offset: at })
        };
        fields.iter().filter_map(field).collect()
    };
    let process = |(id, process): (ProctypeId, &layout::ProcessLayout)| ProcessState {
        proctype: model.proctypes[id].name.to_string(),
        size: layout::size(&process.fields).bits,
        fields: fields(Some(id), &process.fields),
    };
    ExplainedState {
        fixed: is_fixed,
        why: why(model, facts),
        unit: "bits",
        bits: layout.total_bits,
        bytes: layout.n_words().map(|words| 8 * words as u64),
        fields: fields(None, &layout.fields),
        processes: layout.processes.iter_enumerated().map(process).collect(),
        left_out: left_out(model, facts),
    }
}

/// Why states have a fixed size, or grow.
fn why(model: &Model, facts: &Facts) -> String {
    let started = &facts.population.started;
    let unbounded: Vec<String> = started
        .iter_enumerated()
        .filter(|(_, started)| started.is_none())
        .map(|(id, _)| format!("`{}`", model.proctypes[id].name))
        .collect();
    if !unbounded.is_empty() {
        return format!("no bound is known for how often {} can be started", unbounded.join(", "));
    }
    let total: u64 = started.iter().flatten().map(|started| u64::from(*started)).sum();
    let are_known = facts.instances.fixed.len() as u64 == total;
    match (facts.population.bound, facts.layout.total_bits) {
        (None, _) if are_known => format!("the widest state would take more than {WIDEST} bits"),
        (None, _) => format!("there can be {total} processes, and room is kept for {LARGEST_ARRAY} at most"),
        (Some(_), None) => format!("the widest state would take more than {WIDEST} bits"),
        (Some(1), Some(_)) => "there is never more than one process".to_owned(),
        (Some(bound), Some(_)) => format!("there are never more than {bound} processes"),
    }
}

/// The name of a field, what it is, and its type.
fn content(model: &Model, content: FieldContent) -> (String, &'static str, Option<String>) {
    match content {
        FieldContent::Variable(id) => {
            let variable = &model.variables[id];
            (variable.name.to_string(), "variable", Some(sized_type(model, variable.ty, variable.length)))
        }
        FieldContent::Queues(id) => (model.site_name(&model.sites[id], "."), "queue", Some(message_type(model, id))),
        FieldContent::Last => ("_last".to_owned(), "last", None),
        FieldContent::Trace => ("trace".to_owned(), "trace", None),
        FieldContent::Count => ("number of processes".to_owned(), "count", None),
        FieldContent::Kind => ("proctype".to_owned(), "proctype", None),
        FieldContent::Location => ("location".to_owned(), "location", None),
        FieldContent::Priority => ("_priority".to_owned(), "priority", None),
    }
}

fn sized_type(model: &Model, ty: Type, length: Option<u32>) -> String {
    let ty = model.type_text(ty);
    length.map_or_else(|| ty.clone(), |length| format!("{ty}[{length}]"))
}

/// `[2] of { mtype, byte }`, and how many of them if there are several.
fn message_type(model: &Model, id: SiteId) -> String {
    let site = &model.sites[id];
    let fields: Vec<String> = site.fields.iter().map(|ty| model.type_text(*ty)).collect();
    let times = if site.count == 1 { String::new() } else { format!("{} times ", site.count) };
    format!("{times}[{}] of {{ {} }}", site.capacity, fields.join(", "))
}

fn left_out(model: &Model, facts: &Facts) -> Vec<LeftOut> {
    let reason = |id: VariableId| match facts.stored[id] {
        Stored::Yes => None,
        Stored::Hidden => Some("it is declared `hidden`"),
        Stored::FixedChannel => Some("it always denotes the same channel"),
        Stored::Constant => Some("it never changes"),
        Stored::Unread => Some("nothing depends on it"),
    };
    let one = |id: VariableId| {
        let variable = &model.variables[id];
        let proctype = match variable.owner {
            Owner::Global => None,
            Owner::Proctype(id) => Some(model.proctypes[id].name.to_string()),
            // Claims are not part of the state yet.
            Owner::Never(_) => return None,
        };
        Some(LeftOut { name: variable.name.to_string(), proctype, why: reason(id)? })
    };
    model.variables.ids().filter_map(one).collect()
}

#[cfg(test)]
mod tests;
