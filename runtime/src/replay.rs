//! Replays the moves of a trail, prints them, and checks everything: that every move can be made, that a cycle closes
//! and is of the kind that the trail names.

use crate::dyn_model::DynModel;
use crate::fault::{Fault, TraceError};
use crate::model::{ClaimInfo, ClaimKind};
use crate::reduction::Independence;
use crate::show::{CYCLE_STARTS, Printer, Show, Snapshot, process_statuses};
use crate::step::{Pid, PidSet};
use crate::system::ModelSystems;
use crate::trail::{Move, Trail};
use crate::verdict::{Found, ViolationKind};
use crate::walk::{Difference, RunPosition, Walk};
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

/// Why a replay did not reach the end that the trail names.
#[derive(Debug)]
pub enum ReplayError {
    /// The initial state could not be computed.
    NoInitialState(Fault),
    /// The model has no claim of this name.
    NoSuchClaim(String),
    /// This step, counted from 1, cannot be taken.
    NoSuchStep(usize),
    /// The claim cannot move as the trail says before this step, counted from 1.
    NoSuchClaimMove(usize),
    /// All moves can be made, but then there is no such violation.
    NoViolation(String),
    /// The end of the cycle is not its start; this is the difference.
    NotClosed(&'static str),
    /// The same, but only hidden variables differ, which the search does not compare.
    NotClosedHidden,
    /// No state of the cycle is accepting.
    NotAccepting,
    /// This process is at a progress label on what should be a cycle without progress.
    Progress(Pid),
    /// A run that deadlocks makes no progress, but is no cycle without progress either.
    Stops,
    /// This process is enabled on the whole cycle and never moves.
    Unfair(Pid),
    /// The output could not be written.
    Output(io::Error),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoInitialState(fault) => write!(f, "the model has no initial state: {fault}"),
            ReplayError::NoSuchClaim(name) => {
                write!(f, "the trail is for the claim `{name}`, which the model does not have")
            }
            ReplayError::NoSuchStep(n) => write!(f, "step {n} of the trail cannot be taken"),
            ReplayError::NoSuchClaimMove(n) => {
                write!(f, "the claim cannot move as the trail says before step {n}")
            }
            ReplayError::NoViolation(kind) => write!(f, "the trail does not end in the violation it claims ({kind})"),
            ReplayError::NotClosed(what) => {
                write!(f, "the cycle of the trail does not close: {what} is not the same at its end as at its start")
            }
            ReplayError::NotClosedHidden => write!(
                f,
                "the cycle of the trail does not close: hidden variables have other values at its end than at its start; \
                 the search treats states that differ only there as equal, so that this run need not go on \
                 forever; a variable that decides how it goes on should not be hidden"
            ),
            ReplayError::NotAccepting => write!(f, "no state on the cycle of the trail is accepting"),
            ReplayError::Progress(pid) => {
                write!(f, "process {pid} makes progress on the cycle of the trail, which should have none")
            }
            ReplayError::Stops => write!(f, "the run of the trail stops, which is no cycle without progress"),
            ReplayError::Unfair(pid) => write!(
                f,
                "the cycle of the trail is not fair: process {pid} can move in each of its states and never does"
            ),
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

/// Prints each move of a trail with its source line, its process and its changes, and checks that the trail ends in the
/// violation that it names.
pub fn replay<M: Independence>(model: &M, trail: &Trail, show: Show, out: &mut dyn Write) -> Result<(), ReplayError> {
    replay_on(&ModelSystems::new(model), trail, show, out)
}

pub(crate) fn replay_on(
    dyn_model: &dyn DynModel,
    trail: &Trail,
    show: Show,
    out: &mut dyn Write,
) -> Result<(), ReplayError> {
    let info = dyn_model.info();
    let claim = match &trail.claim {
        Some(name) => {
            let index = info.claims.iter().position(|claim| claim.name == name);
            Some(index.ok_or_else(|| ReplayError::NoSuchClaim(name.clone()))?)
        }
        None => None,
    };
    let left_out = if show.all || show.sends || show.receives { Vec::new() } else { left_out(trail) };
    let printer = Printer { info, show, out, n_steps: 0, left_out };
    let walk = match Walk::new(dyn_model, claim) {
        Ok(walk) => walk,
        Err(fault) if trail.moves.is_empty() && trail.kind == fault.kind() => {
            return Ok(writeln!(printer.out, "{}", trail.message)?);
        }
        Err(fault) => return Err(ReplayError::NoInitialState(fault)),
    };
    let claim = claim.and_then(|index| info.claims.get(index));
    let before = Snapshot::of(&walk.dyn_state);
    let mut replay = Replay { claim, walk, printer, before, last_seen: None };
    replay.run(trail)
}

/// A run of so many steps, or a cycle, is shown as a whole.
const WHOLE: usize = 300;

/// Of a longer one so many at its beginning, and as many at its end.
const AT_ENDS: usize = 100;

/// The steps of a long run that are not shown, counted from 1. They are taken and checked all the same.
fn left_out(trail: &Trail) -> Vec<Range<usize>> {
    let n_all = trail.n_steps();
    let n_before = trail.steps_before_cycle().unwrap_or(n_all);
    let middle = |first: usize, n_steps: usize| (n_steps > WHOLE).then(|| first + AT_ENDS..first + n_steps - AT_ENDS);
    [middle(1, n_before), middle(1 + n_before, n_all - n_before)].into_iter().flatten().collect()
}

struct Replay<'a> {
    claim: Option<&'a ClaimInfo<'a>>,
    walk: Walk<'a>,
    printer: Printer<'a>,
    before: Snapshot,
    /// The condition of the claim's last move, which is not printed twice.
    last_seen: Option<&'a str>,
}

impl Replay<'_> {
    fn run(&mut self, trail: &Trail) -> Result<(), ReplayError> {
        let mut violations = Vec::new();
        let mut cycle = None;
        for (n, next) in trail.moves.iter().enumerate() {
            if trail.cycle_start == Some(n) {
                writeln!(self.printer.out, "{CYCLE_STARTS}")?;
                self.last_seen = None;
                cycle = Some(Cycle::new(self.walk.position()));
            }
            if let Some(cycle) = &mut cycle {
                cycle.pass(self.claim, &self.walk, next);
            }
            violations = self.make(next)?;
        }
        writeln!(self.printer.out, "{}", trail.message)?;
        let dyn_state = &self.walk.dyn_state;
        self.printer.state(&Snapshot::of(dyn_state), &process_statuses(dyn_state))?;
        match cycle {
            Some(cycle) => cycle.check(trail, &self.walk.position()),
            None if self.happened(trail, &violations) => Ok(()),
            None => Err(ReplayError::NoViolation(trail.kind.clone())),
        }
    }

