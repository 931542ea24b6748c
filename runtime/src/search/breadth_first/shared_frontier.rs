//! The frontier as one of several threads sees it: a queue for each thread, and a concurrent set.
//!
//! A thread claims a chunk of a level from a queue, its own first, and appends new successors to its own queue. It locks
//! its own queue while it inserts, so that a state that other threads find in the set is already in that queue when they
//! can lock it. A thread holds a guard of the set ([`Stay`]) while it expands a level, and never blocks on a queue out of
//! the order of `lock.rs`.

use super::FIRST_RUN;
use super::batch::{Batch, LARGEST_BATCH, PendingRuns, SuccessorRange};
use super::chunk::Chunk;
use super::expansion_order::ExpansionOrder;
use super::shared::SearchStatus;
use super::thread_queue::ThreadQueue;
use super::worker::{FrontierAccess, Worker, report_set, report_thread};
use super::worker_group::WorkerGroup;
use crate::hidden::Hidden;
use crate::lock::{Lock, Locked};
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::search::frontier::Kept;
use crate::store::concurrent::{ConcurrentSet, Freshness, Insertion, Stay};
use crate::system::{Successors, System};
use std::ops::Range;

pub(super) struct SharedFrontier<'c, P: Packed, C: ConcurrentSet<P>> {
    set: &'c C,
    hand: C::Hand,
    thread: u16,
    pub queues: &'c [Lock<ThreadQueue<P>>],
    worker_group: &'c WorkerGroup,
    /// The distance of the level that is expanded from the initial state.
    depth: u64,
    /// Whether some ample sets of that level depend on which states are in the next one.
    asks_levels: bool,
    /// The chunk that this thread expands.
    chunk: Chunk<P>,
    /// For each range of the last inserted batch, whether one of its successors is new or in the next level.
    is_fresh: Vec<bool>,
    state: P,
}

