//! A worker: a nested depth-first search of its own, which uses the colours that the other workers set.

use super::shared::{Discovery, SharedProduct, VisitOutcome};
use crate::backoff::Backoff;
use crate::limits::Stop;
use crate::lock::Held;
use crate::memory::{OutOfMemory, reserve};
use crate::pack::{Packed, SEED, mix};
use crate::search::nested::NestedPass;
use crate::search::stack::{Frame, Stack};
use crate::system::{Edge, Product, ProductState, Pulse, Successors, Take};
use std::sync::atomic::Ordering;

/// Entered states between two progress reports of the thread.
const TICK: u64 = 256;

pub(super) struct Worker<'w, 's, P: Packed> {
    thread: usize,
    shared: &'w SharedProduct<P>,
    pub product: Box<Product<'s, P>>,
    outer: Stack<P>,
    inner: Stack<P>,
    /// The number of followed edges, for each state on the outer path.
    n_edges: Vec<u64>,
    /// The states that the inner search has visited, and whether they are accepting.
    seen: Vec<(u32, bool)>,
    buffer: ProductState<P>,
    /// Selects the first successor of a state to visit; the first thread begins with the first one.
    toss: Option<Toss>,
    n_entered: u64,
    depth: u64,
}

impl<'w, 's, P: Packed> Worker<'w, 's, P> {
    pub fn new(thread: usize, shared: &'w SharedProduct<P>, product: Box<Product<'s, P>>) -> Worker<'w, 's, P> {
        Worker {
            thread,
            shared,
            product,
            outer: Stack::new(false),
            inner: Stack::new(false),
            n_edges: Vec::new(),
            seen: Vec::new(),
            buffer: ProductState::default(),
            toss: (thread > 0).then_some(Toss(thread as u64)),
            n_entered: 0,
            depth: 0,
        }
    }

    /// Runs until all reachable states are blue, or a thread has ended the search.
    pub fn run(&mut self) {
        let initial = self.shared.initial_number();
        self.shared.enter_initial(self.thread);
        self.shared.read_state(initial, &mut self.buffer);
        self.enter_outer(initial, 0);
        while let Some(&from) = self.outer.frames.last() {
            if self.shared.is_over() {
                break;
            }
            match self.outer.next(&mut self.buffer.state) {
                Some(edge) => self.follow_outer(from, edge),
                None => self.leave_outer(from),
            }
        }
        self.shared.depth.fetch_max(self.depth, Ordering::Relaxed);
    }

    #[inline]
    fn follow_outer(&mut self, from: Frame, edge: Edge) {
        let depth = from.depth + u64::from(edge.n_moves);
        if depth > self.shared.max_depth {
            self.shared.was_cut.store(true, Ordering::Relaxed);
            return;
        }
        let arrival = self.shared.arrive(self.thread, &self.buffer.state, edge.hash, edge.hidden);
        let Some(arrival) = arrival else { return };
        if let Some(n_edges) = self.n_edges.last_mut() {
            *n_edges += 1;
        }
        match arrival {
            VisitOutcome::Entered(number, hidden) => {
                self.buffer.hidden = hidden;
                self.enter_outer(number, depth);
            }
            VisitOutcome::OnPath(..) if from.accepting => self.report(from.index() as u32),
            VisitOutcome::OnPath(number, true) => self.report(number),
            VisitOutcome::OnPath(_, false) | VisitOutcome::Done => {}
        }
    }

    /// The state is in the buffer.
    fn enter_outer(&mut self, number: u32, depth: u64) {
        self.depth = self.depth.max(depth);
        if reserve(&mut self.n_edges) == Err(OutOfMemory) {
            self.out_of_memory();
            return;
        }
        self.n_edges.push(0);
        if !self.enter(number, depth, NestedPass::Outer) {
            return;
        }
        if let Some(frame) = self.outer.frames.last()
            && frame.accepting
        {
            self.shared.set_accepting(number);
        }
        if let Some(&found) = self.outer.edges.found.first() {
            self.shared.end(Some(Discovery::Wrong(number, found)), None);
        }
    }

