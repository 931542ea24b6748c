//! Depth-first search in Spin's order: the youngest process first, options top down.
//!
//! The stack is our own and grows as needed; it holds the states of the path, so that the search needs only a set of
//! states. When the search enters a state it computes all successors and prefetches their positions in the set; they
//! stay packed on the stack until the search backtracks to them.
//!
//! A [`Walk`] is such a search that can pause: the probe of `auto` advances it in slices. It may take the successors of
//! a state from a random one on, cyclically, instead of in Spin's order.

use super::Counts;
use super::control::{Control, LimitPulse, Rounds};
use super::cycle_proviso::CycleProviso;
use super::path_index::PathIndex;
use crate::hidden::Hidden;
use crate::limits::Stop;
use crate::memory::{OutOfMemory, reserve};
use crate::monitor::Progress;
use crate::pack::{Packed, Pool};
use crate::random::Random;
use crate::store::{StateSet, StoreOptions, Visited};
use crate::system::{AmpleSet, Expansion, Mark, Point, ReductionConfig, Successors, System, Systems};
use crate::verdict::{Found, ViolationKind};

/// Entered states between two checks of the clock.
const TICK: u64 = 512;

struct DepthFirst<'c, 'a, 's, P: Packed, S: StateSet<P>> {
    control: &'c mut Control<'a>,
    set: S,
    config: Option<ReductionConfig<'s>>,
    /// Which states are on the path; kept only for the reduction.
    on_path: PathIndex,
    proviso: CycleProviso,
    /// The states on the path.
    path: P::Pool,
    /// The frame of each of them; its successors are in `waiting`.
    frames: Vec<Frame>,
    /// The successors of the states on the path, those of the last one at the end.
    waiting: Successors<P>,
    /// The key of each of those in the set.
    keys: Vec<S::Key>,
    transitions: u64,
    /// Successors that were computed. Those of the states on the path are visited later, or never.
    computed: u64,
    depth: u64,
    state_bytes: usize,
    packed: P,
    order: Order,
    /// What to do with a violation.
    on_violation: OnViolation,
    /// The first one, if the search keeps it, with the path to it.
    met: Option<KeptViolation<P>>,
}

/// The order in which the successors of a state are visited.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// As the system gives them: Spin's order.
    Spins,
    /// From a random one on.
    Random(Random),
}

impl Order {
    /// The number of successors that are visited after the others, modulo their number.
    fn offset(&mut self) -> u32 {
        match self {
            Order::Spins => 0,
            Order::Random(random) => random.next() as u32,
        }
    }
}

/// What a search does with a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnViolation {
    /// Reports it, with the run to it.
    Report,
    /// Keeps the first one and stops.
    Keep,
}

/// A violation, the states on the path to it, and the number of steps between them.
pub(crate) struct KeptViolation<P> {
    pub found: Found,
    pub path: Vec<Point<P>>,
    pub n_steps: u64,
}

#[derive(Clone, Copy)]
struct Frame {
    /// Steps from the initial state, including those inside atomic sequences.
    depth: u64,
    hidden: Hidden,
    /// Where its successors begin in `waiting`, and the next ones to visit.
    begin: Mark,
    next: Mark,
    /// The rotation of its successors: see [`Order::offset`].
    offset: u32,
}

pub(crate) fn search<'s, P: Packed, S: StateSet<P>>(
    systems: &'s dyn Systems<P>,
    config: Option<ReductionConfig<'s>>,
    store: &StoreOptions,
    control: &mut Control<'_>,
) -> Counts {
    match Walk::<P, S>::begin(systems, config, store, Order::Spins, OnViolation::Report, &mut *control) {
        Ok(mut walk) => {
            walk.proceed(u64::MAX);
            walk.counts()
        }
        Err(OutOfMemory) => {
            control.out_of_memory(0);
            Counts::default()
        }
    }
}

/// A depth-first search that can pause.
pub(crate) struct Walk<'c, 'a, 's, P: Packed, S: StateSet<P>> {
    system: Box<dyn System<P> + 's>,
    search: DepthFirst<'c, 'a, 's, P, S>,
    rounds: Rounds,
}

