//! A bucket: a few states that threads look up and insert at the same time (compare Laarman, van de Pol, Weber, "Boosting
//! multi-core reachability performance with shared hash tables", 2010).
//!
//! In front of the states is a word with a byte of the hash of each (`store/tags.rs`), and an eighth byte as lock. A look-up
//! reads the word, and then the states whose byte matches, which never change. A thread that has not found its state sets
//! the eighth byte by one compare-and-swap, if the word has not changed since it was read: until that thread has written
//! the state and its byte, no other thread writes into the bucket.

use super::sync::{AtomicU64, Ordering, spin};
use super::tags::{ONES, SLOTS, zero_bytes};

/// Aligned to a cache line, so that it touches as few of them as possible.
#[repr(C, align(64))]
pub(super) struct Bucket<const N: usize> {
    /// A tag for each state, 0 for a free slot, and [`BUSY`].
    pub(super) tags: AtomicU64,
    pub(super) states: [[AtomicU64; N]; SLOTS],
}

/// A thread is writing a state into the bucket.
const BUSY: u64 = 1 << 56;

pub(super) enum BucketSlot {
    /// The slot of the state.
    Seen(usize),
    /// A free slot, and the word that showed it.
    Room(u64, usize),
    Full,
}

impl<const N: usize> Bucket<N> {
    pub fn empty() -> Bucket<N> {
        let state = |_| std::array::from_fn(|_| AtomicU64::new(0));
        Bucket { tags: AtomicU64::new(0), states: std::array::from_fn(state) }
    }

    #[inline(always)]
    pub fn look_up(&self, state: &[u64; N], tag: u8) -> BucketSlot {
        let tags = self.tags.load(Ordering::Acquire);
        let mut candidates = zero_bytes(tags ^ (ONES * u64::from(tag)));
        while candidates != 0 {
            let slot = candidates.trailing_zeros() as usize / 8;
            if self.states.get(slot).is_some_and(|other| is_equal(other, state)) {
                return BucketSlot::Seen(slot);
            }
            candidates &= candidates - 1;
        }
        match free_slot(tags) {
            Some(slot) => BucketSlot::Room(tags, slot),
            None => BucketSlot::Full,
        }
    }

    /// Inserts a state if no thread has changed the bucket since the look-up. Calls back before any thread can see the state,
    /// while no other thread inserts.
    #[inline]
    pub fn put(&self, state: &[u64; N], tag: u8, (tags, slot): (u64, usize), before: impl FnOnce()) -> bool {
        let is_free = tags & BUSY == 0;
        if !is_free || self.tags.compare_exchange(tags, tags | BUSY, Ordering::Acquire, Ordering::Relaxed).is_err() {
            spin();
            return false;
        }
        before();
        self.write(state, tag, tags, slot);
        true
    }

    /// Writes a state while no other thread uses the bucket.
    #[inline]
    pub fn write(&self, state: &[u64; N], tag: u8, tags: u64, slot: usize) {
        for (word, &value) in self.states[slot].iter().zip(state) {
            word.store(value, Ordering::Relaxed);
        }
        self.tags.store(tags | u64::from(tag) << (8 * slot), Ordering::Release);
    }

    /// The word, while no thread writes.
    #[inline]
    pub fn tags(&self) -> u64 {
        self.tags.load(Ordering::Relaxed)
    }

    /// All states, in the order of their slots, while no thread writes.
    pub fn states(&self) -> impl Iterator<Item = [u64; N]> {
        let n_states = free_slot(self.tags()).unwrap_or(SLOTS);
        let read = |words: &[AtomicU64; N]| std::array::from_fn(|word| words[word].load(Ordering::Relaxed));
        self.states[..n_states].iter().map(read)
    }
}

/// The first free slot.
#[inline]
pub(super) fn free_slot(tags: u64) -> Option<usize> {
    let slot = zero_bytes(tags).trailing_zeros() as usize / 8;
    (slot < SLOTS).then_some(slot)
}

#[inline]
fn is_equal<const N: usize>(stored: &[AtomicU64; N], state: &[u64; N]) -> bool {
    let differences = stored.iter().zip(state).map(|(word, other)| word.load(Ordering::Relaxed) ^ other);
    differences.fold(0, |all, one| all | one) == 0
}
