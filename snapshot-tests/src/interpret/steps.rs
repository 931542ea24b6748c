//! All steps out of a state.
//!
//! The tree determines what a process can do at its point: a choice offers the first statements of its options, an
//! escape has precedence over the statements that it guards, a `d_step` runs to its end, a rendezvous send looks for a
//! partner.

use pmc::model::StatementKind;
use pmc::source::Span;

use super::moment::{Access, Mode, Moment, Object, Offer};
use super::program::{Code, Point, Program};
use super::state::State;
use super::statements::Attempt;
use super::ticks::tick;
use super::{Fault, ViolationKind};

/// How many statements a `d_step` may take.
const MAX_D_STEP: usize = 100_000;

/// A step, for reports and replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The process, or [`TIME`](super::ticks::TIME).
    pub pid: usize,
    /// The statement; for the last step of a process its closing brace.
    pub span: Span,
    /// It has no statement: control moves on from behind a choice.
    pub silent: bool,
    /// The `d_step` that it is: then the statement is the first one inside.
    pub d_step: Option<Span>,
    /// The other half of a rendezvous: the receiver, and its statement.
    pub receiver: Option<(usize, Span)>,
    /// What was read and written, if that is recorded.
    pub accesses: Vec<Access>,
}

/// One process takes one step.
#[derive(Clone, Debug)]
pub struct Step {
    pub taken: Taken,
    pub state: State,
    /// The atomic owner: the only process that may move next.
    pub exclusive: Option<usize>,
    /// Violated assertions and trace errors in the step.
    pub complaints: Vec<Fault>,
}

/// The results of trying the statements one by one, in the order of the search.
#[derive(Clone, Debug)]
pub enum Outcome {
    Step(Step),
    /// The statement of that process fails and is not executed.
    Fault(usize, Fault),
}

pub fn any_step(outcomes: &[Outcome]) -> bool {
    outcomes.iter().any(|outcome| matches!(outcome, Outcome::Step(_)))
}

/// The steps out of a state: of the atomic owner, or of all processes, the youngest first. With several priorities only
/// the enabled processes of the highest may move; that has precedence over atomic control.
pub fn steps(program: &Program<'_>, state: &State, exclusive: Option<usize>, timeout: bool) -> Vec<Outcome> {
    let mode = Mode { timeout, ..Mode::default() };
    let priority_of = |pid: usize| state.processes[pid].priority;
    let highest = state.processes.iter().map(|process| process.priority).max();
    let may_move = |pid: usize| {
        let mut above = (0..state.processes.len()).filter(|other| priority_of(*other) > priority_of(pid));
        Some(priority_of(pid)) == highest || !above.any(|other| is_enabled(program, state, other, mode))
    };
    let pids: Vec<usize> = match exclusive {
        Some(pid) => vec![pid],
        None => (0..state.processes.len()).rev().collect(),
    };
    pids.into_iter().filter(|pid| may_move(*pid)).flat_map(|pid| steps_of(program, state, pid, mode)).collect()
}

/// All steps out of a state that no `atomic` owns: those with `timeout` if there is none without, and a tick if there is
/// none at all. A fault that a
/// statement has while `timeout` is false is reported in either case, and once.
pub fn all_steps(program: &Program<'_>, state: &State) -> Vec<Outcome> {
    let mut outcomes = steps(program, state, None, false);
    if any_step(&outcomes) {
        return outcomes;
    }
    let is_new = |outcome: &Outcome| match outcome {
        Outcome::Step(_) => true,
        Outcome::Fault(pid, fault) => {
            let known = |known: &Outcome| matches!(known, Outcome::Fault(of, known) if of == pid && known == fault);
            !outcomes.iter().any(known)
        }
    };
    let with_timeout: Vec<Outcome> = steps(program, state, None, true).into_iter().filter(is_new).collect();
    outcomes.extend(with_timeout);
    if !any_step(&outcomes) {
        outcomes.extend(tick(program, state).map(Outcome::Step));
    }
    outcomes
}

/// Whether a process is enabled.
pub fn is_enabled(program: &Program<'_>, state: &State, pid: usize, mode: Mode<'_>) -> bool {
    any_step(&steps_of(program, state, pid, mode))
}

