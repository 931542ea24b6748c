//! The writers of each cell.

use super::cells::{CellId, Cells};
use super::step::addition;
use crate::collections::IdVec;
use crate::ir::{Graph, visit};
use crate::model::Model;

/// The writers of each cell.
pub(super) struct Writers {
    by: IdVec<CellId, WrittenBy>,
    /// Cells that claims store in, which may happen between any two steps.
    by_claims: IdVec<CellId, bool>,
    /// Cells that are only ever added to.
    is_counter: IdVec<CellId, bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WrittenBy {
    NoProcess,
    /// The process or claim with this number, of which there is one at most.
    One(usize),
    Several,
}

impl Writers {
    /// `is_alone` says of each graph that no more than one process of it is ever started.
    /// Those from number `n_proctypes` on are claims.
    pub fn new(model: &Model, cells: &Cells, graphs: &[&Graph<'_>], n_proctypes: usize, is_alone: &[bool]) -> Self {
        let mut writers = Self {
            by: cells.list.iter().map(|_| WrittenBy::NoProcess).collect(),
            by_claims: cells.list.iter().map(|_| false).collect(),
            is_counter: cells.list.iter().map(|_| true).collect(),
        };
        for (number, graph) in graphs.iter().enumerate() {
            visit::actions(graph, &mut |action| {
                let assigned = action.assigned();
                for place in action.stored() {
                    let cell = cells.of_place(model, place);
                    writers.by[cell] = match writers.by[cell] {
                        WrittenBy::NoProcess | WrittenBy::One(_) if !is_alone[number] => WrittenBy::Several,
                        WrittenBy::One(other) if other != number => WrittenBy::Several,
                        WrittenBy::NoProcess | WrittenBy::One(_) => WrittenBy::One(number),
                        WrittenBy::Several => WrittenBy::Several,
                    };
                    writers.by_claims[cell] |= number >= n_proctypes;
                    writers.is_counter[cell] &= assigned.is_some_and(|value| addition(place, value).is_some());
                }
            });
        }
        writers
    }

    /// The only process that stores in a cell. (That of a local may be one of many, each with its own.)
    pub fn only(&self, cell: CellId) -> Option<usize> {
        match self.by[cell] {
            WrittenBy::One(number) => Some(number),
            WrittenBy::NoProcess | WrittenBy::Several => None,
        }
    }

    pub fn claims_store_in(&self, cell: CellId) -> bool {
        self.by_claims[cell]
    }

    /// Whether the only operation on a cell is that several processes add to it.
    pub fn is_counter(&self, cell: CellId) -> bool {
        self.is_counter[cell] && self.by[cell] == WrittenBy::Several
    }
}
