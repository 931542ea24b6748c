//! Sets that several threads use at once.
//!
//! A thread that finds a state only reads. A thread that inserts a state writes where it had to read anyway, and waits
//! only for a thread that is writing into the same bucket. The set grows while no thread holds a guard of it
//! (`phase.rs`), and all threads share the work.
//!
//! Sets of trees share the numbers of words in the same way, and keep the pairs that represent states in shards
//! ([`ConcurrentTree`]). The others are sharded as a whole ([`ShardedSet`]): some shards for each thread, each behind a
//! lock.

mod bucket;
mod chosen;
mod exact;
mod groups;
mod inline;
mod level_stamp;
mod numbers;
mod phase;
mod pool;
mod sharded;
mod sync;
mod tree;
mod words;

pub use chosen::ConcurrentChosen;
pub use exact::ConcurrentExact;
pub use inline::ConcurrentInline;
pub use phase::Phased;
pub(crate) use phase::Stay;
pub use sharded::ShardedSet;
pub use tree::ConcurrentTree;
pub use words::ConcurrentWords;

use super::{StoreOptions, tags};
use crate::memory::OutOfMemory;
use crate::omission::Omissions;
use crate::pack::Packed;
use std::ops::Range;

/// States to be inserted, with their hashes.
pub trait Arrivals<P> {
    fn hash(&self, position: usize) -> u64;

    /// A state: in `buffer` or where it lies.
    fn state<'s>(&'s self, position: usize, buffer: &'s mut P) -> &'s P;
}

/// The progress of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    Done,
    /// The set has to grow before the state at this position can be inserted.
    NoRoomFor(usize),
}

/// What an insertion finds that matters to a breadth-first search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The state was not in the set.
    New,
    /// It was inserted before, on the present level.
    Recent,
}

/// What becomes of a state that is to be inserted.
enum Arrived {
    At(Freshness),
    /// It was inserted before, perhaps on the present level if no reduction asks for that.
    Before,
    /// The thread has used up its allowance.
    NoRoom,
}

/// The growth of a set: between two phases, by all threads together. Once the search is over, a set need not become
/// usable again.
pub trait Growth {
    /// One thread calls this while no thread holds a guard, unless the search is over.
    fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory>;

    /// Does one of `n_parts` parts of the work. All parts have to be done before a thread uses the set again. The part
    /// calls `is_over` now and then; on one thread it also checks limits and signals.
    fn grow_part(&self, part: usize, n_parts: usize, is_over: &mut dyn FnMut() -> bool);

    /// One thread calls this when all parts are done.
    fn end_growth(&self, is_over: &dyn Fn() -> bool);
}

/// States that are moved between two checks whether the search is over.
const MOVED_AT_ONCE: usize = 1 << 14;

pub trait ConcurrentSet<P: Packed>: Growth + Phased + Send + Sync + Sized {
    /// The number of states that makes an insertion worth its cost.
    const BATCH: usize;

    /// Whether the states of each thread are kept in the order of insertion, and can be [read](Self::read).
    const KEEPS_STATES: bool = false;

    /// Whether [`insert_on_level`](Self::insert_on_level) also tells which states were inserted before on the present level, by
    /// any thread, if the options ask for it.
    const KNOWS_LEVELS: bool = false;

    /// The state of one thread.
    type Hand: Send;

    /// The set has to grow before its first use.
    fn new(options: &StoreOptions, n_threads: usize) -> Result<Self, OutOfMemory>;

    fn hand(&self, thread: usize) -> Self::Hand;

    /// The states that this thread inserts from now on are successors of states at this depth; nothing if no reduction asks which
    /// of them are recent. It is the same for all threads that insert.
    fn begin_level(&self, thread: usize, depth: Option<u64>) {
        let _ = (thread, depth);
    }

    /// Prefetches for the insertion of a state with this hash.
    fn announce(&self, inside: &Self::Inside<'_>, hash: u64);

    /// Inserts the states that the set does not contain, in order, and calls back with the position of each of them.
    fn insert(
        &self,
        inside: &Self::Inside<'_>,
        hand: &mut Self::Hand,
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory>;

    /// The same on a [level](Self::begin_level) where a reduction asks. Calls back for recent states as well, if the set knows
    /// levels.
    fn insert_on_level(
        &self,
        inside: &Self::Inside<'_>,
        hand: &mut Self::Hand,
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        mut on_fresh: impl FnMut(usize, Freshness) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        self.insert(inside, hand, arrivals, positions, |position| on_fresh(position, Freshness::New))
    }

    fn contains(&self, inside: &Self::Inside<'_>, state: &P, hash: u64) -> bool;

    /// Copies the state that this thread inserted with that number, if states are kept.
    fn read(&self, thread: usize, number: u64, into: &mut P) {
        let _ = (thread, number, into);
        unreachable!("this set does not keep its states");
    }

    /// Whether it is this one.
    fn is_equal(&self, thread: usize, number: u64, state: &P) -> bool {
        let _ = (thread, number, state);
        unreachable!("this set does not keep its states");
    }

    fn n_states(&self) -> u64;

    fn memory_bytes(&self) -> u64;

    fn set_memory_limit(&self, bytes: u64);

    fn omissions(&self) -> Option<Omissions> {
        None
    }

    fn describe(&self) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests;
