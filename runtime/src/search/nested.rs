//! Nested depth-first search (Courcoubetis, Vardi, Wolper, Yannakakis, 1992): for one acceptance set, with two bits a state.
//!
//! The outer search visits every state. When it backtracks from an accepting one, in post-order, the inner search starts
//! there and looks for a path to that state, or to any state on the path of the outer search, from where that path leads on
//! to it. Because of the post-order, a state that an inner search has visited no later one needs to visit. A cycle that the
//! outer search closes by itself through an accepting state is reported at once.
//!
//! Weak fairness multiplies the states (Choueka's flags): copy 0 waits for an accepting state, copy i for the i-th process,
//! until it has moved, was disabled, or did not exist. A cycle through copy 0 at an accepting state has served all
//! processes. Only an edge serves a process, so a state without edges has no cycle, and one that stutters has.
//!
//! With a reduction both searches must walk through the same graph, or they miss cycles (Holzmann, Peled, Yannakakis, "On
//! nested depth first search", 1996). So the outer search decides the ample set of a state, once and for all its copies,
//! and the inner search repeats it. The inner search never meets a state that is undecided, because such states are on the
//! path of the outer search. Reporting a cycle through the path early is no false alarm: all edges are real.

use super::Searched;
use super::colours::{Colour, Colours};
use super::control::{Control, Rounds};
use super::explored::Explored;
use super::lasso::Lasso;
use super::liveness::Question;
use super::path_proviso::{LivenessProviso, leads_back};
use super::stack::{Frame, Stack};
use crate::memory::{OutOfMemory, reserve};
use crate::options::Liveness;
use crate::pack::{Keyed, Packed};
use crate::search::SearchKind;
use crate::sorting::sort_numbers;
use crate::step::Pid;
use crate::store::{StateStore, Visited};
use crate::system::{Edge, ObserverConfig, Product, ProductState, Take};
use crate::verdict::Found;

struct Nested<'c, 'a, 's, P: Packed, S> {
    product: Box<Product<'s, P>>,
    observer: ObserverConfig<'s>,
    control: &'c mut Control<'a>,
    explored: Explored<P, S>,
    colours: Colours,
    outer: Stack<P>,
    inner: Stack<P>,
    buffer: ProductState<P>,
    leaves_out: LivenessProviso,
}

/// A state of the product and one of its copies.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node {
    index: usize,
    copy: u8,
}

impl Frame {
    fn node(&self) -> Node {
        Node { index: self.index(), copy: self.copy }
    }

    /// Whether a cycle through this node is a violation.
    fn is_seed(&self) -> bool {
        self.accepting && self.copy == 0
    }
}

pub(crate) fn search<P: Packed, S: StateStore<Keyed<P>>>(
    question: Question<'_, P>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    let Question { product, observer, initial, has_hidden, leaves_out } = question;
    let mut search = Nested::<P, S> {
        product,
        observer,
        control,
        explored: Explored::new(has_hidden),
        colours: Colours::new(observer.is_fair),
        outer: Stack::new(observer.is_fair),
        inner: Stack::new(observer.is_fair),
        buffer: initial,
        leaves_out,
    };
    search.run();
    search.explored.finish(SearchKind::Cycles(Liveness::Nested), search.product.tally())
}

/// The copy that an edge leads to from copy `copy` of a state.
#[inline]
fn advance(copy: u8, accepting: bool, edge: &Edge) -> u8 {
    let mut copy = match copy {
        0 if accepting => 1,
        0 => return 0,
        copy => usize::from(copy),
    };
    while copy <= edge.n_processes && edge.served.contains(Pid::from_index(copy - 1)) {
        copy += 1;
    }
    if copy > edge.n_processes { 0 } else { copy as u8 }
}

