//! The steps out of one state with all details: for trails, replay and simulation.
//!
//! The searches store as little as possible about a step. When more is needed, the state is expanded again with this
//! recorder. Nothing here has to be fast.

use crate::dyn_model::DynState;
use crate::fault::{Fault, TraceError};
use crate::model::Tick;
use crate::priority::{group_by_rank, outranks};
use crate::step::{Pid, Steps, TransitionId};
use crate::trail::{Passed, Step};
use crate::verdict::{Found, ViolationKind};
use std::fmt::{self, Write};

/// A step that is enabled, or that fails; or a tick, if no process can move.
pub struct Offer<'m> {
    pub step: Step,
    /// `None`: the step fails and is not taken.
    pub next: Option<DynState<'m>>,
    pub printed: String,
    pub violations: Vec<Found>,
}

/// Every step out of a state, highest pid first, and the violations there. If the atomic owner is blocked, it loses
/// control first. If no process can move and a timer is on, what time leads to comes last.
pub fn offers<'m>(dyn_state: &mut DynState<'m>) -> Vec<Offer<'m>> {
    if let Some(atomic_owner) = dyn_state.atomic_owner() {
        let is_outranked = dyn_state.ranks().is_some_and(|ranks| {
            outranks(dyn_state.n_processes(), &ranks, atomic_owner, |pid| is_enabled(dyn_state, pid))
        });
        if !is_outranked {
            let offers = offers_of(dyn_state, &[atomic_owner], false);
            if can_move(&offers) {
                return offers;
            }
        }
        dyn_state.release();
    }
    let mut offers = offers_with(dyn_state, false);
    if dyn_state.uses_timeout() && !can_move(&offers) {
        // What is a fault while `timeout` is false is one in either case.
        let failed = std::mem::replace(&mut offers, offers_with(dyn_state, true));
        let is_known = |fault: &Offer<'_>| {
            let is_same = |offer: &Offer<'_>| offer.next.is_none() && offer.violations == fault.violations;
            offers.iter().any(|offer| offer.step.pid == fault.step.pid && is_same(offer))
        };
        let mut new: Vec<Offer<'m>> = failed.into_iter().filter(|fault| !is_known(fault)).collect();
        for fault in &mut new {
            // The same statement may be a step now.
            let n_choices = offers.iter().filter(|offer| offer.step.pid == fault.step.pid).count();
            fault.step.choice +=
                u32::try_from(n_choices).expect("there are as many choices as a counter of 32 bits says");
        }
        offers.extend(new);
    }
    if !can_move(&offers) {
        offers.extend((0..).map_while(|which| {
            let Tick { next, n_ticks } = dyn_state.tick(which)?;
            let step = Step::tick(Passed { n_ticks, which });
            Some(Offer { step, next: Some(next), printed: String::new(), violations: Vec::new() })
        }));
    }
    offers
}

/// Whether one of the steps can be taken. A failing one cannot.
pub fn can_move(offers: &[Offer<'_>]) -> bool {
    offers.iter().any(|offer| offer.next.is_some())
}

fn is_enabled(dyn_state: &DynState<'_>, pid: Pid) -> bool {
    can_move(&offers_of(dyn_state, &[pid], false))
}

/// Every step out of a state without an atomic owner, for a given value of `timeout`.
pub fn offers_with<'m>(dyn_state: &DynState<'m>, timeout: bool) -> Vec<Offer<'m>> {
    let pids: Vec<Pid> = dyn_state.pids().rev().collect();
    let groups = match dyn_state.ranks() {
        Some(ranks) => group_by_rank(pids, &ranks),
        None => vec![pids],
    };
    let mut offers = Vec::new();
    for group in groups {
        offers.extend(offers_of(dyn_state, &group, timeout));
        if can_move(&offers) {
            break;
        }
    }
    offers
}

fn offers_of<'m>(dyn_state: &DynState<'m>, pids: &[Pid], timeout: bool) -> Vec<Offer<'m>> {
    let mut offers = Vec::new();
    for &pid in pids {
        let mut recorder = Recorder { pid, offers, choice: 0, printed: String::new(), violations: Vec::new() };
        dyn_state.offer_steps(pid, timeout, &mut recorder);
        offers = recorder.offers;
    }
    offers
}

struct Recorder<'m> {
    pid: Pid,
    offers: Vec<Offer<'m>>,
    choice: u32,
    printed: String,
    violations: Vec<Found>,
}

impl<'m> Recorder<'m> {
    fn record(&mut self, transition: TransitionId, receiver: Option<(Pid, TransitionId)>, next: Option<DynState<'m>>) {
        let step = Step { pid: self.pid, transition, choice: self.choice, receiver };
        self.choice += 1;
        let printed = std::mem::take(&mut self.printed);
        let violations = std::mem::take(&mut self.violations);
        self.offers.push(Offer { step, next, printed, violations });
    }
}

impl<'m> Steps<DynState<'m>> for Recorder<'m> {
    fn offer(&mut self, transition: TransitionId, next: &mut DynState<'m>) {
        self.record(transition, None, Some(next.clone()));
    }

    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut DynState<'m>) {
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
