//! For code scanning services: SARIF 2.1.0, with the counterexample as a code flow.

use super::human::{ABSTRACT, title};
use super::{Reporter, Subject, shortening};
use crate::json::{Json, object};
use crate::limits::Stop;
use crate::model::{ModelInfo, SourcePosition};
use crate::story::Run;
use crate::story::lines::{end_lines, step_text};
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
    let properties = subject.report.properties.iter().enumerate();
    let results = properties
        .flat_map(|(n, property)| {
            let violations = property.violations.iter().enumerate();
            violations.map(move |(nth, violation)| result(info, violation, subject.run(n, nth)))
        })
        .collect();
    let run = object([
        ("tool", object([("driver", driver)])),
        ("columnKind", "unicodeCodePoints".into()),
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
    kinds.into_iter().map(|kind| rule(kind, subject)).collect()
}

/// What services show beside a result: what the kind means, and a page about it.
fn rule(kind: &str, subject: &Subject<'_>) -> Json {
    let mut members = vec![("id".to_owned(), kind.into())];
    if let Some((_, about, page)) = RULES.iter().find(|(known, ..)| *known == kind) {
        let replay = subject.replay.unwrap_or("pmc replay MODEL");
        let help = format!("{about}. `{replay}` shows the run step by step.");
        members.push(("shortDescription".to_owned(), object([("text", (*about).into())])));
        members.push(("fullDescription".to_owned(), object([("text", format!("{about}.").into())])));
        members.push(("help".to_owned(), object([("text", help.into())])));
        members.push(("helpUri".to_owned(), format!("https://spinroot.com/spin/Man/{page}.html").into()));
    }
    Json::Object(members)
}

/// The kinds of violations, each in a sentence, with its page of the manual of the language.
const RULES: [(&str, &str, &str); 25] = [
    ("assertion", "An assertion is false in a state that a run can reach", "assert"),
    ("invalid-end-state", "No process can move, and one of them is not at a place where it may end", "end"),
    ("leftover-messages", "The run ends while messages are left in a channel", "chan"),
    ("acceptance-cycle", "A run can go on forever in a way that a formula or a claim forbids", "accept"),
    ("non-progress-cycle", "A run can go on forever without passing a progress label", "progress"),
    ("zero-time-cycle", "A run can go on forever while time stands still", "timeout"),
    ("claim", "A never claim comes to its end: the run does what the claim says must not happen", "never"),
    ("trace", "A run sends or receives in an order that a trace assertion does not allow", "trace"),
    ("goal", "A process arrives at the place that was asked for", "labels"),
    ("array-index", "An index is outside of its array", "arrays"),
    ("divide-by-zero", "A division by zero", "condition"),
    ("divide-overflow", "A division whose result does not fit in 32 bits", "condition"),
    ("channel", "A channel variable holds no channel, or one that the statement cannot use", "chan"),
    ("process-limit", "A run starts more processes than there can be", "run"),
    ("state-size", "A state is too large for the verifier", "chan"),
    ("d-step-blocks", "A statement inside a d_step cannot be executed", "d_step"),
    ("d-step-endless", "A d_step does not come to its end", "d_step"),
    ("enabled-self", "enabled() asks a process about itself", "enabled"),
    ("select-range", "select has an empty range to choose from", "select"),
    ("xr-xs", "A process uses a channel that another one has for itself", "xr"),
    ("precondition", "The precondition of a block of C does not hold", "c_code"),
    ("crash", "A block of C ends with a signal", "c_code"),
    ("endless-block", "A block of C does not come to its end", "c_code"),
    ("side-effect", "A c_expr changes a variable of the model", "c_expr"),
    ("remote-reference", "A reference to a process that is not there", "remoterefs"),
];

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

fn result(info: &ModelInfo<'_>, violation: &Violation, run: Option<&Run>) -> Json {
    let lines = run.map_or_else(Vec::new, |run| end_lines(info, &run.end, &run.processes, false));
    let about = violation.trail.abstract_time.then(|| ABSTRACT.to_owned());
    let text: Vec<String> = std::iter::once(violation.message.clone()).chain(about).chain(lines).collect();
    let mut members = vec![
        ("ruleId".to_owned(), violation.found.kind.name().into()),
        ("level".to_owned(), if violation.trail.abstract_time { "warning" } else { "error" }.into()),
        ("message".to_owned(), object([("text", text.join("\n").into())])),
    ];
    if let Some(place) = violation.place {
        members.push(("locations".to_owned(), Json::List(vec![location(info, place, None)])));
    }
    let flow: Vec<Json> = run.map_or_else(Vec::new, |run| flow(info, run));
    if !flow.is_empty() {
        let thread_flow = object([("locations", Json::List(flow))]);
        let code_flow = object([("threadFlows", Json::List(vec![thread_flow]))]);
        members.push(("codeFlows".to_owned(), Json::List(vec![code_flow])));
    }
    Json::Object(members)
}

/// The statements of a run.
fn flow(info: &ModelInfo<'_>, run: &Run) -> Vec<Json> {
    let mut flow = Vec::new();
    let mut starts_cycle = false;
    for (n, step) in run.steps.iter().enumerate() {
        starts_cycle |= run.cycle_start == Some(n);
        let (Some(process), Some(place)) = (step.process, step.place) else { continue };
        let mark = if std::mem::take(&mut starts_cycle) { "start of cycle: " } else { "" };
        let text = format!("{mark}{}", step_text(run, step, process));
        flow.push(object([("location", location(info, place, Some(text)))]));
    }
    flow
}

fn location(info: &ModelInfo<'_>, place: SourcePosition, message: Option<String>) -> Json {
    let physical = object([
        ("artifactLocation", object([("uri", uri(info.file(place)).into())])),
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

/// A file as a reference: relative to the folder in which the verification ran, if it is in there.
pub fn uri(file: &str) -> String {
    // A drive with its path; a relative name may have a colon, too.
    let is_windows = matches!(file.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z', b':', b'/' | b'\\', ..]);
    let scheme = match (file.starts_with('/'), is_windows) {
        (true, _) => "file://",
        (false, true) => "file:///",
        (false, false) => "",
    };
    let mut uri = scheme.to_owned();
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            b':' if is_windows => uri.push(':'),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, TraceError};
    use crate::verdict::ViolationKind;

    #[test]
    fn every_kind_of_violation_is_described() {
        use Fault::*;
        use ViolationKind::{
            AcceptanceCycle, Assertion, ClaimEnd, Goal, InvalidEndState, LeftoverMessages, NonProgressCycle, Trace,
            ZeroTimeCycle,
        };
        let kinds = [
            Assertion,
            InvalidEndState,
            LeftoverMessages,
            AcceptanceCycle,
            NonProgressCycle,
            ZeroTimeCycle,
            ClaimEnd,
            Trace(TraceError::NoMatch),
            Goal,
        ];
        let faults = [
            ArrayIndex { index: 1, length: 1 },
            DivideByZero,
            DivideOverflow,
            UninitializedChannel,
            ProcessLimit { limit: 1 },
            StateSize,
            DStepBlocks,
            DStepEndless,
            EnabledSelf,
            SelectRange { low: 1, high: 0 },
            ExclusiveReceive,
            RemoteReference { pid: 1 },
            Precondition { block: &["", ""] },
            Crash { block: &["", ""], signal: 8 },
            EndlessBlock { block: &["", ""] },
            SideEffect { block: &["", ""] },
        ];
        let kinds = kinds.into_iter().chain(faults.map(ViolationKind::Fault)).map(ViolationKind::name);
        let mut kinds: Vec<&str> = kinds.collect();
        let mut described: Vec<&str> = RULES.iter().map(|(kind, ..)| *kind).collect();
        kinds.sort_unstable();
        described.sort_unstable();
        assert_eq!(kinds, described);
    }

    #[test]
    fn a_file_is_a_reference() {
        for (file, expected) in [
            ("models/a.pml", "models/a.pml"),
            ("../my models/a#1.pml", "../my%20models/a%231.pml"),
            ("/repo/ä.pml", "file:///repo/%C3%A4.pml"),
            ("C:\\repo\\a.pml", "file:///C:/repo/a.pml"),
            ("<stdin>", "%3Cstdin%3E"),
            ("a:b.pml", "a%3Ab.pml"),
        ] {
            assert_eq!(uri(file), expected);
        }
    }
}
