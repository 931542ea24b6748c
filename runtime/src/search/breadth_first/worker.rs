//! What one thread does: expands states, collects their successors, and applies the cycle proviso to ample sets.
//!
//! Where states come from and where they go depends on the number of threads ([`FrontierAccess`]).

use super::batch::{Batch, LARGEST_BATCH, Open, PendingRuns, ReducedExpansion, Run};
use super::level_throttle::LevelThrottle;
use super::shared::Shared;
use super::sightings::{Sighting, Sightings};
use super::turns::{Turn, Turns};
use crate::hidden::Hidden;
use crate::limits::Stop;
use crate::memory::OutOfMemory;
use crate::monitor::Progress;
use crate::pack::Packed;
use crate::search::control::Control;
use crate::signal;
use crate::system::{Pulse, ReductionConfig, Successors, System};
use crate::verdict::Found;
use std::sync::atomic::Ordering::Relaxed;

/// Expanded states between two looks at the clock.
const TICK: u64 = 512;

/// Where states come from and go to.
pub(super) trait FrontierAccess<P: Packed>: Sized {
    /// What a set wants to know of a state before it is inserted.
    type Key: Copy;

    /// Copies the state that is expanded in this turn of the worker.
    fn read(&self, turn: u64, into: &mut P) -> Hidden;

    /// Successors from this position on will be inserted soon.
    fn announce(
        &mut self,
        successors: &Successors<P>,
        begin: usize,
        keys: &mut Vec<Self::Key>,
    ) -> Result<(), OutOfMemory>;

    /// Inserts a batch, and mends choices that the proviso rejects.
    fn insert(
        &mut self,
        worker: &mut Worker<'_, '_, P, Self::Key>,
        batch: &mut Batch<P, Self::Key>,
        system: &mut dyn System<P>,
    );

    /// Inserts successors of states that have no choices.
    fn insert_plainly(
        &mut self,
        worker: &mut Worker<'_, '_, P, Self::Key>,
        successors: &Successors<P>,
        waiting: &PendingRuns<Self::Key>,
    ) -> Result<(), OutOfMemory>;

    /// Whether one of the successors is in the queue far enough behind its parent.
    fn has_queued(&mut self, successors: &Successors<P>, run: &Run) -> bool;

    /// Says how large everything is, and hears how large the set may become.
    fn report(&mut self, shared: &Shared, turns: &Turns);
}

/// `K` is the key of its [`FrontierAccess`].
pub(super) struct Worker<'w, 'a, P: Packed, K> {
    pub shared: &'w Shared,
    /// Only one worker has it.
    pub control: Option<&'w mut Control<'a>>,
    pub thread: u16,
    pub turns: Turns,
    config: Option<ReductionConfig<'w>>,
    pub throttle: LevelThrottle,
    pub sightings: Sightings,
    /// The distance of the level that is expanded from the initial state.
    pub depth: u64,
    n_expanded: u64,
    state: P,
    /// For states whose choice was rejected; as many as have waited for each other. They come and go too often to be moved.
    spare: Vec<Box<Batch<P, K>>>,
}

impl<'w, 'a, P: Packed, K: Copy> Worker<'w, 'a, P, K> {
    pub fn new(shared: &'w Shared, thread: u16, config: Option<ReductionConfig<'w>>) -> Worker<'w, 'a, P, K> {
        Worker {
            shared,
            control: None,
            thread,
            turns: Turns::default(),
            config,
            throttle: LevelThrottle::new(config),
            sightings: Sightings::default(),
            depth: 0,
            n_expanded: 0,
            state: P::default(),
            spare: Vec::new(),
        }
    }

    /// Expands a state for the first time, and now and then looks at the limits.
    #[inline]
    pub fn expand_next(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        turn: u64,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, K>,
    ) {
        if self.n_expanded.is_multiple_of(TICK) {
            access.report(self.shared, &self.turns);
            self.tick();
        }
        self.n_expanded += 1;
        self.expand(access, turn, (0, 0), system, batch);
    }

