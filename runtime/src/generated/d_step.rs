//! The execution of a `d_step`: many statements, one step.

use super::outcome::{Handshake, Text};
use crate::fault::Fault;
use crate::step::{Steps, TransitionId};
use std::fmt;

/// A `d_step` that executes more statements than this is taken to be endless.
const STATEMENT_LIMIT: u32 = 10_000_000;

/// Statements up to this distance are recorded without an allocation.
const NEAR: usize = 256;

/// Where a `d_step` continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the part with this number.
    To(u32),
    /// The `d_step` is complete.
    Done,
}

/// The progress of a `d_step`, and what is to be reported about it.
#[derive(Debug)]
pub struct DStep {
    /// The transition of the `d_step` itself; those inside have the numbers behind it.
    whole: TransitionId,
    here: TransitionId,
    n_statements: u32,
    wants_text: bool,
    /// The statements that were executed, as bits by the distance from `whole`.
    reached: [u64; NEAR / 64],
    notes: Option<Box<Notes>>,
}

/// What there is to report about few executions: it is made when it is needed, so that the others clear nothing.
#[derive(Debug)]
struct Notes {
    /// The statements that were executed and are too far from `whole`, as bits by their numbers.
    far: Vec<u64>,
    violated: Vec<TransitionId>,
    text: Text,
}

impl DStep {
    /// Before the first statement; `whole` is the transition of the `d_step` itself.
    #[inline]
    pub fn new(whole: TransitionId, wants_text: bool) -> DStep {
        DStep { whole, here: whole, n_statements: 0, wants_text, reached: [0; NEAR / 64], notes: None }
    }

    /// The statement `transition` is about to be tried.
    #[inline]
    pub fn at(&mut self, transition: TransitionId) {
        self.here = transition;
    }

    /// The statement `transition` is executable, and will be executed.
    #[inline]
    pub fn reach(&mut self, transition: TransitionId) {
        self.here = transition;
        let distance = transition.0.wrapping_sub(self.whole.0) as usize;
        match self.reached.get_mut(distance / 64) {
            Some(word) => *word |= 1 << (distance % 64),
            None => self.reach_far(transition),
        }
    }

    /// The same in a `d_step` with a loop, which may be endless.
    #[inline]
    pub fn reach_again(&mut self, transition: TransitionId) -> Result<(), Fault> {
        self.reach(transition);
        self.n_statements += 1;
        if self.n_statements > STATEMENT_LIMIT { Err(Fault::DStepEndless) } else { Ok(()) }
    }

    #[inline(never)]
    fn reach_far(&mut self, transition: TransitionId) {
        let far = &mut self.notes().far;
        let (word, bit) = (transition.index() / 64, transition.index() % 64);
        if far.len() <= word {
            far.resize(word + 1, 0);
        }
        far[word] |= 1 << bit;
    }

    /// The assertion at `transition` was evaluated.
    #[inline]
    pub fn assert(&mut self, transition: TransitionId, holds: bool) {
        if !holds {
            self.violate(transition);
        }
    }

    #[cold]
    fn violate(&mut self, transition: TransitionId) {
        self.notes().violated.push(transition);
    }

    #[inline]
    pub fn print(&mut self, text: fmt::Arguments<'_>) {
        if self.wants_text {
            self.notes().text.print(text);
        }
    }

    fn notes(&mut self) -> &mut Notes {
        let wants_text = self.wants_text;
        let new = || Box::new(Notes { far: Vec::new(), violated: Vec::new(), text: Text::new(wants_text) });
        self.notes.get_or_insert_with(new)
    }

    #[inline]
    fn tell<S>(&self, steps: &mut impl Steps<S>) {
        tell_bits(&self.reached, self.whole, steps);
        if let Some(notes) = &self.notes {
            notes.tell(steps);
        }
    }
}

