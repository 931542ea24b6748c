//! Sets that several threads use at once.
//!
//! A thread that finds a state only reads. A thread that inserts one writes where it had to read anyway, and waits only for
//! a thread that writes into the same bucket at that moment. The set grows while no thread is inside (`phase.rs`), and all
//! threads take part.
//!
//! Sets that keep less than a state are sharded ([`ShardedSet`]): some shards for each thread, each behind a lock.

mod bucket;
mod exact;
mod inline;
mod phase;
mod pool;
mod sharded;
mod sync;
mod words;

pub use exact::ConcurrentExact;
pub use inline::ConcurrentInline;
pub use phase::Phased;
pub(crate) use phase::Stay;
pub use sharded::ShardedSet;
pub use words::ConcurrentWords;

use super::{StoreOptions, tags};
use crate::memory::OutOfMemory;
use crate::omission::Omissions;
use crate::pack::Packed;
use std::ops::Range;

/// States that are to be inserted, with their hashes.
pub trait Arrivals<P> {
    fn hash(&self, position: usize) -> u64;

    /// A state: in `buffer` or where it lies.
    fn state<'s>(&'s self, position: usize, buffer: &'s mut P) -> &'s P;
}

/// How far an insertion came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    Done,
    /// The set has to grow before the state at this position can be put in.
    NoRoomFor(usize),
}

/// How a set grows: between two phases, by all threads together. Once the search is over a set need not become usable again.
pub trait Growth {
    /// One thread does this while no thread is inside, unless the search is over.
    fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory>;

    /// One of so many parts of the work. All have to be done before a thread uses the set again. `is_over` is asked now and
    /// then, and also looks at limits and signals if this thread does that.
    fn grow_part(&self, part: usize, n_parts: usize, is_over: &mut dyn FnMut() -> bool);

    /// One thread does this when all parts are done.
    fn end_growth(&self, is_over: &dyn Fn() -> bool);
}

/// States that are moved between two looks whether the search is over.
const MOVED_AT_ONCE: usize = 1 << 14;

pub trait ConcurrentSet<P: Packed>: Growth + Phased + Send + Sync + Sized {
    /// So many states are worth an insertion.
    const BATCH: usize;

    /// Whether each thread's states are kept in the order in which it inserted them, and can be [read](Self::read).
    const KEEPS_STATES: bool = false;

    /// What a thread needs for itself.
    type Hand: Send;

    /// It has to grow before its first use.
    fn new(options: &StoreOptions, n_threads: usize) -> Result<Self, OutOfMemory>;

    fn hand(&self, thread: usize) -> Self::Hand;

    /// A state with this hash will be inserted soon: tells the processor what will be read.
    fn announce(&self, inside: &Self::Inside<'_>, hash: u64);

    /// Puts in those states that are not there, in order, and says of each of these where it stands.
    fn insert(
        &self,
        inside: &Self::Inside<'_>,
        hand: &mut Self::Hand,
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory>;

    fn contains(&self, inside: &Self::Inside<'_>, state: &P, hash: u64) -> bool;

    /// Copies the state that this thread inserted as that one, if states are kept.
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
