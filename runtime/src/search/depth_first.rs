//! Depth-first search in Spin's order: the youngest process first, options top down.
//!
//! The stack is our own and grows as needed. When a state is entered all its successors are computed and their places
//! in the table fetched from memory; they wait, packed, until the search comes back for them.

use super::Counts;
use super::control::{Control, LimitPulse, Progress};
use crate::bits::BitSet;
use crate::pack::{OutOfMemory, Packed};
use crate::store::{StateStore, Visited};
use crate::system::{Choosing, Hidden, Mark, Point, Successors, System, Systems, reserve};
use crate::verdict::{Found, ViolationKind};

/// Entered states between two looks at the clock.
const TICK: u64 = 512;

struct DepthFirst<'c, 'a, P: Packed, S> {
    control: &'c mut Control<'a>,
    store: S,
    choosing: Option<Choosing>,
    /// By the number of a state whether it is on the path; kept only for the reduction.
    on_path: BitSet,
    /// The states on the path, each with its successors in `waiting`.
    frames: Vec<Frame>,
    /// What the states on the path lead to, those of the last one at the end.
    waiting: Successors<P>,
    transitions: u64,
    depth: u64,
    state_bytes: usize,
    packed: P,
}

struct Frame {
    /// The number of the state in the store.
    index: usize,
    /// Steps from the initial state, inside atomic too.
    depth: u64,
    hidden: Hidden,
    /// Where its successors begin in `waiting`, and the next ones to look at.
    begin: Mark,
    next: Mark,
}

pub(crate) fn search<P: Packed, S: StateStore<P>>(
    systems: &dyn Systems<P>,
    choosing: Option<Choosing>,
    control: &mut Control<'_>,
) -> Counts {
    let mut system = systems.system(control.wants, choosing);
    let mut search = DepthFirst::<P, S> {
        control,
        store: S::default(),
        choosing,
        on_path: BitSet::default(),
        frames: Vec::new(),
        waiting: Successors::new(),
        transitions: 0,
        depth: 0,
        state_bytes: 0,
        packed: P::default(),
    };
    match system.initial(&mut search.packed) {
        Ok(hidden) => search.run(hidden, &mut *system),
        Err(fault) => {
            let found = Found::state(ViolationKind::Fault(fault));
            search.control.meet(found, Vec::new);
        }
    }
    Counts {
        states_stored: search.store.n_states() as u64,
        transitions: search.transitions,
        depth: search.depth,
        state_bytes: search.state_bytes as u64,
        memory_bytes: search.memory_bytes(),
        tally: system.tally(),
    }
}

impl<P: Packed, S: StateStore<P>> DepthFirst<'_, '_, P, S> {
    /// From the initial state, which is in `self.packed`.
    fn run(&mut self, hidden: Hidden, system: &mut dyn System<P>) {
        self.tick();
        self.arrive(self.packed.hash(), 0, hidden, system);
        while let Some(frame) = self.frames.last_mut() {
            if self.control.is_over() {
                return;
            }
            // Violations come in their places among the arrivals.
            if let Some(met) = self.waiting.found.get(frame.next.found)
                && met.n_arrivals <= frame.next.arrivals
            {
                let found = met.found;
                frame.next.found += 1;
                self.meet(found, system);
                continue;
            }
            let position = frame.next.arrivals;
            let Some(&arrival) = self.waiting.arrivals.get(position) else {
                self.waiting.truncate(frame.begin);
                if self.choosing.is_some() {
                    self.on_path.remove(frame.index);
                }
                self.frames.pop();
                continue;
            };
            frame.next.arrivals += 1;
            let depth = frame.depth + u64::from(arrival.n_steps);
            self.waiting.read(position, &mut self.packed);
            if (Mark { arrivals: position + 1, ..frame.next }) == self.waiting.mark() {
                // Its last successor: the room is free for those that come behind it.
                self.waiting.truncate(frame.begin);
                frame.next = Mark { arrivals: usize::MAX, found: usize::MAX };
            }
            self.arrive(arrival.hash, depth, arrival.hidden, system);
        }
    }

