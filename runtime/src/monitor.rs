//! How a search reports its progress while it runs.

use std::time::Duration;

/// How far a search is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// States in the store.
    pub states_stored: u64,
    /// Arrivals at stored states.
    pub transitions: u64,
    /// The longest path so far, in stored states.
    pub depth: u64,
    /// The memory of the search.
    pub memory_bytes: u64,
    /// The time since the search began.
    pub elapsed: Duration,
    /// The time until the limit.
    pub time_left: Option<Duration>,
}

/// Receives the progress of a search a few times a second.
pub trait Monitor {
    /// One of several searches begins, for the property of this name.
    fn begin(&mut self, property: &str) {
        let _ = property;
    }

    /// Called a few times a second.
    fn progress(&mut self, progress: &Progress);

    /// All searches are over, and the report comes next.
    fn end(&mut self) {}
}

/// Ignores progress.
pub struct Silent;

impl Monitor for Silent {
    fn progress(&mut self, _: &Progress) {}
}