    /// Makes and prints a move. Returns the violations in it.
    fn make(&mut self, next: &Move) -> Result<Vec<Found>, ReplayError> {
        let state_before = self.walk.dyn_state.clone();
        let n_step = self.printer.n_steps + 1;
        let made = self.walk.make(next).ok_or(match next {
            Move::Claim { .. } => ReplayError::NoSuchClaimMove(n_step),
            Move::System(_) | Move::Stutter => ReplayError::NoSuchStep(n_step),
        })?;
        let after = Snapshot::of(&self.walk.dyn_state);
        match (next, &made.step) {
            (Move::Claim { by, .. }, _) => {
                let known = self.claim.and_then(|claim| claim.moves.get(by.index()));
                let seen = known.map(|known| known.text);
                let is_new = std::mem::replace(&mut self.last_seen, seen) != seen;
                if let Some(claim) = self.claim.filter(|_| is_new || after != self.before) {
                    self.printer.claim_move(claim, *by, &self.before, &after)?;
                }
            }
            (_, Some(offer)) => {
                let priority = |pid| state_before.priority(pid);
                self.printer.step(offer, priority, &self.before, &after)?;
            }
            (_, None) => self.printer.stutter()?,
        }
        self.before = after;
        Ok(made.violations)
    }

    /// Whether a run without a cycle ended as the trail says. `violations` are those of its last move.
    fn happened(&self, trail: &Trail, violations: &[Found]) -> bool {
        if trail.kind == ViolationKind::ClaimEnd.name() {
            let here = self.claim.and_then(|claim| claim.locations.get(self.walk.at.index()));
            return here.is_some_and(|location| location.is_end);
        }
        if trail.transition.is_none() && trail.claim_move.is_none() {
            return self.ends_wrongly(&trail.kind);
        }
        let is_it = |found: &&Found| {
            found.kind.name() == trail.kind
                && (found.transition, found.claim_move) == (trail.transition, trail.claim_move)
        };
        violations.iter().any(|found| is_it(&found)) || self.breaches().any(|found| is_it(&&found))
    }

