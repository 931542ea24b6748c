//! A shorter run to a violation that the probe has found.
//!
//! A breadth-first search without reduction finds the shortest run, if that is near enough. Otherwise the run is
//! shortened as it is: first by shortcuts between its states (`shortcuts.rs`), then by leaving out steps that the
//! violation does not need (`system/leave_out.rs`). Each part has a budget, so that a violation is never reported
//! much later than it was found.

use super::shortcuts;
use crate::limits::Limits;
use crate::options::{Algorithm, Options, Reduction};
use crate::pack::Packed;
use crate::search::breadth_first::BreadthFirstSearch;
use crate::search::control::Control;
use crate::search::depth_first::KeptViolation;
use crate::store::StoreOptions;
use crate::system::Systems;
use crate::trail::Move;

/// The states that the breadth-first search may take, or a few times as many as the portfolio has taken: about a second.
const ALLOWED_STATES: u64 = 300_000;
const ALLOWED_FACTOR: u64 = 3;

/// The states that may be expanded in search of shortcuts, and the states that are passed while steps are left out. The
/// latter takes longer, since it handles states of any model (`dyn_model.rs`).
const SHORTCUT_EXPANSIONS: u64 = 400_000;
const LEAVE_OUT_STATES: u64 = 60_000;

pub(super) struct ShortRun<'s, P: Packed> {
    pub systems: &'s dyn Systems<P>,
    pub search: BreadthFirstSearch<P>,
    pub store: &'s StoreOptions,
    pub threads: usize,
}

/// How the run to a violation ended up.
pub(super) enum Shortened {
    /// The control has a shortest one.
    Shortest,
    /// This is as short as could be had.
    Shorter(Vec<Move>),
}

impl<P: Packed> ShortRun<'_, P> {
    /// The portfolio has stored so many states.
    pub fn of(&self, met: KeptViolation<P>, n_states: u64, control: &mut Control<'_>) -> Shortened {
        if self.finds_shortest(&met, n_states, control) {
            return Shortened::Shortest;
        }
        let KeptViolation { found, path, .. } = met;
        let mut system = self.systems.system(control.wants, None);
        let path = shortcuts::take(&mut *system, path, SHORTCUT_EXPANSIONS, &|| control.is_interrupted());
        let moves = system.rebuild(&path, found);
        let is_over = || control.is_interrupted();
        let shorter = self.systems.leave_out(&moves, found, LEAVE_OUT_STATES, &is_over);
        Shortened::Shorter(shorter.unwrap_or(moves))
    }

    /// A breadth-first search up to the depth of the run.
    fn finds_shortest(&self, met: &KeptViolation<P>, n_states: u64, control: &mut Control<'_>) -> bool {
        let options = control.options;
        let allowed = ALLOWED_STATES.max(n_states.saturating_mul(ALLOWED_FACTOR));
        let max_states = options.limits.max_states.map_or(allowed, |limit| limit.min(allowed));
        let max_depth = options.limits.max_depth.map_or(met.n_steps, |limit| limit.min(met.n_steps));
        let limits = Limits { max_states: Some(max_states), max_depth: Some(max_depth), ..options.limits.clone() };
        let (algorithm, reduction) = (Algorithm::BreadthFirst, Reduction::Off);
        let whole = Options { algorithm, reduction, limits, ..options.clone() };
        let mut again = control.again(&whole);
        (self.search)(self.systems, None, self.store, self.threads, &mut again);
        let has_found = !again.findings.is_empty();
        let outcome = again.outcome();
        if has_found {
            control.adopt(outcome);
        }
        has_found
    }
}
