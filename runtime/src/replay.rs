//! Replays the moves of a trail and prints them; `retrace.rs` checks everything.

use crate::dyn_model::DynModel;
use crate::reduction::Independence;
use crate::retrace::check;
use crate::show::Show;
use crate::story::lines::{Layout, write_end, write_state, write_steps};
use crate::story::{Listed, Obstacle, tell};
use crate::system::ModelSystems;
use crate::trail::Trail;
use std::io::Write;

pub use crate::retrace::ReplayError;

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
    let is_partial = show.sends || show.receives;
    let listed = if show.all || is_partial { Listed::ALL } else { LISTED };
    let told = tell(dyn_model, trail, listed, false);
    let layout = Layout { indent: "", dim: ("", ""), more: " (--all shows them)", show };
    match told.obstacle {
        None => {}
        Some(Obstacle::NoInitialState(fault)) if trail.moves.is_empty() && trail.kind == fault.kind() => {
            return Ok(writeln!(out, "{}", trail.message)?);
        }
        Some(obstacle) => {
            write_steps(info, &told.run, layout, out)?;
            return Err(obstacle.into());
        }
    }
    write_steps(info, &told.run, layout, out)?;
    writeln!(out, "{}", trail.message)?;
    let end = (&told.run.end, &told.run.processes[..]);
    write_end(info, end, Layout { indent: "  ", ..layout }, out)?;
    writeln!(out, "the state at the end:")?;
    let blocked = &told.run.end.blocked;
    let may_end = |process: usize| blocked.iter().any(|one| one.process == process && one.is_valid_end);
    write_state(info, &told.run.end.state, &told.run.processes, &may_end, out)?;
    check(dyn_model, trail)
}

/// A run of so many steps, or a cycle, is shown as a whole; of a longer one the beginning and the end. All of it is
/// checked.
const LISTED: Listed = Listed { whole: 300, first: 100, last: 100 };

impl From<Obstacle> for ReplayError {
    fn from(obstacle: Obstacle) -> ReplayError {
        match obstacle {
            Obstacle::NoInitialState(fault) => ReplayError::NoInitialState(fault),
            Obstacle::NoSuchClaim(name) => ReplayError::NoSuchClaim(name),
            Obstacle::NoSuchStep(n) => ReplayError::NoSuchStep(n),
            Obstacle::NoSuchClaimMove(n) => ReplayError::NoSuchClaimMove(n),
        }
    }
}
