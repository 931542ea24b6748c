//! Breadth-first search: the first violation found is one of those with the fewest stored states before it.
//!
//! The states are divided into shards by their hash. A shard has a set of its own, a queue and the origins of its states.
//! With one thread there is one shard, and nothing in the way. With several threads there are some shards for each, behind
//! locks: a thread takes a few states of a level out of a shard, expands them, and inserts what they lead to, sorted by
//! shard, so that it stays in each for a moment only. All wait for each other at the end of each level, so that the same
//! states are found in the same levels, however many threads there are. When levels are small again the threads end.
//!
//! Several shards cost more than one, also on one thread. So every search begins with one, and many end with it. The first
//! large level makes it begin again with several, unless too much would be done twice.
//!
//! Successors are gathered in batches: by the time that a batch is inserted, the places of the table that it needs have
//! been fetched from memory.
//!
//! # With a reduction
//!
//! No step may be left out forever. With one shard the proviso is that a state of which not all successors are taken has
//! one that is in the queue behind it: following such successors ends in a state of which all were taken, since numbers
//! cannot grow forever. Whether that is so is known when they are inserted; if not, the next choice is inserted there
//! and then, as if there were no batches.
//!
//! With several shards numbers cannot be compared, and levels take their place: a state of which not all successors are
//! taken has one in the next level. Following such successors ends, too, for there are finitely many levels. Whether a
//! state is in the next level does not depend on who finds it first, or when: it is so if it is in no level up to this
//! one. So it is known as soon as it is inserted, and the same steps are left out with any number of threads from two on.
//! What a queue holds is compared with the states themselves, also if the set is one that may take a state for another: a
//! mistake there loses states, and the report says so; one here would be unsound.

mod batch;
mod flight;
mod gathering;
mod shard;
mod shared;
mod sightings;
mod spread;
mod sync;
mod team;
mod turns;
mod unit;
mod worker;
mod zeals;

use super::Counts;
use super::ancestry::{StateId, Turn};
use super::control::Control;
use crate::pack::{OutOfMemory, Packed};
use crate::store::{StateSet, StoreOptions};
use crate::system::{Choosing, NoLimits, Point, Successors, System, Systems, Tally, Wants};
use crate::verdict::{Found, ViolationKind};
use flight::Flights;
use shard::Shard;
use shared::Shared;
use spread::enter;
use std::sync::Mutex;
use team::{Gate, Team, Watchman};
use turns::Turns;
use worker::Worker;

/// From so many states in a level on it is worth while to start threads. Tests meet that often.
const TEAM_FROM: u64 = if cfg!(test) { 4 } else { 2048 };
/// A search begins again for a team if it has stored at most so many times the states of the level that calls for one.
const MOST_DONE_TWICE: u64 = 32;
/// With more shards threads meet less often, with fewer there is more to do in each.
const SHARDS_PER_THREAD: u16 = 2;
/// As many as there can be shards for.
const MOST_THREADS: u16 = u16::MAX / SHARDS_PER_THREAD;
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
    let n_threads = u16::try_from(n_threads.max(1)).unwrap_or(MOST_THREADS).min(MOST_THREADS);
    search_in::<P, S>(n_threads, false, systems, choosing, store, control).unwrap_or_default()
}

/// Nothing if the search hopes for a team and a level is large enough for one.
fn search_in<P: Packed, S: StateSet<P>>(
    n_threads: u16,
    hopes_for_team: bool,
    systems: &dyn Systems<P>,
    choosing: Option<Choosing>,
    store: &StoreOptions,
    control: &mut Control<'_>,
) -> Option<Counts> {
    let n_shards = if n_threads == 1 { 1 } else { n_threads * SHARDS_PER_THREAD };
    let (max_states, memory_limit) = (control.max_states, control.memory_limit());
    let shared = Shared::new(usize::from(n_shards), max_states, memory_limit, control.options.all_errors);
    let (wants, max_depth) = (control.wants, control.max_depth);
    let is_reduced = choosing.is_some_and(|choosing| !choosing.is_static());
    let new_shard =
        |number| Shard::new(number, (n_threads, n_shards), store, systems.has_hidden(), is_reduced).map(Mutex::new);
    let shards: Result<Vec<Mutex<Shard<P, S>>>, OutOfMemory> = (0..n_shards).map(new_shard).collect();
    let Ok(shards) = shards else {
        control.out_of_memory(0);
        return Some(Counts::default());
    };
    let mut system = systems.system(wants, choosing);
    let mut worker = Worker::new(&shared, &shards, (0, n_threads), choosing);
    worker.control = Some(control);
    let mut search = BreadthFirst {
        systems,
        choosing,
        shards: &shards,
        worker,
        max_depth,
        hopes_for_team,
        most_threads: n_threads,
        n_threads: 1,
        root: None,
        others: (1..n_threads).map(Turns::new).collect(),
        tally: Tally::default(),
    };
    let is_over = search.run(&mut *system);
    is_over.then(|| search.counts(&*system))
}

