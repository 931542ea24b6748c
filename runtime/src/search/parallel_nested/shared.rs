//! The stored states of the product, shared by all threads.
//!
//! The hash of a state selects its shard; each shard is behind a lock that is held for one look-up. There are many more
//! shards than threads, so that contention is rare.

use crate::hidden::{Hidden, HiddenList};
use crate::limits::Stop;
use crate::lock::{Lock, Locked, Rank};
use crate::memory::{OutOfMemory, growth};
use crate::pack::{Keyed, Packed};
use crate::search::lasso::StateSource;
use crate::signal;
use crate::store::{ExactStore, StateStore, Visited};
use crate::system::ProductState;
use crate::verdict::Found;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The flags of a state. Blue: some thread has backtracked from it.
const BLUE: usize = 0;
/// Red: an inner search has passed it in vain.
const RED: usize = 1;
/// A cycle through it is a violation.
const ACCEPTING: usize = 2;
/// From here on two flags for each thread: the state is on its outer path; its inner search has visited the state.
const FIRST_OWN: usize = 3;

/// Shards for each thread.
const SPREAD: usize = 32;

pub(super) struct SharedProduct<P: Packed> {
    shards: Vec<Lock<Shard<P>>>,
    shard_bits: u32,
    n_flag_bytes: usize,
    /// The number of the initial state.
    initial: u32,
    is_over: AtomicBool,
    ending: Lock<Ending>,
    n_states: AtomicU64,
    pub transitions: AtomicU64,
    pub depth: AtomicU64,
    pub was_cut: AtomicBool,
    /// The memory of the paths of each thread.
    memory: Vec<AtomicU64>,
    max_states: u64,
    pub max_depth: u64,
}

struct Shard<P: Packed> {
    store: ExactStore<Keyed<P>>,
    /// The hidden variables of each state, as they were at the first arrival of any thread.
    hidden: HiddenList,
    /// `n_flag_bytes` for each state.
    flags: Vec<u8>,
    state_bytes: usize,
}

/// Why the search is over.
#[derive(Default)]
struct Ending {
    sighting: Option<Discovery>,
    stop: Option<Stop>,
}

/// The finding of a thread.
#[derive(Clone, Copy)]
pub(super) enum Discovery {
    /// A cycle through this state.
    Cycle(u32),
    /// A violation in this state or in a step out of it.
    Wrong(u32, Found),
}

/// What a search meets at a state.
pub(super) enum VisitOutcome {
    /// The search enters the state, which has these hidden variables.
    Entered(u32, Hidden),
    /// The state is on the same path; whether it is accepting.
    OnPath(u32, bool),
    /// Some thread has finished the state.
    Done,
}

impl<P: Packed> SharedProduct<P> {
    pub fn new(n_threads: usize, has_hidden: bool, max_states: u64, max_depth: u64) -> SharedProduct<P> {
        let n_shards = (n_threads * SPREAD).next_power_of_two();
        let shard = |_| {
            let (store, hidden) = (ExactStore::default(), HiddenList::new(has_hidden));
            Lock::new(Rank::Shard, Shard { store, hidden, flags: Vec::new(), state_bytes: 0 })
        };
        SharedProduct {
            shards: (0..n_shards).map(shard).collect(),
            shard_bits: n_shards.trailing_zeros(),
            n_flag_bytes: (FIRST_OWN + 2 * n_threads).div_ceil(8),
            initial: 0,
            is_over: AtomicBool::new(false),
            ending: Lock::new(Rank::Ending, Ending::default()),
            n_states: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            was_cut: AtomicBool::new(false),
            memory: (0..n_threads).map(|_| AtomicU64::new(0)).collect(),
            max_states,
            max_depth,
        }
    }

    /// Inserts the initial state, before the threads start. It counts as a transition, as in the other searches.
    pub fn begin(&mut self, initial: &ProductState<P>) {
        let hash = initial.state.hash();
        let number = self.store(&initial.state, hash, initial.hidden).map(|(_, number, _)| number);
        if let Some(number) = number {
            self.initial = number;
            *self.transitions.get_mut() = 1;
        }
    }

    pub fn initial_number(&self) -> u32 {
        self.initial
    }

    /// The table of a shard uses the low bits of the hash.
    #[inline]
    fn shard_of(&self, hash: u64) -> usize {
        (hash >> (64 - self.shard_bits)) as usize
    }

