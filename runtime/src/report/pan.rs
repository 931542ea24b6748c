//! For scripts that read the output of Spin's verifier.
//!
//! The lines that such scripts look for have pan's wording and columns; what says nothing here (hash conflicts, the
//! version of Spin) is left out.

use super::{Reporter, Subject};
use crate::model::ModelInfo;
use crate::property::PropertyKind;
use crate::trail::Move;
use crate::verdict::{Stop, Violation, ViolationKind};
use std::io::{self, Write};

pub struct Pan;

impl Reporter for Pan {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        for n in 0..subject.report.properties.len() {
            write_search(subject, n, out)?;
        }
        for (proctype, of) in subject.info.proctypes.iter().enumerate() {
            let (n_all, unreached) = subject.unreached(proctype);
            writeln!(out, "unreached in proctype {}", of.name)?;
            for transition in &unreached {
                let line = subject.info.line(transition.place);
                writeln!(out, "\t{line}, state {}, \"{}\"", transition.from, transition.text)?;
            }
            writeln!(out, "\t({} of {n_all} states)", unreached.len())?;
        }
        let properties = &subject.report.properties;
        let seconds: f64 = properties.iter().map(|property| property.statistics.elapsed.as_secs_f64()).sum();
        let states: u64 = properties.iter().map(|property| property.statistics.states_stored).sum();
        writeln!(out, "\npan: elapsed time {} seconds", (seconds * 100.0).round() / 100.0)?;
        writeln!(out, "pan: rate {:9.0} states/second", states as f64 / seconds.max(1e-6))
    }
}

/// What one run of pan would have said about one property.
fn write_search(subject: &Subject<'_>, n: usize, out: &mut dyn Write) -> io::Result<()> {
    let property = &subject.report.properties[n];
    for (number, violation) in property.violations.iter().enumerate() {
        let message = message(subject.info, violation);
        writeln!(out, "pan:{}: {message} (at depth {})", number + 1, depth(violation))?;
        if let Some(trail) = subject.trail(n, number) {
            writeln!(out, "pan: wrote {trail}")?;
        }
    }
    if let Some(stop) = property.stop.filter(|&stop| stop != Stop::Violation) {
        writeln!(out, "error: {stop}")?;
    }
    writeln!(out, "\n(pmc version {})", subject.info.pmc_version)?;
    if property.stop.is_some() {
        writeln!(out, "Warning: Search not completed")?;
    }
    let options = &subject.report.options;
    let sign = |is_on: bool| if is_on { "+" } else { "- (disabled)" };
    writeln!(out, "\nFull statespace search for:")?;
    match property.kind {
        PropertyKind::Ltl | PropertyKind::Never => writeln!(out, "\tnever claim         \t+ ({})", property.name)?,
        _ => writeln!(out, "\tnever claim         \t- (none specified)")?,
    }
    writeln!(out, "\tassertion violations\t{}", sign(options.check_assertions))?;
    let (fair, is_safety) = (if options.fair { "enabled" } else { "disabled" }, property.kind == PropertyKind::Safety);
    match property.kind {
        PropertyKind::Safety | PropertyKind::Trace => {}
        PropertyKind::NonProgress => writeln!(out, "\tnon-progress cycles \t+ (fairness {fair})")?,
        _ => writeln!(out, "\tacceptance   cycles \t+ (fairness {fair})")?,
    }
    writeln!(out, "\tinvalid end states\t{}\n", sign(options.check_end_states && is_safety))?;
    let figures = &property.statistics;
    let (bytes, depth, errors) = (figures.state_bytes, figures.depth, property.errors);
    writeln!(out, "State-vector {bytes} byte, depth reached {depth}, errors: {errors}")?;
    writeln!(out, "{:9} states, stored", figures.states_stored)?;
    writeln!(out, "{:9} states, matched", figures.transitions.saturating_sub(figures.states_stored))?;
    writeln!(out, "{:9} transitions (= stored+matched)", figures.transitions)?;
    writeln!(out, "{:9} atomic steps\n", figures.atomic_steps)?;
    writeln!(out, "{:9.3}\ttotal actual memory usage\n", figures.memory_bytes as f64 / f64::from(1 << 20))
}

/// The number of steps before the violation, counted from 0, where a rendezvous is two; -1 in the initial state.
fn depth(violation: &Violation) -> i64 {
    let moves = violation.trail.moves.iter().map(|next| match next {
        Move::System(step) if step.receiver.is_some() => 2,
        Move::System(_) | Move::Claim { .. } | Move::Stutter => 1,
    });
    moves.sum::<i64>() - 1
}

fn message(info: &ModelInfo, violation: &Violation) -> String {
    let text = violation.found.transition.and_then(|id| info.transition(id)).map_or("", |transition| transition.text);
    match violation.found.kind {
        ViolationKind::Assertion => format!("assertion violated {}", text.trim_start_matches("assert")),
        ViolationKind::InvalidEndState => "invalid end state".to_owned(),
        ViolationKind::AcceptanceCycle => "acceptance cycle".to_owned(),
        ViolationKind::NonProgressCycle => "non-progress cycle".to_owned(),
        ViolationKind::ClaimEnd => "end state in claim reached".to_owned(),
        ViolationKind::LeftoverMessages | ViolationKind::Trace | ViolationKind::Fault(_) => violation.message.clone(),
    }
}
