//! The simplifications before a search: merged steps, variables that are reset. (Variables that are not stored at all
//! are listed with the state.)

use std::fmt::{self, Write};

use serde::Serialize;

use super::SourceLine;
use crate::analysis::merge::{Considered, Merging};
use crate::analysis::timers::OneByOne;
use crate::analysis::{Facts, Ticks};
use crate::ir::Program;
use crate::model::{ProctypeId, VariableId};
use crate::source::SourceMap;

#[derive(Serialize)]
pub struct Simplified {
    /// Why no steps are merged at all.
    merging_off: Option<&'static str>,
    /// Statements that happen in one step with the one before them.
    merged: Vec<Merge>,
    /// Local statements that are steps of their own all the same.
    apart: Vec<Merge>,
    /// Local variables that are set to 0, or timers that are switched off, where they are not read again.
    dead: Vec<DeadVariable>,
    /// What is done with ticks, in a model with timers.
    #[serde(skip_serializing_if = "Option::is_none")]
    ticks: Option<String>,
}

#[derive(Serialize)]
struct Merge {
    proctype: String,
    #[serde(flatten)]
    place: SourceLine,
    after: SourceLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[derive(Serialize)]
struct DeadVariable {
    proctype: String,
    variable: String,
    /// Its value there: 0, or -1 if it is a timer, which is off.
    value: i32,
    /// The statements before which its value does not matter.
    before: Vec<SourceLine>,
}

pub fn simplified(program: &Program<'_>, facts: &Facts, merging: &Merging, sources: &SourceMap) -> Simplified {
    let model = program.model;
    let merge = |step: &Considered| Merge {
        proctype: model.proctypes[step.proctype].name.to_string(),
        place: SourceLine::of(step.span, sources),
        after: SourceLine::of(step.after, sources),
        why: step.why_not,
    };
    let (merged, apart): (Vec<&Considered>, Vec<&Considered>) =
        merging.steps.iter().partition(|step| step.why_not.is_none());
    Simplified {
        merging_off: merging.off,
        merged: merged.into_iter().map(merge).collect(),
        apart: apart.into_iter().map(merge).collect(),
        dead: model.proctypes.ids().flat_map(|id| dead(program, facts, id, sources)).collect(),
        ticks: ticks(program, facts, sources),
    }
}

/// How many ticks are one step, and why.
fn ticks(program: &Program<'_>, facts: &Facts, sources: &SourceMap) -> Option<String> {
    let model = program.model;
    if !model.variables.iter().any(|variable| model.has_timer(variable.ty)) {
        return None;
    }
    if model.abstract_time {
        return Some("time is abstract: in a tick any set of the timers that run expires".to_owned());
    }
    match facts.ticks {
        Ticks::AtOnce => Some("ticks up to the next one in which a timer runs out are one step".to_owned()),
        Ticks::OneByOne(None) => None,
        Ticks::OneByOne(Some(OneByOne { why, span })) => {
            let line = span.map(|span| format!(" in line {}", sources.position(span).line));
            Some(format!("each tick is a step, since {why}{}", line.unwrap_or_default()))
        }
    }
}

fn dead(program: &Program<'_>, facts: &Facts, id: ProctypeId, sources: &SourceMap) -> Vec<DeadVariable> {
    let process = &program.model.proctypes[id];
    let places = |variable: VariableId| {
        let graph = &program.graphs[id];
        let at = facts.dead.at[id].iter().zip(&graph.locations).filter(|(dead, _)| dead.contains(&variable));
        let mut places: Vec<SourceLine> = at.map(|(_, location)| SourceLine::of(location.span, sources)).collect();
        places.sort();
        places.dedup();
        places
    };
    // Not worth a line if it is never set.
    let is_reset = |variable: &&VariableId| facts.dead.resets[id].iter().any(|resets| resets.contains(variable));
    let variables = process.parameters.iter().chain(&process.locals).filter(is_reset);
    let told = variables.map(|variable| DeadVariable {
        proctype: process.name.to_string(),
        variable: program.model.variables[*variable].name.to_string(),
        value: program.model.variables[*variable].ty.idle(),
        before: places(*variable),
    });
    told.collect()
}

pub fn write(text: &mut String, simplified: &Simplified, model: &str) -> fmt::Result {
    let Simplified { merging_off, merged, apart, dead, ticks } = simplified;
    if merging_off.is_none() && merged.is_empty() && apart.is_empty() && dead.is_empty() && ticks.is_none() {
        return Ok(());
    }
    let line = |place: &SourceLine| super::human::shown(place, "", model);
    writeln!(text, "\nSimplified")?;
    if let Some(why) = merging_off {
        writeln!(text, "  no steps are merged, since {why}")?;
    }
    for Merge { proctype, place, after, .. } in merged {
        writeln!(text, "  {proctype}: line {} happens with line {}", line(place), line(after))?;
    }
    for Merge { proctype, place, why, .. } in apart {
        writeln!(text, "  {proctype}: line {} is a step of its own: {}", line(place), why.unwrap_or_default())?;
    }
    for DeadVariable { proctype, variable, value, before } in dead {
        let lines: Vec<String> = before.iter().map(line).collect();
        let at = if lines.len() == 1 { "line" } else { "lines" };
        let value = if *value < 0 { "off" } else { "0" };
        writeln!(
            text,
            "  {proctype}: {variable} is {value} at {at} {}, where nothing reads it again",
            lines.join(", ")
        )?;
    }
    if let Some(ticks) = ticks {
        writeln!(text, "  {ticks}")?;
    }
    Ok(())
}
