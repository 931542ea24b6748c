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

/// What a search has found, before the report about all of them.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'r> {
    /// The kind of the property: `safety`, `ltl`.
    pub kind: &'r str,
    /// The name of the property.
    pub name: &'r str,
    /// The verdict on it.
    pub verdict: &'r str,
    /// The first violation.
    pub message: Option<&'r str>,
    /// The states of its search.
    pub states_stored: u64,
    /// The time of its search.
    pub elapsed: Duration,
}

/// Receives the progress of a search a few times a second.
pub trait Monitor {
    /// One of several searches begins, for the property of this name.
    fn begin(&mut self, property: &str) {
        let _ = property;
    }

    /// Called a few times a second.
    fn progress(&mut self, progress: &Progress);

    /// One of several searches is over.
    fn finished(&mut self, finished: &Finished<'_>) {
        let _ = finished;
    }

    /// All searches are over, and the report comes next.
    fn end(&mut self) {}
}

/// Ignores progress.
pub struct Silent;

impl Monitor for Silent {
    fn progress(&mut self, _: &Progress) {}
}
