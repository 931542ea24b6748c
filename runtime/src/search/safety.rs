//! Properties that finite runs violate: selects the search and the set.
//!
//! These are assertions, end states and faults, a trace, and claims that only come to their end. Such a claim is searched
//! in its [product](crate::system::ClaimSystems) with the system, with the same searches, stores and threads.

use super::auto::{self, Portfolio};
use super::breadth_first::BreadthFirstSearch;
use super::control::{Control, Run};
use super::{Counts, SearchKind, Searched, breadth_first, depth_first, guided};
use crate::goal::Goal;
use crate::options::{Algorithm, Store};
use crate::pack::Keyed;
use crate::property::Property;
use crate::store::concurrent::{ConcurrentChosen, ConcurrentSet};
use crate::store::{BitstateSet, ChosenSet, ExactSet, StateSet, Storable, StoreOptions, choice};
use crate::symmetry::SymmetryInfo;
use crate::system::{ClaimSystems, GoalSystems, ProductSystems, ReductionConfig, SymmetricSystems, Systems};
use crate::verdict::ProbeOutcome;

/// Looks for runs that end with a violation of the property, which is no such claim. A trace is an observer of steps and part
/// of the state itself.
pub(super) fn search<'s, P: Storable>(
    systems: &'s dyn ProductSystems<P>,
    property: Property,
    symmetry: Option<&'s SymmetryInfo<'s>>,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    let goal = Goal::of(&control.options.ask, systems.info()).filter(|_| property == Property::Goal);
    let with_goal = goal.map(|goal| GoalSystems::new(systems, &goal));
    let searched: &dyn Systems<P> = match &with_goal {
        Some(with_goal) => with_goal,
        None => systems,
    };
    let how = control.options.symmetry;
    match symmetry.map(|symmetry| SymmetricSystems::new(searched, systems, symmetry, how)) {
        Some(symmetric) => search_systems::<P>(search_for, &symmetric, property, config, control),
        None => search_systems::<P>(search_for, searched, property, config, control),
    }
}

/// [`search_claim`] for one size of states.
pub(super) type ClaimSearch<P> =
    for<'s> fn(&'s ClaimSystems<'s, P>, Property, Option<ReductionConfig<'s>>, &mut Control<'_>) -> Searched<'static>;

/// Looks for runs that bring a claim to its end.
pub(super) fn search_claim<'s, P: Storable>(
    systems: &'s ClaimSystems<'s, P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    match systems.wrong_from_the_beginning() {
        None => search_systems::<Keyed<P>>(claim_search_for::<P>, systems, property, config, control),
        Some(found) => {
            control.meet(found, Run::default);
            let kind = SearchKind::Safety(Algorithm::BreadthFirst);
            finish(Portfolio { counts: Counts::default(), kind, probe: None, remark: None }, Store::Exact, None)
        }
    }
}

/// A search with one kind of set.
type Search<P> =
    for<'s> fn(&'s dyn Systems<P>, Property, Option<ReductionConfig<'s>>, &StoreOptions, &mut Control<'_>) -> Portfolio;

/// Each search that is compiled here lengthens the build of every verifier.
fn search_for<P: Storable>(store: Store) -> Search<P> {
    match store {
        Store::Exact => search_with::<P, ExactSet<P>, P::Concurrent>,
        Store::Bitstate(_) => search_with::<P, BitstateSet<P>, ConcurrentChosen<P>>,
        _ => search_with::<P, ChosenSet<P>, ConcurrentChosen<P>>,
    }
}

/// The same for the product with a claim, which fewer models have.
fn claim_search_for<P: Storable>(store: Store) -> Search<Keyed<P>> {
    match store {
        Store::Exact => search_with::<Keyed<P>, ExactSet<Keyed<P>>, ConcurrentChosen<Keyed<P>>>,
        _ => search_with::<Keyed<P>, ChosenSet<Keyed<P>>, ConcurrentChosen<Keyed<P>>>,
    }
}

/// With the set that fits the states.
fn search_systems<'s, P: Storable>(
    search_for: fn(Store) -> Search<P>,
    systems: &'s dyn Systems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    let memory_limit = control.memory_limit();
    let choice = choice::choose(control.options, P::WORDS, memory_limit);
    let store = choice::store_options(control.options, choice.store, memory_limit);
    let search = search_for(choice.store);
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
    let breadth_first: BreadthFirstSearch<P> = breadth_first::search::<P, S, C>;
    let counts = match control.options.algorithm {
        Algorithm::Auto => return auto::search(breadth_first, systems, property, config, store, threads, control),
        Algorithm::BreadthFirst => breadth_first(systems, config, store, threads, control),
        Algorithm::DepthFirst => depth_first::search::<P, S>(systems, config, store, control),
        Algorithm::Guided | Algorithm::AStar => search_guided(systems, property, config, store, control),
    };
    Portfolio { counts, kind: SearchKind::Safety(control.options.algorithm), probe: None, remark: None }
}

/// With any set: the queue of such a search takes more time than the set.
fn search_guided<'s, P: Storable>(
    systems: &'s dyn Systems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    store: &StoreOptions,
    control: &mut Control<'_>,
) -> Counts {
    let info = systems.info();
    let goal = Goal::of(&control.options.ask, info);
    let distances = guided::distances(info, property, goal.as_ref().map(Goal::targets));
    guided::search::<P, ChosenSet<P>>(systems, config, &distances, store, control)
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
        symmetry: None,
        unsymmetric: None,
        counts,
        probe,
        remark,
    }
}
