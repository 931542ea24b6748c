//! The states of the product, shared by all threads.
//!
//! They are divided into shards by their hash, each behind a lock that is held for one look-up. There are many more
//! shards than threads, so that two seldom want the same.

use crate::pack::{Keyed, OutOfMemory, Packed};
use crate::search::lasso::Known;
use crate::store::{ExactStore, StateStore, Visited};
use crate::system::{Hidden, HiddenList, Joint, reserve};
use crate::verdict::{Found, Stop};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is known of a state: the search of some thread is done with it.
pub(super) const BLUE: u8 = 1;
/// No cycle through an accepting state can be found by passing it that is not known.
pub(super) const RED: u8 = 2;
pub(super) const ACCEPTING: u8 = 4;

/// Shards for each thread.
const SPREAD: usize = 32;

pub(super) struct Shared<P: Packed> {
    shards: Vec<Mutex<Shard<P>>>,
    shard_bits: u32,
    /// That of the initial state.
    initial: u32,
    is_over: AtomicBool,
    ending: Mutex<Ending>,
    n_states: AtomicU64,
    pub transitions: AtomicU64,
    pub depth: AtomicU64,
    pub was_cut: AtomicBool,
    /// What each thread takes for its paths.
    memory: Vec<AtomicU64>,
    max_states: u64,
    pub max_depth: u64,
}

struct Shard<P: Packed> {
    store: ExactStore<Keyed<P>>,
    /// For each state its hidden variables, as they were at the first arrival, whoever arrived.
    hidden: HiddenList,
    flags: Vec<u8>,
    state_bytes: usize,
}

/// Why it is over.
#[derive(Default)]
struct Ending {
    sighting: Option<Sighting>,
    stop: Option<Stop>,
}

/// What a thread has found.
#[derive(Clone, Copy)]
pub(super) enum Sighting {
    /// A cycle through this state.
    Cycle(u32),
    /// Something goes wrong in this state or out of it.
    Wrong(u32, Found),
}

/// A state that was looked up.
#[derive(Clone, Copy)]
pub(super) struct Met {
    pub number: u32,
    pub flags: u8,
}

