//! Follows one run, to check that a counterexample is real.

use std::collections::HashSet;

use pmc::model::Model;
use pmc::source::{SourceMap, Span};

use super::explore::invalid_end;
use super::processes::initial_state;
use super::program::Program;
use super::state::State;
use super::steps::{Outcome, Step, all_steps, any_step, steps};
use super::ticks::TIME;
use super::{Options, ViolationKind};

/// One line of a trail: the process, the position of its statement, and the receiver in a rendezvous. An unknown
/// position matches any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    pub pid: usize,
    /// Where the statement begins.
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub receiver: Option<usize>,
}

/// The violation that a trail names: one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    pub kinds: Vec<ViolationKind>,
}

/// Why a trail is no counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The instruction of that number is not possible.
    Impossible(usize),
    /// The run is possible, but does not end in the violation.
    NoViolation,
}

/// A state of the replay: several statements may begin at one position (through a macro), so that more than one run can
/// match the instructions.
struct Candidate {
    state: State,
    exclusive: Option<usize>,
    complaints: Vec<ViolationKind>,
}

/// Checks that the instructions are a run of the model whose last step, or the state after it, is the violation.
pub fn replay(
    model: &Model,
    sources: &SourceMap,
    instructions: &[Instruction],
    claimed: &Claimed,
    options: &Options,
) -> Result<(), ReplayError> {
    let program = Program::new(model, options);
    let (state, _) = initial_state(&program);
    let mut candidates = vec![Candidate { state, exclusive: None, complaints: Vec::new() }];
    for (number, instruction) in instructions.iter().enumerate() {
        candidates = with_silent_steps(&program, candidates);
        // A fault is no step: it may be the violation of the last instruction, also where another step begins at the same
        // position, as the test and the end of a `for` do.
        if number + 1 == instructions.len()
            && candidates.iter().any(|candidate| has_fault(&program, candidate, claimed, Some(instruction.pid)))
        {
            return Ok(());
        }
        let mut next = Vec::new();
        let mut seen = HashSet::new();
        for outcome in candidates.iter().flat_map(|candidate| moves(&program, &candidate.state, candidate.exclusive)) {
            let Outcome::Step(step) = outcome else { continue };
            let complaints: Vec<ViolationKind> = step.complaints.iter().map(|complaint| complaint.kind).collect();
            // Equal ones are followed once: a line with many statements would lead to too many.
            if fits(sources, &step, instruction)
                && seen.insert((step.state.key(&program), step.exclusive, complaints.clone()))
            {
                next.push(Candidate { state: step.state, exclusive: step.exclusive, complaints });
            }
        }
        if next.is_empty() {
            return Err(ReplayError::Impossible(number));
        }
        candidates = next;
    }
    candidates = with_silent_steps(&program, candidates);
    let violated = candidates.iter().any(|candidate| {
        // A verifier may leave out timers that run for nobody.
        let state = after_all_ticks(&program, candidate);
        let stuck = claimed.kinds.contains(&invalid_end(&program, &state).1.kind)
            && !any_step(&moves(&program, &state, candidate.exclusive))
            && !state.is_valid_end(&program);
        let complained = candidate.complaints.iter().any(|kind| claimed.kinds.contains(kind));
        stuck || complained || has_fault(&program, candidate, claimed, None)
    });
    if violated { Ok(()) } else { Err(ReplayError::NoViolation) }
}

/// A trail may leave out steps that only move on.
fn with_silent_steps(program: &Program<'_>, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut all = candidates;
    let mut next = 0;
    while next < all.len() {
        for outcome in moves(program, &all[next].state, all[next].exclusive) {
            if let Outcome::Step(step) = outcome
                && step.taken.silent
            {
                let complaints = all[next].complaints.clone();
                all.push(Candidate { state: step.state, exclusive: step.exclusive, complaints });
            }
        }
        next += 1;
    }
    all
}

/// The state once nothing more happens by the passing of time alone.
fn after_all_ticks(program: &Program<'_>, candidate: &Candidate) -> State {
    let mut state = candidate.state.clone();
    if candidate.exclusive.is_none() {
        while let [Outcome::Step(step)] = &all_steps(program, &state)[..]
            && step.taken.pid == TIME
        {
            state = step.state.clone();
        }
    }
    state
}

/// The next steps, as in the exploration: a blocked atomic owner loses control, and if no process is enabled `timeout`
/// is true.
pub(super) fn moves(program: &Program<'_>, state: &State, exclusive: Option<usize>) -> Vec<Outcome> {
    if exclusive.is_some() {
        let outcomes = steps(program, state, exclusive, false);
        if any_step(&outcomes) {
            return outcomes;
        }
    }
    all_steps(program, state)
}

/// Whether a process can go wrong next, as claimed; one of any pid if none is given.
fn has_fault(program: &Program<'_>, candidate: &Candidate, claimed: &Claimed, pid: Option<usize>) -> bool {
    let is_claimed = |outcome: &Outcome| match outcome {
        Outcome::Fault(of, fault) => claimed.kinds.contains(&fault.kind) && pid.is_none_or(|pid| pid == *of),
        Outcome::Step(_) => false,
    };
    moves(program, &candidate.state, candidate.exclusive).iter().any(is_claimed)
}

/// A `d_step` is named by its own position or by that of its first statement.
pub(super) fn fits(sources: &SourceMap, step: &Step, instruction: &Instruction) -> bool {
    let begins_there = |span: Span| {
        let position = sources.position(span);
        instruction.line.is_none_or(|line| line == position.line)
            && instruction.column.is_none_or(|column| column == position.column)
    };
    step.taken.pid == instruction.pid
        && step.taken.receiver.map(|(pid, _)| pid) == instruction.receiver
        && (begins_there(step.taken.span) || step.taken.d_step.is_some_and(begins_there))
}
