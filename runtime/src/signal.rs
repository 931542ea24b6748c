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
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// The interrupt that the handler sets.
pub static INTERRUPT: Interrupt = Interrupt::new();

/// Whether the handler has set it, and not another part of the program.
static WAS_SIGNALLED: AtomicBool = AtomicBool::new(false);

/// Whether a signal has interrupted a search of this process.
pub fn was_signalled() -> bool {
    WAS_SIGNALLED.load(Ordering::Relaxed)
}

/// Whether a violation is known, though perhaps no counterexample yet.
static IS_VIOLATED: AtomicBool = AtomicBool::new(false);

/// Whether a search listens.
static IS_SEARCHING: AtomicBool = AtomicBool::new(false);

/// Whether the process ends a second after a signal.
static HAS_ALARM: AtomicBool = AtomicBool::new(true);

/// What is added to an exit code.
static STATUS_BASE: AtomicI32 = AtomicI32::new(0);

/// From now on an exit code without a report is so much higher.
pub fn add_to_status(base: u8) {
    STATUS_BASE.store(base.into(), Ordering::Relaxed);
}

/// The message and the status of a process that ends without a report.
fn without_report() -> (&'static [u8], i32) {
    let is_violated = IS_VIOLATED.load(Ordering::Relaxed);
    let (message, code) = if is_violated { (UNPROVEN, 1) } else { (UNFINISHED, 3) };
    (message, STATUS_BASE.load(Ordering::Relaxed) + code)
}

const UNFINISHED: &[u8] = b"error: interrupted, and the search did not answer within a second: there is no report\n";
const UNPROVEN: &[u8] = b"error: interrupted: a violation was found, but its counterexample was not complete yet\n";

/// Seconds that a search has to end.
const GRACE: u32 = 1;

/// Interrupts the search from another thread, as a signal does, and returns if there is none.
pub fn interrupt_from_thread() {
    INTERRUPT.set();
    std::thread::sleep(Duration::from_secs(GRACE.into()));
    if IS_SEARCHING.load(Ordering::Relaxed) {
        let (message, status) = without_report();
        let _ = std::io::stderr().write_all(message);
        std::process::exit(status);
    }
}

/// Some search of this process has found a violation. Without effect unless a signal interrupts searches.
pub fn note_violation() {
    IS_VIOLATED.store(true, Ordering::Relaxed);
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod unix {
    use super::{GRACE, HAS_ALARM, INTERRUPT, WAS_SIGNALLED, without_report};
    use std::sync::atomic::Ordering;

    const SIGINT: i32 = 2;
    const SIGALRM: i32 = 14;
    const SIGTERM: i32 = 15;
    /// The value by which `signal` is asked for the default action.
    const SIG_DFL: usize = 0;
    const STDERR: i32 = 2;

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
        if HAS_ALARM.load(Ordering::Relaxed) {
            // SAFETY: `alarm` is async-signal-safe.
            unsafe { alarm(GRACE) };
        }
    }

    extern "C" fn on_alarm(_: i32) {
        let (message, status) = without_report();
        // SAFETY: `write` and `_exit` are async-signal-safe, and the message is valid for its length.
        unsafe {
            write(STDERR, message.as_ptr(), message.len());
            _exit(status)
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
pub fn listen() -> Listening {
    // What an earlier search found is reported already.
    IS_VIOLATED.store(false, Ordering::Relaxed);
    HAS_ALARM.store(true, Ordering::Relaxed);
    IS_SEARCHING.store(true, Ordering::Relaxed);
    #[cfg(unix)]
    unix::install();
    Listening(())
}

/// Signals interrupt the search.
#[derive(Debug)]
#[must_use]
pub struct Listening(());

impl Drop for Listening {
    fn drop(&mut self) {
        IS_SEARCHING.store(false, Ordering::Relaxed);
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

    /// From now on, while another process does the work: this one waits for it as long as that takes.
    #[must_use]
    pub fn catch_for_another() -> Self {
        let caught = Self::catch();
        HAS_ALARM.store(false, Ordering::Relaxed);
        caught
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
