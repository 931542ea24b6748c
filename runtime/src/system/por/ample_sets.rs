//! Offers the candidates of one state after another.

use super::config::{LargerSets, ReductionConfig, Throttling};
use super::stubborn::{MOST_AGENTS, StubbornSets};
use super::throttle::{ReductionStatistics, Sampling, Scope, Throttle, ThrottleSetting};
use super::view::ReductionView;
use super::{AmpleSet, clusters, parts, singles};
use crate::reduction::has_location;
use crate::step::{Pid, PidSet};

/// Of one ample set out of this many it is computed whether it removes steps.
const SAMPLED_IN: u64 = 8;

pub(in crate::system) struct AmpleSets<'m> {
    config: ReductionConfig<'m>,
    /// In which states to look: decided by the search if it throttles whole levels, otherwise by the throttle here.
    setting: ThrottleSetting,
    throttle: Option<Throttle>,
    /// States for which the throttle here skips the reduction.
    n_skipped: u64,
    /// The statistics since the search took them last.
    statistics: ReductionStatistics,
    /// Ample sets of which it may be computed whether they remove steps.
    n_successes: u64,
    /// What is looked for in the current state.
    scope: Scope,
    n_processes: usize,
    recording: Recording,
    /// Whether some process may observe that pids change, also that of the youngest process.
    pids_matter: bool,
    next: Next,
    /// For each process its level; for clusters only.
    levels: Vec<u8>,
    stubborn: StubbornSets<'m>,
}

/// What the current state contributes to the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recording {
    Nothing,
    /// Whether ample sets remove steps; that they were looked for is counted already.
    Usefulness,
    All,
}

/// The candidate to look at next.
#[derive(Clone, Copy)]
enum Next {
    /// Processes below this one, alone.
    Single(usize),
    /// The cluster of this rank, at this level above 0.
    Cluster(usize, usize),
    FindStubborn,
    Stubborn,
}

