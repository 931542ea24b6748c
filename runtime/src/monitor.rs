//! How a search reports its progress while it runs.

use std::time::Duration;

/// How far a search is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub states_stored: u64,
    pub transitions: u64,
    pub depth: u64,
    pub memory_bytes: u64,
    pub elapsed: Duration,
    pub time_left: Option<Duration>,
}

/// Receives the progress of a search a few times a second.
pub trait Monitor {
    /// One of several searches begins, for the property of this name.
    fn begin(&mut self, property: &str) {
        let _ = property;
    }

    fn progress(&mut self, progress: &Progress);
}

/// Ignores progress.
pub struct Silent;

impl Monitor for Silent {
    fn progress(&mut self, _: &Progress) {}
}
