//! The moves of a never claim: like those of a process, but it is none.
//!
//! It moves before each step of the system and sees the state that the step starts from. An `atomic` of its own is one
//! move; if it blocks inside, the run is cut, as at any other point where the claim is blocked.

use pmc::model::StatementKind;

use super::moment::{Mode, Moment};
use super::program::{Code, Point, Program};
use super::state::State;
use super::statements::Attempt;
use super::system::NoAnswer;

/// One move of a claim.
pub struct Move {
    pub to: Point,
    /// The claim may have changed variables of its own.
    pub state: State,
    /// An assertion in the claim does not hold.
    pub failed: bool,
    /// It is inside an `atomic` and moves again.
    keeps: bool,
}

/// How many statements an `atomic` or a `d_step` of a claim may have.
const MAX_COMPOUND: usize = 200;

/// All moves from a point of the claim of that number. `timeout`: no process is enabled without it.
pub fn moves(
    program: &Program<'_>,
    claim: usize,
    state: &State,
    at: Point,
    timeout: bool,
) -> Result<Vec<Move>, NoAnswer> {
    let stepper = ClaimStepper { program, code: &program.claims[claim], mode: Mode { timeout, ..Mode::default() } };
    let mut found = Vec::new();
    let mut inside = stepper.from(state, at)?;
    for _ in 0..MAX_COMPOUND {
        let (more, done): (Vec<Move>, Vec<Move>) = inside.into_iter().partition(|step| step.keeps);
        found.extend(done);
        if more.is_empty() {
            return Ok(found);
        }
        inside = Vec::new();
        for first in more {
            let next = stepper.from(&first.state, first.to)?;
            inside.extend(next.into_iter().map(|next| Move { failed: first.failed || next.failed, ..next }));
        }
    }
    Err(NoAnswer::TooLarge)
}

#[derive(Clone, Copy)]
struct ClaimStepper<'a> {
    program: &'a Program<'a>,
    code: &'a Code<'a>,
    mode: Mode<'a>,
}

impl ClaimStepper<'_> {
    /// The moves of the first escape that is enabled, or else those of the point.
    fn from(&self, state: &State, at: Point) -> Result<Vec<Move>, NoAnswer> {
        for escape in self.code.escapes(at) {
            let found = self.beginning(state, &escape)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        self.inside(state, at)
    }

    /// The moves at a point, without escapes.
    fn inside(&self, state: &State, at: Point) -> Result<Vec<Move>, NoAnswer> {
        self.beginning(state, &self.code.firsts(at))
    }

    /// The moves of several first statements. An `else` asks whether one above it is executable.
    fn beginning(&self, state: &State, firsts: &[Point]) -> Result<Vec<Move>, NoAnswer> {
        let mut found = Vec::new();
        for first in firsts {
            let mode = Mode { else_holds: found.is_empty(), ..self.mode };
            found.extend(ClaimStepper { mode, ..*self }.alone(state, *first)?);
            if self.mode.first_only && !found.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// The moves of a statement that is no choice.
    fn alone(&self, state: &State, point: Point) -> Result<Vec<Move>, NoAnswer> {
        let Some(statement) = self.code.place(point).statement else { return Ok(Vec::new()) };
        if self.code.place(point).is_join {
            return Ok(vec![self.finish(Moment::new(self.program, state, None, self.mode), point)]);
        }
        if let StatementKind::DStep(_) = &statement.kind {
            return self.d_step(state, point);
        }
        let mut moment = Moment::new(self.program, state, None, self.mode);
        match moment.execute(&statement.kind, statement.span)? {
            Attempt::Done => Ok(vec![self.finish(moment, point)]),
            Attempt::Blocked | Attempt::Offered { .. } => Ok(Vec::new()),
        }
    }

    /// A `d_step` is one move; one that blocks behind its first statement is none.
    fn d_step(&self, state: &State, point: Point) -> Result<Vec<Move>, NoAnswer> {
        let runner = ClaimStepper { mode: Mode { first_only: true, ..self.mode }, ..*self };
        let Some(&first) = self.code.place(point).parts.first() else { return Ok(Vec::new()) };
        let Some(mut sum) = runner.inside(state, first)?.into_iter().next() else { return Ok(Vec::new()) };
        for _ in 0..MAX_COMPOUND {
            if self.code.place(sum.to).d_step != Some(point) {
                return Ok(vec![sum]);
            }
            let Some(next) = runner.inside(&sum.state, sum.to)?.into_iter().next() else { return Ok(Vec::new()) };
            sum = Move { failed: sum.failed || next.failed, ..next };
        }
        Err(NoAnswer::TooLarge)
    }

    fn finish(&self, moment: Moment<'_>, point: Point) -> Move {
        let (to, keeps) = self.code.follow(point);
        let (state, _, complaints) = moment.into_state();
        Move { to, state, failed: !complaints.is_empty(), keeps }
    }
}
