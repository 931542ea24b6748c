//! The whole graph, explored depth first as Spin does.
//!
//! A state is stored after each step but those inside an `atomic`, and an edge leads from stored state to stored state.
//! Spin's count of transitions is the number of edges, and one more for the initial state.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use pmc::model::Model;

use super::processes::initial_state;
use super::program::Program;
use super::state::State;
use super::steps::{Outcome, Step, Taken, all_steps, any_step, steps};
use super::{Fault, Options, ViolationKind};

/// All reachable states, and the violations.
#[derive(Debug)]
pub struct Graph {
    /// In the order in which they were reached; the first is the initial state.
    pub states: Vec<State>,
    pub edges: Vec<Edge>,
    pub violations: Vec<Violation>,
    /// Whether every reachable state was visited.
    pub complete: bool,
    /// The result is not known here: it depends on Spin's numbers of locations, by `pc_value` or by a label of another
    /// proctype than that of the process, or on processes that ask in a circle whether they are `enabled`.
    pub is_open: bool,
    /// For each state the edge by which it was reached first.
    found_by: Vec<Option<usize>>,
}

/// A path from one stored state to another.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// One step, or the steps of an `atomic`.
    pub steps: Vec<Taken>,
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    /// The faulty statement. For an invalid end state: that of the oldest
    /// process that should not stop.
    pub fault: Fault,
    pub pid: usize,
    /// The last stored state before it.
    pub state: usize,
    /// The steps from there, the faulty one last if it was taken.
    pub steps: Vec<Taken>,
}

impl Graph {
    /// As Spin counts: the initial state is one, too.
    pub fn n_transitions(&self) -> usize {
        self.edges.len() + 1
    }

    /// The run to a violation.
    pub fn trail(&self, violation: &Violation) -> Vec<Taken> {
        let mut edges = Vec::new();
        let mut state = violation.state;
        while let Some(edge) = self.found_by[state] {
            edges.push(edge);
            state = self.edges[edge].from;
        }
        let to_state = edges.into_iter().rev().flat_map(|edge| self.edges[edge].steps.clone());
        to_state.chain(violation.steps.iter().cloned()).collect()
    }
}

/// Explores a model completely, or as far as the options allow.
pub fn explore(model: &Model, options: &Options) -> Graph {
    let program = Program::new(model, options);
    let mut explorer = Explorer {
        program: &program,
        known: HashMap::new(),
        graph: Graph {
            states: Vec::new(),
            edges: Vec::new(),
            violations: Vec::new(),
            complete: true,
            is_open: false,
            found_by: Vec::new(),
        },
        n_steps: 0,
        stop: false,
    };
    explorer.run();
    Graph { is_open: program.is_open.get(), ..explorer.graph }
}

struct Explorer<'p> {
    program: &'p Program<'p>,
    known: HashMap<Vec<i32>, usize>,
    graph: Graph,
    n_steps: usize,
    stop: bool,
}

/// A state on the path of the search.
struct Frame {
    /// The stored state that it is, or that it was reached from.
    origin: usize,
    /// The step that led here, if this is not a stored state.
    inside: Option<Taken>,
    /// The steps that are left to be tried.
    outcomes: std::vec::IntoIter<Outcome>,
}

/// The steps since the last stored state, and one more.
fn since_stored(stack: &[Frame], last: Option<Taken>) -> Vec<Taken> {
    let inside = stack.iter().rev().map_while(|frame| frame.inside.clone());
    let mut steps: Vec<Taken> = last.into_iter().chain(inside).collect();
    steps.reverse();
    steps
}

