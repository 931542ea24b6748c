//! The throttle of the reduction in each level.
//!
//! The statistics of one level decide about the next one, so the order in which threads expand the states of a level does
//! not matter. The settings of all levels are kept: a path is rebuilt with the same ample sets.

use crate::system::{ReductionConfig, ReductionStatistics, Sampling, Throttle, ThrottleSetting};

#[derive(Clone)]
pub(super) struct LevelThrottle {
    throttle: Option<Throttle>,
    sampling: Sampling,
    /// Whether a sample of the last level that was decided is reduced: then each of its states has a setting of its own.
    is_sampled: bool,
    /// The levels at which the setting changed, and the new setting.
    changes: Vec<(u64, ThrottleSetting)>,
}

impl LevelThrottle {
    pub fn new(config: Option<ReductionConfig<'_>>, sampling: Sampling) -> LevelThrottle {
        let throttle = config.and_then(|config| config.throttle_of_levels(sampling));
        LevelThrottle { throttle, sampling, is_sampled: false, changes: Vec::new() }
    }

    /// The setting of the last level that was decided.
    pub fn now(&self) -> ThrottleSetting {
        self.changes.last().map_or(ThrottleSetting::always(self.sampling), |&(_, setting)| setting)
    }

    /// Whether ample sets are looked for in some states of that level.
    pub fn looks(&self) -> bool {
        !self.now().skips_all()
    }

    #[inline]
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// The setting of an earlier level.
    pub fn at(&self, depth: u64) -> ThrottleSetting {
        let n_before = self.changes.partition_point(|&(begin, _)| begin <= depth);
        n_before.checked_sub(1).map_or(ThrottleSetting::always(self.sampling), |last| self.changes[last].1)
    }

    /// Decides the setting of the level at this depth, which has so many states, from the statistics of the level before.
    pub fn decide(&mut self, statistics: ReductionStatistics, depth: u64, n_states: u64) {
        let Some(throttle) = &mut self.throttle else { return };
        throttle.learn(statistics);
        let setting = throttle.setting(n_states);
        if setting != self.now() {
            self.changes.push((depth, setting));
            self.is_sampled = setting.is_sample();
        }
    }
}
