//! The exact set for states of fixed size: short ones stand in the table itself, long ones beside it.
//!
//! A table with free slots for states of hundreds of bytes would waste memory, and moving such states when it grows
//! would cost more than the second memory access of a look-up when the states stand in an array of their own.

use super::{ExactStore, InlineSet, StateSet, StoreOptions, Visited};
use crate::memory::OutOfMemory;
use crate::pack::{Words, WordsPool};

/// Only one of the two is ever used.
pub struct WordsSet<const N: usize> {
    short: InlineSet<N>,
    long: ExactStore<Words<N>>,
}

impl<const N: usize> WordsSet<N> {
    /// Measured: from three words on the array is faster.
    pub(super) const IS_SHORT: bool = N <= 2;
}

impl<const N: usize> StateSet<Words<N>> for WordsSet<N> {
    const NAME: &'static str = "exact";
    const IS_LOSSY: bool = false;
    const KEY_READS_STATE: bool = false;
    const KEEPS_STATES: bool = !Self::IS_SHORT;

    /// The hash.
    type Key = u64;

    fn new(options: &StoreOptions) -> Result<WordsSet<N>, OutOfMemory> {
        Ok(WordsSet { short: InlineSet::new(options)?, long: StateSet::new(options)? })
    }

    #[inline]
    fn key(&mut self, state: &Words<N>, hash: u64) -> Result<u64, OutOfMemory> {
        if Self::IS_SHORT { self.short.key(state, hash) } else { self.long.key(state, hash) }
    }

    #[inline]
    fn approach(&self, key: u64) {
        if !Self::IS_SHORT {
            self.long.approach(key);
        }
    }

    // The heart of a search, which LLVM leaves out of line where all searches are one codegen unit.
    #[inline(always)]
    fn insert(&mut self, state: &Words<N>, key: u64) -> Result<Visited, OutOfMemory> {
        if Self::IS_SHORT { self.short.insert(state, key) } else { StateSet::insert(&mut self.long, state, key) }
    }

    fn contains(&mut self, state: &Words<N>, key: u64) -> bool {
        if Self::IS_SHORT { self.short.contains(state, key) } else { self.long.contains(state, key) }
    }

    fn n_states(&self) -> u64 {
        if Self::IS_SHORT { self.short.n_states() } else { StateSet::n_states(&self.long) }
    }

    #[inline]
    fn states(&self) -> Option<&WordsPool<N>> {
        if Self::IS_SHORT { None } else { StateSet::states(&self.long) }
    }

    fn memory_bytes(&self) -> u64 {
        if Self::IS_SHORT { self.short.memory_bytes() } else { StateSet::memory_bytes(&self.long) }
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.short.set_memory_limit(bytes);
        StateSet::set_memory_limit(&mut self.long, bytes);
    }
}
