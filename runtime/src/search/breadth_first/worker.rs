//! What one thread does: expands the states of the shards that it holds, and inserts what belongs to them.
//!
//! A worker that holds all shards is the whole search. One in a team holds a single shard and has mail: what belongs to
//! others is sent to them, and what comes from them is inserted between two batches.

use super::batch::{BATCH, Batch, Choice, LARGEST_BATCH, Open, Route, Run, Waiting};
use super::shard::{Letter, Shard, owner};
use super::shared::Shared;
use super::sightings::{Sighting, Sightings};
use super::team::{Mail, Note, Parcel};
use super::zeals::Zeals;
use crate::pack::{OutOfMemory, Packed, Pool};
use crate::search::ancestry::{Origin, StateId};
use crate::search::control::{Control, Progress};
use crate::search::patience::Patience;
use crate::store::{StateSet, Visited};
use crate::system::{Choosing, Gains, Hidden, Pulse, Successors, System};
use crate::verdict::{Found, Stop};

/// Expanded states between two looks at the clock.
const TICK: u64 = 512;

pub(super) struct Worker<'w, 'a, P: Packed, S: StateSet<P>> {
    pub shared: &'w Shared,
    /// Only one worker has it.
    pub control: Option<&'w mut Control<'a>>,
    pub held: Vec<Shard<P, S>>,
    /// The number of the first shard that it holds.
    pub first: usize,
    pub mail: Option<Mail<'w, P>>,
    pub choosing: Option<Choosing>,
    pub zeals: Zeals,
    pub sightings: Sightings,
    /// The distance of the level that is expanded from the initial state.
    pub depth: u64,
    /// Choices that others have to confirm.
    pub pending: Vec<Pending>,
    n_expanded: u64,
    state: P,
    keys: Vec<S::Key>,
    /// For states whose choice was rejected; as many as have waited for each other.
    spare: Vec<Batch<P, S::Key>>,
}

/// Some successors of a state stand for all, if another thread says that one of them is in the next level.
pub(super) struct Pending {
    pub number: u64,
    pub n_tried: usize,
    /// Successors of the same state up to now.
    pub n_before: u32,
    pub found: Box<[Found]>,
}

