//! What one thread does: expands states, and inserts what they lead to.
//!
//! Where there is one shard there is one thread, and it has the shard for itself. Where there are several, each thread
//! takes some states out of one at a time, and puts their successors into all ([`Depot`]).

use super::batch::{BATCH, Batch, Choice, LARGEST_BATCH, Open, Run, Waiting};
use super::flight::{Flight, Flights};
use super::shard::{Letter, Shard, owner};
use super::shared::Shared;
use super::sightings::{Sighting, Sightings};
use super::spread::{Spread, enter};
use super::turns::Turns;
use super::unit::{UNIT, Unit};
use super::zeals::Zeals;
use crate::pack::{OutOfMemory, Packed};
use crate::search::ancestry::{Origin, StateId, Turn};
use crate::search::control::{Control, Progress};
use crate::store::StateSet;
use crate::system::{Choosing, Hidden, Pulse, Successors, System};
use crate::verdict::{Found, Stop};
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

/// Expanded states between two looks at the clock.
const TICK: u64 = 512;

pub(super) struct Worker<'w, 'a, P: Packed, S: StateSet<P>> {
    pub shared: &'w Shared,
    /// Only one worker has it.
    pub control: Option<&'w mut Control<'a>>,
    pub shards: &'w [Mutex<Shard<P, S>>],
    /// The shard that it begins with.
    first_shard: usize,
    pub turns: Turns,
    choosing: Option<Choosing>,
    pub zeals: Zeals,
    pub sightings: Sightings,
    /// The distance of the level that is expanded from the initial state.
    pub depth: u64,
    n_expanded: u64,
    state: P,
    /// For what is inserted at once.
    spread: Spread<P, S::Key>,
    /// For states whose choice was rejected; as many as have waited for each other. They come and go too often to be moved.
    spare: Vec<Box<Batch<P, S::Key>>>,
}

/// Where states come from and go to.
enum Depot<'d, P: Packed, S> {
    /// The only shard.
    One(&'d mut Shard<P, S>),
    /// All of them, and copies of the states that are expanded.
    Many(&'d [Mutex<Shard<P, S>>], &'d Unit<P>),
}

impl<P: Packed, S: StateSet<P>> Depot<'_, P, S> {
    /// Copies the state that is expanded in this turn of the worker.
    #[inline]
    fn read(&self, turn: u64, into: &mut P) -> Hidden {
        match self {
            Depot::One(shard) => shard.read(turn, into),
            Depot::Many(_, unit) => unit.read(turn, into),
        }
    }

    /// Whether one of the successors is in the queue far enough behind: behind its parent or, with several shards, in the
    /// next level.
    fn has_queued(&mut self, successors: &Successors<P>, run: &Run, buffer: &mut P) -> bool {
        (run.begin..run.end).any(|position| {
            let hash = successors.arrivals[position].hash;
            let state = successors.get(position, buffer);
            match self {
                Depot::One(shard) => shard.is_queued(state, hash, run.parent.number + 1),
                Depot::Many(shards, _) => {
                    let mut shard = enter(&shards[owner(hash, shards.len())]);
                    let behind = shard.level.end;
                    shard.is_queued(state, hash, behind)
                }
            }
        })
    }
}

impl<'w, 'a, P: Packed, S: StateSet<P>> Worker<'w, 'a, P, S> {
    /// The worker of this thread, out of so many.
    pub fn new(
        shared: &'w Shared,
        shards: &'w [Mutex<Shard<P, S>>],
        (thread, n_threads): (u16, u16),
        choosing: Option<Choosing>,
    ) -> Worker<'w, 'a, P, S> {
        Worker {
            shared,
            control: None,
            shards,
            first_shard: usize::from(thread) * shards.len() / usize::from(n_threads.max(1)),
            turns: Turns::new(thread),
            choosing,
            zeals: Zeals::new(choosing),
            sightings: Sightings::default(),
            depth: 0,
            n_expanded: 0,
            state: P::default(),
            spread: Spread::new(),
            spare: Vec::new(),
        }
    }

