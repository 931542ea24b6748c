//! The part of a search that does not depend on the model: limits, findings, progress.
//!
//! Kept free of generics, so that it is compiled once, with the runtime, and not again for every verifier.

use crate::limits::{Interrupt, LimitClock, Stop};
use crate::monitor::{Monitor, Progress};
use crate::options::Options;
use crate::pack::Packed;
use crate::signal;
use crate::system::{Pulse, Successors, Wants};
use crate::trail::Move;
use crate::verdict::{Found, MAX_VIOLATIONS};
use std::time::{Duration, Instant};

/// A violation and the moves that lead to it.
pub(crate) struct Finding {
    pub found: Found,
    pub moves: Vec<Move>,
    /// For a cycle: the number of moves before it starts.
    pub cycle_start: Option<usize>,
    pub occurrences: u64,
}

/// A run from the initial state, and where it closes if it is a lasso.
#[derive(Default)]
pub(crate) struct Run {
    pub moves: Vec<Move>,
    pub cycle_start: Option<usize>,
}

impl From<Vec<Move>> for Run {
    fn from(moves: Vec<Move>) -> Run {
        Run { moves, cycle_start: None }
    }
}

/// Work that is done in the pauses of a search.
pub(crate) trait Beside {
    /// Goes on, now that the search has come so far. Returns whether the question is answered.
    fn advance(&mut self, progress: &Progress) -> bool;

    fn memory_bytes(&self) -> u64;

    /// Ends and frees its memory.
    fn give_up(&mut self);
}

pub(crate) struct Control<'a> {
    pub options: &'a Options,
    clock: LimitClock<'a>,
    monitor: &'a mut dyn Monitor,
    last_shown: Duration,
    pub findings: Vec<Finding>,
    pub errors: u64,
    /// When the first violation was met, after the start of the search.
    first_met: Option<Duration>,
    /// Why the search must end now.
    pub stop: Option<Stop>,
    /// Whether a run was cut at the depth limit, which does not end the search.
    was_cut: bool,
    pub max_depth: u64,
    pub max_states: u64,
    /// The kinds of violations that the user wants reported.
    pub wants: Wants,
    beside: Option<&'a mut dyn Beside>,
}

/// The findings of a search, and why it ended.
pub(crate) struct SearchOutcome {
    findings: Vec<Finding>,
    errors: u64,
    first_met: Option<Duration>,
    stop: Option<Stop>,
    was_cut: bool,
}

const SHOW_EVERY: Duration = Duration::from_millis(200);

impl<'a> Control<'a> {
    pub fn new(options: &'a Options, interrupt: &'a Interrupt, monitor: &'a mut dyn Monitor) -> Control<'a> {
        let clock = LimitClock::start(&options.limits, interrupt);
        Control::begin(options, clock, monitor, Wants::new(options))
    }

    fn begin(options: &'a Options, clock: LimitClock<'a>, monitor: &'a mut dyn Monitor, wants: Wants) -> Control<'a> {
        let (max_depth, max_states) = (clock.max_depth(), clock.max_states());
        Control {
            options,
            clock,
            monitor,
            last_shown: Duration::ZERO,
            findings: Vec::new(),
            errors: 0,
            first_met: None,
            stop: None,
            was_cut: false,
            max_depth,
            max_states,
            wants,
            beside: None,
        }
    }

    /// The time limit is that of a whole check, which began at `instant` with another search.
    pub fn limit_from(&mut self, instant: Instant) {
        self.clock.limit_from(instant);
    }

    /// The control of another search after this one, within the same time limit.
    pub fn again<'b>(&'b mut self, options: &'b Options) -> Control<'b> {
        let clock = self.clock.again(&options.limits);
        Control::begin(options, clock, &mut *self.monitor, self.wants)
    }

    /// The same, and something else is done in the pauses of the search.
    pub fn again_beside<'b>(&'b mut self, options: &'b Options, beside: &'b mut dyn Beside) -> Control<'b> {
        Control { beside: Some(beside), ..self.again(options) }
    }

    /// The control of a search at the same time as this one, within the same time limit.
    pub fn apart<'b>(&self, options: &'b Options, monitor: &'b mut dyn Monitor) -> Control<'b>
    where
        'a: 'b,
    {
        Control::begin(options, self.clock.apart(&options.limits), monitor, self.wants)
    }

    /// Forgets everything that a search has found.
    pub fn begin_again(&mut self) {
        self.first_met = None;
        self.adopt(SearchOutcome { findings: Vec::new(), errors: 0, first_met: None, stop: None, was_cut: false });
    }

    /// The outcome of such a search.
    pub fn outcome(self) -> SearchOutcome {
        let Control { findings, errors, first_met, stop, was_cut, .. } = self;
        SearchOutcome { findings, errors, first_met, stop, was_cut }
    }

