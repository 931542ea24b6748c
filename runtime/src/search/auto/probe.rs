//! The depth-first probe beside a breadth-first search.
//!
//! Three kinds of walk alternate. One takes Spin's order with the reduction of the search, goes on where it paused, and
//! is a proof if it comes to its end. A second one does the same without a reduction: where ample sets lead away from a
//! violation, Spin's order may lead straight to it. The others take a random order, with a budget that doubles from one to
//! the next: a walk in a fixed order may spend all its time below one early decision, and a new one decides otherwise.
//!
//! The sets of the ordered walks are exact. They need no bound of their own, because the walks may take only a fraction of
//! the transitions of the breadth-first search, whose set is larger.

use super::lane::Lane;
use crate::memory::OutOfMemory;
use crate::monitor::Progress;
use crate::random::Random;
use crate::search::Counts;
use crate::search::control::{Beside, Control};
use crate::search::depth_first::{KeptViolation, Order};
use crate::store::Storable;
use crate::system::{ReductionConfig, Systems};
use crate::verdict::{ProbeOutcome, ProbeStatistics};

/// The transitions that the breadth-first search takes before the probe begins. The smallest models end before that.
const HEAD_START: u64 = 2_000;

/// The probe may compute one successor for so many transitions of the breadth-first search. That each costs about the same
/// is shown by instructions; what was computed counts and not what was visited, since a walk that goes down computes all
/// successors of each state and visits one. So the share of the time is at most a twentieth. Unit tests search small graphs.
const SHARE: u64 = if cfg!(test) { 1 } else { 24 };

/// The number of transitions that a walk takes without a pause, and the allowance that it begins with.
const SLICE: u64 = 100;

/// The budget of the first random walk, and the largest one.
const FIRST_BUDGET: u64 = 1_000;
const LARGEST_BUDGET: u64 = 1 << 16;

/// Random walks get one of so many parts of the probe, and the ordered walk without reduction one of so many.
const RANDOM_PART: u64 = 4;
const WHOLE_PART: u64 = 8;

/// While the levels of a breadth-first search grow, at most half of its transitions are done, as a rule: the probe may take
/// its part of the second half ahead, and waits later if it has. In small models levels often grow a little up to the end.
const WHILE_GROWING: u64 = 2;
const AHEAD_FROM: u64 = 1_000_000;

/// How the levels of the breadth-first search grow.
#[derive(Default)]
struct Growth {
    /// When the mean size of levels was last taken.
    depth: u64,
    states: u64,
    /// Of the levels until then.
    size: u64,
    goes_on: bool,
    /// By a quarter or more from level to level.
    is_large: bool,
}

impl Growth {
    fn observe(&mut self, progress: &Progress) {
        let n_levels = progress.depth.saturating_sub(self.depth);
        let n_states = progress.states_stored.saturating_sub(self.states);
        if let Some(size) = n_states.checked_div(n_levels) {
            let (goes_on, is_large) = (size > self.size, size * 4 >= self.size * 5 && self.size > 0);
            *self = Growth { depth: progress.depth, states: progress.states_stored, size, goes_on, is_large };
        }
    }

    /// Whether the probe may be ahead.
    fn leaves_more(&self, n_transitions: u64) -> bool {
        self.is_large || self.goes_on && n_transitions >= AHEAD_FROM
    }
}

/// The controls of the three kinds of walk.
pub(super) struct Controls<'c, 'a> {
    pub ordered: &'c mut Control<'a>,
    pub whole: &'c mut Control<'a>,
    pub random: &'c mut Control<'a>,
}

pub(super) struct Probe<'c, 'a, 's, P: Storable> {
    systems: &'s dyn Systems<P>,
    config: Option<ReductionConfig<'s>>,
    growth: Growth,
    ordered: Lane<'c, 'a, 's, P>,
    /// In Spin's order too, without reduction.
    whole: Lane<'c, 'a, 's, P>,
    /// There is no such walk, or it is over.
    is_whole_over: bool,
    random: Lane<'c, 'a, 's, P>,
    seeds: Random,
    /// Of the random walk.
    budget: u64,
    met: Option<KeptViolation<P>>,
    proof: Option<Counts>,
    /// A limit ended the ordered walk, or there is no memory for it.
    has_given_up: bool,
}

