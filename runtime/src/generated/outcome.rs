//! The outcome of a transition.
//!
//! A generated transition is a plain function from a state to the next one: it does not depend on its caller. So its
//! code is compiled once, however many searches and reports there are, and can be called from a test. The functions
//! here pass the outcome to [`Steps`].

use crate::fault::Fault;
use crate::step::{Pid, Steps, TransitionId};
use std::fmt;

/// The result of a transition function: the next state, or none if the transition is disabled.
pub trait Outcome<S>: Sized {
    fn outcome(self) -> Result<Option<S>, Fault>;

    /// The result of an assertion, if there was one.
    #[inline(always)]
    fn holds(&self) -> Option<bool> {
        None
    }

    /// Reports the assertion and the fault to `steps`, and passes the next state to `offer`. Returns whether there is
    /// one. Every form passes the state by reference: states can be large, and a conversion would copy one.
    fn hand_on<K: Steps<S>>(self, transition: TransitionId, steps: &mut K, offer: impl FnOnce(&mut S, &mut K)) -> bool;
}

impl<S> Outcome<S> for Option<S> {
    #[inline(always)]
    fn outcome(self) -> Result<Option<S>, Fault> {
        Ok(self)
    }

    #[inline(always)]
    fn hand_on<K: Steps<S>>(mut self, _: TransitionId, steps: &mut K, offer: impl FnOnce(&mut S, &mut K)) -> bool {
        match &mut self {
            Some(next) => {
                offer(next, steps);
                true
            }
            None => false,
        }
    }
}

/// A transition that can fail.
impl<S> Outcome<S> for Result<Option<S>, Fault> {
    #[inline(always)]
    fn outcome(self) -> Result<Option<S>, Fault> {
        self
    }

    #[inline(always)]
    fn hand_on<K: Steps<S>>(
        mut self,
        transition: TransitionId,
        steps: &mut K,
        offer: impl FnOnce(&mut S, &mut K),
    ) -> bool {
        match &mut self {
            Ok(Some(next)) => {
                offer(next, steps);
                true
            }
            Ok(None) => false,
            Err(fault) => {
                steps.fault(transition, *fault);
                false
            }
        }
    }
}

/// An assertion was evaluated. The step is taken whether it holds or not.
#[derive(Clone, Copy, Debug)]
pub struct Asserted<S> {
    pub holds: bool,
    pub next: S,
}

impl<S> Outcome<S> for Asserted<S> {
    #[inline(always)]
    fn outcome(self) -> Result<Option<S>, Fault> {
        Ok(Some(self.next))
    }
    #[inline(always)]
    fn holds(&self) -> Option<bool> {
        Some(self.holds)
    }

    #[inline(always)]
    fn hand_on<K: Steps<S>>(
        mut self,
        transition: TransitionId,
        steps: &mut K,
        offer: impl FnOnce(&mut S, &mut K),
    ) -> bool {
        steps.assert(transition, self.holds);
        offer(&mut self.next, steps);
        true
    }
}

impl<S> Outcome<S> for Result<Asserted<S>, Fault> {
    #[inline(always)]
    fn outcome(self) -> Result<Option<S>, Fault> {
        self.map(|asserted| Some(asserted.next))
    }
    #[inline(always)]
    fn holds(&self) -> Option<bool> {
        self.as_ref().ok().map(|asserted| asserted.holds)
    }

    #[inline(always)]
    fn hand_on<K: Steps<S>>(
        mut self,
        transition: TransitionId,
        steps: &mut K,
        offer: impl FnOnce(&mut S, &mut K),
    ) -> bool {
        match &mut self {
            Ok(Asserted { holds, next }) => {
                steps.assert(transition, *holds);
                offer(next, steps);
                true
            }
            Err(fault) => {
                steps.fault(transition, *fault);
                false
            }
        }
    }
}

/// Offers the outcome of a transition. Returns whether the transition is enabled.
#[inline(always)]
pub fn offer<S>(transition: TransitionId, outcome: impl Outcome<S>, steps: &mut impl Steps<S>) -> bool {
    outcome.hand_on(transition, steps, |next, steps| steps.offer(transition, next))
}

