//! A state of a model.

use std::rc::Rc;

use pmc::collections::Id;
use pmc::model::{ProctypeId, SiteId};

use super::program::{Point, Program};

/// A state is cheap to copy: processes and channels are shared until changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The scalars of the global variables.
    pub globals: Rc<Vec<i32>>,
    /// By pid.
    pub processes: Vec<Rc<ProcessState>>,
    /// Channel `n` is number `n - 1` in here; 0 is no channel.
    pub channels: Vec<Rc<Channel>>,
    /// The process that moved last.
    pub last: usize,
    /// The location of the `trace` or `notrace`.
    pub trace: Option<Point>,
    /// The scalars of the locals of the never claim, if one is checked.
    pub claim: Rc<Vec<i32>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessState {
    pub proctype: ProctypeId,
    pub at: Point,
    /// The scalars of its parameters and locals.
    pub locals: Vec<i32>,
    pub priority: i32,
    /// How many channels existed when it was started: those above are its own
    /// or those of younger processes.
    pub first_channel: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub site: SiteId,
    /// Oldest first.
    pub messages: Vec<Vec<i32>>,
}

impl State {
    /// Everything that distinguishes stored states, as numbers.
    pub fn key(&self, program: &Program<'_>) -> Vec<i32> {
        let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let mut key = vec![number(self.processes.len()), number(self.channels.len())];
        key.extend(visible(&self.globals, &program.hidden_globals));
        for process in &self.processes {
            key.extend([number(process.proctype.index()), process.at.0.cast_signed(), process.priority]);
            key.extend(visible(&process.locals, &program.hidden_locals[process.proctype]));
        }
        for channel in &self.channels {
            key.push(number(channel.messages.len()));
            key.extend(channel.messages.iter().flatten());
        }
        if program.uses_last {
            key.push(number(self.last));
        }
        key.extend(self.trace.map(|point| point.0.cast_signed()));
        key.extend(self.claim.iter());
        key
    }

    /// Whether the run may end here.
    pub fn is_valid_end(&self, program: &Program<'_>) -> bool {
        let ended = self.processes.iter().all(|process| program.codes[process.proctype].is_end(process.at));
        let emptied =
            !program.options.empty_channels || self.channels.iter().all(|channel| channel.messages.is_empty());
        let traced = program.trace.as_ref().is_none_or(|trace| trace.may_stop(self.trace));
        ended && emptied && traced
    }
}

fn visible<'v>(
    scalars: &'v [i32],
    hidden: &'v std::collections::HashSet<usize>,
) -> impl Iterator<Item = i32> + use<'v> {
    scalars.iter().enumerate().filter(|(number, _)| !hidden.contains(number)).map(|(_, value)| *value)
}
