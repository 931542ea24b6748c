//! Breadth-first search: the first violation found is one of those with the fewest stored states before it.
//!
//! The states are divided into shards by their hash, one for each thread that the user grants. A shard has a set of its
//! own, a queue and the origins of its states; nothing of that is shared, so there are no locks in the way. Small levels
//! are expanded by one thread that holds all shards. When a level is large, each thread takes a shard, expands its part
//! of the level, and sends to the others what belongs to them; all wait for each other at the end of each level, so that
//! the same states are found in the same levels, however many threads there are. When levels are small again the
//! threads end.
//!
//! Several shards cost about a third more than one, also on one thread. So every search begins with one, and many end with
//! it. The first large level makes it begin again with all shards, unless too much would be done twice.
//!
//! Successors are gathered in batches: by the time that a batch is inserted, the places of the table that it needs have
//! been fetched from memory.
//!
//! # With a reduction
//!
//! No step may be left out forever. On one thread the proviso is that a state of which not all successors are taken has
//! one that is in the queue behind it: following such successors ends in a state of which all were taken, since numbers
//! cannot grow forever. Whether that is so is known when they are inserted; if not, the next choice is inserted there
//! and then, as if there were no batches.
//!
//! With several shards numbers cannot be compared, and levels take their place: a state of which not all successors are
//! taken has one in the next level. Following such successors ends, too, for there are finitely many levels. Whether a
//! state is in the next level does not depend on who finds it first, or when: it is so if it is in no level up to this
//! one. Hence the same steps are left out with any number of threads from two on. The owner of a successor knows the
//! answer and tells the thread that asked; when a round of all threads is over, states without a confirmed successor
//! get their next choice, or all their steps, in another round of the same level. What a queue holds is compared with
//! the states themselves, also if the set is one that may take a state for another: a mistake there loses states, and
//! the report says so; one here would be unsound.

mod batch;
mod post;
mod shard;
mod shared;
mod sightings;
mod sync;
mod team;
mod worker;
mod zeals;

use super::Counts;
use super::ancestry::StateId;
use super::control::Control;
use crate::pack::{OutOfMemory, Packed};
use crate::search::patience::Patience;
use crate::store::{StateSet, StoreOptions};
use crate::system::{Choosing, NoLimits, Point, Successors, System, Systems, Tally, Wants};
use crate::verdict::{Found, ViolationKind};
use batch::Batch;
use shard::Shard;
use shared::Shared;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use team::{Mail, Team, Watchman};
use worker::Worker;

/// From so many states in a level on it is worth while to start threads; below so many they end. Tests meet both often.
const TEAM_FROM: u64 = if cfg!(test) { 4 } else { 2048 };
const TEAM_UNTIL: u64 = if cfg!(test) { 2 } else { 512 };
/// A search begins again for a team if it has stored at most so many times the states of the level that calls for one.
const MOST_DONE_TWICE: u64 = 32;
/// Threads have more on their stack than usual: states are there.
const STACK_BYTES: usize = 16 << 20;

pub(crate) fn search<P: Packed, S: StateSet<P>>(
    systems: &dyn Systems<P>,
    choosing: Option<Choosing>,
    store: &StoreOptions,
    n_threads: usize,
    control: &mut Control<'_>,
) -> Counts {
    if n_threads > 1
        && let Some(counts) = search_in::<P, S>(1, true, systems, choosing, store, control)
    {
        return counts;
    }
    let n_shards = u16::try_from(n_threads.max(1)).unwrap_or(u16::MAX);
    search_in::<P, S>(n_shards, false, systems, choosing, store, control).unwrap_or_default()
}

