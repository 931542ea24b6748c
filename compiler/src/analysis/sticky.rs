//! Sticky locations: a set of locations that meets every cycle of a proctype's steps (the static cycle proviso).
//!
//! A state in which a process at a sticky location moves is fully expanded. On a cycle of the whole system the oldest
//! process that moves follows a cycle of its own graph, so every cycle contains such a state, and no step is ignored
//! forever.
//!
//! Locations that are unsafe anyway cost nothing, so they are taken first.

use super::steps::{self, Steps};
use crate::collections::IdVec;
use crate::ir::{Graph, LocationId};

/// In larger proctypes all unsafe locations are sticky.
const MOST_LOCATIONS: usize = 4_000;

pub(super) fn sticky(graph: &Graph<'_>, steps: &Steps, is_unsafe: &IdVec<LocationId, bool>) -> IdVec<LocationId, bool> {
    let next: IdVec<LocationId, Vec<LocationId>> = graph
        .locations
        .ids()
        .map(|at| {
            let leaving = steps::leaving(graph, at).filter(|_| steps.may_rest[at]);
            leaving.flat_map(|id| steps.compounds[id].rests.iter().copied()).collect()
        })
        .collect();
    // Cycles of safe locations: the source of each edge that closes one.
    let mut is_sticky = closing(&next, is_unsafe);
    // The other cycles contain unsafe locations: as many of these as needed.
    let mut left: IdVec<LocationId, bool> = graph.locations.ids().map(|at| is_sticky[at] || is_unsafe[at]).collect();
    // In a very large proctype this would take too long; then all of them are sticky.
    let tried = graph.locations.ids().filter(|at| is_unsafe[*at] && graph.locations.len() <= MOST_LOCATIONS);
    for at in tried {
        left[at] = false;
        let closes = closing(&next, &left);
        left[at] = closes.iter().any(|closes| *closes);
    }
    for at in graph.locations.ids() {
        is_sticky[at] |= left[at];
    }
    is_sticky
}

/// The sources of the back edges of a depth-first search that skips the locations in `without`: if these are removed,
/// too, no cycle is left.
fn closing(next: &IdVec<LocationId, Vec<LocationId>>, without: &IdVec<LocationId, bool>) -> IdVec<LocationId, bool> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Colour {
        New,
        OnPath,
        Done,
    }
    let mut marks: IdVec<LocationId, Colour> =
        without.iter().map(|is_out| if *is_out { Colour::Done } else { Colour::New }).collect();
    let mut closes: IdVec<LocationId, bool> = next.iter().map(|_| false).collect();
    for root in next.ids() {
        if marks[root] != Colour::New {
            continue;
        }
        marks[root] = Colour::OnPath;
        let mut path = vec![(root, next[root].iter())];
        while let Some((at, waiting)) = path.last_mut() {
            match waiting.next() {
                Some(to) => match marks[*to] {
                    Colour::New => {
                        marks[*to] = Colour::OnPath;
                        path.push((*to, next[*to].iter()));
                    }
                    Colour::OnPath => closes[*at] = true,
                    Colour::Done => {}
                },
                None => {
                    marks[*at] = Colour::Done;
                    path.pop();
                }
            }
        }
    }
    closes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(edges: &[(u32, u32)], n: usize, without: &[u32], expected: &[u32]) {
        let mut next: IdVec<LocationId, Vec<LocationId>> = (0..n).map(|_| Vec::new()).collect();
        edges.iter().for_each(|(from, to)| next[LocationId(*from)].push(LocationId(*to)));
        let without: IdVec<LocationId, bool> = next.ids().map(|at| without.contains(&at.0)).collect();
        let closes = closing(&next, &without);
        let found: Vec<u32> = closes.iter_enumerated().filter(|(_, it)| **it).map(|(at, _)| at.0).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_edge_back_closes_a_cycle() {
        check(&[(0, 1), (1, 2), (2, 0), (2, 3)], 4, &[], &[2]);
        check(&[(0, 0)], 1, &[], &[0]);
        check(&[(0, 1), (1, 2), (0, 2)], 3, &[], &[]);
    }

    #[test]
    fn what_is_left_out_closes_nothing() {
        check(&[(0, 1), (1, 2), (2, 0)], 3, &[1], &[]);
        check(&[(0, 1), (1, 2), (2, 0), (2, 2)], 3, &[1], &[2]);
    }
}
