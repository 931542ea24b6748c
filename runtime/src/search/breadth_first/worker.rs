//! A worker: expands states, collects their successors, and applies the cycle proviso to ample sets.
//!
//! Where states come from and where they go depends on the number of threads ([`FrontierAccess`]).

use super::batch::{Batch, LARGEST_BATCH, Open, PendingRuns, ReducedExpansion, SuccessorRange};
use super::expansion_order::{ExpansionId, ExpansionOrder};
use super::level_throttle::LevelThrottle;
use super::shared::SearchStatus;
use super::sightings::{Sighting, Sightings};
use crate::hidden::Hidden;
use crate::limits::Stop;
use crate::memory::OutOfMemory;
use crate::monitor::Progress;
use crate::pack::Packed;
use crate::search::control::Control;
use crate::signal;
use crate::system::{Pulse, ReductionConfig, Sampling, Successors, System};
use crate::verdict::Found;
use std::sync::atomic::Ordering::Relaxed;

/// Expanded states between two checks of the clock.
const TICK: u64 = 512;

/// The queue and the set of a worker.
pub(super) trait FrontierAccess<P: Packed>: Sized {
    /// The key of a state in the set.
    type Key: Copy;

    /// Copies the state with this number in the expansion order of the worker.
    fn read(&self, expansion_index: u64, into: &mut P) -> Hidden;

    /// Prefetches for the insertion of the successors from this position on.
    fn announce(
        &mut self,
        successors: &Successors<P>,
        begin: usize,
        keys: &mut Vec<Self::Key>,
    ) -> Result<(), OutOfMemory>;

    /// Inserts a batch, and expands states again whose ample sets the proviso rejects.
    fn insert(
        &mut self,
        worker: &mut Worker<'_, '_, P, Self::Key>,
        batch: &mut Batch<P, Self::Key>,
        system: &mut dyn System<P>,
    );

    /// Inserts successors of fully expanded states.
    fn insert_plainly(
        &mut self,
        worker: &mut Worker<'_, '_, P, Self::Key>,
        successors: &Successors<P>,
        waiting: &PendingRuns<Self::Key>,
    ) -> Result<(), OutOfMemory>;

    /// Whether one of the successors is in the queue far enough behind its parent.
    fn has_queued(&mut self, successors: &Successors<P>, run: &SuccessorRange) -> bool;

    /// Reports all sizes, and updates the limit of the set.
    fn report(&mut self, shared: &SearchStatus, expansion_order: &ExpansionOrder);
}

/// `K` is the key of its [`FrontierAccess`].
pub(super) struct Worker<'w, 'a, P: Packed, K> {
    pub shared: &'w SearchStatus,
    /// Only the first worker has it.
    pub control: Option<&'w mut Control<'a>>,
    pub thread: u16,
    pub expansion_order: ExpansionOrder,
    config: Option<ReductionConfig<'w>>,
    pub throttle: LevelThrottle,
    pub sightings: Sightings,
    /// The distance of the level that is expanded from the initial state.
    pub depth: u64,
    n_expanded: u64,
    state: P,
    /// Batches for states whose ample set was rejected. They are kept, since they are needed too often to be allocated
    /// anew.
    spare: Vec<Box<Batch<P, K>>>,
}

impl<'w, 'a, P: Packed, K: Copy> Worker<'w, 'a, P, K> {
    pub fn new(
        shared: &'w SearchStatus,
        thread: u16,
        config: Option<ReductionConfig<'w>>,
        sampling: Sampling,
    ) -> Worker<'w, 'a, P, K> {
        Worker {
            shared,
            control: None,
            thread,
            expansion_order: ExpansionOrder::default(),
            config,
            throttle: LevelThrottle::new(config, sampling),
            sightings: Sightings::default(),
            depth: 0,
            n_expanded: 0,
            state: P::default(),
            spare: Vec::new(),
        }
    }

    /// Whether the proviso may ask, on the present level, which states are in the next one.
    pub fn asks_levels(&self) -> bool {
        self.config.is_some_and(|config| !config.is_static()) && self.throttle.looks()
    }

