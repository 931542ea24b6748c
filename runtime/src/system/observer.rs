//! Observers of the system, and what counts as accepting.
//!
//! Acceptance without a claim has one location and allows every step. Non-progress has two: the observer guesses when
//! the last progress was made, and accepts from then on. It does not let the system stutter, because a deadlock is no
//! cycle without progress. Whether time passes again and again is asked in the same way: a state that ticks counts as
//! progress.

use super::claim::Claim;
use crate::model::{ClaimKind, ModelInfo};
use crate::property::Property;
use crate::step::ClaimLocation;
use crate::verdict::{Found, ViolationKind};

#[derive(Clone, Copy)]
pub(super) enum Observer<'m> {
    /// A claim, with the accept labels of the processes or its own alone.
    Claim(Claim<'m>, AcceptLabels),
    Acceptance,
    NonProgress,
    /// The same with ticks in the place of progress labels.
    Zeno,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptLabels {
    /// A never claim is a filter on runs: accept labels of the processes count too.
    Everywhere,
    /// A formula is complete: labels of the processes cannot make it false.
    OfTheClaim,
}

/// The location of the non-progress observer behind the last progress.
pub(super) const NO_PROGRESS: ClaimLocation = ClaimLocation(1);

#[derive(Clone, Copy)]
pub(crate) struct ObserverConfig<'m> {
    pub(super) observer: Observer<'m>,
    /// Only fair runs count.
    pub is_fair: bool,
    /// Of infinite runs only those count in which time passes again and again.
    pub time_passes: bool,
}

impl<'m> ObserverConfig<'m> {
    /// Safety and traces have no product, nor has a claim without an automaton.
    pub fn new(info: &ModelInfo<'m>, property: Property, is_fair: bool) -> Option<ObserverConfig<'m>> {
        let observer = match property {
            Property::Safety | Property::Goal => return None,
            Property::Acceptance => Observer::Acceptance,
            Property::NonProgress => Observer::NonProgress,
            Property::Zeno => Observer::Zeno,
            Property::Claim(index) => {
                let info = info.claims.get(index)?;
                let labels = match info.kind {
                    _ if info.locations.is_empty() => return None,
                    ClaimKind::Never => AcceptLabels::Everywhere,
                    ClaimKind::Ltl => AcceptLabels::OfTheClaim,
                    ClaimKind::Trace => return None,
                };
                Observer::Claim(Claim { index, locations: info.locations }, labels)
            }
        };
        Some(ObserverConfig { observer, is_fair, time_passes: false })
    }

    /// Whether a cycle has more to do than to be accepting: to serve processes, or to let time pass.
    pub fn has_more_marks(&self) -> bool {
        self.is_fair || self.time_passes
    }

    /// The claim, if there is one.
    pub(super) fn claim(&self) -> Option<Claim<'m>> {
        match self.observer {
            Observer::Claim(claim, _) => Some(claim),
            Observer::Acceptance | Observer::NonProgress | Observer::Zeno => None,
        }
    }

    /// The violation that an accepting cycle is.
    pub fn cycle(&self) -> Found {
        Found::state(match self.observer {
            Observer::Claim(..) | Observer::Acceptance => ViolationKind::AcceptanceCycle,
            Observer::NonProgress => ViolationKind::NonProgressCycle,
            Observer::Zeno => ViolationKind::ZeroTimeCycle,
        })
    }

    /// Whether the claim is violated in its initial location.
    pub fn ends_at_once(&self) -> bool {
        matches!(self.observer, Observer::Claim(claim, _) if claim.is_end(ClaimLocation(0)))
    }
}