    /// Adopts the outcome of another search. A violation that was met before counts as the first still.
    pub fn adopt(&mut self, outcome: SearchOutcome) {
        let SearchOutcome { findings, errors, first_met, stop, was_cut } = outcome;
        self.first_met = self.first_met.or(first_met);
        (self.findings, self.errors, self.stop, self.was_cut) = (findings, errors, stop, was_cut);
    }

    /// To be called every few hundred states. Returns whether the search is over.
    pub fn tick(&mut self, mut progress: Progress) -> bool {
        if self.stop.is_none() {
            self.stop = self.clock.check(progress.memory_bytes);
        }
        self.advance_beside(&progress);
        let elapsed = self.clock.elapsed();
        if elapsed.saturating_sub(self.last_shown) >= SHOW_EVERY {
            self.last_shown = elapsed;
            progress.elapsed = elapsed;
            progress.time_left = self.clock.time_left();
            self.monitor.progress(&progress);
        }
        self.stop.is_some()
    }

    fn advance_beside(&mut self, progress: &Progress) {
        let Some(beside) = self.beside.as_mut().filter(|_| self.stop.is_none()) else { return };
        if beside.advance(progress) {
            self.stop = Some(Stop::Answered);
        } else if progress.memory_bytes + beside.memory_bytes() > self.clock.memory_limit {
            // The search needs the memory more.
            beside.give_up();
            self.beside = None;
        }
    }

    /// The same from within a long expansion, without a report to the monitor.
    pub fn check_limits(&mut self, memory_bytes: u64) {
        if self.stop.is_none() {
            self.stop = self.clock.check(memory_bytes);
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    pub fn memory_limit(&self) -> u64 {
        self.clock.memory_limit
    }

    pub fn out_of_memory(&mut self, in_use: u64) {
        self.stop.get_or_insert(Stop::Memory(in_use));
    }

    pub fn too_many_states(&mut self) {
        self.stop.get_or_insert(Stop::MaxStates(self.max_states));
    }

    /// A run is longer than the depth limit and is not followed further.
    pub fn cut(&mut self) {
        self.was_cut = true;
    }

    pub fn is_over(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether the user has interrupted the search.
    pub fn is_interrupted(&self) -> bool {
        self.clock.is_interrupted()
    }

    /// Why the search is incomplete, if it is.
    pub fn reason(&self) -> Option<Stop> {
        self.stop.or(self.was_cut.then_some(Stop::MaxDepth(self.max_depth)))
    }

    /// Counts a violation; the first of its kind at its statement is kept, with the run to it.
    pub fn meet<R: Into<Run>>(&mut self, found: Found, run: impl FnOnce() -> R) {
        self.meet_times(found, 1, run);
    }

    /// The same for a violation that was found so many times.
    pub fn meet_times<R: Into<Run>>(&mut self, found: Found, occurrences: u64, run: impl FnOnce() -> R) {
        if self.count(found, occurrences) {
            self.keep(found, occurrences, run().into());
        }
    }

    /// A violation was met, before the run to it is as short as it will be shown.
    pub fn note_first_met(&mut self) {
        let now = self.clock.elapsed();
        self.first_met.get_or_insert(now);
    }

    /// When the first violation was met, after the start of the search.
    pub fn first_met(&self) -> Option<Duration> {
        self.first_met
    }

    /// Whether the run to this violation is wanted.
    fn count(&mut self, found: Found, occurrences: u64) -> bool {
        signal::note_violation();
        self.note_first_met();
        self.errors += occurrences;
        if !self.options.all_errors || found.kind.ends_search() {
            self.stop.get_or_insert(Stop::Violation);
        }
        let same = |finding: &&mut Finding| same_violation(finding.found, found);
        match self.findings.iter_mut().find(same) {
            Some(finding) => {
                finding.occurrences += occurrences;
                false
            }
            None => self.findings.len() < MAX_VIOLATIONS,
        }
    }

    fn keep(&mut self, found: Found, occurrences: u64, run: Run) {
        let Run { moves, cycle_start } = run;
        self.findings.push(Finding { found, moves, cycle_start, occurrences });
    }
}

/// Tells a search that backtracks when to check the limits: it may leave millions of states without entering one.
#[derive(Default)]
pub(crate) struct Rounds(u32);

impl Rounds {
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.0 = self.0.wrapping_add(1);
        self.0.is_multiple_of(1 << 14)
    }
}

/// Checks the limits during a long expansion.
pub(crate) struct LimitPulse<'c, 'a> {
    pub control: &'c mut Control<'a>,
    /// The memory that the search takes beside the successors.
    pub memory_beside: u64,
}

impl<P: Packed> Pulse<P> for LimitPulse<'_, '_> {
    fn beat(&mut self, out: &mut Successors<P>) -> bool {
        self.control.check_limits(self.memory_beside + out.memory_bytes());
        self.control.is_over()
    }
}

/// Whether two violations have the same message: the same kind at the same statement.
pub(crate) fn same_violation(a: Found, b: Found) -> bool {
    let key = |found: Found| (found.kind.name(), found.transition, found.claim_move);
    key(a) == key(b)
}
