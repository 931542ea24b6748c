//! The searches.
//!
//! `expand` knows how one gets from a stored state to the next ones; `breadth_first` and `depth_first` decide in
//! which order; `control` knows when to stop. A choice among the enabled steps (a reduction) belongs into `expand`,
//! a claim beside the model into the states that the searches store.

pub(crate) mod breadth_first;
pub(crate) mod control;
pub(crate) mod depth_first;
pub(crate) mod expand;
pub(crate) mod rebuild;
#[cfg(test)]
mod tests;

pub use control::{Monitor, Progress, Silent};

use crate::limits::{Interrupt, peak_memory};
use crate::model::{Model, ModelInfo, Place};
use crate::options::{Algorithm, Options};
use crate::step::Pid;
use crate::store::{ExactStore, StateStore};
use crate::trail::Trail;
use crate::verdict::{Found, Report, Statistics, Verdict, Violation, ViolationKind};
use control::{Control, Finding};
use std::time::Duration;

/// What a search leaves behind beside the findings.
#[derive(Default)]
pub(crate) struct Counts {
    pub states_stored: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    pub state_bytes: u64,
    pub memory_bytes: u64,
    pub reached: Vec<bool>,
    pub atomic_cycle: Option<Pid>,
}

/// Checks safety properties: assertions, end states, faults. For use in a `#[test]`, and under the command line.
pub fn check<M: Model>(model: &M, options: &Options) -> Report {
    check_with(model, options, &Interrupt::new(), &mut Silent)
}

/// The same for a caller who may interrupt it and wants to see progress.
pub fn check_with<M: Model>(model: &M, options: &Options, interrupt: &Interrupt, monitor: &mut dyn Monitor) -> Report {
    let mut control = Control::new(options, interrupt, monitor);
    let counts = match options.algorithm {
        Algorithm::BreadthFirst => breadth_first::search::<M, ExactStore<M::Packed>>(model, &mut control),
        Algorithm::DepthFirst => depth_first::search::<M, ExactStore<M::Packed>>(model, &mut control),
    };
    let end_places = control.findings.iter().map(|finding| end_place(model, finding)).collect::<Vec<_>>();
    report(model.info(), <ExactStore<M::Packed> as StateStore<M::Packed>>::NAME, control, counts, end_places)
}

/// Nobody can move in `state`: is that how it should be?
pub(crate) fn wrong_end<M: Model>(model: &M, state: &M::State, control: &Control<'_>) -> Option<Found> {
    let n_processes = model.n_processes(state);
    let all_may_end = (0..n_processes).all(|index| model.is_valid_end(state, Pid::from_index(index)));
    let kind = match all_may_end {
        false => ViolationKind::InvalidEndState,
        true if model.has_messages(state) => ViolationKind::LeftoverMessages,
        true => return None,
    };
    control.wants(kind).then_some(Found { kind, transition: None })
}

/// Where the first process stands that must not end there, in the state to which the steps of an invalid end lead.
fn end_place<M: Model>(model: &M, finding: &Finding) -> Option<(Pid, usize, Place)> {
    if finding.found.kind != ViolationKind::InvalidEndState {
        return None;
    }
    let state = crate::replay::follow(model, &finding.steps).ok()?;
    let pid = (0..model.n_processes(&state)).map(Pid::from_index).find(|&pid| !model.is_valid_end(&state, pid))?;
    let location = model.info().locations.get(model.location(&state, pid))?;
    Some((pid, model.proctype(&state, pid), location.place))
}

fn report(
    info: &'static ModelInfo,
    storage: &'static str,
    control: Control<'_>,
    counts: Counts,
    end_places: Vec<Option<(Pid, usize, Place)>>,
) -> Report {
    let stop = control.reason();
    let elapsed: Duration = control.elapsed();
    let safety = match (control.errors, stop) {
        (0, None) => Verdict::Verified,
        (0, Some(_)) => Verdict::Incomplete,
        _ => Verdict::Violated,
    };
    let claims_left = if control.options.safety_only { &[] } else { info.claims };
    let verdict = match safety {
        Verdict::Verified if !claims_left.is_empty() => Verdict::Incomplete,
        other => other,
    };
    let mut warnings = Vec::new();
    if let Some(pid) = counts.atomic_cycle {
        warnings.push(format!(
            "process {pid} can run forever inside an atomic sequence, where no other process moves and no state is \
             stored; the transition count leaves out its repetitions"
        ));
    }
    let statistics = Statistics {
        algorithm: control.options.algorithm.name(),
        storage,
        threads: 1,
        reduction: false,
        states_stored: counts.states_stored,
        transitions: counts.transitions,
        atomic_steps: counts.atomic_steps,
        depth: counts.depth,
        state_bytes: counts.state_bytes,
        memory_bytes: peak_memory().unwrap_or(counts.memory_bytes),
        elapsed,
        omission_probability: None,
    };
    let violations = control.findings.into_iter().zip(end_places);
    let violations = violations.map(|(finding, end)| violation(info, finding, end)).collect();
    let options = control.options.clone();
    let (errors, reached) = (control.errors, counts.reached);
    Report { verdict, safety, claims_left, options, errors, violations, stop, statistics, reached, warnings }
}

fn violation(info: &'static ModelInfo, finding: Finding, end: Option<(Pid, usize, Place)>) -> Violation {
    let Finding { found, steps, occurrences } = finding;
    let transition = found.transition.and_then(|id| info.transition(id));
    let message = match (found.kind, transition, end) {
        (ViolationKind::Assertion, Some(transition), _) => format!("assertion violated: {}", transition.text),
        (ViolationKind::Assertion, None, _) => "assertion violated".to_owned(),
        (ViolationKind::InvalidEndState, _, Some((pid, proctype, place))) => {
            let name = info.proctype_name(proctype);
            format!("invalid end state: process {pid} ({name}) waits at {}", info.line(place))
        }
        (ViolationKind::InvalidEndState, ..) => "invalid end state".to_owned(),
        (ViolationKind::LeftoverMessages, ..) => "a channel still holds a message in the end state".to_owned(),
        (ViolationKind::Fault(fault), Some(transition), _) => format!("{fault}: {}", transition.text),
        (ViolationKind::Fault(fault), None, _) => fault.to_string(),
    };
    let trail = Trail {
        model_hash: info.hash.to_owned(),
        steps,
        kind: found.kind.name().to_owned(),
        transition: found.transition,
        message: message.clone(),
        cycle_start: None,
    };
    let place = transition.map(|transition| transition.place).or(end.map(|(_, _, place)| place));
    Violation { found, message, place, trail, occurrences }
}