    /// Puts the successors of a state into the batch: those by the first choice behind `n_rejected` ones, of which
    /// `n_before` successors are known.
    pub fn expand(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        turn: u64,
        (n_rejected, n_before): (usize, u32),
        system: &mut dyn System<P>,
        batch: &mut Batch<P, K>,
    ) {
        let mark = batch.successors.mark();
        let hidden = access.read(turn, &mut batch.from);
        // Whether a choice will do is known when its successors are together.
        batch.successors.high_water = if self.config.is_none() { LARGEST_BATCH } else { usize::MAX };
        batch.waiting.open = Open { turn, begin: mark.arrivals, n_before };
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
        let choice = self.weigh(expansion.chosen, turn, found);
        self.close(access, &batch.successors, &mut batch.waiting, choice);
    }

    /// What goes wrong in the steps of a choice is told when it is accepted; otherwise it is told now.
    #[inline]
    fn weigh(&mut self, chosen: Option<usize>, turn: u64, found: Box<[Found]>) -> Option<ReducedExpansion> {
        // Choices are looked at when their successors are inserted, unless it is known that all will do.
        let has_proviso = self.config.is_some_and(|config| !config.is_static());
        match chosen {
            Some(n_tried) if has_proviso => Some(ReducedExpansion { n_tried: n_tried as u32, found }),
            Some(_) | None => {
                if !found.is_empty() {
                    self.meet_all(turn, found);
                }
                None
            }
        }
    }

    /// All successors that the state had to offer are there.
    #[inline]
    fn close(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        successors: &Successors<P>,
        waiting: &mut PendingRuns<K>,
        choice: Option<ReducedExpansion>,
    ) {
        let Open { turn, begin, n_before } = waiting.open;
        if access.announce(successors, begin, &mut waiting.keys).is_err() {
            self.shared.out_of_memory();
        }
        waiting.runs.push(Run { turn, begin, end: successors.len(), n_before, has_choice: choice.is_some() });
        if let Some(choice) = choice {
            waiting.choices.push(choice);
        }
    }

    /// The successors of a run are inserted. If the proviso rejects its choice, returns how many have been tried.
    #[inline]
    pub fn judge(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        (successors, run): (&Successors<P>, &Run),
        has_new: bool,
        choice: ReducedExpansion,
        system: &mut dyn System<P>,
    ) -> Option<usize> {
        let n_tried = choice.n_tried as usize;
        if has_new || self.is_accepted(access, successors, run, n_tried, system) {
            self.meet_all(run.turn, choice.found);
            return None;
        }
        Some(n_tried)
    }

    /// No successor of a state by some of its steps is new. The choice is accepted if one is in the queue nevertheless, or
    /// if it removes no step. Spin's proviso is there for its counts, and Spin does not check the latter.
    fn is_accepted(
        &mut self,
        access: &mut impl FrontierAccess<P, Key = K>,
        successors: &Successors<P>,
        run: &Run,
        n_tried: usize,
        system: &mut dyn System<P>,
    ) -> bool {
        if access.has_queued(successors, run) {
            return true;
        }
        if self.config.is_some_and(|config| config.is_prompt()) {
            return false;
        }
        let hidden = access.read(run.turn, &mut self.state);
        system.is_whole(&self.state, hidden, n_tried)
    }

    /// An empty batch, to be given back.
    pub fn borrow_batch(&mut self) -> Box<Batch<P, K>> {
        self.spare.pop().unwrap_or_else(|| Box::new(Batch::new()))
    }

    pub fn give_back(&mut self, batch: Box<Batch<P, K>>) {
        self.spare.push(batch);
    }

    pub fn meet_all(&mut self, turn: u64, all_found: impl IntoIterator<Item = Found>) {
        for found in all_found {
            if self.shared.is_over() {
                return;
            }
            signal::note_violation();
            let at = Turn { number: turn, thread: self.thread };
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

/// Looks at the limits during a long expansion, and inserts successors if there are too many.
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

/// Says how large a thread's things are.
pub(super) fn report_thread(shared: &Shared, thread: u16, transitions: u64, memory_bytes: u64) {
    let gauge = shared.of_thread(thread);
    gauge.transitions.store(transitions, Relaxed);
    gauge.memory_bytes.store(memory_bytes, Relaxed);
}

/// Says how large the set is.
pub(super) fn report_set(shared: &Shared, n_states: u64, memory_bytes: u64) {
    let gauge = shared.of_set();
    gauge.states.store(n_states, Relaxed);
    gauge.memory_bytes.store(memory_bytes, Relaxed);
}