impl<'c, P: Packed, C: ConcurrentSet<P>> SharedFrontier<'c, P, C> {
    pub fn new(
        set: &'c C,
        queues: &'c [Lock<ThreadQueue<P>>],
        worker_group: &'c WorkerGroup,
        thread: u16,
    ) -> SharedFrontier<'c, P, C> {
        SharedFrontier {
            set,
            hand: set.hand(usize::from(thread)),
            thread,
            queues,
            worker_group,
            depth: 0,
            asks_levels: false,
            chunk: Chunk::new(),
            is_fresh: Vec::new(),
            state: P::default(),
        }
    }

    /// Expands the level, or the part that other threads leave. Returns whether the search goes on.
    pub fn expand_level(
        &mut self,
        worker: &mut Worker<'_, '_, P, ()>,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, ()>,
    ) -> bool {
        system.set_throttle(worker.throttle.now());
        self.depth = worker.depth;
        let own = usize::from(self.thread);
        self.asks_levels = C::KNOWS_LEVELS && worker.asks_levels();
        self.set.begin_level(own, self.asks_levels.then_some(self.depth));
        let queues = self.queues;
        let mut phase = Phase::new(self);
        for queue in queues[own..].iter().chain(&queues[..own]) {
            while !worker.shared.is_over() {
                match phase.shared_frontier.claim(queue, worker) {
                    Ok(true) => phase.expand_unit(worker, system, batch),
                    Ok(false) => break,
                    Err(OutOfMemory) => worker.shared.out_of_memory(),
                }
            }
        }
        !worker.shared.is_over()
    }

    /// Claims a chunk of a queue. Returns whether there is one.
    fn claim(&mut self, queue: &Lock<ThreadQueue<P>>, worker: &mut Worker<'_, '_, P, ()>) -> Result<bool, OutOfMemory> {
        {
            let mut queue = lock_at(self.depth, queue);
            if !queue.claim((self.queues.len() as u64, C::BATCH as u64), &mut self.chunk)? {
                return Ok(false);
            }
        }
        self.chunk.first_index = worker.expansion_order.take(self.chunk.first, self.chunk.n_states())?;
        Ok(true)
    }

    /// Inserts the initial state, as the first of this thread's queue.
    pub fn begin(
        &mut self,
        initial: &P,
        hidden: Hidden,
        worker: &mut Worker<'_, '_, P, ()>,
    ) -> Result<(), OutOfMemory> {
        self.make_room(worker);
        let mut successors = Successors::new();
        successors.push(initial, 0, Ok(hidden));
        Phase::new(self).insert_runs(worker, &successors, &[FIRST_RUN])
    }

    /// Grows the set. This thread must not hold a guard of it.
    fn make_room(&self, worker: &mut Worker<'_, '_, P, ()>) {
        self.worker_group.coordinator.make_room(self.set, usize::from(self.thread), worker);
    }

    /// States that this thread has found for the next level.
    pub fn n_next(&self) -> u64 {
        self.queues[usize::from(self.thread)].lock().n_next()
    }

    /// Reports the sizes of the queue and of the set.
    pub fn report(&self, shared: &SearchStatus, expansion_order: &ExpansionOrder) {
        let queue = self.queues[usize::from(self.thread)].lock();
        report_thread(shared, self.thread, queue.transitions, queue.memory_bytes() + expansion_order.memory_bytes());
        report_set(shared, self.set.n_states(), self.set.memory_bytes());
        self.set.set_memory_limit(shared.memory_limit.saturating_sub(shared.memory_beside()));
    }

    /// Accepts an ample set without new successors if one of its successors is in the next level, where another thread
    /// has put it. If the set does not know that, the queues are asked, and locked once for all ranges, since their threads
    /// are busy with them.
    fn note_queued(&mut self, successors: &Successors<P>, runs: &[SuccessorRange]) {
        let SharedFrontier { set, queues, depth, is_fresh, state, .. } = self;
        if C::KNOWS_LEVELS || runs.iter().zip(&*is_fresh).all(|(run, is_fresh)| *is_fresh || !run.has_choice) {
            return;
        }
        for queue in queues.iter() {
            let queue = &mut *lock_at(*depth, queue);
            let kept = KeptBy { set: *set, thread: usize::from(queue.number) };
            let kept = C::KEEPS_STATES.then_some(&kept);
            for (run, is_fresh) in runs.iter().zip(is_fresh.iter_mut()) {
                if run.has_choice && !*is_fresh {
                    *is_fresh = (run.begin..run.end).any(|position| {
                        let hash = successors.arrivals[position].hash;
                        queue.is_in_next_level(successors.get(position, state), hash, kept)
                    });
                }
            }
        }
    }

    /// Whether so many states, and what other threads insert meanwhile, may exceed the limit. Then they are inserted
    /// one by one.
    fn may_reach_limit(&self, n_more: usize, shared: &SearchStatus) -> bool {
        let n_most = 2 * LARGEST_BATCH;
        let in_flight = (n_most * self.queues.len()) as u64;
        shared.limits_states() && (n_more > n_most || shared.is_full(self.set.n_states() + in_flight))
    }

    /// Returns how many were inserted; fewer if the set has to grow first.
    fn insert_some(
        &mut self,
        inside: &C::Inside<'_>,
        successors: &Successors<P>,
        runs: &[SuccessorRange],
        positions: Range<usize>,
        shared: &SearchStatus,
    ) -> Result<usize, OutOfMemory> {
        let SharedFrontier { set, hand, is_fresh, asks_levels, state, .. } = self;
        let _counting;
        if positions.len() == 1 && shared.limits_states() {
            _counting = shared.count();
            let hash = successors.arrivals[positions.start].hash;
            if shared.is_full(set.n_states()) && !set.contains(inside, successors.get(positions.start, state), hash) {
                shared.end_at_limit();
                return Ok(0);
            }
        }
        let queue = &mut *self.queues[usize::from(self.thread)].lock();
        let at = runs.partition_point(|run| run.end <= positions.start);
        let mut noting = Noting { queue: &mut *queue, is_fresh, successors, runs, at, state };
        let inserted = if *asks_levels {
            let on_fresh = |position, freshness| noting.note(position, freshness);
            set.insert_on_level(inside, hand, successors, positions.clone(), on_fresh)?
        } else {
            let on_new = |position| noting.note(position, Freshness::New);
            set.insert(inside, hand, successors, positions.clone(), on_new)?
        };
        let end = match inserted {
            Insertion::Done => positions.end,
            Insertion::NoRoomFor(position) => position,
        };
        queue.transitions += (end - positions.start) as u64;
        Ok(end - positions.start)
    }
}