impl Explorer<'_> {
    fn run(&mut self) {
        let (state, fault) = initial_state(self.program);
        let mut stack: Vec<Frame> =
            self.store(&state, None).map(|origin| self.stored(&state, origin)).into_iter().collect();
        if let Some(fault) = fault {
            self.report(fault, 0, 0, Vec::new());
        }
        while let Some(top) = stack.last_mut() {
            let origin = top.origin;
            match top.outcomes.next() {
                None => {
                    stack.pop();
                }
                Some(Outcome::Fault(pid, fault)) => self.report(fault, pid, origin, since_stored(&stack, None)),
                Some(Outcome::Step(step)) => {
                    for complaint in &step.complaints {
                        self.report(*complaint, step.taken.pid, origin, since_stored(&stack, Some(step.taken.clone())));
                    }
                    self.n_steps += 1;
                    self.stop |= self.n_steps > self.program.options.max_steps;
                    if !self.stop {
                        let next = self.arrive(step, origin, &stack);
                        stack.extend(next);
                    }
                }
            }
            if self.stop {
                self.graph.complete = false;
                return;
            }
        }
    }

    /// Handles a step to a state. Returns the steps out of that state, unless it was visited before.
    fn arrive(&mut self, step: Step, origin: usize, stack: &[Frame]) -> Option<Frame> {
        if stack.len() >= self.program.options.max_depth {
            self.graph.complete = false;
            return None;
        }
        if step.exclusive.is_some() {
            let outcomes = steps(self.program, &step.state, step.exclusive, false);
            if any_step(&outcomes) {
                return Some(Frame { origin, inside: Some(step.taken), outcomes: outcomes.into_iter() });
            }
            // The atomic owner is blocked: other processes may move, and the state is stored.
        }
        let path = since_stored(stack, Some(step.taken));
        let stored = self.store(&step.state, Some((origin, path)))?;
        Some(self.stored(&step.state, stored))
    }

    /// The steps out of a new state.
    fn stored(&self, state: &State, origin: usize) -> Frame {
        let mut outcomes = all_steps(self.program, state);
        if !any_step(&outcomes) && self.program.options.end_states && !state.is_valid_end(self.program) {
            let (pid, fault) = invalid_end(self.program, state);
            outcomes.push(Outcome::Fault(pid, fault));
        }
        Frame { origin, inside: None, outcomes: outcomes.into_iter() }
    }

    /// Adds the edge to a state, and the state if it is new: then returns its number.
    fn store(&mut self, state: &State, way: Option<(usize, Vec<Taken>)>) -> Option<usize> {
        let next = self.graph.states.len();
        let (number, new) = match self.known.entry(state.key(self.program)) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(free) => (*free.insert(next), true),
        };
        let found_by = way.is_some().then_some(self.graph.edges.len());
        self.graph.edges.extend(way.map(|(from, steps)| Edge { from, to: number, steps }));
        if !new {
            return None;
        }
        self.graph.states.push(state.clone());
        self.graph.found_by.push(found_by);
        self.stop |= self.graph.states.len() > self.program.options.max_states;
        Some(number)
    }

    fn report(&mut self, fault: Fault, pid: usize, state: usize, steps: Vec<Taken>) {
        self.graph.violations.push(Violation { kind: fault.kind, fault, pid, state, steps });
        self.stop |= self.program.options.first_error || fault.kind.ends_search();
    }
}

/// The violation is that of the oldest process at an invalid end; if there is none, that of the trace or of a message
/// left in a channel.
pub(super) fn invalid_end(program: &Program<'_>, state: &State) -> (usize, Fault) {
    let code_of = |pid: usize| &program.codes[state.processes[pid].proctype];
    let stuck = (0..state.processes.len()).find(|pid| !code_of(*pid).is_end(state.processes[*pid].at));
    let span = stuck
        .and_then(|pid| code_of(pid).place(state.processes[pid].at).statement)
        .map(|statement| statement.span)
        .unwrap_or_default();
    let is_traced = program.trace.as_ref().is_none_or(|trace| trace.may_stop(state.trace));
    let kind =
        if stuck.is_none() && !is_traced { ViolationKind::TraceUnfinished } else { ViolationKind::InvalidEndState };
    (stuck.unwrap_or(0), Fault { kind, span })
}
