//! The throttle of the reduction: in which states it looks for ample sets.
//!
//! A full expansion is always sound, so the reduction throttles itself when it removes too little. A budget pays for
//! look-ups: each look-up has a cost, an ample set that removes an enabled step earns the cost of several look-ups, and
//! one that the search rejects costs as much. When the budget is used up the reduction pauses, then tries again with a
//! small budget, and pauses twice as long if that removes nothing: in the long run a search of a model that cannot be
//! reduced costs as much as one without reduction.
//!
//! The throttle reads no clock, so the same search always takes the same ample sets. A breadth-first search decides for
//! whole levels, and takes a sample of a large one: by the numbers of its states on one thread, and by their hashes on
//! several, where numbers depend on timing. So the ample set of a state can be computed again when a counterexample is
//! rebuilt. A number, unlike a hash, is the same however states are packed.

/// The initial budget in look-ups, the budget of a trial after a pause, and the largest budget. Tests use small
/// budgets, so that settings change often.
const FIRST_CREDIT: u64 = if cfg!(test) { 8 } else { 1024 };
const TRIAL_CREDIT: u64 = if cfg!(test) { 4 } else { 256 };
/// The initial budget of a search of few states.
const THRIFTY_CREDIT: u64 = if cfg!(test) { 4 } else { 64 };
const MOST_CREDIT: u64 = if cfg!(test) { 32 } else { 4096 };
/// The first pause in states; each pause is twice as long as the one before, up to the most.
const PAUSE: u64 = if cfg!(test) { 8 } else { 4096 };
const MOST_PAUSE: u64 = 1 << 24;

/// How samples are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sampling {
    /// By the order of the search, which is the same in every run.
    InOrder,
    /// By hashes of states: threads may expand them in any order.
    ByHash,
}

impl Sampling {
    /// The key by which a state is sampled.
    #[inline]
    pub fn key(self, number: u64, hash: impl FnOnce() -> u64) -> u64 {
        match self {
            // Successive numbers have far keys, so that no regularity in the order of states is met (Weyl's sequence).
            Sampling::InOrder => number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32),
            Sampling::ByHash => hash(),
        }
    }
}

/// In which states to look for ample sets: in one out of `1 << n`, by its key; or in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share(u8);

impl Share {
    const ALL: Share = Share(0);
    const NONE: Share = Share(u8::MAX);

    /// A fraction such that a trial in so many states costs about the budget of a trial.
    fn sample(n_states: u64) -> Share {
        Share((n_states / (2 * TRIAL_CREDIT)).checked_ilog2().unwrap_or(0) as u8)
    }

    fn is_sample(self) -> bool {
        self != Share::ALL && self != Share::NONE
    }

    /// All if this share has a state with this key, else none.
    fn of_state(self, key: u64) -> Share {
        match self {
            Share::NONE => Share::NONE,
            Share(n) if key.trailing_zeros() >= u32::from(n) => Share::ALL,
            Share(_) => Share::NONE,
        }
    }
}

/// In which states to look for which ample sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThrottleSetting {
    any: Share,
    stubborn: Share,
    pub sampling: Sampling,
}

/// The candidates that are tried in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Nothing,
    /// Sets that the compiler has computed.
    Simple,
    /// Stubborn sets, too.
    All,
}

impl ThrottleSetting {
    pub fn always(sampling: Sampling) -> ThrottleSetting {
        ThrottleSetting { any: Share::ALL, stubborn: Share::ALL, sampling }
    }

    /// Whether the states of a level are treated differently.
    pub fn is_sample(self) -> bool {
        self.any.is_sample() || self.stubborn.is_sample()
    }

    /// The setting of one state, with its number in the order of the search.
    pub fn of_state(self, number: u64, hash: impl FnOnce() -> u64) -> ThrottleSetting {
        let key = self.sampling.key(number, hash);
        ThrottleSetting { any: self.any.of_state(key), stubborn: self.stubborn.of_state(key), ..self }
    }

    /// Whether all states are expanded fully.
    #[inline]
    pub fn skips_all(self) -> bool {
        self.any == Share::NONE
    }

    /// In a state, or in all states of a level that is not sampled.
    #[inline]
    pub(super) fn scope(self) -> Scope {
        match (self.any, self.stubborn) {
            (Share::NONE, _) => Scope::Nothing,
            (_, Share::NONE) => Scope::Simple,
            _ => Scope::All,
        }
    }
}

/// The statistics of the reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReductionStatistics {
    pub any: LookupStatistics,
    /// Of stubborn sets.
    pub stubborn: LookupStatistics,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LookupStatistics {
    /// States in which ample sets were looked for.
    pub looks: u64,
    /// Those in which an ample set left out an enabled step, extrapolated from a sample.
    pub useful: u64,
    /// Ample sets that the search rejected.
    pub lost: u64,
}

