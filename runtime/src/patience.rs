//! Waiting for other threads.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// Waits for others: a moment at full speed, then letting others run, then asleep, so that a machine with other work
/// loses nothing.
#[derive(Default)]
pub(crate) struct Patience(u32);

impl Patience {
    /// Returns whether it has taken some time, so that one should look at the clock.
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

/// Locks what others have for a moment only.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    let mut patience = Patience::default();
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            // Who panicked there has ended the search.
            Err(TryLockError::Poisoned(error)) => return error.into_inner(),
            Err(TryLockError::WouldBlock) => _ = patience.wait(),
        }
    }
}