    /// Whether choices are looked at when their successors are inserted.
    fn has_proviso(&self) -> bool {
        self.choosing.is_some_and(|choosing| !choosing.is_static())
    }

    /// Puts in the initial state, whose parent is itself.
    pub fn begin(&mut self, initial: &P, hidden: Hidden) -> StateId {
        let hash = initial.hash();
        let mut shard = enter(&self.shards[owner(hash, self.shards.len())]);
        let letter = || Letter { origin: Origin { parent: Turn { number: 0, thread: 0 }, ordinal: 0 }, hidden };
        let inserted = shard.set.key(initial, hash).and_then(|key| shard.insert(initial, key, letter, self.shared));
        if inserted.is_err() {
            self.shared.out_of_memory();
        }
        shard.id(0)
    }

    /// Expands the level, or what others leave of it. Returns whether it came to the end.
    pub fn expand_level(&mut self, system: &mut dyn System<P>, flights: &mut Flights<P, S::Key>) -> bool {
        system.set_zeal(self.zeals.now());
        if let [only] = self.shards {
            return self.expand_alone(&mut enter(only), system, &mut flights.departing.batch);
        }
        let all_are_expanded = self.tour().all(|shard| self.expand_units(&self.shards[shard], system, flights));
        if all_are_expanded {
            // Nothing departs any more.
            self.visit_all(system, flights);
        }
        !self.shared.is_over()
    }

    /// The shards in the order in which this thread visits them, which is another one for each.
    fn tour(&self) -> impl Iterator<Item = usize> + use<P, S> {
        (self.first_shard..self.shards.len()).chain(0..self.first_shard)
    }

    fn expand_alone(
        &mut self,
        shard: &mut Shard<P, S>,
        system: &mut dyn System<P>,
        batch: &mut Batch<P, S::Key>,
    ) -> bool {
        let level = shard.level.clone();
        for number in level.clone() {
            if self.n_expanded.is_multiple_of(TICK) {
                shard.report(self.shared);
                self.tick();
            }
            self.n_expanded += 1;
            let depot = &mut Depot::One(shard);
            self.expand(depot, number, (0, 0), system, batch);
            let is_last = number + 1 == level.end;
            if batch.successors.len() >= BATCH || is_last {
                self.insert(depot, batch, system);
                shard.release_before(number + 1);
            }
            if self.shared.is_over() {
                return is_last;
            }
        }
        true
    }

    /// Expands the states of a shard that nobody else does. Returns whether the search goes on.
    fn expand_units(
        &mut self,
        shard: &Mutex<Shard<P, S>>,
        system: &mut dyn System<P>,
        flights: &mut Flights<P, S::Key>,
    ) -> bool {
        while !self.shared.is_over() {
            let Flight { unit, batch, .. } = &mut flights.departing;
            let claimed = enter(shard).claim(UNIT, unit);
            let begun = claimed.and_then(|has_states| {
                unit.first_turn = self.turns.take(unit.first, unit.n_states())?.number;
                Ok(has_states)
            });
            match begun {
                Ok(true) => {}
                Ok(false) => return true,
                Err(OutOfMemory) => {
                    self.shared.out_of_memory();
                    return false;
                }
            }
            let depot = &mut Depot::Many(self.shards, unit);
            for turn in unit.first_turn..unit.first_turn + unit.n_states() {
                if self.n_expanded.is_multiple_of(TICK) {
                    self.tick();
                }
                self.n_expanded += 1;
                self.expand(depot, turn, (0, 0), system, batch);
                if batch.successors.len() >= LARGEST_BATCH {
                    self.insert(depot, batch, system);
                }
                if self.shared.is_over() {
                    return false;
                }
            }
            self.visit_all(system, flights);
        }
        false
    }

