//! The status that all threads of a search share: whether it is over, and the progress of each.

use crate::limits::Stop;
use crate::lock::{Lock, Locked, Rank};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

pub(super) struct SearchStatus {
    pub all_errors: bool,
    max_states: u64,
    pub memory_limit: u64,
    over: AtomicBool,
    /// The reason, unless a thread panicked.
    stop: Lock<Option<Stop>>,
    /// Held by the thread that counts states against a limit.
    counting: Lock<()>,
    /// The gauge of the set, and then that of each thread.
    gauges: Vec<Gauge>,
}

/// A size, as last reported. On a cache line of its own, so that reporting it does not slow other threads down.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Gauge {
    pub states: AtomicU64,
    pub transitions: AtomicU64,
    pub memory_bytes: AtomicU64,
}

impl SearchStatus {
    pub fn new(n_threads: u16, max_states: u64, memory_limit: u64, all_errors: bool) -> SearchStatus {
        SearchStatus {
            all_errors,
            max_states,
            memory_limit,
            over: AtomicBool::new(false),
            stop: Lock::new(Rank::Ending, None),
            counting: Lock::new(Rank::Counting, ()),
            gauges: (0..=n_threads).map(|_| Gauge::default()).collect(),
        }
    }

    /// Whether all threads should end as soon as possible. The flag is never reset, and guards no data: threads
    /// exchange data by locks, by the barrier, or when they are joined. So relaxed ordering is enough.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Ends the search. The first reason counts.
    pub fn end(&self, why: Stop) {
        self.stop.lock().get_or_insert(why);
        self.over.store(true, Relaxed);
    }

    /// Ends the search because a thread panicked.
    pub fn abandon(&self) {
        self.over.store(true, Relaxed);
    }

    pub fn out_of_memory(&self) {
        self.end(Stop::Memory(self.memory_bytes()));
    }

    pub fn reason(&self) -> Option<Stop> {
        *self.stop.lock()
    }

    /// Whether the limit admits no state beyond so many.
    #[inline]
    pub fn is_full(&self, n_states: u64) -> bool {
        n_states >= self.max_states
    }

    pub fn limits_states(&self) -> bool {
        self.max_states < u64::MAX
    }

    /// Ends the search because the limit is reached and there is one more state.
    pub fn end_at_limit(&self) {
        self.end(Stop::MaxStates(self.max_states));
    }

    /// If the number of states is limited, one thread at a time inserts.
    pub fn count(&self) -> Locked<'_, ()> {
        self.counting.lock()
    }

    pub fn of_set(&self) -> &Gauge {
        &self.gauges[0]
    }

    pub fn of_thread(&self, number: u16) -> &Gauge {
        &self.gauges[usize::from(number) + 1]
    }

    pub fn n_states(&self) -> u64 {
        self.of_set().states.load(Relaxed)
    }

    pub fn n_transitions(&self) -> u64 {
        self.gauges.iter().map(|gauge| gauge.transitions.load(Relaxed)).sum()
    }

    /// The memory of all threads beside the set.
    pub fn memory_beside(&self) -> u64 {
        self.gauges[1..].iter().map(|gauge| gauge.memory_bytes.load(Relaxed)).sum()
    }

    pub fn memory_bytes(&self) -> u64 {
        self.of_set().memory_bytes.load(Relaxed) + self.memory_beside()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts() {
        let shared = SearchStatus::new(2, 1, 1000, false);
        assert!(!shared.is_over() && shared.limits_states() && !shared.is_full(0) && shared.is_full(1));
        shared.end_at_limit();
        shared.end(Stop::Violation);
        assert!(shared.is_over());
        assert_eq!(shared.reason(), Some(Stop::MaxStates(1)));
    }
}
