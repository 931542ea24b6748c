//! Breadth-first search: the first violation found is one of those with the fewest stored states before it.
//!
//! One thread owns the set of states and expands them in the order in which they were found (`alone.rs`). Several threads
//! share a concurrent set (`store/concurrent`). Each has a queue of the states that it found, with their origins. The
//! threads meet at a barrier at the end of each level, so the same states are found in the same levels, however many threads
//! there are (`shared_frontier.rs`, `worker_group.rs`).
//!
//! Successors are collected in batches: by the time that a batch is inserted, the cache lines that it needs have been
//! prefetched.
//!
//! # With a reduction
//!
//! The cycle proviso: no step may be left out forever. With one thread, a state that is not fully expanded must have a
//! successor that is in the queue behind it: following such successors ends in a fully expanded state, because numbers
//! cannot grow forever. That is known when the successors are inserted; if it fails, the next ample set is inserted at once,
//! as if there were no batches.
//!
//! With several threads numbers cannot be compared, and levels take their place: a state that is not fully expanded must have
//! a successor in the next level. Following such successors ends, because there are finitely many levels. Whether a state
//! is in the next level does not depend on which thread finds it first: it is if it is in no level up to this one. So that
//! is known as soon as it is inserted, and the reduction is the same with any number of threads from two on. The check
//! compares the states in the queues themselves, also if the set may take a state for another: a mistake in the set loses
//! states, and the report says so; a mistake here would be unsound.

mod alone;
mod barrier;
mod batch;
mod chunk;
mod coordinator;
mod expansion_order;
mod level_throttle;
mod paths;
mod shared;
mod shared_frontier;
mod sightings;
mod sync;
mod thread_queue;
mod worker;
mod worker_group;

use super::Counts;
use super::control::Control;
use crate::hidden::Hidden;
use crate::lock::{Lock, Rank};
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::store::concurrent::ConcurrentSet;
use crate::store::{StateSet, StoreOptions};
use crate::system::{ReductionConfig, Sampling, System, Systems, Tally};
use crate::verdict::{Found, ViolationKind};
use alone::Alone;
use batch::{Batch, SuccessorRange};
use expansion_order::ExpansionOrder;
use level_throttle::LevelThrottle;
use paths::Paths;
pub(super) use paths::successor;
use shared::SearchStatus;
use shared_frontier::SharedFrontier;
use sightings::Sightings;
use std::io;
use std::thread::{Scope, ScopedJoinHandle};
use thread_queue::ThreadQueue;
use worker::{FrontierAccess, Worker};
use worker_group::{Course, EndOnPanic, Gate, Member, WorkerGroup};

/// Stack size of a thread: more than usual, since packed states are on it.
const STACK_BYTES: usize = 16 << 20;

/// A breadth-first search for one kind of set.
pub(crate) type BreadthFirstSearch<P> =
    for<'s> fn(&'s dyn Systems<P>, Option<ReductionConfig<'s>>, &StoreOptions, usize, &mut Control<'_>) -> Counts;

/// With a set for one thread or one for several.
pub(crate) fn search<'s, P: Packed, S: StateSet<P>, C: ConcurrentSet<P>>(
    systems: &'s dyn Systems<P>,
    config: Option<ReductionConfig<'s>>,
    store: &StoreOptions,
    n_threads: usize,
    control: &mut Control<'_>,
) -> Counts {
    let n_threads = u16::try_from(n_threads.max(1)).unwrap_or(u16::MAX);
    let shared = SearchStatus::new(n_threads, control.max_states, control.memory_limit(), control.options.all_errors);
    let search = BreadthFirst { systems, config, shared: &shared, n_threads };
    let counts = if n_threads == 1 { search.alone::<S>(store, control) } else { search.in_a_team::<C>(store, control) };
    counts.unwrap_or_else(|OutOfMemory| {
        control.out_of_memory(0);
        Counts::default()
    })
}

/// The initial parameters of every breadth-first search.
struct BreadthFirst<'s, P: Packed> {
    systems: &'s dyn Systems<P>,
    config: Option<ReductionConfig<'s>>,
    shared: &'s SearchStatus,
    n_threads: u16,
}