/// Nothing if the search hopes for a team and a level is large enough for one.
fn search_in<P: Packed, S: StateSet<P>>(
    n_shards: u16,
    hopes_for_team: bool,
    systems: &dyn Systems<P>,
    choosing: Option<Choosing>,
    store: &StoreOptions,
    control: &mut Control<'_>,
) -> Option<Counts> {
    let (max_states, memory_limit) = (control.max_states, control.memory_limit());
    let shared = Shared::new(usize::from(n_shards), max_states, memory_limit, control.options.all_errors);
    let (wants, max_depth) = (control.wants, control.max_depth);
    let is_reduced = choosing.is_some_and(|choosing| !choosing.is_static());
    let new_shard = |number| Shard::new(number, n_shards, store, systems.has_hidden(), is_reduced);
    let shards: Result<Vec<Shard<P, S>>, OutOfMemory> = (0..n_shards).map(new_shard).collect();
    let Ok(shards) = shards else {
        control.out_of_memory(0);
        return Some(Counts::default());
    };
    let mut system = systems.system(wants, choosing);
    let mut worker = Worker::new(&shared, shards, choosing);
    worker.control = Some(control);
    let mut search =
        BreadthFirst { systems, worker, max_depth, hopes_for_team, n_threads: 1, root: None, tally: Tally::default() };
    let is_over = search.run(&mut *system);
    is_over.then(|| search.counts(&*system))
}

struct BreadthFirst<'w, 'a, P: Packed, S: StateSet<P>> {
    systems: &'w dyn Systems<P>,
    /// Holds all shards, except while there is a team.
    worker: Worker<'w, 'a, P, S>,
    max_depth: u64,
    /// Whether to begin again when a level is large; not if something was met, which would be told twice.
    hopes_for_team: bool,
    /// How many threads there were at most.
    n_threads: usize,
    root: Option<StateId>,
    /// What the systems of other threads have noticed.
    tally: Tally,
}

/// How far a team came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// There is a next level with so many states.
    Level(u64),
    /// No state is left, or no more may be looked at.
    End,
}

impl<'w, 'a, P: Packed, S: StateSet<P>> BreadthFirst<'w, 'a, P, S> {
    /// Returns whether it came to an end, and need not begin again.
    fn run(&mut self, system: &mut dyn System<P>) -> bool {
        let mut initial = P::default();
        match system.initial(&mut initial) {
            Ok(hidden) => {
                self.worker.tick();
                if !self.worker.shared.is_over() {
                    self.root = Some(self.worker.begin(&initial, hidden));
                }
            }
            Err(fault) => {
                let found = Found::state(ViolationKind::Fault(fault));
                self.with_control(|control| control.meet(found, Vec::new));
                return true;
            }
        }
        let mut batch = Batch::new();
        let mut size = self.advance();
        let mut can_have_threads = self.worker.held.len() > 1;
        while size > 0 && !self.worker.shared.is_over() {
            if size >= TEAM_FROM && self.hopes_for_team && self.n_stored() <= size.saturating_mul(MOST_DONE_TWICE) {
                return false;
            }
            let progress = if size >= TEAM_FROM && can_have_threads {
                match self.run_team(system) {
                    Some(progress) => progress,
                    None => {
                        can_have_threads = false;
                        continue;
                    }
                }
            } else {
                let is_done = self.worker.expand_level(system, &mut batch);
                let n_next = self.advance();
                self.worker.zeals.decide(system.take_gains(), self.worker.depth + 1, n_next);
                if is_done { self.next_level(n_next) } else { Progress::End }
            };
            self.report_sightings();
            match progress {
                Progress::Level(n_states) => size = n_states,
                Progress::End => break,
            }
        }
        if let Some(stop) = self.worker.shared.reason() {
            self.with_control(|control| _ = control.stop.get_or_insert(stop));
        }
        self.worker.tick();
        true
    }

    fn n_stored(&self) -> u64 {
        self.worker.held.iter().map(|shard| shard.set.n_states()).sum()
    }

