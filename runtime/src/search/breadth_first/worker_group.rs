//! The group of workers, level by level, and what happens if one of them panics.
//!
//! The first thread expands small levels alone; the others wait at the barrier for the next large one.

use super::barrier::Waiter;
use super::batch::Batch;
use super::coordinator::Coordinator;
use super::level_throttle::LevelThrottle;
use super::shared::SearchStatus;
use super::shared_frontier::SharedFrontier;
use super::worker::Worker;
use super::{NextLevel, next_level};
use crate::backoff::Backoff;
use crate::lock::{Held, Lock, Rank};
use crate::pack::Packed;
use crate::store::concurrent::ConcurrentSet;
use crate::system::{ReductionStatistics, System};
use std::sync::atomic::{AtomicU8, Ordering};

/// The least number of states for each thread that makes it worth while to share a level. Small in tests.
const SHARE_FROM: u64 = if cfg!(test) { 2 } else { 64 };

/// What the workers share beside the set and the queues.
pub(super) struct WorkerGroup {
    n_threads: u16,
    max_depth: u64,
    pub coordinator: Coordinator,
    /// The level of the first thread when the others join it again.
    course: Lock<Course>,
}

#[derive(Clone)]
pub(super) struct Course {
    pub depth: u64,
    pub throttle: LevelThrottle,
}

impl WorkerGroup {
    pub fn new(n_threads: u16, max_depth: u64, throttle: LevelThrottle) -> WorkerGroup {
        WorkerGroup {
            n_threads,
            max_depth,
            coordinator: Coordinator::new(usize::from(n_threads)),
            course: Lock::new(Rank::Course, Course { depth: 0, throttle }),
        }
    }

    /// Whether a level with so many states is left to the first thread.
    pub fn is_small(&self, n_states: u64) -> bool {
        n_states < SHARE_FROM * u64::from(self.n_threads)
    }

    pub fn course(&self) -> Course {
        self.course.lock().clone()
    }

    pub fn set_course(&self, course: Course) {
        *self.course.lock() = course;
    }
}

/// One worker of the group, with its system and its frontier.
pub(super) struct Member<'m, 'w, 'a, P: Packed, C: ConcurrentSet<P>> {
    pub worker_group: &'m WorkerGroup,
    pub set: &'m C,
    pub worker: Worker<'w, 'a, P, ()>,
    pub shared_frontier: SharedFrontier<'m, P, C>,
    batch: Batch<P, ()>,
}

impl<'m, 'w, 'a, P: Packed, C: ConcurrentSet<P>> Member<'m, 'w, 'a, P, C> {
    pub fn new(
        worker_group: &'m WorkerGroup,
        set: &'m C,
        worker: Worker<'w, 'a, P, ()>,
        shared_frontier: SharedFrontier<'m, P, C>,
    ) -> Member<'m, 'w, 'a, P, C> {
        Member { worker_group, set, worker, shared_frontier, batch: Batch::new() }
    }

    /// Expands all levels from one with so many states on. Returns the number of states of the level behind the last
    /// one.
    pub fn work(&mut self, mut n_states: u64, system: &mut dyn System<P>) -> Option<u64> {
        loop {
            let is_small = self.worker_group.is_small(n_states);
            let is_first = self.worker.thread == 0;
            let n_own = match (is_small, is_first) {
                (false, _) => self.expand_level(system),
                (true, true) => {
                    let n_next = self.expand_small_levels(system);
                    let Worker { depth, throttle, .. } = &self.worker;
                    self.worker_group.set_course(Course { depth: *depth, throttle: throttle.clone() });
                    n_next
                }
                (true, false) => 0,
            };
            let (n_next, statistics) = self.end_level(n_own, system.take_statistics())?;
            if is_small && !is_first {
                let course = self.worker_group.course();
                (self.worker.depth, self.worker.throttle) = (course.depth, course.throttle);
            }
            match self.next_level(n_next, statistics) {
                NextLevel::Level(n_next) => n_states = n_next,
                NextLevel::End => return Some(n_next),
            }
        }
    }

    /// Returns the number of states that this thread has found for the next level.
    fn expand_level(&mut self, system: &mut dyn System<P>) -> u64 {
        self.shared_frontier.expand_level(&mut self.worker, system, &mut self.batch);
        self.shared_frontier.n_next()
    }

    /// Expands levels alone up to a large one, or to the end. Returns the number of states of the next one.
    pub fn expand_small_levels(&mut self, system: &mut dyn System<P>) -> u64 {
        loop {
            let n_next = self.expand_level(system);
            let is_end = n_next == 0 || self.worker.depth >= self.worker_group.max_depth;
            if is_end || !self.worker_group.is_small(n_next) || self.worker.shared.is_over() {
                return n_next;
            }
            self.next_level(n_next, system.take_statistics());
        }
    }

    /// Decides about the next level, and advances to it unless a limit ends the search.
    pub fn next_level(&mut self, n_next: u64, statistics: ReductionStatistics) -> NextLevel {
        self.worker.throttle.decide(statistics, self.worker.depth + 1, n_next);
        next_level(&mut self.worker.depth, self.worker_group.max_depth, n_next)
    }

    /// Waits until all threads have done their part of the level. `None` if the search is over.
    fn end_level(&mut self, n_own: u64, statistics: ReductionStatistics) -> Option<(u64, ReductionStatistics)> {
        let [any_looks, any_useful, any_lost, stubborn_looks, stubborn_useful, stubborn_lost] = statistics.numbers();
        let own = [0, n_own, any_looks, any_useful, any_lost, stubborn_looks, stubborn_useful, stubborn_lost];
        let thread = usize::from(self.worker.thread);
        let [_, n_next, statistics @ ..] =
            self.worker_group.coordinator.end_level(own, self.set, thread, &mut self.worker)?;
        Some((n_next, ReductionStatistics::from_numbers(statistics)))
    }
}

