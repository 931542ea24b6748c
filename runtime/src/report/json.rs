//! For tools: the schema `pmc-report/1`.

use super::{Reporter, Subject};
use crate::json::{Json as Value, object};
use crate::model::{ClaimInfo, ModelInfo, Place};
use crate::verdict::{Verdict, Violation};
use std::io::{self, Write};

pub struct Json;

impl Reporter for Json {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", document(subject))
    }
}

fn document(subject: &Subject<'_>) -> Value {
    let (info, report) = (subject.info, subject.report);
    let first = report.violations.first();
    let property = object([
        ("name", "safety".into()),
        ("kind", "safety".into()),
        ("verdict", report.safety.name().into()),
        ("errors", report.errors.into()),
        ("violation", first.map(|first| violation(info, first, subject.trail(0))).into()),
        ("search", search(subject)),
    ]);
    let properties = std::iter::once(property).chain(report.claims_left.iter().map(claim)).collect();
    let unchecked = report.unchecked().into_iter().map(|what| format!("not checked: {what}").into());
    let warnings = report.warnings.iter().map(|warning| warning.as_str().into()).chain(unchecked).collect();
    let mut members = vec![
        ("schema".to_owned(), "pmc-report/1".into()),
        ("model".to_owned(), info.name.into()),
        ("pmc".to_owned(), info.pmc_version.into()),
        ("verdict".to_owned(), report.verdict.name().into()),
        ("properties".to_owned(), Value::List(properties)),
        ("warnings".to_owned(), Value::List(warnings)),
    ];
    if subject.list_unreached {
        members.push(("unreached".to_owned(), unreached(subject)));
    }
    Value::Object(members)
}

/// A claim that was not checked.
fn claim(claim: &ClaimInfo) -> Value {
    object([
        ("name", claim.name.into()),
        ("kind", claim.kind.name().into()),
        ("verdict", Verdict::Incomplete.name().into()),
        ("errors", 0u64.into()),
        ("violation", Value::Null),
        ("search", Value::Null),
    ])
}

fn violation(info: &ModelInfo, violation: &Violation, trail: Option<&str>) -> Value {
    object([
        ("kind", violation.found.kind.name().into()),
        ("message", violation.message.as_str().into()),
        ("location", violation.place.map(|place| location(info, place)).into()),
        ("trail", trail.into()),
        ("steps", (violation.trail.steps.len() as u64).into()),
        ("cycle_start", violation.trail.cycle_start.map(|n| n as u64).into()),
    ])
}

fn location(info: &ModelInfo, place: Place) -> Value {
    object([
        ("file", info.file(place).into()),
        ("line", u64::from(place.line).into()),
        ("column", u64::from(place.column).into()),
    ])
}

fn search(subject: &Subject<'_>) -> Value {
    let figures = &subject.report.statistics;
    object([
        ("algorithm", figures.algorithm.into()),
        ("threads", (figures.threads as u64).into()),
        ("reduction", figures.reduction.into()),
        ("storage", figures.storage.into()),
        ("complete", subject.report.is_complete().into()),
        ("stopped_by", subject.report.stop.map(|stop| stop.to_string()).into()),
        ("states_stored", figures.states_stored.into()),
        ("transitions", figures.transitions.into()),
        ("depth", figures.depth.into()),
        ("state_bytes", figures.state_bytes.into()),
        ("memory_bytes", figures.memory_bytes.into()),
        ("seconds", Value::Number(figures.elapsed.as_secs_f64())),
        ("omission_probability", figures.omission_probability.map_or(Value::Null, Value::Number)),
    ])
}

fn unreached(subject: &Subject<'_>) -> Value {
    let mut list = Vec::new();
    for (proctype, of) in subject.info.proctypes.iter().enumerate() {
        let (_, transitions) = subject.unreached(proctype);
        list.extend(transitions.iter().map(|transition| {
            object([
                ("proctype", of.name.into()),
                ("text", transition.text.into()),
                ("location", location(subject.info, transition.place)),
            ])
        }));
    }
    Value::List(list)
}
