//! The tick: every timer that is on is lowered by one, all at once. Ticks up to the next one in which a timer runs out may
//! be one step.

use pmc_runtime::model::Tick;
use pmc_runtime::step::Pid;

use super::code::Field;
use super::program::Program;
use super::state::{Memory, State, set_value, value};

/// Where the timers of a model lie.
#[derive(Default)]
pub struct Timers {
    pub globals: Vec<Field>,
    /// By proctype, from the beginning of the slot of a process.
    pub locals: Vec<Vec<Field>>,
    /// Ticks up to the next one in which a timer runs out are one step.
    pub at_once: bool,
    /// Searches take time in the abstract.
    pub are_abstract: bool,
}

impl Timers {
    fn is_empty(&self) -> bool {
        self.globals.is_empty() && self.locals.iter().all(Vec::is_empty)
    }
}

impl Program {
    /// What a tick leads to; nothing if no timer is on.
    pub fn tick<M: Memory>(&self, now: &State<M>, which: u32) -> Option<Tick<State<M>>> {
        if self.timers.is_empty() || which > 0 {
            return None;
        }
        let mut left = least(None, now.words(), 0, &self.timers.globals);
        for pid in self.pids(now.words()) {
            let (slot, timers) = self.own_timers(now.words(), pid);
            left = least(left, now.words(), slot, timers);
        }
        let n_ticks = if self.timers.at_once { left?.max(1) } else { left.map(|_| 1)? };
        let mut next = now.clone();
        lower(next.words_mut(), 0, &self.timers.globals, n_ticks);
        for pid in self.pids(now.words()) {
            let (slot, timers) = self.own_timers(now.words(), pid);
            lower(next.words_mut(), slot, timers, n_ticks);
        }
        Some(Tick { next, n_ticks: n_ticks.unsigned_abs() })
    }

    /// Replaces the value of every timer.
    pub fn change_timers<M: Memory>(&self, state: &mut State<M>, change: &mut dyn FnMut(i32) -> i32) {
        replace(state.words_mut(), 0, &self.timers.globals, change);
        for pid in self.pids(state.words()) {
            let (slot, timers) = self.own_timers(state.words(), pid);
            replace(state.words_mut(), slot, timers, change);
        }
    }

    /// The timers of a process, and where its slot begins.
    fn own_timers(&self, words: &[u64], pid: Pid) -> (usize, &[Field]) {
        (self.layout.slots[pid.index()].at, &self.timers.locals[self.proctype(words, pid)])
    }
}

/// The least number of ticks that timers of one owner, and those before, have to go, if one is on.
fn least(before: Option<i32>, words: &[u64], base: usize, timers: &[Field]) -> Option<i32> {
    let left = timers.iter().map(|timer| value(words, base + timer.at as usize, *timer));
    before.into_iter().chain(left.filter(|left| *left >= 0)).min()
}

/// Lowers timers of one owner.
fn lower(words: &mut [u64], base: usize, timers: &[Field], n_ticks: i32) {
    for timer in timers {
        let at = base + timer.at as usize;
        let left = value(words, at, *timer);
        if left >= 0 {
            set_value(words, at, *timer, left - n_ticks);
        }
    }
}

/// Replaces the values of timers of one owner.
fn replace(words: &mut [u64], base: usize, timers: &[Field], change: &mut dyn FnMut(i32) -> i32) {
    for timer in timers {
        let at = base + timer.at as usize;
        let left = value(words, at, *timer);
        set_value(words, at, *timer, change(left));
    }
}
