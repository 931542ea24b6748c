//! Steps of a model with a trace assertion.
//!
//! The verdict of a trace on a message is found while the next state is computed, deep inside a transition function,
//! and recorded in that state. [`Traced`] reads the record before it passes the step on.

use crate::fault::{Fault, TraceError};
use crate::step::{Pid, Steps, TransitionId};
use std::fmt;

/// The number of messages of one step that a trace does not allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Objections {
    pub to_sends: u8,
    pub to_receives: u8,
}

/// A state that records the objections of a trace assertion. They are no part of the identity of a state.
pub trait TraceObserver {
    fn objections(&mut self) -> &mut Objections;
}

/// Passes steps on, with the objections of the trace.
pub struct Traced<'s, T> {
    steps: &'s mut T,
    error: TraceError,
}

impl<'s, T> Traced<'s, T> {
    /// `error` is the kind of an objection.
    pub fn new(steps: &'s mut T, error: TraceError) -> Traced<'s, T> {
        Traced { steps, error }
    }

    fn object<S>(&mut self, n_times: u8, transition: TransitionId)
    where
        T: Steps<S>,
    {
        for _ in 0..n_times {
            self.steps.trace(transition, self.error);
        }
    }
}

impl<S: TraceObserver, T: Steps<S>> Steps<S> for Traced<'_, T> {
    fn offer(&mut self, transition: TransitionId, next: &mut S) {
        let Objections { to_sends, to_receives } = std::mem::take(next.objections());
        self.object(to_sends.saturating_add(to_receives), transition);
        self.steps.offer(transition, next);
    }

    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut S) {
        let Objections { to_sends, to_receives } = std::mem::take(next.objections());
        self.object(to_sends, send);
        self.object(to_receives, receive);
        self.steps.offer_handshake(send, receiver, receive, next);
    }

    fn assert(&mut self, transition: TransitionId, holds: bool) {
        self.steps.assert(transition, holds);
    }

    fn trace(&mut self, transition: TransitionId, error: TraceError) {
        self.steps.trace(transition, error);
    }

    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        self.steps.fault(transition, fault);
    }

    fn reach(&mut self, transition: TransitionId) {
        self.steps.reach(transition);
    }

    fn print(&mut self, text: fmt::Arguments<'_>) {
        self.steps.print(text);
    }

    fn wants_text(&self) -> bool {
        self.steps.wants_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Noted(Objections);

    impl TraceObserver for Noted {
        fn objections(&mut self) -> &mut Objections {
            &mut self.0
        }
    }

    #[derive(Default)]
    struct Log(Vec<String>);

    impl Steps<Noted> for Log {
        fn offer(&mut self, transition: TransitionId, next: &mut Noted) {
            self.0.push(format!("{} with {:?}", transition.0, next.0));
        }
        fn offer_handshake(&mut self, send: TransitionId, _: Pid, receive: TransitionId, next: &mut Noted) {
            self.0.push(format!("{} and {} with {:?}", send.0, receive.0, next.0));
        }
        fn assert(&mut self, _: TransitionId, _: bool) {}
        fn trace(&mut self, transition: TransitionId, error: TraceError) {
            self.0.push(format!("{}: {error:?}", transition.0));
        }
        fn fault(&mut self, _: TransitionId, _: Fault) {}
    }

    #[test]
    fn objections_come_before_their_step_and_are_forgotten() {
        let mut log = Log::default();
        let mut traced = Traced::new(&mut log, TraceError::NoMatch);
        let noted = || Noted(Objections { to_sends: 1, to_receives: 1 });
        traced.offer(TransitionId(3), &mut noted());
        traced.offer_handshake(TransitionId(4), Pid(0), TransitionId(5), &mut noted());
        let nothing = Objections::default();
        let expected = [
            "3: NoMatch".to_owned(),
            "3: NoMatch".to_owned(),
            format!("3 with {nothing:?}"),
            "4: NoMatch".to_owned(),
            "5: NoMatch".to_owned(),
            format!("4 and 5 with {nothing:?}"),
        ];
        assert_eq!(log.0, expected);
    }
}
