//! The ranges of all parts of a state, and the statements that make them as wide as a type.

use std::fmt::{self, Write};

use serde::Serialize;

use super::SourceLine;
use super::human::shown;
use super::names::excerpt;
use crate::analysis::layout::Scalar;
use crate::analysis::ranges::{Range, WidestWrite, of_type};
use crate::analysis::timers::{ReadTimer, values_read};
use crate::analysis::{Facts, Stored};
use crate::ir::Program;
use crate::model::{Model, Owner, SiteId, Type, VariableId};
use crate::source::SourceMap;

/// The range of one scalar; all elements of an array have one.
#[derive(Serialize)]
pub struct RangeOf {
    /// With the fields that lead to it, or the number of a message's field: `point.x`, `link, field 2`.
    name: String,
    proctype: Option<String>,
    #[serde(rename = "type")]
    ty: String,
    low: i64,
    high: i64,
    bits: u32,
    /// The statement that makes it grow without bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    grows: Option<Grows>,
    /// The statement that made it as wide as its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    wide: Option<Wide>,
    /// Where the value of a timer is read, and not only whether it is on or has expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_read: Option<SourceLine>,
}

/// The statement that makes a variable grow.
#[derive(Serialize)]
struct Grows {
    #[serde(flatten)]
    place: SourceLine,
    statement: String,
}

/// The statement that stores the widest range.
#[derive(Serialize)]
struct Wide {
    #[serde(flatten)]
    place: SourceLine,
    statement: String,
    low: i64,
    high: i64,
    /// Some of the values do not fit in the type.
    cut: bool,
}

struct RangeCollector<'a> {
    model: &'a Model,
    facts: &'a Facts,
    sources: &'a SourceMap,
    /// The timers whose values are read.
    read: Vec<ReadTimer>,
    found: Vec<RangeOf>,
}

pub fn ranges(program: &Program<'_>, facts: &Facts, sources: &SourceMap) -> Vec<RangeOf> {
    let model = program.model;
    let mut collector = RangeCollector { model, facts, sources, read: values_read(program, true), found: Vec::new() };
    let is_stored = |id: &VariableId| facts.stored[*id] == Stored::Yes;
    model.variables.ids().filter(is_stored).for_each(|id| collector.variable(id));
    let is_buffered = |id: &SiteId| model.sites[*id].capacity > 0;
    model.sites.ids().filter(is_buffered).for_each(|id| collector.messages(id));
    collector.found
}

impl RangeCollector<'_> {
    fn variable(&mut self, id: VariableId) {
        let variable = &self.model.variables[id];
        self.elements(id, variable.name.to_string(), variable.ty, variable.length, &mut Vec::new());
    }

    fn elements(&mut self, id: VariableId, name: String, ty: Type, length: Option<u32>, path: &mut Vec<u32>) {
        let name = if length.is_some() { format!("{name}[]") } else { name };
        let model = self.model;
        let Type::Record(record) = ty else {
            let ty = if length.is_some() { ty.element() } else { ty };
            let range = self.facts.ranges.variable(model, id, path);
            let cause = self.facts.ranges.cause(model, id, path);
            self.add(name, model.variables[id].owner, ty, range, cause);
            let growing = &self.facts.ranges.growing;
            let growing = growing.iter().find(|growing| growing.variable == id && growing.fields == *path);
            if let (Some(growing), Some(last)) = (growing, self.found.last_mut()) {
                let (place, statement) =
                    (SourceLine::of(growing.span, self.sources), excerpt(self.sources, growing.span));
                last.grows = Some(Grows { place, statement });
            }
            let read = self.read.iter().find(|read| read.variable == id && read.path == *path);
            if let (Some(read), Some(last)) = (read, self.found.last_mut()) {
                last.value_read = Some(SourceLine::of(read.span, self.sources));
            }
            return;
        };
        for (number, field) in (0..).zip(&model.records[record].fields) {
            path.push(number);
            self.elements(id, format!("{name}.{}", field.name), field.ty, field.length, path);
            path.pop();
        }
    }

    fn messages(&mut self, id: SiteId) {
        let site = &self.model.sites[id];
        let channel = self.model.site_name(site, ".");
        for (number, ty) in (0..).zip(&site.fields) {
            let name = format!("{channel}, field {}", number + 1);
            let (range, cause) = (self.facts.ranges.message(id, number), self.facts.ranges.message_cause(id, number));
            self.add(name, self.model.variables[site.variable].owner, *ty, range, cause);
        }
    }

    fn add(&mut self, name: String, owner: Owner, ty: Type, range: Range, cause: Option<WidestWrite>) {
        let proctype = match owner {
            Owner::Global => None,
            Owner::Proctype(id) => Some(self.model.proctypes[id].name.to_string()),
            Owner::Never(number) => Some(self.model.never[number as usize].name.to_string()),
        };
        let all = of_type(ty);
        // A range of one bit is not worth a line.
        let is_wide = range == all && all.high > 1;
        let wide = cause.filter(|_| is_wide).map(|WidestWrite { span, stored }| Wide {
            place: SourceLine::of(span, self.sources),
            statement: excerpt(self.sources, span),
            low: stored.low,
            high: stored.high,
            cut: !stored.is_within(all),
        });
        let (ty, bits) = (self.model.type_text(ty), Scalar::holding(range).bits);
        self.found.push(RangeOf {
            name,
            proctype,
            ty,
            low: range.low,
            high: range.high,
            bits,
            grows: None,
            wide,
            value_read: None,
        });
    }
}

pub fn write(text: &mut String, ranges: &[RangeOf], model: &str) -> fmt::Result {
    if ranges.is_empty() {
        return Ok(());
    }
    writeln!(text, "\nRanges")?;
    let name = |range: &RangeOf| match &range.proctype {
        Some(proctype) => format!("{} of {proctype}", range.name),
        None => range.name.clone(),
    };
    let width = ranges.iter().map(|range| name(range).len()).max().unwrap_or(0);
    for range in ranges {
        let values = match (range.low, range.high) {
            (-1, -1) if range.ty == "timer" => "always off".to_owned(),
            (-1, high) if range.ty == "timer" => format!("off, or 0 to {high} ticks left"),
            (low, high) if low == high => format!("always {low}"),
            (low, high) => format!("{low} to {high}"),
        };
        let bits = if range.bits == 1 { "bit" } else { "bits" };
        let read = range.value_read.as_ref();
        let read = read.map_or_else(String::new, |at| format!(", its value is read in {}", shown(at, "line ", model)));
        writeln!(text, "  {:width$}  {values}, {} {bits}{read}", name(range), range.bits)?;
        if let Some(Grows { place, statement }) = &range.grows {
            let at = shown(place, "line ", model);
            writeln!(text, "    grows without bound: nothing limits `{statement}` ({at})")?;
        } else if let Some(Wide { place, statement, low, high, cut }) = &range.wide {
            let at = shown(place, "line ", model);
            if *cut {
                let stores = format!("it stores {low} to {high}, more than {} holds", article(&range.ty));
                writeln!(text, "    since nothing bounds `{statement}` ({at}): {stores}")?;
            } else {
                writeln!(text, "    since `{statement}` ({at}) stores {low} to {high}")?;
            }
        }
    }
    Ok(())
}

/// `a byte`, `an int`
fn article(ty: &str) -> String {
    let article = if ty.starts_with(['i', 'u']) { "an" } else { "a" };
    format!("{article} {ty}")
}
