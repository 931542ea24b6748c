//! Breadth-first search on one thread, which owns the set.
//!
//! States are expanded in the order of their numbers, and a rejected ample set is replaced before the successors of the
//! next state are inserted, as if there were no batches.

use super::batch::{Batch, PendingRuns, SuccessorRange};
use super::expansion_order::ExpansionOrder;
use super::shared::SearchStatus;
use super::thread_queue::ThreadQueue;
use super::worker::{FrontierAccess, Worker, report_set, report_thread};
use crate::hidden::Hidden;
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::store::{StateSet, Visited};
use crate::system::{Successors, System};

/// The least number of successors that are inserted together.
const BATCH: usize = 64;

pub(super) struct Alone<P: Packed, S> {
    pub set: S,
    pub queue: ThreadQueue<P>,
    state: P,
}

impl<P: Packed, S: StateSet<P>> Alone<P, S> {
    pub fn new(set: S, queue: ThreadQueue<P>) -> Alone<P, S> {
        Alone { set, queue, state: P::default() }
    }

    /// Expands the level. Returns whether it was completed.
    pub fn expand_level(
        &mut self,
        worker: &mut Worker<'_, '_, P, S::Key>,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, S::Key>,
    ) -> bool {
        let level = self.queue.level.clone();
        for number in level.clone() {
            worker.expand_next(self, number, system, batch);
            let is_last = number + 1 == level.end;
            if batch.successors.len() >= BATCH || is_last {
                self.insert(worker, batch, system);
                self.queue.frontier.release_before(number + 1);
            }
            if worker.shared.is_over() {
                return is_last;
            }
        }
        true
    }

    /// The second prefetch, which may use what the first one fetched.
    #[inline]
    fn approach(&self, keys: &[S::Key]) {
        for &key in keys {
            self.set.approach(key);
        }
    }

    /// Inserts the successors of a state. Returns whether one of them is new.
    #[inline(always)]
    fn insert_run(
        &mut self,
        successors: &Successors<P>,
        keys: &[S::Key],
        run: &SuccessorRange,
        shared: &SearchStatus,
    ) -> Result<bool, OutOfMemory> {
        let n_before = self.queue.frontier.end();
        let (keys, arrivals) = (&keys[run.begin..run.end], &successors.arrivals[run.begin..run.end]);
        for ((place, &key), arrival) in keys.iter().enumerate().zip(arrivals) {
            let state = successors.get(run.begin + place, &mut self.state);
            if shared.is_full(self.set.n_states()) && !self.set.contains(state, key) {
                shared.end_at_limit();
                break;
            }
            self.queue.transitions += 1;
            if self.set.insert(state, key)? == Visited::New {
                self.queue.add(state, run.entry(place, arrival.hidden))?;
            }
        }
        Ok(self.queue.frontier.end() > n_before)
    }
}

impl<P: Packed, S: StateSet<P>> FrontierAccess<P> for Alone<P, S> {
    type Key = S::Key;

    #[inline]
    fn read(&self, expansion_index: u64, into: &mut P) -> Hidden {
        self.queue.frontier.read(expansion_index, self.set.states(), into)
    }

    #[inline]
    fn announce(
        &mut self,
        successors: &Successors<P>,
        begin: usize,
        keys: &mut Vec<S::Key>,
    ) -> Result<(), OutOfMemory> {
        for (offset, arrival) in successors.arrivals[begin..].iter().enumerate() {
            let key = if self.set.key_reads_state() {
                self.set.key(successors.get(begin + offset, &mut self.state), arrival.hash)?
            } else {
                self.set.key(&self.state, arrival.hash)?
            };
            keys.push(key);
        }
        Ok(())
    }

    fn insert(
        &mut self,
        worker: &mut Worker<'_, '_, P, S::Key>,
        batch: &mut Batch<P, S::Key>,
        system: &mut dyn System<P>,
    ) {
        let Batch { successors, waiting, .. } = batch;
        self.approach(&waiting.keys);
        let mut next_choice = waiting.choices.drain(..);
        for run in &waiting.runs {
            let has_new = match self.insert_run(successors, &waiting.keys, run, worker.shared) {
                Ok(has_new) => has_new,
                Err(OutOfMemory) => {
                    worker.shared.out_of_memory();
                    break;
                }
            };
            if worker.shared.is_over() {
                break;
            }
            if run.has_choice
                && let Some(choice) = next_choice.next()
                && let Some(n_tried) = worker.judge(self, (successors, run), has_new, choice, system)
            {
                let mut again = worker.borrow_batch();
                worker.expand(self, run.expansion_index, (n_tried, run.n_until()), system, &mut again);
                self.insert(worker, &mut again, system);
                worker.give_back(again);
            }
        }
        drop(next_choice);
        batch.clear();
    }

    fn insert_plainly(
        &mut self,
        worker: &mut Worker<'_, '_, P, S::Key>,
        successors: &Successors<P>,
        waiting: &PendingRuns<S::Key>,
    ) -> Result<(), OutOfMemory> {
        self.approach(&waiting.keys);
        for run in &waiting.runs {
            self.insert_run(successors, &waiting.keys, run, worker.shared)?;
            if worker.shared.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// In the queue behind its parent.
    fn has_queued(&mut self, successors: &Successors<P>, run: &SuccessorRange) -> bool {
        (run.begin..run.end).any(|position| {
            let state = successors.get(position, &mut self.state);
            let found = self.queue.frontier.find(state, successors.arrivals[position].hash, self.set.states());
            found.is_some_and(|number| number > run.expansion_index)
        })
    }

    fn report(&mut self, shared: &SearchStatus, expansion_order: &ExpansionOrder) {
        let beside = self.queue.memory_bytes() + expansion_order.memory_bytes();
        report_set(shared, self.set.n_states(), self.set.memory_bytes());
        report_thread(shared, 0, self.queue.transitions, beside);
        self.set.set_memory_limit(shared.memory_limit.saturating_sub(beside));
    }
}
