//! Uncompressed states: this set never omits a state.
//!
//! The states stand in one array in the order of insertion. So numbers are stable, the array serves as the queue of a
//! breadth-first search, and growing it moves no state. Beside it is a flat table with open addressing, eight bytes an
//! entry: the number of a state and 32 bits of its hash. A look-up that finds nothing reads the table alone; one that
//! finds its state reads that state too. Both places can be prefetched.

use super::{StateSet, StateStore, StoreOptions, Visited};
use crate::memory::OutOfMemory;
use crate::pack::{Packed, Pool};
use crate::prefetch::prefetch;
use crate::zeroed;

pub struct ExactStore<P: Packed> {
    states: P::Pool,
    /// A power of two of entries. 0 is free; otherwise the high half is a part of the hash, the low half a number + 1.
    table: Vec<u64>,
    memory_limit: u64,
}

impl<P: Packed> Default for ExactStore<P> {
    fn default() -> ExactStore<P> {
        ExactStore { states: P::Pool::default(), table: Vec::new(), memory_limit: u64::MAX }
    }
}

const FIRST_ENTRIES: usize = 1 << 12;

/// The high half of an entry.
#[inline]
fn tag(hash: u64) -> u64 {
    hash & 0xffff_ffff_0000_0000
}

impl<P: Packed> ExactStore<P> {
    #[inline]
    fn start(&self, hash: u64) -> usize {
        hash as usize & self.table.len().wrapping_sub(1)
    }

    #[inline]
    fn number(entry: u64) -> usize {
        (entry & 0xffff_ffff) as usize - 1
    }

    /// Whether the table is too full for one more state: above four fifths probe sequences get long.
    #[inline]
    fn is_crowded(&self) -> bool {
        self.states.n_states() >= self.table.len() / 5 * 4
    }

    /// Makes a larger table. It computes the hashes again, from an array that is read from front to back; so the old
    /// table is freed first.
    #[cold]
    fn grow_table(&mut self) -> Result<(), OutOfMemory> {
        let mut n_entries = FIRST_ENTRIES;
        while n_entries / 5 * 4 <= self.states.n_states() {
            n_entries *= 2;
        }
        if self.states.memory_bytes() + n_entries as u64 * 8 > self.memory_limit {
            return Err(OutOfMemory);
        }
        self.table = Vec::new();
        self.table = zeroed::words(n_entries)?;
        self.fill_table();
        Ok(())
    }

    /// Enters all states. Each place is prefetched some states ahead of its use.
    fn fill_table(&mut self) {
        const AHEAD: usize = 16;
        let mut hashes = [0; AHEAD];
        let mut state = P::default();
        let n_states = self.states.n_states();
        for index in 0..n_states + AHEAD {
            let slot = index % AHEAD;
            if index >= AHEAD {
                let place = self.free_place(hashes[slot]);
                self.table[place] = tag(hashes[slot]) | (index - AHEAD + 1) as u64;
            }
            if index < n_states {
                self.states.read(index, &mut state);
                hashes[slot] = state.hash();
                self.prefetch(hashes[slot]);
            }
        }
    }

    fn free_place(&self, hash: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = self.start(hash);
        while self.table[at] != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    fn look_up(&self, state: &P, hash: u64) -> LookUp {
        let Some(mask) = self.table.len().checked_sub(1) else { return LookUp::Free(0) };
        let mut at = self.start(hash);
        loop {
            let entry = self.table[at];
            if entry == 0 {
                return LookUp::Free(at);
            }
            if tag(entry) == tag(hash) && self.states.is_equal(Self::number(entry), state) {
                return LookUp::Taken(Self::number(entry));
            }
            at = (at + 1) & mask;
        }
    }
}

/// The result of a look-up.
enum LookUp {
    /// A free entry of the table.
    Free(usize),
    /// The number of the state.
    Taken(usize),
}

impl<P: Packed> StateStore<P> for ExactStore<P> {
    const NAME: &'static str = "exact";

    #[inline]
    fn insert(&mut self, state: &P, hash: u64) -> Result<(Visited, usize), OutOfMemory> {
        let mut place = match self.look_up(state, hash) {
            LookUp::Taken(index) => return Ok((Visited::Seen, index)),
            LookUp::Free(place) => place,
        };
        if self.is_crowded() {
            self.grow_table()?;
            place = self.free_place(hash);
        }
        let index = self.states.n_states();
        let growth = self.states.growth_bytes();
        if growth != 0 && StateStore::memory_bytes(self) + growth > self.memory_limit || index >= u32::MAX as usize - 1
        {
            return Err(OutOfMemory);
        }
        self.states.push(state)?;
        self.table[place] = tag(hash) | (index as u64 + 1);
        Ok((Visited::New, index))
    }

    fn find(&self, state: &P, hash: u64) -> Option<usize> {
        match self.look_up(state, hash) {
            LookUp::Taken(index) => Some(index),
            LookUp::Free(_) => None,
        }
    }

    #[inline]
    fn read(&self, index: usize, into: &mut P) {
        self.states.read(index, into);
    }

    #[inline]
    fn n_states(&self) -> usize {
        self.states.n_states()
    }

    fn memory_bytes(&self) -> u64 {
        self.states.memory_bytes() + self.table.capacity() as u64 * 8
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.memory_limit = bytes;
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        prefetch(&self.table, self.start(hash));
    }

    #[inline]
    fn prefetch_candidate(&self, hash: u64) {
        if self.table.is_empty() {
            return;
        }
        let mask = self.table.len() - 1;
        let mut at = self.start(hash);
        // At most the rest of the cache line: further candidates are rare.
        for _ in 0..8 {
            let entry = self.table[at];
            if entry == 0 {
                return;
            }
            if tag(entry) == tag(hash) {
                self.states.prefetch(Self::number(entry));
                return;
            }
            at = (at + 1) & mask;
        }
    }
}

/// The set for states of different sizes; the numbers are not used.
impl<P: Packed> StateSet<P> for ExactStore<P> {
    const NAME: &'static str = "exact";
    const IS_LOSSY: bool = false;
    const KEY_READS_STATE: bool = false;
    const KEEPS_STATES: bool = true;

    type Key = u64;

    fn new(options: &StoreOptions) -> Result<ExactStore<P>, OutOfMemory> {
        Ok(ExactStore { memory_limit: options.memory_limit, ..ExactStore::default() })
    }

    #[inline]
    fn key(&mut self, _state: &P, hash: u64) -> Result<u64, OutOfMemory> {
        self.prefetch(hash);
        Ok(hash)
    }

    #[inline]
    fn approach(&self, hash: u64) {
        self.prefetch_candidate(hash);
    }

    #[inline]
    fn insert(&mut self, state: &P, hash: u64) -> Result<Visited, OutOfMemory> {
        Ok(StateStore::insert(self, state, hash)?.0)
    }

    fn contains(&mut self, state: &P, hash: u64) -> bool {
        self.find(state, hash).is_some()
    }

    fn n_states(&self) -> u64 {
        self.states.n_states() as u64
    }

    #[inline]
    fn states(&self) -> Option<&P::Pool> {
        Some(&self.states)
    }

    fn memory_bytes(&self) -> u64 {
        StateStore::memory_bytes(self)
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.memory_limit = bytes;
    }
}
