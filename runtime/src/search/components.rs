//! Search for strongly connected components with all marks (Couvreur, 1999): any number of acceptance sets in one pass.
//!
//! Each edge carries marks: one if the state that it leaves is accepting, and one for each process that the edge serves; if
//! time has to pass it is one of them ([`Pid::TIME`](crate::step::Pid::TIME)), which ticks serve and the ends of runs. A
//! component that has all marks contains a cycle that passes an accepting state and serves all processes. Each state is
//! visited once and not multiplied by the number of processes, so this is the search for weak fairness.
//!
//! The components on the path of the search are a stack of roots. An edge back into the path merges those that it spans; a
//! component is closed when the search backtracks from its root.
//!
//! Each state is expanded once, so its ample set need not be remembered. A reduction does not change which processes a step
//! serves: a disabled process is served whatever the ample set is.

use super::Searched;
use super::control::{Control, Rounds};
use super::explored::Explored;
use super::lasso::Lasso;
use super::liveness::Question;
use super::path_proviso::{LivenessProviso, leads_back};
use super::stack::{Frame, Stack};
use crate::bits::BitSet;
use crate::memory::{OutOfMemory, reserve};
use crate::options::Liveness;
use crate::pack::{Keyed, Packed};
use crate::search::SearchKind;
use crate::step::PidSet;
use crate::store::{StateStore, Visited};
use crate::system::{Edge, ObserverConfig, Product, ProductState, Take};

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Marks {
    accepting: bool,
    served: PidSet,
}

impl Marks {
    const ALL: Marks = Marks { accepting: true, served: PidSet::ALL };

    #[inline]
    fn union(self, other: Marks) -> Marks {
        Marks { accepting: self.accepting || other.accepting, served: self.served.union(other.served) }
    }
}

/// A component on the path.
struct Component {
    /// The order number of its first state.
    root: u32,
    /// The marks of the edge that leads to it, and of those inside it.
    entry: Marks,
    inside: Marks,
    /// Its cycle was reported.
    is_told: bool,
}

struct Components<'c, 'a, 's, P: Packed, S> {
    product: Box<Product<'s, P>>,
    observer: ObserverConfig<'s>,
    control: &'c mut Control<'a>,
    explored: Explored<P, S>,
    /// The order number of each state, from 1 on, or 0 if its component is closed.
    order: Vec<u32>,
    /// The states of open components: the one with order number i is at index i - 1.
    open: Vec<u32>,
    components: Vec<Component>,
    stack: Stack<P>,
    /// The states on the path; kept only for a reduction.
    on_path: BitSet,
    buffer: ProductState<P>,
    leaves_out: LivenessProviso,
}

pub(crate) fn search<P: Packed, S: StateStore<Keyed<P>>>(
    question: Question<'_, P>,
    control: &mut Control<'_>,
) -> Searched<'static> {
    let Question { product, observer, initial, has_hidden, leaves_out } = question;
    let mut search = Components::<P, S> {
        product,
        observer,
        control,
        explored: Explored::new(has_hidden),
        order: Vec::new(),
        open: Vec::new(),
        components: Vec::new(),
        stack: Stack::new(observer.is_fair),
        on_path: BitSet::default(),
        buffer: initial,
        leaves_out,
    };
    search.run();
    search.explored.finish(SearchKind::Cycles(Liveness::Components), search.product.tally())
}

