//! The landmark on a stretch of an atomic sequence where each state has one continuation.
//!
//! States are compared with it once in eight steps. It is moved to the present state after twice as many steps each time.
//! So a circle of n states is met within a few times n comparisons, and nothing is kept but the landmark.

use crate::hidden::Hidden;
use crate::pack::Packed;
use crate::step::Pid;

/// Steps between two comparisons.
const STRIDE: u64 = 8;

pub(super) struct Landmark<P> {
    /// Nothing, unless the stretch was long enough.
    place: Option<(Option<Hidden>, Pid)>,
    packed: P,
    /// Steps since the stretch began.
    n_steps: u64,
    /// Comparisons since the landmark was moved, and those before it is moved again.
    n_compared: u64,
    n_most: u64,
}

impl<P: Packed> Default for Landmark<P> {
    fn default() -> Landmark<P> {
        Landmark { place: None, packed: P::default(), n_steps: 0, n_compared: 0, n_most: 1 }
    }
}

impl<P: Packed> Landmark<P> {
    /// Another stretch begins.
    #[inline]
    pub fn clear(&mut self) {
        (self.place, self.n_steps, self.n_compared, self.n_most) = (None, 0, 0, 1);
    }

    /// Counts a step. Returns whether the state is to be compared.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.n_steps += 1;
        self.n_steps.is_multiple_of(STRIDE)
    }

    /// Whether this state is the landmark. If not, it may become the landmark.
    pub fn is_at(&mut self, packed: &P, hidden: Option<Hidden>, owner: Pid) -> bool {
        if self.place == Some((hidden, owner)) && self.packed == *packed {
            return true;
        }
        self.n_compared += 1;
        if self.place.is_none() || self.n_compared == self.n_most {
            self.place = Some((hidden, owner));
            self.packed.clone_from(packed);
            self.n_compared = 0;
            self.n_most *= 2;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Words, Writer};

    fn state(value: u32) -> Words<1> {
        let mut packed = Words::default();
        let mut writer = packed.writer();
        writer.put(value, 32);
        writer.finish();
        packed
    }

    /// The steps until the states `next(0)`, `next(1)`, ... come again, if they do within a limit.
    fn steps_until_met(limit: u64, next: impl Fn(u64) -> u32) -> Option<u64> {
        let mut landmark = Landmark::default();
        (0..limit).find(|&step| landmark.is_due() && landmark.is_at(&state(next(step)), None, Pid(1)))
    }

    #[test]
    fn every_circle_is_met() {
        for length in (1..40).chain([1_000, 1_024, 4_097]) {
            for before in [0, 7, 300] {
                let next = |step: u64| if step < before { step } else { before + (step - before) % length } as u32;
                let met = steps_until_met(1 << 20, next);
                let most = 4 * (before + STRIDE * length) + 64;
                assert!(met.is_some_and(|met| met <= most), "{length} states behind {before}: {met:?}, not {most}");
            }
        }
        assert_eq!(steps_until_met(1 << 16, |step| step as u32), None);
    }

    #[test]
    fn another_owner_or_another_stretch_is_no_circle() {
        let mut landmark = Landmark::default();
        assert!(!landmark.is_at(&state(1), None, Pid(1)));
        assert!(!landmark.is_at(&state(1), None, Pid(2)));
        assert!(landmark.is_at(&state(1), None, Pid(1)));
        landmark.clear();
        assert!(!landmark.is_at(&state(1), None, Pid(1)));
    }
}
