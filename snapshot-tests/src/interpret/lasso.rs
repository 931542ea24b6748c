//! Follows an infinite run, to check that a counterexample to a claim is real.
//!
//! Of a trail only the steps of the system and the start of the cycle are trusted. The rest is checked here: that the
//! steps are possible, that the cycle closes, that a run that stutters is deadlocked, that the run violates the
//! property and is fair if it should be.

use std::collections::HashMap;

use pmc::model::{Formula, Model};
use pmc::source::SourceMap;

use super::Options;
use super::components::{Nodes, accepting};
use super::expressions::holds;
use super::formulas::Parts;
use super::never::moves as claim_moves;
use super::processes::{initial_state, with_claim};
use super::product::{Property, Runs, has_run};
use super::program::{Point, Program};
use super::replay::{Instruction, fits, moves};
use super::state::State;
use super::steps::{Outcome, Step, any_step, steps};
use super::system::{NoAnswer, Pids, System, movers_of};
use super::ticks::tick;

/// A move of a trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    System(Instruction),
    /// No process is enabled, and the last state is repeated.
    Stutter,
    /// The claim moves; its moves are computed here.
    Claim,
    /// A process moves on from behind a choice: such steps are taken without a move of the trail.
    Join,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub moves: Vec<Move>,
    /// The number of moves before the cycle. Nothing: the run violates the property whatever follows.
    pub cycle_start: Option<usize>,
    pub fair: bool,
}

/// Why a lasso is no counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LassoError {
    /// The move of that number is not possible.
    Impossible(usize),
    /// The cycle does not end in the state that it starts from.
    Open,
    /// The run is possible but does not violate the property.
    NoViolation,
    /// Some process is always enabled and never moves.
    Unfair,
    NoAnswer(NoAnswer),
}

impl From<NoAnswer> for LassoError {
    fn from(reason: NoAnswer) -> Self {
        Self::NoAnswer(reason)
    }
}

/// A state between two steps, as the claim observes it.
#[derive(Clone)]
struct Moment {
    state: State,
    /// The enabled processes; and whether none is enabled without `timeout`.
    enabled: Pids,
    timeout: bool,
    /// The processes that move in the step to the next one.
    movers: Pids,
}

/// A run that matches the moves so far: there may be several, since positions in the text do not distinguish all steps.
#[derive(Clone)]
struct Run {
    seen: Vec<Moment>,
    /// Its current state, perhaps inside an `atomic`.
    state: State,
    exclusive: Option<usize>,
    /// The numbers of the moments at which a round of the cycle starts.
    rounds: Vec<usize>,
}

/// A verifier leaves irrelevant variables out of a state, so a cycle that closes there may take a few rounds until all
/// variables are the same.
const MAX_ROUNDS: usize = 8;

/// More runs than that are not followed.
const MAX_RUNS: usize = 64;

/// Checks that a lasso is a run of the model that violates the property.
pub fn replay_lasso(
    model: &Model,
    sources: &SourceMap,
    lasso: &Lasso,
    property: Property<'_>,
    options: &Options,
) -> Result<(), LassoError> {
    let program = Program::new(model, options);
    let (state, _) = initial_state(&program);
    let first = moment(&program, &state);
    let mut runs = vec![Run { seen: vec![first], state, exclusive: None, rounds: Vec::new() }];
    let mut numbers = 0..lasso.moves.len();
    for _ in 0..MAX_ROUNDS {
        for number in numbers {
            runs = with_silent_steps(&program, runs);
            if lasso.cycle_start == Some(number) {
                runs.iter_mut().for_each(|run| run.rounds.push(run.seen.len() - 1));
            }
            runs = match &lasso.moves[number] {
                Move::Claim | Move::Join => runs,
                Move::Stutter => runs.into_iter().filter_map(|run| stutter(&program, run)).collect(),
                Move::System(instruction) => {
                    let fitting = |step: &Step| fits(sources, step, instruction);
                    runs.iter().flat_map(|run| after(&program, run, fitting)).take(MAX_RUNS).collect()
                }
            };
            if runs.is_empty() {
                return Err(LassoError::Impossible(number));
            }
        }
        runs = with_silent_steps(&program, runs);
        let found: Vec<_> = runs.iter().map(|run| violation(&program, run, lasso, property)).collect();
        if found.contains(&Ok(())) {
            return Ok(());
        }
        // Another error than an open cycle is the more helpful one.
        if let Some(reason) = found.into_iter().find(|found| *found != Err(LassoError::Open)) {
            return reason;
        }
        numbers = lasso.cycle_start.unwrap_or(lasso.moves.len())..lasso.moves.len();
    }
    Err(LassoError::Open)
}

