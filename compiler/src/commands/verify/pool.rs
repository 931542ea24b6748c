//! Runs tasks, several at a time, and hands on what came of them in the order of the tasks.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use pmc_runtime::Signals;
use pmc_runtime::limits::available_memory;

use super::task::{self, Outcome, Pressure, Setting, Task};

/// Whether all tasks are to end, and since when.
#[derive(Debug, Default)]
pub struct Ending(Mutex<Option<(Instant, Reason)>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// Reports are wanted still.
    Signal,
    /// What is left has no use.
    Needless,
}

/// The time that a process has to end after the signal that it got from the terminal, before the pool sends one.
const GRACE: Duration = Duration::from_millis(150);
/// All is over within a second.
const LATEST: Duration = Duration::from_millis(800);

impl Ending {
    fn begin(&self, reason: Reason) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.get_or_insert((Instant::now(), reason));
    }

    /// A signal came.
    pub fn on_signal(&self) {
        self.begin(Reason::Signal);
    }

    pub fn has_begun(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub fn pressure(&self) -> Option<Pressure> {
        let (since, reason) = (*self.0.lock().unwrap_or_else(PoisonError::into_inner))?;
        Some(match since.elapsed() {
            _ if reason == Reason::Needless => Pressure::Kill,
            elapsed if elapsed < GRACE => Pressure::Wait,
            elapsed if elapsed < LATEST => Pressure::Ask,
            _ => Pressure::Kill,
        })
    }
}

/// Runs all tasks. `deliver` gets each outcome in turn and says whether to go on; what is left out then is delivered
/// nowhere. Returns whether a signal came.
pub fn run(tasks: &[Task], setting: &Setting, jobs: usize, deliver: &mut dyn FnMut(&Task, Outcome) -> bool) -> bool {
    let (ending, next) = (Ending::default(), AtomicUsize::new(0));
    let mut bar = Bar::new(tasks.len());
    let signals = Signals::catch();
    let (sender, outcomes) = mpsc::channel::<Event>();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.len().max(1)) {
            let (sender, ending, next) = (sender.clone(), &ending, &next);
            scope.spawn(move || {
                while let Some((n, task)) = take(tasks, next) {
                    let outcome = match ending.has_begun() {
                        true => Outcome::left_out(),
                        false => {
                            let _ = sender.send(Event::Begins(n));
                            task::run(task, setting, ending)
                        }
                    };
                    let _ = sender.send(Event::Ended(n, Box::new(outcome)));
                }
            });
        }
        drop(sender);
        let mut waiting: BTreeMap<usize, Outcome> = BTreeMap::new();
        let (mut delivered, mut goes_on) = (0, true);
        loop {
            match outcomes.recv_timeout(LOOK) {
                Ok(Event::Begins(n)) => bar.begins(&tasks[n].title),
                Ok(Event::Ended(n, outcome)) => {
                    bar.ended(&tasks[n].title, &outcome);
                    waiting.insert(n, *outcome);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if signals.have_come() {
                ending.on_signal();
            }
            while let Some(outcome) = waiting.remove(&delivered) {
                if goes_on {
                    bar.clear();
                    goes_on = deliver(&tasks[delivered], outcome);
                }
                delivered += 1;
            }
            if !goes_on {
                ending.begin(Reason::Needless);
            }
            bar.show();
        }
        bar.clear();
    });
    signals.release()
}

/// How often signals are looked at, and the bar is drawn.
const LOOK: Duration = Duration::from_millis(50);

enum Event {
    Begins(usize),
    Ended(usize, Box<Outcome>),
}

fn take<'t>(tasks: &'t [Task], next: &AtomicUsize) -> Option<(usize, &'t Task)> {
    let n = next.fetch_add(1, Ordering::Relaxed);
    tasks.get(n).map(|task| (n, task))
}

