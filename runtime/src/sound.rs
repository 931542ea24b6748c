//! Which search, store and reduction may be combined.
//!
//! Small as long as there is one store and no reduction. A new store or reduction adds its row here, and what is not
//! listed is refused before a search begins.

use crate::options::{Algorithm, Liveness, Options};

/// Why a combination of options has no sound meaning.
pub fn refusal(options: &Options) -> Option<&'static str> {
    match options.algorithm {
        Algorithm::DepthFirst if options.shortest => {
            Some("--shortest needs --search bfs: depth-first search finds long runs")
        }
        Algorithm::DepthFirst | Algorithm::BreadthFirst => None,
    }
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