/// What an insertion tells of the successors in some runs.
struct Noting<'n, P: Packed> {
    queue: &'n mut ThreadQueue<P>,
    is_fresh: &'n mut [bool],
    successors: &'n Successors<P>,
    runs: &'n [SuccessorRange],
    /// The run of the position that was told last.
    at: usize,
    state: &'n mut P,
}

impl<P: Packed> Noting<'_, P> {
    #[inline(always)]
    fn note(&mut self, position: usize, freshness: Freshness) -> Result<(), OutOfMemory> {
        let Noting { queue, is_fresh, successors, runs, at, state } = self;
        while runs[*at].end <= position {
            *at += 1;
        }
        is_fresh[*at] = true;
        if freshness == Freshness::Recent {
            return Ok(());
        }
        let run = &runs[*at];
        let entry = run.entry(position - run.begin, successors.arrivals[position].hidden);
        queue.add(successors.get(position, state), entry)
    }
}

/// The access of a thread that holds a guard of the set.
struct Phase<'p, 'c, P: Packed, C: ConcurrentSet<P>> {
    shared_frontier: &'p mut SharedFrontier<'c, P, C>,
    stay: Stay<'c, C>,
}

impl<'p, 'c, P: Packed, C: ConcurrentSet<P>> Phase<'p, 'c, P, C> {
    fn new(shared_frontier: &'p mut SharedFrontier<'c, P, C>) -> Phase<'p, 'c, P, C> {
        let stay = Stay::new(shared_frontier.set);
        Phase { shared_frontier, stay }
    }

    fn expand_unit(
        &mut self,
        worker: &mut Worker<'_, '_, P, ()>,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, ()>,
    ) {
        let first = self.shared_frontier.chunk.first_index;
        for expansion_index in first..first + self.shared_frontier.chunk.n_states() {
            worker.expand_next(self, expansion_index, system, batch);
            if batch.successors.len() >= C::BATCH {
                self.insert(worker, batch, system);
            }
            if worker.shared.is_over() {
                return;
            }
        }
        self.insert(worker, batch, system);
        if self.shared_frontier.worker_group.coordinator.wants_room() {
            self.make_room(worker);
        }
    }

    fn make_room(&mut self, worker: &mut Worker<'_, '_, P, ()>) {
        self.stay.outside(|| self.shared_frontier.make_room(worker));
    }

    fn insert_runs(
        &mut self,
        worker: &mut Worker<'_, '_, P, ()>,
        successors: &Successors<P>,
        runs: &[SuccessorRange],
    ) -> Result<(), OutOfMemory> {
        let shared = worker.shared;
        self.shared_frontier.is_fresh.clear();
        self.shared_frontier.is_fresh.resize(runs.len(), false);
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Ok(()) };
        let mut rest = first.begin..last.end;
        while !rest.is_empty() && !shared.is_over() {
            let is_near_limit = self.shared_frontier.may_reach_limit(rest.len(), shared);
            let some = if is_near_limit { rest.start..rest.start + 1 } else { rest.clone() };
            let n_done =
                self.shared_frontier.insert_some(self.stay.inside(), successors, runs, some.clone(), shared)?;
            rest.start += n_done;
            if n_done < some.len() && !shared.is_over() {
                self.make_room(worker);
            }
        }
        Ok(())
    }
}

