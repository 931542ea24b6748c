//! Breadth-first search: the first violation found is one of those with the fewest stored states before it.
//!
//! The store keeps states in the order of insertion, so it is the queue as well. Successors are gathered in batches:
//! by the time that a batch is inserted, the places of the table that it needs have been fetched from memory.

use super::control::{Control, Progress};
use super::expand::{Expander, Sink};
use super::rebuild::{Point, rebuild};
use super::{Counts, wrong_end};
use crate::model::Model;
use crate::pack::{OutOfMemory, Packed, Pool};
use crate::store::{StateStore, Visited};
use crate::verdict::{Found, ViolationKind};

/// Successors that are inserted together.
const BATCH: usize = 64;
/// A state with more successors than this has them inserted in parts.
const LARGEST_BATCH: usize = 4096;
/// Expanded states between two looks at the clock.
const TICK: usize = 512;

struct BreadthFirst<'c, 'a, M: Model, S> {
    model: &'c M,
    control: &'c mut Control<'a>,
    store: S,
    /// For each state the number of the one that it was first reached from.
    parents: Vec<u32>,
    /// For each state its hidden variables; takes no room when there are none.
    hidden: Vec<M::Hidden>,
    transitions: u64,
    state_bytes: usize,
    packed: M::Packed,
}

/// Successors that wait for their insertion.
struct Batch<M: Model> {
    states: <M::Packed as Packed>::Pool,
    entries: Vec<Entry<M::Hidden>>,
}

#[derive(Clone, Copy)]
struct Entry<H> {
    hash: u64,
    parent: u32,
    hidden: H,
}

pub(crate) fn search<M: Model, S: StateStore<M::Packed>>(model: &M, control: &mut Control<'_>) -> Counts {
    let mut search = BreadthFirst::<M, S> {
        model,
        control,
        store: S::default(),
        parents: Vec::new(),
        hidden: Vec::new(),
        transitions: 0,
        state_bytes: 0,
        packed: M::Packed::default(),
    };
    let mut expander = Expander::new(model);
    let depth = search.run(&mut expander);
    Counts {
        states_stored: search.store.n_states() as u64,
        transitions: search.transitions,
        atomic_steps: expander.atomic_steps,
        depth,
        state_bytes: search.state_bytes as u64,
        memory_bytes: search.memory_bytes(),
        reached: expander.reached,
        atomic_cycle: expander.atomic_cycle,
    }
}

impl<M: Model, S: StateStore<M::Packed>> BreadthFirst<'_, '_, M, S> {
    /// Returns the distance of the farthest state.
    fn run(&mut self, expander: &mut Expander<'_, M>) -> u64 {
        let mut batch =
            Batch { states: <M::Packed as Packed>::Pool::default(), entries: Vec::with_capacity(BATCH * 2) };
        match self.model.initial() {
            Ok(state) => self.begin(&state, &mut batch),
            Err(fault) => {
                let found = Found::state(ViolationKind::Fault(fault));
                self.control.meet(found, Vec::new);
            }
        }
        let (mut depth, mut level_end, mut next) = (0, self.store.n_states(), 0);
        while next < self.store.n_states() {
            if next.is_multiple_of(TICK) {
                self.tick(depth);
            }
            self.expand(next, expander, &mut batch);
            next += 1;
            if batch.entries.len() >= BATCH || next == level_end {
                self.insert(&mut batch);
            }
            if next == level_end && self.store.n_states() > level_end {
                if depth >= self.control.max_depth {
                    self.control.cut();
                    break;
                }
                depth += 1;
                level_end = self.store.n_states();
            }
            if self.control.is_over() {
                break;
            }
        }
        depth
    }

    fn begin(&mut self, state: &M::State, batch: &mut Batch<M>) {
        self.tick(0);
        let over = self.control.is_over();
        let mut sink = BatchSink { search: self, batch, parent: 0, found: Vec::new(), n_checks: 0 };
        if !over {
            sink.arrive(state, 0, ());
        }
        self.insert(batch);
    }

    fn expand(&mut self, index: usize, expander: &mut Expander<'_, M>, batch: &mut Batch<M>) {
        let mut state = self.state(index);
        self.model.set_hidden(&mut state, self.hidden[index]);
        let mut sink = BatchSink { search: self, batch, parent: index as u32, found: Vec::new(), n_checks: 0 };
        let moved = expander.expand(&state, &mut sink);
        let mut found = sink.found;
        if !moved {
            found.extend(wrong_end(self.model, &state, self.control));
        }
        for found in found {
            if !self.control.is_over() {
                self.meet(index, found);
            }
        }
    }

