//! Counters: variables that processes only increment and decrement, such as the number of processes in a critical
//! section.
//!
//! No guard bounds them, but each process can have added only so much at any time. The analysis tracks the contribution
//! of each process through its control flow like a variable of its own, and the sum over all processes bounds the
//! counter, as long as nothing wraps around. It does not if the sum fits in the counter's type, or else if guards
//! prevent it: a semaphore is taken only while it is not 0.

use super::World;
use super::cells::{Cell, CellContent, CellId};
use super::interval::{Range, of_type};
use super::solve::{RangeSolver, Solution};
use crate::collections::Lookup;
use crate::ir::Program;
use crate::model::{Owner, Type};

/// The greatest number of counters.
const MOST_COUNTERS: usize = 64;

/// A counter in one process or claim.
pub(super) struct Count {
    pub counter: CellId,
    pub contribution: CellId,
    /// Number of the process or claim.
    pub by: usize,
}

/// Computes the ranges, and computes them again with the bounds of counters.
pub(super) fn solve<'a, 'm>(
    program: &Program<'m>,
    mut world: World<'a, 'm>,
    started: &[Option<u32>],
) -> (World<'a, 'm>, Solution) {
    let counts = counts(&mut world, started.len());
    let first = RangeSolver::new(program, &world, &counts).solve();
    let caps = caps(&world, &counts, &first, started);
    if caps.is_empty() {
        return (world, first);
    }
    world.caps = caps;
    let second = RangeSolver::new(program, &world, &[]).solve();
    (world, second)
}

fn counts(world: &mut World<'_, '_>, n_graphs: usize) -> Vec<Count> {
    let is_candidate = |cell: &CellId| {
        let CellContent::Variable { id, is_single: true } = world.cells.list[*cell].content else { return false };
        let is_timer = world.cells.list[*cell].ty == Type::Timer;
        world.model.variables[id].owner == Owner::Global
            && !is_timer
            && world.is_followed[id]
            && world.writers.is_counter(*cell)
    };
    let counters: Vec<CellId> = world.cells.list.ids().filter(is_candidate).take(MOST_COUNTERS).collect();
    let mut counts = Vec::new();
    for counter in counters {
        for by in 0..n_graphs {
            let contribution = world.cells.list.push(Cell { content: CellContent::Contribution, ty: Type::Int });
            counts.push(Count { counter, contribution, by });
        }
    }
    counts
}

/// The bounds of counters, where they are narrower than the known ranges.
fn caps(
    world: &World<'_, '_>,
    counts: &[Count],
    solution: &Solution,
    started: &[Option<u32>],
) -> Lookup<CellId, Range> {
    let mut caps = Lookup::new();
    for of_one in counts.chunk_by(|a, b| a.counter == b.counter) {
        let Some(counter) = of_one.first().map(|count| count.counter) else { continue };
        let added = |count: &Count| match solution.summary[count.contribution] {
            None => Some(Range::ZERO),
            Some(range) => {
                let n = i64::from(started[count.by]?);
                let range = range.join(Range::ZERO);
                Some(Range { low: range.low.checked_mul(n)?, high: range.high.checked_mul(n)? })
            }
        };
        let sum = of_one.iter().map(added).try_fold(world.start_of(counter), |sum, one| Some(sum.plus(one?)));
        let known = solution.summary[counter].unwrap_or(Range::ANY);
        let all = of_type(world.cells.list[counter].ty);
        // Values are truncated to 32 bits before they are stored, so that stored values imply nothing there.
        let shows_wrapping = all != Range::ANY;
        let stored = solution.uncut[counter].unwrap_or(Range::ZERO);
        if let Some(sum) = sum
            && (sum.low >= all.low || (stored.low >= all.low && shows_wrapping))
            && (sum.high <= all.high || (stored.high <= all.high && shows_wrapping))
            && let Some(cap) = sum.meet(all)
            && !known.is_within(cap)
        {
            caps.insert(counter, cap);
        }
    }
    caps
}
