//! The successors of product states, without repetition: the steps of the system once, and the moves of the observer that
//! go with them. A search that backtracks to a state takes the next pair of both.
//!
//! Paths can be millions of states long, so numbers have 32 bits; there is no memory for more states anyway.

use super::successors::Arrival;
use super::{Mark, Successors};
use crate::hidden::Hidden;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Keyed, Packed};
use crate::step::{ClaimLocation, PidSet};
use crate::verdict::Found;

/// A stack of successors, those of the last state at the end.
pub(crate) struct ProductSuccessors<P: Packed> {
    /// The steps of the system; under fairness with the processes that move.
    pub steps: Successors<P>,
    groups: Vec<Group>,
    /// The disabled processes for each group; empty without fairness.
    idle: Vec<PidSet>,
    branches: Vec<Branch>,
    /// The violations in the state that was expanded last.
    pub found: Vec<Found>,
    is_full: bool,
}

/// The steps of the system out of one state.
#[derive(Clone, Copy)]
struct Group {
    begin: u32,
    end: u32,
    n_processes: u32,
}

/// A move of the observer, and the steps of the system that may follow it.
#[derive(Clone, Copy)]
struct Branch {
    to: ClaimLocation,
    n_moves: u32,
    group: u32,
    /// How many of the steps come last instead of first.
    turn: u32,
}

impl Branch {
    #[inline]
    fn group(&self) -> usize {
        self.group as usize
    }
}

/// Where the successors of a state begin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extent {
    arrivals: u32,
    groups: u32,
    branches: u32,
}

/// The next pair to take.
#[derive(Clone, Copy)]
pub(crate) struct Cursor {
    branch: u32,
    arrival: u32,
}

impl Cursor {
    /// Behind the last pair.
    pub const END: Cursor = Cursor { branch: u32::MAX, arrival: 0 };
}

/// An edge of the product.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub hash: u64,
    pub hidden: Hidden,
    /// Moves of the claim and steps of the system.
    pub n_moves: u32,
    /// The processes that this edge serves: they move on it, are disabled in the state that it leaves, or do not exist
    /// there. All, without fairness.
    pub served: PidSet,
    /// The processes that move; none, without fairness.
    pub movers: PidSet,
    /// In the state that the system leaves.
    pub n_processes: usize,
}

impl<P: Packed> ProductSuccessors<P> {
    /// Under fairness the processes that move are kept.
    pub fn new(is_fair: bool) -> ProductSuccessors<P> {
        ProductSuccessors {
            steps: if is_fair { Successors::with_movers() } else { Successors::new() },
            groups: Vec::new(),
            idle: Vec::new(),
            branches: Vec::new(),
            found: Vec::new(),
            is_full: false,
        }
    }

    #[inline]
    pub fn extent(&self) -> Extent {
        let number = |length: usize| length as u32;
        Extent {
            arrivals: number(self.steps.len()),
            groups: number(self.groups.len()),
            branches: number(self.branches.len()),
        }
    }

    pub fn truncate(&mut self, extent: Extent) {
        self.steps.truncate(Mark { arrivals: extent.arrivals as usize, found: 0 });
        self.groups.truncate(extent.groups as usize);
        self.idle.truncate(extent.groups as usize);
        self.branches.truncate(extent.branches as usize);
    }

    /// Makes a group of the arrivals from `begin` on; its number. `idle` are the processes that cannot move.
    #[inline]
    pub fn push_group(&mut self, begin: Extent, n_processes: usize, idle: Option<PidSet>) -> Result<u32, OutOfMemory> {
        reserve(&mut self.groups)?;
        if self.steps.is_full() || self.groups.len() >= MOST || self.steps.len() >= MOST {
            return Err(OutOfMemory);
        }
        if let Some(idle) = idle {
            reserve(&mut self.idle)?;
            self.idle.push(idle);
        }
        let (begin, end) = (begin.arrivals, self.steps.len() as u32);
        self.groups.push(Group { begin, end, n_processes: n_processes as u32 });
        Ok(self.groups.len() as u32 - 1)
    }

