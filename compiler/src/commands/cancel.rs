//! What ends a build early: a flag by which one thread ends the work of another, or a signal.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use pmc_runtime::Signals;

/// The waiting side of some work.
#[derive(Clone, Copy, Debug)]
pub enum Waiting<'w> {
    /// A search of this process, which may end first.
    Search(&'w Cancel),
    /// The user's end of the run: a signal.
    User(&'w Signals),
}

impl Waiting<'_> {
    /// Waits for so long, or until the work is not wanted any more. Returns whether it is not.
    pub fn wait(self, time: Duration) -> bool {
        match self {
            Self::Search(cancel) => cancel.wait(time),
            Self::User(signals) => {
                if !signals.have_come() {
                    std::thread::sleep(time);
                }
                signals.have_come()
            }
        }
    }
}

#[derive(Debug, Default)]
pub struct Cancel {
    is_cancelled: Mutex<bool>,
    changed: Condvar,
}

impl Cancel {
    pub fn cancel(&self) {
        *self.is_cancelled.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    pub fn is_cancelled(&self) -> bool {
        *self.is_cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for so long, or until the work is not wanted any more. Returns whether it is not.
    pub fn wait(&self, time: Duration) -> bool {
        let guard = self.is_cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(guard, time, |is_cancelled| !*is_cancelled);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_when_the_work_is_cancelled() {
        let cancel = Cancel::default();
        assert!(!cancel.wait(Duration::ZERO));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| cancel.wait(Duration::from_secs(600)));
            cancel.cancel();
            assert!(waiting.join().expect("the thread ends"));
        });
        assert!(cancel.is_cancelled() && cancel.wait(Duration::from_secs(600)));
    }
}