    /// Looks whether the state in `self.packed` is new, and enters it if so.
    #[inline]
    fn arrive(&mut self, hash: u64, depth: u64, hidden: Hidden, system: &mut dyn System<P>) {
        if depth > self.control.max_depth {
            self.control.cut();
            return;
        }
        if self.store.n_states() as u64 >= self.control.max_states && self.store.find(&self.packed, hash).is_none() {
            self.control.too_many_states();
            return;
        }
        match self.store.insert(&self.packed, hash) {
            Ok((Visited::Seen, _)) => self.transitions += 1,
            Ok((Visited::New, index)) => {
                self.transitions += 1;
                self.state_bytes = self.state_bytes.max(self.packed.n_bytes());
                self.depth = self.depth.max(depth);
                if (index as u64).is_multiple_of(TICK) {
                    self.tick();
                }
                self.enter(index, depth, hidden, system);
            }
            Err(OutOfMemory) => self.out_of_memory(),
        }
    }

    /// Puts the state in `self.packed`, which is new, on the path and computes its successors.
    fn enter(&mut self, index: usize, depth: u64, hidden: Hidden, system: &mut dyn System<P>) {
        if reserve(&mut self.frames).is_err() || self.choosing.is_some() && self.on_path.insert(index).is_err() {
            self.out_of_memory();
            return;
        }
        let begin = self.waiting.mark();
        self.frames.push(Frame { index, depth, hidden, begin, next: begin });
        let memory_beside = self.store.memory_bytes();
        let mut n_rejected = 0;
        loop {
            let mut pulse = LimitPulse { control: &mut *self.control, memory_beside };
            let expansion = system.expand(&self.packed, hidden, n_rejected, &mut self.waiting, &mut pulse);
            if self.waiting.is_full() {
                self.out_of_memory();
            }
            for arrival in &self.waiting.arrivals[begin.arrivals..] {
                self.store.prefetch(arrival.hash);
            }
            match expansion.chosen {
                Some(n_tried) if !self.accepts(begin) => n_rejected = n_tried,
                Some(_) | None => return,
            }
            self.transitions += (self.waiting.len() - begin.arrivals) as u64;
            self.waiting.truncate(begin);
        }
    }

    /// Whether the successors by some processes, which wait from `begin` on, are enough. The proviso: one of them is not
    /// on the path. Such a state is finished before this one, so going on to it again and again ends in a state of
    /// which all successors were taken. Those of a rejected choice are on the path; they were looked at, and count.
    fn accepts(&mut self, begin: Mark) -> bool {
        if self.choosing.is_some_and(|choosing| choosing.is_static()) {
            return true;
        }
        let mut packed = P::default();
        (begin.arrivals..self.waiting.len()).any(|position| {
            self.waiting.read(position, &mut packed);
            let number = self.store.find(&packed, self.waiting.arrivals[position].hash);
            number.is_none_or(|index| !self.on_path.contains(index))
        })
    }

    fn meet(&mut self, found: Found, system: &mut dyn System<P>) {
        let (store, frames) = (&self.store, &self.frames);
        self.control.meet(found, || {
            let point = |frame: &Frame| {
                let mut packed = P::default();
                store.read(frame.index, &mut packed);
                Point { packed, hidden: frame.hidden }
            };
            let path: Vec<Point<P>> = frames.iter().map(point).collect();
            system.rebuild(&path, found)
        });
    }

    fn stack_bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        self.waiting.memory_bytes() + frames as u64 + self.on_path.memory_bytes()
    }

    fn memory_bytes(&self) -> u64 {
        self.store.memory_bytes() + self.stack_bytes()
    }

    #[cold]
    fn out_of_memory(&mut self) {
        let in_use = self.memory_bytes();
        self.control.out_of_memory(in_use);
    }

    #[cold]
    fn tick(&mut self) {
        self.store.set_memory_limit(self.control.memory_limit().saturating_sub(self.stack_bytes()));
        self.control.tick(Progress {
            states_stored: self.store.n_states() as u64,
            transitions: self.transitions,
            depth: self.depth,
            memory_bytes: self.memory_bytes(),
            ..Progress::default()
        });
    }
}