    #[inline]
    fn number(&self, shard: usize, index: usize) -> Result<u32, OutOfMemory> {
        u32::try_from(index << self.shard_bits | shard).map_err(|_| OutOfMemory)
    }

    #[inline]
    fn place(&self, number: u32) -> (usize, usize) {
        let number = number as usize;
        (number & (self.shards.len() - 1), number >> self.shard_bits)
    }

    /// Inserts a state unless it is stored: its shard, its number, and its index among the flags there. `None` if a
    /// limit forbids it; then the search is over.
    #[inline]
    fn store(&self, state: &Keyed<P>, hash: u64, hidden: Hidden) -> Option<(Locked<'_, Shard<P>>, u32, usize)> {
        let shard_number = self.shard_of(hash);
        let mut shard = self.shards[shard_number].lock();
        let inserted = shard.insert(state, hash, hidden, self.n_flag_bytes);
        let numbered = inserted.and_then(|(visited, index)| Ok((visited, index, self.number(shard_number, index)?)));
        let (visited, index, number) = match numbered {
            Ok(numbered) => numbered,
            Err(OutOfMemory) => {
                drop(shard);
                self.out_of_memory();
                return None;
            }
        };
        if visited == Visited::New && self.n_states.fetch_add(1, Ordering::Relaxed) >= self.max_states {
            self.end(None, Some(Stop::MaxStates(self.max_states)));
            return None;
        }
        Some((shard, number, index))
    }

    /// The outer search of a thread arrives at a state, and enters it unless it is on its path or blue. `None` if the
    /// search is over.
    #[inline]
    pub fn arrive(&self, thread: usize, state: &Keyed<P>, hash: u64, hidden: Hidden) -> Option<VisitOutcome> {
        let (mut shard, number, index) = self.store(state, hash, hidden)?;
        let mut flags = shard.flags(index, self.n_flag_bytes);
        Some(if flags.has(BLUE) {
            VisitOutcome::Done
        } else if flags.set(on_path(thread)) {
            VisitOutcome::OnPath(number, flags.has(ACCEPTING))
        } else {
            VisitOutcome::Entered(number, shard.hidden.get(index))
        })
    }

    /// The inner search of a thread arrives at a state. `None` if a limit cut the state off.
    #[inline]
    pub fn arrive_inner(&self, thread: usize, state: &Keyed<P>, hash: u64) -> Option<VisitOutcome> {
        let shard_number = self.shard_of(hash);
        let mut shard = self.shards[shard_number].lock();
        let index = shard.store.find(state, hash)?;
        let number = self.number(shard_number, index).ok()?;
        let mut flags = shard.flags(index, self.n_flag_bytes);
        Some(if flags.has(on_path(thread)) {
            VisitOutcome::OnPath(number, flags.has(ACCEPTING))
        } else if flags.has(RED) || flags.set(seen(thread)) {
            VisitOutcome::Done
        } else {
            VisitOutcome::Entered(number, shard.hidden.get(index))
        })
    }

    /// Accesses the flags of a state.
    #[inline]
    fn with_flags<T>(&self, number: u32, act: impl FnOnce(&mut Flags<'_>) -> T) -> T {
        let (shard, index) = self.place(number);
        act(&mut self.shards[shard].lock().flags(index, self.n_flag_bytes))
    }

    /// The outer search of a thread enters the initial state.
    pub fn enter_initial(&self, thread: usize) {
        self.with_flags(self.initial, |flags| flags.set(on_path(thread)));
    }

    pub fn set_accepting(&self, number: u32) {
        self.with_flags(number, |flags| flags.set(ACCEPTING));
    }

    /// The outer search of a thread has followed all edges of a state. Returns whether it is the first thread to do so,
    /// and whether the inner search from the state was made.
    pub fn finish(&self, number: u32) -> (bool, bool) {
        self.with_flags(number, |flags| (!flags.set(BLUE), flags.has(RED)))
    }

    /// The outer search of a thread leaves a state.
    pub fn leave(&self, thread: usize, number: u32) {
        self.with_flags(number, |flags| flags.clear(on_path(thread)));
    }

    /// The inner search of a thread begins at a state.
    pub fn begin_inner(&self, thread: usize, number: u32) {
        self.with_flags(number, |flags| flags.set(seen(thread)));
    }

    pub fn set_red(&self, thread: usize, number: u32) {
        self.with_flags(number, |flags| {
            flags.clear(seen(thread));
            flags.set(RED)
        });
    }

    pub fn is_red(&self, number: u32) -> bool {
        self.with_flags(number, |flags| flags.has(RED))
    }

    pub fn read_state(&self, number: u32, into: &mut ProductState<P>) {
        let (shard, index) = self.place(number);
        let shard = self.shards[shard].lock();
        shard.store.read(index, &mut into.state);
        into.hidden = shard.hidden.get(index);
    }

    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// The first finding and the first reason count.
    pub fn end(&self, sighting: Option<Discovery>, stop: Option<Stop>) {
        if sighting.is_some() {
            signal::note_violation();
        }
        let mut ending = self.ending.lock();
        ending.sighting = ending.sighting.or(sighting);
        ending.stop = ending.stop.or(stop);
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn out_of_memory(&self) {
        self.end(None, Some(Stop::Memory(self.memory_bytes())));
    }

    pub fn ending(&self) -> (Option<Discovery>, Option<Stop>) {
        let ending = self.ending.lock();
        (ending.sighting, ending.stop)
    }

    pub fn n_states(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed).min(self.max_states)
    }

    pub fn state_bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().state_bytes).max().unwrap_or(0)
    }

    pub fn set_memory(&self, thread: usize, bytes: u64) {
        self.memory[thread].store(bytes, Ordering::Relaxed);
    }

    pub fn memory_bytes(&self) -> u64 {
        let paths: u64 = self.memory.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum();
        paths + self.shards.iter().map(|shard| shard.lock().memory_bytes()).sum::<u64>()
    }
}

