//! The inside of a `d_step`, split into blocks of statements that follow each other.

use super::Context;
use crate::collections::IdVec;
use crate::exec::{Accept, Block, DStep, Flow, Row};
use crate::ir::{Action, Graph, LocationId, TransitionId};

impl Context<'_> {
    pub fn d_step(&self, graph: &Graph<'_>) -> DStep {
        let block_of = self.blocks(graph);
        let begins = graph.locations.iter_enumerated().filter(|(id, _)| block_of[*id].is_some());
        let blocks = begins.map(|(_, location)| Block {
            span: location.span,
            rows: location.leaving.iter().map(|option| self.row(graph, &block_of, *option)).collect(),
        });
        DStep { blocks: blocks.collect(), start: block_of[graph.start].expect("a block begins at the start") }
    }

    /// The start of a `d_step` that receives in a rendezvous.
    pub fn d_step_answers(&self, graph: &Graph<'_>) -> Vec<(TransitionId, Accept, Flow)> {
        let block_of = self.blocks(graph);
        let first = graph.locations[graph.start].leaving.iter();
        let answer = |id: &TransitionId| {
            let Action::Receive { channel, pattern, .. } = &graph.transitions[*id].action else { return None };
            let accept = || (*id, self.accept(channel, pattern), flow(&block_of, graph.transitions[*id].to));
            self.rendezvous(channel).0.then(accept)
        };
        first.filter_map(answer).collect()
    }

    /// The locations that begin a block: the start, those with several predecessors, and those with several options.
    fn blocks(&self, graph: &Graph<'_>) -> IdVec<LocationId, Option<usize>> {
        let mut n_entries: IdVec<LocationId, u32> = graph.locations.iter().map(|_| 0).collect();
        // A transition can leave several locations, such as the one before a loop and that of the loop.
        for option in graph.locations.iter().flat_map(|location| &location.leaving) {
            if let Some(to) = graph.transitions[*option].to {
                n_entries[to] += 1;
            }
        }
        let begins = |(id, location): (LocationId, &crate::ir::Location)| {
            id == graph.start || location.leaving.len() != 1 || n_entries[id] != 1
        };
        let mut is_first: IdVec<LocationId, bool> = graph.locations.iter_enumerated().map(begins).collect();
        // A rendezvous continues behind the statement that received.
        for first in &graph.locations[graph.start].leaving {
            let transition = &graph.transitions[*first];
            if let (Action::Receive { channel, .. }, Some(to)) = (&transition.action, transition.to)
                && self.rendezvous(channel).0
            {
                is_first[to] = true;
            }
        }
        let mut n_blocks = 0;
        let number = |is_first: &bool| {
            is_first.then(|| {
                n_blocks += 1;
                n_blocks - 1
            })
        };
        is_first.iter().map(number).collect()
    }

    /// One option and the statements that follow it.
    fn row(&self, graph: &Graph<'_>, block_of: &IdVec<LocationId, Option<usize>>, option: TransitionId) -> Row {
        let mut statements = Vec::new();
        let mut at = option;
        loop {
            let transition = &graph.transitions[at];
            let statement = self.statement(&transition.action, transition.span);
            let is_stuck = statement.is_stuck();
            statements.push((at, statement));
            if is_stuck {
                return Row { statements, then: Flow::Nowhere };
            }
            match transition.to.filter(|to| block_of[*to].is_none()) {
                Some(to) => at = graph.locations[to].leaving[0],
                None => return Row { statements, then: flow(block_of, transition.to) },
            }
        }
    }
}

fn flow(block_of: &IdVec<LocationId, Option<usize>>, to: Option<LocationId>) -> Flow {
    match to {
        None => Flow::Done,
        Some(to) => Flow::To(block_of[to].expect("control goes on where a block begins")),
    }
}
