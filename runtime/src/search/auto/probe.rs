//! The depth-first probe beside a breadth-first search.
//!
//! Two kinds of walk alternate. One takes Spin's order, goes on where it paused, and is a proof if it comes to its end.
//! The others take a random order, with a budget that doubles from one to the next: a walk in a fixed order may spend
//! all its time below one early decision, and a new one decides otherwise.
//!
//! The set of the ordered walk is exact. It needs no bound of its own, because the walk may take only a fraction of the
//! transitions of the breadth-first search, whose set is larger.

use crate::memory::OutOfMemory;
use crate::monitor::Progress;
use crate::options::Store;
use crate::random::Random;
use crate::search::Counts;
use crate::search::control::{Beside, Control};
use crate::search::depth_first::{KeptViolation, OnViolation, Order, Walk};
use crate::store::{ExactSet, Storable, StoreOptions};
use crate::system::{ReductionConfig, Systems};
use crate::verdict::{ProbeOutcome, ProbeStatistics};

/// The transitions that the breadth-first search takes before the probe begins. The smallest models end before that.
const HEAD_START: u64 = 2_000;

/// The probe may take one of so many transitions. A step of a depth-first search costs up to twice as much as one of a
/// breadth-first search, so the share of the time is at most a twentieth.
const SHARE: u64 = 40;

/// With several threads the probe may take one of so many transitions until it has taken this number: the others go on
/// meanwhile, and an ordered walk of a few hundred thousand transitions finds much that random walks do not.
const SHARE_BESIDE: u64 = 12;
const BESIDE_UNTIL: u64 = 250_000;

/// A probe whose ordered walk still goes down may take as many transitions as the breadth-first search, between these
/// bounds. A walk that goes round in states of a small depth finds little that is not found anyway. Below the first bound,
/// which is a few hundredths of a second, nobody notices that a deep violation is found later, and small models do not pay
/// for what they do not need. Unit tests search graphs of a few thousand edges.
const EVEN_FROM: u64 = if cfg!(test) { HEAD_START } else { 30_000 };
const EVEN_UNTIL: u64 = 50_000;

/// The ordered walk pays while its depth is at least one of so many of its transitions.
const PAYS: u64 = 8;

/// The least number of transitions that a walk takes without a pause.
const SLICE: u64 = 50;

/// The budget of the first random walk, and the largest one. The latter bounds how long the breadth-first search waits.
const FIRST_BUDGET: u64 = 1_000;
const LARGEST_BUDGET: u64 = 1 << 16;

/// Random walks get one of so many transitions of the probe.
const RANDOM_PART: u64 = 3;

/// While the levels of the breadth-first search grow, at most half of its transitions are done, as a rule: the probe may
/// take its part of the second half ahead, and waits later if it has.
const WHILE_GROWING: u64 = 2;

/// Whether each level of the breadth-first search has more states than the one before it.
#[derive(Default)]
struct Growth {
    /// When the mean size of levels was last taken.
    depth: u64,
    states: u64,
    /// Of the levels until then.
    size: u64,
    goes_on: bool,
}

impl Growth {
    fn observe(&mut self, progress: &Progress) {
        let n_levels = progress.depth.saturating_sub(self.depth);
        let n_states = progress.states_stored.saturating_sub(self.states);
        if let Some(size) = n_states.checked_div(n_levels) {
            *self = Growth { depth: progress.depth, states: progress.states_stored, size, goes_on: size > self.size };
        }
    }
}

pub(super) struct Probe<'c, 'a, 's, P: Storable> {
    systems: &'s dyn Systems<P>,
    config: Option<ReductionConfig<'s>>,
    /// The breadth-first search has several threads.
    is_beside: bool,
    growth: Growth,
    /// Until it begins, and after its end.
    ordered_control: Option<&'c mut Control<'a>>,
    ordered: Option<Walk<'c, 'a, 's, P, ExactSet<P>>>,
    random_control: &'c mut Control<'a>,
    random: Random,
    budget: u64,
    /// The transitions of random walks, and their number.
    random_spent: u64,
    n_random: u64,
    met: Option<KeptViolation<P>>,
    is_proof: bool,
    /// A limit ended the ordered walk, or there is no memory for it.
    has_given_up: bool,
    /// The figures when the memory was freed.
    given_up: Option<ProbeStatistics>,
}