/// Whether there is another level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextLevel {
    /// There is a next level with so many states.
    Level(u64),
    /// No state is left, or a limit ends the search.
    End,
}

impl<'s, P: Packed> BreadthFirst<'s, P> {
    /// Whether it matters which states are still queued.
    fn has_proviso(&self) -> bool {
        self.config.is_some_and(|config| !config.is_static())
    }

    fn new_queue(&self, number: u16, is_indexed: bool, is_kept: bool) -> ThreadQueue<P> {
        ThreadQueue::new(number, self.systems.has_hidden(), is_indexed, is_kept)
    }

    /// Inserts the initial state, unless it is a violation itself.
    fn initial(&self, system: &mut dyn System<P>, control: &mut Control<'_>) -> Option<(P, Hidden)> {
        let mut initial = P::default();
        match system.initial(&mut initial) {
            Ok(hidden) => Some((initial, hidden)),
            Err(fault) => {
                control.meet(Found::state(ViolationKind::Fault(fault)), Vec::new);
                None
            }
        }
    }

    /// Apart from the search with several threads, so that searches with the same set have the same code.
    #[inline(never)]
    fn alone<S: StateSet<P>>(&self, store: &StoreOptions, control: &mut Control<'_>) -> Result<Counts, OutOfMemory> {
        let shared = self.shared;
        let (wants, max_depth) = (control.wants, control.max_depth);
        let mut alone = Alone::new(S::new(store)?, self.new_queue(0, self.has_proviso(), S::KEEPS_STATES));
        let mut system = self.systems.system(wants, self.config);
        let Some((initial, hidden)) = self.initial(&mut *system, control) else { return Ok(Counts::default()) };
        let mut worker = Worker::new(shared, 0, self.config, Sampling::InOrder);
        worker.control = Some(control);
        worker.tick();
        let mut batch = Batch::new();
        if !shared.is_over() {
            batch.successors.push(&initial, 0, Ok(hidden));
            alone.announce(&batch.successors, 0, &mut batch.waiting.keys)?;
            batch.waiting.runs.push(FIRST_RUN);
            alone.insert(&mut worker, &mut batch, &mut *system);
        }
        let mut n_states = alone.queue.advance();
        while n_states > 0 && !shared.is_over() {
            system.set_throttle(worker.throttle.now());
            let is_done = alone.expand_level(&mut worker, &mut *system, &mut batch);
            let n_next = alone.queue.advance();
            worker.throttle.decide(system.take_statistics(), worker.depth + 1, n_next);
            let next = if is_done { next_level(&mut worker.depth, max_depth, n_next) } else { NextLevel::End };
            self.report_sightings(&mut worker, &alone.queue);
            n_states = match next {
                NextLevel::Level(n_next) => n_next,
                NextLevel::End => {
                    if is_done && n_next > 0 {
                        worker.with_control(Control::cut);
                    }
                    0
                }
            };
        }
        alone.report(shared, &worker.expansion_order);
        worker.tick();
        let Alone { set, queue, .. } = alone;
        let (depth, omissions, storage_note) = (worker.depth, set.omissions(), set.describe());
        let counts = Counts { states_stored: set.n_states(), depth, omissions, storage_note, ..Counts::default() };
        Ok(self.finish(counts, &[&queue], system.tally(), worker.control))
    }

    fn report_sightings<K: Copy>(&self, worker: &mut Worker<'_, '_, P, K>, queue: &ThreadQueue<P>) {
        if worker.sightings.is_empty() {
            return;
        }
        let Worker { sightings, expansion_order, throttle, control, .. } = worker;
        let Some(control) = control else { return };
        let BreadthFirst { systems, config, shared, .. } = *self;
        let paths = Paths { systems, config, queues: vec![queue], expansion_orders: vec![expansion_order], throttle };
        paths.report(sightings, shared.all_errors, control);
    }

