//! Depth-first search in Spin's order: the youngest process first, options top down.
//!
//! The stack is our own and grows as needed. When a state is entered all its successors are computed and their places
//! in the table fetched from memory; they wait, packed, until the search comes back for them.

use super::choose::Chooser;
use super::control::{Control, Progress};
use super::expand::{Expander, Sink};
use super::rebuild::{Point, rebuild};
use super::{Counts, wrong_end};
use crate::bits::BitSet;
use crate::model::Model;
use crate::pack::{OutOfMemory, Packed, Pool};
use crate::store::{StateStore, Visited};
use crate::verdict::{Found, ViolationKind};

/// Entered states between two looks at the clock.
const TICK: u64 = 512;

struct DepthFirst<'c, 'a, M: Model, S> {
    model: &'c M,
    control: &'c mut Control<'a>,
    store: S,
    chooser: Option<Chooser<'c, M>>,
    /// By the number of a state whether it is on the path; kept only for the chooser.
    on_path: BitSet,
    /// The states on the path, each with its successors in `waiting`.
    frames: Vec<Frame<M::Hidden>>,
    /// What the states on the path lead to, those of the last one at the end.
    waiting: Waiting<M>,
    transitions: u64,
    depth: u64,
    state_bytes: usize,
    packed: M::Packed,
}

struct Frame<H> {
    /// The number of the state in the store.
    index: usize,
    /// Steps from the initial state, inside atomic too.
    depth: u64,
    hidden: H,
    /// Where its successors begin in `waiting`, and the next one to look at.
    begin: usize,
    next: usize,
}

/// Arrivals and violations, in the order in which they are to be looked at. A violation has a place among the states
/// that means nothing.
struct Waiting<M: Model> {
    states: <M::Packed as Packed>::Pool,
    entries: Vec<Entry<M::Hidden>>,
}

#[derive(Clone, Copy)]
enum Entry<H> {
    Arrival { hash: u64, n_steps: u32, hidden: H },
    Violation(Found),
}

impl<M: Model> Waiting<M> {
    fn push(&mut self, state: &M::Packed, entry: Entry<M::Hidden>) -> Result<(), OutOfMemory> {
        if self.entries.len() == self.entries.capacity() {
            self.entries.try_reserve_exact(crate::pack::growth(self.entries.len()))?;
        }
        self.states.push(state)?;
        self.entries.push(entry);
        Ok(())
    }

    fn truncate(&mut self, n_entries: usize) {
        self.states.truncate(n_entries);
        self.entries.truncate(n_entries);
    }

    fn memory_bytes(&self) -> u64 {
        self.states.memory_bytes() + (self.entries.capacity() * size_of::<Entry<M::Hidden>>()) as u64
    }
}

pub(crate) fn search<M: Model, S: StateStore<M::Packed>>(
    model: &M,
    chooser: Option<Chooser<'_, M>>,
    control: &mut Control<'_>,
) -> Counts {
    let mut search = DepthFirst::<M, S> {
        model,
        control,
        store: S::default(),
        chooser,
        on_path: BitSet::default(),
        frames: Vec::new(),
        waiting: Waiting { states: <M::Packed as Packed>::Pool::default(), entries: Vec::new() },
        transitions: 0,
        depth: 0,
        state_bytes: 0,
        packed: M::Packed::default(),
    };
    let mut expander = Expander::new(model);
    match model.initial() {
        Ok(state) => search.run(&state, &mut expander),
        Err(fault) => {
            let found = Found::state(ViolationKind::Fault(fault));
            search.control.meet(found, Vec::new);
        }
    }
    Counts {
        states_stored: search.store.n_states() as u64,
        transitions: search.transitions,
        atomic_steps: expander.atomic_steps,
        depth: search.depth,
        state_bytes: search.state_bytes as u64,
        memory_bytes: search.memory_bytes(),
        reached: expander.reached,
        atomic_cycle: expander.atomic_cycle,
    }
}

impl<M: Model, S: StateStore<M::Packed>> DepthFirst<'_, '_, M, S> {
    fn run(&mut self, initial: &M::State, expander: &mut Expander<'_, M>) {
        self.tick();
        self.model.pack(initial, &mut self.packed);
        let (hash, hidden) = (self.packed.hash(), self.model.hidden(initial));
        self.arrive(hash, 0, hidden, expander);
        while let Some(frame) = self.frames.last_mut() {
            if self.control.is_over() {
                return;
            }
            let Some(&entry) = self.waiting.entries.get(frame.next) else {
                self.waiting.truncate(frame.begin);
                if self.chooser.is_some() {
                    self.on_path.remove(frame.index);
                }
                self.frames.pop();
                continue;
            };
            let position = frame.next;
            frame.next += 1;
            match entry {
                Entry::Violation(found) => self.meet(found),
                Entry::Arrival { hash, n_steps, hidden } => {
                    let depth = frame.depth + u64::from(n_steps);
                    self.waiting.states.read(position, &mut self.packed);
                    if position + 1 == self.waiting.entries.len() {
                        // Its last successor: the room is free for those that come behind it.
                        self.waiting.truncate(frame.begin);
                    }
                    self.arrive(hash, depth, hidden, expander);
                }
            }
        }
    }

