//! Which search, store and reduction may be combined.
//!
//! Small as long as there is one store and no reduction. A new store or reduction adds its row here, and what is not
//! listed is refused before a search begins.

use crate::options::{Algorithm, Options};

/// Why a combination of options has no sound meaning.
pub fn refusal(options: &Options) -> Option<&'static str> {
    match options.algorithm {
        Algorithm::DepthFirst if options.shortest => {
            Some("--shortest needs --search bfs: depth-first search finds long runs")
        }
        Algorithm::DepthFirst | Algorithm::BreadthFirst => None,
    }
}
