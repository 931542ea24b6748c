//! Makes the moves of a trail again and checks everything: that every move can be made, that a cycle closes and is of the
//! kind that the trail names.

use crate::dyn_model::DynModel;
use crate::fault::{Fault, TraceError};
use crate::goal::Goal;
use crate::model::{ClaimInfo, ClaimKind, ModelInfo};
use crate::step::{Pid, PidSet};
use crate::trail::{Move, Trail};
use crate::verdict::{Found, ViolationKind};
use crate::walk::{Difference, RunPosition, Walk};
use std::fmt;
use std::io;

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
    /// Time passes on what should be a cycle in which it stands still.
    Ticks,
    /// This process is enabled on the whole cycle and never moves.
    Unfair(Pid),
    /// Time stands still in a cycle of which the trail says that it passes.
    StandsStill,
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
            ReplayError::Ticks => write!(f, "time passes on the cycle of the trail, where it should stand still"),
            ReplayError::StandsStill => {
                f.write_str("time stands still in the cycle of the trail, which leaves out such runs")
            }
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

/// Makes all moves again, and checks that they end in the violation that the trail names.
pub fn check(dyn_model: &dyn DynModel, trail: &Trail) -> Result<(), ReplayError> {
    let info = dyn_model.info();
    let index = trail.claim.as_deref().and_then(|name| info.claims.iter().position(|claim| claim.name == name));
    let walk = Walk::along(dyn_model, index, trail).map_err(ReplayError::NoInitialState)?;
    let claim = index.and_then(|index| info.claims.get(index));
    Replay { info, claim, walk, n_steps: 0 }.run(trail)
}

struct Replay<'a> {
    info: &'a ModelInfo<'a>,
    claim: Option<&'a ClaimInfo<'a>>,
    walk: Walk<'a>,
    n_steps: usize,
}

impl Replay<'_> {
    fn run(&mut self, trail: &Trail) -> Result<(), ReplayError> {
        let mut violations = Vec::new();
        let mut cycle = None;
        for (n, next) in trail.moves.iter().enumerate() {
            if trail.cycle_start == Some(n) {
                cycle = Some(Cycle::new(self.walk.position()));
            }
            if let Some(cycle) = &mut cycle {
                cycle.pass(self.claim, &self.walk, next);
            }
            violations = self.make(next)?;
        }
        match cycle {
            Some(cycle) => cycle.check(trail, &self.walk.position()),
            None if self.happened(trail, &violations) => Ok(()),
            None => Err(ReplayError::NoViolation(trail.kind.clone())),
        }
    }

    /// Makes a move. Returns the violations in it.
    fn make(&mut self, next: &Move) -> Result<Vec<Found>, ReplayError> {
        let n_step = self.n_steps + 1;
        let made = self.walk.make(next).ok_or(match next {
            Move::Claim { .. } => ReplayError::NoSuchClaimMove(n_step),
            Move::System(_) | Move::Stutter | Move::Tick(_) => ReplayError::NoSuchStep(n_step),
        })?;
        self.n_steps += usize::from(next.is_step());
        Ok(made.violations)
    }

    /// Whether a run without a cycle ended as the trail says. `violations` are those of its last move.
    fn happened(&self, trail: &Trail, violations: &[Found]) -> bool {
        if trail.kind == ViolationKind::ClaimEnd.name() {
            let here = self.claim.and_then(|claim| claim.locations.get(self.walk.at.index()));
            return here.is_some_and(|location| location.is_end);
        }
        if let Some(goal) = &trail.goal {
            let (dyn_state, goal) = (&self.walk.dyn_state, Goal::new(goal, self.info));
            return goal.is_ok_and(|goal| dyn_state.pids().any(|pid| goal.has(dyn_state.location(pid))));
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
    /// Time passes in it.
    ticks: bool,
    /// The processes that were enabled in every state so far.
    always_enabled: Option<PidSet>,
    moved: PidSet,
}

impl Cycle {
    fn new(start: RunPosition) -> Cycle {
        let (always_enabled, moved) = (None, PidSet::EMPTY);
        Cycle { start, is_accepting: false, progress: None, stutters: false, ticks: false, always_enabled, moved }
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
            Move::Tick(_) => self.ticks = true,
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
        if trail.kind == ViolationKind::ZeroTimeCycle.name() {
            match (self.ticks, self.stutters) {
                (true, _) => return Err(ReplayError::Ticks),
                (false, true) => return Err(ReplayError::Stops),
                (false, false) => {}
            }
        } else if trail.kind == ViolationKind::NonProgressCycle.name() {
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
        if trail.time_passes && !self.ticks && !self.stutters {
            return Err(ReplayError::StandsStill);
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
