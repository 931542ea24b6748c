//! The graph of a model's states for the product with a claim: built on demand, with the processes that move on an edge
//! and those that are enabled.
//!
//! An edge leads from stored state to stored state, so that an `atomic` or a rendezvous is one edge, on which all
//! processes move that take part in it.

use std::collections::HashMap;
use std::rc::Rc;

use super::processes::initial_state;
use super::program::Program;
use super::state::State;
use super::steps::{Outcome, Step, any_step, steps};
use super::ticks::{TIME, tick};
use super::{Fault, ViolationKind};

/// A set of processes, by pid.
pub type Pids = u128;

/// Models with more processes than a set can hold are refused.
const MAX_PROCESSES: usize = Pids::BITS as usize;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// More states, steps or processes than the options allow.
    TooLarge,
    /// A statement that fails was reached.
    Faulty(ViolationKind),
}

impl From<Fault> for NoAnswer {
    fn from(fault: Fault) -> Self {
        Self::Faulty(fault.kind)
    }
}

#[derive(Clone, Debug)]
pub struct Arc {
    pub to: usize,
    pub movers: Pids,
}

/// The successors of a state.
#[derive(Debug)]
pub struct Expansion {
    pub arcs: Vec<Arc>,
    /// The enabled processes. A process that can only receive in a rendezvous is not enabled.
    pub enabled: Pids,
    /// No process is enabled without `timeout`.
    pub timeout: bool,
    /// Time passes here.
    pub ticks: bool,
    /// The violations in the steps out of this state.
    pub complaints: Vec<ViolationKind>,
}

pub struct System<'p> {
    pub program: &'p Program<'p>,
    known: HashMap<Vec<i32>, usize>,
    states: Vec<State>,
    expansions: HashMap<usize, Rc<Expansion>>,
    n_steps: usize,
}

impl<'p> System<'p> {
    pub fn new(program: &'p Program<'p>) -> Self {
        Self { program, known: HashMap::new(), states: Vec::new(), expansions: HashMap::new(), n_steps: 0 }
    }

    pub fn state(&self, number: usize) -> &State {
        &self.states[number]
    }

    pub fn initial(&mut self) -> Result<usize, NoAnswer> {
        let (state, fault) = initial_state(self.program);
        fault.map_or(Ok(()), |fault| Err(NoAnswer::from(fault)))?;
        self.number(state)
    }

    /// The number of a state, which may be new.
    pub fn number(&mut self, state: State) -> Result<usize, NoAnswer> {
        let next = self.states.len();
        let number = *self.known.entry(state.key(self.program)).or_insert(next);
        if number == next {
            if next >= self.program.options.max_states || state.processes.len() > MAX_PROCESSES {
                return Err(NoAnswer::TooLarge);
            }
            self.states.push(state);
        }
        Ok(number)
    }

    pub fn expand(&mut self, number: usize) -> Result<Rc<Expansion>, NoAnswer> {
        if let Some(known) = self.expansions.get(&number) {
            return Ok(Rc::clone(known));
        }
        let state = self.states[number].clone();
        let mut outcomes = steps(self.program, &state, None, false);
        let timeout = !any_step(&outcomes);
        if timeout {
            outcomes = steps(self.program, &state, None, true);
        }
        let n_steps = outcomes.len();
        if !any_step(&outcomes) {
            outcomes.extend(tick(self.program, &state).map(Outcome::Step));
        }
        let ticks = outcomes.len() > n_steps;
        let mut expansion = Expansion { arcs: Vec::new(), enabled: 0, timeout, ticks, complaints: Vec::new() };
        for outcome in &outcomes[..n_steps] {
            if let Outcome::Step(step) = outcome {
                expansion.enabled |= 1 << step.taken.pid;
            }
        }
        self.follow(outcomes, 0, 0, &mut expansion)?;
        let expansion = Rc::new(expansion);
        self.expansions.insert(number, Rc::clone(&expansion));
        Ok(expansion)
    }

    /// Follows each step to the next stored state.
    fn follow(
        &mut self,
        outcomes: Vec<Outcome>,
        movers: Pids,
        depth: usize,
        expansion: &mut Expansion,
    ) -> Result<(), NoAnswer> {
        for outcome in outcomes {
            let step = match outcome {
                Outcome::Step(step) => step,
                Outcome::Fault(_, fault) => return Err(fault.into()),
            };
            self.n_steps += 1;
            if self.n_steps > self.program.options.max_steps || depth > MAX_ATOMIC {
                return Err(NoAnswer::TooLarge);
            }
            let movers = movers | movers_of(&step);
            expansion.complaints.extend(step.complaints.iter().map(|complaint| complaint.kind));
            if step.exclusive.is_some() {
                let inside = steps(self.program, &step.state, step.exclusive, false);
                if any_step(&inside) {
                    self.follow(inside, movers, depth + 1, expansion)?;
                    continue;
                }
            }
            let to = self.number(step.state)?;
            expansion.arcs.push(Arc { to, movers });
        }
        Ok(())
    }
}

/// An `atomic` with more steps than that may have no end.
const MAX_ATOMIC: usize = 200;

/// Both processes of a rendezvous move; no process does on a tick.
pub fn movers_of(step: &Step) -> Pids {
    if step.taken.pid == TIME {
        return 0;
    }
    let receiver = step.taken.receiver.map_or(0, |(pid, _)| 1 << pid);
    1 << step.taken.pid | receiver
}
