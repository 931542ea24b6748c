//! How often it is worth looking for choices, which costs time.
//!
//! Taking all steps is always sound, so a reduction that does not pay may rest. Looking is paid for out of a credit: each
//! look costs something, a choice that leaves out somebody who could move earns as much as some looks cost, and one that
//! the search then cannot accept costs that again. When the credit is used up it rests, tries with a small credit, and
//! rests twice as long if it is in vain: in the long run a model that cannot be reduced is searched as if nothing were
//! looked for.
//!
//! No clock is asked: the same search always makes the same choices. A breadth-first search decides for each level and
//! within it by the hash of a state, so that neither the order of the states nor the number of threads matters, and so
//! that the choice of a state can be made again when a counterexample is told.

/// Looks that a search may have in advance, and when it tries again; and the most that it can save. Tests see it change
/// often.
const FIRST_CREDIT: u64 = if cfg!(test) { 8 } else { 1024 };
const TRIAL_CREDIT: u64 = if cfg!(test) { 4 } else { 256 };
const MOST_CREDIT: u64 = if cfg!(test) { 32 } else { 4096 };
/// It rests for so many states first, and twice as many each time up to the most.
const REST: u64 = if cfg!(test) { 8 } else { 4096 };
const MOST_REST: u64 = 1 << 24;

/// Whether choices are looked for in a state: in one out of `1 << n`, by its hash; or in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share(u8);

impl Share {
    const ALL: Share = Share(0);
    const NONE: Share = Share(u8::MAX);

    /// Of so many states about as many as a trial may cost.
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

/// In which states it is looked for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zeal {
    any: Share,
    closed: Share,
}

/// What is looked for in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Nothing,
    /// What is found at once.
    Simple,
    /// Closed sets, too.
    All,
}

impl Zeal {
    pub const ALWAYS: Zeal = Zeal { any: Share::ALL, closed: Share::ALL };

    /// Whether nothing is looked for in any state.
    #[inline]
    pub(super) fn rests(self) -> bool {
        self.any == Share::NONE
    }

    #[inline]
    pub(super) fn scope(self, hash: impl Fn() -> u64) -> Scope {
        if !self.any.has(&hash) {
            Scope::Nothing
        } else if self.closed.has(hash) {
            Scope::All
        } else {
            Scope::Simple
        }
    }
}

/// What looking has brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gains {
    pub any: Gain,
    /// Of closed sets.
    pub closed: Gain,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gain {
    /// States in which it was looked for.
    pub looks: u64,
    /// Those in which somebody was left out, as far as is known from some of them.
    pub useful: u64,
    /// Choices that the search could not accept.
    pub lost: u64,
}

impl Gains {
    /// As numbers that can be added to those of other threads.
    pub fn numbers(self) -> [u64; 6] {
        let Gains { any, closed } = self;
        [any.looks, any.useful, any.lost, closed.looks, closed.useful, closed.lost]
    }

    pub fn from_numbers([looks, useful, lost, closed_looks, closed_useful, closed_lost]: [u64; 6]) -> Gains {
        Gains {
            any: Gain { looks, useful, lost },
            closed: Gain { looks: closed_looks, useful: closed_useful, lost: closed_lost },
        }
    }
}

/// Decides how often to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    any: Habit,
    closed: Habit,
}

#[derive(Clone, Copy, Debug)]
struct Habit {
    price: Price,
    /// Looks that it may still cost.
    credit: u64,
    /// Whether it is a trial.
    is_trial: bool,
    /// States for which it goes on resting, and for which it would rest next.
    n_resting: u64,
    next_rest: u64,
}

/// In looks: what a choice is worth that leaves somebody out, and what one costs that cannot be accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    pub useful: u64,
    pub lost: u64,
}

impl Pace {
    /// The price of a choice; of a closed set, in looks for closed sets.
    pub(super) fn new(any: Price, closed: Price) -> Pace {
        Pace { any: Habit::new(any, FIRST_CREDIT), closed: Habit::new(closed, FIRST_CREDIT / 4) }
    }

    /// In which of the next states to look: so many that they should be decided on at once.
    #[inline]
    pub fn zeal(&mut self, n_states: u64) -> Zeal {
        let any = self.any.share(n_states);
        if any == Share::NONE { Zeal { any, closed: any } } else { Zeal { any, closed: self.closed.share(n_states) } }
    }

    /// For how many states to look for nothing at all, if they are decided on one by one.
    #[inline]
    pub(super) fn rest(&mut self) -> u64 {
        std::mem::take(&mut self.any.n_resting)
    }

