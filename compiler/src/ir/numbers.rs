//! The numbers that reports, trails and tables use: locations and transitions are
//! counted through all proctypes.

use super::{Graph, Program, Transition, TransitionId};
use crate::model::ProctypeId;

impl Program<'_> {
    /// The number of a proctype's first location.
    pub fn first_location(&self, id: ProctypeId) -> u32 {
        let before = self.graphs.ids().take_while(|other| *other != id);
        before.map(|other| u32::try_from(self.graphs[other].locations.len()).unwrap_or(u32::MAX)).sum()
    }

    /// The number of a proctype's first transition.
    pub fn first_transition(&self, id: ProctypeId) -> u32 {
        let before = self.graphs.ids().take_while(|other| *other != id);
        before.map(|other| n_transitions(&self.graphs[other])).sum()
    }

    /// The number of a transition. The statements inside it follow, and then those that are merged with it.
    pub fn transition_number(&self, id: ProctypeId, of: TransitionId) -> u32 {
        let before = self.graphs[id].transitions.iter_enumerated().take_while(|(other, _)| *other != of);
        self.first_transition(id) + before.map(|(_, transition)| transition.n_statements()).sum::<u32>()
    }
}

impl Transition<'_> {
    /// The transition itself, the statements inside it, and those that are merged with it.
    pub fn n_statements(&self) -> u32 {
        let inner = self.action.d_step().map_or(0, n_transitions);
        1 + inner + u32::try_from(self.merged.len()).unwrap_or(u32::MAX)
    }
}

fn n_transitions(graph: &Graph<'_>) -> u32 {
    graph.transitions.iter().map(Transition::n_statements).sum()
}
