//! How often it is worth looking for something that costs time.
//!
//! Taking all steps is always sound, so a reduction that does not pay may rest. Whether it pays is found out in windows
//! of states, and so does not depend on a clock: the same search always takes the same choices.

/// States in which something was looked for before it is decided whether that went on paying.
const WINDOW: u32 = 512;
/// Windows during which nothing is looked for, if it did not pay.
const REST: u32 = 15;

#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// It pays if it is found in one state out of this many; nothing if it is always looked for.
    pays_in: Option<u32>,
    n_looked: u32,
    n_found: u32,
    n_resting: u32,
}

impl Pace {
    pub fn new(pays_in: Option<u32>) -> Pace {
        Pace { pays_in, n_looked: 0, n_found: 0, n_resting: 0 }
    }

    /// Whether to look for it in the next state.
    #[inline]
    pub fn looks(&mut self) -> bool {
        let Some(pays_in) = self.pays_in else { return true };
        if self.n_resting > 0 {
            self.n_resting -= 1;
            return false;
        }
        if self.n_looked == WINDOW {
            let pays = self.n_found * pays_in >= WINDOW;
            (self.n_looked, self.n_found) = (0, 0);
            if !pays {
                self.n_resting = REST * WINDOW;
            }
        }
        self.n_looked += 1;
        true
    }

    #[inline]
    pub fn found(&mut self) {
        self.n_found += 1;
    }

    /// What was found was of no use: that costs more than finding nothing.
    pub fn lost(&mut self) {
        self.n_found = self.n_found.saturating_sub(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In how many of these states it is looked for, if it is found in one out of `every`.
    fn looks(pays_in: Option<u32>, every: u32, n_states: u32) -> u32 {
        let mut pace = Pace::new(pays_in);
        let mut n_looked = 0;
        for state in 0..n_states {
            if pace.looks() {
                n_looked += 1;
                if state % every == 0 {
                    pace.found();
                }
            }
        }
        n_looked
    }

    #[test]
    fn what_does_not_pay_rests() {
        assert_eq!(looks(Some(4), 2, 100_000), 100_000, "found often");
        assert_eq!(looks(None, 1_000, 100_000), 100_000, "asked for");
        let n_looked = looks(Some(4), 8, 100_000);
        assert!(n_looked < 100_000 / 15, "found rarely: {n_looked}");
    }
}
