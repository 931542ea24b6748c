//! A model as a person walks through it: the steps from any point of a run, the states around it, and the searches.
//!
//! A run is a list of moves, as in a trail, so that a front end keeps nothing else: going back is a shorter list.

use crate::dyn_model::{DynModel, DynState};
use crate::entry_point::{default_trail, read_trail};
use crate::fault::Fault;
use crate::limits::Interrupt;
use crate::model::{Describe, ModelInfo};
use crate::monitor::Silent;
use crate::options::Options;
use crate::record::{Offer, can_move, offers};
use crate::reduction::Independence;
use crate::replay::ReplayError;
use crate::search::Searches;
use crate::step::Pid;
use crate::story::{Listed, Narrator, Obstacle, Run, tell};
use crate::system::ModelSystems;
use crate::trail::{Move, Step, Trail};
use crate::verdict::{Found, Report, ViolationKind};
use crate::walk::{follow, follow_exactly};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::Path;

/// A model of any type, to walk through. Several threads may use it at once.
pub struct Explorer<'m> {
    dyn_model: &'m (dyn DynModel + Sync),
    check: &'m (dyn Fn(&Options, &Interrupt) -> Report + Sync),
}

/// Gives `act` an explorer of the model.
pub fn explore<M: Independence, T>(
    model: &M,
    searches: &Searches<M::Packed>,
    act: impl FnOnce(&Explorer<'_>) -> T,
) -> T {
    let systems = ModelSystems::new(model);
    let check = |options: &Options, interrupt: &Interrupt| searches.check(&systems, options, interrupt, &mut Silent);
    act(&Explorer { dyn_model: &systems, check: &check })
}

/// A step that can be taken, or that fails.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The step as a trail has it.
    pub step: Step,
    /// It fails: the run ends with it.
    pub fails: bool,
    /// The violations in it, as text.
    pub violations: Vec<String>,
    /// What happens where time passes, which no process does.
    pub tick: Option<String>,
    /// Its statements with the values in them, that of a receiver last; none if it is more than its transitions, as a
    /// `d_step`, or time that passes.
    pub told: Vec<String>,
}

/// What can happen behind a run.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Every step, highest pid first.
    pub choices: Vec<Choice>,
    /// All processes may end here.
    pub may_end: bool,
}

/// Why there are no choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoState {
    /// The initial state could not be computed.
    Initial(Fault),
    /// The moves are none of the model's.
    NotARun,
}

impl fmt::Display for NoState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoState::Initial(fault) => write!(f, "the model has no initial state: {fault}"),
            NoState::NotARun => write!(f, "the steps are no run of the model"),
        }
    }
}

impl std::error::Error for NoState {}

impl Explorer<'_> {
    /// The tables of the model.
    pub fn info(&self) -> &ModelInfo<'_> {
        self.dyn_model.info()
    }

    /// The steps that are possible behind a run without a claim.
    pub fn choices(&self, run: &[Move]) -> Result<Choices, NoState> {
        let mut state = self.state(run)?;
        let offers = offers(&mut state);
        let mut narrator = Narrator::new(self.info(), &state, self.is_abstract(run));
        let choice = |offer: Offer<'_>| Choice {
            tick: offer.step.is_tick().then(|| {
                narrator.look_again(&state);
                narrator.tick_in_words(&offer)
            }),
            step: offer.step,
            fails: offer.next.is_none(),
            violations: offer.violations.iter().map(violation_text).collect(),
            told: narrator.foretell(&state, &offer),
        };
        let choices = offers.into_iter().map(choice).collect();
        Ok(Choices { choices, may_end: state.all_may_end() })
    }

    fn state(&self, run: &[Move]) -> Result<DynState<'_>, NoState> {
        if let Err(fault) = self.dyn_model.initial() {
            return Err(NoState::Initial(fault));
        }
        // A run that was looked for with exact time goes on so.
        follow(self.dyn_model, run).or_else(|| follow_exactly(self.dyn_model, run)).ok_or(NoState::NotARun)
    }

    /// Whether a run is one with abstract time.
    pub fn is_abstract(&self, run: &[Move]) -> bool {
        self.info().abstract_time && follow(self.dyn_model, run).is_some()
    }

    /// The run of a trail as it is told to people, with the state behind each step if that is asked for.
    pub fn run(&self, trail: &Trail, with_states: bool) -> Result<Run, String> {
        let told = tell(self.dyn_model, trail, Listed::ALL, with_states);
        match told.obstacle {
            // A fault in the initial state is a run without steps.
            Some(Obstacle::NoInitialState(fault)) if trail.moves.is_empty() && trail.kind == fault.kind() => {
                Ok(told.run)
            }
            Some(obstacle) => Err(ReplayError::from(obstacle).to_string()),
            None => Ok(told.run),
        }
    }

    /// The trail in a file, or the one that a check writes without being told where.
    pub fn read_trail(&self, path: Option<&Path>) -> Result<Trail, String> {
        let path = path.map_or_else(|| default_trail(self.info()), Path::to_path_buf);
        read_trail(&path, self.info()).map_err(|message| format!("`{}`: {message}", path.display()))
    }

    /// Searches for violations until the interrupt is set.
    pub fn check(&self, options: &Options, interrupt: &Interrupt) -> Report {
        (self.check)(options, interrupt)
    }

    /// The states that can be reached from the end of a run, nearest first, without any reduction.
    pub fn states(&self, run: &[Move], limits: &GraphLimits) -> Result<StateGraph, NoState> {
        let first = self.state(run)?;
        let builder = Builder { limits, graph: StateGraph::default(), known: HashMap::new(), queue: VecDeque::new() };
        Ok(builder.build(first))
    }
}

