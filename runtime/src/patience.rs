//! Waiting for other threads.

use std::time::Duration;

/// Waits for other threads: a moment at full speed, then yielding, then asleep, so that a machine with other work loses
/// nothing. There is no wake-up that could be lost: the caller looks again each time.
#[derive(Default)]
pub(crate) struct Patience(u32);

impl Patience {
    /// Returns whether the caller should look at the clock, since some time has passed.
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
