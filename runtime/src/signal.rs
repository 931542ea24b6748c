//! Ctrl-C and SIGTERM end a search with a report of what was found so far.
//!
//! The standard library has no signals, and a package for them would be the only dependency of every emitted
//! verifier; so the C library that is linked anyway is called directly. The handler only sets a flag, which is all
//! that a handler may do. A second Ctrl-C ends the process at once, in case the search does not look at the flag.

use crate::limits::Interrupt;

/// What the handler sets.
pub(crate) static INTERRUPT: Interrupt = Interrupt::new();

#[cfg(unix)]
#[allow(unsafe_code)]
mod unix {
    use super::INTERRUPT;

    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    /// The value by which `signal` is asked for the default action.
    const SIG_DFL: usize = 0;

    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
    }

    extern "C" fn on_signal(number: i32) {
        INTERRUPT.set();
        // SAFETY: `signal` may be called in a handler (POSIX lists it as async-signal-safe), and SIG_DFL is valid.
        unsafe { signal(number, SIG_DFL) };
    }

    pub fn install() {
        let handler = on_signal as extern "C" fn(i32) as usize;
        // SAFETY: `handler` has the type that C expects, and does nothing but store to an atomic and call `signal`.
        unsafe {
            signal(SIGINT, handler);
            signal(SIGTERM, handler);
        }
    }
}

/// From now on Ctrl-C and SIGTERM set [`INTERRUPT`]. Elsewhere than on Unix they end the process as usual.
pub(crate) fn install() {
    #[cfg(unix)]
    unix::install();
}