    /// The result, for one thread and for several.
    fn finish(
        &self,
        counts: Counts,
        queues: &[&ThreadQueue<P>],
        tally: Tally,
        control: Option<&mut Control<'_>>,
    ) -> Counts {
        if let (Some(stop), Some(control)) = (self.shared.reason(), control) {
            control.stop.get_or_insert(stop);
        }
        Counts {
            threads: counts.threads.max(1),
            transitions: queues.iter().map(|queue| queue.transitions).sum(),
            state_bytes: queues.iter().map(|queue| queue.state_bytes).max().unwrap_or(0) as u64,
            memory_bytes: self.shared.memory_bytes(),
            tally,
            ..counts
        }
    }

    #[inline(never)]
    fn in_a_team<C: ConcurrentSet<P>>(
        &self,
        store: &StoreOptions,
        control: &mut Control<'_>,
    ) -> Result<Counts, OutOfMemory> {
        let shared = self.shared;
        let (wants, max_depth) = (control.wants, control.max_depth);
        let store = StoreOptions { notes_levels: self.has_proviso(), ..*store };
        let set = C::new(&store, usize::from(self.n_threads))?;
        let is_indexed = self.has_proviso() && !C::KNOWS_LEVELS;
        let queue = |number| Lock::new(Rank::Queue, self.new_queue(number, is_indexed, C::KEEPS_STATES));
        let queues: Vec<_> = (0..self.n_threads).map(queue).collect();
        let worker_group =
            WorkerGroup::new(self.n_threads, max_depth, LevelThrottle::new(self.config, Sampling::ByHash));
        let mut system = self.systems.system(wants, self.config);
        let Some((initial, hidden)) = self.initial(&mut *system, control) else { return Ok(Counts::default()) };
        let mut worker = Worker::new(shared, 0, self.config, Sampling::ByHash);
        worker.control = Some(control);
        worker.tick();
        let mut shared_frontier = SharedFrontier::new(&set, &queues, &worker_group, 0);
        if !shared.is_over() {
            shared_frontier.begin(&initial, hidden, &mut worker)?;
        }
        // Level 0 is entered here, since all queues begin with it.
        queues[0].lock().advance();
        let mut first = Member::new(&worker_group, &set, worker, shared_frontier);
        let mut others = Others::new(self.n_threads);
        if !shared.is_over() {
            self.run_levels(&mut first, &mut others, &mut *system);
        }
        let Member { mut worker, shared_frontier, .. } = first;
        shared_frontier.report(shared, &worker.expansion_order);
        worker.tick();
        let queues: Vec<ThreadQueue<P>> = queues.into_iter().map(Lock::into_inner).collect();
        let queues: Vec<&ThreadQueue<P>> = queues.iter().collect();
        worker.sightings.note_all(others.sightings);
        if let Some(control) = &mut worker.control {
            let expansion_orders = std::iter::once(&worker.expansion_order).chain(&others.expansion_orders).collect();
            let BreadthFirst { systems, config, .. } = *self;
            let paths = Paths { systems, config, queues: queues.clone(), expansion_orders, throttle: &worker.throttle };
            paths.report(&mut worker.sightings, shared.all_errors, control);
        }
        let mut tally = system.tally();
        tally.add(others.tally);
        let threads = if others.have_worked { usize::from(self.n_threads) } else { 1 };
        let (states_stored, depth) = (set.n_states(), worker.depth);
        let (omissions, storage_note) = (set.omissions(), set.describe());
        let counts = Counts { threads, states_stored, depth, omissions, storage_note, ..Counts::default() };
        Ok(self.finish(counts, &queues, tally, worker.control))
    }

