//! What a state of the product leads to, kept without repetition: the steps of the system once, and the ways of the
//! claim that go with them. A search that comes back to a state later takes the next pair of both.

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
    begin: usize,
    end: usize,
    n_processes: usize,
    idle: PidSet,
}

/// A way of the claim, and the system's steps that may follow it.
#[derive(Clone, Copy)]
struct Branch {
    to: ClaimLocation,
    n_moves: u32,
    group: usize,
}

/// Where a state's successors begin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extent {
    arrivals: usize,
    groups: usize,
    branches: usize,
}

/// The next pair to take.
#[derive(Clone, Copy)]
pub(crate) struct Cursor {
    branch: usize,
    arrival: usize,
}

impl Cursor {
    /// Behind the last pair.
    const END: Cursor = Cursor { branch: usize::MAX, arrival: 0 };
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
            branches: Vec::new(),
        }
    }
}

impl<M: Model> Fan<M> {
    pub fn extent(&self) -> Extent {
        Extent { arrivals: self.arrivals.len(), groups: self.groups.len(), branches: self.branches.len() }
    }

    pub fn truncate(&mut self, extent: Extent) {
        self.states.truncate(extent.arrivals);
        self.arrivals.truncate(extent.arrivals);
        self.movers.truncate(extent.arrivals);
        self.groups.truncate(extent.groups);
        self.branches.truncate(extent.branches);
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
        if let Some(movers) = movers {
            reserve(&mut self.movers)?;
            self.movers.push(movers);
        }
        self.states.push(state)?;
        self.arrivals.push(Arrival { hash: state.hash(), n_steps, hidden });
        Ok(())
    }

    /// Makes a group of the arrivals from `begin` on; its number.
    pub fn push_group(&mut self, begin: Extent, n_processes: usize, idle: PidSet) -> Result<usize, OutOfMemory> {
        reserve(&mut self.groups)?;
        self.groups.push(Group { begin: begin.arrivals, end: self.arrivals.len(), n_processes, idle });
        Ok(self.groups.len() - 1)
    }

    pub fn push_branch(&mut self, to: ClaimLocation, n_moves: u32, group: usize) -> Result<(), OutOfMemory> {
        reserve(&mut self.branches)?;
        self.branches.push(Branch { to, n_moves, group });
        Ok(())
    }

    /// The first pair of the state whose successors begin at `extent`.
    #[inline]
    pub fn first(&self, extent: Extent) -> Cursor {
        Cursor { branch: extent.branches, arrival: self.begin_of(extent.branches) }
    }

    #[inline]
    fn begin_of(&self, branch: usize) -> usize {
        self.branches.get(branch).map_or(0, |branch| self.groups[branch.group].begin)
    }

    /// Takes the next pair of the last state; the state that it leads to goes into `target`.
    #[inline]
    pub fn next(&self, cursor: &mut Cursor, target: &mut Keyed<M::Packed>) -> Option<Edge<M::Hidden>> {
        loop {
            let branch = self.branches.get(cursor.branch)?;
            let group = &self.groups[branch.group];
            let position = cursor.arrival;
            if position < group.end {
                cursor.arrival += 1;
                self.states.read(position, &mut target.packed);
                target.key = branch.to.0;
                let Arrival { hash, n_steps, hidden } = self.arrivals[position];
                let movers = self.movers.get(position).copied().unwrap_or_default();
                return Some(Edge {
                    hash: Keyed::<M::Packed>::hash_of(hash, target.key),
                    hidden,
                    n_moves: branch.n_moves + n_steps,
                    served: group.idle.union(movers),
                    movers,
                    n_processes: group.n_processes,
                });
            }
            cursor.branch += 1;
            cursor.arrival = self.begin_of(cursor.branch);
        }
    }

    /// Whether there is no pair left at `cursor`.
    #[inline]
    fn is_done(&self, cursor: Cursor) -> bool {
        let last = self.branches.last().map_or(0, |branch| self.groups[branch.group].end);
        cursor.branch + 1 == self.branches.len() && cursor.arrival == last
    }

    /// The hashes of what the state that begins at `extent` leads to, for fetching ahead.
    #[inline]
    pub fn for_each_hash(&self, extent: Extent, mut visit: impl FnMut(u64)) {
        for branch in &self.branches[extent.branches..] {
            let group = &self.groups[branch.group];
            for arrival in &self.arrivals[group.begin..group.end] {
                visit(Keyed::<M::Packed>::hash_of(arrival.hash, branch.to.0));
            }
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let arrivals = self.arrivals.capacity() * size_of::<Arrival<M::Hidden>>();
        let movers = self.movers.capacity() * size_of::<PidSet>();
        let groups = self.groups.capacity() * size_of::<Group>();
        let branches = self.branches.capacity() * size_of::<Branch>();
        self.states.memory_bytes() + (arrivals + movers + groups + branches) as u64
    }
}

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
    pub index: usize,
    /// Moves from the initial state.
    pub depth: u64,
    pub accepting: bool,
    /// Which process is waited for, in a search with copies: 0 for an accepting state.
    pub copy: u8,
    pub begin: Extent,
    pub cursor: Cursor,
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