impl ReductionStatistics {
    /// As numbers, so that those of several threads can be added.
    pub fn numbers(self) -> [u64; 6] {
        let ReductionStatistics { any, stubborn } = self;
        [any.looks, any.useful, any.lost, stubborn.looks, stubborn.useful, stubborn.lost]
    }

    pub fn from_numbers(
        [looks, useful, lost, stubborn_looks, stubborn_useful, stubborn_lost]: [u64; 6],
    ) -> ReductionStatistics {
        ReductionStatistics {
            any: LookupStatistics { looks, useful, lost },
            stubborn: LookupStatistics { looks: stubborn_looks, useful: stubborn_useful, lost: stubborn_lost },
        }
    }
}

/// Decides in which states to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttle {
    any: Budget,
    stubborn: Budget,
    sampling: Sampling,
}

#[derive(Clone, Copy, Debug)]
struct Budget {
    price: Price,
    /// Look-ups that are still paid for.
    credit: u64,
    /// Whether this is a trial after a pause.
    is_trial: bool,
    /// States that are left of a pause, and the length of the next pause.
    n_paused: u64,
    next_pause: u64,
}

/// In look-ups: what an ample set is worth that removes steps, and what one costs that the search rejects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    pub useful: u64,
    pub lost: u64,
}

impl Throttle {
    /// With the price of any ample set, and that of a stubborn set in look-ups of stubborn sets.
    pub(super) fn new(any: Price, stubborn: Price, sampling: Sampling) -> Throttle {
        Throttle { any: Budget::new(any, FIRST_CREDIT), stubborn: Budget::new(stubborn, FIRST_CREDIT / 4), sampling }
    }

    /// The same with a small initial budget.
    pub(super) fn thrifty(mut self) -> Throttle {
        self.any.credit = THRIFTY_CREDIT;
        self.stubborn.credit = THRIFTY_CREDIT / 4;
        self
    }

    /// In which of the next states to look; `n_states` of them are decided together.
    #[inline]
    pub fn setting(&mut self, n_states: u64) -> ThrottleSetting {
        let any = self.any.share(n_states);
        let stubborn = if any == Share::NONE { any } else { self.stubborn.share(n_states) };
        ThrottleSetting { any, stubborn, sampling: self.sampling }
    }

    /// How many states to expand fully from now on, where states are decided one by one.
    #[inline]
    pub(super) fn take_pause(&mut self) -> u64 {
        std::mem::take(&mut self.any.n_paused)
    }

    /// Takes the result into account. A stubborn set pays for the look-up in its state only while stubborn sets are
    /// looked for in all states: else it would be a reason to look where none is computed.
    pub fn learn(&mut self, ReductionStatistics { any, stubborn }: ReductionStatistics) {
        self.stubborn.learn(stubborn);
        let useful = if self.stubborn.is_trial { any.useful.saturating_sub(stubborn.useful) } else { any.useful };
        self.any.learn(LookupStatistics { useful, ..any });
    }
}

impl Budget {
    fn new(price: Price, credit: u64) -> Budget {
        Budget { price, credit, is_trial: false, n_paused: 0, next_pause: PAUSE }
    }

    #[inline]
    fn share(&mut self, n_states: u64) -> Share {
        if self.n_paused > 0 {
            self.n_paused = self.n_paused.saturating_sub(n_states);
            return Share::NONE;
        }
        if self.is_trial { Share::sample(n_states) } else { Share::ALL }
    }

    #[inline]
    fn learn(&mut self, LookupStatistics { looks, useful, lost }: LookupStatistics) {
        let cost = looks + lost * self.price.lost;
        let Some(credit) = (self.credit + useful * self.price.useful).checked_sub(cost) else {
            self.begin_pause();
            return;
        };
        self.credit = credit.min(MOST_CREDIT);
        if self.is_trial && self.credit >= 2 * TRIAL_CREDIT {
            self.is_trial = false;
            self.next_pause = PAUSE;
        }
    }

