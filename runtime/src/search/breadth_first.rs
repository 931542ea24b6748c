//! Breadth-first search: the first violation found is one of those with the fewest stored states before it.
//!
//! The store keeps states in the order of insertion, so it is the queue as well. Successors are gathered in batches:
//! by the time that a batch is inserted, the places of the table that it needs have been fetched from memory.
//!
//! With a reduction the proviso is that a state of which not all successors are taken has a successor with a higher
//! number, which leaves the queue later: following such successors ends in a state of which all were taken. Whether
//! that is so is known when they are inserted; if not, the next choice is inserted there and then, as if there were no
//! batches.

use super::Counts;
use super::control::{Control, Progress};
use crate::pack::{OutOfMemory, Packed};
use crate::store::{StateStore, Visited};
use crate::system::{Choosing, HiddenList, Point, Pulse, Successors, System, Systems, reserve};
use crate::verdict::{Found, ViolationKind};
use std::ops::Range;

/// Successors that are inserted together.
const BATCH: usize = 64;
/// A state with more successors than this has them inserted in parts.
const LARGEST_BATCH: usize = 4096;
/// Expanded states between two looks at the clock.
const TICK: usize = 512;

struct BreadthFirst<'c, 'a, P: Packed, S> {
    control: &'c mut Control<'a>,
    store: S,
    /// For each state the number of the one that it was first reached from.
    parents: Vec<u32>,
    /// For each state its hidden variables.
    hidden: HiddenList,
    choosing: Option<Choosing>,
    transitions: u64,
    state_bytes: usize,
    packed: P,
}

/// Successors that wait for their insertion.
struct Batch<P: Packed> {
    successors: Successors<P>,
    waiting: Waiting,
}

/// What is known of them.
#[derive(Default)]
struct Waiting {
    /// For each successor the number of its parent; those of the state that is expanded now are not listed yet.
    parents: Vec<u32>,
    /// Those among them that are only a choice of their parent's successors, in the same order.
    choices: Vec<Choice>,
    /// Where those begin that are not inserted yet.
    first: usize,
}

impl<P: Packed> Batch<P> {
    fn new() -> Batch<P> {
        Batch { successors: Successors::new(), waiting: Waiting::default() }
    }
}

/// Some successors of a state stand for all of them, if the proviso holds.
struct Choice {
    parent: usize,
    /// Where they stand in the batch.
    entries: Range<usize>,
    /// How many choices there were up to this one.
    n_tried: usize,
    /// What went wrong in these steps.
    found: Vec<Found>,
}

pub(crate) fn search<P: Packed, S: StateStore<P>>(
    systems: &dyn Systems<P>,
    choosing: Option<Choosing>,
    control: &mut Control<'_>,
) -> Counts {
    let wants = control.wants;
    let mut search = BreadthFirst::<P, S> {
        control,
        store: S::default(),
        parents: Vec::new(),
        hidden: HiddenList::new(systems.has_hidden()),
        choosing,
        transitions: 0,
        state_bytes: 0,
        packed: P::default(),
    };
    let mut system = systems.system(wants, choosing);
    let depth = search.run(&mut *system);
    Counts {
        states_stored: search.store.n_states() as u64,
        transitions: search.transitions,
        depth,
        state_bytes: search.state_bytes as u64,
        memory_bytes: search.memory_bytes(),
        tally: system.tally(),
    }
}