    fn with_control(&mut self, act: impl FnOnce(&mut Control<'a>)) {
        if let Some(control) = &mut self.worker.control {
            act(control);
        }
    }

    fn advance(&mut self) -> u64 {
        self.worker.held.iter_mut().map(Shard::advance).sum()
    }

    /// Goes down one level, if there is one and it may be looked at.
    fn next_level(&mut self, n_states: u64) -> Progress {
        let progress = next_level(&mut self.worker.depth, self.max_depth, n_states);
        if progress == Progress::End && n_states > 0 {
            self.with_control(Control::cut);
        }
        progress
    }

    /// Expands levels with one thread for each shard, as long as they are large. Nothing if there are no threads to be
    /// had; then nothing has happened.
    fn run_team(&mut self, system: &mut dyn System<P>) -> Option<Progress> {
        let shared = self.worker.shared;
        let (systems, choosing, depth, max_depth) =
            (self.systems, self.worker.choosing, self.worker.depth, self.max_depth);
        let wants = self.worker.control.as_ref()?.wants;
        let shards = std::mem::take(&mut self.worker.held);
        let team = Team::new(shards.len());
        let zeals = self.worker.zeals.clone();
        // Where each thread takes its shard from and puts it back.
        let places: Vec<Mutex<Option<Shard<P, S>>>> = shards.into_iter().map(|shard| Mutex::new(Some(shard))).collect();
        let gate = Gate::default();
        let team = &team;
        let worker_of = |place: &Mutex<Option<Shard<P, S>>>| {
            let shard = take(place)?;
            let mail = Mail::new(team, shard.number);
            let mut worker = Worker::new(shared, vec![shard], choosing);
            worker.depth = depth;
            worker.zeals = zeals.clone();
            worker.mail = Some(mail);
            Some(worker)
        };
        let progress = std::thread::scope(|scope| {
            let _watchman = Watchman(shared);
            let mut threads = Vec::new();
            for place in &places[1..] {
                let (gate, worker_of) = (&gate, &worker_of);
                let work = move || {
                    let _watchman = Watchman(shared);
                    if !gate.pass(shared) {
                        return None;
                    }
                    let mut worker: Worker<'_, '_, P, S> = worker_of(place)?;
                    let mut system = systems.system(wants, choosing);
                    run_in_team(&mut worker, max_depth, &mut *system);
                    put(place, worker.held.pop());
                    Some((system.tally(), worker.sightings))
                };
                match std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => {
                        gate.close();
                        return None;
                    }
                }
            }
            gate.open();
            let mut worker = worker_of(&places[0])?;
            worker.control = self.worker.control.as_deref_mut();
            let progress = run_in_team(&mut worker, max_depth, system);
            put(&places[0], worker.held.pop());
            let Worker { depth, sightings, zeals, .. } = worker;
            self.worker.depth = depth;
            self.worker.zeals = zeals;
            self.worker.sightings.note_all(sightings);
            for thread in threads {
                match thread.join() {
                    Ok(Some((tally, sightings))) => {
                        self.tally.add(tally);
                        self.worker.sightings.note_all(sightings);
                    }
                    Ok(None) => {}
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Some(progress)
        });
        self.worker.held = places.iter().filter_map(take).collect();
        let (progress, n_next) = progress?;
        self.n_threads = self.worker.held.len();
        if progress == Progress::End && n_next > 0 {
            self.with_control(Control::cut);
        }
        Some(progress)
    }

    /// Hands on what was met, with the runs to it.
    fn report_sightings(&mut self) {
        if self.worker.sightings.is_empty() {
            return;
        }
        self.hopes_for_team = false;
        for sighting in self.worker.sightings.take(self.worker.shared.all_errors) {
            let Some(control) = self.worker.control.take() else { return };
            let wants = control.wants;
            control.meet_times(sighting.found, sighting.occurrences, || {
                let path = self.path_to(sighting.at, wants).unwrap_or_default();
                self.systems.system(wants, self.worker.choosing).rebuild(&path, sighting.found)
            });
            self.worker.control = Some(control);
        }
    }

    /// The states from the initial one to that one: back by their origins, and then forwards by expanding them again.
    fn path_to(&self, to: StateId, wants: Wants) -> Option<Vec<Point<P>>> {
        let mut ordinals = Vec::new();
        let mut at = to;
        while Some(at) != self.root {
            let origin = self.worker.held.get(usize::from(at.shard))?.ancestry.origin(at.number)?;
            ordinals.push(origin.ordinal);
            at = origin.parent;
        }
        // A system of its own, so that what it notices is not counted twice.
        let mut system = self.systems.system(wants, self.worker.choosing);
        let mut point = Point::default();
        point.hidden = system.initial(&mut point.packed).ok()?;
        let mut path = vec![point];
        for (depth, ordinal) in (0..).zip(ordinals.into_iter().rev()) {
            system.set_zeal(self.worker.zeals.at(depth));
            let next = successor(&mut *system, path.last()?, ordinal)?;
            path.push(next);
        }
        Some(path)
    }

    fn counts(&self, system: &dyn System<P>) -> Counts {
        let shards = &self.worker.held;
        let mut tally = system.tally();
        tally.add(self.tally.clone());
        Counts {
            threads: self.n_threads,
            states_stored: self.n_stored(),
            transitions: shards.iter().map(|shard| shard.transitions).sum(),
            depth: self.worker.depth,
            state_bytes: shards.iter().map(|shard| shard.state_bytes).max().unwrap_or(0) as u64,
            memory_bytes: self.worker.shared.memory_bytes(),
            omissions: shards.iter().filter_map(|shard| shard.set.omissions()).reduce(|one, other| one + other),
            storage_note: shards.iter().find_map(|shard| shard.set.describe()),
            tally,
        }
    }
}

fn next_level(depth: &mut u64, max_depth: u64, n_states: u64) -> Progress {
    if n_states == 0 || *depth >= max_depth {
        return Progress::End;
    }
    *depth += 1;
    Progress::Level(n_states)
}

/// What each thread of a team does: level after level. Also returns how many states the next level would have.
fn run_in_team<P: Packed, S: StateSet<P>>(
    worker: &mut Worker<'_, '_, P, S>,
    max_depth: u64,
    system: &mut dyn System<P>,
) -> (Progress, u64) {
    let mut batch = Batch::new();
    loop {
        worker.expand_level(system, &mut batch);
        if !worker.exchange_rounds(system) {
            return (Progress::End, 0);
        }
        let n_own = worker.held.iter_mut().map(Shard::advance).sum();
        let Some(n_next) = worker.end_level(n_own, system) else { return (Progress::End, 0) };
        match next_level(&mut worker.depth, max_depth, n_next) {
            Progress::Level(_) if n_next >= TEAM_UNTIL => {}
            progress => return (progress, n_next),
        }
    }
}

/// The successor of a state with this ordinal, which counts through all choices.
fn successor<P: Packed>(system: &mut dyn System<P>, from: &Point<P>, ordinal: u32) -> Option<Point<P>> {
    let mut ordinal = ordinal as usize;
    let mut n_rejected = 0;
    loop {
        let mut successors = Successors::new();
        let expansion = system.expand(&from.packed, from.hidden, n_rejected, &mut successors, &mut NoLimits);
        if let Some(arrival) = successors.arrivals.get(ordinal) {
            let mut point = Point { packed: P::default(), hidden: arrival.hidden };
            successors.read(ordinal, &mut point.packed);
            return Some(point);
        }
        ordinal -= successors.len();
        n_rejected = expansion.chosen?;
    }
}

fn take<T>(place: &Mutex<Option<T>>) -> Option<T> {
    place.lock().ok()?.take()
}

fn put<T>(place: &Mutex<Option<T>>, thing: Option<T>) {
    if let Ok(mut place) = place.lock() {
        *place = thing;
    }
}

/// Threads begin when all are there, or not at all.
#[derive(Default)]
struct Gate(AtomicU8);

impl Gate {
    const OPEN: u8 = 1;
    const CLOSED: u8 = 2;

    fn open(&self) {
        self.0.store(Gate::OPEN, Ordering::Release);
    }

    fn close(&self) {
        self.0.store(Gate::CLOSED, Ordering::Release);
    }

    /// Waits. Returns whether the way is free.
    fn pass(&self, shared: &Shared) -> bool {
        let mut patience = Patience::default();
        loop {
            match self.0.load(Ordering::Acquire) {
                Gate::OPEN => return true,
                Gate::CLOSED => return false,
                _ if shared.is_over() => return false,
                _ => _ = patience.wait(),
            }
        }
    }
}
