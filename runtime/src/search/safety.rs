//! Properties that finite runs violate: selects the search and the set.
//!
//! These are assertions, end states and faults, a trace, and claims that only come to their end. Such a claim is searched
//! in its [product](crate::system::ClaimSystems) with the system, with the same searches, stores and threads.

use super::auto::{self, Portfolio};
use super::control::{Control, Run};
use super::{SearchKind, Searched, breadth_first, depth_first};
use crate::options::{Algorithm, Store};
use crate::pack::Keyed;
use crate::property::Property;
use crate::store::concurrent::{ConcurrentSet, ShardedSet};
use crate::store::{BitstateSet, ChosenSet, ExactSet, StateSet, Storable, StoreOptions, choice};
use crate::system::{ClaimSystems, ProductSystems, ReductionConfig, Systems};
use crate::verdict::ProbeOutcome;

/// Looks for runs that end with a violation of the property.
pub(super) fn search<'s, P: Storable>(
    systems: &'s dyn ProductSystems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    // A trace is an observer of steps and part of the state itself.
    let Some(claim_systems) = ClaimSystems::new(systems, property) else {
        return search_systems::<P>(systems, property, config, control);
    };
    match claim_systems.wrong_from_the_beginning() {
        None => search_systems::<Keyed<P>>(&claim_systems, property, config, control),
        Some(found) => {
            control.meet(found, Run::default);
            let kind = SearchKind::Safety(Algorithm::BreadthFirst);
            finish(Portfolio { counts: super::Counts::default(), kind, probe: None, remark: None }, Store::Exact, None)
        }
    }
}

/// With the set that fits the states.
fn search_systems<'s, P: Storable>(
    systems: &'s dyn Systems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    let memory_limit = control.memory_limit();
    let choice = choice::choose(control.options, P::WORDS, memory_limit);
    let store = choice::store_options(control.options, choice.store, memory_limit);
    let search = match choice.store {
        Store::Exact => search_with::<P, ExactSet<P>, P::Concurrent>,
        Store::Bitstate(_) => search_with::<P, BitstateSet<P>, ShardedSet<BitstateSet<P>>>,
        _ => search_with::<P, ChosenSet<P>, ShardedSet<ChosenSet<P>>>,
    };
    finish(search(systems, property, config, &store, control), choice.store, choice.reason)
}

fn search_with<'s, P: Storable, S: StateSet<P>, C: ConcurrentSet<P>>(
    systems: &'s dyn Systems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    store: &StoreOptions,
    control: &mut Control<'_>,
) -> Portfolio {
    let threads = control.options.n_threads();
    let counts = match control.options.algorithm {
        Algorithm::Auto => return auto::search::<P, S, C>(systems, property, config, store, threads, control),
        Algorithm::BreadthFirst => breadth_first::search::<P, S, C>(systems, config, store, threads, control),
        Algorithm::DepthFirst => depth_first::search::<P, S>(systems, config, store, control),
    };
    Portfolio { counts, kind: SearchKind::Safety(control.options.algorithm), probe: None, remark: None }
}

fn finish(portfolio: Portfolio, store: Store, reason: Option<String>) -> Searched<'static> {
    let Portfolio { counts, kind, probe, remark } = portfolio;
    let is_probes = probe.is_some_and(|probe| probe.outcome == ProbeOutcome::Proof);
    let (storage, storage_reason) = match store {
        // The counts are those of the probe, which keeps whole states.
        _ if is_probes => (Store::Exact, None),
        // Such a store has something to report if states have moved.
        Store::Auto if counts.storage_note.is_none() => (Store::Exact, reason),
        Store::Auto => (Store::Tree, reason),
        store => (store, reason),
    };
    Searched {
        kind,
        storage: storage.name(),
        storage_reason,
        reduction: false,
        unreduced: None,
        is_assumed: false,
        counts,
        probe,
        remark,
    }
}