/// How many tasks run at a time.
pub fn jobs(asked: Option<NonZeroUsize>, n_tasks: usize) -> usize {
    asked.map_or_else(cores, NonZeroUsize::get).min(n_tasks).max(1)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The share of each job of the cores and of the memory, unless the user has given it: as flags of a verifier.
pub fn shares(jobs: usize, flags: &[OsString]) -> Vec<OsString> {
    let is_given =
        |name: &str| flags.iter().filter_map(|flag| flag.to_str()).any(|flag| flag.split('=').next() == Some(name));
    let mut shares = Vec::new();
    if jobs < 2 {
        return shares;
    }
    let threads = (cores() / jobs).max(1);
    // Not every search has several threads; without the flag it decides for itself.
    if !is_given("--threads") && (threads == 1 || !is_given("--search")) {
        shares.push(OsString::from(format!("--threads={threads}")));
    }
    if let Some(bytes) = available_memory().filter(|_| !is_given("--memory")) {
        shares.push(OsString::from(format!("--memory={}", bytes / jobs as u64)));
    }
    shares
}

/// One line on standard error, if that is a terminal: how far all tasks together are.
struct Bar {
    is_shown: bool,
    is_drawn: bool,
    n_tasks: usize,
    n_ended: usize,
    n_violated: usize,
    running: Vec<String>,
}

const BAR: usize = 20;
const COLUMNS: usize = 79;

impl Bar {
    fn new(n_tasks: usize) -> Self {
        let is_shown = io::stderr().is_terminal();
        Self { is_shown, is_drawn: false, n_tasks, n_ended: 0, n_violated: 0, running: Vec::new() }
    }

    fn begins(&mut self, title: &str) {
        self.running.push(title.to_owned());
    }

    fn ended(&mut self, title: &str, outcome: &Outcome) {
        if let Some(place) = self.running.iter().position(|running| running == title) {
            self.running.remove(place);
        }
        self.n_ended += 1;
        self.n_violated += usize::from(outcome.verdict() == "violated");
    }

    fn show(&mut self) {
        if self.is_shown && self.n_ended < self.n_tasks {
            self.is_drawn = true;
            let _ = write!(io::stderr(), "\r\x1b[K{}", self.text());
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn text(&self) -> String {
        let full = BAR * self.n_ended / self.n_tasks.max(1);
        let violated = if self.n_violated > 0 { format!(", {} violated", self.n_violated) } else { String::new() };
        let line = format!(
            "[{}{}] {} of {}{violated}: {}",
            "#".repeat(full),
            "-".repeat(BAR - full),
            self.n_ended,
            self.n_tasks,
            self.running.join(", ")
        );
        if line.chars().count() <= COLUMNS {
            line
        } else {
            line.chars().take(COLUMNS - 3).chain("...".chars()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fits_into_a_line() {
        let mut bar = Bar::new(4);
        bar.begins("a.pml");
        bar.ended("a.pml", &Outcome::left_out());
        bar.begins("b.pml");
        assert_eq!(bar.text(), "[#####---------------] 1 of 4: b.pml");
        bar.begins(&"x".repeat(100));
        assert_eq!(bar.text().chars().count(), COLUMNS);
    }

    #[test]
    fn a_job_alone_has_the_machine() {
        assert!(shares(1, &[]).is_empty());
        let given = ["--threads=3", "--memory=1G"].map(OsString::from);
        assert!(shares(2, &given).is_empty());
        let shares = shares(1000, &[]);
        assert_eq!(shares[0], "--threads=1");
    }

    #[test]
    fn a_signal_leaves_time_and_an_end_does_not() {
        let ending = Ending::default();
        assert_eq!((ending.has_begun(), ending.pressure()), (false, None));
        ending.begin(Reason::Signal);
        ending.begin(Reason::Needless);
        assert!(ending.has_begun() && ending.pressure() != Some(Pressure::Kill));
        let needless = Ending::default();
        needless.begin(Reason::Needless);
        assert_eq!(needless.pressure(), Some(Pressure::Kill));
    }
}
