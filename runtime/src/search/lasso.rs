//! Counterexamples of the searches for cycles, found in the stored states.
//!
//! The path of a depth-first search is a bad counterexample: it can be very long. So the stored states are explored
//! once more, breadth-first: from the initial state to the cycle, and inside the component from one missing mark to the
//! nearest next one and back to the start.
//!
//! That costs a few passes over the stored states. Limits are not checked meanwhile: a violation is known, and a limit
//! must not withhold its counterexample.

use super::control::Run;
use crate::hidden::Hidden;
use crate::pack::{Keyed, Packed};
use crate::sorting::sort_numbers;
use crate::step::PidSet;
use crate::system::{Extent, NoLimits, ObserverConfig, Product, ProductState, ProductSuccessors, RealRun, Take};
use crate::trail::Move;
use crate::verdict::Found;

/// The stored states of a search, by number.
pub(crate) trait StateSource<P: Packed> {
    /// The number of the initial state.
    fn initial(&self) -> usize;

    /// The number of a state that was stored.
    fn find(&self, state: &Keyed<P>, hash: u64) -> Option<usize>;

    fn read(&self, number: usize, into: &mut ProductState<P>);

    /// The hidden variables of a state, as they were at the first arrival.
    fn hidden(&self, number: usize) -> Hidden;

    /// All numbers are below this one.
    fn n_numbers(&self) -> usize;
}

pub(crate) struct Lasso<'l, 's, P: Packed> {
    product: &'l mut Product<'s, P>,
    observer: ObserverConfig<'s>,
    known: &'l dyn StateSource<P>,
    edges: ProductSuccessors<P>,
    buffer: ProductState<P>,
    /// The index of each state in `queue`, or `NONE`.
    places: Vec<u32>,
    queue: Vec<Visit>,
    /// Follow only edges that produce exactly the stored values of hidden variables, so that the run can be replayed.
    /// There may be no cycle of such edges.
    strict: bool,
}

const NONE: u32 = u32::MAX;

/// A state that was reached, and how.
#[derive(Clone, Copy)]
struct Visit {
    index: usize,
    /// An index into the queue.
    from: u32,
    hop: Hop,
}

/// An edge between two stored states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    pub from: usize,
    pub to: usize,
    /// The processes that move, under fairness.
    pub movers: PidSet,
    /// The processes that this edge serves.
    pub served: PidSet,
    /// Whether its source is accepting.
    pub from_accepting: bool,
}

impl<'l, 's, P: Packed> Lasso<'l, 's, P> {
    pub fn new(
        product: &'l mut Product<'s, P>,
        observer: ObserverConfig<'s>,
        known: &'l dyn StateSource<P>,
    ) -> Lasso<'l, 's, P> {
        Lasso {
            product,
            observer,
            known,
            edges: ProductSuccessors::new(observer.is_fair),
            buffer: ProductState::default(),
            places: vec![NONE; known.n_numbers()],
            queue: Vec::new(),
            strict: true,
        }
    }

    /// A run to a cycle in the strongly connected states that are `inside`, one of which is `start`. Without fairness
    /// it is enough that there is an accepting cycle through `start` among them.
    pub fn run_into_component(&mut self, start: usize, is_inside: impl Fn(usize) -> bool) -> Run {
        let mut cycle = self.cycle(start, &is_inside);
        if cycle.is_empty() {
            self.strict = false;
            cycle = self.cycle(start, &is_inside);
            self.strict = true;
        }
        self.run_into_cycle(cycle)
    }

    /// The shortest run that leads into a cycle.
    pub fn run_into_cycle(&mut self, mut cycle: Vec<Hop>) -> Run {
        let mut on_cycle: Vec<usize> = cycle.iter().map(|hop| hop.from).collect();
        sort_numbers(&mut on_cycle);
        let initial = self.known.initial();
        let prefix = self.path(initial, |index| on_cycle.binary_search(&index).is_ok());
        let entry = prefix.last().map_or(initial, |hop| hop.to);
        let turn = cycle.iter().position(|hop| hop.from == entry).unwrap_or(0);
        cycle.rotate_left(turn);
        let (to_entry, round) = (self.targets(&prefix), self.targets(&cycle));
        if let Some(mut run) = RealRun::new(&mut *self.product) {
            to_entry.iter().for_each(|state| run.go_to(state, &[]));
            let cycle_start = Some(run.go_round(&round));
            return Run { moves: run.moves, cycle_start };
        }
        let mut moves = self.moves_along(&prefix);
        let cycle_start = Some(moves.len());
        moves.extend(self.moves_along(&cycle));
        Run { moves, cycle_start }
    }

    /// The shortest run to a violation that is not a cycle, out of state `index`.
    pub fn run_to_violation(&mut self, index: usize, found: Found) -> Run {
        let prefix = self.path(self.known.initial(), |at| at == index);
        let states = self.targets(&prefix);
        if let Some(mut run) = RealRun::new(&mut *self.product) {
            states.iter().for_each(|state| run.go_to(state, &[]));
            run.end_with(found);
            return run.moves.into();
        }
        let mut moves = self.moves_along(&prefix);
        self.known.read(index, &mut self.buffer);
        moves.extend(self.product.moves_to(&self.buffer, found));
        Run { moves, cycle_start: None }
    }