    /// Expands a state for the first time, and checks the limits now and then.
    #[inline]
    pub fn expand_next(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        expansion_index: u64,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, K>,
    ) {
        if self.n_expanded.is_multiple_of(TICK) {
            access.report(self.shared, &self.expansion_order);
            self.tick();
        }
        self.n_expanded += 1;
        self.expand(access, expansion_index, (0, 0), system, batch);
    }

    /// Appends the successors of a state to the batch: those of the first ample set behind `n_rejected` ones, which had
    /// `n_before` successors.
    pub fn expand(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        expansion_index: u64,
        (n_rejected, n_before): (usize, u32),
        system: &mut dyn System<P>,
        batch: &mut Batch<P, K>,
    ) {
        let mark = batch.successors.mark();
        let hidden = access.read(expansion_index, &mut batch.from);
        if self.throttle.is_sampled() {
            self.throttle_state(expansion_index, &batch.from, system);
        }
        // The proviso is checked when all successors of the ample set are known.
        batch.successors.high_water = if self.config.is_none() { LARGEST_BATCH } else { usize::MAX };
        batch.waiting.open = Open { expansion_index, begin: mark.arrivals, n_before };
        let mut pulse = BatchPulse { worker: self, access, waiting: &mut batch.waiting };
        let expansion = system.expand(&batch.from, hidden, n_rejected, &mut batch.successors, &mut pulse);
        if batch.successors.is_full() {
            self.shared.out_of_memory();
        }
        let found = if batch.successors.found.len() > mark.found {
            batch.successors.found.drain(mark.found..).map(|met| met.found).collect()
        } else {
            Box::default()
        };
        let choice = self.weigh(expansion.chosen, expansion_index, found);
        self.close(access, &batch.successors, &mut batch.waiting, choice);
    }

    /// Sets the throttle for one state of a level of which a sample is reduced.
    #[cold]
    fn throttle_state(&self, expansion_index: u64, state: &P, system: &mut dyn System<P>) {
        // With one thread the index is the number of the state, and with several the number does not matter.
        system.set_throttle(self.throttle.now().of_state(expansion_index, || state.hash()));
    }

    /// Violations in the steps of an ample set are reported when it is accepted; those of a full expansion at once.
    #[inline]
    fn weigh(&mut self, chosen: Option<usize>, expansion_index: u64, found: Box<[Found]>) -> Option<ReducedExpansion> {
        // Ample sets are checked when their successors are inserted, unless all of them are known to satisfy the
        // proviso.
        let has_proviso = self.config.is_some_and(|config| !config.is_static());
        match chosen {
            Some(n_tried) if has_proviso => Some(ReducedExpansion { n_tried: n_tried as u32, found }),
            Some(_) | None => {
                if !found.is_empty() {
                    self.meet_all(expansion_index, found);
                }
                None
            }
        }
    }

    /// All successors of the expansion are in the batch.
    #[inline]
    fn close(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        successors: &Successors<P>,
        waiting: &mut PendingRuns<K>,
        choice: Option<ReducedExpansion>,
    ) {
        let Open { expansion_index, begin, n_before } = waiting.open;
        if access.announce(successors, begin, &mut waiting.keys).is_err() {
            self.shared.out_of_memory();
        }
        waiting.runs.push(SuccessorRange {
            expansion_index,
            begin,
            end: successors.len(),
            n_before,
            has_choice: choice.is_some(),
        });
        if let Some(choice) = choice {
            waiting.choices.push(choice);
        }
    }

    /// The successors of a range are inserted. If the proviso rejects its ample set, returns the number of candidates
    /// that were tried.
    #[inline]
    pub fn judge(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        (successors, run): (&Successors<P>, &SuccessorRange),
        has_new: bool,
        choice: ReducedExpansion,
        system: &mut dyn System<P>,
    ) -> Option<usize> {
        let n_tried = choice.n_tried as usize;
        if has_new || self.is_accepted(access, successors, run, n_tried, system) {
            self.meet_all(run.expansion_index, choice.found);
            return None;
        }
        Some(n_tried)
    }

