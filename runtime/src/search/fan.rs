//! What a state of the product leads to, kept without repetition: the steps of the system once, and the ways of the
//! claim that go with them. A search that comes back to a state later takes the next pair of both.
//!
//! Paths can be millions of states long, so numbers are kept in 32 bits here; there is no memory for more anyway.

use crate::model::Model;
use crate::pack::{Keyed, OutOfMemory, Packed, Pool, growth};
use crate::step::{ClaimLocation, PidSet};

/// Several states' worth of successors, those of the last state at the end.
pub(crate) struct Fan<M: Model> {
    states: <M::Packed as Packed>::Pool,
    arrivals: Vec<Arrival<M::Hidden>>,
    /// Who moved, for each arrival; nothing unless somebody asks.
    movers: Vec<PidSet>,
    groups: Vec<Group>,
    /// Who cannot move, for each group; nothing unless somebody asks.
    idle: Vec<PidSet>,
    branches: Vec<Branch>,
}

#[derive(Clone, Copy)]
struct Arrival<H> {
    /// Of the state without the claim.
    hash: u64,
    n_steps: u32,
    hidden: H,
}

/// The system's steps out of one state.
#[derive(Clone, Copy)]
struct Group {
    begin: u32,
    end: u32,
    n_processes: u32,
}

/// A way of the claim, and the system's steps that may follow it.
#[derive(Clone, Copy)]
struct Branch {
    to: ClaimLocation,
    n_moves: u32,
    group: u32,
}

impl Branch {
    #[inline]
    fn group(&self) -> usize {
        self.group as usize
    }
}

/// Where a state's successors begin.
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
    const END: Cursor = Cursor { branch: u32::MAX, arrival: 0 };
}

/// One way to a next state of the product.
#[derive(Clone, Copy)]
pub(crate) struct Edge<H> {
    pub hash: u64,
    pub hidden: H,
    /// Moves of the claim and steps of the system.
    pub n_moves: u32,
    /// Processes that cannot complain: they move on this edge, or cannot move in the state that it leaves, or do not
    /// exist there. Everybody, if fairness is not asked for.
    pub served: PidSet,
    /// Who moves; nobody, if fairness is not asked for.
    pub movers: PidSet,
    /// In the state that the system leaves.
    pub n_processes: usize,
}

impl<M: Model> Default for Fan<M> {
    fn default() -> Fan<M> {
        Fan {
            states: <M::Packed as Packed>::Pool::default(),
            arrivals: Vec::new(),
            movers: Vec::new(),
            groups: Vec::new(),
            idle: Vec::new(),
            branches: Vec::new(),
        }
    }
}

impl<M: Model> Fan<M> {
    pub fn extent(&self) -> Extent {
        let number = |length: usize| length as u32;
        Extent {
            arrivals: number(self.arrivals.len()),
            groups: number(self.groups.len()),
            branches: number(self.branches.len()),
        }
    }

    pub fn truncate(&mut self, extent: Extent) {
        let n_arrivals = extent.arrivals as usize;
        self.states.truncate(n_arrivals);
        self.arrivals.truncate(n_arrivals);
        self.movers.truncate(n_arrivals);
        self.groups.truncate(extent.groups as usize);
        self.idle.truncate(extent.groups as usize);
        self.branches.truncate(extent.branches as usize);
    }

    #[inline]
    pub fn push_arrival(
        &mut self,
        state: &M::Packed,
        hidden: M::Hidden,
        n_steps: u32,
        movers: Option<PidSet>,
    ) -> Result<(), OutOfMemory> {
        reserve(&mut self.arrivals)?;
        if self.arrivals.len() >= MOST {
            return Err(OutOfMemory);
        }
        if let Some(movers) = movers {
            reserve(&mut self.movers)?;
            self.movers.push(movers);
        }
        self.states.push(state)?;
        self.arrivals.push(Arrival { hash: state.hash(), n_steps, hidden });
        Ok(())
    }

    /// Makes a group of the arrivals from `begin` on; its number. `idle` are the processes that cannot move.
    pub fn push_group(&mut self, begin: Extent, n_processes: usize, idle: Option<PidSet>) -> Result<u32, OutOfMemory> {
        reserve(&mut self.groups)?;
        if self.groups.len() >= MOST {
            return Err(OutOfMemory);
        }
        if let Some(idle) = idle {
            reserve(&mut self.idle)?;
            self.idle.push(idle);
        }
        let (begin, end) = (begin.arrivals, self.arrivals.len() as u32);
        self.groups.push(Group { begin, end, n_processes: n_processes as u32 });
        Ok(self.groups.len() as u32 - 1)
    }

