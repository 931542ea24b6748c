//! The throttle of the reduction: in which states it looks for ample sets.
//!
//! A full expansion is always sound, so the reduction throttles itself when it removes too little. A budget pays for
//! look-ups: each look-up has a cost, an ample set that removes an enabled step earns the cost of several look-ups, and
//! one that the search rejects costs as much. When the budget is used up the reduction pauses, then tries again with a
//! small budget, and pauses twice as long if that removes nothing: in the long run a search of a model that cannot be
//! reduced costs as much as one without reduction.
//!
//! The throttle reads no clock, so the same search always takes the same ample sets. A breadth-first search decides for
//! whole levels, and within a level by the hash of a state. So neither the order of the states nor the number of threads
//! matters, and the ample set of a state can be computed again when a counterexample is rebuilt.

/// The initial budget in look-ups, the budget of a trial after a pause, and the largest budget. Tests use small
/// budgets, so that settings change often.
const FIRST_CREDIT: u64 = if cfg!(test) { 8 } else { 1024 };
const TRIAL_CREDIT: u64 = if cfg!(test) { 4 } else { 256 };
const MOST_CREDIT: u64 = if cfg!(test) { 32 } else { 4096 };
/// The first pause in states; each pause is twice as long as the one before, up to the most.
const PAUSE: u64 = if cfg!(test) { 8 } else { 4096 };
const MOST_PAUSE: u64 = 1 << 24;

/// In which states to look for ample sets: in one out of `1 << n`, by its hash; or in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share(u8);

impl Share {
    const ALL: Share = Share(0);
    const NONE: Share = Share(u8::MAX);

    /// A fraction such that a trial in so many states costs about the budget of a trial.
    fn sample(n_states: u64) -> Share {
        Share((n_states / (2 * TRIAL_CREDIT)).checked_ilog2().unwrap_or(0) as u8)
    }

    #[inline]
    fn has(self, hash: impl FnOnce() -> u64) -> bool {
        match self {
            Share::ALL => true,
            Share::NONE => false,
            Share(n) => hash().trailing_zeros() >= u32::from(n),
        }
    }
}

/// In which states to look for which ample sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThrottleSetting {
    any: Share,
    stubborn: Share,
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
    pub const ALWAYS: ThrottleSetting = ThrottleSetting { any: Share::ALL, stubborn: Share::ALL };

    /// Whether all states are expanded fully.
    #[inline]
    pub(super) fn skips_all(self) -> bool {
        self.any == Share::NONE
    }

    #[inline]
    pub(super) fn scope(self, hash: impl Fn() -> u64) -> Scope {
        if !self.any.has(&hash) {
            Scope::Nothing
        } else if self.stubborn.has(hash) {
            Scope::All
        } else {
            Scope::Simple
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
    pub(super) fn new(any: Price, stubborn: Price) -> Throttle {
        Throttle { any: Budget::new(any, FIRST_CREDIT), stubborn: Budget::new(stubborn, FIRST_CREDIT / 4) }
    }

    /// In which of the next states to look; `n_states` of them are decided together.
    #[inline]
    pub fn setting(&mut self, n_states: u64) -> ThrottleSetting {
        let any = self.any.share(n_states);
        if any == Share::NONE {
            ThrottleSetting { any, stubborn: any }
        } else {
            ThrottleSetting { any, stubborn: self.stubborn.share(n_states) }
        }
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
        Throttle::new(Price { useful: 16, lost: 32 }, Price { useful: 4, lost: 8 })
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
            let hash = |state: u64| state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
            let n_looks = (0..n_states).filter(|&state| setting.scope(|| hash(state)) != Scope::Nothing).count() as u64;
            n_looked += n_looks;
            let useful = n_looked / every - n_useful;
            n_useful += useful;
            throttle.learn(statistics(n_looks, useful, 0));
        }
        n_looked
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
        let mut throttle = Throttle::new(throttle.any.price, throttle.any.price);
        throttle.learn(ReductionStatistics { any: statistics(n, n / 8), stubborn: statistics(n, n / 8) });
        assert_eq!(throttle.setting(1), ThrottleSetting::ALWAYS);
    }

    #[test]
    fn numbers_mean_the_same_statistics() {
        let lookups = |looks| LookupStatistics { looks, useful: looks + 1, lost: looks + 2 };
        let statistics = ReductionStatistics { any: lookups(1), stubborn: lookups(7) };
        assert_eq!(ReductionStatistics::from_numbers(statistics.numbers()), statistics);
    }
}
