//! Whether a claim holds: by the explicit product of the system and the claim,
//! and the components of its graph.
//!
//! The claim moves first. From a state of the system and a point of the claim, the claim makes a move that is enabled
//! in the state, then the system takes a step. When no process is enabled, the system stutters while the claim moves
//! on; under fairness, a stutter serves every process.
//!
//! A formula is not translated. A node of its product is a state and a guess of
//! which temporal parts of the formula are true from here on; see [`formulas`](super::formulas).

use std::collections::{HashMap, HashSet};

use pmc::model::Formula;

use super::components::{Nodes, accepting};
use super::expressions::holds;
use super::formulas::Parts;
use super::never::moves;
use super::processes::with_claim;
use super::program::Point;
use super::state::State;
use super::system::{NoAnswer, Pids, System};

/// A property of the runs of a model.
#[derive(Clone, Copy, Debug)]
pub enum Property<'f> {
    /// No run visits accept labels of the processes infinitely often.
    Acceptance,
    /// Every infinite run visits progress labels infinitely often.
    Progress,
    /// Time passes infinitely often in every infinite run.
    Zeno,
    /// The never claim of that number does not match.
    Never(usize),
    Formula(&'f Formula),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Violated(How),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A cycle, or a last state that is repeated.
    Cycle,
    /// The never claim reaches its closing brace.
    ClaimEnds,
    /// An assertion in the never claim fails.
    ClaimAsserts,
}

impl Verdict {
    pub fn is_violated(self) -> bool {
        self != Self::Holds
    }

    fn of_cycle(cycle: Option<Vec<usize>>) -> Self {
        if cycle.is_some() { Self::Violated(How::Cycle) } else { Self::Holds }
    }
}

/// Which runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Only runs that are weakly fair.
    pub fair: bool,
    /// Runs that end, too: their last state is repeated.
    pub ended: bool,
    /// Of infinite runs only those in which time passes again and again. Formulas alone are decided so.
    pub divergent: bool,
}

impl Runs {
    pub const ALL: Runs = Runs { fair: false, ended: true, divergent: false };
    pub const FAIR: Runs = Runs { fair: true, ended: true, divergent: false };
}

/// Decides a property of those runs.
pub fn decide(system: &mut System<'_>, property: Property<'_>, runs: Runs) -> Result<Verdict, NoAnswer> {
    match property {
        Property::Acceptance => acceptance(system, runs),
        Property::Progress => progress(system, runs),
        Property::Zeno => zeno(system, runs),
        Property::Never(claim) => never(system, claim, runs),
        Property::Formula(formula) => self::formula(system, formula, runs),
    }
}

/// All states that can be reached from a state, that one first.
fn reachable(system: &mut System<'_>, start: usize) -> Result<Vec<usize>, NoAnswer> {
    let mut order = vec![start];
    let mut seen: HashSet<usize> = order.iter().copied().collect();
    let mut next = 0;
    while next < order.len() {
        for arc in &system.expand(order[next])?.arcs {
            if seen.insert(arc.to) {
                order.push(arc.to);
            }
        }
        next += 1;
    }
    Ok(order)
}

/// The graph of the states alone. With `stutter`, last states are repeated.
fn graph(system: &mut System<'_>, start: usize, stutter: bool) -> Result<(Vec<usize>, Nodes), NoAnswer> {
    let states = reachable(system, start)?;
    let node_of: HashMap<usize, usize> = states.iter().enumerate().map(|(node, state)| (*state, node)).collect();
    let mut nodes = Nodes::default();
    for (node, state) in states.iter().enumerate() {
        let expansion = system.expand(*state)?;
        let mut arcs: Vec<(usize, Pids)> = expansion.arcs.iter().map(|arc| (node_of[&arc.to], arc.movers)).collect();
        if arcs.is_empty() && stutter {
            arcs.push((node, Pids::MAX));
        }
        nodes.arcs.push(arcs);
        nodes.enabled.push(expansion.enabled);
        nodes.marks.push(0);
    }
    Ok((states, nodes))
}

fn acceptance(system: &mut System<'_>, runs: Runs) -> Result<Verdict, NoAnswer> {
    let initial = system.initial()?;
    let (states, mut nodes) = graph(system, initial, runs.ended)?;
    for (node, state) in states.iter().enumerate() {
        let mut processes = system.state(*state).processes.iter();
        let accepts = processes.any(|process| system.program.codes[process.proctype].is_accept(process.at));
        nodes.marks[node] = accepts.into();
    }
    Ok(Verdict::of_cycle(accepting(&nodes, 1, runs.fair, |_| true)))
}

/// A run that deadlocks makes no progress, but is no cycle.
fn progress(system: &mut System<'_>, runs: Runs) -> Result<Verdict, NoAnswer> {
    let initial = system.initial()?;
    let (states, nodes) = graph(system, initial, false)?;
    let is_idle = |node: usize| {
        let mut processes = system.state(states[node]).processes.iter();
        !processes.any(|process| system.program.codes[process.proctype].is_progress(process.at))
    };
    Ok(Verdict::of_cycle(accepting(&nodes, 0, runs.fair, is_idle)))
}

/// Whether there is a cycle of states that do not tick.
fn zeno(system: &mut System<'_>, runs: Runs) -> Result<Verdict, NoAnswer> {
    let initial = system.initial()?;
    let (states, nodes) = graph(system, initial, false)?;
    let ticks = states.iter().map(|state| Ok(system.expand(*state)?.ticks)).collect::<Result<Vec<bool>, NoAnswer>>()?;
    Ok(Verdict::of_cycle(accepting(&nodes, 0, runs.fair, |node| !ticks[node])))
}

