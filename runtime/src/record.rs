//! The steps out of one state with all that can be said about them: for trails, replay and simulation.
//!
//! The searches keep as little as possible about a step. When somebody wants to know more, the state is expanded
//! again with this recorder. Nothing here is fast, and nothing needs to be.

use crate::fault::{Fault, TraceError};
use crate::model::Model;
use crate::priority;
use crate::step::{Pid, Steps, TransitionId};
use crate::trail::Step;
use crate::verdict::{Found, ViolationKind};
use std::fmt::{self, Write};

/// One step that can be taken, or that goes wrong.
pub(crate) struct Offer<S> {
    pub step: Step,
    /// `None`: the step fails and is not taken.
    pub next: Option<S>,
    pub printed: String,
    pub violations: Vec<Found>,
}

/// Every step out of `state`, highest pid first, and what fails there. If the holder of an atomic sequence cannot move,
/// `state` is released first.
pub(crate) fn offers<M: Model>(model: &M, state: &mut M::State) -> Vec<Offer<M::State>> {
    if let Some(holder) = model.holder(state) {
        if !priority::is_outranked(model, state, holder) {
            let offers = offers_of(model, state, &[holder], false);
            if can_move(&offers) {
                return offers;
            }
        }
        model.release(state);
    }
    let offers = offers_with(model, state, false);
    if M::USES_TIMEOUT && !can_move(&offers) { offers_with(model, state, true) } else { offers }
}

/// Whether one of the steps can be taken. One that fails cannot.
pub(crate) fn can_move<S>(offers: &[Offer<S>]) -> bool {
    offers.iter().any(|offer| offer.next.is_some())
}

/// Every step out of a state without a holder, for a given value of `timeout`.
pub(crate) fn offers_with<M: Model>(model: &M, state: &M::State, timeout: bool) -> Vec<Offer<M::State>> {
    let mut offers = Vec::new();
    for group in priority::groups(model, state) {
        offers.extend(offers_of(model, state, &group, timeout));
        if can_move(&offers) {
            break;
        }
    }
    offers
}

fn offers_of<M: Model>(model: &M, state: &M::State, pids: &[Pid], timeout: bool) -> Vec<Offer<M::State>> {
    let mut offers = Vec::new();
    for &pid in pids {
        let mut recorder = Recorder { pid, offers, choice: 0, printed: String::new(), violations: Vec::new() };
        model.offer_steps(state, pid, timeout, &mut recorder);
        offers = recorder.offers;
    }
    offers
}

struct Recorder<S> {
    pid: Pid,
    offers: Vec<Offer<S>>,
    choice: u32,
    printed: String,
    violations: Vec<Found>,
}

impl<S> Recorder<S> {
    fn record(&mut self, transition: TransitionId, receiver: Option<(Pid, TransitionId)>, next: Option<S>) {
        let step = Step { pid: self.pid, transition, choice: self.choice, receiver };
        self.choice += 1;
        let printed = std::mem::take(&mut self.printed);
        let violations = std::mem::take(&mut self.violations);
        self.offers.push(Offer { step, next, printed, violations });
    }
}

impl<S: Clone> Steps<S> for Recorder<S> {
    fn offer(&mut self, transition: TransitionId, next: &mut S) {
        self.record(transition, None, Some(next.clone()));
    }

    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut S) {
        self.record(send, Some((receiver, receive)), Some(next.clone()));
    }

    fn assert(&mut self, transition: TransitionId, holds: bool) {
        if !holds {
            self.violations.push(Found::at(ViolationKind::Assertion, transition));
        }
    }

    fn trace(&mut self, transition: TransitionId, error: TraceError) {
        self.violations.push(Found::at(ViolationKind::Trace(error), transition));
    }

    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        self.violations.push(Found::at(ViolationKind::Fault(fault), transition));
        self.record(transition, None, None);
    }

    fn print(&mut self, text: fmt::Arguments<'_>) {
        let written = self.printed.write_fmt(text);
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }

    fn wants_text(&self) -> bool {
        true
    }
}
