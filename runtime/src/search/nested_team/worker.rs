//! What one thread does: a nested search of its own, that believes what others have found out.

use super::shared::{ACCEPTING, BLUE, RED, Shared, Sighting};
use crate::pack::{OutOfMemory, Packed, SEED, mix};
use crate::search::patience::Patience;
use crate::search::stack::{Frame, Stack};
use crate::system::{Edge, Joint, Product, Pulse, Successors, Take, reserve};
use crate::verdict::Stop;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::Ordering;

/// Entered states between two reports of how far the thread is.
const TICK: u64 = 256;

pub(super) struct Worker<'w, 's, P: Packed> {
    thread: usize,
    shared: &'w Shared<P>,
    pub product: Box<dyn Product<P> + 's>,
    outer: Stack<P>,
    inner: Stack<P>,
    /// How many edges were followed, for each state on the outer path.
    n_edges: Vec<u64>,
    /// The states on the outer path.
    cyan: Numbers,
    /// The states that the inner search has visited, and whether they are accepting.
    pink: Numbers,
    pink_list: Vec<(u32, bool)>,
    buffer: Joint<P>,
    /// Where to begin among what a state leads to; the first thread begins at the beginning.
    toss: Option<Toss>,
    n_entered: u64,
    depth: u64,
}

impl<'w, 's, P: Packed> Worker<'w, 's, P> {
    pub fn new(thread: usize, shared: &'w Shared<P>, product: Box<dyn Product<P> + 's>) -> Worker<'w, 's, P> {
        Worker {
            thread,
            shared,
            product,
            outer: Stack::new(false),
            inner: Stack::new(false),
            n_edges: Vec::new(),
            cyan: Numbers::default(),
            pink: Numbers::default(),
            pink_list: Vec::new(),
            buffer: Joint::default(),
            toss: (thread > 0).then_some(Toss(thread as u64)),
            n_entered: 0,
            depth: 0,
        }
    }

    /// Until everything is done that can be reached, or somebody has ended the search.
    pub fn run(&mut self) {
        self.enter_outer(self.shared.initial_number(), 0);
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
        let Some(met) = self.shared.arrive(&self.buffer.state, edge.hash, edge.hidden) else { return };
        if let Some(n_edges) = self.n_edges.last_mut() {
            *n_edges += 1;
        }
        if met.flags & BLUE != 0 {
            return;
        }
        if !self.cyan.contains(&met.number) {
            self.enter_outer(met.number, depth);
        } else if from.accepting {
            self.report(from.index() as u32);
        } else if met.flags & ACCEPTING != 0 {
            self.report(met.number);
        }
    }

    fn enter_outer(&mut self, number: u32, depth: u64) {
        self.cyan.insert(number);
        self.depth = self.depth.max(depth);
        if reserve(&mut self.n_edges) == Err(OutOfMemory) {
            self.out_of_memory();
            return;
        }
        self.n_edges.push(0);
        if !self.enter(number, depth, Search::Outer) {
            return;
        }
        if let Some(frame) = self.outer.frames.last()
            && frame.accepting
        {
            self.shared.mark(number, ACCEPTING);
        }
        if let Some(&found) = self.outer.fan.found.first() {
            self.shared.end(Some(Sighting::Wrong(number, found)), None);
        }
    }

    /// Puts a state on one of the paths and computes what it leads to. Returns whether there was room for that.
    fn enter(&mut self, number: u32, depth: u64, which: Search) -> bool {
        if cfg!(test) {
            // So that threads meet in all sorts of ways.
            std::thread::yield_now();
        }
        self.n_entered += 1;
        if self.n_entered.is_multiple_of(TICK) {
            self.tell();
        }
        let stack = match which {
            Search::Outer => &mut self.outer,
            Search::Inner => &mut self.inner,
        };
        self.shared.read_state(number, &mut self.buffer);
        let begin = stack.fan.extent();
        // What is chosen depends on the state alone, so that all searches walk through the same graph.
        let outlook = self.product.expand(&self.buffer, Take::Chosen, &mut stack.fan, &mut EndPulse(self.shared));
        if stack.fan.is_full() || reserve(&mut stack.frames) == Err(OutOfMemory) {
            self.out_of_memory();
            return false;
        }
        if let Some(toss) = &mut self.toss {
            stack.fan.turn(begin, |n| toss.below(n));
        }
        let cursor = stack.fan.first(begin);
        stack.frames.push(Frame::new(number as usize, depth, outlook.is_accepting, 0, begin, cursor));
        true
    }