/// The steps of one process.
fn steps_of(program: &Program<'_>, state: &State, pid: usize, mode: Mode<'_>) -> Vec<Outcome> {
    let process = &state.processes[pid];
    let code = &program.codes[process.proctype];
    if let Some(provided) = &code.process.provided {
        match Moment::new(program, state, Some(pid), mode).is_true(provided) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            // The process reports the fault as its own, not as an answer to each sender.
            Err(_) if mode.offer.is_some() => return Vec::new(),
            Err(fault) => return vec![Outcome::Fault(pid, fault)],
        }
    }
    let finder = Finder { program, state, pid, code, mode };
    finder.possible(process.at)
}

/// Finds the steps of one process in one state.
#[derive(Clone, Copy)]
struct Finder<'a> {
    program: &'a Program<'a>,
    state: &'a State,
    pid: usize,
    code: &'a Code<'a>,
    mode: Mode<'a>,
}

impl Finder<'_> {
    /// The steps at the point of the process. The first steps of its escapes have precedence; those of the first escape
    /// that is enabled are the only ones, but a fault in an escape before it is reported.
    fn possible(&self, point: Point) -> Vec<Outcome> {
        let mut groups = self.code.escapes(point);
        if self.program.options.inner_escape_first {
            groups.reverse();
        }
        let mut outcomes = Vec::new();
        for group in groups {
            outcomes.extend(self.beginning(&group));
            if any_step(&outcomes) {
                return outcomes;
            }
        }
        outcomes.extend(self.beginning(&self.code.firsts(point)));
        outcomes
    }

    /// The steps of several first statements: those of a choice, with those of all choices that it begins with. An `else`
    /// asks whether one above it is executable.
    fn beginning(&self, firsts: &[Point]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for first in firsts {
            let mode = Mode { else_holds: !any_step(&outcomes), ..self.mode };
            outcomes.extend(Finder { mode, ..*self }.alone(*first));
            if self.mode.first_only && any_step(&outcomes) {
                break;
            }
        }
        outcomes
    }

    /// The steps of a statement that is no choice.
    fn alone(&self, point: Point) -> Vec<Outcome> {
        let Some(statement) = self.code.place(point).statement else { return self.death() };
        if self.code.place(point).is_join {
            return self.behind(point, statement.span);
        }
        match &statement.kind {
            StatementKind::DStep(_) => self.d_step(point, statement.span),
            kind => self.single(point, kind, statement.span),
        }
    }

    /// Behind a choice, control only moves on.
    fn behind(&self, point: Point, span: Span) -> Vec<Outcome> {
        if self.mode.offer.is_some() {
            return Vec::new();
        }
        let mut step = self.finish(Moment::new(self.program, self.state, Some(self.pid), self.mode), point, span);
        step.taken.silent = true;
        vec![Outcome::Step(step)]
    }

    /// A statement that is one step, or one for each partner.
    fn single(&self, point: Point, kind: &StatementKind, span: Span) -> Vec<Outcome> {
        let mut moment = Moment::new(self.program, self.state, Some(self.pid), self.mode);
        match moment.execute(kind, span) {
            Err(fault) => vec![Outcome::Fault(self.pid, fault)],
            Ok(Attempt::Blocked) => Vec::new(),
            Ok(Attempt::Done) => vec![Outcome::Step(self.finish(moment, point, span))],
            Ok(Attempt::Offered { .. }) if self.mode.first_only => {
                vec![Outcome::Fault(self.pid, Fault { kind: ViolationKind::RendezvousInDStep, span })]
            }
            Ok(Attempt::Offered { channel, message }) => {
                let sent = self.finish(moment, point, span);
                self.partners(&sent, channel, &message)
            }
        }
    }

    /// The process moves on.
    fn finish(&self, mut moment: Moment<'_>, point: Point, span: Span) -> Step {
        let (next, keeps) = self.code.follow(point);
        moment.note(Access::Write(Object::Location(self.pid)));
        moment.process_mut(self.pid).at = next;
        // Inside a `d_step`, `_last` is still the process that moved before it.
        if !self.mode.first_only {
            moment.state_mut().last = self.pid;
        }
        let (state, accesses, complaints) = moment.into_state();
        let taken = Taken { pid: self.pid, span, silent: false, d_step: None, receiver: None, accesses };
        Step { taken, state, exclusive: keeps.then_some(self.pid), complaints }
    }

    /// The message has been sent: one step for each process that can receive it. The receiver alone decides the atomic
    /// owner: an atomic sender hands control over.
    fn partners(&self, sent: &Step, channel: usize, message: &[i32]) -> Vec<Outcome> {
        let mode = Mode { offer: Some(Offer { channel, message }), nested: self.mode.nested, ..Mode::default() };
        let others = (0..sent.state.processes.len()).rev().filter(|other| *other != self.pid);
        let answers = others.flat_map(|other| steps_of(self.program, &sent.state, other, mode));
        answers
            .map(|outcome| match outcome {
                Outcome::Step(answer) => {
                    let mut accesses = sent.taken.accesses.clone();
                    accesses.extend(answer.taken.accesses);
                    let receiver = Some((answer.taken.pid, answer.taken.span));
                    let taken = Taken { receiver, accesses, ..sent.taken.clone() };
                    let mut complaints = sent.complaints.clone();
                    complaints.extend(answer.complaints);
                    Outcome::Step(Step { taken, complaints, ..answer })
                }
                fault @ Outcome::Fault(..) => fault,
            })
            .collect()
    }

    /// A `d_step` is one step: its first statement is the guard, and everywhere
    /// the first executable option is taken.
    fn d_step(&self, point: Point, span: Span) -> Vec<Outcome> {
        let Some(&first) = self.code.place(point).parts.first() else { return Vec::new() };
        let guard = Finder { mode: Mode { first_only: true, ..self.mode }, ..*self }.inside(first);
        let mut sum = match first_step(guard) {
            Ok(step) => step,
            Err(faults) => return faults,
        };
        sum.taken.d_step = Some(span);
        let mut earlier = sum.state.clone();
        for n in 1..=MAX_D_STEP {
            let at = sum.state.processes[self.pid].at;
            if self.code.place(at).d_step != Some(point) {
                sum.state.last = self.pid;
                return vec![Outcome::Step(sum)];
            }
            let Mode { nested, timeout, .. } = self.mode;
            let mode = Mode { first_only: true, nested, timeout, ..Mode::default() };
            let next = Finder { state: &sum.state, mode, ..*self }.inside(at);
            match first_step(next) {
                Ok(step) => {
                    sum.state = step.state;
                    sum.exclusive = step.exclusive;
                    sum.complaints.extend(step.complaints);
                    sum.taken.accesses.extend(step.taken.accesses);
                    // A d_step has no choice, so one that comes back to a state never ends.
                    if sum.state == earlier {
                        break;
                    }
                    if n.is_power_of_two() {
                        earlier = sum.state.clone();
                    }
                }
                Err(faults) if faults.is_empty() => {
                    let span = self.code.place(at).statement.map_or(span, |statement| statement.span);
                    return vec![Outcome::Fault(self.pid, Fault { kind: ViolationKind::BlockedDStep, span })];
                }
                Err(faults) => {
                    // An assertion that was violated before the fault is reported as well.
                    let violated = sum.complaints.into_iter().map(|complaint| Outcome::Fault(self.pid, complaint));
                    return violated.chain(faults).collect();
                }
            }
        }
        vec![Outcome::Fault(self.pid, Fault { kind: ViolationKind::EndlessDStep, span })]
    }

    /// The steps at a point inside of a `d_step`, where no escape is tried.
    fn inside(&self, point: Point) -> Vec<Outcome> {
        self.beginning(&self.code.firsts(point))
    }

    /// At its closing brace a process ends, if it is the youngest.
    fn death(&self) -> Vec<Outcome> {
        if self.mode.offer.is_some() || self.pid + 1 != self.state.processes.len() {
            return Vec::new();
        }
        let mut moment = Moment::new(self.program, self.state, Some(self.pid), self.mode);
        moment.die(self.pid);
        moment.state_mut().last = self.pid;
        let (state, accesses, complaints) = moment.into_state();
        let taken =
            Taken { pid: self.pid, span: self.code.process.end, silent: false, d_step: None, receiver: None, accesses };
        vec![Outcome::Step(Step { taken, state, exclusive: None, complaints })]
    }
}

/// The first step of a `d_step`. A fault in an option before it ends the `d_step`.
fn first_step(outcomes: Vec<Outcome>) -> Result<Step, Vec<Outcome>> {
    match outcomes.into_iter().next() {
        Some(Outcome::Step(step)) => Ok(step),
        Some(fault @ Outcome::Fault(..)) => Err(vec![fault]),
        None => Err(Vec::new()),
    }
}
