//! Breadth-first search: the first violation found is one of those with the fewest stored states before it.
//!
//! The store keeps states in the order of insertion, so it is the queue as well. Successors are gathered in batches:
//! by the time that a batch is inserted, the places of the table that it needs have been fetched from memory.
//!
//! With a reduction the proviso is that a state of which not all successors are taken has a successor with a higher
//! number, which leaves the queue later: following such successors ends in a state of which all were taken. Whether
//! that is so is known when they are inserted; if not, the next choice is inserted there and then, as if there were no
//! batches.

use super::choose::Chooser;
use super::control::{Control, Progress};
use super::expand::{Expander, Sink};
use super::rebuild::{Point, rebuild};
use super::{Counts, wrong_end};
use crate::model::Model;
use crate::pack::{OutOfMemory, Packed, Pool};
use crate::store::{StateStore, Visited};
use crate::verdict::{Found, ViolationKind};
use std::ops::Range;

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
    chooser: Option<Chooser<'c, M>>,
    transitions: u64,
    state_bytes: usize,
    packed: M::Packed,
}

/// Successors that wait for their insertion.
struct Batch<M: Model> {
    states: <M::Packed as Packed>::Pool,
    entries: Vec<Entry<M::Hidden>>,
    /// Those among them that are only a choice of their parent's successors, in the same order.
    choices: Vec<Choice>,
    /// Where those begin that are not inserted yet.
    first: usize,
}

impl<M: Model> Batch<M> {
    fn new() -> Batch<M> {
        let states = <M::Packed as Packed>::Pool::default();
        Batch { states, entries: Vec::with_capacity(BATCH * 2), choices: Vec::new(), first: 0 }
    }

    fn clear(&mut self) {
        self.states.truncate(0);
        self.entries.clear();
        self.choices.clear();
        self.first = 0;
    }
}

/// Some successors of a state stand for all of them, if the proviso holds.
struct Choice {
    parent: usize,
    /// Where they stand in the batch.
    entries: Range<usize>,
    /// How many candidates the chooser had offered by then.
    n_tried: usize,
    /// What went wrong in these steps.
    found: Vec<Found>,
}

#[derive(Clone, Copy)]
struct Entry<H> {
    hash: u64,
    parent: u32,
    hidden: H,
}