fn never(system: &mut System<'_>, claim: usize, runs: Runs) -> Result<Verdict, NoAnswer> {
    let program = system.program;
    let code = &program.claims[claim];
    let initial = system.initial()?;
    let initial = with_claim(program, system.state(initial), claim)?;
    let mut order: Vec<(usize, Point)> = vec![(system.number(initial)?, code.start)];
    let mut node_of: HashMap<(usize, Point), usize> = HashMap::from([(order[0], 0)]);
    let mut nodes = Nodes::default();
    while let Some(&(state, at)) = order.get(nodes.arcs.len()) {
        if order.len() > program.options.max_states {
            return Err(NoAnswer::TooLarge);
        }
        if at == code.end {
            return Ok(Verdict::Violated(How::ClaimEnds));
        }
        let here = system.expand(state)?;
        let mut arcs = Vec::new();
        for claims in moves(program, claim, &system.state(state).clone(), at, here.timeout)? {
            if claims.failed {
                return Ok(Verdict::Violated(How::ClaimAsserts));
            }
            if claims.to == code.end {
                return Ok(Verdict::Violated(How::ClaimEnds));
            }
            let between = system.number(claims.state)?;
            let steps = system.expand(between)?;
            let mut successors: Vec<(usize, Pids)> = steps.arcs.iter().map(|arc| (arc.to, arc.movers)).collect();
            if successors.is_empty() && runs.ended {
                successors.push((between, Pids::MAX));
            }
            for (to, movers) in successors {
                let next = order.len();
                let node = *node_of.entry((to, claims.to)).or_insert(next);
                if node == next {
                    order.push((to, claims.to));
                }
                arcs.push((node, movers));
            }
        }
        nodes.arcs.push(arcs);
        nodes.enabled.push(here.enabled);
        nodes.marks.push(code.is_accept(at).into());
    }
    Ok(Verdict::of_cycle(accepting(&nodes, 1, runs.fair, |_| true)))
}

fn formula(system: &mut System<'_>, formula: &Formula, runs: Runs) -> Result<Verdict, NoAnswer> {
    let parts = Parts::of(formula);
    let initial = system.initial()?;
    let violated = has_run(system, &parts, initial, runs, |values| !parts.whole(values))?;
    Ok(if violated { Verdict::Violated(How::Cycle) } else { Verdict::Holds })
}

/// Whether some run from a state gives the parts of a formula the wanted truth values there.
pub fn has_run(
    system: &mut System<'_>,
    parts: &Parts<'_>,
    start: usize,
    runs: Runs,
    wanted: impl Fn(&[bool]) -> bool,
) -> Result<bool, NoAnswer> {
    let (states, of_states) = graph(system, start, runs.ended)?;
    let n_guesses = 1 << parts.n_temporal();
    if states.len().saturating_mul(n_guesses) > system.program.options.max_states.saturating_mul(100) {
        return Err(NoAnswer::TooLarge);
    }
    let node = |state: usize, guess: usize| state * n_guesses + guess;
    let mut atoms = Vec::new();
    let mut nodes = Nodes::default();
    // A mark more: time passes, or the run has ended.
    let time = if runs.divergent { 1 << parts.n_temporal() } else { 0 };
    for (number, state) in states.iter().enumerate() {
        let here = system.expand(*state)?;
        let timeout = here.timeout;
        let passes = if here.ticks || here.arcs.is_empty() { time } else { 0 };
        atoms.push(truth(system, *state, parts, timeout)?);
        for guess in 0..n_guesses {
            nodes.marks.push(parts.settled(&parts.values(&atoms[number], guess)) | passes);
            nodes.enabled.push(of_states.enabled[number]);
            nodes.arcs.push(Vec::new());
        }
    }
    for (number, arcs) in of_states.arcs.iter().enumerate() {
        for (to, movers) in arcs {
            for next in 0..n_guesses {
                let values = parts.before(&atoms[number], &parts.values(&atoms[*to], next));
                nodes.arcs[node(number, parts.guess(&values))].push((node(*to, next), *movers));
            }
        }
    }
    let starts = (0..n_guesses).filter(|guess| wanted(&parts.values(&atoms[0], *guess)));
    let reached = reach(&nodes, starts.map(|guess| node(0, guess)));
    let all_settled = (1 << parts.n_temporal()) - 1;
    Ok(accepting(&nodes, all_settled | time, runs.fair, |node| reached[node]).is_some())
}

/// The atoms of a formula in a state.
fn truth(system: &System<'_>, state: usize, parts: &Parts<'_>, timeout: bool) -> Result<Vec<bool>, NoAnswer> {
    let state: &State = system.state(state);
    parts.atoms.iter().map(|atom| Ok(holds(system.program, state, atom, timeout)?)).collect()
}

fn reach(nodes: &Nodes, from: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut reached = vec![false; nodes.arcs.len()];
    let mut left: Vec<usize> = from.collect();
    left.iter().for_each(|node| reached[*node] = true);
    while let Some(node) = left.pop() {
        for (to, _) in &nodes.arcs[node] {
            if !std::mem::replace(&mut reached[*to], true) {
                left.push(*to);
            }
        }
    }
    reached
}
