//! One of several threads, which share a concurrent set.
//!
//! A thread takes some states of a level at a time out of a lane, its own first, and puts what is new of their successors
//! into its own lane. While it inserts it holds its own lane, so that a state that others find in the set is in that lane
//! when they can have it. It is inside the set while it expands a level, by a [`Phase`]; the order of locks is that of
//! `lock.rs`.

use super::FIRST_RUN;
use super::batch::{Batch, LARGEST_BATCH, Run, Waiting};
use super::lane::Lane;
use super::shared::Shared;
use super::team::Team;
use super::turns::Turns;
use super::unit::Unit;
use super::worker::{Depot, Worker, report_set, report_thread};
use crate::hidden::Hidden;
use crate::lock::{Lock, Locked};
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::search::frontier::Kept;
use crate::store::common::{CommonSet, Insertion, Stay};
use crate::system::{Successors, System};
use std::ops::Range;

pub(super) struct Crew<'c, P: Packed, C: CommonSet<P>> {
    set: &'c C,
    hand: C::Hand,
    thread: u16,
    pub lanes: &'c [Lock<Lane<P>>],
    team: &'c Team,
    /// The distance of the level that is expanded from the initial state.
    depth: u64,
    /// The states that are expanded.
    unit: Unit<P>,
    /// For each run of the batch that was inserted last, whether one of its successors is new, or in the next level.
    is_fresh: Vec<bool>,
    state: P,
}