fn violation_text(found: &Found) -> String {
    match found.kind {
        ViolationKind::Fault(fault) => fault.to_string(),
        kind => format!("{} violated", kind.name()),
    }
}

/// How much of a state space becomes a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphLimits {
    /// The most states.
    pub states: usize,
    /// The most steps from the first state.
    pub depth: usize,
}

/// A part of the state space as a graph.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    /// The first one is that in which the graph starts.
    pub states: Vec<GraphState>,
    /// The steps between them.
    pub edges: Vec<GraphEdge>,
    /// No state or step is left out.
    pub is_complete: bool,
}

/// A state of a graph.
#[derive(Clone, Debug)]
pub struct GraphState {
    /// Every variable and channel, as text: its process or none, its name, its value.
    pub values: Vec<(Option<Pid>, String, String)>,
    /// The location of each process: its pid, its proctype and its location, oldest first.
    pub locations: Vec<(Pid, usize, usize)>,
    /// The process with exclusive control: searches store no such state.
    pub atomic_owner: Option<Pid>,
    /// No step leaves it.
    pub ends: bool,
    /// All processes may end here.
    pub may_end: bool,
    /// The steps out of it are not in the graph, because of a limit.
    pub is_cut: bool,
}

/// A step of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// An index into [`StateGraph::states`].
    pub from: usize,
    /// The same; none if the step fails.
    pub to: Option<usize>,
    /// The step as a trail has it.
    pub step: Step,
    /// The violations in it, as text.
    pub violations: Vec<String>,
}

impl StateGraph {
    /// The edges that a run takes, as far as it stays in the graph.
    pub fn path(&self, run: &[Move]) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = 0;
        for step in run.iter().filter_map(|next| next.step()) {
            let Some(index) = self.edges.iter().position(|edge| edge.from == at && edge.step == step) else { break };
            path.push(index);
            match self.edges[index].to {
                Some(to) => at = to,
                None => break,
            }
        }
        path
    }
}

/// Every value of a state, as text.
#[derive(Default)]
struct Values(Vec<(Option<Pid>, String, String)>);

impl Describe for Values {
    fn variable(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, value: fmt::Arguments<'_>) {
        self.0.push((owner, name.to_string(), value.to_string()));
    }

    fn channel(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, messages: fmt::Arguments<'_>) {
        let text = messages.to_string();
        self.0.push((owner, name.to_string(), if text.is_empty() { "[]".to_owned() } else { text }));
    }
}

/// Expands states in the order in which they are found.
struct Builder<'g, 'm> {
    limits: &'g GraphLimits,
    graph: StateGraph,
    known: HashMap<(Vec<u64>, Option<Pid>), usize>,
    /// What is not expanded yet: a state, its depth, the steps out of it.
    queue: VecDeque<(usize, usize, Vec<Offer<'m>>)>,
}

impl<'m> Builder<'_, 'm> {
    fn build(mut self, first: DynState<'m>) -> StateGraph {
        self.graph.is_complete = true;
        self.find_or_add(first, 0);
        while let Some((from, depth, offers)) = self.queue.pop_front() {
            for offer in offers {
                let violations = offer.violations.iter().map(violation_text).collect();
                let to = match offer.next {
                    None => None,
                    Some(next) => match self.find_or_add(next, depth + 1) {
                        Some(to) => Some(to),
                        None => {
                            self.graph.states[from].is_cut = true;
                            self.graph.is_complete = false;
                            continue;
                        }
                    },
                };
                self.graph.edges.push(GraphEdge { from, to, step: offer.step, violations });
            }
        }
        self.graph
    }

