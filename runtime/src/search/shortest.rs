//! The shortest lasso: fewest edges of the product in prefix and cycle together, for one acceptance set.
//!
//! The whole product is explored breadth-first and its edges are kept. Then each state of a component with an accepting
//! cycle is tried as the entry of the cycle, the nearest first: the path to it is known, and a breadth-first search
//! finds the shortest cycle through it and an accepting state, within the length of the best lasso so far.

use super::Searched;
use super::control::Control;
use super::explored::Explored;
use super::lasso::{Hop, Lasso};
use super::liveness::Question;
use crate::bits::BitSet;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Keyed, Packed};
use crate::search::SearchKind;
use crate::step::PidSet;
use crate::store::{StateStore, Visited};
use crate::system::{Extent, ProductSuccessors, Take};

/// The product, by the numbers of its states, which are ordered by distance.
#[derive(Default)]
struct ProductGraph {
    /// The index in `targets` at which the edges of each state begin.
    begins: Vec<usize>,
    targets: Vec<u32>,
    accepting: BitSet,
    /// The distance of each state from the initial one.
    distances: Vec<u32>,
}

impl ProductGraph {
    fn targets(&self, state: usize) -> &[u32] {
        let end = self.begins.get(state + 1).copied().unwrap_or(self.targets.len());
        self.begins.get(state).map_or(&[], |&begin| &self.targets[begin..end])
    }

    fn memory_bytes(&self) -> u64 {
        let numbers = (self.targets.capacity() + self.distances.capacity()) * size_of::<u32>();
        (self.begins.capacity() * size_of::<usize>() + numbers) as u64 + self.accepting.memory_bytes()
    }
}

pub(crate) fn search<P: Packed, S: StateStore<Keyed<P>>>(
    mut question: Question<'_, P>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    let mut explored = Explored::<P, S>::new(question.has_hidden);
    let mut graph = ProductGraph::default();
    if explore(&mut question, &mut explored, &mut graph, control).is_err() {
        control.out_of_memory(explored.memory_bytes() + graph.memory_bytes());
    }
    let Question { mut product, observer, .. } = question;
    // The part that was explored before a limit may have a cycle, too.
    if control.errors == 0
        && let Some(cycle) = shortest_cycle(&graph, control)
    {
        control.meet(observer.cycle(), || Lasso::new(&mut *product, observer, &explored).run_into_cycle(cycle));
    }
    explored.finish(SearchKind::ShortestCycle, product.tally())
}

fn explore<P: Packed, S: StateStore<Keyed<P>>>(
    question: &mut Question<'_, P>,
    explored: &mut Explored<P, S>,
    graph: &mut ProductGraph,
    control: &mut Control<'_>,
) -> Result<(), OutOfMemory> {
    let Question { product, observer, initial: buffer, .. } = question;
    let mut edges = ProductSuccessors::new(observer.is_fair);
    if explored.arrive(&buffer.state, buffer.state.hash(), buffer.hidden, 0, control).is_some() {
        graph.distances.push(0);
    }
    let mut from = 0;
    while from < explored.store.n_states() && !control.is_over() {
        let mut pulse = explored.enter(|| graph.memory_bytes() + edges.memory_bytes(), control);
        explored.read(from, buffer);
        edges.truncate(Extent::default());
        if product.expand(buffer, Take::All, &mut edges, &mut pulse).is_accepting {
            graph.accepting.insert(from)?;
        }
        if edges.is_full() {
            return Err(OutOfMemory);
        }
        for &found in &edges.found {
            if !control.is_over() {
                let product = &mut **product;
                control.meet(found, || Lasso::new(product, *observer, explored).run_to_violation(from, found));
            }
        }
        reserve(&mut graph.begins)?;
        graph.begins.push(graph.targets.len());
        let distance = graph.distances[from] + 1;
        let mut cursor = edges.first(Extent::default());
        while let Some(edge) = edges.next(&mut cursor, &mut buffer.state) {
            let arrived = explored.arrive(&buffer.state, edge.hash, edge.hidden, u64::from(distance), control);
            let Some((visited, to)) = arrived else { continue };
            if visited == Visited::New {
                reserve(&mut graph.distances)?;
                graph.distances.push(distance);
            }
            reserve(&mut graph.targets)?;
            graph.targets.push(to as u32);
        }
        from += 1;
    }
    Ok(())
}