impl<'c, 'a, 's, P: Storable> Probe<'c, 'a, 's, P> {
    pub fn new(
        systems: &'s dyn Systems<P>,
        config: Option<ReductionConfig<'s>>,
        threads: usize,
        seed: u64,
        ordered: &'c mut Control<'a>,
        random: &'c mut Control<'a>,
    ) -> Probe<'c, 'a, 's, P> {
        Probe {
            systems,
            config,
            is_beside: threads > 1,
            growth: Growth::default(),
            ordered_control: Some(ordered),
            ordered: None,
            random_control: random,
            random: Random(seed),
            budget: FIRST_BUDGET,
            random_spent: 0,
            n_random: 0,
            met: None,
            is_proof: false,
            has_given_up: false,
            given_up: None,
        }
    }

    /// `None` if the probe did not begin.
    pub fn statistics(&self) -> Option<ProbeStatistics> {
        let Some(ordered) = &self.ordered else { return self.given_up };
        Some(ProbeStatistics {
            transitions: ordered.n_transitions() + self.random_spent,
            walks: 1 + self.n_random,
            found_steps: None,
            outcome: match &self.met {
                Some(_) => ProbeOutcome::Violation,
                None if self.is_proof => ProbeOutcome::Proof,
                None => ProbeOutcome::Nothing,
            },
        })
    }

    pub fn take_met(&mut self) -> Option<KeptViolation<P>> {
        self.met.take()
    }

    /// The figures of the walk that has visited all states.
    pub fn proof(&self) -> Option<Counts> {
        self.ordered.as_ref().filter(|_| self.is_proof).map(Walk::counts)
    }

    /// Whether the ordered walk goes on to go down.
    fn pays(&self) -> bool {
        self.ordered.as_ref().is_none_or(|walk| walk.depth().saturating_mul(PAYS) >= walk.n_transitions())
    }

    fn ordered_spent(&self) -> u64 {
        self.ordered.as_ref().map_or(0, Walk::n_transitions)
    }

    fn store() -> StoreOptions {
        StoreOptions { store: Store::Exact, ..StoreOptions::default() }
    }

    fn begin(&mut self) -> Result<(), OutOfMemory> {
        if let Some(control) = self.ordered_control.take() {
            let (order, on_violation) = (Order::Spins, OnViolation::Keep);
            let walk = Walk::begin(self.systems, self.config, &Self::store(), order, on_violation, control)?;
            self.ordered = Some(walk);
        }
        Ok(())
    }

    /// Takes the ordered walk further by so many transitions.
    fn go_on(&mut self, n: u64) {
        let Some(walk) = &mut self.ordered else { return };
        if walk.proceed(walk.n_transitions().saturating_add(n)) {
            self.met = walk.take_met();
            self.is_proof = self.met.is_none() && walk.is_complete();
            self.has_given_up = self.met.is_none() && !self.is_proof;
        }
    }

    fn walk_at_random(&mut self) -> Result<(), OutOfMemory> {
        let order = Order::Random(Random(self.random.next()));
        let (config, on_violation) = (self.config, OnViolation::Keep);
        self.random_control.begin_again();
        let control = &mut *self.random_control;
        let mut walk =
            Walk::<P, ExactSet<P>>::begin(self.systems, config, &Self::store(), order, on_violation, control)?;
        walk.proceed(self.budget);
        self.random_spent += walk.n_transitions().max(1);
        self.n_random += 1;
        self.met = walk.take_met();
        self.budget = (self.budget * 2).min(LARGEST_BUDGET);
        Ok(())
    }

    /// Spends what the probe may have spent by now.
    fn spend(&mut self, allowance: u64) -> Result<(), OutOfMemory> {
        self.begin()?;
        while self.met.is_none() && !self.is_proof && !self.has_given_up {
            let spent = self.ordered_spent() + self.random_spent;
            let Some(left) = allowance.checked_sub(spent).filter(|left| *left >= SLICE) else { return Ok(()) };
            let is_randoms_turn = self.random_spent + self.budget <= spent / RANDOM_PART;
            match is_randoms_turn && left >= self.budget {
                true => self.walk_at_random()?,
                false => self.go_on(left.min(self.budget)),
            }
        }
        Ok(())
    }
}

/// The transitions that the probe may have taken when the breadth-first search has taken so many.
fn allowance(n_transitions: u64, pays: bool, is_beside: bool, is_growing: bool) -> u64 {
    let (share, until) = if is_beside { (SHARE_BESIDE, BESIDE_UNTIL) } else { (SHARE, u64::MAX) };
    let expected = |n: u64| if is_growing { n * WHILE_GROWING } else { n };
    let shared = |n: u64| (expected(n) / share).min(until.max(expected(n) / SHARE));
    match n_transitions {
        0..HEAD_START => 0,
        EVEN_FROM.. if pays => n_transitions.min(EVEN_UNTIL) + shared(n_transitions.saturating_sub(EVEN_UNTIL)),
        _ => shared(n_transitions),
    }
}

impl<P: Storable> Beside for Probe<'_, '_, '_, P> {
    fn advance(&mut self, progress: &Progress) -> bool {
        self.growth.observe(progress);
        let allowance = allowance(progress.transitions, self.pays(), self.is_beside, self.growth.goes_on);
        if allowance == 0 || self.has_given_up {
            return false;
        }
        if self.spend(allowance).is_err() {
            self.has_given_up = true;
        }
        self.met.is_some() || self.is_proof
    }

    fn memory_bytes(&self) -> u64 {
        self.ordered.as_ref().map_or(0, Walk::memory_bytes)
    }

    fn give_up(&mut self) {
        self.given_up = self.statistics();
        self.ordered = None;
        self.has_given_up = true;
    }
}
