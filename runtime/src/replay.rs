//! Takes the steps of a trail again, and tells what happens.

use crate::fault::Fault;
use crate::model::Model;
use crate::record::{Offer, can_move, offers};
use crate::show::{Printer, Show, Snapshot, standings};
use crate::step::Pid;
use crate::trail::{Move, Step, Trail};
use crate::verdict::ViolationKind;
use std::fmt;
use std::io::{self, Write};

/// Why a replay did not come to the end that the trail claims.
#[derive(Debug)]
pub enum ReplayError {
    /// The initial state could not be computed.
    NoInitialState(Fault),
    /// This step, counted from 1, cannot be taken.
    NoSuchStep(usize),
    /// All steps can be taken, but then there is no such violation.
    NoViolation(String),
    Output(io::Error),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoInitialState(fault) => write!(f, "the model has no initial state: {fault}"),
            ReplayError::NoSuchStep(n) => write!(f, "step {n} of the trail cannot be taken"),
            ReplayError::NoViolation(kind) => write!(f, "the trail does not end in the violation it claims ({kind})"),
            ReplayError::Output(error) => write!(f, "cannot write: {error}"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<io::Error> for ReplayError {
    fn from(error: io::Error) -> ReplayError {
        ReplayError::Output(error)
    }
}

/// The offer that a step of a trail means. `state` is released if its holder is blocked.
fn take<M: Model>(model: &M, state: &mut M::State, step: &Step) -> Option<Offer<M::State>> {
    offers(model, state).into_iter().find(|offer| offer.step == *step)
}

/// The state to which moves lead from the initial one.
pub(crate) fn follow<M: Model>(model: &M, moves: &[Move]) -> Result<M::State, ReplayError> {
    let mut state = model.initial().map_err(ReplayError::NoInitialState)?;
    for (n, next) in moves.iter().enumerate() {
        let Move::System(step) = next else { return Err(ReplayError::NoSuchStep(n + 1)) };
        let offer = take(model, &mut state, step).ok_or(ReplayError::NoSuchStep(n + 1))?;
        if let Some(next) = offer.next {
            state = next;
        }
    }
    Ok(state)
}

/// Prints each step of a trail with its source line, its process and what it changed, and makes sure that it ends in
/// the violation that it claims.
pub fn replay<M: Model>(model: &M, trail: &Trail, show: Show, out: &mut dyn Write) -> Result<(), ReplayError> {
    let mut printer = Printer { info: model.info(), show, out, n_steps: 0 };
    let mut state = match model.initial() {
        Ok(state) => state,
        Err(fault) if trail.moves.is_empty() && trail.kind == fault.kind() => {
            return Ok(writeln!(printer.out, "{}", trail.message)?);
        }
        Err(fault) => return Err(ReplayError::NoInitialState(fault)),
    };
    let mut before = Snapshot::of(model, &state);
    let mut violations = Vec::new();
    for (n, next) in trail.moves.iter().enumerate() {
        let Move::System(step) = next else { return Err(ReplayError::NoSuchStep(n + 1)) };
        if trail.cycle_start == Some(n) {
            writeln!(printer.out, "<<<<< start of cycle >>>>>")?;
        }
        let offer = take(model, &mut state, step).ok_or(ReplayError::NoSuchStep(n + 1))?;
        let after = offer.next.as_ref().map_or_else(|| before.clone(), |next| Snapshot::of(model, next));
        printer.step(&offer, |pid| model.priority(&state, pid), &before, &after)?;
        violations = offer.violations;
        before = after;
        if let Some(next) = offer.next {
            state = next;
        }
    }
    writeln!(printer.out, "{}", trail.message)?;
    let happened = match trail.transition {
        Some(_) => {
            violations.iter().any(|found| found.kind.name() == trail.kind && found.transition == trail.transition)
        }
        None => ends_wrongly(model, &mut state, &trail.kind),
    };
    printer.state(&Snapshot::of(model, &state), &standings(model, &state))?;
    if happened { Ok(()) } else { Err(ReplayError::NoViolation(trail.kind.clone())) }
}

/// Whether nobody can move and that is wrong in the way that `kind` names.
fn ends_wrongly<M: Model>(model: &M, state: &mut M::State, kind: &str) -> bool {
    let all_may_end = (0..model.n_processes(state)).all(|index| model.is_valid_end(state, Pid::from_index(index)));
    let end = match all_may_end {
        false => ViolationKind::InvalidEndState,
        true => ViolationKind::LeftoverMessages,
    };
    !can_move(&offers(model, state)) && end.name() == kind && (!all_may_end || model.has_messages(state))
}