    /// Pushes the state in the buffer onto one of the paths and computes its successors. Returns whether there was
    /// memory for that.
    fn enter(&mut self, number: u32, depth: u64, which: NestedPass) -> bool {
        if cfg!(test) {
            // In tests: varies the interleaving of the threads.
            std::thread::yield_now();
        }
        self.n_entered += 1;
        if self.n_entered.is_multiple_of(TICK) {
            self.tell();
        }
        let stack = match which {
            NestedPass::Outer => &mut self.outer,
            NestedPass::Inner => &mut self.inner,
        };
        let begin = stack.edges.extent();
        // The ample set depends on the state alone, so that all searches explore the same graph.
        let outlook = self.product.expand(&self.buffer, Take::Chosen, &mut stack.edges, &mut EndPulse(self.shared));
        if stack.edges.is_full() || reserve(&mut stack.frames) == Err(OutOfMemory) {
            self.out_of_memory();
            return false;
        }
        if let Some(toss) = &mut self.toss {
            stack.edges.turn(begin, |n| toss.below(n));
        }
        let cursor = stack.edges.first(begin);
        stack.frames.push(Frame::new(number as usize, depth, outlook.is_accepting, 0, begin, cursor));
        true
    }

    fn tell(&self) {
        let lists = self.seen.capacity() * size_of::<(u32, bool)>() + self.n_edges.capacity() * size_of::<u64>();
        let paths = self.outer.memory_bytes() + self.inner.memory_bytes();
        self.shared.set_memory(self.thread, paths + lists as u64);
        self.shared.depth.fetch_max(self.depth, Ordering::Relaxed);
    }

    fn leave_outer(&mut self, frame: Frame) {
        let number = frame.index() as u32;
        let n_edges = self.n_edges.pop().unwrap_or(0);
        let (is_first, is_red) = self.shared.finish(number);
        // Other threads may have expanded the state, too; its edges count once.
        if is_first {
            self.shared.transitions.fetch_add(n_edges, Ordering::Relaxed);
        }
        if frame.accepting && !is_red {
            self.search_inner(number);
        }
        self.shared.leave(self.thread, number);
        self.outer.pop();
    }

    /// Looks for a path from an accepting state, from which the outer search backtracks, back to the outer path.
    fn search_inner(&mut self, seed: u32) {
        self.seen.clear();
        self.shared.begin_inner(self.thread, seed);
        self.shared.read_state(seed, &mut self.buffer);
        self.enter_inner(seed);
        while !self.inner.frames.is_empty() && !self.shared.is_over() {
            let Some(edge) = self.inner.next(&mut self.buffer.state) else {
                self.inner.pop();
                continue;
            };
            match self.shared.arrive_inner(self.thread, &self.buffer.state, edge.hash) {
                Some(VisitOutcome::OnPath(..)) => self.report(seed),
                Some(VisitOutcome::Entered(number, hidden)) => {
                    self.buffer.hidden = hidden;
                    self.enter_inner(number);
                }
                Some(VisitOutcome::Done) | None => {}
            }
        }
        self.inner.clear();
        self.await_others(seed);
        for (number, _) in &self.seen {
            if self.shared.is_over() {
                return;
            }
            self.shared.set_red(self.thread, *number);
        }
    }

    /// The state is in the buffer.
    fn enter_inner(&mut self, number: u32) {
        if self.enter(number, 0, NestedPass::Inner)
            && let Some(frame) = self.inner.frames.last()
        {
            self.seen.push((number, frame.accepting));
        }
    }

    /// Another accepting state that the inner search visited belongs to a thread that has not backtracked from it yet,
    /// or is just searching from it. Its result must be known before the visited states become red.
    fn await_others(&self, seed: u32) {
        Held::assert_nothing();
        for &(number, accepting) in &self.seen {
            let mut backoff = Backoff::default();
            while accepting && number != seed && !self.shared.is_red(number) && !self.shared.is_over() {
                backoff.wait();
            }
        }
    }

    /// There is a cycle through `seed`.
    #[cold]
    fn report(&self, seed: u32) {
        self.shared.end(Some(Discovery::Cycle(seed)), None);
    }

    #[cold]
    fn out_of_memory(&self) {
        self.shared.end(None, Some(Stop::Memory(self.shared.memory_bytes())));
    }
}

/// Pseudo-random numbers, always the same for a thread.
struct Toss(u64);

impl Toss {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(SEED);
        (((mix(self.0, SEED.rotate_left(32)) >> 32) * u64::from(n)) >> 32) as u32
    }
}

/// Ends a long expansion when the search is over.
struct EndPulse<'w, P: Packed>(&'w SharedProduct<P>);

impl<P: Packed> Pulse<P> for EndPulse<'_, P> {
    fn beat(&mut self, _: &mut Successors<P>) -> bool {
        self.0.is_over()
    }
}