pub(crate) fn search<M: Model, S: StateStore<M::Packed>>(
    model: &M,
    chooser: Option<Chooser<'_, M>>,
    control: &mut Control<'_>,
) -> Counts {
    let mut search = BreadthFirst::<M, S> {
        model,
        control,
        store: S::default(),
        parents: Vec::new(),
        hidden: Vec::new(),
        chooser,
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
        let mut batch = Batch::new();
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
                self.insert_choices(&mut batch, expander);
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
        let mut sink = BatchSink::new(self, batch, 0, false);
        if !over {
            sink.arrive(state, 0, ());
        }
        self.insert(batch);
    }

    fn expand(&mut self, index: usize, expander: &mut Expander<'_, M>, batch: &mut Batch<M>) {
        let state = self.state(index);
        if let Some(mut chooser) = self.chooser.take() {
            chooser.start(&state);
            let choice = self.expand_chosen(index, &state, &mut chooser, 0, expander, batch);
            let is_static = chooser.is_static();
            self.chooser = Some(chooser);
            match choice {
                Some(choice) if is_static => return self.meet_all(index, choice.found),
                Some(choice) => return batch.choices.push(choice),
                None => {}
            }
        }
        self.expand_all(index, &state, expander, batch);
    }

    fn expand_all(&mut self, index: usize, state: &M::State, expander: &mut Expander<'_, M>, batch: &mut Batch<M>) {
        let mut sink = BatchSink::new(self, batch, index, false);
        let moved = expander.expand(state, &mut sink);
        let mut found = sink.found;
        if !moved {
            found.extend(wrong_end(self.model, state, self.control));
        }
        self.meet_all(index, found);
    }

    /// Puts the successors by the first choice in which somebody can move into the batch.
    fn expand_chosen(
        &mut self,
        index: usize,
        state: &M::State,
        chooser: &mut Chooser<'_, M>,
        mut n_tried: usize,
        expander: &mut Expander<'_, M>,
        batch: &mut Batch<M>,
    ) -> Option<Choice> {
        let begin = batch.entries.len();
        while let Some(chosen) = chooser.next(state) {
            n_tried += 1;
            let mut sink = BatchSink::new(self, batch, index, true);
            let moved = expander.expand_chosen(state, chosen, &mut sink);
            let found = sink.found;
            if moved {
                return Some(Choice { parent: index, entries: begin..batch.entries.len(), n_tried, found });
            }
        }
        None
    }

    fn meet_all(&mut self, index: usize, found: Vec<Found>) {
        for found in found {
            if !self.control.is_over() {
                self.meet(index, found);
            }
        }
    }

    fn state(&mut self, index: usize) -> M::State {
        self.store.read(index, &mut self.packed);
        let mut state = self.model.unpack(&self.packed);
        self.model.set_hidden(&mut state, self.hidden[index]);
        state
    }

    /// Inserts the batch up to the end of the last choice in it, and mends choices that the proviso rejects.
    fn insert_choices(&mut self, batch: &mut Batch<M>, expander: &mut Expander<'_, M>) {
        let Some(last) = batch.choices.last() else { return };
        for entry in &batch.entries[..last.entries.end] {
            self.store.prefetch_candidate(entry.hash);
        }
        let mut inserted = 0;
        for choice in std::mem::take(&mut batch.choices) {
            self.insert_range(batch, inserted..choice.entries.start);
            inserted = choice.entries.end;
            if self.insert_range(batch, choice.entries.clone()) > Some(choice.parent) {
                self.meet_all(choice.parent, choice.found);
            } else if !self.control.is_over() {
                self.choose_again(choice.parent, choice.n_tried, expander);
            }
        }
        batch.first = inserted;
    }

    /// A choice was rejected: inserts the successors by another one, or all of them.
    #[cold]
    fn choose_again(&mut self, parent: usize, n_tried: usize, expander: &mut Expander<'_, M>) {
        let Some(mut chooser) = self.chooser.take() else { return };
        let state = self.state(parent);
        let mut batch = Batch::new();
        chooser.start(&state);
        let mut rejected = (0..n_tried).all(|_| chooser.next(&state).is_some());
        let mut n_tried = n_tried;
        while rejected
            && let Some(choice) = self.expand_chosen(parent, &state, &mut chooser, n_tried, expander, &mut batch)
        {
            n_tried = choice.n_tried;
            if self.insert_range(&batch, choice.entries) > Some(parent) {
                self.meet_all(parent, choice.found);
                rejected = false;
            }
            batch.clear();
        }
        if rejected {
            self.expand_all(parent, &state, expander, &mut batch);
            self.insert(&mut batch);
        }
        self.chooser = Some(chooser);
    }

    /// Inserts what is left of the batch.
    fn insert(&mut self, batch: &mut Batch<M>) {
        for entry in &batch.entries[batch.first..] {
            self.store.prefetch_candidate(entry.hash);
        }
        self.insert_range(batch, batch.first..batch.entries.len());
        batch.clear();
    }

    /// Gives the highest number among those states.
    fn insert_range(&mut self, batch: &Batch<M>, range: Range<usize>) -> Option<usize> {
        let mut highest = None;
        for position in range {
            if self.control.is_over() {
                break;
            }
            batch.states.read(position, &mut self.packed);
            match self.insert_one(&batch.entries[position]) {
                Ok(index) => highest = highest.max(index),
                Err(OutOfMemory) => {
                    let in_use = self.memory_bytes();
                    self.control.out_of_memory(in_use);
                }
            }
        }
        highest
    }

    /// Inserts the state in `self.packed` and gives its number.
    #[inline]
    fn insert_one(&mut self, entry: &Entry<M::Hidden>) -> Result<Option<usize>, OutOfMemory> {
        if self.store.n_states() as u64 >= self.control.max_states
            && self.store.find(&self.packed, entry.hash).is_none()
        {
            self.control.too_many_states();
            return Ok(None);
        }
        // Before the state is in the store, so that both always have an entry for each state.
        reserve(&mut self.parents)?;
        reserve(&mut self.hidden)?;
        let (visited, index) = self.store.insert(&self.packed, entry.hash)?;
        self.transitions += 1;
        if visited == Visited::New {
            self.parents.push(entry.parent);
            self.hidden.push(entry.hidden);
            self.state_bytes = self.state_bytes.max(self.packed.n_bytes());
        }
        Ok(Some(index))
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
    /// Not all successors of the parent come: whether they will do is known when they are together.
    is_choice: bool,
    found: Vec<Found>,
    n_checks: u32,
}

impl<'s, 'c, 'a, M: Model, S> BatchSink<'s, 'c, 'a, M, S> {
    fn new(
        search: &'s mut BreadthFirst<'c, 'a, M, S>,
        batch: &'s mut Batch<M>,
        parent: usize,
        is_choice: bool,
    ) -> Self {
        BatchSink { search, batch, parent: parent as u32, is_choice, found: Vec::new(), n_checks: 0 }
    }
}

impl<M: Model, S: StateStore<M::Packed>> Sink<M> for BatchSink<'_, '_, '_, M, S> {
    type Movers = ();

    #[inline]
    fn arrive(&mut self, state: &M::State, _n_steps: u32, (): ()) {
        if self.batch.entries.len() >= LARGEST_BATCH && self.batch.choices.is_empty() && !self.is_choice {
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
