//! The successors of states: the buffer between a system, which appends to it, and a search, which owns it.
//!
//! A breadth-first search stores a batch in it, a depth-first search its stack: the successors of the last state are at
//! the end.

use crate::hidden::Hidden;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Packed, Pool};
use crate::step::PidSet;
use crate::store::concurrent::Arrivals;
use crate::verdict::Found;

pub(crate) struct Successors<P: Packed> {
    states: P::Pool,
    pub arrivals: Vec<Arrival>,
    /// The processes that moved, for each arrival; empty without fairness.
    movers: Vec<PidSet>,
    /// Violations, in order, each with its place among the arrivals.
    pub found: Vec<Met>,
    keeps_movers: bool,
    /// From so many arrivals on the expansion asks its [`Pulse`](super::Pulse) to take them.
    pub high_water: usize,
    is_full: bool,
}

/// A packed state that was arrived at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub hash: u64,
    /// Steps from the expanded state.
    pub n_steps: u32,
    pub hidden: Hidden,
}

/// A violation, met behind so many arrivals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    pub n_arrivals: usize,
    pub found: Found,
}

/// A place in the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub arrivals: usize,
    pub found: usize,
}

impl<P: Packed> Arrivals<P> for Successors<P> {
    #[inline]
    fn hash(&self, position: usize) -> u64 {
        self.arrivals[position].hash
    }

    #[inline]
    fn state<'s>(&'s self, position: usize, buffer: &'s mut P) -> &'s P {
        self.get(position, buffer)
    }
}

impl<P: Packed> Successors<P> {
    pub fn new() -> Successors<P> {
        Successors {
            states: P::Pool::default(),
            arrivals: Vec::new(),
            movers: Vec::new(),
            found: Vec::new(),
            keeps_movers: false,
            high_water: usize::MAX,
            is_full: false,
        }
    }

    /// With the processes that moved, as fairness needs them.
    pub fn with_movers() -> Successors<P> {
        Successors { keeps_movers: true, ..Successors::new() }
    }

    /// The processes that moved to arrive there; none, unless that is kept.
    #[inline]
    pub fn movers(&self, position: usize) -> PidSet {
        self.movers.get(position).copied().unwrap_or_default()
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.arrivals.len()
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { arrivals: self.arrivals.len(), found: self.found.len() }
    }

    /// Removes what was appended after a mark.
    #[inline]
    pub fn truncate(&mut self, mark: Mark) {
        self.truncate_arrivals(mark.arrivals);
        self.found.truncate(mark.found);
    }

    #[inline]
    pub fn truncate_arrivals(&mut self, n_arrivals: usize) {
        self.states.truncate(n_arrivals);
        self.arrivals.truncate(n_arrivals);
        if self.keeps_movers {
            self.movers.truncate(n_arrivals);
        }
    }

    #[inline]
    pub fn read(&self, position: usize, into: &mut P) {
        self.states.read(position, into);
    }

    /// A state: in `buffer` or where it is stored.
    #[inline]
    pub fn get<'s>(&'s self, position: usize, buffer: &'s mut P) -> &'s P {
        self.states.get(position, buffer)
    }

    /// Records a failed allocation.
    #[inline]
    pub fn push(&mut self, state: &P, n_steps: u32, hidden: Result<Hidden, OutOfMemory>) {
        self.push_hashed(state, state.hash(), n_steps, hidden);
    }

    /// The same for a state whose hash is known.
    #[inline]
    pub fn push_hashed(&mut self, state: &P, hash: u64, n_steps: u32, hidden: Result<Hidden, OutOfMemory>) {
        if self.try_push(state, hash, n_steps, hidden).is_err() {
            self.is_full = true;
        }
    }

    #[inline]
    fn try_push(
        &mut self,
        state: &P,
        hash: u64,
        n_steps: u32,
        hidden: Result<Hidden, OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let hidden = hidden?;
        reserve(&mut self.arrivals)?;
        self.states.push(state)?;
        self.arrivals.push(Arrival { hash, n_steps, hidden });
        Ok(())
    }

    /// Whether [`push_movers`](Self::push_movers) must be called after each arrival.
    #[inline]
    pub fn keeps_movers(&self) -> bool {
        self.keeps_movers
    }

    /// The processes that moved to the last arrival, if that is kept.
    pub fn push_movers(&mut self, movers: PidSet) {
        if self.keeps_movers {
            match reserve(&mut self.movers) {
                Ok(()) => self.movers.push(movers),
                Err(OutOfMemory) => self.is_full = true,
            }
        }
    }

    #[cold]
    pub fn push_found(&mut self, found: Found) {
        self.found.push(Met { n_arrivals: self.arrivals.len(), found });
    }

    /// Takes the violations out of the buffer.
    #[cold]
    pub fn take_found(&mut self) -> Vec<Found> {
        self.found.drain(..).map(|met| met.found).collect()
    }

    /// There was no memory for all arrivals.
    #[cold]
    pub fn set_full(&mut self) {
        self.is_full = true;
    }

    /// Whether some arrivals are missing because there was no memory for them.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    pub fn memory_bytes(&self) -> u64 {
        let arrivals = self.arrivals.capacity() * size_of::<Arrival>();
        let movers = self.movers.capacity() * size_of::<PidSet>();
        let found = self.found.capacity() * size_of::<Met>();
        self.states.memory_bytes() + (arrivals + movers + found) as u64
    }
}