impl<P: Packed, C: ConcurrentSet<P>> FrontierAccess<P> for Phase<'_, '_, P, C> {
    type Key = ();

    #[inline]
    fn read(&self, expansion_index: u64, into: &mut P) -> Hidden {
        self.shared_frontier.chunk.read(expansion_index, self.shared_frontier.set, into)
    }

    #[inline]
    fn announce(&mut self, successors: &Successors<P>, begin: usize, _: &mut Vec<()>) -> Result<(), OutOfMemory> {
        let inside = self.stay.inside();
        for arrival in &successors.arrivals[begin..] {
            self.shared_frontier.set.announce(inside, arrival.hash);
        }
        Ok(())
    }

    /// Inserts the whole batch, and then expands the states whose ample sets are rejected again, in one batch.
    fn insert(&mut self, worker: &mut Worker<'_, '_, P, ()>, batch: &mut Batch<P, ()>, system: &mut dyn System<P>) {
        let Batch { successors, waiting, .. } = batch;
        if self.insert_runs(worker, successors, &waiting.runs).is_err() {
            worker.shared.out_of_memory();
        }
        if !waiting.choices.is_empty() && !worker.shared.is_over() {
            self.shared_frontier.note_queued(successors, &waiting.runs);
            let mut again = worker.borrow_batch();
            let is_fresh = std::mem::take(&mut self.shared_frontier.is_fresh);
            let mut next_choice = waiting.choices.drain(..);
            for (run, &has_new) in waiting.runs.iter().zip(&is_fresh) {
                if run.has_choice
                    && let Some(choice) = next_choice.next()
                    && let Some(n_tried) = worker.judge(self, (successors, run), has_new, choice, system)
                {
                    worker.expand(self, run.expansion_index, (n_tried, run.n_until()), system, &mut again);
                }
            }
            drop(next_choice);
            self.shared_frontier.is_fresh = is_fresh;
            if !again.waiting.runs.is_empty() {
                self.insert(worker, &mut again, system);
            }
            worker.give_back(again);
        }
        batch.clear();
    }

    fn insert_plainly(
        &mut self,
        worker: &mut Worker<'_, '_, P, ()>,
        successors: &Successors<P>,
        waiting: &PendingRuns<()>,
    ) -> Result<(), OutOfMemory> {
        self.insert_runs(worker, successors, &waiting.runs)
    }

    /// Whether a successor is in the next level was recorded when the batch was inserted.
    fn has_queued(&mut self, _: &Successors<P>, _: &SuccessorRange) -> bool {
        false
    }

    fn report(&mut self, shared: &SearchStatus, expansion_order: &ExpansionOrder) {
        self.shared_frontier.report(shared, expansion_order);
    }
}

/// The states of one thread, as a set keeps them.
struct KeptBy<'s, C> {
    set: &'s C,
    thread: usize,
}

impl<P: Packed, C: ConcurrentSet<P>> Kept<P> for KeptBy<'_, C> {
    fn read(&self, number: u64, into: &mut P) {
        self.set.read(self.thread, number, into);
    }

    fn hash(&self, number: u64, buffer: &mut P) -> u64 {
        self.set.read(self.thread, number, buffer);
        buffer.hash()
    }

    fn is_equal(&self, number: u64, state: &P) -> bool {
        self.set.is_equal(self.thread, number, state)
    }
}

/// Locks a queue and makes sure that it knows the level at this depth: the first thread that locks it advances it.
fn lock_at<P: Packed>(depth: u64, queue: &Lock<ThreadQueue<P>>) -> Locked<'_, ThreadQueue<P>> {
    let mut queue = queue.lock();
    queue.advance_to(depth);
    queue
}