impl<P: Packed, K: Copy> Waiter for Worker<'_, '_, P, K> {
    #[inline]
    fn is_over(&self) -> bool {
        self.shared.is_over()
    }

    fn tick(&mut self) {
        Worker::tick(self);
    }

    fn out_of_memory(&mut self) {
        self.shared.out_of_memory();
    }
}

/// Ends the search for all threads when this one panics, since the others would wait for it.
pub(super) struct EndOnPanic<'t>(pub &'t SearchStatus);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

/// A gate: the threads begin when all of them have started, or not at all.
#[derive(Default)]
pub(super) struct Gate(AtomicU8);

impl Gate {
    const OPEN: u8 = 1;
    const CLOSED: u8 = 2;

    pub fn open(&self) {
        self.0.store(Gate::OPEN, Ordering::Release);
    }

    pub fn close(&self) {
        self.0.store(Gate::CLOSED, Ordering::Release);
    }

    /// Waits. Returns whether the gate is open.
    pub fn pass(&self, shared: &SearchStatus) -> bool {
        Held::assert_nothing();
        let mut backoff = Backoff::default();
        loop {
            match self.0.load(Ordering::Acquire) {
                Gate::OPEN => return true,
                Gate::CLOSED => return false,
                _ if shared.is_over() => return false,
                _ => _ = backoff.wait(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Stop;
    use crate::search::breadth_first::barrier::Barrier;

    /// A waiter that only reads the flag.
    struct Idle<'s>(&'s SearchStatus);

    impl Waiter for Idle<'_> {
        fn is_over(&self) -> bool {
            self.0.is_over()
        }

        fn tick(&mut self) {}

        fn out_of_memory(&mut self) {
            self.0.out_of_memory();
        }
    }

    #[test]
    fn a_barrier_adds_up_what_each_brings_again_and_again() {
        let shared = SearchStatus::new(4, u64::MAX, u64::MAX, false);
        let barrier = Barrier::new(4);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (shared, barrier) = (&shared, &barrier);
                scope.spawn(move || {
                    for round in 0..300 {
                        let sums = barrier.wait([round * thread, 1], &mut Idle(shared));
                        assert_eq!(sums, Some([round * 6, 4]));
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_when_the_search_is_over() {
        let shared = SearchStatus::new(2, u64::MAX, u64::MAX, false);
        shared.end(Stop::Interrupted);
        assert_eq!(Barrier::new(2).wait([1], &mut Idle(&shared)), None);
        assert_eq!(Barrier::new(1).wait([1], &mut Idle(&shared)), None, "all are there, but it is over");
    }

    #[test]
    fn a_panic_ends_the_search_for_all() {
        let shared = SearchStatus::new(2, u64::MAX, u64::MAX, false);
        let result = std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _end = EndOnPanic(&shared);
                panic!("as the test wants");
            });
            assert_eq!(Barrier::new(2).wait([1], &mut Idle(&shared)), None);
            panics.join()
        });
        assert!(result.is_err() && shared.is_over() && shared.reason().is_none());
    }
}
