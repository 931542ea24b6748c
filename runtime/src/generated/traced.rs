//! Steps under the eyes of a trace assertion.
//!
//! What a trace thinks of a message is found while the next state is made, deep inside a transition's function, and
//! noted in that state. [`Traced`] reads the note before it passes the step on.

use crate::fault::{Fault, TraceError};
use crate::step::{Pid, Steps, TransitionId};
use std::fmt;

/// How many messages of one step a trace did not agree with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Objections {
    pub to_sends: u8,
    pub to_receives: u8,
}

/// A state that keeps notes of a trace assertion. They are no part of what makes two states different.
pub trait TraceObserver {
    fn objections(&mut self) -> &mut Objections;
}

/// Hands steps on, with what the trace has against them.
pub struct Traced<'s, T> {
    steps: &'s mut T,
    error: TraceError,
}

impl<'s, T> Traced<'s, T> {
    /// `error` is what an objection means.
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