impl<'w, 'a, P: Packed, S: StateSet<P>> Worker<'w, 'a, P, S> {
    pub fn new(shared: &'w Shared, held: Vec<Shard<P, S>>, choosing: Option<Choosing>) -> Worker<'w, 'a, P, S> {
        Worker {
            shared,
            control: None,
            first: held.first().map_or(0, |shard| usize::from(shard.number)),
            held,
            mail: None,
            choosing,
            zeals: Zeals::new(choosing),
            sightings: Sightings::default(),
            depth: 0,
            pending: Vec::new(),
            n_expanded: 0,
            state: P::default(),
            keys: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Whether choices are looked at when their successors are inserted.
    pub fn has_proviso(&self) -> bool {
        self.choosing.is_some_and(|choosing| !choosing.is_static())
    }

    /// Puts in the initial state, whose parent is itself.
    pub fn begin(&mut self, initial: &P, hidden: Hidden) -> StateId {
        let hash = initial.hash();
        let place = owner(hash, self.shared.n_shards());
        let root = self.held[place].id(0);
        let letter = || Letter { origin: Origin { parent: root, ordinal: 0 }, hidden };
        let shard = &mut self.held[place];
        let inserted = shard.set.key(initial, hash).and_then(|key| shard.insert(initial, key, letter, self.shared));
        if inserted.is_err() {
            self.shared.out_of_memory();
        }
        root
    }

    /// Expands the level of each shard. Returns whether it came to the end.
    pub fn expand_level(&mut self, system: &mut dyn System<P>, batch: &mut Batch<P, S::Key>) -> bool {
        system.set_zeal(self.zeals.now());
        for place in 0..self.held.len() {
            let level = self.held[place].level.clone();
            for number in level.clone() {
                if self.n_expanded.is_multiple_of(TICK) {
                    self.tick();
                }
                self.n_expanded += 1;
                self.expand(place, number, (0, 0), system, batch);
                let is_last = number + 1 == level.end;
                if batch.successors.len() >= BATCH || is_last {
                    self.insert(batch, system);
                    self.release(place, number + 1);
                    self.receive();
                }
                if self.shared.is_over() {
                    let is_done = is_last && place + 1 == self.held.len();
                    return is_done;
                }
            }
        }
        true
    }

    /// States before this one are not needed any more, unless others have to confirm choices.
    fn release(&mut self, place: usize, number: u64) {
        if self.mail.is_none() || !self.has_proviso() {
            self.held[place].release_before(number);
        }
    }

    /// Puts the successors of a state into the batch: those by the first choice behind `n_rejected` ones, of which
    /// `n_before` successors are known.
    fn expand(
        &mut self,
        place: usize,
        number: u64,
        (n_rejected, n_before): (usize, u32),
        system: &mut dyn System<P>,
        batch: &mut Batch<P, S::Key>,
    ) {
        let mark = batch.successors.mark();
        let hidden = self.held[place].read(number, &mut batch.from);
        let parent = self.held[place].id(number);
        // Whether a choice will do is known when its successors are together.
        batch.successors.high_water = if self.choosing.is_none() { LARGEST_BATCH } else { usize::MAX };
        batch.waiting.open = Open { parent, begin: mark.arrivals, n_before };
        let mut pulse = BatchPulse { worker: self, waiting: &mut batch.waiting };
        let expansion = system.expand(&batch.from, hidden, n_rejected, &mut batch.successors, &mut pulse);
        if batch.successors.is_full() {
            self.shared.out_of_memory();
        }
        let choice = if expansion.chosen.is_some() || batch.successors.found.len() > mark.found {
            let found = batch.successors.found.drain(mark.found..).map(|met| met.found).collect();
            self.weigh(expansion.chosen, parent, found)
        } else {
            None
        };
        self.close(&batch.successors, &mut batch.waiting, choice);
    }

    /// What goes wrong in the steps of a choice is told when it is accepted; otherwise it is told now.
    #[inline(never)]
    fn weigh(&mut self, chosen: Option<usize>, parent: StateId, found: Box<[Found]>) -> Option<Choice> {
        match chosen {
            Some(n_tried) if self.has_proviso() => Some(Choice { n_tried: n_tried as u32, found, is_sent: false }),
            Some(_) | None => {
                self.meet_all(parent, found);
                None
            }
        }
    }

    /// All successors that the state had to offer are there: sends them where they belong.
    #[inline]
    fn close(&mut self, successors: &Successors<P>, waiting: &mut Waiting<S::Key>, mut choice: Option<Choice>) {
        let (Open { parent, begin, n_before }, end) = (waiting.open, successors.len());
        let run = Run { parent, begin, end, n_before, has_choice: choice.is_some() };
        let is_done = if self.shared.n_shards() == 1 {
            self.route_here(successors, waiting, begin)
        } else {
            self.route(successors, waiting, &run, choice.as_mut())
        };
        if is_done.is_err() {
            self.shared.out_of_memory();
        }
        waiting.runs.push(run);
        if let Some(choice) = choice {
            waiting.choices.push(choice);
        }
    }

    /// There is one shard, and all belong to it.
    #[inline]
    fn route_here(
        &mut self,
        successors: &Successors<P>,
        waiting: &mut Waiting<S::Key>,
        begin: usize,
    ) -> Result<(), OutOfMemory> {
        let Some(shard) = self.held.first_mut() else { return Ok(()) };
        let arrivals = &successors.arrivals[begin..];
        for (offset, arrival) in arrivals.iter().enumerate() {
            let key = if S::KEY_READS_STATE {
                shard.set.key(successors.get(begin + offset, &mut self.state), arrival.hash)?
            } else {
                shard.set.key(&self.state, arrival.hash)?
            };
            waiting.keys.push(key);
        }
        Ok(())
    }

    #[inline(never)]
    fn route(
        &mut self,
        successors: &Successors<P>,
        waiting: &mut Waiting<S::Key>,
        run: &Run,
        mut choice: Option<&mut Choice>,
    ) -> Result<(), OutOfMemory> {
        let mut buffer = std::mem::take(&mut self.state);
        let n_shards = self.shared.n_shards();
        let mut is_done = Ok(());
        for position in run.begin..run.end {
            let arrival = successors.arrivals[position];
            let owner = owner(arrival.hash, n_shards);
            let state = successors.get(position, &mut buffer);
            let held = owner.wrapping_sub(self.first);
            let key = if let Some(shard) = self.held.get_mut(held) {
                shard.set.key(state, arrival.hash).map(Some)
            } else {
                let ordinal = run.n_before + (position - run.begin) as u32;
                let note = Note::new(arrival.hash, run.parent.number, run.has_choice, ordinal, arrival.hidden);
                if let Some(choice) = &mut choice {
                    choice.is_sent = true;
                }
                self.send(owner, state, note).map(|()| None)
            };
            match key {
                Ok(key) => waiting.routes.push(Route { held, key }),
                Err(OutOfMemory) => {
                    is_done = Err(OutOfMemory);
                    break;
                }
            }
        }
        self.state = buffer;
        is_done
    }

    /// Sends a state to another thread, with the others that go there.
    fn send(&mut self, owner: usize, state: &P, note: Note) -> Result<(), OutOfMemory> {
        let Some(mail) = &mut self.mail else { return Ok(()) };
        if mail.add(owner, state, note)? {
            self.deliver(owner);
        }
        Ok(())
    }

    /// Hands over a parcel. Who has too many gets time to open them, and meanwhile this thread opens its own.
    fn deliver(&mut self, owner: usize) {
        let mut patience = Patience::default();
        while self.mail.as_ref().is_some_and(|mail| mail.is_busy(owner)) && !self.shared.is_over() {
            self.receive();
            if patience.wait() {
                self.tick();
            }
        }
        if let Some(mail) = &mut self.mail {
            mail.send(owner);
        }
    }

    /// Inserts a batch, and mends choices that the proviso rejects.
    fn insert(&mut self, batch: &mut Batch<P, S::Key>, system: &mut dyn System<P>) {
        self.approach(&batch.waiting);
        let mut choices = std::mem::take(&mut batch.waiting.choices);
        let mut next_choice = choices.drain(..);
        for run in &batch.waiting.runs {
            let has_new = self.insert_run(&batch.successors, &batch.waiting, run);
            if self.shared.is_over() {
                break;
            }
            if run.has_choice
                && let Some(choice) = next_choice.next()
            {
                if has_new {
                    self.meet_all(run.parent, choice.found);
                } else {
                    self.decide(&batch.successors, &batch.waiting, run, choice, system);
                }
            }
        }
        drop(next_choice);
        batch.waiting.choices = choices;
        batch.clear();
    }

    /// Tells the sets again what comes: they may know more by now.
    #[inline]
    fn approach(&mut self, waiting: &Waiting<S::Key>) {
        for route in &waiting.routes {
            if let Some(key) = route.key {
                self.held[route.held].set.approach(key);
            }
        }
        if let Some(shard) = self.held.first() {
            for &key in &waiting.keys {
                shard.set.approach(key);
            }
        }
    }

    /// Inserts the successors of a state that belong here. Returns whether one of them is new.
    #[inline(always)]
    fn insert_run(&mut self, successors: &Successors<P>, waiting: &Waiting<S::Key>, run: &Run) -> bool {
        let inserted = if self.shared.is_over() {
            Ok(false)
        } else if self.shared.n_shards() == 1 {
            self.insert_all(successors, &waiting.keys, run)
        } else {
            self.insert_own(successors, &waiting.routes, run)
        };
        inserted.unwrap_or_else(|OutOfMemory| {
            self.shared.out_of_memory();
            false
        })
    }

    /// There is one shard, and all belong to it.
    #[inline(always)]
    fn insert_all(&mut self, successors: &Successors<P>, keys: &[S::Key], run: &Run) -> Result<bool, OutOfMemory> {
        let Some(shard) = self.held.first_mut() else { return Ok(false) };
        let n_before = shard.frontier.end();
        let (keys, arrivals) = (&keys[run.begin..run.end], &successors.arrivals[run.begin..run.end]);
        for ((place, &key), arrival) in keys.iter().enumerate().zip(arrivals) {
            let state = successors.get(run.begin + place, &mut self.state);
            let letter = || run.letter(place, arrival.hidden);
            if shard.insert(state, key, letter, self.shared)?.is_none() {
                break;
            }
        }
        Ok(shard.frontier.end() > n_before)
    }

    fn insert_own(
        &mut self,
        successors: &Successors<P>,
        routes: &[Route<S::Key>],
        run: &Run,
    ) -> Result<bool, OutOfMemory> {
        let mut has_new = false;
        for (position, route) in (run.begin..run.end).zip(&routes[run.begin..]) {
            let Some(key) = route.key else { continue };
            let state = successors.get(position, &mut self.state);
            let letter = || run.letter(position - run.begin, successors.arrivals[position].hidden);
            match self.held[route.held].insert(state, key, letter, self.shared)? {
                Some(visited) => has_new |= visited == Visited::New,
                None => break,
            }
        }
        Ok(has_new)
    }

    /// No successor of a state by some of its steps is new. The choice is accepted if one is in the queue nevertheless,
    /// behind its parent or, with several shards, in the next level; or if nobody was left out.
    fn decide(
        &mut self,
        successors: &Successors<P>,
        waiting: &Waiting<S::Key>,
        run: &Run,
        choice: Choice,
        system: &mut dyn System<P>,
    ) {
        let n_before = run.n_before + (run.end - run.begin) as u32;
        let (number, n_tried) = (run.parent.number, choice.n_tried as usize);
        let place = usize::from(run.parent.shard) - self.first;
        if self.has_queued(successors, waiting, run) || self.is_whole(place, number, n_tried, system) {
            self.meet_all(run.parent, choice.found);
        } else if choice.is_sent {
            self.pending.push(Pending { number, n_tried, n_before, found: choice.found });
        } else {
            self.choose_again(place, number, n_tried, n_before, system);
        }
    }

    /// Whether nobody else can move in a state. Who wants Spin's proviso wants its counts, and Spin does not ask that.
    fn is_whole(&mut self, place: usize, number: u64, n_tried: usize, system: &mut dyn System<P>) -> bool {
        if self.choosing.is_some_and(|choosing| choosing.is_prompt()) {
            return false;
        }
        let hidden = self.held[place].read(number, &mut self.state);
        system.is_whole(&self.state, hidden, n_tried)
    }

    /// Whether one of the successors that belong here is in the queue, far enough behind.
    fn has_queued(&mut self, successors: &Successors<P>, waiting: &Waiting<S::Key>, run: &Run) -> bool {
        let is_only = self.shared.n_shards() == 1;
        for position in run.begin..run.end {
            let Some(held) = waiting.held(position, is_only) else { continue };
            successors.read(position, &mut self.state);
            let shard = &mut self.held[held];
            let behind = if is_only { run.parent.number + 1 } else { shard.level.end };
            if shard.is_queued(&self.state, successors.arrivals[position].hash, behind) {
                return true;
            }
        }
        false
    }

    /// A choice was rejected: inserts the successors by another one, or all of them.
    fn choose_again(&mut self, place: usize, number: u64, n_tried: usize, n_before: u32, system: &mut dyn System<P>) {
        let mut batch = self.spare.pop().unwrap_or_else(Batch::new);
        self.expand(place, number, (n_tried, n_before), system, &mut batch);
        self.insert(&mut batch, system);
        self.spare.push(batch);
    }

    fn meet_all(&mut self, at: StateId, all_found: impl IntoIterator<Item = Found>) {
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

    /// Inserts what has come from others.
    pub fn receive(&mut self) {
        if !self.mail.as_ref().is_some_and(Mail::has_come) {
            return;
        }
        let Some(parcels) = self.mail.as_mut().map(Mail::take) else { return };
        for parcel in parcels {
            self.open(&parcel);
            if let Some(mail) = &mut self.mail {
                mail.keep(parcel);
            }
        }
    }

    fn open(&mut self, parcel: &Parcel<P>) {
        let mut confirmed = Vec::new();
        for begin in (0..parcel.notes.len()).step_by(BATCH) {
            let end = parcel.notes.len().min(begin + BATCH);
            if self.open_part(parcel, begin, end, &mut confirmed).is_err() {
                self.shared.out_of_memory();
            }
            if self.shared.is_over() {
                return;
            }
        }
        if !confirmed.is_empty()
            && let Some(mail) = &self.mail
        {
            mail.team.confirm(parcel.from, &mut confirmed);
        }
    }

    fn open_part(
        &mut self,
        parcel: &Parcel<P>,
        begin: usize,
        end: usize,
        confirmed: &mut Vec<u64>,
    ) -> Result<(), OutOfMemory> {
        let Some(shard) = self.held.first_mut() else { return Ok(()) };
        self.keys.clear();
        for position in begin..end {
            let state = parcel.states.get(position, &mut self.state);
            self.keys.push(shard.set.key(state, parcel.notes[position].hash)?);
        }
        for &key in &self.keys {
            shard.set.approach(key);
        }
        for (position, &key) in (begin..end).zip(&self.keys) {
            let note = parcel.notes[position];
            let state = parcel.states.get(position, &mut self.state);
            let parent = StateId { number: note.parent(), shard: parcel.from };
            let origin = Origin { parent, ordinal: note.ordinal };
            let letter = || Letter { origin, hidden: note.hidden };
            let Some(visited) = shard.insert(state, key, letter, self.shared)? else { return Ok(()) };
            if note.asks() && confirmed.last() != Some(&note.parent()) {
                let is_next = visited == Visited::New || shard.is_queued(state, note.hash, shard.level.end);
                if is_next {
                    confirmed.push(note.parent());
                }
            }
        }
        Ok(())
    }

    /// Sends what is left of this round and inserts what comes, until nothing more can come. Returns whether the search
    /// goes on.
    pub fn exchange(&mut self) -> bool {
        for owner in 0..self.mail.as_ref().map_or(0, Mail::n_threads) {
            self.deliver(owner);
        }
        if let Some(mail) = &mut self.mail {
            mail.end_round();
        }
        let mut patience = Patience::default();
        loop {
            let is_all = self.mail.as_ref().is_none_or(Mail::have_all_sent);
            self.receive();
            if self.shared.is_over() || is_all {
                return !self.shared.is_over();
            }
            if patience.wait() {
                self.tick();
            }
        }
    }

    /// Tells how far it is, and looks at the limits.
    #[cold]
    pub fn tick(&mut self) {
        for shard in &mut self.held {
            shard.report(self.shared);
        }
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

/// Looks at the limits during a long expansion, and inserts successors if there are too many.
struct BatchPulse<'p, 'w, 'a, P: Packed, S: StateSet<P>> {
    worker: &'p mut Worker<'w, 'a, P, S>,
    waiting: &'p mut Waiting<S::Key>,
}

impl<P: Packed, S: StateSet<P>> Pulse<P> for BatchPulse<'_, '_, '_, P, S> {
    fn beat(&mut self, out: &mut Successors<P>) -> bool {
        if out.len() >= out.high_water {
            let n_new = (out.len() - self.waiting.open.begin) as u32;
            self.worker.close(out, self.waiting, None);
            self.worker.approach(self.waiting);
            for run in &self.waiting.runs {
                self.worker.insert_run(out, self.waiting, run);
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

/// In a team.
impl<P: Packed, S: StateSet<P>> Worker<'_, '_, P, S> {
    /// Exchanges states until all of the next level are where they belong. Returns whether the search goes on.
    pub fn exchange_rounds(&mut self, system: &mut dyn System<P>) -> bool {
        loop {
            if !self.exchange() {
                return false;
            }
            if !self.has_proviso() {
                return true;
            }
            // Before this everybody has answered.
            if self.gather(0).is_none() {
                return false;
            }
            let rejected = self.take_rejected();
            match self.gather(rejected.len() as u64) {
                None => return false,
                Some(0) => return true,
                Some(_) => {}
            }
            for Pending { number, n_tried, n_before, .. } in rejected {
                self.choose_again(0, number, n_tried, n_before, system);
                self.receive();
                if self.shared.is_over() {
                    return false;
                }
            }
        }
    }

    /// Choices that nobody has confirmed. What went wrong in the steps of the others is reported.
    fn take_rejected(&mut self) -> Vec<Pending> {
        let (Some(mail), Some(shard)) = (&self.mail, self.held.first()) else { return Vec::new() };
        let mut confirmed = mail.team.take_confirmed(shard.number);
        confirmed.sort_unstable();
        let mut rejected = Vec::new();
        for pending in std::mem::take(&mut self.pending) {
            if confirmed.binary_search(&pending.number).is_ok() {
                let at = self.held[0].id(pending.number);
                self.meet_all(at, pending.found);
            } else {
                rejected.push(pending);
            }
        }
        rejected
    }

    /// Adds a number to those of the others, and waits for the sum. Nothing if the search is over.
    pub fn gather(&mut self, number: u64) -> Option<u64> {
        let [sum] = self.gather_all([number])?;
        Some(sum)
    }

    fn gather_all<const N: usize>(&mut self, numbers: [u64; N]) -> Option<[u64; N]> {
        let team = self.mail.as_ref()?.team;
        let shared = self.shared;
        team.gather(numbers, || shared.is_over(), || self.tick())
    }

    /// Ends a level: how many states the next one has, of all threads. Nothing if the search is over.
    pub fn end_level(&mut self, n_own: u64, system: &mut dyn System<P>) -> Option<u64> {
        if !self.zeals.adapts() {
            return self.gather(n_own);
        }
        let [any_looks, any_useful, any_lost, closed_looks, closed_useful, closed_lost] = system.take_gains().numbers();
        let own = [n_own, any_looks, any_useful, any_lost, closed_looks, closed_useful, closed_lost];
        let [n_next, gains @ ..] = self.gather_all(own)?;
        self.zeals.decide(Gains::from_numbers(gains), self.depth + 1, n_next);
        Some(n_next)
    }
}