    fn state(&mut self, index: usize) -> M::State {
        self.store.read(index, &mut self.packed);
        self.model.unpack(&self.packed)
    }

    fn insert(&mut self, batch: &mut Batch<M>) {
        for entry in &batch.entries {
            self.store.prefetch_candidate(entry.hash);
        }
        for (position, entry) in batch.entries.iter().enumerate() {
            if self.control.is_over() {
                break;
            }
            batch.states.read(position, &mut self.packed);
            if let Err(OutOfMemory) = self.insert_one(entry) {
                let in_use = self.memory_bytes();
                self.control.out_of_memory(in_use);
            }
        }
        batch.entries.clear();
        batch.states.truncate(0);
    }

    /// Inserts the state in `self.packed`.
    #[inline]
    fn insert_one(&mut self, entry: &Entry<M::Hidden>) -> Result<(), OutOfMemory> {
        if self.store.n_states() as u64 >= self.control.max_states
            && self.store.find(&self.packed, entry.hash).is_none()
        {
            self.control.too_many_states();
            return Ok(());
        }
        // Before the state is in the store, so that both always have an entry for each state.
        reserve(&mut self.parents)?;
        reserve(&mut self.hidden)?;
        let (visited, _) = self.store.insert(&self.packed, entry.hash)?;
        self.transitions += 1;
        if visited == Visited::New {
            self.parents.push(entry.parent);
            self.hidden.push(entry.hidden);
            self.state_bytes = self.state_bytes.max(self.packed.n_bytes());
        }
        Ok(())
    }

    fn meet(&mut self, index: usize, found: Found) {
        let (model, store, parents, hidden) = (self.model, &self.store, &self.parents, &self.hidden);
        self.control.meet(found, || {
            let mut path = Vec::new();
            let mut at = index;
            loop {
                let mut packed = M::Packed::default();
                store.read(at, &mut packed);
                path.push(Point { packed, hidden: hidden[at] });
                if at == 0 {
                    break;
                }
                at = parents[at] as usize;
            }
            path.reverse();
            rebuild(model, &path, found)
        });
    }

    fn memory_bytes(&self) -> u64 {
        let beside = self.parents.capacity() * 4 + self.hidden.capacity() * size_of::<M::Hidden>();
        self.store.memory_bytes() + beside as u64
    }

    #[cold]
    fn tick(&mut self, depth: u64) {
        let beside = self.memory_bytes() - self.store.memory_bytes();
        self.store.set_memory_limit(self.control.memory_limit().saturating_sub(beside));
        self.control.tick(Progress {
            states_stored: self.store.n_states() as u64,
            transitions: self.transitions,
            depth,
            memory_bytes: self.memory_bytes(),
            ..Progress::default()
        });
    }
}

/// Room for one more element.
#[inline]
fn reserve<T>(list: &mut Vec<T>) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        list.try_reserve_exact(crate::pack::growth(list.len()))?;
    }
    Ok(())
}

/// Packs what arrives and puts it into the batch.
struct BatchSink<'s, 'c, 'a, M: Model, S> {
    search: &'s mut BreadthFirst<'c, 'a, M, S>,
    batch: &'s mut Batch<M>,
    parent: u32,
    found: Vec<Found>,
    n_checks: u32,
}

impl<M: Model, S: StateStore<M::Packed>> Sink<M> for BatchSink<'_, '_, '_, M, S> {
    type Movers = ();

    #[inline]
    fn arrive(&mut self, state: &M::State, _n_steps: u32, (): ()) {
        if self.batch.entries.len() >= LARGEST_BATCH {
            self.search.insert(self.batch);
        }
        let search = &mut *self.search;
        search.model.pack(state, &mut search.packed);
        let hash = search.packed.hash();
        search.store.prefetch(hash);
        if reserve(&mut self.batch.entries).is_err() || self.batch.states.push(&search.packed).is_err() {
            let in_use = search.memory_bytes();
            search.control.out_of_memory(in_use);
            return;
        }
        self.batch.entries.push(Entry { hash, parent: self.parent, hidden: search.model.hidden(state) });
    }

    fn violation(&mut self, found: Found, _n_steps: u32) {
        if self.search.control.wants(found.kind) {
            self.found.push(found);
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