impl Notes {
    fn tell<S>(&self, steps: &mut impl Steps<S>) {
        tell_bits(&self.far, TransitionId(0), steps);
        for &transition in &self.violated {
            steps.assert(transition, false);
        }
        self.text.tell(steps);
    }
}

/// Tells which statements were executed, given as bits by the distance from `first`.
#[inline]
fn tell_bits<S>(words: &[u64], first: TransitionId, steps: &mut impl Steps<S>) {
    for (distance, &bits) in (0..).step_by(64).zip(words) {
        if bits != 0 {
            steps.reach_all(TransitionId(first.0.wrapping_add(distance)), bits);
        }
    }
}

/// Offers a `d_step`. Returns whether it can be taken.
#[inline]
pub fn offer_d_step<S>(
    transition: TransitionId,
    take: impl FnOnce(&mut DStep) -> Result<Option<S>, Fault>,
    steps: &mut impl Steps<S>,
) -> bool {
    let mut d_step = DStep::new(transition, steps.wants_text());
    let result = take(&mut d_step);
    settle(d_step, result, steps, |next, steps| steps.offer(transition, next))
}

/// Offers a `d_step` that begins with the receive of a rendezvous. Returns whether it takes part.
#[inline]
pub fn offer_d_step_handshake<S>(
    handshake: Handshake,
    take: impl FnOnce(&mut DStep) -> Result<Option<S>, Fault>,
    steps: &mut impl Steps<S>,
) -> bool {
    let Handshake { send, receiver, receive } = handshake;
    let mut d_step = DStep::new(receive, steps.wants_text());
    let result = take(&mut d_step);
    settle(d_step, result, steps, |next, steps| steps.offer_handshake(send, receiver, receive, next))
}

#[inline(always)]
fn settle<S, T: Steps<S>>(
    d_step: DStep,
    result: Result<Option<S>, Fault>,
    steps: &mut T,
    offer: impl FnOnce(&mut S, &mut T),
) -> bool {
    d_step.tell(steps);
    match result {
        Ok(Some(mut next)) => {
            offer(&mut next, steps);
            true
        }
        Ok(None) => false,
        Err(fault) => {
            steps.fault(d_step.here, fault);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Pid;

    #[derive(Default)]
    struct Log {
        reached: Vec<u32>,
        faults: Vec<u32>,
        offers: usize,
    }

    impl Steps<()> for Log {
        fn offer(&mut self, _: TransitionId, (): &mut ()) {
            self.offers += 1;
        }
        fn offer_handshake(&mut self, _: TransitionId, _: Pid, _: TransitionId, (): &mut ()) {}
        fn assert(&mut self, transition: TransitionId, _: bool) {
            self.faults.push(transition.0);
        }
        fn trace(&mut self, _: TransitionId, _: crate::fault::TraceError) {}
        fn fault(&mut self, transition: TransitionId, _: Fault) {
            self.faults.push(transition.0);
        }
        fn reach(&mut self, transition: TransitionId) {
            self.reached.push(transition.0);
        }
    }

    #[test]
    fn every_statement_of_a_long_one_is_told_and_none_too_often() {
        let mut log = Log::default();
        let take = |d_step: &mut DStep| {
            for number in 0..800 {
                d_step.reach(TransitionId(8 + number % 400));
            }
            d_step.assert(TransitionId(9), false);
            Ok(Some(()))
        };
        assert!(offer_d_step(TransitionId(7), take, &mut log));
        assert_eq!(log.reached, Vec::from_iter(8..408));
        assert_eq!((log.offers, &log.faults[..]), (1, &[9][..]));
    }

    #[test]
    fn one_that_does_not_end_is_a_fault_at_the_statement_where_it_was_stopped() {
        let mut log = Log::default();
        let take = |d_step: &mut DStep| {
            loop {
                d_step.reach_again(TransitionId(3))?;
            }
        };
        assert!(!offer_d_step(TransitionId(2), take, &mut log));
        assert_eq!((log.offers, &log.faults[..]), (0, &[3][..]));
    }
}
