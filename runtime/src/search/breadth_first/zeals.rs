//! In which states of each level choices are looked for.
//!
//! What came of it in a level decides about the next one, so that it does not matter in which order the states of a level
//! are expanded, or by whom. It is kept for all levels: the way to a state is found again by making the same choices.

use crate::system::{Choosing, Gains, Pace, Zeal};

#[derive(Clone)]
pub(super) struct Zeals {
    pace: Option<Pace>,
    /// The levels in which it changed, and how.
    changes: Vec<(u64, Zeal)>,
}

impl Zeals {
    pub fn new(choosing: Option<Choosing>) -> Zeals {
        Zeals { pace: choosing.and_then(|choosing| choosing.pace_of_levels()), changes: Vec::new() }
    }

    /// In the last level that was decided on.
    pub fn now(&self) -> Zeal {
        self.changes.last().map_or(Zeal::ALWAYS, |&(_, zeal)| zeal)
    }

    /// In a level before that.
    pub fn at(&self, depth: u64) -> Zeal {
        let n_before = self.changes.partition_point(|&(begin, _)| begin <= depth);
        n_before.checked_sub(1).map_or(Zeal::ALWAYS, |last| self.changes[last].1)
    }

    /// Decides on the level at this depth, which has so many states, by what the one before has brought.
    pub fn decide(&mut self, gains: Gains, depth: u64, n_states: u64) {
        let Some(pace) = &mut self.pace else { return };
        pace.learn(gains);
        let zeal = pace.zeal(n_states);
        if zeal != self.now() {
            self.changes.push((depth, zeal));
        }
    }
}
