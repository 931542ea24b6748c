//! For scripts that read the output of Spin's verifier.
//!
//! The lines that such scripts look for have pan's wording and columns; what says nothing here (hash conflicts, the
//! version of Spin) is left out.

use super::{Reporter, Subject};
use crate::model::ModelInfo;
use crate::verdict::{Stop, Violation, ViolationKind};
use std::io::{self, Write};

pub struct Pan;

impl Reporter for Pan {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (report, figures) = (subject.report, &subject.report.statistics);
        for (n, violation) in report.violations.iter().enumerate() {
            let message = message(subject.info, violation);
            writeln!(out, "pan:{}: {message} (at depth {})", n + 1, depth(violation))?;
            if let Some(trail) = subject.trail(n) {
                writeln!(out, "pan: wrote {trail}")?;
            }
        }
        if let Some(stop) = report.stop.filter(|&stop| stop != Stop::Violation) {
            writeln!(out, "error: {stop}")?;
        }
        writeln!(out, "\n(pmc version {})", subject.info.pmc_version)?;
        if report.stop.is_some() || !report.claims_left.is_empty() {
            writeln!(out, "Warning: Search not completed")?;
        }
        writeln!(out, "\nFull statespace search for:")?;
        let claim = if report.claims_left.is_empty() { "none specified" } else { "not checked by this version" };
        writeln!(out, "\tnever claim         \t- ({claim})")?;
        let sign = |is_on: bool| if is_on { "+" } else { "- (disabled)" };
        writeln!(out, "\tassertion violations\t{}", sign(report.options.check_assertions))?;
        writeln!(out, "\tinvalid end states\t{}\n", sign(report.options.check_end_states))?;
        let (bytes, depth, errors) = (figures.state_bytes, figures.depth, report.errors);
        writeln!(out, "State-vector {bytes} byte, depth reached {depth}, errors: {errors}")?;
        writeln!(out, "{:9} states, stored", figures.states_stored)?;
        writeln!(out, "{:9} states, matched", figures.transitions.saturating_sub(figures.states_stored))?;
        writeln!(out, "{:9} transitions (= stored+matched)", figures.transitions)?;
        writeln!(out, "{:9} atomic steps\n", figures.atomic_steps)?;
        writeln!(out, "{:9.3}\ttotal actual memory usage\n", figures.memory_bytes as f64 / f64::from(1 << 20))?;
        for (proctype, of) in subject.info.proctypes.iter().enumerate() {
            let (n_all, unreached) = subject.unreached(proctype);
            writeln!(out, "unreached in proctype {}", of.name)?;
            for transition in &unreached {
                let line = subject.info.line(transition.place);
                writeln!(out, "\t{line}, state {}, \"{}\"", transition.from, transition.text)?;
            }
            writeln!(out, "\t({} of {n_all} states)", unreached.len())?;
        }
        let seconds = figures.elapsed.as_secs_f64();
        writeln!(out, "\npan: elapsed time {} seconds", (seconds * 100.0).round() / 100.0)?;
        let rate = figures.states_stored as f64 / seconds.max(1e-6);
        writeln!(out, "pan: rate {rate:9.0} states/second")
    }
}

/// The number of steps before the violation, counted from 0, where a rendezvous is two; -1 in the initial state.
fn depth(violation: &Violation) -> i64 {
    let steps = violation.trail.steps.iter().map(|step| if step.receiver.is_some() { 2 } else { 1 });
    steps.sum::<i64>() - 1
}

fn message(info: &ModelInfo, violation: &Violation) -> String {
    let text = violation.found.transition.and_then(|id| info.transition(id)).map_or("", |transition| transition.text);
    match violation.found.kind {
        ViolationKind::Assertion => format!("assertion violated {}", text.trim_start_matches("assert")),
        ViolationKind::InvalidEndState => "invalid end state".to_owned(),
        ViolationKind::LeftoverMessages | ViolationKind::Fault(_) => violation.message.clone(),
    }
}