impl<'c, 'a, 's, P: Packed, S: StateSet<P>> Walk<'c, 'a, 's, P, S> {
    /// Enters the initial state.
    pub fn begin(
        systems: &'s dyn Systems<P>,
        config: Option<ReductionConfig<'s>>,
        store: &StoreOptions,
        order: Order,
        on_violation: OnViolation,
        control: &'c mut Control<'a>,
    ) -> Result<Walk<'c, 'a, 's, P, S>, OutOfMemory> {
        let mut system = systems.system(control.wants, config);
        let mut search = DepthFirst::<P, S> {
            control,
            set: S::new(store)?,
            config,
            on_path: PathIndex::default(),
            proviso: CycleProviso::default(),
            path: P::Pool::default(),
            frames: Vec::new(),
            waiting: Successors::new(),
            keys: Vec::new(),
            transitions: 0,
            computed: 0,
            depth: 0,
            state_bytes: 0,
            packed: P::default(),
            order,
            on_violation,
            met: None,
        };
        match system.initial(&mut search.packed) {
            Ok(hidden) => search.enter_initial(hidden, &mut *system),
            Err(fault) => search.meet(Found::state(ViolationKind::Fault(fault)), &mut *system),
        }
        Ok(Walk { system, search, rounds: Rounds::default() })
    }

    /// Goes on until so many transitions were taken since the beginning. Returns whether the walk is over: there is
    /// nothing left, or its control has ended it.
    pub fn proceed(&mut self, n_transitions: u64) -> bool {
        self.search.run(n_transitions, &mut *self.system, &mut self.rounds)
    }

    /// The violation that the walk has kept.
    pub fn take_met(&mut self) -> Option<KeptViolation<P>> {
        self.search.met.take()
    }

    /// Ends the walk.
    pub fn into_control(self) -> &'c mut Control<'a> {
        self.search.control
    }

    /// Whether the walk has visited all states that it should.
    pub fn is_complete(&self) -> bool {
        self.search.frames.is_empty() && self.search.control.reason().is_none()
    }

    pub fn n_transitions(&self) -> u64 {
        self.search.transitions
    }

    /// The successors that it has computed, which is what it costs. A walk that goes down visits few of them.
    pub fn n_computed(&self) -> u64 {
        self.search.computed
    }

    pub fn memory_bytes(&self) -> u64 {
        self.search.memory_bytes()
    }

    pub fn counts(&self) -> Counts {
        let search = &self.search;
        Counts {
            threads: 1,
            states_stored: search.set.n_states(),
            transitions: search.transitions,
            depth: search.depth,
            state_bytes: search.state_bytes as u64,
            memory_bytes: search.memory_bytes(),
            omissions: search.set.omissions(),
            storage_note: search.set.describe(),
            tally: self.system.tally(),
        }
    }
}