fn moment(program: &Program<'_>, state: &State) -> Moment {
    let mut outcomes = steps(program, state, None, false);
    let timeout = !any_step(&outcomes);
    if timeout {
        outcomes = steps(program, state, None, true);
    }
    let pids = outcomes.iter().map(|outcome| match outcome {
        Outcome::Step(step) => 1 << step.taken.pid,
        Outcome::Fault(..) => 0,
    });
    Moment { state: state.clone(), enabled: pids.fold(0, |all, pid: Pids| all | pid), timeout, movers: 0 }
}

/// The run stays where nothing can happen. A verifier may leave out timers that run for nobody: time passes until they are
/// off.
fn stutter(program: &Program<'_>, mut run: Run) -> Option<Run> {
    while run.seen.last()?.enabled == 0
        && run.exclusive.is_none()
        && let Some(tick) = tick(program, &run.seen.last()?.state)
    {
        run.seen.push(moment(program, &tick.state));
        run.state = tick.state;
    }
    let last = run.seen.last_mut()?;
    if last.enabled != 0 || run.exclusive.is_some() {
        return None;
    }
    last.movers = Pids::MAX;
    let again = Moment { movers: 0, ..last.clone() };
    run.seen.push(again);
    Some(run)
}

/// The run with one more step, in every possible form.
fn after(program: &Program<'_>, run: &Run, fits: impl Fn(&Step) -> bool) -> Vec<Run> {
    let outcomes = moves(program, &run.state, run.exclusive);
    let mut found = Vec::new();
    for outcome in outcomes {
        let Outcome::Step(step) = outcome else { continue };
        if !fits(&step) {
            continue;
        }
        let mut next = run.clone();
        if let Some(last) = next.seen.last_mut() {
            last.movers |= movers_of(&step);
        }
        let is_inside = step.exclusive.is_some() && any_step(&steps(program, &step.state, step.exclusive, false));
        next.exclusive = step.exclusive.filter(|_| is_inside);
        if !is_inside {
            next.seen.push(moment(program, &step.state));
        }
        next.state = step.state;
        found.push(next);
    }
    found
}

/// A trail may leave out steps that only move on.
fn with_silent_steps(program: &Program<'_>, runs: Vec<Run>) -> Vec<Run> {
    let mut all = runs;
    let mut next = 0;
    while next < all.len() && all.len() < MAX_RUNS {
        let more = after(program, &all[next], |step| step.taken.silent);
        all.extend(more);
        next += 1;
    }
    all
}

fn violation(program: &Program<'_>, run: &Run, lasso: &Lasso, property: Property<'_>) -> Result<(), LassoError> {
    let Some(_) = lasso.cycle_start else {
        return if violated_for_good(program, run, property)? { Ok(()) } else { Err(LassoError::NoViolation) };
    };
    let Some((last, seen)) = run.seen.split_last() else { return Err(LassoError::Open) };
    let closes = |back: &usize| *back < seen.len() && seen[*back].state.key(program) == last.state.key(program);
    let back = run.rounds.iter().copied().find(closes).filter(|_| run.exclusive.is_none());
    let Some(back) = back else { return Err(LassoError::Open) };
    if !violated_by_cycle(program, seen, back, property)? {
        return Err(LassoError::NoViolation);
    }
    let served = seen[back..].iter().fold(0, |served, moment| served | moment.movers | !moment.enabled);
    if lasso.fair && served != Pids::MAX { Err(LassoError::Unfair) } else { Ok(()) }
}

