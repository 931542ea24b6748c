//! The result of a search.

use crate::explanation::Explanation;
use crate::fault::{Fault, TraceError};
use crate::limits::Stop;
use crate::model::SourcePosition;
use crate::omission::Omissions;
use crate::options::Options;
use crate::property::PropertyKind;
use crate::step::{ClaimMoveId, TransitionId};
use crate::trail::Trail;
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
    /// The search ended early and found no violation.
    Incomplete = 3,
    /// What was asked for could not be written: a report that says that every property holds, a run.
    Failed = 101,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> std::process::ExitCode {
        std::process::ExitCode::from(code as u8)
    }
}

/// The answer to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property holds.
    Verified,
    /// The property is violated.
    Violated,
    /// The search ended early and found no violation so far: neither yes nor no.
    Incomplete,
}

impl Verdict {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Incomplete => "incomplete",
        }
    }

    /// The exit code of a verifier with this verdict.
    pub fn exit_code(self) -> ExitCode {
        match self {
            Verdict::Verified => ExitCode::Verified,
            Verdict::Violated => ExitCode::Violated,
            Verdict::Incomplete => ExitCode::Incomplete,
        }
    }
}

/// The kinds of violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// An assertion fails.
    Assertion,
    /// No process is enabled, and some process is not at a valid end.
    InvalidEndState,
    /// No process is enabled, every process is at a valid end, but messages are left (checked with
    /// `--leftover-messages`).
    LeftoverMessages,
    /// A run can visit accepting states infinitely often.
    AcceptanceCycle,
    /// A run can go on forever without visiting a progress state.
    NonProgressCycle,
    /// A run can go on forever while time stands still.
    ZeroTimeCycle,
    /// A claim reached its end.
    ClaimEnd,
    /// A run that a trace assertion does not allow.
    Trace(TraceError),
    /// A process arrived at the goal.
    Goal,
    /// A fault: a step cannot be executed.
    Fault(Fault),
}

impl ViolationKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::LeftoverMessages => "leftover-messages",
            ViolationKind::AcceptanceCycle => "acceptance-cycle",
            ViolationKind::NonProgressCycle => "non-progress-cycle",
            ViolationKind::ZeroTimeCycle => "zero-time-cycle",
            ViolationKind::ClaimEnd => "claim",
            ViolationKind::Trace(_) => "trace",
            ViolationKind::Goal => "goal",
            ViolationKind::Fault(fault) => fault.kind(),
        }
    }

    /// Whether the search must end, whatever the options are.
    pub fn ends_search(self) -> bool {
        matches!(self, ViolationKind::Fault(fault) if fault.ends_search())
    }
}

/// A violation inside a search: cheap, without trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The kind of the violation.
    pub kind: ViolationKind,
    /// The step with the violation. `None` for a state or a cycle, a move of a claim, or a violation before the first
    /// step.
    pub transition: Option<TransitionId>,
    /// The move of the claim with the violation.
    pub claim_move: Option<ClaimMoveId>,
}

impl Found {
    /// A violation in a state, or a cycle.
    pub fn state(kind: ViolationKind) -> Found {
        Found { kind, transition: None, claim_move: None }
    }

    /// A violation in a step of the system.
    pub fn at(kind: ViolationKind, transition: TransitionId) -> Found {
        Found { transition: Some(transition), ..Found::state(kind) }
    }

    /// A violation in a move of the claim.
    pub fn at_claim(kind: ViolationKind, by: ClaimMoveId) -> Found {
        Found { claim_move: Some(by), ..Found::state(kind) }
    }

    /// Whether it is in a step of the system or a move of the claim, and not in the state before it.
    pub(crate) fn is_in_a_step(self) -> bool {
        self.transition.is_some() || self.claim_move.is_some()
    }
}

/// A violation for reports.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What was found.
    pub found: Found,
    /// The violation as text.
    pub message: String,
    /// Its position in the source text.
    pub place: Option<SourcePosition>,
    /// The run from the initial state to the violation.
    pub trail: Trail,
    /// How often the same violation was found, in other states.
    pub occurrences: u64,
}

/// The probe beside a breadth-first search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeStatistics {
    /// The transitions that it took.
    pub transitions: u64,
    /// The walks, the one in Spin's order included.
    pub walks: u64,
    /// What it found.
    pub outcome: ProbeOutcome,
    /// The steps of the run into the violation that it met, before that was made shorter; nothing if the run of the
    /// report is a shortest one.
    pub found_steps: Option<u64>,
}

/// What a probe found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeOutcome {
    /// A violation, before the breadth-first search met one.
    Violation,
    /// It has visited all states first, and there is no violation.
    Proof,
    /// The breadth-first search was first, or ended without an answer.
    Nothing,
}

impl ProbeOutcome {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ProbeOutcome::Violation => "violation",
            ProbeOutcome::Proof => "proof",
            ProbeOutcome::Nothing => "nothing",
        }
    }
}

