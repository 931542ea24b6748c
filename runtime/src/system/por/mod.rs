//! Partial-order reduction: which processes a search may expand alone in a state.
//!
//! An *ample set* (Peled, "All from one, one for all", CAV 1993) is a set of processes such that expanding them alone
//! preserves the verdict. [`AmpleSets`] offers candidates, the most promising first. The order is a contract, because
//! state counts depend on it: first single processes (`singles`), the highest pid first; then either clusters
//! (`clusters`), level by level and the highest pid first in each, or stubborn sets (`stubborn`), which are computed in the
//! state. A search tries one candidate after the other until one has an enabled step and satisfies the cycle proviso
//! of the search, and expands the state fully if none does.
//!
//! A process that never leaves its location, and executes statements there that are independent of each other (a medium
//! that loses messages in either direction), counts as several processes: stubborn sets may hold *parts* of it
//! (`parts`).
//!
//! The reduction throttles itself where it removes too little (`throttle`).

mod ample_sets;
mod clusters;
mod config;
mod parts;
mod singles;
mod stubborn;
#[cfg(test)]
mod testing;
mod throttle;
mod view;

pub(super) use ample_sets::AmpleSets;
pub(crate) use config::{ReductionConfig, Runs};
pub(super) use parts::{can_move, split};
pub(crate) use throttle::{ReductionStatistics, Sampling, Throttle, ThrottleSetting};
pub(super) use view::{ReductionView, StateView};

use crate::step::PidSet;

/// Processes, and parts of processes that split where they are. A process that splits is here by its parts alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AmpleSet {
    pub pids: PidSet,
    pub parts: u64,
}

impl AmpleSet {
    pub const ALL: AmpleSet = AmpleSet { pids: PidSet::ALL, parts: u64::MAX };

    #[must_use]
    pub fn union(self, other: AmpleSet) -> AmpleSet {
        AmpleSet { pids: self.pids.union(other.pids), parts: self.parts | other.parts }
    }

    /// All other processes and parts.
    #[must_use]
    pub fn complement(self) -> AmpleSet {
        AmpleSet { pids: self.pids.complement(), parts: !self.parts }
    }
}