impl<P: Packed, S: StateStore<Keyed<P>>> Nested<'_, '_, '_, P, S> {
    /// From the initial state, which is in the buffer.
    fn run(&mut self) {
        let ProductState { state, hidden } = &self.buffer;
        if let Some((_, index)) = self.explored.arrive(state, state.hash(), *hidden, 0, self.control) {
            self.new_state();
            self.enter_outer(Node { index, copy: 0 }, 0);
        }
        let mut rounds = Rounds::default();
        while let Some(&from) = self.outer.frames.last() {
            if self.control.is_over() {
                return;
            }
            match self.outer.next(&mut self.buffer.state) {
                Some(edge) => self.follow_outer(from, edge),
                None => {
                    self.leave_outer(from);
                    if rounds.is_due() {
                        self.control.check_limits(0);
                    }
                }
            }
        }
    }

    /// The copy that an edge leads to.
    #[inline]
    fn copy_behind(&self, from: &Frame, edge: &Edge) -> u8 {
        if self.observer.is_fair { advance(from.copy, from.accepting, edge) } else { 0 }
    }

    #[inline]
    fn follow_outer(&mut self, from: Frame, edge: Edge) {
        let copy = self.copy_behind(&from, &edge);
        let depth = from.depth + u64::from(edge.n_moves);
        let arrived = self.explored.arrive(&self.buffer.state, edge.hash, edge.hidden, depth, self.control);
        let Some((visited, index)) = arrived else { return };
        if visited == Visited::New {
            self.new_state();
        }
        if self.control.is_over() {
            return;
        }
        let node = Node { index, copy };
        match self.colours.get(index, copy) {
            Colour::White => self.enter_outer(node, depth),
            Colour::Cyan if from.is_seed() => self.report(from.node(), node),
            Colour::Cyan if copy == 0 && self.colours.is_accepting(index) => self.report(node, node),
            Colour::Cyan | Colour::Blue | Colour::Red => {}
        }
    }

    fn new_state(&mut self) {
        if self.colours.push().is_err() {
            self.out_of_memory();
        }
    }

    fn paint(&mut self, node: Node, colour: Colour) {
        if self.colours.set(node.index, node.copy, colour).is_err() {
            self.out_of_memory();
        }
    }

    fn enter_outer(&mut self, node: Node, depth: u64) {
        self.paint(node, Colour::Cyan);
        self.enter(node, depth, NestedPass::Outer);
        if let Some(frame) = self.outer.frames.last()
            && frame.accepting
        {
            self.colours.set_accepting(node.index);
        }
        for position in 0..self.outer.edges.found.len() {
            let found = self.outer.edges.found[position];
            if self.control.is_over() {
                return;
            }
            self.meet(node.index, found);
        }
    }

    /// Pushes a node onto one of the paths and computes its successors.
    fn enter(&mut self, node: Node, depth: u64, which: NestedPass) {
        let beside = || self.outer.memory_bytes() + self.inner.memory_bytes() + self.colours.memory_bytes();
        let mut pulse = self.explored.enter(beside, self.control);
        let stack = match which {
            NestedPass::Outer => &mut self.outer,
            NestedPass::Inner => &mut self.inner,
        };
        self.explored.read(node.index, &mut self.buffer);
        let begin = stack.edges.extent();
        let decided = match self.leaves_out {
            LivenessProviso::Nothing => Some(Take::All),
            LivenessProviso::NoStepToPath | LivenessProviso::Static => self.colours.taken(node.index),
        };
        let take = decided.unwrap_or(Take::IfItPays);
        let mut outlook = self.product.expand(&self.buffer, take, &mut stack.edges, &mut pulse);
        if decided.is_none() {
            let (store, colours) = (&self.explored.store, &self.colours);
            let is_on_path = |index| colours.is_on_path(index);
            if outlook.is_reduced
                && self.leaves_out == LivenessProviso::NoStepToPath
                && leads_back(&stack.edges, begin, store, is_on_path, &mut self.buffer.state)
            {
                stack.edges.truncate(begin);
                self.product.note_rejection();
                self.explored.read(node.index, &mut self.buffer);
                outlook = self.product.expand(&self.buffer, Take::All, &mut stack.edges, &mut pulse);
            }
            self.colours.set_taken(node.index, if outlook.is_reduced { Take::Chosen } else { Take::All });
        }
        if stack.edges.is_full() || reserve(&mut stack.frames) == Err(OutOfMemory) {
            self.out_of_memory();
            return;
        }
        let cursor = stack.edges.first(begin);
        stack.frames.push(Frame::new(node.index, depth, outlook.is_accepting, node.copy, begin, cursor));
        stack.edges.for_each_hash(begin, |hash| self.explored.store.prefetch(hash));
    }

    #[cold]
    fn meet(&mut self, index: usize, found: Found) {
        let (product, explored, observer) = (&mut *self.product, &self.explored, self.observer);
        self.control.meet(found, || Lasso::new(product, observer, explored).run_to_violation(index, found));
    }

    fn leave_outer(&mut self, frame: Frame) {
        let node = frame.node();
        let colour = if frame.is_seed() {
            self.search_inner(frame);
            Colour::Red
        } else {
            Colour::Blue
        };
        self.paint(node, colour);
        self.outer.pop();
    }

    /// Looks for a path from an accepting state, from which the outer search backtracks, back to the outer path.
    fn search_inner(&mut self, seed: Frame) {
        self.enter(seed.node(), 0, NestedPass::Inner);
        let mut rounds = Rounds::default();
        while let Some(&from) = self.inner.frames.last() {
            if self.control.is_over() {
                break;
            }
            let Some(edge) = self.inner.next(&mut self.buffer.state) else {
                self.inner.pop();
                if rounds.is_due() {
                    self.control.check_limits(0);
                }
                continue;
            };
            let copy = self.copy_behind(&from, &edge);
            // A state that is not stored was cut off by a limit.
            let Some(index) = self.explored.store.find(&self.buffer.state, edge.hash) else { continue };
            let node = Node { index, copy };
            match self.colours.get(index, copy) {
                Colour::Cyan => {
                    self.report(seed.node(), node);
                    break;
                }
                Colour::Blue => {
                    self.paint(node, Colour::Red);
                    self.enter(node, 0, NestedPass::Inner);
                }
                Colour::White | Colour::Red => {}
            }
        }
        self.inner.clear();
    }

    /// There is a cycle through `seed`: along the outer path from `closing` on, then along the inner one.
    #[cold]
    fn report(&mut self, seed: Node, closing: Node) {
        let (product, explored, outer, inner) = (&mut *self.product, &self.explored, &self.outer, &self.inner);
        let observer = self.observer;
        self.control.meet(observer.cycle(), || {
            let cycle = states_on_cycle(outer, inner, closing);
            // Without fairness the shortest path back is enough, through whatever states.
            let is_inside = |index| !observer.is_fair || cycle.binary_search(&index).is_ok();
            Lasso::new(product, observer, explored).run_into_component(seed.index, is_inside)
        });
    }

    #[cold]
    fn out_of_memory(&mut self) {
        self.control.out_of_memory(self.explored.memory_bytes() + self.outer.memory_bytes());
    }
}

/// The states from `closing` to the end of the outer path and on the inner one, which are strongly connected.
fn states_on_cycle<P: Packed>(outer: &Stack<P>, inner: &Stack<P>, closing: Node) -> Vec<usize> {
    let start = outer.frames.iter().position(|frame| frame.node() == closing).unwrap_or(0);
    let frames = outer.frames[start..].iter().chain(&inner.frames);
    let mut states: Vec<usize> = frames.map(Frame::index).collect();
    sort_numbers(&mut states);
    states.dedup();
    states
}

/// The search of a nested depth-first search that is meant (Courcoubetis, Vardi, Wolper, Yannakakis 1992): the inner one
/// looks for a cycle through a state that the outer one leaves.
#[derive(Clone, Copy)]
pub(super) enum NestedPass {
    Outer,
    Inner,
}
