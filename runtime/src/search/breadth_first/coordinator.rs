//! Meetings of the threads of a search: at the end of a level, and for a growth of the set.
//!
//! A thread comes to the barrier when its part of the level is done, or as soon as it learns that another thread needs
//! a growth; the sums at the barrier tell all of them the reason. The first thread is the coordinator: it begins and
//! ends a growth.
//!
//! Each wait here ends when the search is over. Threads then leave at different places, so a guarantee behind a wait
//! holds only for a thread that got a result from it; the set may be left half grown, and no thread uses it any more.

use super::barrier::{Barrier, Waiter};
use super::sync::{AtomicBool, Growth, Ordering};

pub(super) struct Coordinator {
    n_threads: usize,
    barrier: Barrier,
    /// Whether there are other threads than the first.
    has_others: AtomicBool,
    wants_room: AtomicBool,
}

impl Coordinator {
    pub fn new(n_threads: usize) -> Coordinator {
        Coordinator {
            n_threads,
            barrier: Barrier::new(n_threads),
            has_others: AtomicBool::new(false),
            wants_room: AtomicBool::new(false),
        }
    }

    /// From now on all threads come to the barrier. To be called before the other threads start.
    pub fn start_others(&self) {
        self.has_others.store(true, Ordering::Relaxed);
    }

    /// Whether a thread waits for the set to grow. To be checked often.
    #[inline]
    pub fn wants_room(&self) -> bool {
        self.wants_room.load(Ordering::Relaxed)
    }

    /// Grows the set, together with all other threads. This thread must not hold a guard of the set. Returns whether
    /// the set has grown; if not, the search is over.
    pub fn make_room(&self, set: &impl Growth, thread: usize, worker: &mut impl Waiter) -> bool {
        if !self.has_others.load(Ordering::Relaxed) {
            return self.grow_alone(set, worker);
        }
        self.wants_room.store(true, Ordering::Relaxed);
        self.barrier.wait([1], worker).and_then(|_| self.grow(set, thread, worker)).is_some()
    }

    /// Waits until all threads have done their part of the level, and takes part in growths meanwhile. Returns the sums
    /// of all numbers; `None` if the search is over. The first number is 0; a thread that needs a growth puts 1 there.
    pub fn end_level<const N: usize>(
        &self,
        numbers: [u64; N],
        set: &impl Growth,
        thread: usize,
        worker: &mut impl Waiter,
    ) -> Option<[u64; N]> {
        loop {
            let sums = self.barrier.wait(numbers, worker)?;
            if sums[0] == 0 {
                return Some(sums);
            }
            self.grow(set, thread, worker)?;
        }
    }

    fn grow_alone(&self, set: &impl Growth, worker: &mut impl Waiter) -> bool {
        if set.begin_growth(&|| worker.is_over()).is_err() {
            worker.out_of_memory();
            return false;
        }
        set.grow_part(0, 1, &mut || polled(worker));
        set.end_growth(&|| worker.is_over());
        !worker.is_over()
    }

    /// All threads are at the barrier, and none holds a guard of the set.
    fn grow(&self, set: &impl Growth, thread: usize, worker: &mut impl Waiter) -> Option<()> {
        if thread == 0 {
            self.wants_room.store(false, Ordering::Relaxed);
            if set.begin_growth(&|| worker.is_over()).is_err() {
                worker.out_of_memory();
            }
        }
        self.barrier.wait([], worker)?;
        set.grow_part(thread, self.n_threads, &mut || polled(worker));
        self.barrier.wait([], worker)?;
        if thread == 0 {
            set.end_growth(&|| worker.is_over());
        }
        self.barrier.wait([], worker)?;
        Some(())
    }
}

fn polled(worker: &mut impl Waiter) -> bool {
    worker.tick();
    worker.is_over()
}
