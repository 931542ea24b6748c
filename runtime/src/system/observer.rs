//! Who watches the system, and what counts as accepting.
//!
//! Acceptance without a claim has one place, at which everything may happen. Non-progress has two: it guesses when
//! the last progress was made, and is accepting from then on. There nothing stutters: a system that has stopped is not
//! one that goes on without progress.

use super::claim::Claim;
use crate::model::{ClaimKind, ModelInfo};
use crate::property::Property;
use crate::step::ClaimLocation;
use crate::verdict::{Found, ViolationKind};

#[derive(Clone, Copy)]
pub(super) enum Observer {
    /// With the accept labels of the processes, or its own ones alone.
    Claim(Claim, AcceptLabels),
    Acceptance,
    NonProgress,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptLabels {
    /// A never claim is a filter on runs: what must not be repeated forever on them may be said in the processes too.
    Everywhere,
    /// A formula says all there is to say; a label elsewhere cannot make it false.
    OfTheClaim,
}

/// The place of the non-progress observer from which on there must be no progress.
pub(super) const NO_PROGRESS: ClaimLocation = ClaimLocation(1);

#[derive(Clone, Copy)]
pub(crate) struct ObserverConfig {
    pub(super) observer: Observer,
    /// Only fair runs count.
    pub is_fair: bool,
}

impl ObserverConfig {
    /// Safety and traces have no product, nor has a claim without an automaton.
    pub fn new(info: &ModelInfo, property: Property, is_fair: bool) -> Option<ObserverConfig> {
        let observer = match property {
            Property::Safety => return None,
            Property::Acceptance => Observer::Acceptance,
            Property::NonProgress => Observer::NonProgress,
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
        Some(ObserverConfig { observer, is_fair })
    }

    /// How a cycle of this property is called.
    pub fn cycle(&self) -> Found {
        Found::state(match self.observer {
            Observer::Claim(..) | Observer::Acceptance => ViolationKind::AcceptanceCycle,
            Observer::NonProgress => ViolationKind::NonProgressCycle,
        })
    }

    /// Whether the claim is violated before anybody has moved.
    pub fn ends_at_once(&self) -> bool {
        matches!(self.observer, Observer::Claim(claim, _) if claim.is_end(ClaimLocation(0)))
    }
}
