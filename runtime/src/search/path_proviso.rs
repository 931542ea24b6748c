//! The cycle proviso of the searches for cycles.
//!
//! No step may be left out in all states of a cycle (the ignoring problem). For safety it is enough that every state leads
//! to a fully expanded one. For liveness each cycle must have a fully expanded state (condition C3 of Peled, CAV 1994),
//! because the violating run may be that cycle with another step in between. A depth-first search closes each cycle by a step
//! to its own path, so it fully expands the state that this step leaves.

use crate::pack::{Keyed, Packed};
use crate::store::StateStore;
use crate::system::{Extent, ProductSuccessors};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LivenessProviso {
    /// There is no reduction.
    Nothing,
    /// An ample set, unless one of its steps leads to the path of the search.
    NoStepToPath,
    /// An ample set: the static proviso already fully expands a state on each cycle.
    Static,
}

/// Whether one of the `edges` from `begin` on leads to a state on the path.
pub(crate) fn leads_back<P: Packed>(
    edges: &ProductSuccessors<P>,
    begin: Extent,
    store: &impl StateStore<Keyed<P>>,
    is_on_path: impl Fn(usize) -> bool,
    buffer: &mut Keyed<P>,
) -> bool {
    let mut cursor = edges.first(begin);
    while let Some(edge) = edges.next(&mut cursor, buffer) {
        if store.find(buffer, edge.hash).is_some_and(&is_on_path) {
            return true;
        }
    }
    false
}