    fn tell(&self) {
        let numbers = (self.cyan.capacity() + self.pink.capacity()) * size_of::<u64>();
        let lists = self.pink_list.capacity() * size_of::<(u32, bool)>() + self.n_edges.capacity() * size_of::<u64>();
        let paths = self.outer.memory_bytes() + self.inner.memory_bytes();
        self.shared.set_memory(self.thread, paths + (numbers + lists) as u64);
        self.shared.depth.fetch_max(self.depth, Ordering::Relaxed);
    }

    fn leave_outer(&mut self, frame: Frame) {
        let number = frame.index() as u32;
        let n_edges = self.n_edges.pop().unwrap_or(0);
        let before = self.shared.mark(number, BLUE);
        // Others may have been here, too; the edges count once.
        if before & BLUE == 0 {
            self.shared.transitions.fetch_add(n_edges, Ordering::Relaxed);
        }
        if frame.accepting && before & RED == 0 {
            self.search_inner(number);
        }
        self.cyan.remove(&number);
        self.outer.pop();
    }

    /// Looks for a way from an accepting state, which is left by the outer search, back to the path.
    fn search_inner(&mut self, seed: u32) {
        self.pink.clear();
        self.pink_list.clear();
        self.pink.insert(seed);
        self.enter_inner(seed);
        while !self.inner.frames.is_empty() {
            if self.shared.is_over() {
                break;
            }
            let Some(edge) = self.inner.next(&mut self.buffer.state) else {
                self.inner.pop();
                continue;
            };
            // A state that is not there was cut off by a limit.
            let Some(met) = self.shared.look_up(&self.buffer.state, edge.hash) else { continue };
            if self.cyan.contains(&met.number) {
                self.report(seed);
            } else if met.flags & RED == 0 && self.pink.insert(met.number) {
                self.enter_inner(met.number);
            }
        }
        self.inner.clear();
        self.await_others(seed);
        for (number, _) in &self.pink_list {
            if self.shared.is_over() {
                return;
            }
            self.shared.mark(*number, RED);
        }
    }

    fn enter_inner(&mut self, number: u32) {
        if self.enter(number, 0, Search::Inner)
            && let Some(frame) = self.inner.frames.last()
        {
            self.pink_list.push((number, frame.accepting));
        }
    }

    /// Another accepting state that was visited is the business of another thread, which has not left it yet, or is just
    /// searching from it. What it finds must be known before others believe that nothing is behind it.
    fn await_others(&self, seed: u32) {
        for &(number, accepting) in &self.pink_list {
            let mut patience = Patience::default();
            while accepting && number != seed && self.shared.flags(number) & RED == 0 && !self.shared.is_over() {
                patience.wait();
            }
        }
    }

    /// There is a cycle through `seed`.
    #[cold]
    fn report(&self, seed: u32) {
        self.shared.end(Some(Sighting::Cycle(seed)), None);
    }

    #[cold]
    fn out_of_memory(&self) {
        self.shared.end(None, Some(Stop::Memory(self.shared.memory_bytes())));
    }
}

#[derive(Clone, Copy)]
enum Search {
    Outer,
    Inner,
}

/// Numbers that look random, always the same for a thread.
struct Toss(u64);

impl Toss {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(SEED);
        ((mix(self.0, SEED.rotate_left(32)) >> 32) * u64::from(n) >> 32) as u32
    }
}

/// Ends an expansion that does not end soon, when the search is over.
struct EndPulse<'w, P: Packed>(&'w Shared<P>);

impl<P: Packed> Pulse<P> for EndPulse<'_, P> {
    fn beat(&mut self, _: &mut Successors<P>) -> bool {
        self.0.is_over()
    }
}

/// Numbers of states.
type Numbers = HashSet<u32, BuildHasherDefault<Spread>>;

/// Numbers that follow each other are spread over the table.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
