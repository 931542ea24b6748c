//! The shortest counterexample in spite of a reduction.
//!
//! Breadth-first search finds shortest runs among those that it explores, and a reduction leaves runs out. Where it found
//! a violation, the same search without the reduction finds a shortest run to one, most often soon: it may take as many
//! states as fit into a moment, or a few times as many as the reduced search took.

use super::Searching;
use super::control::Control;
use crate::limits::Limits;
use crate::options::{Algorithm, Options, Reduction};
use crate::property::Property;

const ALLOWED_STATES: u64 = 300_000;
const ALLOWED_FACTOR: u64 = 2;

/// Puts a shortest run in the place of the one that a reduced search found. Returns whether the run may still be longer
/// than others.
pub(super) fn shorten(searching: &Searching<'_>, reduced: &mut Control<'_>, stored: u64) -> bool {
    let options = reduced.options;
    if options.algorithm != Algorithm::BreadthFirst || options.all_errors || reduced.findings.is_empty() {
        return false;
    }
    let allowed = ALLOWED_STATES.max(stored.saturating_mul(ALLOWED_FACTOR));
    let max_states = options.limits.max_states.map_or(allowed, |limit| limit.min(allowed));
    let limits = Limits { max_states: Some(max_states), ..options.limits.clone() };
    let whole = Options { reduction: Reduction::Off, limits, ..options.clone() };
    let mut control = reduced.again(&whole);
    let searched = (searching.search)(Property::Safety, &mut control);
    let findings = std::mem::take(&mut control.findings);
    let is_shortest = searched.is_ok() && !findings.is_empty();
    if is_shortest {
        reduced.findings = findings;
    }
    !is_shortest
}