impl<P: Packed, S: StateStore<Keyed<P>>> Components<'_, '_, '_, P, S> {
    /// From the initial state, which is in the buffer.
    fn run(&mut self) {
        let ProductState { state, hidden } = &self.buffer;
        if let Some((_, index)) = self.explored.arrive(state, state.hash(), *hidden, 0, self.control) {
            self.enter(index, Marks::default(), 0);
        }
        let mut rounds = Rounds::default();
        while let Some(&from) = self.stack.frames.last() {
            if self.control.is_over() {
                return;
            }
            match self.stack.next(&mut self.buffer.state) {
                Some(edge) => self.follow(&from, &edge),
                None => {
                    self.leave(from.index());
                    if rounds.is_due() {
                        self.control.check_limits(0);
                    }
                }
            }
        }
    }

    #[inline]
    fn follow(&mut self, from: &Frame, edge: &Edge) {
        let marks = Marks { accepting: from.accepting, served: edge.served };
        let depth = from.depth + u64::from(edge.n_moves);
        let arrived = self.explored.arrive(&self.buffer.state, edge.hash, edge.hidden, depth, self.control);
        match arrived {
            Some((Visited::New, index)) => self.enter(index, marks, depth),
            Some((Visited::Seen, index)) if self.order[index] > 0 => self.merge(marks, index),
            Some((Visited::Seen, _)) | None => {}
        }
    }

    /// Opens a component for a new state and computes its successors.
    fn enter(&mut self, index: usize, entry: Marks, depth: u64) {
        let keeps_path = self.leaves_out == LivenessProviso::NoStepToPath;
        if self.make_room().is_err() || keeps_path && self.on_path.insert(index).is_err() {
            self.control.out_of_memory(self.explored.memory_bytes() + self.beside());
            return;
        }
        let in_use = self.beside();
        let mut pulse = self.explored.enter(|| in_use, self.control);
        self.open.push(index as u32);
        self.order.push(self.open.len() as u32);
        let root = self.open.len() as u32;
        self.components.push(Component { root, entry, inside: Marks::default(), is_told: false });
        self.explored.read(index, &mut self.buffer);
        let edges = &mut self.stack.edges;
        let begin = edges.extent();
        let take = if self.leaves_out == LivenessProviso::Nothing { Take::All } else { Take::IfItPays };
        let mut outlook = self.product.expand(&self.buffer, take, edges, &mut pulse);
        edges.for_each_hash(begin, |hash| self.explored.store.prefetch(hash));
        let (store, on_path) = (&self.explored.store, &self.on_path);
        let is_on_path = |index| on_path.contains(index);
        if outlook.is_reduced
            && self.leaves_out == LivenessProviso::NoStepToPath
            && leads_back(edges, begin, store, is_on_path, &mut self.buffer.state)
        {
            edges.truncate(begin);
            self.product.note_rejection();
            self.explored.read(index, &mut self.buffer);
            outlook = self.product.expand(&self.buffer, Take::All, edges, &mut pulse);
        }
        let cursor = edges.first(begin);
        self.stack.frames.push(Frame::new(index, depth, outlook.is_accepting, 0, begin, cursor));
        if self.stack.edges.is_full() {
            self.control.out_of_memory(self.explored.memory_bytes() + self.beside());
        }
        for position in 0..self.stack.edges.found.len() {
            let found = self.stack.edges.found[position];
            if self.control.is_over() {
                return;
            }
            let (product, explored, observer) = (&mut *self.product, &self.explored, self.observer);
            self.control.meet(found, || Lasso::new(product, observer, explored).run_to_violation(index, found));
        }
    }

    fn make_room(&mut self) -> Result<(), OutOfMemory> {
        reserve(&mut self.open)?;
        reserve(&mut self.order)?;
        reserve(&mut self.components)?;
        reserve(&mut self.stack.frames)
    }

    /// An edge with `marks` leads back to an open state: merges all components from that of the state on.
    #[inline]
    fn merge(&mut self, mut marks: Marks, target: usize) {
        let order = self.order[target];
        let mut is_told = false;
        while let Some(top) = self.components.last()
            && order < top.root
        {
            marks = marks.union(top.inside).union(top.entry);
            is_told |= top.is_told;
            self.components.pop();
        }
        let Some(top) = self.components.last_mut() else { return };
        top.inside = top.inside.union(marks);
        top.is_told |= is_told;
        if top.inside == Marks::ALL && !top.is_told {
            top.is_told = true;
            let root = top.root;
            self.report(target, root);
        }
    }

    fn leave(&mut self, index: usize) {
        if let Some(top) = self.components.last()
            && top.root == self.order[index]
        {
            let begin = top.root as usize - 1;
            for &state in &self.open[begin..] {
                self.order[state as usize] = 0;
            }
            self.open.truncate(begin);
            self.components.pop();
        }
        self.on_path.remove(index);
        self.stack.pop();
    }

    /// The component from order number `root` on has all marks; `start` is in it.
    #[cold]
    fn report(&mut self, start: usize, root: u32) {
        let (product, explored, order, observer) = (&mut *self.product, &self.explored, &self.order, self.observer);
        let is_inside = |index: usize| order[index] >= root;
        self.control
            .meet(observer.cycle(), || Lasso::new(product, observer, explored).run_into_component(start, is_inside));
    }

    /// The memory that the search takes beside the states.
    fn beside(&self) -> u64 {
        let numbers = (self.open.capacity() + self.order.capacity()) * size_of::<u32>();
        let components = self.components.capacity() * size_of::<Component>();
        self.stack.memory_bytes() + self.on_path.memory_bytes() + (numbers + components) as u64
    }
}