    /// On one thread up to the first large level, and then on several, if the system grants them.
    fn run_levels<'m, C: ConcurrentSet<P>>(
        &self,
        first: &mut Member<'m, '_, '_, P, C>,
        others: &mut Others,
        system: &mut dyn System<P>,
    ) {
        loop {
            let n_next = first.expand_small_levels(system);
            if self.shared.is_over() {
                return;
            }
            let n_next = match first.next_level(n_next, system.take_statistics()) {
                NextLevel::Level(n_states) if !first.worker_group.is_small(n_states) && !others.are_not_to_be_had => {
                    match self.run_team(n_states, first, others, system) {
                        Some(n_next) => n_next,
                        None => continue,
                    }
                }
                NextLevel::Level(_) => continue,
                NextLevel::End => n_next,
            };
            if n_next > 0 {
                first.worker.with_control(Control::cut);
            }
            return;
        }
    }

    /// Expands all levels from this one on with several threads. Returns the number of states of the level behind the
    /// last one; `None` if the system grants no threads: then nothing has happened.
    fn run_team<'m, C: ConcurrentSet<P>>(
        &self,
        n_states: u64,
        first: &mut Member<'m, '_, '_, P, C>,
        others: &mut Others,
        system: &mut dyn System<P>,
    ) -> Option<u64> {
        let BreadthFirst { systems, config, shared, .. } = *self;
        let (worker_group, set) = (first.worker_group, first.set);
        let queues = first.shared_frontier.queues;
        let wants = first.worker.control.as_ref()?.wants;
        let Worker { depth, throttle, .. } = &first.worker;
        worker_group.set_course(Course { depth: *depth, throttle: throttle.clone() });
        let gate = &Gate::default();
        std::thread::scope(|scope| {
            let _end = EndOnPanic(shared);
            let mut threads = Vec::new();
            for (number, expansion_order) in (1..).zip(&mut others.expansion_orders) {
                let work = move || {
                    let _end = EndOnPanic(shared);
                    if !gate.pass(shared) {
                        return None;
                    }
                    let mut worker = Worker::new(shared, number, config, Sampling::ByHash);
                    let Course { depth, throttle } = worker_group.course();
                    (worker.depth, worker.throttle) = (depth, throttle);
                    let mut system = systems.system(wants, config);
                    let mut member =
                        Member::new(worker_group, set, worker, SharedFrontier::new(set, queues, worker_group, number));
                    member.work(n_states, &mut *system);
                    *expansion_order = member.worker.expansion_order;
                    Some((system.tally(), member.worker.sightings))
                };
                match start(scope, Box::new(work)) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => {
                        gate.close();
                        others.are_not_to_be_had = true;
                        return None;
                    }
                }
            }
            worker_group.coordinator.start_others();
            gate.open();
            others.have_worked = true;
            let n_next = first.work(n_states, system);
            for thread in threads {
                match thread.join() {
                    Ok(Some((tally, sightings))) => {
                        others.tally.add(tally);
                        others.sightings.note_all(sightings);
                    }
                    Ok(None) => {}
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Some(n_next.unwrap_or(0))
        })
    }
}

/// What a thread beside the first brings; nothing if the search was over before it began.
type Brought = Option<(Tally, Sightings)>;

/// Starts a thread. The call is not generic, so that what the standard library does in it is compiled once.
fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: Box<dyn FnOnce() -> Brought + Send + 'scope>,
) -> io::Result<ScopedJoinHandle<'scope, Brought>> {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)
}

/// The initial state as a successor without a parent.
const FIRST_RUN: SuccessorRange =
    SuccessorRange { expansion_index: 0, begin: 0, end: 1, n_before: 0, has_choice: false };

/// The expansion orders and figures of the threads beside the first.
struct Others {
    expansion_orders: Vec<ExpansionOrder>,
    tally: Tally,
    sightings: Sightings,
    have_worked: bool,
    are_not_to_be_had: bool,
}

impl Others {
    fn new(n_threads: u16) -> Others {
        Others {
            expansion_orders: (1..n_threads).map(|_| ExpansionOrder::default()).collect(),
            tally: Tally::default(),
            sightings: Sightings::default(),
            have_worked: false,
            are_not_to_be_had: false,
        }
    }
}

fn next_level(depth: &mut u64, max_depth: u64, n_states: u64) -> NextLevel {
    if n_states == 0 || *depth >= max_depth {
        return NextLevel::End;
    }
    *depth += 1;
    NextLevel::Level(n_states)
}