    /// Inserts what was announced to the shards, and announces what departs.
    fn visit_all(&mut self, system: &mut dyn System<P>, flights: &mut Flights<P, S::Key>) {
        let Flights { departing, arriving } = flights;
        departing.spread.sort(&departing.batch.successors, &departing.batch.waiting.runs, self.shards.len());
        let is_done = self.tour().try_for_each(|number| {
            if arriving.spread.group(number).is_empty() && departing.spread.group(number).is_empty() {
                return Ok(());
            }
            let shard = &mut enter(&self.shards[number]);
            let Batch { successors, waiting, .. } = &arriving.batch;
            let behind = (&mut departing.spread, &departing.batch.successors);
            arriving.spread.insert_group((successors, &waiting.runs), behind, number, shard, self.shared)
        });
        if is_done.is_err() {
            self.shared.out_of_memory();
        }
        let Flight { unit, batch, spread } = arriving;
        self.decide_all(&mut Depot::Many(self.shards, unit), batch, &spread.is_fresh, system);
        batch.clear();
        spread.sort(&batch.successors, &[], self.shards.len());
        std::mem::swap(&mut flights.departing, &mut flights.arriving);
    }

    /// Puts the successors of a state into the batch: those by the first choice behind `n_rejected` ones, of which
    /// `n_before` successors are known.
    fn expand(
        &mut self,
        depot: &mut Depot<'_, P, S>,
        turn: u64,
        (n_rejected, n_before): (usize, u32),
        system: &mut dyn System<P>,
        batch: &mut Batch<P, S::Key>,
    ) {
        let mark = batch.successors.mark();
        let hidden = depot.read(turn, &mut batch.from);
        let parent = self.turns.turn(turn);
        // Whether a choice will do is known when its successors are together.
        batch.successors.high_water = if self.choosing.is_none() { LARGEST_BATCH } else { usize::MAX };
        batch.waiting.open = Open { parent, begin: mark.arrivals, n_before };
        let mut pulse = BatchPulse { worker: self, depot, waiting: &mut batch.waiting };
        let expansion = system.expand(&batch.from, hidden, n_rejected, &mut batch.successors, &mut pulse);
        if batch.successors.is_full() {
            self.shared.out_of_memory();
        }
        let found = if batch.successors.found.len() > mark.found {
            batch.successors.found.drain(mark.found..).map(|met| met.found).collect()
        } else {
            Box::default()
        };
        let choice = self.weigh(expansion.chosen, parent, found);
        self.close(depot, &batch.successors, &mut batch.waiting, choice);
    }

    /// What goes wrong in the steps of a choice is told when it is accepted; otherwise it is told now.
    #[inline]
    fn weigh(&mut self, chosen: Option<usize>, parent: Turn, found: Box<[Found]>) -> Option<Choice> {
        match chosen {
            Some(n_tried) if self.has_proviso() => Some(Choice { n_tried: n_tried as u32, found }),
            Some(_) | None => {
                if !found.is_empty() {
                    self.meet_all(parent, found);
                }
                None
            }
        }
    }

    /// All successors that the state had to offer are there.
    #[inline]
    fn close(
        &mut self,
        depot: &mut Depot<'_, P, S>,
        successors: &Successors<P>,
        waiting: &mut Waiting<S::Key>,
        choice: Option<Choice>,
    ) {
        let Open { parent, begin, n_before } = waiting.open;
        if let Depot::One(shard) = depot
            && self.announce(shard, successors, waiting, begin).is_err()
        {
            self.shared.out_of_memory();
        }
        waiting.runs.push(Run { parent, begin, end: successors.len(), n_before, has_choice: choice.is_some() });
        if let Some(choice) = choice {
            waiting.choices.push(choice);
        }
    }

    /// Tells the only shard what comes.
    #[inline]
    fn announce(
        &mut self,
        shard: &mut Shard<P, S>,
        successors: &Successors<P>,
        waiting: &mut Waiting<S::Key>,
        begin: usize,
    ) -> Result<(), OutOfMemory> {
        let arrivals = &successors.arrivals[begin..];
        for (offset, arrival) in arrivals.iter().enumerate() {
            let key = if shard.set.key_reads_state() {
                shard.set.key(successors.get(begin + offset, &mut self.state), arrival.hash)?
            } else {
                shard.set.key(&self.state, arrival.hash)?
            };
            waiting.keys.push(key);
        }
        Ok(())
    }

