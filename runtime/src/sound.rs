//! Which search, store and reduction may be combined.
//!
//! Small as long as there is one store and no reduction. A new store or reduction adds its row here, and what is not
//! listed is refused before a search begins.

use crate::options::{Algorithm, Liveness, Options};

/// Why a combination of options has no sound meaning.
pub fn refusal(options: &Options) -> Option<&'static str> {
    if options.algorithm == Algorithm::DepthFirst && options.threads > 1 {
        return Some("--threads needs --search bfs: depth-first search runs on one thread");
    }
    match (options.algorithm, options.liveness) {
        _ if !options.shortest => None,
        (Algorithm::DepthFirst, _) => Some("--shortest needs --search bfs: depth-first search finds long runs"),
        // Without fairness a lasso has one acceptance set, and the shortest is found in reasonable time. To pass by
        // each of several sets on a way as short as possible is the traveller's problem.
        _ if options.fair => {
            Some("--shortest does not go with --fair, where counterexamples are short but not shortest")
        }
        (Algorithm::BreadthFirst, Liveness::Nested | Liveness::Components) => {
            Some("--shortest has a search of its own; nested and scc find short cycles, not the shortest")
        }
        (Algorithm::BreadthFirst, Liveness::Auto) => None,
    }
}

/// Whether the whole product is to be explored for the shortest lasso.
pub(crate) fn is_shortest_lasso(options: &Options) -> bool {
    options.shortest && !options.fair
}

/// The search for cycles that fits the question.
///
/// Without fairness there is one acceptance set, and nested search needs the least memory: two bits a state. Under
/// fairness it would multiply the states by the number of processes; components are found in one pass, with a number
/// for each state. Both are sound with the exact store, which is the only one; with one that can mistake a state for
/// another, components are not, since they number states.
pub(crate) fn liveness(options: &Options) -> Liveness {
    match (options.liveness, options.fair) {
        (Liveness::Auto, true) => Liveness::Components,
        (Liveness::Auto, false) => Liveness::Nested,
        (chosen, _) => chosen,
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
            Options { liveness: Liveness::Nested, ..shortest.clone() },
            Options { liveness: Liveness::Components, ..shortest.clone() },
        ] {
            assert!(refusal(&options).is_some_and(|message| message.contains("--shortest")), "{options:?}");
            assert_eq!(refusal(&Options { shortest: false, ..options }), None);
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