/// The members that were taken to be interchangeable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetryStatistics {
    /// The families, each with its name and its members by class.
    pub families: Vec<(String, Vec<Vec<u16>>)>,
    /// Whether each orbit has one representative, so that it is stored once.
    pub is_canonical: bool,
}

impl SymmetryStatistics {
    /// In one line: `P 5 members`, or `P 1 + 3 members`.
    pub fn text(&self) -> String {
        let family = |(name, classes): &(String, Vec<Vec<u16>>)| {
            let mut sizes: Vec<usize> = classes.iter().map(Vec::len).collect();
            sizes.sort_unstable();
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            format!("{name} {} members", sizes.join(" + "))
        };
        self.families.iter().map(family).collect::<Vec<_>>().join(", ")
    }
}

/// The figures of one search. They count as Spin's pan counts.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The search, as flags name it.
    pub algorithm: &'static str,
    /// The store, as flags name it.
    pub storage: &'static str,
    /// The most threads that worked at the same time.
    pub threads: usize,
    /// Whether a reduction was on.
    pub reduction: bool,
    /// The members that were exchanged, if any were.
    pub symmetry: Option<SymmetryStatistics>,
    /// Different states without an atomic owner.
    pub states_stored: u64,
    /// Arrivals at such states, the initial one included: stored + matched.
    pub transitions: u64,
    /// Steps that led to a state inside an atomic sequence.
    pub atomic_steps: u64,
    /// Depth-first: the most steps from the initial state on the path of the search, those inside atomic sequences
    /// included. Breadth-first: the distance of the farthest state.
    pub depth: u64,
    /// The size of a packed state (the largest one, if states grow).
    pub state_bytes: u64,
    /// Peak memory of the process if the system reports it, otherwise the memory of the search itself.
    pub memory_bytes: u64,
    /// The time of the search.
    pub elapsed: Duration,
    /// The time after which the first violation was met; what follows makes the run to it shorter.
    pub found_after: Option<Duration>,
    /// The estimate of missed states, if the store can confuse states.
    pub omissions: Option<Omissions>,
    /// A state was reached again with other values of hidden variables that the model reads, and not expanded again.
    pub hidden_differed: bool,
    /// The probe beside the search, if there was one.
    pub probe: Option<ProbeStatistics>,
    /// A remark about the store: its size, and why it was selected.
    pub storage_notes: Vec<String>,
}

/// The result for one property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// `safety`, the name of a claim, `acceptance`, `non-progress`.
    pub name: String,
    /// What kind of property it is.
    pub kind: PropertyKind,
    /// The answer.
    pub verdict: Verdict,
    /// The number of violations, repetitions included.
    pub errors: u64,
    /// The different ones (by kind and statement), in the order in which they were found; at most [`MAX_VIOLATIONS`]
    /// are kept.
    pub violations: Vec<Violation>,
    /// `None`: every reachable state was visited.
    pub stop: Option<Stop>,
    /// The figures of its search.
    pub statistics: Statistics,
    /// For each transition of the model whether it was taken.
    pub reached: Vec<bool>,
}

/// Violations beyond this many are counted only.
pub const MAX_VIOLATIONS: usize = 100;

const HIDDEN_DIFFERED: &str = "states were taken for the same that differ in hidden variables, which the model reads: \
    what follows from the other values was not looked at (without `hidden` it would be)";

impl PropertyReport {
    /// Whether every reachable state was visited. A search that may have missed some is not complete, though it came to
    /// its end: see [`odds`](Self::odds).
    pub fn is_complete(&self) -> bool {
        self.stop.is_none() && self.statistics.omissions.is_none() && !self.statistics.hidden_differed
    }

    /// The steps of a run as the probe found it, if the run of the report, made from it, may not be a shortest one.
    pub fn shortened_from(&self) -> Option<u64> {
        self.statistics.probe.and_then(|probe| probe.found_steps)
    }

    /// Whether the same search shows the same run again: on several threads timing decides which of several is found.
    pub fn is_repeatable(&self) -> bool {
        self.violations.is_empty() || self.statistics.threads <= 1
    }

    /// In words, how likely it is that states were missed, and what to do about it; nothing if that is impossible or
    /// does not matter: a violation is valid even if states were missed.
    pub fn odds(&self) -> Option<Vec<String>> {
        if self.verdict == Verdict::Violated {
            return None;
        }
        let hidden = self.statistics.hidden_differed.then(|| HIDDEN_DIFFERED.to_owned());
        let omissions = self.statistics.omissions.iter().flat_map(|omissions| {
            [omissions.odds()].into_iter().chain(omissions.advice(self.statistics.states_stored))
        });
        let lines: Vec<String> = omissions.chain(hidden).collect();
        (!lines.is_empty()).then_some(lines)
    }