    fn begin_pause(&mut self) {
        self.is_trial = true;
        self.credit = TRIAL_CREDIT;
        self.n_paused = self.next_pause;
        self.next_pause = (self.next_pause * 2).min(MOST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle() -> Throttle {
        Throttle::new(Price { useful: 16, lost: 32 }, Price { useful: 4, lost: 8 }, Sampling::InOrder)
    }

    fn statistics(looks: u64, useful: u64, lost: u64) -> ReductionStatistics {
        ReductionStatistics { any: LookupStatistics { looks, useful, lost }, stubborn: LookupStatistics::default() }
    }

    /// In how many states it is looked for, if `n_levels` levels have `n_states` each and it is of use in one out of
    /// `every` states.
    fn looks(every: u64, n_levels: u64, n_states: u64) -> u64 {
        let mut throttle = throttle();
        let (mut n_looked, mut n_useful) = (0, 0);
        for _ in 0..n_levels {
            let setting = throttle.setting(n_states);
            let is_looked_at = |&state: &u64| setting.of_state(state, || 0).scope() != Scope::Nothing;
            let n_looks = (0..n_states).filter(is_looked_at).count() as u64;
            n_looked += n_looks;
            let useful = n_looked / every - n_useful;
            n_useful += useful;
            throttle.learn(statistics(n_looks, useful, 0));
        }
        n_looked
    }

    #[test]
    fn a_thrifty_throttle_soon_pauses() {
        let mut throttle = throttle().thrifty();
        throttle.learn(statistics(THRIFTY_CREDIT, 0, 0));
        assert_eq!(throttle.setting(1).any, Share::ALL);
        throttle.learn(statistics(1, 0, 0));
        assert_eq!(throttle.setting(1).any, Share::NONE);
    }

    #[test]
    fn what_pays_is_never_paused() {
        assert_eq!(looks(8, 100, 100), 10_000);
        assert_eq!(looks(8, 10_000, 1), 10_000);
    }

    #[test]
    fn what_does_not_pay_is_looked_for_ever_more_rarely() {
        for (n_levels, n_states) in [(100_000, 1), (1_000, 100), (10, 10_000)] {
            let n_looked = looks(1_000, n_levels, n_states);
            assert!(n_looked < 10_200, "{n_levels} levels of {n_states} states: {n_looked}");
        }
        let (few, many) = (looks(1_000, 10_000, 1), looks(1_000, 100_000, 1));
        assert!(many < few * 2, "{few} looks at ten thousand states, {many} at a hundred thousand");
    }

    #[test]
    fn it_is_tried_again_and_goes_on_if_it_pays() {
        let mut throttle = throttle();
        throttle.learn(statistics(FIRST_CREDIT + 1, 0, 0));
        let n_paused = (0..).take_while(|_| throttle.setting(1).any == Share::NONE).count() as u64;
        assert_eq!(n_paused, PAUSE);
        assert_eq!(
            throttle.setting((2 * TRIAL_CREDIT) << 11).any,
            Share(11),
            "a level of which some states are enough"
        );
        throttle.learn(statistics(TRIAL_CREDIT, TRIAL_CREDIT, 0));
        assert_eq!(throttle.setting(1 << 20).any, Share::ALL);
    }

    #[test]
    fn a_sample_in_order_has_its_share_of_every_part_of_a_level() {
        for (share, n) in [(Share(3), 8), (Share(8), 256)] {
            for begin in (0..1 << 20).step_by(77_777) {
                // Also if only every n-th state could be reduced.
                for step in [1, 2, 3, 8, 64] {
                    let numbers = (begin..).step_by(step).take(64 * n);
                    let key = |number| Sampling::InOrder.key(number, || 0);
                    let n_sampled = numbers.filter(|&number| share.of_state(key(number)) == Share::ALL).count();
                    assert!((32..=128).contains(&n_sampled), "{n_sampled} for 64, every {step} from {begin}");
                }
            }
        }
    }

    #[test]
    fn rejected_sets_do_not_pay() {
        let mut throttle = throttle();
        let n = 2 * FIRST_CREDIT;
        throttle.learn(statistics(n, n, n / 2));
        assert_eq!(throttle.setting(1).any, Share::NONE);
    }

    #[test]
    fn stubborn_sets_that_are_not_looked_for_are_no_reason_to_look() {
        let statistics = |looks, useful| LookupStatistics { looks, useful, lost: 0 };
        let mut throttle = throttle();
        let n = 2 * FIRST_CREDIT;
        // One state in eight has an ample set, a stubborn one: enough for a look-up, too little for stubborn sets.
        throttle.learn(ReductionStatistics { any: statistics(n, n / 8), stubborn: statistics(n, n / 8) });
        assert_eq!((throttle.setting(1).any, throttle.stubborn.is_trial), (Share::NONE, true));
        // Were stubborn sets found as quickly it would go on.
        let mut throttle = Throttle::new(throttle.any.price, throttle.any.price, Sampling::InOrder);
        throttle.learn(ReductionStatistics { any: statistics(n, n / 8), stubborn: statistics(n, n / 8) });
        assert_eq!(throttle.setting(1), ThrottleSetting::always(Sampling::InOrder));
    }

    #[test]
    fn numbers_mean_the_same_statistics() {
        let lookups = |looks| LookupStatistics { looks, useful: looks + 1, lost: looks + 2 };
        let statistics = ReductionStatistics { any: lookups(1), stubborn: lookups(7) };
        assert_eq!(ReductionStatistics::from_numbers(statistics.numbers()), statistics);
    }
}