/// A lock that was left by a panic: the search is over anyway, and what it guards is always in order.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Packed> Shared<P> {
    pub fn new(n_threads: usize, has_hidden: bool, max_states: u64, max_depth: u64) -> Shared<P> {
        let n_shards = (n_threads * SPREAD).next_power_of_two();
        let shard = |_| {
            let (store, hidden) = (ExactStore::default(), HiddenList::new(has_hidden));
            Mutex::new(Shard { store, hidden, flags: Vec::new(), state_bytes: 0 })
        };
        Shared {
            shards: (0..n_shards).map(shard).collect(),
            shard_bits: n_shards.trailing_zeros(),
            initial: 0,
            is_over: AtomicBool::new(false),
            ending: Mutex::default(),
            n_states: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            was_cut: AtomicBool::new(false),
            memory: (0..n_threads).map(|_| AtomicU64::new(0)).collect(),
            max_states,
            max_depth,
        }
    }

    /// Before there are threads. To arrive there counts as a transition, as in the other searches.
    pub fn begin(&mut self, initial: &Joint<P>) {
        if let Some(met) = self.arrive(&initial.state, initial.state.hash(), initial.hidden) {
            self.initial = met.number;
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
    fn number(&self, shard: usize, index: usize) -> Option<u32> {
        u32::try_from(index << self.shard_bits | shard).ok()
    }

    #[inline]
    fn place(&self, number: u32) -> (usize, usize) {
        let number = number as usize;
        (number & (self.shards.len() - 1), number >> self.shard_bits)
    }

    /// The state, which is stored if it is new. Nothing if that cannot be, and then the search is over.
    #[inline]
    pub fn arrive(&self, state: &Keyed<P>, hash: u64, hidden: Hidden) -> Option<Met> {
        let shard_number = self.shard_of(hash);
        let mut shard = lock(&self.shards[shard_number]);
        let (visited, index) = match shard.insert(state, hash, hidden) {
            Ok(inserted) => inserted,
            Err(OutOfMemory) => {
                drop(shard);
                self.out_of_memory();
                return None;
            }
        };
        let flags = shard.flags[index];
        drop(shard);
        let Some(number) = self.number(shard_number, index) else {
            self.out_of_memory();
            return None;
        };
        if visited == Visited::New && self.n_states.fetch_add(1, Ordering::Relaxed) >= self.max_states {
            self.end(None, Some(Stop::MaxStates(self.max_states)));
            return None;
        }
        Some(Met { number, flags })
    }

    /// A state that is stored.
    #[inline]
    pub fn look_up(&self, state: &Keyed<P>, hash: u64) -> Option<Met> {
        let shard_number = self.shard_of(hash);
        let shard = lock(&self.shards[shard_number]);
        let index = shard.store.find(state, hash)?;
        let number = self.number(shard_number, index)?;
        Some(Met { number, flags: shard.flags[index] })
    }

    pub fn flags(&self, number: u32) -> u8 {
        let (shard, index) = self.place(number);
        lock(&self.shards[shard]).flags[index]
    }

    /// Adds to what is known of a state. Gives what was known before.
    pub fn mark(&self, number: u32, flags: u8) -> u8 {
        let (shard, index) = self.place(number);
        let mut shard = lock(&self.shards[shard]);
        let before = shard.flags[index];
        shard.flags[index] |= flags;
        before
    }

    pub fn read_state(&self, number: u32, into: &mut Joint<P>) {
        let (shard, index) = self.place(number);
        let shard = lock(&self.shards[shard]);
        shard.store.read(index, &mut into.state);
        into.hidden = shard.hidden.get(index);
    }

    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// What was found first counts, and why it ended first.
    pub fn end(&self, sighting: Option<Sighting>, stop: Option<Stop>) {
        let mut ending = lock(&self.ending);
        ending.sighting = ending.sighting.or(sighting);
        ending.stop = ending.stop.or(stop);
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn out_of_memory(&self) {
        self.end(None, Some(Stop::Memory(self.memory_bytes())));
    }

    pub fn ending(&self) -> (Option<Sighting>, Option<Stop>) {
        let ending = lock(&self.ending);
        (ending.sighting, ending.stop)
    }

    pub fn n_states(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed).min(self.max_states)
    }

    pub fn state_bytes(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).state_bytes).max().unwrap_or(0)
    }

    pub fn set_memory(&self, thread: usize, bytes: u64) {
        self.memory[thread].store(bytes, Ordering::Relaxed);
    }

    pub fn memory_bytes(&self) -> u64 {
        let paths: u64 = self.memory.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum();
        paths + self.shards.iter().map(|shard| lock(shard).memory_bytes()).sum::<u64>()
    }
}

impl<P: Packed> Shard<P> {
    #[inline]
    fn insert(&mut self, state: &Keyed<P>, hash: u64, hidden: Hidden) -> Result<(Visited, usize), OutOfMemory> {
        // Before the state is in the store, so that all always have an entry for each state.
        reserve(&mut self.flags)?;
        self.hidden.reserve()?;
        let (visited, index) = self.store.insert(state, hash)?;
        if visited == Visited::New {
            self.hidden.push(hidden);
            self.flags.push(0);
            self.state_bytes = self.state_bytes.max(state.n_bytes());
        }
        Ok((visited, index))
    }

    fn memory_bytes(&self) -> u64 {
        StateStore::memory_bytes(&self.store) + self.hidden.memory_bytes() + self.flags.capacity() as u64
    }
}

/// For the counterexample, when the threads are gone.
impl<P: Packed> Known<P> for Shared<P> {
    fn initial(&self) -> usize {
        self.initial as usize
    }

    fn find(&self, state: &Keyed<P>, hash: u64) -> Option<usize> {
        Some(self.look_up(state, hash)?.number as usize)
    }

    fn read(&self, number: usize, into: &mut Joint<P>) {
        self.read_state(number as u32, into);
    }

    fn hidden(&self, number: usize) -> Hidden {
        let (shard, index) = self.place(number as u32);
        lock(&self.shards[shard]).hidden.get(index)
    }

    fn n_numbers(&self) -> usize {
        let longest = self.shards.iter().map(|shard| lock(shard).flags.len()).max().unwrap_or(0);
        longest << self.shard_bits
    }
}