fn violated_by_cycle(
    program: &Program<'_>,
    seen: &[Moment],
    back: usize,
    property: Property<'_>,
) -> Result<bool, LassoError> {
    let cycle = &seen[back..];
    let stands = |state: &State, is_there: &dyn Fn(&super::program::Code<'_>, Point) -> bool| {
        state.processes.iter().any(|process| is_there(&program.codes[process.proctype], process.at))
    };
    match property {
        Property::Acceptance => Ok(cycle.iter().any(|moment| stands(&moment.state, &|code, at| code.is_accept(at)))),
        Property::Progress => Ok(cycle.iter().all(|moment| {
            let is_stutter = moment.movers == Pids::MAX;
            !is_stutter && !stands(&moment.state, &|code, at| code.is_progress(at))
        })),
        // Nobody moves on a tick.
        Property::Zeno => Ok(cycle.iter().all(|moment| moment.movers != Pids::MAX && moment.movers != 0)),
        Property::Formula(formula) => {
            let parts = Parts::of(formula);
            Ok(!parts.hold_on(&truth(program, seen, &parts)?, back))
        }
        Property::Never(claim) => never_matches(program, seen, Some(back), claim),
    }
}

/// Whether the property is violated whatever follows the last state.
fn violated_for_good(program: &Program<'_>, run: &Run, property: Property<'_>) -> Result<bool, LassoError> {
    match property {
        Property::Acceptance | Property::Progress | Property::Zeno => Ok(false),
        Property::Formula(formula) => Ok(is_bad_prefix(program, &run.seen, formula)?),
        Property::Never(claim) => never_matches(program, &run.seen, None, claim),
    }
}

/// No run that begins like this satisfies the formula.
fn is_bad_prefix(program: &Program<'_>, seen: &[Moment], formula: &Formula) -> Result<bool, NoAnswer> {
    let parts = Parts::of(formula);
    let atoms = truth(program, seen, &parts)?;
    let (Some(last), [before @ .., _]) = (seen.last(), &atoms[..]) else { return Ok(false) };
    let mut system = System::new(program);
    let start = system.number(last.state.clone())?;
    let satisfies = |values: &[bool]| {
        let first = before.iter().rev().fold(values.to_vec(), |next, now| parts.before(now, &next));
        parts.whole(&first)
    };
    Ok(!has_run(&mut system, &parts, start, Runs::ALL, satisfies)?)
}

fn truth(program: &Program<'_>, seen: &[Moment], parts: &Parts<'_>) -> Result<Vec<Vec<bool>>, NoAnswer> {
    let of_moment = |moment: &Moment| {
        let atoms = parts.atoms.iter().map(|atom| Ok(holds(program, &moment.state, atom, moment.timeout)?));
        atoms.collect::<Result<Vec<bool>, NoAnswer>>()
    };
    seen.iter().map(of_moment).collect()
}

/// Whether the claim matches the states: it reaches its end or, if they are a cycle from `back` on, visits accepting
/// points infinitely often.
fn never_matches(
    program: &Program<'_>,
    seen: &[Moment],
    back: Option<usize>,
    claim: usize,
) -> Result<bool, LassoError> {
    let code = &program.claims[claim];
    // The claim's own variables are part of its state.
    let start = with_claim(program, &seen[0].state, claim).map_err(NoAnswer::from)?.claim;
    let mut order = vec![(0, code.start, start)];
    let mut node_of = HashMap::from([(order[0].clone(), 0)]);
    let mut nodes = Nodes::default();
    while let Some((number, at, own)) = order.get(nodes.arcs.len()).cloned() {
        let state = State { claim: own, ..seen[number].state.clone() };
        let mut arcs = Vec::new();
        for next in claim_moves(program, claim, &state, at, seen[number].timeout)? {
            if next.to == code.end || next.failed {
                return Ok(true);
            }
            let after = if number + 1 < seen.len() { Some(number + 1) } else { back };
            let Some(after) = after else { continue };
            let count = order.len();
            let node = *node_of.entry((after, next.to, next.state.claim.clone())).or_insert(count);
            if node == count {
                order.push((after, next.to, next.state.claim));
            }
            arcs.push((node, Pids::MAX));
        }
        nodes.arcs.push(arcs);
        nodes.enabled.push(0);
        nodes.marks.push(code.is_accept(at).into());
    }
    Ok(accepting(&nodes, 1, false, |_| true).is_some())
}
