//! Limits on memory and time, and interrupts: they end a search early, never silently.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits that the user set. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Stored states.
    pub max_states: Option<u64>,
    /// The length of runs.
    pub max_depth: Option<u64>,
    /// The time of the whole check.
    pub max_time: Option<Duration>,
    /// Bytes for states, tables, queues and stacks together.
    pub memory: Option<u64>,
}

/// Set by a signal or, in tests and by other threads, directly; every search checks its own now and then.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicBool);

impl Interrupt {
    /// An interrupt that is not set.
    pub const fn new() -> Interrupt {
        Interrupt(AtomicBool::new(false))
    }

    /// Interrupts the search.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Searches that begin from now on are not interrupted.
    #[doc(hidden)]
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the search is interrupted.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// So many timers can run at once where time is abstract: a state has 2 to the power of that many ticks.
pub const MOST_RUNNING_TIMERS: u32 = 16;

/// Why a search ended before it had explored all states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A violation ended it: the first one, or one after which the rest of the run has no meaning.
    Violation,
    /// The limit of states was reached.
    MaxStates(u64),
    /// Some runs were cut at this depth.
    MaxDepth(u64),
    /// The limit of time was reached.
    MaxTime(Duration),
    /// The limit in bytes, or the memory in use when the system granted no more.
    Memory(u64),
    /// The user interrupted the search.
    Interrupted,
    /// A search beside it was first. No report has this reason.
    Answered,
    /// More timers ran at once than the abstraction of time can deal with.
    RunningTimers,
    /// A violation of the abstraction of time, and no run of the model was found that is one.
    AbstractTime,
    /// The search did not begin, for this reason.
    NotChecked(&'static str),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Violation => write!(f, "stopped at a violation"),
            Stop::MaxStates(states) => write!(f, "limit of {states} states reached (--max-states)"),
            Stop::MaxDepth(depth) => write!(f, "runs longer than {depth} steps were cut (--max-depth)"),
            Stop::MaxTime(time) => write!(f, "limit of {:.1} s reached (--max-time)", time.as_secs_f64()),
            Stop::Memory(bytes) => write!(f, "out of memory at {} MB (--memory)", bytes >> 20),
            Stop::Interrupted => write!(f, "interrupted"),
            Stop::Answered => write!(f, "another search was first"),
            Stop::RunningTimers => {
                write!(f, "more than {MOST_RUNNING_TIMERS} timers run at once, too many for --timers abstract")
            }
            Stop::AbstractTime => f.write_str("a violation with abstract time was not found with exact time"),
            Stop::NotChecked(reason) => write!(f, "not checked: {reason}"),
        }
    }
}

/// Limits with a running clock.
pub(crate) struct LimitClock<'a> {
    limits: &'a Limits,
    interrupt: &'a Interrupt,
    start: Instant,
    /// When the limited time began; earlier searches of the same check may have used some of it.
    limited_from: Instant,
    /// The user's limit, or the memory that the machine can provide.
    pub memory_limit: u64,
}

impl<'a> LimitClock<'a> {
    pub fn start(limits: &'a Limits, interrupt: &'a Interrupt) -> LimitClock<'a> {
        let memory_limit = limits.memory.or_else(available_memory).unwrap_or(u64::MAX);
        let start = Instant::now();
        LimitClock { limits, interrupt, start, limited_from: start, memory_limit }
    }

    /// Continues with other limits; the time limit counts from the same instant.
    pub fn again<'b>(&'b self, limits: &'b Limits) -> LimitClock<'b> {
        LimitClock { limits, interrupt: self.interrupt, start: self.start, ..*self }
    }

    /// A clock beside this one, with other limits.
    pub fn apart<'b>(&self, limits: &'b Limits) -> LimitClock<'b>
    where
        'a: 'b,
    {
        LimitClock { limits, ..*self }
    }

    /// The time limit counts from `instant`, not from the start of this clock.
    pub fn limit_from(&mut self, instant: Instant) {
        self.limited_from = instant;
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The time left until the limit.
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.limits.max_time?.saturating_sub(self.limited_from.elapsed()))
    }

    pub fn max_depth(&self) -> u64 {
        self.limits.max_depth.unwrap_or(u64::MAX)
    }

    pub fn max_states(&self) -> u64 {
        self.limits.max_states.unwrap_or(u64::MAX)
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
    }

    /// The reason to stop the search now, if there is one. Reads the clock, so not to be called for each state.
    pub fn check(&self, memory: u64) -> Option<Stop> {
        if self.is_interrupted() {
            return Some(Stop::Interrupted);
        }
        if memory > self.memory_limit {
            return Some(Stop::Memory(self.memory_limit));
        }
        match self.limits.max_time {
            Some(limit) if self.limited_from.elapsed() >= limit => Some(Stop::MaxTime(limit)),
            _ => None,
        }
    }
}

/// Nine tenths of the memory that can be had without swapping. Linux grants memory that it does not have and kills the
/// process when it is used; a limit of our own turns that into an honest report.
#[must_use]
pub fn available_memory() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    let mut available = kilobytes * 1024;
    if let Some(limit) = number_in("/sys/fs/cgroup/memory.max") {
        let used = number_in("/sys/fs/cgroup/memory.current").unwrap_or(0);
        available = available.min(limit.saturating_sub(used));
    }
    Some(available / 10 * 9)
}

fn number_in(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The peak memory of this process, as the system counts it.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