/// The cycle of the shortest lasso.
fn shortest_cycle(graph: &ProductGraph, control: &mut Control<'_>) -> Option<Vec<Hop>> {
    let component = components(graph);
    let mut is_accepting = vec![false; graph.distances.len()];
    for state in 0..graph.distances.len() {
        is_accepting[component[state] as usize] |= graph.accepting.contains(state);
    }
    let mut best: Option<Vec<usize>> = None;
    let mut round = Round::new(graph, &component);
    let mut longest = usize::MAX;
    for state in 0..graph.distances.len() {
        let distance = graph.distances[state] as usize;
        // Even a cycle of one edge would not be shorter, and neither would one through a state farther away.
        if distance + 1 >= longest {
            break;
        }
        if !is_accepting[component[state] as usize] {
            continue;
        }
        if let Some(cycle) = round.from(state, longest - distance - 1, &|| control.is_interrupted()) {
            longest = distance + cycle.len();
            best = Some(cycle);
        }
        if state.is_multiple_of(64) || control.is_interrupted() {
            control.check_limits(0);
            // At a limit the search still reports its first cycle; at an interrupt it does not.
            if best.is_some() && control.is_over() || control.is_interrupted() {
                break;
            }
        }
    }
    let states = best?;
    let hop = |(n, &from): (usize, &usize)| {
        let to = states[(n + 1) % states.len()];
        let from_accepting = graph.accepting.contains(from);
        Hop { from, to, movers: PidSet::EMPTY, served: PidSet::ALL, from_accepting }
    };
    Some(states.iter().enumerate().map(hop).collect())
}

/// Finds the shortest cycle through a given state and an accepting one. Each state is visited in two copies: before and
/// after an accepting state was passed.
struct Round<'g> {
    graph: &'g ProductGraph,
    component: &'g [u32],
    /// The index of each copy in the queue, or `NONE`.
    places: Vec<u32>,
    queue: Vec<QueuedState>,
}

#[derive(Clone, Copy)]
struct QueuedState {
    state: usize,
    passed: bool,
    /// An index into the queue.
    from: u32,
    n_edges: usize,
}

const NONE: u32 = u32::MAX;

impl<'g> Round<'g> {
    fn new(graph: &'g ProductGraph, component: &'g [u32]) -> Round<'g> {
        Round { graph, component, places: vec![NONE; graph.distances.len() * 2], queue: Vec::new() }
    }

    /// The states on the cycle, if it has at most `longest` edges and is found before an interrupt.
    fn from(&mut self, start: usize, longest: usize, is_interrupted: &dyn Fn() -> bool) -> Option<Vec<usize>> {
        let passed = self.graph.accepting.contains(start);
        self.visit(QueuedState { state: start, passed, from: NONE, n_edges: 0 });
        let mut next = 0;
        let mut cycle = None;
        while cycle.is_none()
            && let Some(&stop) = self.queue.get(next)
            && stop.n_edges < longest
            && !(next % 4096 == 4095 && is_interrupted())
        {
            for &to in self.graph.targets(stop.state) {
                let to = to as usize;
                if self.component[to] != self.component[start] {
                    continue;
                }
                if to == start && stop.passed {
                    cycle = Some(self.way_to(next));
                    break;
                }
                let passed = stop.passed || self.graph.accepting.contains(to);
                self.visit(QueuedState { state: to, passed, from: next as u32, n_edges: stop.n_edges + 1 });
            }
            next += 1;
        }
        for stop in self.queue.drain(..) {
            self.places[stop.state * 2 + usize::from(stop.passed)] = NONE;
        }
        cycle
    }

    fn visit(&mut self, stop: QueuedState) {
        let place = &mut self.places[stop.state * 2 + usize::from(stop.passed)];
        if *place == NONE {
            *place = self.queue.len() as u32;
            self.queue.push(stop);
        }
    }

    fn way_to(&self, place: usize) -> Vec<usize> {
        let mut stop = self.queue[place];
        let mut states = vec![stop.state];
        while stop.from != NONE {
            stop = self.queue[stop.from as usize];
            states.push(stop.state);
        }
        states.reverse();
        states
    }
}

/// The number of the strongly connected component of each state (Tarjan's algorithm).
fn components(graph: &ProductGraph) -> Vec<u32> {
    let n = graph.distances.len();
    let (mut order, mut low, mut component) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
    let (mut open, mut path) = (Vec::new(), Vec::new());
    let (mut n_ordered, mut n_components) = (0, 0);
    if n > 0 {
        path.push((0, 0));
    }
    while let Some(&mut (state, ref mut edge)) = path.last_mut() {
        if *edge == 0 {
            (order[state], low[state]) = (n_ordered, n_ordered);
            n_ordered += 1;
            open.push(state);
        }
        if let Some(&to) = graph.targets(state).get(*edge) {
            *edge += 1;
            let to = to as usize;
            if order[to] == NONE {
                path.push((to, 0));
            } else if component[to] == NONE {
                low[state] = low[state].min(order[to]);
            }
            continue;
        }
        path.pop();
        if let Some(&(parent, _)) = path.last() {
            low[parent] = low[parent].min(low[state]);
        }
        if low[state] == order[state] {
            while let Some(member) = open.pop() {
                component[member] = n_components;
                if member == state {
                    break;
                }
            }
            n_components += 1;
        }
    }
    component
}
