//! The shortest counterexample in spite of a reduction, or of a store that may miss states.
//!
//! Breadth-first search finds a shortest run among those that it explores; a reduction removes runs, and so does a
//! store that omits states. After such a search has found a violation, a search without both finds a shortest run to
//! one, most often soon. It may take as many states as fit into a moment, or a few times as many as the reduced search
//! took. After a store that may omit states, which is chosen where the others do not fit into memory, only the moment
//! counts.

use super::control::Control;
use super::{SearchKind, Searched, Searching, guided};
use crate::limits::Limits;
use crate::options::{Algorithm, Options, Reduction, Store};
use crate::property::Property;
use crate::verdict::ProbeOutcome;

const ALLOWED_STATES: u64 = 300_000;
const ALLOWED_FACTOR: u64 = 2;

/// Replaces the run that such a search found by a shortest one. Returns why the run may still be longer than others.
pub(super) fn shorten(
    searching: &Searching<'_>,
    property: Property,
    found: &mut Control<'_>,
    searched: &Searched<'_>,
) -> Option<String> {
    let options = found.options;
    let is_finite = matches!(searched.kind, SearchKind::Safety(_));
    let is_reduced = searched.reduction && is_finite;
    let is_lossy = options.store.is_lossy() && is_finite;
    let is_probes = searched.probe.is_some_and(|probe| probe.outcome == ProbeOutcome::Violation);
    let is_breadth_first = options.algorithm != Algorithm::DepthFirst && !is_probes;
    let finding = found.findings.first().filter(|_| is_breadth_first && !options.all_errors)?;
    // Greedy search finds any run, and A* a shortest one to its targets only.
    let is_target = guided::is_target(property, finding.found.kind);
    let is_detour = match options.algorithm {
        Algorithm::Guided => is_finite,
        Algorithm::AStar => is_finite && !is_target,
        Algorithm::Auto | Algorithm::BreadthFirst | Algorithm::DepthFirst => false,
    };
    let (store, allowed) = match (is_lossy, is_reduced || is_detour) {
        (true, _) => (Store::Auto, ALLOWED_STATES),
        (false, true) => {
            (options.store, ALLOWED_STATES.max(searched.counts.states_stored.saturating_mul(ALLOWED_FACTOR)))
        }
        (false, false) => return None,
    };
    let algorithm = if is_detour && is_target { Algorithm::AStar } else { Algorithm::BreadthFirst };
    let max_states = options.limits.max_states.map_or(allowed, |limit| limit.min(allowed));
    let limits = Limits { max_states: Some(max_states), ..options.limits.clone() };
    let whole = Options { algorithm, reduction: Reduction::Off, store, limits, ..options.clone() };
    let mut control = found.again(&whole);
    let is_searched = (searching.search)(property, &mut control).is_ok();
    let findings = std::mem::take(&mut control.findings);
    if is_searched && !findings.is_empty() {
        found.findings = findings;
        return None;
    }
    Some(match is_lossy {
        true => format!("{LONGER}, since --store {} may miss states", options.store.name()),
        false if is_detour && is_target => format!("{LONGER}; --search a-star finds a shortest one"),
        false => format!("{LONGER}; --shortest explores all interleavings"),
    })
}

const LONGER: &str = "the counterexample may not be the shortest";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Interrupt;
    use crate::model::Model;
    use crate::monitor::Silent;
    use crate::search::Counts;
    use crate::search::control::Run;
    use crate::toy::Counters;
    use crate::verdict::{Found, ViolationKind};
    use std::cell::RefCell;

    fn searched(reduction: bool) -> Searched<'static> {
        let (kind, storage) = (SearchKind::Safety(Algorithm::BreadthFirst), "of some kind");
        let (storage_reason, unreduced) = (None, None);
        let counts = Counts::default();
        let (probe, remark, symmetry, unsymmetric) = (None, None, None, None);
        Searched {
            kind,
            storage,
            storage_reason,
            reduction,
            unreduced,
            is_assumed: false,
            symmetry,
            unsymmetric,
            counts,
            probe,
            remark,
        }
    }

    /// A violation behind so many other states.
    fn meet(control: &mut Control<'_>, depth: usize) {
        let run = || Run { cycle_start: Some(depth), ..Run::default() };
        control.meet(Found::state(ViolationKind::InvalidEndState), run);
    }

    /// The report after a search that found a run of 9 steps, and the length of the final run. A second search, if
    /// there is one, finds a run of `second` steps; the options that it was called with come last.
    fn shortened(
        options: &Options,
        reduction: bool,
        second: Option<usize>,
    ) -> (Option<String>, Option<usize>, Option<Options>) {
        let asked = RefCell::new(None);
        let search = |_: Property, control: &mut Control<'_>| {
            *asked.borrow_mut() = Some(control.options.clone());
            second.into_iter().for_each(|depth| meet(control, depth));
            Ok(searched(false))
        };
        let info = Counters { n: 1, limit: 1, bad: None }.info();
        let searching =
            Searching { info, search: &search, end_place: &|_| None, goal_place: &|_, _| None, exact_run: &|_| None };
        let (interrupt, mut monitor) = (Interrupt::default(), Silent);
        let mut control = Control::new(options, &interrupt, &mut monitor);
        meet(&mut control, 9);
        let warning = shorten(&searching, Property::Safety, &mut control, &searched(reduction));
        let length = control.findings[0].cycle_start;
        drop(control);
        (warning, length, asked.into_inner())
    }

    #[test]
    fn a_store_that_may_miss_states_is_made_up_for_by_one_that_does_not() {
        for store in [Store::Bitstate(None), Store::HashCompact(Some(8))] {
            for reduction in [false, true] {
                let options = Options { store, ..Options::default() };
                let (warning, length, asked) = shortened(&options, reduction, Some(4));
                assert_eq!((warning, length), (None, Some(4)));
                let asked = asked.expect("there is another search");
                assert!(!asked.store.is_lossy() && asked.reduction == Reduction::Off, "{asked:?}");
                assert_eq!(asked.limits.max_states, Some(ALLOWED_STATES));
                // If the second search is incomplete, the run is not said to be the shortest.
                let (warning, length, _) = shortened(&options, reduction, None);
                let expected = format!("{LONGER}, since --store {} may miss states", store.name());
                assert_eq!((warning, length), (Some(expected), Some(9)));
            }
        }
    }

    #[test]
    fn a_run_that_is_the_shortest_is_left_alone() {
        for (options, reduction) in [
            (Options::default(), false),
            (Options { store: Store::Tree, ..Options::default() }, false),
            // As they were found.
            (Options { all_errors: true, store: Store::Bitstate(None), ..Options::default() }, true),
            // The user does not expect short runs of a depth-first search.
            (Options { algorithm: Algorithm::DepthFirst, store: Store::Bitstate(None), ..Options::default() }, false),
        ] {
            assert_eq!(shortened(&options, reduction, Some(4)).0, None);
            assert!(shortened(&options, reduction, Some(4)).2.is_none(), "{options:?}");
        }
        let reduced = shortened(&Options { store: Store::Tree, ..Options::default() }, true, Some(4));
        assert_eq!((reduced.1, reduced.2.map(|options| options.store)), (Some(4), Some(Store::Tree)));
    }
}
