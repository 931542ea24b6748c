//! For tools: the schema `pmc-report/1`.

use super::{Reporter, Subject};
use crate::json::{Json as Value, object};
use crate::model::{GrowingInfo, ModelInfo, SourcePosition};
use crate::story::lines::end_lines;
use crate::verdict::{ProbeStatistics, PropertyReport, SymmetryStatistics, Violation};
use std::io::{self, Write};

/// As one JSON document.
pub struct Json;

impl Reporter for Json {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", document(subject))
    }
}

fn document(subject: &Subject<'_>) -> Value {
    let (info, report) = (subject.info, subject.report);
    let properties = (0..report.properties.len()).map(|n| property(subject, n)).collect();
    let unchecked = report.unchecked().into_iter().map(|what| format!("not checked: {what}").into());
    let warnings = report.warnings.iter().map(|warning| warning.as_str().into());
    let warnings = warnings.chain(unchecked).chain(subject.odds().into_iter().map(Value::from)).collect();
    let mut members = vec![
        ("schema".to_owned(), "pmc-report/1".into()),
        ("model".to_owned(), info.name.into()),
        ("pmc".to_owned(), info.pmc_version.into()),
        ("engine".to_owned(), info.engine().into()),
        ("verdict".to_owned(), report.verdict.name().into()),
        ("properties".to_owned(), Value::List(properties)),
        ("growing".to_owned(), Value::List(info.growing.iter().map(|one| growing(info, one)).collect())),
        ("warnings".to_owned(), Value::List(warnings)),
        ("advice".to_owned(), Value::List(subject.advice().into_iter().map(Value::from).collect())),
    ];
    if subject.list_unreached {
        members.push(("unreached".to_owned(), unreached(subject)));
    }
    Value::Object(members)
}

fn property(subject: &Subject<'_>, n: usize) -> Value {
    let property = &subject.report.properties[n];
    let all: Vec<Value> =
        property.violations.iter().enumerate().map(|(nth, one)| violation(subject, (n, nth), one)).collect();
    object([
        ("name", property.name.as_str().into()),
        ("kind", property.kind.name().into()),
        ("verdict", property.verdict.name().into()),
        ("errors", property.errors.into()),
        ("violation", all.first().cloned().into()),
        ("violations", Value::List(all)),
        ("search", property.not_checked().is_none().then(|| search(subject, property)).into()),
    ])
}

/// A variable that grows without bound.
fn growing(info: &ModelInfo<'_>, growing: &GrowingInfo<'_>) -> Value {
    object([
        ("variable", growing.variable.into()),
        ("proctype", growing.proctype.into()),
        ("statement", growing.text.into()),
        ("location", location(info, growing.place)),
    ])
}

fn violation(subject: &Subject<'_>, (property, nth): (usize, usize), violation: &Violation) -> Value {
    let (info, trail) = (subject.info, subject.trail(property, nth));
    let lines = subject.run(property, nth).map_or_else(Vec::new, |run| end_lines(info, &run.end, &run.processes, true));
    let mut members: Vec<(&str, Value)> = vec![
        ("kind", violation.found.kind.name().into()),
        ("message", violation.message.as_str().into()),
        ("explanation", Value::List(lines.into_iter().map(Value::from).collect())),
        ("location", violation.place.map(|place| location(info, place)).into()),
        ("trail", trail.into()),
        ("replay", subject.replay(trail).as_deref().into()),
        ("steps", (violation.trail.n_steps() as u64).into()),
        ("cycle_start", violation.trail.steps_before_cycle().map(|n| n as u64).into()),
    ];
    let n_ticks = violation.trail.n_ticks();
    if violation.trail.abstract_time {
        members.push(("abstract_time", true.into()));
    } else if n_ticks > 0 {
        let in_cycle = violation.trail.ticks_in_cycle();
        members.push(("time", ((n_ticks - in_cycle.unwrap_or(0)) as u64).into()));
        members.push(("ticks", (in_cycle.unwrap_or(n_ticks) as u64).into()));
    }
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn location(info: &ModelInfo<'_>, place: SourcePosition) -> Value {
    object([
        ("file", info.file(place).into()),
        ("line", u64::from(place.line).into()),
        ("column", u64::from(place.column).into()),
    ])
}

fn search(subject: &Subject<'_>, property: &PropertyReport) -> Value {
    let (figures, options) = (&property.statistics, &subject.report.options);
    let mut search = vec![
        ("algorithm", figures.algorithm.into()),
        ("threads", (figures.threads as u64).into()),
        ("reduction", figures.reduction.into()),
        ("symmetry", figures.symmetry.as_ref().map_or(Value::Null, symmetry)),
        ("fair", (options.fair && property.kind.is_liveness()).into()),
        ("storage", figures.storage.into()),
        ("complete", property.is_complete().into()),
        ("stopped_by", property.stop.map(|stop| stop.to_string()).into()),
        ("states_stored", figures.states_stored.into()),
        ("transitions", figures.transitions.into()),
        ("depth", figures.depth.into()),
        ("state_bytes", figures.state_bytes.into()),
        ("memory_bytes", figures.memory_bytes.into()),
        ("seconds", Value::Number(figures.elapsed.as_secs_f64())),
        ("found_seconds", figures.found_after.map(|found| Value::Number(found.as_secs_f64())).into()),
        ("omission_probability", figures.omissions.map_or(Value::Null, |odds| Value::Number(odds.probability()))),
        ("hidden_differed", figures.hidden_differed.into()),
        ("probe", figures.probe.map_or(Value::Null, probe)),
        ("repeatable", property.is_repeatable().into()),
    ];
    let leaves_out = options.time_passes && property.kind.is_liveness();
    search.extend(leaves_out.then(|| ("time_passes", true.into())));
    if subject.info.n_timers > 0 {
        search.push(("timers", (subject.info.n_timers as u64).into()));
        search.push(("ticks_at_once", (subject.info.ticks_at_once && !subject.info.abstract_time).into()));
    }
    search.extend(subject.info.abstract_time.then(|| ("abstract_time", true.into())));
    Value::Object(search.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn symmetry(symmetry: &SymmetryStatistics) -> Value {
    let members = |class: &Vec<u16>| Value::List(class.iter().map(|&member| u64::from(member).into()).collect());
    let family = |(name, classes): &(String, Vec<Vec<u16>>)| {
        object([
            ("name", name.as_str().into()),
            ("members", (classes.iter().map(Vec::len).sum::<usize>() as u64).into()),
            ("classes", Value::List(classes.iter().map(members).collect())),
        ])
    };
    object([
        ("families", Value::List(symmetry.families.iter().map(family).collect())),
        ("canonical", symmetry.is_canonical.into()),
    ])
}

fn probe(probe: ProbeStatistics) -> Value {
    object([
        ("outcome", probe.outcome.name().into()),
        ("transitions", probe.transitions.into()),
        ("walks", probe.walks.into()),
        ("found_steps", probe.found_steps.into()),
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
