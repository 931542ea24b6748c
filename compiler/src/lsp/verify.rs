//! Verifications that run beside the conversation, in a thread of their own each.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use pmc_runtime::limits::Interrupt;
use pmc_runtime::monitor::Silent;
use pmc_runtime::options::{Ask, Options as CheckOptions};
use pmc_runtime::reduction::Independence;
use pmc_runtime::search::{Searches, check_with};
use pmc_runtime::verdict::{Report, Verdict};

use super::server::Event;
use crate::driver::{Options, Session, on_large_stack};
use crate::interpret::Visitor;

/// What a verification is about: a model as it is in the editor, and one of its properties.
pub struct Task {
    /// Tells this verification from others.
    pub number: u64,
    pub name: String,
    pub text: String,
    pub options: Options,
    pub check: CheckOptions,
}

/// How a verification ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `None` if there was an error.
    pub verdict: Option<Verdict>,
    /// For the line above the property.
    pub summary: String,
    pub violation: Option<Found>,
}

/// A violation.
#[derive(Clone, Debug)]
pub struct Found {
    pub message: String,
    /// The number of a file, line and column from 1.
    pub place: Option<(usize, u32, u32)>,
}

/// The name of a property in requests, as the runtime asks for it.
pub fn ask(property: &str) -> Ask {
    match property {
        "safety" => Ask::Safety,
        "" => Ask::Everything,
        name => Ask::Claim(name.to_owned()),
    }
}

/// Starts a verification, which sends its outcome. It ends soon after the interrupt is set.
pub fn start(task: Task, interrupt: Arc<Interrupt>, events: Sender<Event>) {
    std::thread::spawn(move || {
        let number = task.number;
        let outcome = on_large_stack(|| run(&task, &interrupt)).unwrap_or_else(|error| failed(error.to_string()));
        // The receiver is gone if the conversation is over.
        let _ = events.send(Event::Verified { number, outcome });
    });
}

fn run(task: &Task, interrupt: &Interrupt) -> Outcome {
    let mut session = match Session::from_text(&task.name, task.text.clone(), &task.options) {
        Ok(session) => session,
        Err(error) => return failed(error.to_string()),
    };
    session.interpret(|_, interpretable| match interpretable {
        Ok(model) => outcome(&model.visit(Check { options: &task.check, interrupt })),
        Err(_) => failed("the model has errors".to_owned()),
    })
}

fn failed(summary: String) -> Outcome {
    Outcome { verdict: None, summary, violation: None }
}

struct Check<'c> {
    options: &'c CheckOptions,
    interrupt: &'c Interrupt,
}

impl Visitor for Check<'_> {
    type Output = Report;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> Report {
        check_with(model, searches, self.options, self.interrupt, &mut Silent)
    }
}

fn outcome(report: &Report) -> Outcome {
    let n_states: u64 = report.properties.iter().map(|property| property.statistics.states_stored).sum();
    let states = if n_states == 1 { "1 state".to_owned() } else { format!("{n_states} states") };
    let violation = report.violations().next();
    let summary = match report.verdict {
        Verdict::Verified if report.is_complete() => format!("verified, {states}"),
        Verdict::Verified => format!("verified, unless states were missed, {states}"),
        Verdict::Violated => format!("violated, {}", violation.map_or("", |violation| &violation.message)),
        Verdict::Incomplete => {
            let reason = report.properties.iter().find_map(|property| property.stop.as_ref());
            let reason = reason.map(|stop| format!(" ({stop})")).unwrap_or_default();
            format!("incomplete{reason}, {states}")
        }
    };
    let place = |violation: &pmc_runtime::verdict::Violation| {
        violation.place.as_ref().map(|place| (usize::from(place.file), place.line, place.column))
    };
    let violation = violation.map(|violation| Found { message: violation.message.clone(), place: place(violation) });
    Outcome { verdict: Some(report.verdict), summary, violation }
}
