//! When a search for cycles may leave out steps of a state.
//!
//! No step may be left out all the way round a cycle. For safety it is enough that every state leads on to one of which
//! all steps were taken. Here there must be such a state on each cycle, since the run that is looked for may be just that
//! cycle with something in between. A depth-first search closes each cycle where it finds a step back to its own path;
//! so that is where all steps are taken.

use crate::pack::{Keyed, Packed};
use crate::store::StateStore;
use crate::system::{Extent, Fan};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeavesOut {
    /// There is no reduction.
    Nothing,
    /// What the reduction chooses, unless a step that it takes leads back to the path of the search.
    UnlessItLeadsBack,
    /// What the reduction chooses: it takes all steps somewhere on each cycle by itself.
    AsChosen,
}

/// Whether a state on the path is among those that the last state of `fan`, which begins at `begin`, leads to.
pub(crate) fn leads_back<P: Packed>(
    fan: &Fan<P>,
    begin: Extent,
    store: &impl StateStore<Keyed<P>>,
    is_on_path: impl Fn(usize) -> bool,
    buffer: &mut Keyed<P>,
) -> bool {
    let mut cursor = fan.first(begin);
    while let Some(edge) = fan.next(&mut cursor, buffer) {
        if store.find(buffer, edge.hash).is_some_and(&is_on_path) {
            return true;
        }
    }
    false
}