    /// Why there was no search at all, if so.
    pub fn not_checked(&self) -> Option<&'static str> {
        match self.stop {
            Some(Stop::NotChecked(reason)) => Some(reason),
            _ => None,
        }
    }
}

/// The result of one check.
#[derive(Clone, Debug)]
pub struct Report {
    /// Of all selected properties: violated if a property is, else incomplete if one is, else verified.
    pub verdict: Verdict,
    /// The selected properties, in that order; safety is the first if none is selected.
    pub properties: Vec<PropertyReport>,
    /// The selection of properties.
    pub options: Options,
    /// Remarks for the user beside the verdict.
    pub warnings: Vec<String>,
    /// The report in words, with its runs, where a test asked and not everything is verified.
    pub explanation: Option<Explanation>,
}

impl Report {
    pub(crate) fn new(properties: Vec<PropertyReport>, options: Options, warnings: Vec<String>) -> Report {
        let any = |verdict| properties.iter().any(|property| property.verdict == verdict);
        let verdict = match (any(Verdict::Violated), any(Verdict::Incomplete)) {
            (true, _) => Verdict::Violated,
            (false, true) => Verdict::Incomplete,
            (false, false) => Verdict::Verified,
        };
        Report { verdict, properties, options, warnings, explanation: None }
    }

    /// The property of this name: `report.property("safety")`, `report.property("served")`.
    pub fn property(&self, name: &str) -> Option<&PropertyReport> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// The violations of all properties, repetitions included.
    pub fn errors(&self) -> u64 {
        self.properties.iter().map(|property| property.errors).sum()
    }

    /// The violations of all properties, one after another.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.properties.iter().flat_map(|property| &property.violations)
    }

    /// Whether every search was complete.
    pub fn is_complete(&self) -> bool {
        self.properties.iter().all(PropertyReport::is_complete)
    }

    /// Whether a limit or the user ended a search.
    pub fn is_cut_short(&self) -> bool {
        self.properties.iter().any(|property| match property.stop {
            Some(Stop::MaxStates(_) | Stop::MaxDepth(_) | Stop::MaxTime(_) | Stop::Memory(_) | Stop::Interrupted) => {
                true
            }
            Some(Stop::Violation | Stop::Answered | Stop::RunningTimers | Stop::AbstractTime | Stop::NotChecked(_))
            | None => false,
        })
    }

    /// The properties that were not checked, so that a verdict is not read as more than it is.
    pub fn unchecked(&self) -> Vec<String> {
        let assertions = (!self.options.check_assertions).then(|| "assertions (--no-assert)".to_owned());
        let end_states = (!self.options.check_end_states).then(|| "invalid end states (--no-deadlock)".to_owned());
        let left = self.properties.iter().filter_map(|property| {
            let reason = property.not_checked()?;
            Some(format!("{} {}: {reason}", property.kind.name(), property.name))
        });
        assertions.into_iter().chain(end_states).chain(left).collect()
    }

    /// The probability that some search missed a state, if one could.
    pub fn omission_probability(&self) -> Option<f64> {
        let all = self.properties.iter().filter_map(|property| property.statistics.omissions);
        all.reduce(|one, other| one + other).map(Omissions::probability)
    }

    /// Whether a search treated states as equal that differ in hidden variables.
    pub fn hidden_differed(&self) -> bool {
        self.properties.iter().any(|property| property.statistics.hidden_differed)
    }

    /// For use in tests: `pmc_runtime::check(&model, Searches::new(), &options).assert_verified()`. It ignores the odds
    /// of a store that can miss states.
    ///
    /// # Panics
    /// If the verdict is anything but verified. The message is the report with the runs into its violations, whose trails
    /// are written, if the report has an [`explanation`](Self::explanation); otherwise a line for each property.
    #[track_caller]
    pub fn assert_verified(&self) {
        let wrong: Vec<String> = self.properties.iter().filter_map(complaint).collect();
        if self.verdict == Verdict::Verified && wrong.is_empty() {
            return;
        }
        match &self.explanation {
            Some(explanation) => panic!("{}", explanation.write()),
            None => panic!("{}", wrong.join("; ")),
        }
    }
}

/// One line about a property that is not verified.
fn complaint(property: &PropertyReport) -> Option<String> {
    let name = &property.name;
    match (property.verdict, property.violations.first(), property.stop) {
        (Verdict::Verified, ..) => None,
        (Verdict::Incomplete, _, Some(stop @ Stop::AbstractTime)) => Some(format!("{name}: {stop}")),
        (_, Some(violation), _) => {
            Some(format!("{name}: {} (after {} steps)", violation.message, violation.trail.n_steps()))
        }
        (_, None, Some(stop @ Stop::NotChecked(_))) => Some(format!("{name}: {stop}")),
        (_, None, Some(stop)) => Some(format!("{name}: the search is incomplete: {stop}")),
        (_, None, None) => Some(format!("{name}: {}", property.verdict.name())),
    }
}