    /// A cycle near `start` through an accepting state that serves all processes. Empty if there is none.
    fn cycle(&mut self, start: usize, is_inside: &dyn Fn(usize) -> bool) -> Vec<Hop> {
        let Some(to_accepting) = self.walk(start, is_inside, &|hop| hop.from_accepting) else { return Vec::new() };
        let Some(start) = to_accepting.last().map(|hop| hop.from) else { return Vec::new() };
        let mut cycle: Vec<Hop> = Vec::new();
        let mut at = start;
        if self.observer.has_more_marks() {
            let mut served = PidSet::EMPTY;
            while served != PidSet::ALL {
                let Some(hops) = self.walk(at, is_inside, &|hop| !served.includes(hop.served)) else {
                    return Vec::new();
                };
                served = hops.iter().fold(served, |served, hop| served.union(hop.served));
                at = hops.last().map_or(at, |hop| hop.to);
                cycle.extend(hops);
            }
        }
        if cycle.is_empty() || at != start {
            let Some(hops) = self.walk(at, is_inside, &|hop| hop.to == start) else { return Vec::new() };
            cycle.extend(hops);
        }
        cycle
    }

    /// The shortest path from state `from` to a state that `is_target`; empty if `from` is one itself.
    fn path(&mut self, from: usize, is_target: impl Fn(usize) -> bool) -> Vec<Hop> {
        if is_target(from) {
            return Vec::new();
        }
        self.walk(from, &|_| true, &|hop| is_target(hop.to)).unwrap_or_default()
    }

    /// Breadth-first from state `from`, through states that are `inside`, up to the first edge that `is_goal`.
    fn walk(
        &mut self,
        from: usize,
        is_inside: &dyn Fn(usize) -> bool,
        is_goal: &dyn Fn(&Hop) -> bool,
    ) -> Option<Vec<Hop>> {
        let hop = Hop { from, to: from, movers: PidSet::EMPTY, served: PidSet::EMPTY, from_accepting: false };
        self.queue.push(Visit { index: from, from: NONE, hop });
        self.places[from] = 0;
        let mut goal = None;
        let mut next = 0;
        while goal.is_none() && next < self.queue.len() {
            goal = self.expand(next, is_inside, is_goal);
            next += 1;
        }
        let hops = goal.map(|(place, last)| self.hops_to(place, last));
        for visit in self.queue.drain(..) {
            self.places[visit.index] = NONE;
        }
        hops
    }

    /// Visits the successors of one state of the queue. Returns the goal, if it is among them.
    fn expand(
        &mut self,
        place: usize,
        is_inside: &dyn Fn(usize) -> bool,
        is_goal: &dyn Fn(&Hop) -> bool,
    ) -> Option<(usize, Hop)> {
        let from = self.queue[place].index;
        self.known.read(from, &mut self.buffer);
        self.edges.truncate(Extent::default());
        // All edges between stored states are real, including those that the reduction removed.
        let outlook = self.product.expand(&self.buffer, Take::All, &mut self.edges, &mut NoLimits);
        let from_accepting = outlook.is_accepting;
        let mut cursor = self.edges.first(Extent::default());
        while let Some(edge) = self.edges.next(&mut cursor, &mut self.buffer.state) {
            let Some(to) = self.known.find(&self.buffer.state, edge.hash) else { continue };
            if !is_inside(to) || self.strict && edge.hidden != self.known.hidden(to) {
                continue;
            }
            let hop = Hop { from, to, movers: edge.movers, served: edge.served, from_accepting };
            if is_goal(&hop) {
                return Some((place, hop));
            }
            if self.places[to] == NONE {
                self.places[to] = self.queue.len() as u32;
                self.queue.push(Visit { index: to, from: place as u32, hop });
            }
        }
        None
    }

    fn hops_to(&self, mut place: usize, last: Hop) -> Vec<Hop> {
        let mut hops = vec![last];
        while self.queue[place].from != NONE {
            hops.push(self.queue[place].hop);
            place = self.queue[place].from as usize;
        }
        hops.reverse();
        hops
    }

    /// The states that edges lead to.
    fn targets(&self, hops: &[Hop]) -> Vec<ProductState<P>> {
        let target = |hop: &Hop| {
            let mut state = ProductState::default();
            self.known.read(hop.to, &mut state);
            state
        };
        hops.iter().map(target).collect()
    }

    fn moves_along(&mut self, hops: &[Hop]) -> Vec<Move> {
        hops.iter().flat_map(|hop| self.moves_of(hop)).collect()
    }

    fn moves_of(&mut self, hop: &Hop) -> Vec<Move> {
        let mut target = ProductState::default();
        self.known.read(hop.from, &mut self.buffer);
        self.known.read(hop.to, &mut target);
        self.product.moves_between(&self.buffer, &target, hop.movers)
    }
}