struct BreadthFirst<'w, 'a, P: Packed, S: StateSet<P>> {
    systems: &'w dyn Systems<P>,
    choosing: Option<Choosing>,
    shards: &'w [Mutex<Shard<P, S>>],
    /// Of the first thread.
    worker: Worker<'w, 'a, P, S>,
    max_depth: u64,
    /// Whether to begin again when a level is large; not if something was met, which would be told twice.
    hopes_for_team: bool,
    most_threads: u16,
    /// How many threads there were at most.
    n_threads: usize,
    root: Option<StateId>,
    /// What the other threads have expanded.
    others: Vec<Turns>,
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
        let mut flights = Flights::new();
        let mut size = self.worker.advance(1);
        let mut can_have_threads = self.most_threads > 1;
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
                let is_done = self.worker.expand_level(system, &mut flights);
                let n_next = self.worker.advance(1);
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
        for shard in self.shards {
            enter(shard).report(self.worker.shared);
        }
        self.worker.tick();
        true
    }

    fn n_stored(&self) -> u64 {
        self.shards.iter().map(|shard| enter(shard).set.n_states()).sum()
    }

    fn with_control(&mut self, act: impl FnOnce(&mut Control<'a>)) {
        if let Some(control) = &mut self.worker.control {
            act(control);
        }
    }

    /// Goes down one level, if there is one and it may be looked at.
    fn next_level(&mut self, n_states: u64) -> Progress {
        let progress = next_level(&mut self.worker.depth, self.max_depth, n_states);
        if progress == Progress::End && n_states > 0 {
            self.with_control(Control::cut);
        }
        progress
    }

    /// Expands levels with several threads, as long as they are large. Nothing if there are no threads to be had; then
    /// nothing has happened.
    fn run_team(&mut self, system: &mut dyn System<P>) -> Option<Progress> {
        let (systems, choosing, shards, most_threads) = (self.systems, self.choosing, self.shards, self.most_threads);
        let (shared, depth) = (self.worker.shared, self.worker.depth);
        let wants = self.worker.control.as_ref()?.wants;
        let team = Team::new(usize::from(most_threads), self.max_depth);
        let gate = Gate::default();
        let zeals = self.worker.zeals.clone();
        let (team, gate, zeals) = (&team, &gate, &zeals);
        let (progress, n_next) = std::thread::scope(|scope| {
            let _watchman = Watchman(shared);
            let mut threads = Vec::new();
            for turns in &mut self.others {
                let work = move || {
                    let _watchman = Watchman(shared);
                    if !gate.pass(shared) {
                        return None;
                    }
                    let mut worker: Worker<'_, '_, P, S> =
                        Worker::new(shared, shards, (turns.thread, most_threads), choosing);
                    std::mem::swap(&mut worker.turns, turns);
                    worker.depth = depth;
                    worker.zeals = zeals.clone();
                    let mut system = systems.system(wants, choosing);
                    team.work(&mut worker, &mut *system);
                    std::mem::swap(&mut worker.turns, turns);
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
            let progress = team.work(&mut self.worker, system);
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
        })?;
        self.n_threads = usize::from(most_threads);
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
                let path = self.path_to(self.state_of(sighting.at), wants).unwrap_or_default();
                self.systems.system(wants, self.choosing).rebuild(&path, sighting.found)
            });
            self.worker.control = Some(control);
        }
    }

    /// The state that was expanded in this turn.
    fn state_of(&self, turn: Turn) -> StateId {
        let turns = usize::from(turn.thread).checked_sub(1).and_then(|other| self.others.get(other));
        turns.unwrap_or(&self.worker.turns).state(turn.number)
    }

    /// The states from the initial one to that one: back by their origins, and then forwards by expanding them again.
    fn path_to(&self, to: StateId, wants: Wants) -> Option<Vec<Point<P>>> {
        let mut ordinals = Vec::new();
        let mut at = to;
        while Some(at) != self.root {
            let origin = enter(self.shards.get(usize::from(at.shard))?).ancestry.origin(at.number)?;
            ordinals.push(origin.ordinal);
            at = self.state_of(origin.parent);
        }
        // A system of its own, so that what it notices is not counted twice.
        let mut system = self.systems.system(wants, self.choosing);
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
        let shards: Vec<_> = self.shards.iter().map(enter).collect();
        let mut tally = system.tally();
        tally.add(self.tally.clone());
        Counts {
            threads: self.n_threads,
            states_stored: shards.iter().map(|shard| shard.set.n_states()).sum(),
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
