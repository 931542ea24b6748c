//! Backoff: how a thread waits for others.

use std::time::Duration;

/// Spins for a moment, then yields, then sleeps, so that other work on the machine is not slowed down. No wake-up can be
/// lost: the caller checks its condition again each time.
#[derive(Default)]
pub(crate) struct Backoff(u32);

impl Backoff {
    /// Returns whether enough time has passed for the caller to check the clock.
    pub fn wait(&mut self) -> bool {
        self.0 = self.0.saturating_add(1);
        match self.0 {
            0..200 => std::hint::spin_loop(),
            200..220 => std::thread::yield_now(),
            _ => {
                std::thread::sleep(Duration::from_micros(50));
                return self.0.is_multiple_of(16);
            }
        }
        false
    }
}