    /// The promises of exclusive use that processes break at their locations.
    fn breaches(&self) -> impl Iterator<Item = Found> {
        let dyn_state = &self.walk.dyn_state;
        let broken = dyn_state.pids().filter_map(|pid| dyn_state.breach(pid));
        broken.map(|(transition, fault)| Found::at(ViolationKind::Fault(fault), transition))
    }

    /// Whether no process is enabled and that is the violation that `kind` names.
    fn ends_wrongly(&self, kind: &str) -> bool {
        let dyn_state = &self.walk.dyn_state;
        let all_may_end = dyn_state.all_may_end();
        let ends = [
            (ViolationKind::InvalidEndState, !all_may_end),
            (ViolationKind::Trace(TraceError::Unfinished), all_may_end && !dyn_state.trace_may_end()),
            (ViolationKind::LeftoverMessages, all_may_end && dyn_state.has_messages()),
        ];
        !self.walk.system_can_move() && ends.iter().any(|(end, is_so)| *is_so && end.name() == kind)
    }
}

/// What is known of a cycle so far.
struct Cycle {
    start: RunPosition,
    is_accepting: bool,
    progress: Option<Pid>,
    stutters: bool,
    /// The processes that were enabled in every state so far.
    always_enabled: Option<PidSet>,
    moved: PidSet,
}

impl Cycle {
    fn new(start: RunPosition) -> Cycle {
        let (always_enabled, moved) = (None, PidSet::EMPTY);
        Cycle { start, is_accepting: false, progress: None, stutters: false, always_enabled, moved }
    }

    /// Called before each move of the cycle.
    fn pass(&mut self, claim: Option<&ClaimInfo<'_>>, walk: &Walk<'_>, next: &Move) {
        if walk.is_turn_begin() {
            let dyn_state = &walk.dyn_state;
            let here = claim.and_then(|claim| claim.locations.get(walk.at.index()));
            // For a formula only its own accepting locations count; beside a never claim the accept labels of processes
            // count as well.
            let labels_count = claim.is_none_or(|claim| claim.kind != ClaimKind::Ltl);
            self.is_accepting |= here.is_some_and(|location| location.is_accepting)
                || labels_count && dyn_state.pids().any(|pid| dyn_state.is_accepting(pid));
            self.progress = self.progress.or_else(|| dyn_state.pids().find(|&pid| dyn_state.is_progress(pid)));
        }
        if walk.is_systems_turn() {
            let enabled = walk.enabled();
            self.always_enabled = Some(match self.always_enabled {
                Some(so_far) => so_far.iter().filter(|&pid| enabled.contains(pid)).collect(),
                None => enabled,
            });
        }
        match next {
            Move::System(step) => {
                self.moved = self.moved.with(step.pid);
                self.moved = step.receiver.map_or(self.moved, |(receiver, _)| self.moved.with(receiver));
            }
            Move::Stutter => self.stutters = true,
            Move::Claim { .. } => {}
        }
    }

    /// Whether it is a cycle, and of the kind that the trail names.
    fn check(&self, trail: &Trail, end: &RunPosition) -> Result<(), ReplayError> {
        if let Some(difference) = self.start.difference(end) {
            return Err(match difference {
                Difference::State => ReplayError::NotClosed("the state"),
                Difference::Hidden => ReplayError::NotClosedHidden,
                Difference::ClaimLocation => ReplayError::NotClosed("the location of the claim"),
                Difference::Turn => ReplayError::NotClosed("the turn (claim or system)"),
            });
        }
        if trail.kind == ViolationKind::NonProgressCycle.name() {
            match self.progress {
                Some(pid) => return Err(ReplayError::Progress(pid)),
                None if self.stutters => return Err(ReplayError::Stops),
                None => {}
            }
        } else if trail.kind != ViolationKind::AcceptanceCycle.name() {
            return Err(ReplayError::NoViolation(trail.kind.clone()));
        } else if !self.is_accepting {
            return Err(ReplayError::NotAccepting);
        }
        // If no process is enabled, the cycle is fair to all.
        let waiting = self.always_enabled.unwrap_or_default();
        let neglected = waiting.iter().find(|&pid| !self.moved.contains(pid));
        match neglected.filter(|_| trail.fair && !self.stutters) {
            Some(pid) => Err(ReplayError::Unfair(pid)),
            None => Ok(()),
        }
    }
}