impl<'c, P: Packed, C: CommonSet<P>> Crew<'c, P, C> {
    pub fn new(set: &'c C, lanes: &'c [Lock<Lane<P>>], team: &'c Team, thread: u16) -> Crew<'c, P, C> {
        Crew {
            set,
            hand: set.hand(usize::from(thread)),
            thread,
            lanes,
            team,
            depth: 0,
            unit: Unit::new(),
            is_fresh: Vec::new(),
            state: P::default(),
        }
    }

    /// Expands the level, or what others leave of it. Returns whether the search goes on.
    pub fn expand_level(
        &mut self,
        worker: &mut Worker<'_, '_, P, ()>,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, ()>,
    ) -> bool {
        system.set_throttle(worker.throttle.now());
        self.depth = worker.depth;
        let own = usize::from(self.thread);
        let lanes = self.lanes;
        let mut phase = Phase::new(self);
        for lane in lanes[own..].iter().chain(&lanes[..own]) {
            while !worker.shared.is_over() {
                match phase.crew.claim(lane, worker) {
                    Ok(true) => phase.expand_unit(worker, system, batch),
                    Ok(false) => break,
                    Err(OutOfMemory) => worker.shared.out_of_memory(),
                }
            }
        }
        !worker.shared.is_over()
    }

    /// Takes some states out of a lane. Returns whether there are any.
    fn claim(&mut self, lane: &Lock<Lane<P>>, worker: &mut Worker<'_, '_, P, ()>) -> Result<bool, OutOfMemory> {
        {
            let mut lane = lock_at(self.depth, lane);
            if !lane.claim((self.lanes.len() as u64, C::BATCH as u64), &mut self.unit)? {
                return Ok(false);
            }
        }
        self.unit.first_turn = worker.turns.take(self.unit.first, self.unit.n_states())?;
        Ok(true)
    }

    /// Puts the initial state in, as the first of this thread's lane.
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

    /// Has the set grow. This thread must not be inside.
    fn make_room(&self, worker: &mut Worker<'_, '_, P, ()>) {
        self.team.coordinator.make_room(self.set, usize::from(self.thread), worker);
    }

    /// States that this thread has found for the next level.
    pub fn n_next(&self) -> u64 {
        self.lanes[usize::from(self.thread)].lock().n_next()
    }

    /// Says how large everything is.
    pub fn report(&self, shared: &Shared, turns: &Turns) {
        let lane = self.lanes[usize::from(self.thread)].lock();
        report_thread(shared, self.thread, lane.transitions, lane.memory_bytes() + turns.memory_bytes());
        report_set(shared, self.set.n_states(), self.set.memory_bytes());
        self.set.set_memory_limit(shared.memory_limit.saturating_sub(shared.memory_beside()));
    }

    /// A choice none of whose successors is new will do if one of them is in the next level all the same, which others have
    /// found. Lanes are locked once for all runs, since their threads are busy with them.
    fn note_queued(&mut self, successors: &Successors<P>, runs: &[Run]) {
        let Crew { set, lanes, depth, is_fresh, state, .. } = self;
        if runs.iter().zip(&*is_fresh).all(|(run, is_fresh)| *is_fresh || !run.has_choice) {
            return;
        }
        for lane in lanes.iter() {
            let lane = &mut *lock_at(*depth, lane);
            let kept = KeptBy { set: *set, thread: usize::from(lane.number) };
            let kept = C::KEEPS_STATES.then_some(&kept);
            for (run, is_fresh) in runs.iter().zip(is_fresh.iter_mut()) {
                if run.has_choice && !*is_fresh {
                    *is_fresh = (run.begin..run.end).any(|position| {
                        let hash = successors.arrivals[position].hash;
                        lane.is_in_next_level(successors.get(position, state), hash, kept)
                    });
                }
            }
        }
    }

    /// Whether so many states, and what others insert meanwhile, may be more than are allowed. Then they are inserted one by
    /// one.
    fn may_reach_limit(&self, n_more: usize, shared: &Shared) -> bool {
        let n_most = 2 * LARGEST_BATCH;
        let in_flight = (n_most * self.lanes.len()) as u64;
        shared.limits_states() && (n_more > n_most || shared.is_full(self.set.n_states() + in_flight))
    }

    /// Returns how many were inserted; fewer if the set has to grow first.
    fn insert_some(
        &mut self,
        inside: &C::Inside<'_>,
        successors: &Successors<P>,
        runs: &[Run],
        positions: Range<usize>,
        shared: &Shared,
    ) -> Result<usize, OutOfMemory> {
        let Crew { set, hand, is_fresh, state, .. } = self;
        let _counting;
        if positions.len() == 1 && shared.limits_states() {
            _counting = shared.count();
            let hash = successors.arrivals[positions.start].hash;
            if shared.is_full(set.n_states()) && !set.contains(inside, successors.get(positions.start, state), hash) {
                shared.end_at_limit();
                return Ok(0);
            }
        }
        let lane = &mut *self.lanes[usize::from(self.thread)].lock();
        let mut at = runs.partition_point(|run| run.end <= positions.start);
        let on_new = |position: usize| {
            while runs[at].end <= position {
                at += 1;
            }
            is_fresh[at] = true;
            let letter = runs[at].letter(position - runs[at].begin, successors.arrivals[position].hidden);
            lane.add(successors.get(position, state), letter)
        };
        let end = match set.insert(inside, hand, successors, positions.clone(), on_new)? {
            Insertion::Done => positions.end,
            Insertion::NoRoomFor(position) => position,
        };
        lane.transitions += (end - positions.start) as u64;
        Ok(end - positions.start)
    }
}

/// A thread while it is inside the set.
struct Phase<'p, 'c, P: Packed, C: CommonSet<P>> {
    crew: &'p mut Crew<'c, P, C>,
    stay: Stay<'c, C>,
}

impl<'p, 'c, P: Packed, C: CommonSet<P>> Phase<'p, 'c, P, C> {
    fn new(crew: &'p mut Crew<'c, P, C>) -> Phase<'p, 'c, P, C> {
        let stay = Stay::new(crew.set);
        Phase { crew, stay }
    }

    fn expand_unit(
        &mut self,
        worker: &mut Worker<'_, '_, P, ()>,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, ()>,
    ) {
        let first = self.crew.unit.first_turn;
        for turn in first..first + self.crew.unit.n_states() {
            worker.expand_next(self, turn, system, batch);
            if batch.successors.len() >= C::BATCH {
                self.insert(worker, batch, system);
            }
            if worker.shared.is_over() {
                return;
            }
        }
        self.insert(worker, batch, system);
        if self.crew.team.coordinator.wants_room() {
            self.make_room(worker);
        }
    }

