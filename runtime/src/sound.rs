//! The sound combinations of search, store and reduction.
//!
//! A new store or reduction adds its row here. Combinations that are not listed are refused before a search begins.
//!
//! | | exact, tree, compact | hash-compact, bitstate |
//! | --- | --- | --- |
//! | safety | every reduction | every reduction: what is on the path or in the queue is known exactly |
//! | cycles | states are numbered, so they are kept exactly whatever was asked for | refused |
//! | `--search a-star` | yes, without a reduction | refused, as `--shortest` |
//! | `--shortest` | yes | refused: the run to a state may be longer than that to one that was missed |

use crate::model::ModelInfo;
use crate::options::{ALL_CORES, Algorithm, Liveness, Options, Store};
use crate::property::Property;

/// Why a combination of options is not sound.
pub fn refusal(options: &Options) -> Option<&'static str> {
    if options.algorithm == Algorithm::DepthFirst && options.threads > 1 {
        return Some("--threads needs --search bfs: depth-first search runs on one thread");
    }
    if options.algorithm == Algorithm::AStar && options.store.is_lossy() {
        return Some("--search a-star needs a store that misses no states: exact, tree or compact");
    }
    if options.shortest && options.store.is_lossy() {
        return Some("--shortest needs a store that misses no states: exact, tree or compact");
    }
    if options.time_passes && options.liveness == Liveness::Nested {
        return Some("--time-passes needs --search scc: nested depth-first search does not look at time");
    }
    match (options.algorithm, options.liveness) {
        _ if !options.shortest => None,
        (Algorithm::DepthFirst, _) => Some("--shortest needs --search bfs: depth-first search finds long runs"),
        // A* knows the way to its targets, and a shorter run may lead to another violation.
        (Algorithm::Guided | Algorithm::AStar, _) => {
            Some("--shortest needs --search bfs: a guided search looks at the runs towards its targets first")
        }
        // Without fairness a lasso has one acceptance set, and the shortest is found in reasonable time. A shortest
        // cycle through several acceptance sets is a problem like that of the travelling salesman.
        _ if options.fair => {
            Some("--shortest does not go with --fair, where counterexamples are short but not shortest")
        }
        _ if options.time_passes => {
            Some("--shortest does not go with --time-passes, where counterexamples are short but not shortest")
        }
        (_, Liveness::Nested | Liveness::Components) => {
            Some("--shortest has a search of its own; nested and scc find short cycles, not the shortest")
        }
        (_, Liveness::Auto) => None,
    }
}

/// Why a search for cycles cannot use a store that may omit states: it identifies the states of the path and of the
/// cycle by their numbers.
pub const LOSSY_CYCLES: &str = "hash-compact and bitstate can check safety only (--safety); cycles need --store exact";

