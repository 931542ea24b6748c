//! Nested depth-first search: for one set of accepting states, with two bits a state.
//!
//! The outer search visits every state. When it leaves an accepting one, which happens in post-order, the inner search
//! starts there and looks for a way back: to that state, or to any other on the path of the outer search, since from
//! there the path leads on to it. What an inner search has seen no later one needs to see again, because of that
//! order. A cycle that the outer search closes by itself through an accepting state is reported at once.
//!
//! Weak fairness multiplies the states: in copy 0 an accepting state is waited for, in copy i the i-th process, until
//! it has moved, could not move, or did not exist. A cycle through copy 0 at an accepting state has served everybody.
//! Nobody is served but on an edge, so that a state without any has no cycle, and one that stutters has.

use super::Searched;
use super::colours::{Colour, Colours};
use super::control::Control;
use super::explored::Explored;
use super::fan::{Edge, Frame, Stack, reserve};
use super::lasso::Lasso;
use super::product::Product;
use crate::model::Model;
use crate::options::Liveness;
use crate::pack::{Keyed, OutOfMemory, Packed};
use crate::step::Pid;
use crate::store::{StateStore, Visited};

struct Nested<'c, 'a, 'm, M: Model, S> {
    product: Product<'m, M>,
    control: &'c mut Control<'a>,
    explored: Explored<M, S>,
    colours: Colours,
    outer: Stack<M>,
    inner: Stack<M>,
    buffer: Keyed<M::Packed>,
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

pub(crate) fn search<M: Model, S: StateStore<Keyed<M::Packed>>>(
    product: Product<'_, M>,
    initial: &M::State,
    control: &mut Control<'_>,
) -> Searched {
    let colours = Colours::new(product.is_fair());
    let mut search = Nested::<M, S> {
        product,
        control,
        explored: Explored::new(),
        colours,
        outer: Stack::default(),
        inner: Stack::default(),
        buffer: Keyed::default(),
    };
    search.run(initial);
    search.explored.finish(Liveness::Nested.name(), search.product)
}

/// Which copy an edge leads to, out of copy `copy` of a state.
#[inline]
fn advance<H>(copy: u8, accepting: bool, edge: &Edge<H>) -> u8 {
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

impl<M: Model, S: StateStore<Keyed<M::Packed>>> Nested<'_, '_, '_, M, S> {
    fn run(&mut self, initial: &M::State) {
        self.product.model.pack(initial, &mut self.buffer.packed);
        self.buffer.key = 0;
        let hidden = self.product.model.hidden(initial);
        let hash = self.buffer.hash();
        if let Some((_, index)) = self.explored.arrive(&self.buffer, hash, hidden, 0, self.control) {
            self.new_state();
            self.enter_outer(Node { index, copy: 0 }, 0);
        }
        while let Some(&from) = self.outer.frames.last() {
            if self.control.is_over() {
                return;
            }
            match self.outer.next(&mut self.buffer) {
                Some(edge) => self.follow_outer(from, edge),
                None => self.leave_outer(from),
            }
        }
    }

    /// The copy that an edge leads to.
    #[inline]
    fn copy_behind(&self, from: &Frame, edge: &Edge<M::Hidden>) -> u8 {
        if self.product.is_fair() { advance(from.copy, from.accepting, edge) } else { 0 }
    }

    #[inline]
    fn follow_outer(&mut self, from: Frame, edge: Edge<M::Hidden>) {
        let copy = self.copy_behind(&from, &edge);
        let depth = from.depth + u64::from(edge.n_moves);
        let arrived = self.explored.arrive(&self.buffer, edge.hash, edge.hidden, depth, self.control);
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
        self.enter(node, depth, Search::Outer);
        if let Some(frame) = self.outer.frames.last()
            && frame.accepting
        {
            self.colours.set_accepting(node.index);
        }
        for position in 0..self.product.found.len() {
            let found = self.product.found[position];
            if self.control.is_over() {
                return;
            }
            let (product, explored) = (&mut self.product, &self.explored);
            self.control.meet(found, || Lasso::new(product, explored).run_to_violation(node.index, found));
        }
    }

    /// Puts a node on one of the paths and computes what it leads to.
    fn enter(&mut self, node: Node, depth: u64, which: Search) {
        let beside = || self.outer.memory_bytes() + self.inner.memory_bytes() + self.colours.memory_bytes();
        self.explored.entered(&mut self.product, beside, self.control);
        let stack = match which {
            Search::Outer => &mut self.outer,
            Search::Inner => &mut self.inner,
        };
        let model = self.product.model;
        let joint = self.explored.joint(model, node.index, &mut self.buffer);
        let accepting = self.product.is_accepting(&joint.state, joint.at);
        let begin = stack.fan.extent();
        self.product.expand(&joint.state, joint.at, &mut stack.fan, self.control);
        if let Err(OutOfMemory) = reserve(&mut stack.frames) {
            self.out_of_memory();
            return;
        }
        let cursor = stack.fan.first(begin);
        stack.frames.push(Frame::new(node.index, depth, accepting, node.copy, begin, cursor));
        stack.fan.for_each_hash(begin, |hash| self.explored.store.prefetch(hash));
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

    /// Looks for a way from an accepting state, which is left by the outer search, back to the path.
    fn search_inner(&mut self, seed: Frame) {
        self.enter(seed.node(), 0, Search::Inner);
        while let Some(&from) = self.inner.frames.last() {
            if self.control.is_over() {
                break;
            }
            let Some(edge) = self.inner.next(&mut self.buffer) else {
                self.inner.pop();
                continue;
            };
            let copy = self.copy_behind(&from, &edge);
            // A state that is not there was cut off by a limit.
            let Some(index) = self.explored.store.find(&self.buffer, edge.hash) else { continue };
            let node = Node { index, copy };
            match self.colours.get(index, copy) {
                Colour::Cyan => {
                    self.report(seed.node(), node);
                    break;
                }
                Colour::Blue => {
                    self.paint(node, Colour::Red);
                    self.enter(node, 0, Search::Inner);
                }
                Colour::White | Colour::Red => {}
            }
        }
        self.inner.clear();
    }

    /// There is a cycle through `seed`: along the outer path from `closing` on, then along the inner one.
    #[cold]
    fn report(&mut self, seed: Node, closing: Node) {
        let (found, fair) = (self.product.cycle(), self.product.is_fair());
        let (product, explored, outer, inner) = (&mut self.product, &self.explored, &self.outer, &self.inner);
        self.control.meet(found, || {
            let cycle = states_on_cycle(outer, inner, closing);
            // Without fairness the nearest way back will do, through whatever states.
            let is_inside = |index| !fair || cycle.binary_search(&index).is_ok();
            Lasso::new(product, explored).run_into_component(seed.index, is_inside)
        });
    }

    #[cold]
    fn out_of_memory(&mut self) {
        self.control.out_of_memory(self.explored.memory_bytes() + self.outer.memory_bytes());
    }
}

/// The states from `closing` to the end of the outer path and on the inner one, which are strongly connected.
fn states_on_cycle<M: Model>(outer: &Stack<M>, inner: &Stack<M>, closing: Node) -> Vec<usize> {
    let start = outer.frames.iter().position(|frame| frame.node() == closing).unwrap_or(0);
    let frames = outer.frames[start..].iter().chain(&inner.frames);
    let mut states: Vec<usize> = frames.map(Frame::index).collect();
    states.sort_unstable();
    states.dedup();
    states
}

#[derive(Clone, Copy)]
enum Search {
    Outer,
    Inner,
}
