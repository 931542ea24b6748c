//! What all threads of a search look at: whether it is over, and how far everybody is.

use crate::verdict::Stop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

pub(super) struct Shared {
    pub all_errors: bool,
    max_states: u64,
    pub memory_limit: u64,
    over: AtomicBool,
    /// Why, unless somebody panicked.
    stop: Mutex<Option<Stop>>,
    /// The states of all shards; counted only if there are several, and a limit.
    n_states: AtomicU64,
    gauges: Vec<Gauge>,
}

/// How large a shard was when its thread said so last. Apart from the others, so that saying so disturbs nobody.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Gauge {
    pub states: AtomicU64,
    pub transitions: AtomicU64,
    pub memory_bytes: AtomicU64,
    /// What the thread of the same number has beside its shards.
    pub beside: AtomicU64,
}

impl Shared {
    pub fn new(n_shards: usize, max_states: u64, memory_limit: u64, all_errors: bool) -> Shared {
        Shared {
            all_errors,
            max_states,
            memory_limit,
            over: AtomicBool::new(false),
            stop: Mutex::new(None),
            n_states: AtomicU64::new(0),
            gauges: (0..n_shards).map(|_| Gauge::default()).collect(),
        }
    }

    /// Whether everybody should end as soon as possible.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Ends the search. The first reason counts.
    pub fn end(&self, why: Stop) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.over.store(true, Relaxed);
    }

    /// Ends the search because a thread is gone.
    pub fn abandon(&self) {
        self.over.store(true, Relaxed);
    }

    pub fn out_of_memory(&self) {
        self.end(Stop::Memory(self.memory_bytes()));
    }

    pub fn reason(&self) -> Option<Stop> {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a shard with so many states has to ask before it takes another one.
    #[inline]
    pub fn limits_states(&self, n_own: u64) -> bool {
        let is_only = self.gauges.len() == 1;
        self.max_states < u64::MAX && (!is_only || n_own >= self.max_states)
    }

    /// Whether one more state may be stored. Only to be asked for a new one, and if there is a limit.
    pub fn admits_state(&self, n_own: u64) -> bool {
        let is_only = self.gauges.len() == 1;
        let n_states = if is_only { n_own } else { self.n_states.fetch_add(1, Relaxed) };
        let admits = n_states < self.max_states;
        if !admits {
            self.end(Stop::MaxStates(self.max_states));
        }
        admits
    }

    pub fn n_shards(&self) -> usize {
        self.gauges.len()
    }

    pub fn gauge(&self, shard: usize) -> &Gauge {
        &self.gauges[shard]
    }

    pub fn sum(&self, of: impl Fn(&Gauge) -> &AtomicU64) -> u64 {
        self.gauges.iter().map(|gauge| of(gauge).load(Relaxed)).sum()
    }

    pub fn memory_bytes(&self) -> u64 {
        self.sum(|gauge| &gauge.memory_bytes) + self.sum(|gauge| &gauge.beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts() {
        let shared = Shared::new(2, 1, 1000, false);
        assert!(!shared.is_over() && shared.limits_states(0));
        assert!(shared.admits_state(0) && !shared.admits_state(0));
        shared.end(Stop::Violation);
        assert!(shared.is_over());
        assert_eq!(shared.reason(), Some(Stop::MaxStates(1)));
    }
}