impl<'m> AmpleSets<'m> {
    pub fn new(config: ReductionConfig<'m>) -> AmpleSets<'m> {
        AmpleSets {
            config,
            setting: ThrottleSetting::always(Sampling::InOrder),
            throttle: config.throttle_of_states(),
            n_skipped: 0,
            statistics: ReductionStatistics::default(),
            n_successes: 0,
            scope: Scope::Nothing,
            n_processes: 0,
            recording: Recording::Nothing,
            pids_matter: false,
            next: Next::Stubborn,
            levels: Vec::new(),
            stubborn: StubbornSets::default(),
        }
    }

    pub fn set_throttle(&mut self, setting: ThrottleSetting) {
        self.setting = setting;
    }

    pub fn take_statistics(&mut self) -> ReductionStatistics {
        std::mem::take(&mut self.statistics)
    }

    /// Begins with another state. Returns false if the throttle skips the state, or if it has too few processes.
    #[inline(always)]
    pub fn start(&mut self, on: &impl ReductionView<'m>) -> bool {
        if self.n_skipped > 0 {
            self.n_skipped -= 1;
            return false;
        }
        !self.setting.skips_all() && self.look(on)
    }

    /// The same if nothing skips the state yet; the throttle here may begin to.
    #[inline]
    fn look(&mut self, on: &impl ReductionView<'m>) -> bool {
        if let Some(throttle) = &mut self.throttle {
            throttle.learn(std::mem::take(&mut self.statistics));
            if let Some(more) = throttle.take_pause().checked_sub(1) {
                self.n_skipped = more;
                return false;
            }
            self.setting = throttle.setting(1);
        }
        let scope = self.setting.scope();
        self.recording = self.recording_if_throttled(Recording::All);
        scope != Scope::Nothing && self.begin(on, scope)
    }

    /// The same for a state of which the search has rejected some ample sets: the candidates are the same.
    pub fn start_again(&mut self, on: &impl ReductionView<'m>) -> bool {
        let scope = self.setting.scope();
        self.recording = self.recording_if_throttled(Recording::Usefulness);
        scope != Scope::Nothing && self.begin(on, scope)
    }

    /// The same for a state in which an ample set was taken, in order to take it again.
    pub fn repeat(&mut self, on: &impl ReductionView<'m>) -> bool {
        self.recording = Recording::Nothing;
        self.begin(on, Scope::All)
    }

    #[inline]
    fn recording_if_throttled(&self, recording: Recording) -> Recording {
        if self.config.throttling == Throttling::Off { Recording::Nothing } else { recording }
    }

    #[inline]
    fn begin(&mut self, on: &impl ReductionView<'m>, scope: Scope) -> bool {
        let n = on.n_processes();
        if n < self.config.min_processes {
            return false;
        }
        (self.scope, self.n_processes) = (scope, n);
        self.statistics.any.looks += u64::from(self.recording == Recording::All);
        // The pid of the youngest process may change freely if no other process observes pids.
        self.pids_matter = self.config.info.pids_are_observed && self.may_observe_pids(on);
        self.next = Next::Single(n);
        true
    }

    /// Whether a process may observe the pid of the youngest.
    #[inline(never)]
    fn may_observe_pids(&self, on: &dyn ReductionView<'m>) -> bool {
        let may_observe = |index| has_location(self.config.info.may_observe_pids, on.location(Pid::from_index(index)));
        (0..self.n_processes - 1).any(may_observe)
    }

    /// The next candidate. It need not have an enabled step.
    #[inline]
    pub fn next(&mut self, on: &impl ReductionView<'m>) -> Option<AmpleSet> {
        if let Next::Single(below) = self.next {
            if let Some(pid) = singles::single_below(&self.config, on, below, self.pids_matter) {
                self.next = Next::Single(pid.index());
                return Some(parts::whole(self.config.info, on, PidSet::only(pid)));
            }
            self.next = self.after_singles(on);
        }
        self.next_larger(on)
    }

    #[inline]
    fn after_singles(&mut self, on: &dyn ReductionView<'m>) -> Next {
        if self.n_levels() == 0 || !clusters::are_all_started(&self.config, on) {
            return Next::FindStubborn;
        }
        clusters::find_levels(&self.config, on, self.pids_matter, &mut self.levels);
        Next::Cluster(0, 0)
    }

    /// The number of levels above 0 that have clusters.
    fn n_levels(&self) -> usize {
        match self.config.larger_sets {
            LargerSets::Clusters => self.config.info.levels.len(),
            LargerSets::None | LargerSets::Stubborn => 0,
        }
    }

    /// The next candidate of several processes.
    #[inline(never)]
    fn next_larger(&mut self, on: &dyn ReductionView<'m>) -> Option<AmpleSet> {
        loop {
            match self.next {
                Next::Single(_) => return None,
                Next::Cluster(level, _) if level >= self.n_levels() => self.next = Next::FindStubborn,
                Next::Cluster(level, rank) => {
                    let Some(cluster) = self.config.info.levels[level].get(rank) else {
                        self.next = Next::Cluster(level + 1, 0);
                        continue;
                    };
                    self.next = Next::Cluster(level, rank + 1);
                    if let Some(members) = clusters::safe_members(&self.levels, on, cluster, level + 1) {
                        return Some(parts::whole(self.config.info, on, members));
                    }
                }
                Next::FindStubborn => {
                    self.next = Next::Stubborn;
                    self.find_stubborn(on);
                }
                Next::Stubborn => return self.stubborn.pop(),
            }
        }
    }

    fn find_stubborn(&mut self, on: &dyn ReductionView<'m>) {
        let is_wanted = self.config.larger_sets == LargerSets::Stubborn && self.scope == Scope::All;
        if is_wanted && self.n_processes <= MOST_AGENTS {
            self.statistics.stubborn.looks += u64::from(self.recording == Recording::All);
            self.stubborn.find(&self.config, on);
        } else {
            self.stubborn.clear();
        }
    }

    /// The candidate that was offered last has an enabled step. `hash` is that of a successor.
    #[inline]
    pub fn note_success(&mut self, on: &dyn ReductionView<'m>, set: AmpleSet, hash: u64) {
        if self.recording != Recording::Nothing {
            if self.setting.sampling.key(self.n_successes, || hash >> 32).is_multiple_of(SAMPLED_IN) {
                self.sample_usefulness(on, set);
            }
            self.n_successes += 1;
        }
    }

    /// An ample set is useful if it leaves out an enabled step.
    fn sample_usefulness(&mut self, on: &dyn ReductionView<'m>, set: AmpleSet) {
        if parts::can_move(on, self.config.info, set.complement()) {
            self.statistics.any.useful += SAMPLED_IN;
            if matches!(self.next, Next::Stubborn) {
                self.statistics.stubborn.useful += SAMPLED_IN;
            }
        }
    }

    /// The search has rejected the candidate that was offered last.
    pub fn note_rejection(&mut self) {
        self.statistics.any.lost += 1;
        if matches!(self.next, Next::Stubborn) {
            self.statistics.stubborn.lost += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{View, config};
    use super::*;
    use crate::options::{Proviso, Reduction};
    use crate::reduction::NEVER;
    use crate::step::TransitionId;

    fn offered(reduction: Reduction, view: &View) -> Vec<AmpleSet> {
        let mut sets = AmpleSets::new(config(reduction, Proviso::Visited));
        if !sets.start(view) {
            return Vec::new();
        }
        std::iter::from_fn(|| sets.next(view)).collect()
    }

    fn only(pid: u8) -> AmpleSet {
        AmpleSet { pids: PidSet::only(Pid::from_index(pid.into())), parts: 0 }
    }

    /// Process 2 is safe alone, process 0 in its cluster.
    fn view() -> View {
        View {
            levels: vec![1, NEVER, 0],
            futures: vec![&[1], &[2], &[4]],
            dependencies: vec![0b10, 0, 0b10],
            steps: vec![vec![(TransitionId(0), true)]; 3],
            ..View::with_locations(&[0; 3])
        }
    }

    #[test]
    fn singles_come_before_larger_sets() {
        assert_eq!(offered(Reduction::Ample, &view()), [only(2)]);
        assert_eq!(offered(Reduction::Cluster, &view()), [only(2), only(0)]);
        let with = |pid| AmpleSet { pids: only(pid).pids.with(Pid(1)), parts: 0 };
        assert_eq!(offered(Reduction::Stubborn, &view()), [only(2), only(1), with(2), with(0)]);
    }

    #[test]
    fn one_process_has_no_candidates() {
        let view = View { levels: vec![0], ..View::with_locations(&[0]) };
        assert!(offered(Reduction::Ample, &view).is_empty());
    }

    #[test]
    fn what_is_rejected_and_useful_is_counted_for_the_throttle() {
        let view = view();
        let mut sets = AmpleSets::new(config(Reduction::Auto, Proviso::Visited));
        assert!(sets.start(&view));
        let first = sets.next(&view).expect("a single process");
        sets.note_success(&view, first, 0);
        sets.note_rejection();
        let statistics = sets.take_statistics();
        assert_eq!((statistics.any.looks, statistics.any.useful, statistics.any.lost), (1, SAMPLED_IN, 1));
        assert_eq!(statistics.stubborn.looks, 0);
        assert!(sets.repeat(&view));
        sets.note_success(&view, first, 0);
        assert_eq!(sets.take_statistics(), ReductionStatistics::default());
    }
}