/// Records the statements that are merged with one that was just offered, if it was. Returns whether it was.
#[inline]
pub fn with_merged<S>(is_offered: bool, merged: &[TransitionId], steps: &mut impl Steps<S>) -> bool {
    if is_offered {
        merged.iter().for_each(|transition| steps.reach(*transition));
    }
    is_offered
}

/// The two sides of a rendezvous.
#[derive(Clone, Copy, Debug)]
pub struct Handshake {
    pub send: TransitionId,
    pub receiver: Pid,
    pub receive: TransitionId,
}

/// Offers a step of two processes. Returns whether the receiver takes part.
#[inline(always)]
pub fn offer_handshake<S>(handshake: Handshake, outcome: impl Outcome<S>, steps: &mut impl Steps<S>) -> bool {
    let Handshake { send, receiver, receive } = handshake;
    outcome.hand_on(receive, steps, |next, steps| steps.offer_handshake(send, receiver, receive, next))
}

/// The text that a step prints, formatted only if it is shown.
#[derive(Debug, Default)]
pub struct Text {
    is_wanted: bool,
    text: String,
}

impl Text {
    #[inline]
    pub fn new(is_wanted: bool) -> Text {
        Text { is_wanted, text: String::new() }
    }

    #[inline]
    pub fn print(&mut self, text: fmt::Arguments<'_>) {
        if self.is_wanted {
            let written = fmt::Write::write_fmt(&mut self.text, text);
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        }
    }

    #[inline]
    pub(crate) fn tell<S>(&self, steps: &mut impl Steps<S>) {
        if !self.text.is_empty() {
            steps.print(format_args!("{}", self.text));
        }
    }
}

/// Offers a step that prints something.
#[inline]
pub fn offer_printing<S, O: Outcome<S>>(
    transition: TransitionId,
    take: impl FnOnce(&mut Text) -> O,
    steps: &mut impl Steps<S>,
) -> bool {
    let mut text = Text::new(steps.wants_text());
    let outcome = take(&mut text);
    text.tell(steps);
    offer(transition, outcome, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(Vec<String>);

    impl Steps<u8> for Log {
        fn offer(&mut self, transition: TransitionId, next: &mut u8) {
            self.0.push(format!("{} leads to {next}", transition.0));
        }
        fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut u8) {
            self.0.push(format!("{} with {receiver} at {} leads to {next}", send.0, receive.0));
        }
        fn assert(&mut self, transition: TransitionId, holds: bool) {
            self.0.push(format!("{} holds: {holds}", transition.0));
        }
        fn trace(&mut self, _: TransitionId, _: crate::fault::TraceError) {}
        fn fault(&mut self, transition: TransitionId, fault: Fault) {
            self.0.push(format!("{}: {fault}", transition.0));
        }
        fn print(&mut self, text: fmt::Arguments<'_>) {
            self.0.push(text.to_string());
        }
        fn wants_text(&self) -> bool {
            true
        }
    }

    #[test]
    fn an_outcome_is_told_in_the_order_that_steps_asks_for() {
        let mut log = Log::default();
        let id = TransitionId(4);
        assert!(offer(id, Asserted { holds: false, next: 7 }, &mut log));
        assert!(!offer(id, None, &mut log));
        assert!(!offer(id, Err::<Option<u8>, _>(Fault::DivideByZero), &mut log));
        let print = |text: &mut Text| {
            text.print(format_args!("x = {}", 1));
            Some(8)
        };
        assert!(offer_printing(id, print, &mut log));
        let handshake = Handshake { send: id, receiver: Pid(2), receive: TransitionId(5) };
        assert!(offer_handshake(handshake, Some(9), &mut log));
        let told = [
            "4 holds: false",
            "4 leads to 7",
            "4: division by zero",
            "x = 1",
            "4 leads to 8",
            "4 with 2 at 5 leads to 9",
        ];
        assert_eq!(log.0, told);
    }

    #[test]
    fn text_that_nobody_wants_is_not_made() {
        let mut text = Text::new(false);
        text.print(format_args!("x"));
        assert!(text.text.is_empty());
    }
}