    /// What came of it. A closed set earns what the look at its state has cost only while closed sets are looked for in
    /// all states: else it would be a reason to look where none can be found.
    pub fn learn(&mut self, Gains { any, closed }: Gains) {
        self.closed.learn(closed);
        let useful = if self.closed.is_trial { any.useful.saturating_sub(closed.useful) } else { any.useful };
        self.any.learn(Gain { useful, ..any });
    }
}

impl Habit {
    fn new(price: Price, credit: u64) -> Habit {
        Habit { price, credit, is_trial: false, n_resting: 0, next_rest: REST }
    }

    #[inline]
    fn share(&mut self, n_states: u64) -> Share {
        if self.n_resting > 0 {
            self.n_resting = self.n_resting.saturating_sub(n_states);
            return Share::NONE;
        }
        if self.is_trial { Share::sample(n_states) } else { Share::ALL }
    }

    #[inline]
    fn learn(&mut self, Gain { looks, useful, lost }: Gain) {
        let cost = looks + lost * self.price.lost;
        let Some(credit) = (self.credit + useful * self.price.useful).checked_sub(cost) else {
            self.begin_rest();
            return;
        };
        self.credit = credit.min(MOST_CREDIT);
        if self.is_trial && self.credit >= 2 * TRIAL_CREDIT {
            self.is_trial = false;
            self.next_rest = REST;
        }
    }

    fn begin_rest(&mut self) {
        self.is_trial = true;
        self.credit = TRIAL_CREDIT;
        self.n_resting = self.next_rest;
        self.next_rest = (self.next_rest * 2).min(MOST_REST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> Pace {
        Pace::new(Price { useful: 16, lost: 32 }, Price { useful: 4, lost: 8 })
    }

    fn gains(looks: u64, useful: u64, lost: u64) -> Gains {
        Gains { any: Gain { looks, useful, lost }, closed: Gain::default() }
    }

    /// In how many states it is looked for, if `n_levels` levels have `n_states` each and it is of use in one out of
    /// `every` states.
    fn looks(every: u64, n_levels: u64, n_states: u64) -> u64 {
        let mut pace = pace();
        let (mut n_looked, mut n_useful) = (0, 0);
        for _ in 0..n_levels {
            let zeal = pace.zeal(n_states);
            let hash = |state: u64| state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
            let n_looks = (0..n_states).filter(|&state| zeal.scope(|| hash(state)) != Scope::Nothing).count() as u64;
            n_looked += n_looks;
            let useful = n_looked / every - n_useful;
            n_useful += useful;
            pace.learn(gains(n_looks, useful, 0));
        }
        n_looked
    }

    #[test]
    fn what_pays_never_rests() {
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
        let mut pace = pace();
        pace.learn(gains(FIRST_CREDIT + 1, 0, 0));
        let n_rested = (0..).take_while(|_| pace.zeal(1).any == Share::NONE).count() as u64;
        assert_eq!(n_rested, REST);
        assert_eq!(pace.zeal((2 * TRIAL_CREDIT) << 11).any, Share(11), "a level of which some states are enough");
        pace.learn(gains(TRIAL_CREDIT, TRIAL_CREDIT, 0));
        assert_eq!(pace.zeal(1 << 20).any, Share::ALL);
    }

    #[test]
    fn choices_that_are_not_accepted_do_not_pay() {
        let mut pace = pace();
        let n = 2 * FIRST_CREDIT;
        pace.learn(gains(n, n, n / 2));
        assert_eq!(pace.zeal(1).any, Share::NONE);
    }

    #[test]
    fn closed_sets_that_are_not_looked_for_are_no_reason_to_look() {
        let gains = |looks, useful| Gain { looks, useful, lost: 0 };
        let mut pace = pace();
        let n = 2 * FIRST_CREDIT;
        // One state in eight has a choice, and that is a closed set: enough for a look, too little for closed sets.
        pace.learn(Gains { any: gains(n, n / 8), closed: gains(n, n / 8) });
        assert_eq!((pace.zeal(1).any, pace.closed.is_trial), (Share::NONE, true));
        // Were closed sets found as quickly it would go on.
        let mut pace = Pace::new(pace.any.price, pace.any.price);
        pace.learn(Gains { any: gains(n, n / 8), closed: gains(n, n / 8) });
        assert_eq!(pace.zeal(1), Zeal::ALWAYS);
    }

    #[test]
    fn numbers_mean_the_same_gains() {
        let gain = |looks| Gain { looks, useful: looks + 1, lost: looks + 2 };
        let gains = Gains { any: gain(1), closed: gain(7) };
        assert_eq!(Gains::from_numbers(gains.numbers()), gains);
    }
}
