//! Follows one run, to see that a counterexample is real.

use pmc::model::Model;
use pmc::source::{Position, SourceMap, Span};

use super::processes::initial_state;
use super::program::Program;
use super::state::State;
use super::steps::{Outcome, Step, any_step, steps};
use super::{Options, ViolationKind};

/// One line of a trail: who moves, by the statement at which place, and who
/// receives in a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub pid: usize,
    /// Where the statement begins. Nothing: any statement will do, as when a
    /// process ends.
    pub position: Option<Position>,
    pub receiver: Option<usize>,
}

/// What a trail says it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    pub kind: ViolationKind,
}

/// Why a trail is no counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// Nobody can do what the instruction of that number says.
    Impossible(usize),
    /// The run is possible, but does not end in what was claimed.
    NoViolation,
}

/// A moment of the replay: several statements may begin at one place (through
/// a macro), so that more than one run can fit the instructions.
struct Candidate {
    state: State,
    exclusive: Option<usize>,
    complaints: Vec<ViolationKind>,
}

/// Checks that the instructions are a run of the model whose last step, or the
/// state behind it, violates what was claimed.
pub fn replay(
    model: &Model,
    sources: &SourceMap,
    instructions: &[Instruction],
    claimed: Claimed,
    options: &Options,
) -> Result<(), ReplayError> {
    let program = Program::new(model, options);
    let (state, _) = initial_state(&program);
    let mut candidates = vec![Candidate { state, exclusive: None, complaints: Vec::new() }];
    for (number, instruction) in instructions.iter().enumerate() {
        let next: Vec<Candidate> = candidates
            .iter()
            .flat_map(|candidate| moves(&program, candidate))
            .filter_map(|outcome| match outcome {
                Outcome::Step(step) if fits(sources, &step, instruction) => Some(step),
                _ => None,
            })
            .map(|step| Candidate {
                state: step.state,
                exclusive: step.exclusive,
                complaints: step.complaints.iter().map(|complaint| complaint.kind).collect(),
            })
            .collect();
        if next.is_empty() {
            // A fault is no step: it may be what the last instruction is about.
            let faults = number + 1 == instructions.len()
                && candidates.iter().any(|candidate| has_fault(&program, candidate, claimed.kind));
            return if faults { Ok(()) } else { Err(ReplayError::Impossible(number)) };
        }
        candidates = next;
    }
    let violated = candidates.iter().any(|candidate| match claimed.kind {
        ViolationKind::InvalidEndState => {
            !any_step(&moves(&program, candidate)) && !candidate.state.is_valid_end(&program)
        }
        kind => candidate.complaints.contains(&kind) || has_fault(&program, candidate, kind),
    });
    if violated { Ok(()) } else { Err(ReplayError::NoViolation) }
}

/// What can happen next, as in the exploration: a blocked atomic lets the others
/// go on, and when nobody can move there is `timeout`.
fn moves(program: &Program<'_>, candidate: &Candidate) -> Vec<Outcome> {
    if candidate.exclusive.is_some() {
        let outcomes = steps(program, &candidate.state, candidate.exclusive, false);
        if any_step(&outcomes) {
            return outcomes;
        }
    }
    let outcomes = steps(program, &candidate.state, None, false);
    if any_step(&outcomes) { outcomes } else { steps(program, &candidate.state, None, true) }
}

fn has_fault(program: &Program<'_>, candidate: &Candidate, kind: ViolationKind) -> bool {
    moves(program, candidate).iter().any(|outcome| matches!(outcome, Outcome::Fault(_, fault) if fault.kind == kind))
}

fn fits(sources: &SourceMap, step: &Step, instruction: &Instruction) -> bool {
    let begins = |span: Span, position: Position| sources.position(span) == position;
    step.taken.pid == instruction.pid
        && step.taken.receiver.map(|(pid, _)| pid) == instruction.receiver
        && instruction.position.is_none_or(|position| begins(step.taken.span, position))
}
