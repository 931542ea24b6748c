//! Ctrl-C and SIGTERM end a search with a report of what was found so far.
//!
//! The standard library has no signals, and a package for them would be the only dependency of every emitted
//! verifier; so the runtime calls the C library directly, which is linked anyway. The first signal sets a flag, which
//! every search checks many times a second, also while threads wait for each other. A second signal, of either kind,
//! ends the process at once.
//!
//! Some work between two checks cannot be cut short: copying a large table, rebuilding a counterexample. If the search
//! has not ended after a second, an alarm ends the process, with a message in place of the report, and with the exit
//! code that is true at that moment.

use crate::limits::Interrupt;
use std::sync::atomic::{AtomicBool, Ordering};

/// The interrupt that the handler sets.
pub(crate) static INTERRUPT: Interrupt = Interrupt::new();

/// Whether the handler has set it, and not another part of the program.
static WAS_SIGNALLED: AtomicBool = AtomicBool::new(false);

/// Whether a signal has interrupted a search of this process.
pub(crate) fn was_signalled() -> bool {
    WAS_SIGNALLED.load(Ordering::Relaxed)
}

/// Whether a violation is known, though perhaps no counterexample yet.
static IS_VIOLATED: AtomicBool = AtomicBool::new(false);

/// Some search of this process has found a violation. Without effect unless a signal interrupts searches.
pub(crate) fn note_violation() {
    IS_VIOLATED.store(true, Ordering::Relaxed);
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod unix {
    use super::{INTERRUPT, IS_VIOLATED, WAS_SIGNALLED};
    use std::sync::atomic::Ordering;

    const SIGINT: i32 = 2;
    const SIGALRM: i32 = 14;
    const SIGTERM: i32 = 15;
    /// The value by which `signal` is asked for the default action.
    const SIG_DFL: usize = 0;
    const STDERR: i32 = 2;
    /// Seconds that a search has to end.
    const GRACE: u32 = 1;

    const UNFINISHED: &[u8] =
        b"error: interrupted, and the search did not answer within a second: there is no report\n";
    const UNPROVEN: &[u8] = b"error: interrupted: a violation was found, but its counterexample was not complete yet\n";

    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn alarm(seconds: u32) -> u32;
        fn write(file: i32, bytes: *const u8, n_bytes: usize) -> isize;
        fn _exit(code: i32) -> !;
    }

    /// Both signals end the process from now on.
    fn reset() {
        // SAFETY: `signal` may be called in a handler (POSIX lists it as async-signal-safe), and SIG_DFL is valid.
        unsafe {
            signal(SIGINT, SIG_DFL);
            signal(SIGTERM, SIG_DFL);
        }
    }

    extern "C" fn on_signal(_: i32) {
        WAS_SIGNALLED.store(true, Ordering::Relaxed);
        INTERRUPT.set();
        reset();
        // SAFETY: `alarm` is async-signal-safe.
        unsafe { alarm(GRACE) };
    }

    extern "C" fn on_alarm(_: i32) {
        let is_violated = IS_VIOLATED.load(Ordering::Relaxed);
        let (message, code) = if is_violated { (UNPROVEN, 1) } else { (UNFINISHED, 3) };
        // SAFETY: `write` and `_exit` are async-signal-safe, and the message is valid for its length.
        unsafe {
            write(STDERR, message.as_ptr(), message.len());
            _exit(code)
        }
    }

    pub fn install() {
        let handler = |handler: extern "C" fn(i32)| handler as usize;
        // SAFETY: handlers have the type that C expects, and call nothing that is not async-signal-safe.
        unsafe {
            signal(SIGINT, handler(on_signal));
            signal(SIGTERM, handler(on_signal));
            signal(SIGALRM, handler(on_alarm));
        }
    }

    pub fn uninstall() {
        reset();
        // SAFETY: no arguments that could be wrong.
        unsafe { alarm(0) };
    }
}

/// A search begins that ends when [`INTERRUPT`] is set, which Ctrl-C and SIGTERM do from now on; elsewhere than on Unix they
/// end the process as usual. There is one such search at a time. A program that uses the runtime as a library may have
/// handlers of its own, so that nothing but `main`, `main_with` and [`Signals`] calls this. When the guard is dropped the search has
/// ended, and a signal ends the writing of the report at once.
pub(crate) fn listen() -> Listening {
    // What an earlier search found is reported already.
    IS_VIOLATED.store(false, Ordering::Relaxed);
    #[cfg(unix)]
    unix::install();
    Listening(())
}

/// Signals interrupt the search.
#[derive(Debug)]
#[must_use]
pub(crate) struct Listening(());

impl Drop for Listening {
    fn drop(&mut self) {
        #[cfg(unix)]
        unix::uninstall();
    }
}

/// Catches Ctrl-C and SIGTERM while a program prepares a search, such as the build of a verifier, which it then can end in
/// order. As during a search, the process ends a second after the signal if the program has not ended by then.
#[derive(Debug)]
pub struct Signals(Listening);

impl Signals {
    /// From now on.
    #[must_use]
    pub fn catch() -> Self {
        Self(listen())
    }

    /// Whether one has come.
    #[must_use]
    pub fn have_come(&self) -> bool {
        was_signalled()
    }

    /// From now on signals end the process as usual. Returns whether one came before.
    #[must_use]
    pub fn release(self) -> bool {
        // In this order none is lost.
        drop(self.0);
        was_signalled()
    }
}
