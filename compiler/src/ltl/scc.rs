//! Strongly connected components: the parts of an automaton a run can stay in.
//!
//! Tarjan: Depth-first search and linear graph algorithms, 1972; with a stack
//! of its own, since automata can be deeper than a thread's stack.

use crate::collections::{Id, IdVec};

use super::automaton::{Automaton, LocationId, Marks, Transition};

pub struct Components {
    /// Components are numbered so that transitions never lead to a higher number.
    of: IdVec<LocationId, usize>,
    /// Per component: the marks met inside, or nothing if no cycle lies in it.
    marks: Vec<Option<Marks>>,
}

impl Components {
    pub fn of(automaton: &Automaton) -> Self {
        Self::within(automaton, |_, _| true)
    }

    /// The components of the graph with only the `wanted` transitions.
    pub fn within(automaton: &Automaton, wanted: impl Fn(LocationId, &Transition) -> bool) -> Self {
        let of = Tarjan::new(automaton, &wanted).run();
        let n_components = of.iter().max().map_or(0, |last| last + 1);
        let mut marks = vec![None; n_components];
        for (from, location) in automaton.locations.iter_enumerated() {
            for transition in location.transitions.iter().filter(|t| wanted(from, t)) {
                if of[from] == of[transition.to] {
                    let inside: &mut Option<Marks> = &mut marks[of[from]];
                    *inside = Some(inside.unwrap_or_default().union(transition.marks));
                }
            }
        }
        Self { of, marks }
    }

    pub fn count(&self) -> usize {
        self.marks.len()
    }

    pub fn number(&self, location: LocationId) -> usize {
        self.of[location]
    }

    /// Whether a transition stays in its component.
    pub fn is_inside(&self, from: LocationId, transition: &Transition) -> bool {
        self.of[from] == self.of[transition.to]
    }

    pub fn has_cycle(&self, component: usize) -> bool {
        self.marks[component].is_some()
    }

    /// Whether a run that stays in it can be accepted with these marks.
    pub fn accepts(&self, component: usize, all: Marks) -> bool {
        self.marks[component].is_some_and(|marks| marks.includes(all))
    }
}

struct Tarjan<'a, F> {
    automaton: &'a Automaton,
    wanted: &'a F,
    /// Order of the visit, from 1; 0 if not visited yet.
    visited: Vec<usize>,
    lowest: Vec<usize>,
    component: Vec<Option<usize>>,
    n_visited: usize,
    n_components: usize,
    /// Visited and not yet in a component.
    open: Vec<usize>,
    /// The path of the search: a location, and the number of its transitions that were followed.
    path: Vec<(usize, usize)>,
}

impl<'a, F: Fn(LocationId, &Transition) -> bool> Tarjan<'a, F> {
    fn new(automaton: &'a Automaton, wanted: &'a F) -> Self {
        let n = automaton.locations.len();
        Self {
            automaton,
            wanted,
            visited: vec![0; n],
            lowest: vec![0; n],
            component: vec![None; n],
            n_visited: 0,
            n_components: 0,
            open: Vec::new(),
            path: Vec::new(),
        }
    }

    fn run(mut self) -> IdVec<LocationId, usize> {
        for root in 0..self.visited.len() {
            if self.visited[root] == 0 {
                self.enter(root);
                while let Some((at, done)) = self.path.pop() {
                    self.advance(at, done);
                }
            }
        }
        self.component.into_iter().map(|number| number.expect("every location was visited")).collect()
    }

    fn enter(&mut self, at: usize) {
        self.n_visited += 1;
        self.visited[at] = self.n_visited;
        self.lowest[at] = self.n_visited;
        self.open.push(at);
        self.path.push((at, 0));
    }

    /// Follows the next transition of the location, or backtracks from it.
    fn advance(&mut self, at: usize, done: usize) {
        let id = LocationId::from_index(at);
        let Some(transition) = self.automaton.locations[id].transitions.get(done) else { return self.leave(at) };
        self.path.push((at, done + 1));
        if !(self.wanted)(id, transition) {
            return;
        }
        let to = transition.to.index();
        if self.visited[to] == 0 {
            self.enter(to);
        } else if self.component[to].is_none() {
            self.lowest[at] = self.lowest[at].min(self.visited[to]);
        }
    }

    fn leave(&mut self, at: usize) {
        if let Some((parent, _)) = self.path.last() {
            self.lowest[*parent] = self.lowest[*parent].min(self.lowest[at]);
        }
        if self.lowest[at] == self.visited[at] {
            while let Some(member) = self.open.pop() {
                self.component[member] = Some(self.n_components);
                if member == at {
                    break;
                }
            }
            self.n_components += 1;
        }
    }
}