    pub fn push_branch(&mut self, to: ClaimLocation, n_moves: u32, group: u32) -> Result<(), OutOfMemory> {
        reserve(&mut self.branches)?;
        if self.branches.len() >= MOST {
            return Err(OutOfMemory);
        }
        self.branches.push(Branch { to, n_moves, group });
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
    pub fn next(&self, cursor: &mut Cursor, target: &mut Keyed<M::Packed>) -> Option<Edge<M::Hidden>> {
        loop {
            let branch = self.branches.get(cursor.branch as usize)?;
            let group = &self.groups[branch.group()];
            if cursor.arrival < group.end {
                let position = cursor.arrival as usize;
                cursor.arrival += 1;
                self.states.read(position, &mut target.packed);
                target.key = branch.to.0;
                let Arrival { hash, n_steps, hidden } = self.arrivals[position];
                let movers = self.movers.get(position).copied().unwrap_or_default();
                let idle = self.idle.get(branch.group()).copied().unwrap_or(PidSet::ALL);
                return Some(Edge {
                    hash: Keyed::<M::Packed>::hash_of(hash, target.key),
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

    /// Whether there is no pair left at `cursor`.
    #[inline]
    fn is_done(&self, cursor: Cursor) -> bool {
        let last = self.branches.last().map_or(0, |branch| self.groups[branch.group()].end);
        cursor.branch as usize + 1 == self.branches.len() && cursor.arrival == last
    }

    /// The hashes of what the state that begins at `extent` leads to, for fetching ahead.
    #[inline]
    pub fn for_each_hash(&self, extent: Extent, mut visit: impl FnMut(u64)) {
        for branch in &self.branches[extent.branches as usize..] {
            let group = &self.groups[branch.group()];
            for arrival in &self.arrivals[group.begin as usize..group.end as usize] {
                visit(Keyed::<M::Packed>::hash_of(arrival.hash, branch.to.0));
            }
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let arrivals = self.arrivals.capacity() * size_of::<Arrival<M::Hidden>>();
        let movers = (self.movers.capacity() + self.idle.capacity()) * size_of::<PidSet>();
        let groups = self.groups.capacity() * size_of::<Group>();
        let branches = self.branches.capacity() * size_of::<Branch>();
        self.states.memory_bytes() + (arrivals + movers + groups + branches) as u64
    }
}

/// Successors, groups or branches on one path.
const MOST: usize = u32::MAX as usize - 1;

/// Room for one more element.
#[inline]
pub(crate) fn reserve<T>(list: &mut Vec<T>) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        list.try_reserve_exact(growth(list.len()))?;
    }
    Ok(())
}

/// A depth-first path through the product.
pub(crate) struct Stack<M: Model> {
    pub frames: Vec<Frame>,
    pub fan: Fan<M>,
}

#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// The number of the state in the store.
    number: u32,
    /// Moves from the initial state.
    pub depth: u64,
    pub accepting: bool,
    /// Which process is waited for, in a search with copies: 0 for an accepting state.
    pub copy: u8,
    begin: Extent,
    cursor: Cursor,
}

impl Frame {
    pub fn new(index: usize, depth: u64, accepting: bool, copy: u8, begin: Extent, cursor: Cursor) -> Frame {
        Frame { number: index as u32, depth, accepting, copy, begin, cursor }
    }

    /// The number of the state in the store, which has 32 bits.
    #[inline]
    pub fn index(&self) -> usize {
        self.number as usize
    }
}

impl<M: Model> Default for Stack<M> {
    fn default() -> Stack<M> {
        Stack { frames: Vec::new(), fan: Fan::default() }
    }
}

impl<M: Model> Stack<M> {
    /// Takes the next pair of the last state on the path. The last pair gives its room back, for those that come behind
    /// it: long paths are mostly made of such.
    #[inline]
    pub fn next(&mut self, target: &mut Keyed<M::Packed>) -> Option<Edge<M::Hidden>> {
        let frame = self.frames.last_mut()?;
        let edge = self.fan.next(&mut frame.cursor, target)?;
        if self.fan.is_done(frame.cursor) {
            self.fan.truncate(frame.begin);
            frame.cursor = Cursor::END;
        }
        Some(edge)
    }

    pub fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.fan.truncate(frame.begin);
        }
    }

    pub fn clear(&mut self) {
        self.frames.clear();
        self.fan.truncate(Extent::default());
    }

    pub fn memory_bytes(&self) -> u64 {
        self.fan.memory_bytes() + (self.frames.capacity() * size_of::<Frame>()) as u64
    }
}