impl<'c, 'a, 's, P: Storable> Probe<'c, 'a, 's, P> {
    pub fn new(
        systems: &'s dyn Systems<P>,
        config: Option<ReductionConfig<'s>>,
        seed: u64,
        controls: Controls<'c, 'a>,
    ) -> Probe<'c, 'a, 's, P> {
        Probe {
            systems,
            config,
            growth: Growth::default(),
            ordered: Lane::new(controls.ordered),
            whole: Lane::new(controls.whole),
            is_whole_over: config.is_none(),
            random: Lane::new(controls.random),
            seeds: Random(seed),
            budget: FIRST_BUDGET,
            met: None,
            proof: None,
            has_given_up: false,
        }
    }

    /// `None` if the probe did not begin.
    pub fn statistics(&self) -> Option<ProbeStatistics> {
        let walks = self.ordered.n_walks + self.whole.n_walks + self.random.n_walks;
        (walks > 0).then(|| ProbeStatistics {
            transitions: self.ordered.n_transitions() + self.whole.n_transitions() + self.random.n_transitions(),
            walks,
            found_steps: None,
            outcome: match &self.met {
                Some(_) => ProbeOutcome::Violation,
                None if self.proof.is_some() => ProbeOutcome::Proof,
                None => ProbeOutcome::Nothing,
            },
        })
    }

    pub fn take_met(&mut self) -> Option<KeptViolation<P>> {
        self.met.take()
    }

    /// The figures of the walk that has visited all states.
    pub fn take_proof(&mut self) -> Option<Counts> {
        self.proof.take()
    }

    /// The successors that it has computed.
    fn spent(&self) -> u64 {
        self.ordered.spent() + self.whole.spent() + self.random.spent()
    }

    /// Spends what the probe may have spent by now.
    fn spend(&mut self, allowance: u64) -> Result<(), OutOfMemory> {
        while self.met.is_none() && self.proof.is_none() && !self.has_given_up {
            let spent = self.spent();
            if allowance < spent + SLICE {
                return Ok(());
            }
            if self.random.spent() * RANDOM_PART < spent {
                self.go_on_at_random()?;
            } else if !self.is_whole_over && self.whole.spent() * WHOLE_PART < spent {
                self.go_on_without_reduction()?;
            } else {
                self.go_on_in_order()?;
            }
        }
        Ok(())
    }

    fn go_on_in_order(&mut self) -> Result<(), OutOfMemory> {
        self.ordered.begin(self.systems, self.config, || Order::Spins)?;
        if self.ordered.go_on(SLICE, u64::MAX) {
            self.met = self.ordered.take_met();
            self.proof = if self.met.is_none() { self.ordered.proof() } else { None };
            self.has_given_up = self.met.is_none() && self.proof.is_none();
        }
        Ok(())
    }

    fn go_on_without_reduction(&mut self) -> Result<(), OutOfMemory> {
        self.whole.begin(self.systems, None, || Order::Spins)?;
        if self.whole.go_on(SLICE, u64::MAX) {
            self.met = self.whole.take_met();
            self.whole.close();
            self.is_whole_over = true;
        }
        Ok(())
    }

    /// Without reduction: each walk would have to learn again whether ample sets pay.
    fn go_on_at_random(&mut self) -> Result<(), OutOfMemory> {
        let seeds = &mut self.seeds;
        self.random.begin(self.systems, None, || Order::Random(Random(seeds.next())))?;
        if self.random.go_on(SLICE, self.budget) {
            self.met = self.random.take_met();
            self.random.end();
            self.budget = (self.budget * 2).min(LARGEST_BUDGET);
        }
        Ok(())
    }
}

/// The successors that the probe may have computed when the breadth-first search has taken so many transitions.
fn allowance(n_transitions: u64, growth: &Growth) -> u64 {
    match n_transitions {
        0..HEAD_START => 0,
        _ if growth.leaves_more(n_transitions) => n_transitions * WHILE_GROWING / SHARE,
        _ => n_transitions / SHARE,
    }
}

impl<P: Storable> Beside for Probe<'_, '_, '_, P> {
    fn advance(&mut self, progress: &Progress) -> bool {
        self.growth.observe(progress);
        if self.has_given_up {
            return false;
        }
        if self.spend(allowance(progress.transitions, &self.growth)).is_err() {
            self.has_given_up = true;
        }
        self.met.is_some() || self.proof.is_some()
    }

    fn memory_bytes(&self) -> u64 {
        self.ordered.memory_bytes() + self.whole.memory_bytes() + self.random.memory_bytes()
    }

    fn give_up(&mut self) {
        self.has_given_up = true;
        for lane in [&mut self.ordered, &mut self.whole, &mut self.random] {
            lane.close();
        }
    }
}
