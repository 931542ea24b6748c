//! What a search says in the end.

use crate::fault::Fault;
use crate::model::{ClaimInfo, Place};
use crate::options::Options;
use crate::step::TransitionId;
use crate::trail::Trail;
use std::fmt;
use std::time::Duration;

/// The exit codes of a verifier, an interface for scripts and CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Every property holds.
    Verified = 0,
    /// A violation was found.
    Violated = 1,
    /// The model or the command line is wrong.
    Usage = 2,
    /// The search ended early and found nothing wrong.
    Incomplete = 3,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> std::process::ExitCode {
        std::process::ExitCode::from(code as u8)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Verified,
    Violated,
    /// The search ended early and found nothing wrong so far: neither yes nor no.
    Incomplete,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Incomplete => "incomplete",
        }
    }

    pub fn exit_code(self) -> ExitCode {
        match self {
            Verdict::Verified => ExitCode::Verified,
            Verdict::Violated => ExitCode::Violated,
            Verdict::Incomplete => ExitCode::Incomplete,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    Assertion,
    /// Nobody can move, and some process is not where it may end.
    InvalidEndState,
    /// Nobody can move, every process may end, but messages are left (asked for with `--leftover-messages`).
    LeftoverMessages,
    Fault(Fault),
}

impl ViolationKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::LeftoverMessages => "leftover-messages",
            ViolationKind::Fault(fault) => fault.kind(),
        }
    }

    pub fn ends_search(self) -> bool {
        matches!(self, ViolationKind::Fault(fault) if fault.ends_search())
    }
}

/// A violation as the search meets it: cheap, without trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub kind: ViolationKind,
    /// `None` if it is a state that is wrong and not a step, or if it went wrong before the first step.
    pub transition: Option<TransitionId>,
}

/// A violation for people.
#[derive(Clone, Debug)]
pub struct Violation {
    pub found: Found,
    pub message: String,
    pub place: Option<Place>,
    /// Leads from the initial state to the violation.
    pub trail: Trail,
    /// How often the same violation was met, in other states.
    pub occurrences: u64,
}

/// Why a search ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A violation ended it: the first one, or one after which nothing makes sense.
    Violation,
    MaxStates(u64),
    /// Some runs were cut at this depth.
    MaxDepth(u64),
    MaxTime(Duration),
    /// The limit in bytes, or what was in use when the system gave no more.
    Memory(u64),
    Interrupted,
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
        }
    }
}

/// The figures of one search. They count as Spin's pan counts.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub algorithm: &'static str,
    pub storage: &'static str,
    pub threads: usize,
    pub reduction: bool,
    /// Different states without a holder.
    pub states_stored: u64,
    /// Arrivals at such states, the initial one included: stored + matched.
    pub transitions: u64,
    /// Steps that led to a state inside an atomic sequence.
    pub atomic_steps: u64,
    /// Depth-first: the most steps from the initial state on the search's own path, those inside atomic included.
    /// Breadth-first: the distance of the farthest state.
    pub depth: u64,
    /// The size of a packed state (the largest one, if states grow).
    pub state_bytes: u64,
    /// Peak memory of the process where the system tells, else what the search itself took.
    pub memory_bytes: u64,
    pub elapsed: Duration,
    pub omission_probability: Option<f64>,
}

/// The result of one check.
#[derive(Clone, Debug)]
pub struct Report {
    /// On everything that was asked for.
    pub verdict: Verdict,
    /// On safety alone: what the search itself found.
    pub safety: Verdict,
    /// Claims of the model that were asked for and not checked, because this version cannot.
    pub claims_left: &'static [ClaimInfo],
    /// What was asked for.
    pub options: Options,
    /// Violations met, each time counted.
    pub errors: u64,
    /// The different ones (by kind and statement), in the order in which they were met; at most
    /// [`MAX_VIOLATIONS`] are kept.
    pub violations: Vec<Violation>,
    /// `None`: every reachable state was seen.
    pub stop: Option<Stop>,
    pub statistics: Statistics,
    /// For each transition of the model whether it was taken.
    pub reached: Vec<bool>,
    /// What the user should know beside the verdict.
    pub warnings: Vec<String>,
}

pub const MAX_VIOLATIONS: usize = 100;

impl Report {
    pub fn is_complete(&self) -> bool {
        self.stop.is_none()
    }

    /// What was not checked, so that nobody reads a verdict as more than it is.
    pub fn unchecked(&self) -> Vec<String> {
        let assertions = (!self.options.check_assertions).then(|| "assertions (--no-assert)".to_owned());
        let end_states = (!self.options.check_end_states).then(|| "invalid end states (--no-deadlock)".to_owned());
        let claims = self.claims_left.iter().map(|claim| {
            let (kind, name) = (claim.kind.name(), claim.name);
            format!("{kind} {name}: this version checks safety only (--safety leaves claims aside)")
        });
        assertions.into_iter().chain(end_states).chain(claims).collect()
    }

    /// For use in tests: `pmc_runtime::check(&model, &options).assert_verified()`.
    ///
    /// # Panics
    /// If the verdict is anything but verified; the message says what was found.
    #[track_caller]
    pub fn assert_verified(&self) {
        match (self.verdict, self.violations.first(), self.stop) {
            (Verdict::Verified, ..) => {}
            (_, Some(violation), _) => {
                panic!("{} (after {} steps)", violation.message, violation.trail.steps.len())
            }
            (_, None, Some(stop)) => panic!("the search is incomplete: {stop}"),
            (_, None, None) => panic!("not checked: {}", self.unchecked().join("; ")),
        }
    }
}