    #[inline]
    pub fn push_branch(&mut self, to: ClaimLocation, n_moves: u32, group: u32) -> Result<(), OutOfMemory> {
        reserve(&mut self.branches)?;
        if self.branches.len() >= MOST {
            return Err(OutOfMemory);
        }
        self.branches.push(Branch { to, n_moves, group, turn: 0 });
        Ok(())
    }

    /// The first pair of the state whose successors begin at `extent`.
    #[inline]
    pub fn first(&self, extent: Extent) -> Cursor {
        Cursor { branch: extent.branches, arrival: self.begin_of(extent.branches) }
    }

    #[inline]
    fn begin_of(&self, branch: u32) -> u32 {
        self.branches.get(branch as usize).map_or(0, |branch| self.groups[branch.group()].begin)
    }

    /// Takes the next pair of the last state; the state that it leads to goes into `target`.
    #[inline]
    pub fn next(&self, cursor: &mut Cursor, target: &mut Keyed<P>) -> Option<Edge> {
        loop {
            let branch = self.branches.get(cursor.branch as usize)?;
            let group = &self.groups[branch.group()];
            if cursor.arrival < group.end {
                let turned = cursor.arrival + branch.turn;
                let position = if turned < group.end { turned } else { turned - group.end + group.begin } as usize;
                cursor.arrival += 1;
                self.steps.read(position, &mut target.packed);
                target.key = branch.to.0;
                let Arrival { hash, n_steps, hidden } = self.steps.arrivals[position];
                let movers = self.steps.movers(position);
                let idle = self.idle.get(branch.group()).copied().unwrap_or(PidSet::ALL);
                return Some(Edge {
                    hash: Keyed::<P>::hash_of(hash, target.key),
                    hidden,
                    n_moves: branch.n_moves + n_steps,
                    served: idle.union(movers),
                    movers,
                    n_processes: group.n_processes as usize,
                });
            }
            cursor.branch += 1;
            cursor.arrival = self.begin_of(cursor.branch);
        }
    }

    /// Rotates the successors of the state that begins at `extent`: threads that search for the same cycle should
    /// explore different states first.
    pub fn turn(&mut self, extent: Extent, mut below: impl FnMut(u32) -> u32) {
        let branches = &mut self.branches[extent.branches as usize..];
        let n_branches = branches.len() as u32;
        if n_branches > 1 {
            branches.rotate_left(below(n_branches) as usize);
        }
        for branch in branches {
            let group = &self.groups[branch.group()];
            let n_steps = group.end - group.begin;
            branch.turn = if n_steps > 1 { below(n_steps) } else { 0 };
        }
    }

    /// Whether there is no pair left at `cursor`.
    #[inline]
    pub fn is_done(&self, cursor: Cursor) -> bool {
        let last = self.branches.last().map_or(0, |branch| self.groups[branch.group()].end);
        cursor.branch as usize + 1 == self.branches.len() && cursor.arrival == last
    }

    /// The hashes of the successors of the state that begins at `extent`, for prefetching.
    #[inline]
    pub fn for_each_hash(&self, extent: Extent, mut visit: impl FnMut(u64)) {
        for branch in &self.branches[extent.branches as usize..] {
            let group = &self.groups[branch.group()];
            for arrival in &self.steps.arrivals[group.begin as usize..group.end as usize] {
                visit(Keyed::<P>::hash_of(arrival.hash, branch.to.0));
            }
        }
    }

    /// There was no memory for all successors of the last state.
    pub fn set_full(&mut self) {
        self.is_full = true;
    }

    pub fn is_full(&self) -> bool {
        self.is_full
    }

    pub fn memory_bytes(&self) -> u64 {
        let idle = self.idle.capacity() * size_of::<PidSet>();
        let groups = self.groups.capacity() * size_of::<Group>();
        let branches = self.branches.capacity() * size_of::<Branch>();
        self.steps.memory_bytes() + (idle + groups + branches) as u64
    }
}

/// Successors, groups or branches on one path.
const MOST: usize = u32::MAX as usize - 1;
