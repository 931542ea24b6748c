//! What partial-order reduction knows without a state, by the numbers that the runtime uses.
//!
//! [`exec::Independence`](Independence) is plain data already. What it lacks are the numbers of locations and statements
//! through all proctypes, and those of the parts of split processes.

use pmc_runtime::step::{self, Pid};

use crate::analysis::dependency_classes::ClassSet;
use crate::exec::Independence;
use crate::exec::independence::{self, Stubborn};
use crate::ir::Program;

/// A process whose statements at a location fall into independent parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitRow {
    pub pid: Pid,
    /// Its number among the locations of all proctypes.
    pub location: u32,
    /// The number of the first part, among the parts of all processes.
    pub first: u32,
    pub parts: Vec<PartRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRow {
    pub transitions: Vec<step::TransitionId>,
    /// The dependency classes of what it may still do, as a bit set.
    pub future: Vec<u64>,
}

/// The processes that are split, with their parts in the order of their numbers.
pub fn splits(program: &Program<'_>, independence: &Independence) -> Vec<SplitRow> {
    let Some(Stubborn { n_words, splits, .. }) = &independence.stubborn else { return Vec::new() };
    let mut first = 0;
    let mut rows = Vec::new();
    for split in splits {
        let part = |part: &independence::Part| {
            let numbers = part.transitions.iter().map(|id| program.transition_number(split.proctype, *id));
            PartRow {
                transitions: numbers.map(step::TransitionId).collect(),
                future: class_words(&part.future, *n_words),
            }
        };
        let parts: Vec<PartRow> = split.parts.iter().map(part).collect();
        let n_parts = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let location = program.first_location(split.proctype) + split.at.0;
        rows.push(SplitRow { pid: Pid::from_index(split.pid as usize), location, first, parts });
        first += n_parts;
    }
    rows
}

/// A set of dependency classes as a bit set of `n_words` words: sets of one model are compared word by word.
pub fn class_words(classes: &ClassSet, n_words: usize) -> Vec<u64> {
    let mut words = classes.words().to_vec();
    words.resize(n_words, 0);
    words
}
