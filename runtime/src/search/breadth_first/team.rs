//! How threads work together: level after level, and what happens if one of them panics.

use super::flight::Flights;
use super::gathering::Gathering;
use super::shared::Shared;
use super::worker::Worker;
use super::{Progress, next_level};
use crate::pack::Packed;
use crate::search::patience::Patience;
use crate::store::StateSet;
use crate::system::{Gains, System};
use std::sync::atomic::{AtomicU8, Ordering};

/// Below so many states in a level the threads end. Tests meet that often.
const TEAM_UNTIL: u64 = if cfg!(test) { 2 } else { 512 };

/// What the threads share while they work on the same levels, beside the shards.
pub(super) struct Team {
    pub n_threads: usize,
    pub max_depth: u64,
    gathering: Gathering,
}

impl Team {
    pub fn new(n_threads: usize, max_depth: u64) -> Team {
        Team { n_threads, max_depth, gathering: Gathering::new(n_threads) }
    }

    /// What each thread does. Also returns how many states the next level would have.
    pub fn work<P: Packed, S: StateSet<P>>(
        &self,
        worker: &mut Worker<'_, '_, P, S>,
        system: &mut dyn System<P>,
    ) -> (Progress, u64) {
        let mut flights = Flights::new();
        loop {
            worker.expand_level(system, &mut flights);
            let Some(n_next) = self.end_level(worker, system) else { return (Progress::End, 0) };
            match next_level(&mut worker.depth, self.max_depth, n_next) {
                Progress::Level(_) if n_next >= TEAM_UNTIL => {}
                progress => return (progress, n_next),
            }
        }
    }

    /// How many states the next level has, when all have done their part of this one. Nothing if the search is over.
    fn end_level<P: Packed, S: StateSet<P>>(
        &self,
        worker: &mut Worker<'_, '_, P, S>,
        system: &mut dyn System<P>,
    ) -> Option<u64> {
        let [_] = self.gather(worker, [0])?;
        let n_own = worker.advance(self.n_threads);
        let [any_looks, any_useful, any_lost, closed_looks, closed_useful, closed_lost] = system.take_gains().numbers();
        let own = [n_own, any_looks, any_useful, any_lost, closed_looks, closed_useful, closed_lost];
        let [n_next, gains @ ..] = self.gather(worker, own)?;
        worker.zeals.decide(Gains::from_numbers(gains), worker.depth + 1, n_next);
        Some(n_next)
    }

    /// Adds numbers to those of the others, and waits for the sums.
    fn gather<P: Packed, S: StateSet<P>, const N: usize>(
        &self,
        worker: &mut Worker<'_, '_, P, S>,
        numbers: [u64; N],
    ) -> Option<[u64; N]> {
        let shared = worker.shared;
        self.gathering.gather(numbers, || shared.is_over(), || worker.tick())
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