    /// Inserts a batch, and mends choices that the proviso rejects.
    fn insert(&mut self, depot: &mut Depot<'_, P, S>, batch: &mut Batch<P, S::Key>, system: &mut dyn System<P>) {
        match depot {
            Depot::One(shard) => {
                approach(shard, &batch.waiting);
                self.insert_in_order(depot, batch, system);
            }
            Depot::Many(shards, _) => {
                self.insert_spread(shards, &batch.successors, &batch.waiting.runs);
                let is_fresh = std::mem::take(&mut self.spread.is_fresh);
                self.decide_all(depot, batch, &is_fresh, system);
                self.spread.is_fresh = is_fresh;
            }
        }
        batch.clear();
    }

    /// One run after the other. A choice that is rejected is mended before the next run, as if there were no batches.
    fn insert_in_order(
        &mut self,
        depot: &mut Depot<'_, P, S>,
        batch: &mut Batch<P, S::Key>,
        system: &mut dyn System<P>,
    ) {
        let mut choices = std::mem::take(&mut batch.waiting.choices);
        let mut next_choice = choices.drain(..);
        for run in &batch.waiting.runs {
            let Depot::One(shard) = depot else { break };
            let has_new = self.insert_run(shard, &batch.successors, &batch.waiting, run);
            if self.shared.is_over() {
                break;
            }
            if run.has_choice
                && let Some(choice) = next_choice.next()
            {
                let n_tried = choice.n_tried as usize;
                if has_new || self.is_accepted(depot, &batch.successors, run, n_tried, system) {
                    self.meet_all(run.parent, choice.found);
                } else {
                    let mut again = self.spare.pop().unwrap_or_else(|| Box::new(Batch::new()));
                    self.expand(depot, run.parent.number, (n_tried, run.n_until()), system, &mut again);
                    self.insert(depot, &mut again, system);
                    self.spare.push(again);
                }
            }
        }
        drop(next_choice);
        batch.waiting.choices = choices;
    }