impl<P: Packed, S: StateStore<P>> BreadthFirst<'_, '_, P, S> {
    /// Returns the distance of the farthest state.
    fn run(&mut self, system: &mut dyn System<P>) -> u64 {
        let mut batch = Batch::new();
        self.begin(system, &mut batch);
        let (mut depth, mut level_end, mut next) = (0, self.store.n_states(), 0);
        while next < self.store.n_states() {
            if next.is_multiple_of(TICK) {
                self.tick(depth);
            }
            self.expand(next, system, &mut batch);
            next += 1;
            if batch.successors.len() >= BATCH || next == level_end {
                self.insert_choices(&mut batch, system);
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

    fn begin(&mut self, system: &mut dyn System<P>, batch: &mut Batch<P>) {
        let mut initial = P::default();
        let hidden = match system.initial(&mut initial) {
            Ok(hidden) => hidden,
            Err(fault) => {
                let found = Found::state(ViolationKind::Fault(fault));
                return self.control.meet(found, Vec::new);
            }
        };
        self.tick(0);
        if !self.control.is_over() {
            batch.successors.push(&initial, 0, Ok(hidden), Default::default);
            batch.waiting.parents.push(0);
            self.insert(batch);
        }
    }

    fn expand(&mut self, index: usize, system: &mut dyn System<P>, batch: &mut Batch<P>) {
        let chosen = self.expand_behind(index, 0, system, batch);
        let is_static = self.choosing.is_some_and(|choosing| choosing.is_static());
        match chosen {
            Some(choice) if !is_static => batch.waiting.choices.push(choice),
            Some(choice) => self.meet_all(index, choice.found, system),
            None => {}
        }
    }

    /// Puts the successors by the first choice behind `n_rejected` ones into the batch, or all of them if there is none.
    fn expand_behind(
        &mut self,
        index: usize,
        n_rejected: usize,
        system: &mut dyn System<P>,
        batch: &mut Batch<P>,
    ) -> Option<Choice> {
        let begin = batch.successors.mark();
        let mut packed = std::mem::take(&mut self.packed);
        self.store.read(index, &mut packed);
        // Whether a choice will do is known when its successors are together.
        let may_flush = self.choosing.is_none() && batch.waiting.choices.is_empty();
        batch.successors.high_water = if may_flush { LARGEST_BATCH } else { usize::MAX };
        let hidden = self.hidden.get(index);
        let mut pulse = BatchPulse { search: self, waiting: &mut batch.waiting, parent: index as u32 };
        let expansion = system.expand(&packed, hidden, n_rejected, &mut batch.successors, &mut pulse);
        self.packed = packed;
        let end = batch.successors.len();
        let begin_entries = begin.arrivals.min(end);
        for arrival in &batch.successors.arrivals[begin_entries..] {
            self.store.prefetch(arrival.hash);
        }
        batch.waiting.parents.resize(end, index as u32);
        if batch.successors.is_full() {
            let in_use = self.memory_bytes();
            self.control.out_of_memory(in_use);
        }
        if batch.successors.found.len() == begin.found && expansion.chosen.is_none() {
            return None;
        }
        let found: Vec<Found> = batch.successors.found.drain(begin.found..).map(|met| met.found).collect();
        let Some(n_tried) = expansion.chosen else {
            self.meet_all(index, found, system);
            return None;
        };
        Some(Choice { parent: index, entries: begin_entries..end, n_tried, found })
    }

    fn meet_all(&mut self, index: usize, found: Vec<Found>, system: &mut dyn System<P>) {
        for found in found {
            if !self.control.is_over() {
                self.meet(index, found, system);
            }
        }
    }

    /// Inserts the batch up to the end of the last choice in it, and mends choices that the proviso rejects.
    fn insert_choices(&mut self, batch: &mut Batch<P>, system: &mut dyn System<P>) {
        let Some(last) = batch.waiting.choices.last() else { return };
        for arrival in &batch.successors.arrivals[..last.entries.end] {
            self.store.prefetch_candidate(arrival.hash);
        }
        let mut inserted = 0;
        for choice in std::mem::take(&mut batch.waiting.choices) {
            self.insert_range(&batch.successors, &batch.waiting, inserted..choice.entries.start);
            inserted = choice.entries.end;
            let highest = self.insert_range(&batch.successors, &batch.waiting, choice.entries.clone());
            if highest > Some(choice.parent) {
                self.meet_all(choice.parent, choice.found, system);
            } else if !self.control.is_over() {
                self.choose_again(choice.parent, choice.n_tried, system);
            }
        }
        batch.waiting.first = inserted;
    }

    /// A choice was rejected: inserts the successors by another one, or all of them.
    #[cold]
    fn choose_again(&mut self, parent: usize, mut n_tried: usize, system: &mut dyn System<P>) {
        let mut batch = Batch::new();
        while let Some(choice) = self.expand_behind(parent, n_tried, system, &mut batch) {
            n_tried = choice.n_tried;
            if self.insert_range(&batch.successors, &batch.waiting, choice.entries) > Some(parent) {
                return self.meet_all(parent, choice.found, system);
            }
            batch = Batch::new();
        }
        self.insert(&mut batch);
    }

    /// Inserts what is left of the batch.
    fn insert(&mut self, batch: &mut Batch<P>) {
        self.insert_rest(&mut batch.successors, &mut batch.waiting);
    }

    fn insert_rest(&mut self, successors: &mut Successors<P>, waiting: &mut Waiting) {
        for arrival in &successors.arrivals[waiting.first..] {
            self.store.prefetch_candidate(arrival.hash);
        }
        self.insert_range(successors, waiting, waiting.first..successors.len());
        successors.truncate_arrivals(0);
        waiting.parents.clear();
        waiting.choices.clear();
        waiting.first = 0;
    }

    /// Gives the highest number among those states.
    fn insert_range(&mut self, successors: &Successors<P>, waiting: &Waiting, range: Range<usize>) -> Option<usize> {
        let mut highest = None;
        for position in range {
            if self.control.is_over() {
                break;
            }
            successors.read(position, &mut self.packed);
            match self.insert_one(successors, position, waiting.parents[position]) {
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
    fn insert_one(
        &mut self,
        successors: &Successors<P>,
        position: usize,
        parent: u32,
    ) -> Result<Option<usize>, OutOfMemory> {
        let arrival = successors.arrivals[position];
        if self.store.n_states() as u64 >= self.control.max_states
            && self.store.find(&self.packed, arrival.hash).is_none()
        {
            self.control.too_many_states();
            return Ok(None);
        }
        // Before the state is in the store, so that both always have an entry for each state.
        reserve(&mut self.parents)?;
        self.hidden.reserve()?;
        let (visited, index) = self.store.insert(&self.packed, arrival.hash)?;
        self.transitions += 1;
        if visited == Visited::New {
            self.parents.push(parent);
            self.hidden.push(arrival.hidden);
            self.state_bytes = self.state_bytes.max(self.packed.n_bytes());
        }
        Ok(Some(index))
    }

    fn meet(&mut self, index: usize, found: Found, system: &mut dyn System<P>) {
        let (store, parents, hidden) = (&self.store, &self.parents, &self.hidden);
        self.control.meet(found, || {
            let mut path = Vec::new();
            let mut at = index;
            loop {
                let mut packed = P::default();
                store.read(at, &mut packed);
                path.push(Point { packed, hidden: hidden.get(at) });
                if at == 0 {
                    break;
                }
                at = parents[at] as usize;
            }
            path.reverse();
            system.rebuild(&path, found)
        });
    }

    fn memory_bytes(&self) -> u64 {
        let beside = (self.parents.capacity() * 4) as u64 + self.hidden.memory_bytes();
        self.store.memory_bytes() + beside
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

/// Looks at the limits during a long expansion, and inserts successors if there are too many.
struct BatchPulse<'s, 'c, 'a, P: Packed, S> {
    search: &'s mut BreadthFirst<'c, 'a, P, S>,
    waiting: &'s mut Waiting,
    /// The state that is expanded.
    parent: u32,
}

impl<P: Packed, S: StateStore<P>> Pulse<P> for BatchPulse<'_, '_, '_, P, S> {
    fn beat(&mut self, out: &mut Successors<P>) -> bool {
        if out.len() >= out.high_water {
            self.waiting.parents.resize(out.len(), self.parent);
            self.search.insert_rest(out, self.waiting);
        }
        let in_use = self.search.memory_bytes() + out.memory_bytes();
        self.search.control.check_limits(in_use);
        self.search.control.is_over()
    }
}
