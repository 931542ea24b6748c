//! How threads work together: level after level, how the set grows meanwhile, and what happens if one of them panics.
//!
//! Threads meet for two reasons: the level is done, or the set has to grow. Each comes when it is done, or as soon as it
//! hears that somebody needs room; what all came for is known when they are there. Small levels are the first thread's
//! alone; the others wait for the next large one.

use super::batch::Batch;
use super::crew::Crew;
use super::gathering::Gathering;
use super::shared::Shared;
use super::worker::Worker;
use super::zeals::Zeals;
use super::{Progress, next_level};
use crate::pack::Packed;
use crate::patience::Patience;
use crate::store::common::CommonSet;
use crate::system::{Gains, System};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

/// From so many states for each thread in a level on it is worth while to share them. Tests meet that often.
const TEAM_FROM: u64 = if cfg!(test) { 2 } else { 64 };

/// What the threads share beside the set and the lanes.
pub(super) struct Team {
    n_threads: u16,
    max_depth: u64,
    gathering: Gathering,
    /// Whether there are others than the first.
    is_complete: AtomicBool,
    wants_room: AtomicBool,
    /// Where the first thread is when the others join it again.
    course: Mutex<Course>,
}

#[derive(Clone)]
pub(super) struct Course {
    pub depth: u64,
    pub zeals: Zeals,
}

impl Team {
    pub fn new(n_threads: u16, max_depth: u64, zeals: Zeals) -> Team {
        Team {
            n_threads,
            max_depth,
            gathering: Gathering::new(usize::from(n_threads)),
            is_complete: AtomicBool::new(false),
            wants_room: AtomicBool::new(false),
            course: Mutex::new(Course { depth: 0, zeals }),
        }
    }

    /// Whether a level with so many states is left to the first thread.
    pub fn is_small(&self, n_states: u64) -> bool {
        n_states < TEAM_FROM * u64::from(self.n_threads)
    }

    /// Others begin to work.
    pub fn complete(&self) {
        self.is_complete.store(true, Ordering::Relaxed);
    }

    pub fn course(&self) -> Course {
        self.course.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_course(&self, course: Course) {
        *self.course.lock().unwrap_or_else(PoisonError::into_inner) = course;
    }

    /// Whether somebody waits for the set to grow. To be asked often.
    #[inline]
    pub fn wants_room(&self) -> bool {
        self.wants_room.load(Ordering::Relaxed)
    }

    /// Lets the set grow, with all others. Nobody who comes here may be inside it.
    pub fn make_room<P: Packed, C: CommonSet<P>>(&self, set: &C, thread: u16, shared: &Shared) {
        if !self.is_complete.load(Ordering::Relaxed) {
            match set.begin_growth() {
                Ok(()) => set.grow_part(0, 1),
                Err(_) => shared.out_of_memory(),
            }
            set.end_growth();
            return;
        }
        self.wants_room.store(true, Ordering::Relaxed);
        if let Some([_, _]) = self.gather([0, 1], shared, || ()) {
            self.grow(set, thread, shared);
        }
    }

    /// All have come, and nobody is inside the set.
    fn grow<P: Packed, C: CommonSet<P>>(&self, set: &C, thread: u16, shared: &Shared) {
        if thread == 0 {
            self.wants_room.store(false, Ordering::Relaxed);
            if set.begin_growth().is_err() {
                shared.out_of_memory();
            }
        }
        if self.gather([], shared, || ()).is_none() {
            return;
        }
        set.grow_part(usize::from(thread), usize::from(self.n_threads));
        if self.gather([], shared, || ()).is_some() && thread == 0 {
            set.end_growth();
        }
    }

    /// Adds numbers to those of the others, and waits for the sums. Nothing if the search is over.
    fn gather<const N: usize>(&self, numbers: [u64; N], shared: &Shared, meanwhile: impl FnMut()) -> Option<[u64; N]> {
        self.gathering.gather(numbers, || shared.is_over(), meanwhile)
    }
}

/// What one thread of a team consists of.
pub(super) struct Member<'m, 'w, 'a, P: Packed, C: CommonSet<P>> {
    pub team: &'m Team,
    pub set: &'m C,
    pub worker: Worker<'w, 'a, P, Crew<'m, P, C>>,
    pub crew: Crew<'m, P, C>,
    batch: Batch<P, ()>,
}