    /// No successor by the ample set is new. It is accepted if one is in the queue nevertheless, or if it removes no
    /// step. Spin's proviso exists for its counts, and Spin does not check the latter.
    fn is_accepted(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        successors: &Successors<P>,
        run: &SuccessorRange,
        n_tried: usize,
        system: &mut dyn System<P>,
    ) -> bool {
        if access.has_queued(successors, run) {
            return true;
        }
        if self.config.is_some_and(|config| config.is_prompt()) {
            return false;
        }
        let hidden = access.read(run.expansion_index, &mut self.state);
        if self.throttle.is_sampled() {
            self.throttle_state(run.expansion_index, &self.state, system);
        }
        system.is_whole(&self.state, hidden, n_tried)
    }

    /// An empty batch, to be given back.
    pub fn borrow_batch(&mut self) -> Box<Batch<P, K>> {
        self.spare.pop().unwrap_or_else(|| Box::new(Batch::new()))
    }

    pub fn give_back(&mut self, batch: Box<Batch<P, K>>) {
        self.spare.push(batch);
    }

    pub fn meet_all(&mut self, expansion_index: u64, all_found: impl IntoIterator<Item = Found>) {
        for found in all_found {
            if self.shared.is_over() {
                return;
            }
            signal::note_violation();
            let at = ExpansionId { number: expansion_index, thread: self.thread };
            self.sightings.note(Sighting { found, depth: self.depth, at, occurrences: 1 });
            if !self.shared.all_errors || found.kind.ends_search() {
                self.shared.end(Stop::Violation);
            }
        }
    }

    /// Reports the progress of all threads, and checks the limits.
    #[cold]
    pub fn tick(&mut self) {
        if let Some(control) = &mut self.control {
            control.tick(Progress {
                states_stored: self.shared.n_states(),
                transitions: self.shared.n_transitions(),
                depth: self.depth,
                memory_bytes: self.shared.memory_bytes(),
                ..Progress::default()
            });
            if let Some(stop) = control.stop {
                self.shared.end(stop);
            }
        }
    }

    fn check_limits(&mut self, memory_beside: u64) {
        if let Some(control) = &mut self.control {
            control.check_limits(self.shared.memory_bytes() + memory_beside);
            if let Some(stop) = control.stop {
                self.shared.end(stop);
            }
        }
    }

    pub fn with_control(&mut self, act: impl FnOnce(&mut Control<'a>)) {
        if let Some(control) = &mut self.control {
            act(control);
        }
    }
}

/// Checks the limits during a long expansion, and inserts successors if there are too many.
struct BatchPulse<'p, 'w, 'a, P: Packed, D: FrontierAccess<P>> {
    worker: &'p mut Worker<'w, 'a, P, D::Key>,
    access: &'p mut D,
    waiting: &'p mut PendingRuns<D::Key>,
}

impl<P: Packed, D: FrontierAccess<P>> Pulse<P> for BatchPulse<'_, '_, '_, P, D> {
    fn beat(&mut self, out: &mut Successors<P>) -> bool {
        if out.len() >= out.high_water {
            let n_new = (out.len() - self.waiting.open.begin) as u32;
            self.worker.close(self.access, out, self.waiting, None);
            if self.access.insert_plainly(self.worker, out, self.waiting).is_err() {
                self.worker.shared.out_of_memory();
            }
            out.truncate_arrivals(0);
            self.waiting.clear();
            self.waiting.open.begin = 0;
            self.waiting.open.n_before += n_new;
        }
        self.worker.check_limits(out.memory_bytes());
        self.worker.shared.is_over()
    }
}

/// Reports the figures of a thread.
pub(super) fn report_thread(shared: &SearchStatus, thread: u16, transitions: u64, memory_bytes: u64) {
    let gauge = shared.of_thread(thread);
    gauge.transitions.store(transitions, Relaxed);
    gauge.memory_bytes.store(memory_bytes, Relaxed);
}

/// Reports the size of the set.
pub(super) fn report_set(shared: &SearchStatus, n_states: u64, memory_bytes: u64) {
    let gauge = shared.of_set();
    gauge.states.store(n_states, Relaxed);
    gauge.memory_bytes.store(memory_bytes, Relaxed);
}
