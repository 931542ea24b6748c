//! For code scanning services: SARIF 2.1.0, with the counterexample as a code flow.

use super::human::title;
use super::{Reporter, Subject, shortening};
use crate::json::{Json, object};
use crate::limits::Stop;
use crate::model::{ModelInfo, SourcePosition};
use crate::trail::Move;
use crate::verdict::{PropertyReport, Violation};
use std::io::{self, Write};

/// As SARIF 2.1.0.
pub struct Sarif;

impl Reporter for Sarif {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", document(subject))
    }
}

fn document(subject: &Subject<'_>) -> Json {
    let info = subject.info;
    let driver =
        object([("name", "pmc".into()), ("version", info.pmc_version.into()), ("rules", Json::List(rules(subject)))]);
    let results = subject.report.violations().map(|violation| result(info, violation)).collect();
    let run = object([
        ("tool", object([("driver", driver)])),
        ("invocations", Json::List(vec![invocation(subject)])),
        ("results", Json::List(results)),
    ]);
    object([
        ("$schema", "https://json.schemastore.org/sarif-2.1.0.json".into()),
        ("version", "2.1.0".into()),
        ("runs", Json::List(vec![run])),
    ])
}

/// Each kind of violation that occurs, once.
fn rules(subject: &Subject<'_>) -> Vec<Json> {
    let mut kinds: Vec<&str> = subject.report.violations().map(|violation| violation.found.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().map(|kind| object([("id", kind.into())])).collect()
}

/// Whether the search was complete, or was stopped.
fn invocation(subject: &Subject<'_>) -> Json {
    let report = subject.report;
    let is_finished = |property: &PropertyReport| matches!(property.stop, None | Some(Stop::Violation));
    let stops = report.properties.iter().filter(|property| !is_finished(property)).filter_map(|property| {
        let stop = property.stop.filter(|_| property.not_checked().is_none())?;
        Some(format!("{}: the search is incomplete: {stop}", title(property)))
    });
    let unchecked = report.unchecked().into_iter().map(|what| format!("not checked: {what}"));
    let lengths = report.properties.iter().filter_map(shortening);
    let lengths = lengths.map(|text| format!("the counterexample: {text}"));
    let notes = stops.chain(subject.growth()).chain(unchecked).chain(subject.odds());
    let notes = notes.chain(lengths).chain(report.warnings.iter().cloned());
    let notes = notes.map(|text| object([("level", "warning".into()), ("message", object([("text", text.into())]))]));
    object([
        ("executionSuccessful", report.properties.iter().all(is_finished).into()),
        ("toolExecutionNotifications", Json::List(notes.collect())),
    ])
}

fn result(info: &ModelInfo<'_>, violation: &Violation) -> Json {
    let mut members = vec![
        ("ruleId".to_owned(), violation.found.kind.name().into()),
        ("level".to_owned(), "error".into()),
        ("message".to_owned(), object([("text", violation.message.as_str().into())])),
    ];
    if let Some(place) = violation.place {
        members.push(("locations".to_owned(), Json::List(vec![location(info, place, None)])));
    }
    let trail = &violation.trail;
    let mut flow = Vec::new();
    let mut starts_cycle = false;
    for (n, next) in trail.moves.iter().enumerate() {
        starts_cycle |= trail.cycle_start == Some(n);
        let Move::System(step) = next else { continue };
        for (pid, transition) in trail.statements(step, info).into_iter().filter(|(pid, _)| *pid == step.pid) {
            let name = info.proctype_name(usize::from(transition.proctype));
            let mark = if std::mem::take(&mut starts_cycle) { "start of cycle: " } else { "" };
            let text = format!("{mark}proc {pid} ({name}): {}", transition.text);
            flow.push(object([("location", location(info, transition.place, Some(text)))]));
        }
    }
    let has_steps = !flow.is_empty();
    let thread_flow = object([("locations", Json::List(flow))]);
    let code_flow = object([("threadFlows", Json::List(vec![thread_flow]))]);
    if has_steps {
        members.push(("codeFlows".to_owned(), Json::List(vec![code_flow])));
    }
    Json::Object(members)
}

fn location(info: &ModelInfo<'_>, place: SourcePosition, message: Option<String>) -> Json {
    let physical = object([
        ("artifactLocation", object([("uri", info.file(place).into())])),
        (
            "region",
            object([
                ("startLine", u64::from(place.line.max(1)).into()),
                ("startColumn", u64::from(place.column.max(1)).into()),
            ]),
        ),
    ]);
    let mut members = vec![("physicalLocation".to_owned(), physical)];
    if let Some(text) = message {
        members.push(("message".to_owned(), object([("text", text.into())])));
    }
    Json::Object(members)
}