impl<'m, 'w, 'a, P: Packed, C: CommonSet<P>> Member<'m, 'w, 'a, P, C> {
    pub fn new(
        team: &'m Team,
        set: &'m C,
        worker: Worker<'w, 'a, P, Crew<'m, P, C>>,
        crew: Crew<'m, P, C>,
    ) -> Member<'m, 'w, 'a, P, C> {
        Member { team, set, worker, crew, batch: Batch::new() }
    }

    /// Works on all levels from one with so many states on. Returns how many states the next level would have.
    pub fn work(&mut self, mut n_states: u64, system: &mut dyn System<P>) -> Option<u64> {
        loop {
            let is_small = self.team.is_small(n_states);
            let is_first = self.worker.thread == 0;
            let n_own = match (is_small, is_first) {
                (false, _) => self.expand_level(system),
                (true, true) => {
                    let n_next = self.expand_small_levels(system);
                    let Worker { depth, zeals, .. } = &self.worker;
                    self.team.set_course(Course { depth: *depth, zeals: zeals.clone() });
                    n_next
                }
                (true, false) => 0,
            };
            let (n_next, gains) = self.end_level(n_own, system.take_gains())?;
            if is_small && !is_first {
                let course = self.team.course();
                (self.worker.depth, self.worker.zeals) = (course.depth, course.zeals);
            }
            match self.next_level(n_next, gains) {
                Progress::Level(n_next) => n_states = n_next,
                Progress::End => return Some(n_next),
            }
        }
    }

    /// Returns how many states this thread has found for the next level.
    fn expand_level(&mut self, system: &mut dyn System<P>) -> u64 {
        self.crew.expand_level(&mut self.worker, system, &mut self.batch);
        self.crew.n_next()
    }

    /// Expands levels alone up to a large one, or to the end. Returns the number of states of the next one.
    pub fn expand_small_levels(&mut self, system: &mut dyn System<P>) -> u64 {
        loop {
            let n_next = self.expand_level(system);
            let is_end = n_next == 0 || self.worker.depth >= self.team.max_depth;
            if is_end || !self.team.is_small(n_next) || self.worker.shared.is_over() {
                return n_next;
            }
            self.next_level(n_next, system.take_gains());
        }
    }

    /// Decides about the next level, and goes down to it if it may be looked at.
    pub fn next_level(&mut self, n_next: u64, gains: Gains) -> Progress {
        self.worker.zeals.decide(gains, self.worker.depth + 1, n_next);
        next_level(&mut self.worker.depth, self.team.max_depth, n_next)
    }

    /// Waits until all have done their part of the level. Nothing if the search is over.
    fn end_level(&mut self, n_own: u64, gains: Gains) -> Option<(u64, Gains)> {
        let [any_looks, any_useful, any_lost, closed_looks, closed_useful, closed_lost] = gains.numbers();
        let own = [1, 0, n_own, any_looks, any_useful, any_lost, closed_looks, closed_useful, closed_lost];
        let (team, shared) = (self.team, self.worker.shared);
        loop {
            let [_, n_room, n_next, gains @ ..] = team.gather(own, shared, || self.worker.tick())?;
            if n_room == 0 {
                return Some((n_next, Gains::from_numbers(gains)));
            }
            team.grow(self.set, self.worker.thread, shared);
        }
    }
}

/// Ends the search for all when a thread panics, since the others would wait for it.
pub(super) struct Watchman<'t>(pub &'t Shared);

impl Drop for Watchman<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

/// Threads begin when all are there, or not at all.
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

    /// Waits. Returns whether the way is free.
    pub fn pass(&self, shared: &Shared) -> bool {
        let mut patience = Patience::default();
        loop {
            match self.0.load(Ordering::Acquire) {
                Gate::OPEN => return true,
                Gate::CLOSED => return false,
                _ if shared.is_over() => return false,
                _ => _ = patience.wait(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Stop;

    #[test]
    fn a_gathering_adds_up_what_each_brings_again_and_again() {
        let shared = Shared::new(4, u64::MAX, u64::MAX, false);
        let gathering = Gathering::new(4);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (shared, gathering) = (&shared, &gathering);
                scope.spawn(move || {
                    for round in 0..300 {
                        let sums = gathering.gather([round * thread, 1], || shared.is_over(), || ());
                        assert_eq!(sums, Some([round * 6, 4]));
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_when_the_search_is_over() {
        let shared = Shared::new(2, u64::MAX, u64::MAX, false);
        shared.end(Stop::Interrupted);
        assert_eq!(Gathering::new(2).gather([1], || shared.is_over(), || ()), None);
    }

    #[test]
    fn a_panic_ends_the_search_for_all() {
        let shared = Shared::new(2, u64::MAX, u64::MAX, false);
        let result = std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _watchman = Watchman(&shared);
                panic!("as the test wants");
            });
            assert_eq!(Gathering::new(2).gather([1], || shared.is_over(), || ()), None);
            panics.join()
        });
        assert!(result.is_err() && shared.is_over() && shared.reason().is_none());
    }
}
