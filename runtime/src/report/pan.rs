//! The report in the form of Spin's verifier, for scripts that read it.
//!
//! The lines that such scripts look for have pan's wording and columns; lines without a meaning here (hash conflicts,
//! the version of Spin) are left out.

use super::{Reporter, Subject};
use crate::limits::Stop;
use crate::model::ModelInfo;
use crate::options::{Options, Store};
use crate::property::PropertyKind;
use crate::trail::{Move, Trail};
use crate::verdict::{PropertyReport, Violation, ViolationKind};
use std::io::{self, Write};

/// As Spin's pan writes it.
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

/// The output of one run of pan for one property.
fn write_search(subject: &Subject<'_>, n: usize, out: &mut dyn Write) -> io::Result<()> {
    write_violations(subject, n, out)?;
    let property = &subject.report.properties[n];
    write_selection(property, &subject.report.options, out)?;
    let figures = &property.statistics;
    let (bytes, depth, errors) = (figures.state_bytes, figures.depth, property.errors);
    writeln!(out, "State-vector {bytes} byte, depth reached {depth}, errors: {errors}")?;
    writeln!(out, "{:9} states, stored", figures.states_stored)?;
    writeln!(out, "{:9} states, matched", figures.transitions.saturating_sub(figures.states_stored))?;
    writeln!(out, "{:9} transitions (= stored+matched)", figures.transitions)?;
    writeln!(out, "{:9} atomic steps\n", figures.atomic_steps)?;
    writeln!(out, "{:9.3}\ttotal actual memory usage\n", figures.memory_bytes as f64 / f64::from(1 << 20))
}

/// The violations, and the warnings about what may be missing.
fn write_violations(subject: &Subject<'_>, n: usize, out: &mut dyn Write) -> io::Result<()> {
    let property = &subject.report.properties[n];
    if property.kind == PropertyKind::Ltl {
        writeln!(out, "pan: ltl formula {}", property.name)?;
    }
    for (number, violation) in property.violations.iter().enumerate() {
        let message = message(subject.info, violation);
        writeln!(out, "pan:{}: {message} (at depth {})", number + 1, depth(violation))?;
        if let Some(trail) = subject.trail(n, number) {
            writeln!(out, "pan: wrote {trail}")?;
        }
        if violation.trail.cycle_start.is_some() {
            write_lasso(subject.info, &violation.trail, out)?;
        }
    }
    if let Some(stop) = property.stop.filter(|&stop| stop != Stop::Violation) {
        writeln!(out, "error: {stop}")?;
    }
    writeln!(out, "\n(pmc version {})", subject.info.pmc_version)?;
    if property.stop.is_some() {
        writeln!(out, "Warning: Search not completed")?;
    }
    for line in property.odds().unwrap_or_default() {
        writeln!(out, "Warning: {line}")?;
    }
    Ok(())
}

/// The selected properties: the lines with `+` and `-`.
fn write_selection(property: &PropertyReport, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let sign = |is_on: bool| if is_on { "+" } else { "- (disabled)" };
    let statespace = match options.store {
        Store::Bitstate(_) => "Bit",
        Store::HashCompact(_) => "Hash-Compact",
        Store::Auto | Store::Exact | Store::Tree | Store::Compact => "Full",
    };
    writeln!(out, "\n{statespace} statespace search for:")?;
    let has_claim = matches!(property.kind, PropertyKind::Ltl | PropertyKind::Never);
    let in_scope = if has_claim { " (if within scope of claim)" } else { "" };
    match property.kind {
        _ if has_claim => writeln!(out, "\tnever claim         \t+ ({})", property.name)?,
        PropertyKind::NonProgress => writeln!(out, "\tnever claim         \t+ (:np_:)")?,
        _ => writeln!(out, "\tnever claim         \t- (none specified)")?,
    }
    // The search for safety reports the violations of the model itself.
    let (is_safety, fair) = (property.kind == PropertyKind::Safety, options.fair);
    let fairness = if fair { "enabled" } else { "disabled" };
    let assertions = sign(options.check_assertions && (is_safety || has_claim));
    writeln!(out, "\tassertion violations\t{assertions}{in_scope}")?;
    match property.kind {
        PropertyKind::Safety | PropertyKind::Trace | PropertyKind::Goal => {}
        PropertyKind::Zeno => writeln!(out, "\tzero-time cycles    \t+ (fairness {fairness})")?,
        PropertyKind::NonProgress => writeln!(out, "\tnon-progress cycles \t+ (fairness {fairness})")?,
        _ => writeln!(out, "\tacceptance   cycles \t+ (fairness {fairness})")?,
    }
    match has_claim || matches!(property.kind, PropertyKind::NonProgress | PropertyKind::Zeno) {
        true => writeln!(out, "\tinvalid end states\t- (disabled by never claim)\n"),
        false => writeln!(out, "\tinvalid end states\t{}\n", sign(options.check_end_states && is_safety)),
    }
}