    /// The number of a state; none if it is new and beyond a limit.
    fn find_or_add(&mut self, mut state: DynState<'m>, depth: usize) -> Option<usize> {
        // A blocked atomic owner loses control, which makes it another state.
        let offers = offers(&mut state);
        let key = (state.identity().words, state.atomic_owner());
        if let Some(number) = self.known.get(&key) {
            return Some(*number);
        }
        let number = self.graph.states.len();
        if number >= self.limits.states || depth > self.limits.depth {
            return None;
        }
        let mut values = Values::default();
        state.describe(&mut values);
        let locations = state.pids().map(|pid| (pid, state.proctype(pid), state.location(pid))).collect();
        self.graph.states.push(GraphState {
            values: values.0,
            locations,
            atomic_owner: key.1,
            ends: !can_move(&offers),
            may_end: state.all_may_end(),
            is_cut: false,
        });
        self.known.insert(key, number);
        self.queue.push_back((number, depth, offers));
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Reduction;
    use crate::toy::{Counters, Edge, Graph};

    fn graph_of<M: Independence<Packed: crate::store::Storable>>(model: &M, states: usize, depth: usize) -> StateGraph {
        explore(model, &Searches::new(), |explorer| {
            explorer.states(&[], &GraphLimits { states, depth }).expect("an initial state")
        })
    }

    fn moves(graph: &StateGraph, edges: &[usize]) -> Vec<Move> {
        edges.iter().map(|edge| Move::from(graph.edges[*edge].step)).collect()
    }

    #[test]
    fn a_graph_has_every_state_and_every_step() {
        let model = Counters { n: 2, limit: 3, bad: None };
        let graph = graph_of(&model, 1000, 1000);
        let options = Options { reduction: Reduction::Off, ..Options::default() };
        let report = crate::search::check(&model, Searches::new(), &options);
        assert_eq!(
            (graph.states.len() as u64, graph.is_complete),
            (report.properties[0].statistics.states_stored, true)
        );
        assert!(graph.edges.len() >= graph.states.len() - 1, "every state but the first has a step to it");
        assert!(graph.states.iter().all(|state| !state.is_cut));
    }

    #[test]
    fn limits_are_told() {
        let model = Counters { n: 2, limit: 3, bad: None };
        let few = graph_of(&model, 5, 1000);
        assert_eq!((few.states.len(), few.is_complete), (5, false));
        assert!(few.states.iter().any(|state| state.is_cut));
        let near = graph_of(&model, 1000, 1);
        assert!(near.states.len() < 16 && !near.is_complete && !near.states[0].is_cut && near.states[1].is_cut);
    }

    #[test]
    fn a_run_is_a_path_in_the_graph_and_a_list_of_choices() {
        let model = Graph::new(&[(0, 1, Edge::Plain), (0, 2, Edge::Bad), (2, 3, Edge::Plain)], &[3]);
        let graph = graph_of(&model, 10, 10);
        let bad = graph.edges.iter().position(|edge| !edge.violations.is_empty()).expect("an assertion fails");
        let run = moves(&graph, &[bad]);
        assert_eq!(graph.path(&run), [bad]);
        explore(&model, &Searches::new(), |explorer| {
            let first = explorer.choices(&[]).expect("an initial state");
            assert_eq!((first.choices.len(), first.may_end), (2, false));
            assert_eq!(first.choices[1].violations, ["assertion violated"]);
            let after = explorer.choices(&run).expect("a run");
            assert_eq!(after.choices.len(), 1);
            let wrong = [Move::System(Step { choice: 99, ..after.choices[0].step })];
            assert_eq!(explorer.choices(&wrong).unwrap_err(), NoState::NotARun);
            assert_eq!(explorer.states(&run, &GraphLimits { states: 9, depth: 9 }).expect("a run").states.len(), 2);
        });
    }

    #[test]
    fn a_search_starts_at_the_beginning_of_the_model() {
        let model = Counters { n: 2, limit: 3, bad: Some(2) };
        explore(&model, &Searches::new(), |explorer| {
            let report = explorer.check(&Options::default(), &Interrupt::new());
            assert_eq!(report.errors(), 1);
        });
    }
}