impl<P: Packed> Shard<P> {
    #[inline]
    fn insert(
        &mut self,
        state: &Keyed<P>,
        hash: u64,
        hidden: Hidden,
        n_flag_bytes: usize,
    ) -> Result<(Visited, usize), OutOfMemory> {
        // Done before the insertion, so that all arrays always have an entry for each state.
        if self.flags.len() + n_flag_bytes > self.flags.capacity() {
            self.flags.try_reserve_exact(growth(self.flags.len()).max(n_flag_bytes))?;
        }
        self.hidden.reserve()?;
        let (visited, index) = self.store.insert(state, hash)?;
        if visited == Visited::New {
            self.hidden.push(hidden);
            self.flags.resize(self.flags.len() + n_flag_bytes, 0);
            self.state_bytes = self.state_bytes.max(state.n_bytes());
        }
        Ok((visited, index))
    }

    #[inline]
    fn flags(&mut self, index: usize, n_bytes: usize) -> Flags<'_> {
        Flags(&mut self.flags[index * n_bytes..][..n_bytes])
    }

    fn memory_bytes(&self) -> u64 {
        StateStore::memory_bytes(&self.store) + self.hidden.memory_bytes() + self.flags.capacity() as u64
    }
}

/// The flags of one state.
struct Flags<'f>(&'f mut [u8]);

impl Flags<'_> {
    #[inline]
    fn has(&self, bit: usize) -> bool {
        self.0[bit / 8] >> (bit % 8) & 1 != 0
    }

    /// Returns whether it was set.
    #[inline]
    fn set(&mut self, bit: usize) -> bool {
        let was_set = self.has(bit);
        self.0[bit / 8] |= 1 << (bit % 8);
        was_set
    }

    #[inline]
    fn clear(&mut self, bit: usize) {
        self.0[bit / 8] &= !(1 << (bit % 8));
    }
}

#[inline]
fn on_path(thread: usize) -> usize {
    FIRST_OWN + 2 * thread
}

#[inline]
fn seen(thread: usize) -> usize {
    FIRST_OWN + 2 * thread + 1
}

/// For the counterexample, after the threads have ended.
impl<P: Packed> StateSource<P> for SharedProduct<P> {
    fn initial(&self) -> usize {
        self.initial as usize
    }

    fn find(&self, state: &Keyed<P>, hash: u64) -> Option<usize> {
        let shard = self.shard_of(hash);
        let index = self.shards[shard].lock().store.find(state, hash)?;
        Some(self.number(shard, index).ok()? as usize)
    }

    fn read(&self, number: usize, into: &mut ProductState<P>) {
        self.read_state(number as u32, into);
    }

    fn hidden(&self, number: usize) -> Hidden {
        let (shard, index) = self.place(number as u32);
        self.shards[shard].lock().hidden.get(index)
    }

    fn n_numbers(&self) -> usize {
        let longest = self.shards.iter().map(|shard| StateStore::n_states(&shard.lock().store)).max().unwrap_or(0);
        longest << self.shard_bits
    }
}