    /// Inserts the successors of a state into the only shard. Returns whether one of them is new.
    #[inline(always)]
    fn insert_run(
        &mut self,
        shard: &mut Shard<P, S>,
        successors: &Successors<P>,
        waiting: &Waiting<S::Key>,
        run: &Run,
    ) -> bool {
        if self.shared.is_over() {
            return false;
        }
        let n_before = shard.frontier.end();
        let (keys, arrivals) = (&waiting.keys[run.begin..run.end], &successors.arrivals[run.begin..run.end]);
        for ((place, &key), arrival) in keys.iter().enumerate().zip(arrivals) {
            let state = successors.get(run.begin + place, &mut self.state);
            let letter = || run.letter(place, arrival.hidden);
            match shard.insert(state, key, letter, self.shared) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(OutOfMemory) => {
                    self.shared.out_of_memory();
                    return false;
                }
            }
        }
        shard.frontier.end() > n_before
    }

    fn insert_spread(&mut self, shards: &[Mutex<Shard<P, S>>], successors: &Successors<P>, runs: &[Run]) {
        if !self.shared.is_over() && self.spread.insert(successors, runs, shards, self.shared).is_err() {
            self.shared.out_of_memory();
        }
    }

    fn insert_without_choices(
        &mut self,
        depot: &mut Depot<'_, P, S>,
        successors: &Successors<P>,
        waiting: &Waiting<S::Key>,
    ) {
        match depot {
            Depot::One(shard) => {
                approach(shard, waiting);
                for run in &waiting.runs {
                    self.insert_run(shard, successors, waiting, run);
                }
            }
            Depot::Many(shards, _) => self.insert_spread(shards, successors, &waiting.runs),
        }
    }

    /// The successors are in their shards. States whose choice is rejected are expanded again, all in one batch.
    fn decide_all(
        &mut self,
        depot: &mut Depot<'_, P, S>,
        batch: &mut Batch<P, S::Key>,
        is_fresh: &[bool],
        system: &mut dyn System<P>,
    ) {
        if batch.waiting.choices.is_empty() || self.shared.is_over() {
            return;
        }
        let mut again = self.spare.pop().unwrap_or_else(|| Box::new(Batch::new()));
        let mut next_choice = batch.waiting.choices.drain(..);
        for (run, &has_new) in batch.waiting.runs.iter().zip(is_fresh) {
            if run.has_choice
                && let Some(choice) = next_choice.next()
            {
                let n_tried = choice.n_tried as usize;
                if has_new || self.is_accepted(depot, &batch.successors, run, n_tried, system) {
                    self.meet_all(run.parent, choice.found);
                } else {
                    self.expand(depot, run.parent.number, (n_tried, run.n_until()), system, &mut again);
                }
            }
        }
        drop(next_choice);
        if !again.waiting.runs.is_empty() {
            self.insert(depot, &mut again, system);
        }
        self.spare.push(again);
    }

    /// No successor of a state by some of its steps is new. The choice is accepted if one is in the queue nevertheless, or
    /// if nobody was left out. Who wants Spin's proviso wants its counts, and Spin does not ask the latter.
    fn is_accepted(
        &mut self,
        depot: &mut Depot<'_, P, S>,
        successors: &Successors<P>,
        run: &Run,
        n_tried: usize,
        system: &mut dyn System<P>,
    ) -> bool {
        if depot.has_queued(successors, run, &mut self.state) {
            return true;
        }
        if self.choosing.is_some_and(|choosing| choosing.is_prompt()) {
            return false;
        }
        let hidden = depot.read(run.parent.number, &mut self.state);
        system.is_whole(&self.state, hidden, n_tried)
    }

    fn meet_all(&mut self, at: Turn, all_found: impl IntoIterator<Item = Found>) {
        for found in all_found {
            if self.shared.is_over() {
                return;
            }
            self.sightings.note(Sighting { found, depth: self.depth, at, occurrences: 1 });
            if !self.shared.all_errors || found.kind.ends_search() {
                self.shared.end(Stop::Violation);
            }
        }
    }

    /// What was found in this level is the next one: makes it so for the shards that fall to this one of so many threads.
    /// Returns how many states they have there.
    pub fn advance(&self, n_threads: usize) -> u64 {
        let own = self.shards.iter().skip(usize::from(self.turns.thread)).step_by(n_threads);
        own.map(|shard| {
            let mut shard = enter(shard);
            shard.report(self.shared);
            shard.advance()
        })
        .sum()
    }

    /// Tells how far it is, and looks at the limits.
    #[cold]
    pub fn tick(&mut self) {
        self.shared.gauge(usize::from(self.turns.thread)).beside.store(self.turns.memory_bytes(), Relaxed);
        if let Some(control) = &mut self.control {
            control.tick(Progress {
                states_stored: self.shared.sum(|gauge| &gauge.states),
                transitions: self.shared.sum(|gauge| &gauge.transitions),
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
}

/// Tells the set again what comes: it may know more by now.
#[inline]
fn approach<P: Packed, S: StateSet<P>>(shard: &Shard<P, S>, waiting: &Waiting<S::Key>) {
    for &key in &waiting.keys {
        shard.set.approach(key);
    }
}

/// Looks at the limits during a long expansion, and inserts successors if there are too many.
struct BatchPulse<'p, 'd, 'w, 'a, P: Packed, S: StateSet<P>> {
    worker: &'p mut Worker<'w, 'a, P, S>,
    depot: &'p mut Depot<'d, P, S>,
    waiting: &'p mut Waiting<S::Key>,
}

impl<P: Packed, S: StateSet<P>> Pulse<P> for BatchPulse<'_, '_, '_, '_, P, S> {
    fn beat(&mut self, out: &mut Successors<P>) -> bool {
        if out.len() >= out.high_water {
            let n_new = (out.len() - self.waiting.open.begin) as u32;
            self.worker.close(self.depot, out, self.waiting, None);
            self.worker.insert_without_choices(self.depot, out, self.waiting);
            out.truncate_arrivals(0);
            self.waiting.clear();
            self.waiting.open.begin = 0;
            self.waiting.open.n_before += n_new;
        }
        self.worker.check_limits(out.memory_bytes());
        self.worker.shared.is_over()
    }
}
