//! The locks of a search on several threads, and the order in which a thread may take them.
//!
//! A thread takes locks in the order of their [`Rank`], and never two of the same rank, so that no cycle of waiting
//! threads, a deadlock, can form:
//!
//! 1. `Set`: the form of a concurrent set (`store/concurrent/phase.rs`). Workers share it while they expand a part of a
//!    level; one thread has it for itself while the set begins or ends to grow.
//! 2. `Counting`: states are inserted one by one when a limit of states is near (`search/breadth_first/shared.rs`).
//! 3. `Queue`: the frontier of one worker (`search/breadth_first/thread_queue.rs`).
//! 4. `Shard`: one part of a sharded set (`store/concurrent/sharded.rs`, `store/concurrent/tree.rs`,
//!    `search/parallel_nested/shared.rs`).
//! 5. `Hidden`: the numbers of values of hidden variables (`hidden.rs`).
//! 6. `Course`, `Barrier`, `Ending`: a few words each; a thread that holds one takes no other lock and calls nothing.
//!
//! A thread that waits for *other threads to reach a point* (the barrier, the gate at the start, an inner search of
//! another thread) holds no lock at all, and checks again and again whether the search is over. A thread that holds a
//! lock from 2 on waits only for locks of a higher rank, so it releases its locks without the help of any other thread;
//! a thread that holds `Set` therefore makes progress, too. No thread waits for exclusive use of `Set` after the end of
//! the search. So all threads end once the search is over, whatever they are doing.
//!
//! Debug builds check all of that: [`Held`] records the ranks that a thread holds. Release builds contain none of it.

use crate::backoff::Backoff;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Set,
    Counting,
    Queue,
    Shard,
    Hidden,
    Course,
    Barrier,
    Ending,
}

#[cfg(debug_assertions)]
thread_local! {
    /// A bit for each rank that this thread holds.
    static RANKS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Accompanies each lock that a thread holds.
#[derive(Debug)]
#[must_use]
pub(crate) struct Held(#[cfg(debug_assertions)] Rank);

impl Held {
    /// To be called *before* waiting for the lock, so that a wrong order is detected even if it causes no deadlock.
    #[inline]
    pub fn new(rank: Rank) -> Held {
        #[cfg(debug_assertions)]
        RANKS.with(|ranks| {
            assert!(ranks.get() >> rank as u32 == 0, "{rank:?} is locked behind ranks {:#b}", ranks.get());
            ranks.set(ranks.get() | 1 << rank as u32);
        });
        #[cfg(not(debug_assertions))]
        let _ = rank;
        Held(
            #[cfg(debug_assertions)]
            rank,
        )
    }

    /// This thread is about to wait for other threads, which may need any of the locks.
    #[inline]
    pub fn assert_nothing() {
        #[cfg(debug_assertions)]
        RANKS.with(|ranks| assert_eq!(ranks.get(), 0, "a thread waits for others, and holds a lock"));
    }
}

#[cfg(debug_assertions)]
impl Drop for Held {
    fn drop(&mut self) {
        RANKS.with(|ranks| ranks.set(ranks.get() & !(1 << self.0 as u32)));
    }
}

/// A mutex with a rank, held only briefly.
#[derive(Debug)]
pub(crate) struct Lock<T> {
    rank: Rank,
    mutex: Mutex<T>,
}

pub(crate) struct Locked<'l, T> {
    guard: MutexGuard<'l, T>,
    _held: Held,
}

impl<T> Lock<T> {
    pub fn new(rank: Rank, value: T) -> Lock<T> {
        Lock { rank, mutex: Mutex::new(value) }
    }

    /// A lock that a panic poisoned is taken all the same: the search is over then, and gives no verdict.
    #[inline]
    pub fn lock(&self) -> Locked<'_, T> {
        let held = Held::new(self.rank);
        let mut backoff = Backoff::default();
        loop {
            match self.mutex.try_lock() {
                Ok(guard) => return Locked { guard, _held: held },
                Err(TryLockError::Poisoned(error)) => return Locked { guard: error.into_inner(), _held: held },
                Err(TryLockError::WouldBlock) => _ = backoff.wait(),
            }
        }
    }
}

impl<T> Lock<T> {
    /// To be called when no other thread is left.
    pub fn into_inner(self) -> T {
        self.mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Locked<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the function panics, on a thread of its own.
    fn panics(act: impl FnOnce() + Send) -> bool {
        std::thread::scope(|scope| scope.spawn(act).join().is_err())
    }

    #[test]
    fn locks_are_taken_by_rank() {
        let locks = [Rank::Set, Rank::Queue, Rank::Shard, Rank::Shard].map(|rank| Lock::new(rank, ()));
        assert!(!panics(|| {
            let _set = locks[0].lock();
            drop(locks[3].lock());
            let _queue = locks[1].lock();
            let _shard = locks[2].lock();
        }));
        for (first, second) in [(1, 0), (2, 1), (2, 3)] {
            let is_found = panics(|| {
                let _first = locks[first].lock();
                let _second = locks[second].lock();
            });
            assert_eq!(is_found, cfg!(debug_assertions));
        }
    }

    #[test]
    fn who_waits_for_others_holds_nothing() {
        let lock = Lock::new(Rank::Queue, 0);
        assert!(!panics(|| {
            *lock.lock() += 1;
            Held::assert_nothing();
        }));
        let is_found = panics(|| {
            let _locked = lock.lock();
            Held::assert_nothing();
        });
        assert_eq!(is_found, cfg!(debug_assertions));
        assert_eq!(*lock.lock(), 1, "a lock that a panic left behind");
    }
}