/// The run into a cycle as `spin -t -p` shows it.
fn write_lasso(info: &ModelInfo<'_>, trail: &Trail, out: &mut dyn Write) -> io::Result<()> {
    let claim = trail.claim.as_deref().and_then(|name| info.claims.iter().find(|claim| claim.name == name));
    let (mut depth, mut last_move) = (0, None);
    for (n, next) in trail.moves.iter().enumerate() {
        if trail.cycle_start == Some(n) {
            writeln!(out, "  <<<<<START OF CYCLE>>>>>")?;
        }
        depth += levels(next);
        let statements = match next {
            Move::System(step) => trail.statements(step, info),
            Move::Claim { by, .. } => {
                let known = claim.and_then(|claim| claim.moves.get(by.index()));
                if let Some(known) = known.filter(|_| last_move.replace(*by) != Some(*by)) {
                    writeln!(out, "Never claim moves to line {}\t[{}]", known.place.line, known.text)?;
                }
                continue;
            }
            Move::Stutter | Move::Tick(_) => continue,
        };
        for (pid, transition) in statements {
            let (name, line) = (info.proctype_name(usize::from(transition.proctype)), info.line(transition.place));
            let (state, text) = (transition.from, transition.text);
            writeln!(out, "{depth:3}:\tproc {pid:2} ({name}) {line} (state {state})\t[{text}]")?;
        }
    }
    Ok(())
}

/// The depth of a move in pan, for which a rendezvous is two steps.
fn levels(next: &Move) -> i64 {
    match next {
        Move::System(step) if step.receiver.is_some() => 2,
        Move::System(_) | Move::Claim { .. } | Move::Stutter | Move::Tick(_) => 1,
    }
}

/// The number of moves before the violation, counted from 0, -1 in the initial state; of a cycle, those before it. pan
/// detects the end of a claim one move later.
fn depth(violation: &Violation) -> i64 {
    let trail = &violation.trail;
    match trail.cycle_start {
        Some(start) => trail.moves.iter().take(start).map(levels).sum(),
        None if violation.found.kind == ViolationKind::ClaimEnd => trail.moves.iter().map(levels).sum(),
        None => trail.moves.iter().map(levels).sum::<i64>() - 1,
    }
}

fn message(info: &ModelInfo<'_>, violation: &Violation) -> String {
    let transition = violation.found.transition.and_then(|id| info.transition(id)).map(|known| known.text);
    let claim = violation.trail.claim.as_deref().and_then(|name| info.claims.iter().find(|claim| claim.name == name));
    let claim_move = claim.zip(violation.found.claim_move).and_then(|(claim, by)| claim.moves.get(by.index()));
    let text = transition.or(claim_move.map(|known| known.text)).unwrap_or_default();
    match violation.found.kind {
        ViolationKind::Assertion => format!("assertion violated {}", text.trim_start_matches("assert")),
        ViolationKind::InvalidEndState => "invalid end state".to_owned(),
        ViolationKind::AcceptanceCycle => "acceptance cycle".to_owned(),
        ViolationKind::NonProgressCycle => "non-progress cycle".to_owned(),
        ViolationKind::ZeroTimeCycle => "zero-time cycle".to_owned(),
        ViolationKind::ClaimEnd => "end state in claim reached".to_owned(),
        ViolationKind::LeftoverMessages | ViolationKind::Trace(_) | ViolationKind::Fault(_) | ViolationKind::Goal => {
            violation.message.clone()
        }
    }
}
