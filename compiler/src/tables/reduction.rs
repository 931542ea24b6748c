//! What partial-order reduction knows without a state, by the numbers that the runtime uses.
//!
//! [`exec::Independence`](Independence) is plain data already. What it lacks are the numbers of locations and statements
//! through all proctypes, and those of the parts of split processes.

use pmc_runtime::reduction::{Cluster, ProcessPart, ReductionInfo, Split, Visibility};
use pmc_runtime::step::{self, Pid, PidSet};

use super::narrow;
use crate::analysis::dependency_classes::ClassSet;
use crate::collections::Id;
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

impl PartRow {
    fn lend(&self) -> ProcessPart<'_> {
        ProcessPart { transitions: &self.transitions, future: &self.future }
    }
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

/// Passes the results of the independence analyses that hold in every state to `borrow`, once, in the form of the runtime.
pub fn lend_reduction(
    program: &Program<'_>,
    independence: &Result<Independence, &'static str>,
    borrow: &mut dyn FnMut(&ReductionInfo<'_>),
) {
    let independence = match independence {
        Ok(independence) => independence,
        Err(reason) => return borrow(&ReductionInfo { off: Some(reason), ..ReductionInfo::UNKNOWN }),
    };
    // The inner slices first: the numbers of proctypes, the clusters of a level, the levels.
    let proctypes: Vec<Vec<Vec<u16>>> =
        independence.clusters.iter().map(|level| level.iter().map(proctype_numbers).collect()).collect();
    let clusters = independence.clusters.iter().zip(&proctypes).map(|(level, proctypes)| {
        let clusters = level.iter().zip(proctypes);
        clusters.map(|(cluster, proctypes)| Cluster { pids: PidSet::from_words(cluster.pids), proctypes }).collect()
    });
    let clusters: Vec<Vec<Cluster<'_>>> = clusters.collect();
    let levels: Vec<&[Cluster<'_>]> = clusters.iter().map(Vec::as_slice).collect();
    let rows = splits(program, independence);
    let parts: Vec<Vec<ProcessPart<'_>>> =
        rows.iter().map(|split| split.parts.iter().map(PartRow::lend).collect()).collect();
    let splits = rows.iter().zip(&parts).map(|(row, parts)| Split {
        pid: row.pid,
        location: row.location as usize,
        first: row.first,
        parts,
    });
    let claims: Vec<Visibility<'_>> = independence.claims.iter().map(visibility).collect();
    borrow(&ReductionInfo {
        off: None,
        n_words: independence.stubborn.as_ref().map_or(0, |stubborn| stubborn.n_words),
        levels: &levels,
        beginning: &independence.beginning,
        sticky: &independence.sticky,
        splits: &splits.collect::<Vec<_>>(),
        pids_are_observed: independence.pids_are_observed,
        may_observe_pids: &independence.may_observe_pids,
        relies_on_promises: independence.relies_on_promises,
        claims: &claims,
        acceptance: visibility(&independence.acceptance),
        progress: visibility(&independence.progress),
    });
}

fn proctype_numbers(cluster: &independence::Cluster) -> Vec<u16> {
    cluster.proctypes.iter().map(|id| narrow(id.index())).collect()
}

fn visibility(of: &independence::Visibility) -> Visibility<'_> {
    let independence::Visibility { visible, off, is_doubt, is_stutter_robust } = of;
    Visibility { visible, off: *off, is_doubt: *is_doubt, is_stutter_robust: *is_stutter_robust }
}
