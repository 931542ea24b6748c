//! A lock that is fair: threads enter in the order in which they have asked.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// Lets one thread enter at a time, as long as no more than 255 wait.
#[derive(Debug, Default)]
pub struct TicketLock {
    next: AtomicU8,
    serving: AtomicU8,
}

/// Its owner is inside.
#[derive(Debug)]
pub struct Inside<'l>(&'l TicketLock);

impl TicketLock {
    /// Waits until this thread may enter.
    pub fn enter(&self) -> Inside<'_> {
        let mine = self.next.fetch_add(1, Ordering::Relaxed);
        while self.serving.load(Ordering::Acquire) != mine {
            std::thread::yield_now();
        }
        Inside(self)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.serving.fetch_add(1, Ordering::Release);
    }
}