impl<P: Packed, S: StateSet<P>> DepthFirst<'_, '_, '_, P, S> {
    /// Enters the initial state, which is in `self.packed`.
    fn enter_initial(&mut self, hidden: Hidden, system: &mut dyn System<P>) {
        self.tick();
        match self.set.key(&self.packed, self.packed.hash()) {
            Ok(key) => self.arrive(key, 0, hidden, system),
            Err(OutOfMemory) => self.out_of_memory(),
        }
    }

    /// Goes on up to so many transitions. Returns whether the search is over.
    fn run(&mut self, n_transitions: u64, system: &mut dyn System<P>, rounds: &mut Rounds) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            if self.control.is_over() {
                return true;
            }
            if self.transitions >= n_transitions {
                return false;
            }
            // Violations come at their positions among the arrivals, unless the first one ends the search.
            if let Some(met) = self.waiting.found.get(frame.next.found)
                && (met.n_arrivals <= frame.next.arrivals || self.on_violation == OnViolation::Keep)
            {
                let found = met.found;
                frame.next.found += 1;
                self.meet(found, system);
                continue;
            }
            let position = frame.next.arrivals;
            if position >= self.waiting.len() {
                let begin = frame.begin;
                self.truncate(begin);
                match self.makes_up(system) {
                    Ok(true) => {}
                    Ok(false) => {
                        self.leave();
                        if rounds.is_due() {
                            self.tick();
                        }
                    }
                    Err(OutOfMemory) => {
                        self.out_of_memory();
                        return true;
                    }
                }
                continue;
            }
            frame.next.arrivals += 1;
            // A whole turn of the last frame's successors, which are at the end of `waiting`.
            let (begin, n) = (frame.begin.arrivals, self.waiting.len() - frame.begin.arrivals);
            let rotated = match frame.offset {
                0 => position,
                offset => begin + (position - begin + offset as usize) % n,
            };
            let arrival = self.waiting.arrivals[rotated];
            let depth = frame.depth + u64::from(arrival.n_steps);
            self.waiting.read(rotated, &mut self.packed);
            let key = self.keys[rotated];
            if (Mark { arrivals: position + 1, ..frame.next }) == self.waiting.mark() {
                // Its last successor: its space is free for deeper ones.
                frame.next = Mark { arrivals: usize::MAX, found: usize::MAX };
                let begin = frame.begin;
                self.truncate(begin);
            }
            self.arrive(key, depth, arrival.hidden, system);
        }
        true
    }

    /// Removes successors behind a mark.
    #[inline]
    fn truncate(&mut self, mark: Mark) {
        self.waiting.truncate(mark);
        self.keys.truncate(mark.arrivals);
    }

    /// Removes the last state from the path.
    #[inline]
    fn leave(&mut self) {
        self.frames.pop();
        let number = self.frames.len();
        if self.config.is_some() {
            self.on_path.forget_from(number as u64);
            self.proviso.leave(number);
        }
        self.path.truncate(number);
    }

    /// Enters the state in `self.packed` if it is new.
    #[inline]
    fn arrive(&mut self, key: S::Key, depth: u64, hidden: Hidden, system: &mut dyn System<P>) {
        if depth > self.control.max_depth {
            self.control.cut();
            return;
        }
        if self.set.n_states() >= self.control.max_states && !self.set.contains(&self.packed, key) {
            self.control.too_many_states();
            return;
        }
        match self.set.insert(&self.packed, key) {
            Ok(Visited::Seen) => self.transitions += 1,
            Ok(Visited::New) => {
                self.transitions += 1;
                self.state_bytes = self.state_bytes.max(self.packed.n_bytes());
                self.depth = self.depth.max(depth);
                if self.set.n_states() % TICK == 1 {
                    self.tick();
                }
                if self.enter(depth, hidden, system).is_err() {
                    self.out_of_memory();
                }
            }
            Err(OutOfMemory) => self.out_of_memory(),
        }
    }

    /// Pushes the state in `self.packed`, which is new, onto the path and computes its successors.
    fn enter(&mut self, depth: u64, hidden: Hidden, system: &mut dyn System<P>) -> Result<(), OutOfMemory> {
        reserve(&mut self.frames)?;
        self.path.push(&self.packed)?;
        let begin = self.waiting.mark();
        let offset = self.order.offset();
        self.frames.push(Frame { depth, hidden, begin, next: begin, offset });
        let mut n_rejected = 0;
        loop {
            let expansion = self.expand(hidden, n_rejected, system)?;
            match expansion.chosen {
                Some(n_tried) if !self.accepts(begin, expansion.who)? => n_rejected = n_tried,
                Some(_) => return self.approach(begin.arrivals),
                None => {
                    self.proviso.take_all();
                    return self.approach(begin.arrivals);
                }
            }
            self.transitions += (self.waiting.len() - begin.arrivals) as u64;
            self.waiting.truncate(begin);
        }
    }

    /// Pushes successors of the state in `self.packed` onto the stack.
    fn expand(
        &mut self,
        hidden: Hidden,
        n_rejected: usize,
        system: &mut dyn System<P>,
    ) -> Result<Expansion, OutOfMemory> {
        let mut pulse = LimitPulse { control: &mut *self.control, memory_beside: self.set.memory_bytes() };
        let n_before = self.waiting.len();
        let expansion = system.expand(&self.packed, hidden, n_rejected, &mut self.waiting, &mut pulse);
        self.computed += (self.waiting.len() - n_before) as u64;
        if self.waiting.is_full() { Err(OutOfMemory) } else { Ok(expansion) }
    }

    /// All successors of the last state on the path were visited. Fully expands the state if it has an unmet
    /// obligation.
    fn makes_up(&mut self, system: &mut dyn System<P>) -> Result<bool, OutOfMemory> {
        let Some(missing) = self.frames.len().checked_sub(1).and_then(|place| self.proviso.missing(place)) else {
            return Ok(false);
        };
        let Some(&Frame { hidden, begin, .. }) = self.frames.last() else { return Ok(false) };
        self.path.read(self.frames.len() - 1, &mut self.packed);
        if !system.can_move(&self.packed, hidden, missing) {
            return Ok(false);
        }
        self.expand(hidden, usize::MAX, system)?;
        self.proviso.take_all();
        if let Some(frame) = self.frames.last_mut() {
            frame.next = begin;
        }
        self.approach(begin.arrivals)?;
        Ok(true)
    }

    /// Makes keys for the successors from this position on.
    #[inline]
    fn approach(&mut self, begin: usize) -> Result<(), OutOfMemory> {
        for position in begin..self.waiting.len() {
            reserve(&mut self.keys)?;
            if self.set.key_reads_state() {
                self.waiting.read(position, &mut self.packed);
            }
            self.keys.push(self.set.key(&self.packed, self.waiting.arrivals[position].hash)?);
        }
        Ok(())
    }

    /// Whether the ample set whose successors begin at `begin` satisfies the [`CycleProviso`]. If all of them are on
    /// the path, the one nearest to the initial state gets an obligation.
    fn accepts(&mut self, begin: Mark, who: AmpleSet) -> Result<bool, OutOfMemory> {
        let Some(config) = self.config.filter(|config| !config.is_static()) else { return Ok(true) };
        let (mut packed, mut other) = (P::default(), P::default());
        let mut nearest = usize::MAX;
        for position in begin.arrivals..self.waiting.len() {
            self.waiting.read(position, &mut packed);
            let is_it = |number| self.path.is_equal(number as usize, &packed);
            let hash_of = |number| {
                self.path.read(number as usize, &mut other);
                other.hash()
            };
            let on_path = 0..self.frames.len() as u64;
            match self.on_path.find(on_path, hash_of, self.waiting.arrivals[position].hash, is_it) {
                Some(number) => nearest = nearest.min(number as usize),
                None => {
                    self.proviso.choose(self.frames.len() - 1, who)?;
                    return Ok(true);
                }
            }
        }
        if config.is_prompt() {
            return Ok(false);
        }
        self.proviso.choose(self.frames.len() - 1, who)?;
        self.proviso.owe(nearest);
        Ok(true)
    }

    fn meet(&mut self, found: Found, system: &mut dyn System<P>) {
        let (path, frames) = (&self.path, &self.frames);
        let points = || {
            let point = |(number, frame): (usize, &Frame)| {
                let mut packed = P::default();
                path.read(number, &mut packed);
                Point { packed, hidden: frame.hidden }
            };
            frames.iter().enumerate().map(point).collect::<Vec<_>>()
        };
        match self.on_violation {
            OnViolation::Report => self.control.meet(found, || system.rebuild(&points(), found)),
            OnViolation::Keep => {
                let n_steps = frames.last().map_or(0, |frame| frame.depth) + u64::from(found.is_in_a_step());
                self.met = Some(KeptViolation { found, path: points(), n_steps });
                self.control.stop.get_or_insert(Stop::Violation);
            }
        }
    }

    fn stack_bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let keys = self.keys.capacity() * size_of::<S::Key>();
        self.waiting.memory_bytes()
            + (frames + keys) as u64
            + self.path.memory_bytes()
            + self.on_path.memory_bytes()
            + self.proviso.memory_bytes()
    }

    fn memory_bytes(&self) -> u64 {
        self.set.memory_bytes() + self.stack_bytes()
    }

    #[cold]
    fn out_of_memory(&mut self) {
        let in_use = self.memory_bytes();
        self.control.out_of_memory(in_use);
    }

    #[cold]
    fn tick(&mut self) {
        self.set.set_memory_limit(self.control.memory_limit().saturating_sub(self.stack_bytes()));
        self.control.tick(Progress {
            states_stored: self.set.n_states(),
            transitions: self.transitions,
            depth: self.depth,
            memory_bytes: self.memory_bytes(),
            ..Progress::default()
        });
    }
}
