//! The tick: every timer that is on is lowered by one, all at once.

use super::code::Field;
use super::program::Program;
use super::state::{Memory, State, set_value, value};

/// Where the timers of a model lie.
#[derive(Default)]
pub struct Timers {
    pub globals: Vec<Field>,
    /// By proctype, from the beginning of the slot of a process.
    pub locals: Vec<Vec<Field>>,
}

impl Timers {
    fn is_empty(&self) -> bool {
        self.globals.is_empty() && self.locals.iter().all(Vec::is_empty)
    }
}

impl Program {
    /// The state behind a tick; nothing if no timer is on.
    pub fn tick<M: Memory>(&self, now: &State<M>) -> Option<State<M>> {
        if self.timers.is_empty() {
            return None;
        }
        let mut next = now.clone();
        let mut is_on = lower(next.words_mut(), 0, &self.timers.globals);
        for pid in self.pids(now.words()) {
            let proctype = self.proctype(now.words(), pid);
            let slot = self.layout.slots[pid.index()].at;
            is_on |= lower(next.words_mut(), slot, &self.timers.locals[proctype]);
        }
        is_on.then_some(next)
    }
}

/// Lowers timers of one owner. Returns whether one of them is on.
fn lower(words: &mut [u64], base: usize, timers: &[Field]) -> bool {
    let mut is_on = false;
    for timer in timers {
        let at = base + timer.at as usize;
        let left = value(words, at, *timer);
        if left >= 0 {
            set_value(words, at, *timer, left - 1);
            is_on = true;
        }
    }
    is_on
}