    fn make_room(&mut self, worker: &mut Worker<'_, '_, P, ()>) {
        self.stay.outside(|| self.crew.make_room(worker));
    }

    fn insert_runs(
        &mut self,
        worker: &mut Worker<'_, '_, P, ()>,
        successors: &Successors<P>,
        runs: &[Run],
    ) -> Result<(), OutOfMemory> {
        let shared = worker.shared;
        self.crew.is_fresh.clear();
        self.crew.is_fresh.resize(runs.len(), false);
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Ok(()) };
        let mut rest = first.begin..last.end;
        while !rest.is_empty() && !shared.is_over() {
            let is_near_limit = self.crew.may_reach_limit(rest.len(), shared);
            let some = if is_near_limit { rest.start..rest.start + 1 } else { rest.clone() };
            let n_done = self.crew.insert_some(self.stay.inside(), successors, runs, some.clone(), shared)?;
            rest.start += n_done;
            if n_done < some.len() && !shared.is_over() {
                self.make_room(worker);
            }
        }
        Ok(())
    }
}

impl<P: Packed, C: CommonSet<P>> Depot<P> for Phase<'_, '_, P, C> {
    type Key = ();

    #[inline]
    fn read(&self, turn: u64, into: &mut P) -> Hidden {
        self.crew.unit.read(turn, self.crew.set, into)
    }

    #[inline]
    fn announce(&mut self, successors: &Successors<P>, begin: usize, _: &mut Vec<()>) -> Result<(), OutOfMemory> {
        let inside = self.stay.inside();
        for arrival in &successors.arrivals[begin..] {
            self.crew.set.announce(inside, arrival.hash);
        }
        Ok(())
    }

    /// All of it, and then the states whose choices are rejected are expanded again, in one batch.
    fn insert(&mut self, worker: &mut Worker<'_, '_, P, ()>, batch: &mut Batch<P, ()>, system: &mut dyn System<P>) {
        let Batch { successors, waiting, .. } = batch;
        if self.insert_runs(worker, successors, &waiting.runs).is_err() {
            worker.shared.out_of_memory();
        }
        if !waiting.choices.is_empty() && !worker.shared.is_over() {
            self.crew.note_queued(successors, &waiting.runs);
            let mut again = worker.borrow_batch();
            let is_fresh = std::mem::take(&mut self.crew.is_fresh);
            let mut next_choice = waiting.choices.drain(..);
            for (run, &has_new) in waiting.runs.iter().zip(&is_fresh) {
                if run.has_choice
                    && let Some(choice) = next_choice.next()
                    && let Some(n_tried) = worker.judge(self, (successors, run), has_new, choice, system)
                {
                    worker.expand(self, run.turn, (n_tried, run.n_until()), system, &mut again);
                }
            }
            drop(next_choice);
            self.crew.is_fresh = is_fresh;
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
        waiting: &Waiting<()>,
    ) -> Result<(), OutOfMemory> {
        self.insert_runs(worker, successors, &waiting.runs)
    }

    /// In the next level: whether that is so was noted when the batch was inserted.
    fn has_queued(&mut self, _: &Successors<P>, _: &Run) -> bool {
        false
    }

    fn report(&mut self, shared: &Shared, turns: &Turns) {
        self.crew.report(shared, turns);
    }
}

/// The states of one thread, as a set keeps them.
struct KeptBy<'s, C> {
    set: &'s C,
    thread: usize,
}

impl<P: Packed, C: CommonSet<P>> Kept<P> for KeptBy<'_, C> {
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

/// A lane that knows which of its states are the level at this depth: the first thread that comes there tells it.
fn lock_at<P: Packed>(depth: u64, lane: &Lock<Lane<P>>) -> Locked<'_, Lane<P>> {
    let mut lane = lane.lock();
    lane.advance_to(depth);
    lane
}