/// Why these properties cannot be checked together with these options.
pub fn refusal_for(options: &Options, properties: &[Property], info: &ModelInfo<'_>) -> Option<&'static str> {
    let has_cycles = properties.iter().any(|&property| !is_searched_as_safety(property, info, options));
    (has_cycles && options.store.is_lossy()).then_some(LOSSY_CYCLES)
}

/// Whether runs that end suffice to find every violation: then there is no search for cycles, unless it is asked for.
pub fn is_searched_as_safety(property: Property, info: &ModelInfo<'_>, options: &Options) -> bool {
    let asks_for_cycles = options.liveness != Liveness::Auto && property.kind(info).is_liveness();
    property.is_safety(info) && !asks_for_cycles
}

/// The user chose a store, and the searches for cycles, of these properties, used another one.
pub fn exact_all_the_same(options: &Options, names: &[&str]) -> Option<String> {
    let is_other = matches!(options.store, Store::Tree | Store::Compact);
    (is_other && !names.is_empty())
        .then(|| format!("states were kept exactly for {}: searches for cycles number them", names.join(", ")))
}

/// The user asked for several threads, and the search has one.
pub fn one_thread_all_the_same(options: &Options) -> Option<String> {
    let is_alone = options.algorithm.is_directed() && options.threads > 1;
    is_alone.then(|| format!("--search {} ran on one thread: it has no more", options.algorithm.name()))
}

/// Whether the whole product is to be explored for the shortest lasso.
pub fn is_shortest_lasso(options: &Options) -> bool {
    options.shortest && !options.fair
}

/// The search for cycles that fits the question.
///
/// Without fairness there is one acceptance set, and nested depth-first search needs the least memory: two bits a
/// state. Under fairness it would multiply the states by the number of processes; the search for components needs one
/// pass, with a number for each state. There the passing of time is one acceptance set more.
pub fn liveness(options: &Options) -> Liveness {
    match (options.liveness, options.fair || options.time_passes) {
        (Liveness::Auto, true) => Liveness::Components,
        (Liveness::Auto, false) => Liveness::Nested,
        (chosen, _) => chosen,
    }
}

/// The number of threads of a search for cycles. The search for components has one; the parallel nested search does not
/// support fairness, and stops at the first violation. It repeats much of the work, so it runs only on request.
pub fn liveness_threads(options: &Options) -> usize {
    let is_for_one = options.threads == ALL_CORES || options.fair || options.shortest || options.all_errors;
    match liveness(options) {
        Liveness::Nested if !is_for_one => options.n_threads(),
        Liveness::Nested | Liveness::Auto | Liveness::Components => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_is_refused_where_no_search_can_promise_it() {
        let shortest = Options { shortest: true, ..Options::default() };
        assert_eq!(refusal(&shortest), None);
        for options in [
            Options { fair: true, ..shortest.clone() },
            Options { algorithm: Algorithm::DepthFirst, ..shortest.clone() },
            Options { algorithm: Algorithm::Guided, ..shortest.clone() },
            Options { algorithm: Algorithm::AStar, ..shortest.clone() },
            Options { liveness: Liveness::Nested, ..shortest.clone() },
            Options { liveness: Liveness::Components, ..shortest.clone() },
        ] {
            assert!(refusal(&options).is_some_and(|message| message.contains("--shortest")), "{options:?}");
            assert_eq!(refusal(&Options { shortest: false, ..options }), None);
        }
    }

    #[test]
    fn stores_that_miss_states_promise_nothing_about_them() {
        let lossy = Options { store: Store::Bitstate(None), ..Options::default() };
        assert_eq!(refusal(&lossy), None);
        assert!(
            refusal(&Options { shortest: true, ..lossy.clone() }).is_some_and(|message| message.contains("misses no"))
        );
        let graph = crate::toy::Graph::new(&[], &[]);
        let info = crate::model::Model::info(&graph);
        assert_eq!(refusal_for(&lossy, &[Property::Safety], info), None);
        assert_eq!(refusal_for(&lossy, &[Property::Safety, Property::Acceptance], info), Some(LOSSY_CYCLES));
        assert_eq!(refusal_for(&Options::default(), &[Property::Acceptance], info), None);
    }

    #[test]
    fn guided_searches_have_one_thread_and_a_star_a_whole_store() {
        let guided = Options { algorithm: Algorithm::Guided, threads: 2, ..Options::default() };
        assert!(one_thread_all_the_same(&guided).is_some_and(|message| message.contains("one thread")));
        assert_eq!((guided.n_threads(), refusal(&guided)), (1, None));
        assert_eq!(one_thread_all_the_same(&Options { threads: ALL_CORES, ..guided.clone() }), None);
        let lossy = Options { store: Store::HashCompact(None), ..guided };
        assert_eq!(refusal(&lossy), None);
        let a_star = Options { algorithm: Algorithm::AStar, ..lossy };
        assert!(refusal(&a_star).is_some_and(|message| message.contains("misses no states")));
    }

    #[test]
    fn several_threads_look_for_cycles_if_asked_to() {
        let options = |threads| Options { threads, ..Options::default() };
        assert_eq!([ALL_CORES, 1, 2, 7].map(|threads| liveness_threads(&options(threads))), [1, 1, 2, 7]);
        for alone in [
            Options { fair: true, ..options(2) },
            Options { fair: true, liveness: Liveness::Nested, ..options(2) },
            Options { liveness: Liveness::Components, ..options(2) },
            Options { shortest: true, ..options(2) },
            Options { all_errors: true, ..options(2) },
        ] {
            assert_eq!(liveness_threads(&alone), 1, "{alone:?}");
        }
    }

    #[test]
    fn fairness_is_a_matter_of_components() {
        for (fair, expected) in [(false, Liveness::Nested), (true, Liveness::Components)] {
            assert_eq!(liveness(&Options { fair, ..Options::default() }), expected);
            for chosen in [Liveness::Nested, Liveness::Components] {
                assert_eq!(liveness(&Options { fair, liveness: chosen, ..Options::default() }), chosen);
            }
        }
    }
}