    /// Looks whether the state in `self.packed` is new, and enters it if so.
    #[inline]
    fn arrive(&mut self, hash: u64, depth: u64, hidden: M::Hidden, expander: &mut Expander<'_, M>) {
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
                self.enter(index, depth, hidden, expander);
            }
            Err(OutOfMemory) => self.out_of_memory(),
        }
    }

    /// Puts the state in `self.packed`, which is new, on the path and computes its successors.
    fn enter(&mut self, index: usize, depth: u64, hidden: M::Hidden, expander: &mut Expander<'_, M>) {
        if self.frames.len() == self.frames.capacity()
            && self.frames.try_reserve_exact(crate::pack::growth(self.frames.len())).is_err()
        {
            self.out_of_memory();
            return;
        }
        let begin = self.waiting.entries.len();
        self.frames.push(Frame { index, depth, hidden, begin, next: begin });
        let mut state = self.model.unpack(&self.packed);
        self.model.set_hidden(&mut state, hidden);
        if let Some(mut chooser) = self.chooser.take() {
            let chosen = self.enter_chosen(&state, index, &mut chooser, expander);
            self.chooser = Some(chooser);
            if chosen {
                return;
            }
        }
        let mut sink = WaitingSink { search: self, n_checks: 0 };
        let moved = expander.expand(&state, &mut sink);
        if !moved && let Some(found) = wrong_end(sink.search.model, &state, sink.search.control) {
            // Behind what failed in this state.
            sink.push(Entry::Violation(found));
        }
    }

    /// Computes the successors by some processes only, if that is enough. The proviso: one of them is not on the path.
    /// Such a state is finished before this one, so going on to it again and again ends in a state of which all
    /// successors were taken. Those of a rejected choice are on the path; they were looked at, and count.
    fn enter_chosen(
        &mut self,
        state: &M::State,
        index: usize,
        chooser: &mut Chooser<'_, M>,
        expander: &mut Expander<'_, M>,
    ) -> bool {
        if self.on_path.insert(index).is_err() {
            self.out_of_memory();
            return true;
        }
        let begin = self.waiting.entries.len();
        chooser.start(state);
        while let Some(chosen) = chooser.next(state) {
            let mut sink = WaitingSink { search: self, n_checks: 0 };
            let moved = expander.expand_chosen(state, chosen, &mut sink);
            if moved && (chooser.is_static() || self.leads_off_the_path(begin)) {
                return true;
            }
            let arrivals = self.waiting.entries[begin..].iter().filter(|entry| matches!(entry, Entry::Arrival { .. }));
            self.transitions += arrivals.count() as u64;
            self.waiting.truncate(begin);
        }
        false
    }

    /// Whether some state that waits from `begin` on is not on the path.
    fn leads_off_the_path(&mut self, begin: usize) -> bool {
        for position in begin..self.waiting.entries.len() {
            let Entry::Arrival { hash, .. } = self.waiting.entries[position] else { continue };
            self.waiting.states.read(position, &mut self.packed);
            match self.store.find(&self.packed, hash) {
                Some(index) if self.on_path.contains(index) => {}
                Some(_) | None => return true,
            }
        }
        false
    }

    fn meet(&mut self, found: Found) {
        let (model, store, frames) = (self.model, &self.store, &self.frames);
        self.control.meet(found, || {
            let point = |frame: &Frame<M::Hidden>| {
                let mut packed = M::Packed::default();
                store.read(frame.index, &mut packed);
                Point { packed, hidden: frame.hidden }
            };
            let path: Vec<Point<M>> = frames.iter().map(point).collect();
            rebuild(model, &path, found)
        });
    }

    fn stack_bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame<M::Hidden>>();
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

/// Puts what an expansion finds on the stack.
struct WaitingSink<'s, 'c, 'a, M: Model, S> {
    search: &'s mut DepthFirst<'c, 'a, M, S>,
    n_checks: u32,
}

impl<M: Model, S: StateStore<M::Packed>> WaitingSink<'_, '_, '_, M, S> {
    #[inline]
    fn push(&mut self, entry: Entry<M::Hidden>) {
        if self.search.waiting.push(&self.search.packed, entry).is_err() {
            self.search.out_of_memory();
        }
    }
}

impl<M: Model, S: StateStore<M::Packed>> Sink<M> for WaitingSink<'_, '_, '_, M, S> {
    type Movers = ();

    #[inline]
    fn arrive(&mut self, state: &M::State, n_steps: u32, (): ()) {
        let search = &mut *self.search;
        search.model.pack(state, &mut search.packed);
        let hash = search.packed.hash();
        search.store.prefetch(hash);
        let hidden = search.model.hidden(state);
        self.push(Entry::Arrival { hash, n_steps, hidden });
    }

    fn violation(&mut self, found: Found, _n_steps: u32) {
        if self.search.control.wants(found.kind) {
            self.push(Entry::Violation(found));
        }
    }

    fn is_over(&mut self) -> bool {
        self.n_checks += 1;
        if self.n_checks.is_multiple_of(4096) {
            let in_use = self.search.memory_bytes();
            self.search.control.check_limits(in_use);
        }
        self.search.control.is_over()
    }
}
