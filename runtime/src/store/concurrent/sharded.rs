//! Sets for one thread as shards, some for each thread, each behind a lock.
//!
//! The hash of a state selects its shard. A thread sorts states by shard before it inserts them, so that it locks each
//! shard briefly and inserts some dozens of states: it prefetches for all of them, and then inserts.

use super::super::{StateSet, StoreOptions, Visited};
use super::groups::Groups;
use super::{Arrivals, ConcurrentSet, Growth, Insertion, Phased};
use crate::lock::{Lock, Locked, Rank};
use crate::memory::OutOfMemory;
use crate::omission::Omissions;
use crate::pack::{Packed, mix};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// With more shards threads contend less often, with fewer there is more to do in each.
const SETS_PER_THREAD: usize = 2;
/// The second prefetch runs so many states ahead.
const AHEAD: usize = 16;

pub struct ShardedSet<S> {
    sets: Vec<Lock<S>>,
    /// The sizes of the shards when their locks were last released.
    gauges: Vec<Gauge>,
    memory_limit: AtomicU64,
}

#[derive(Default)]
#[repr(align(128))]
struct Gauge {
    n_states: AtomicU64,
    memory_bytes: AtomicU64,
}

/// Buffers for the states that are inserted; kept so that they are not allocated again.
pub struct Sorting<P, K> {
    groups: Groups,
    /// Whether a state is new in its shard.
    is_new: Vec<bool>,
    keys: Vec<K>,
    buffer: P,
}

impl<P: Packed, K> Default for Sorting<P, K> {
    fn default() -> Sorting<P, K> {
        Sorting { groups: Groups::default(), is_new: Vec::new(), keys: Vec::new(), buffer: P::default() }
    }
}

/// The shard of a state. Shards use the hash as well, so it is mixed once more.
#[inline]
fn owner(hash: u64, n_sets: usize) -> usize {
    let mixed = mix(hash, 0x5851_f42d_4c95_7f2d);
    ((u128::from(mixed) * n_sets as u128) >> 64) as usize
}

impl<S> ShardedSet<S> {
    /// Inserts the states of one shard. `first` is the position of the first of all.
    fn insert_group<P: Packed>(
        &self,
        number: usize,
        sorting: &mut Sorting<P, S::Key>,
        arrivals: &impl Arrivals<P>,
        first: usize,
    ) -> Result<(), OutOfMemory>
    where
        S: StateSet<P>,
    {
        let Sorting { groups, is_new, keys, buffer } = sorting;
        let group = groups.group(number);
        if group.is_empty() {
            return Ok(());
        }
        let set = &mut *self.sets[number].lock();
        keys.clear();
        for &place in group {
            let position = first + place as usize;
            keys.push(set.key(arrivals.state(position, buffer), arrivals.hash(position))?);
        }
        keys.iter().take(AHEAD).for_each(|&key| set.approach(key));
        for (at, &place) in group.iter().enumerate() {
            if let Some(&key) = keys.get(at + AHEAD) {
                set.approach(key);
            }
            let state = arrivals.state(first + place as usize, buffer);
            is_new[place as usize] = set.insert(state, keys[at])? == Visited::New;
        }
        self.report(number, set);
        Ok(())
    }

    /// Records the size of a shard, and tells it how large it may become.
    fn report<P: Packed>(&self, number: usize, set: &mut S)
    where
        S: StateSet<P>,
    {
        let gauge = &self.gauges[number];
        gauge.n_states.store(set.n_states(), Ordering::Relaxed);
        let own = set.memory_bytes();
        gauge.memory_bytes.store(own, Ordering::Relaxed);
        // All shards share the remaining memory.
        let all: u64 = self.gauges.iter().map(|gauge| gauge.memory_bytes.load(Ordering::Relaxed)).sum();
        let left = self.memory_limit.load(Ordering::Relaxed).saturating_sub(all) / self.sets.len() as u64;
        set.set_memory_limit(own.saturating_add(left));
    }

    fn all(&self) -> impl Iterator<Item = Locked<'_, S>> {
        self.sets.iter().map(Lock::lock)
    }
}

impl<P: Packed, S: StateSet<P>> ConcurrentSet<P> for ShardedSet<S> {
    const BATCH: usize = 512;
    type Hand = Sorting<P, S::Key>;

    fn new(options: &StoreOptions, n_threads: usize) -> Result<ShardedSet<S>, OutOfMemory> {
        let n_sets = (n_threads * SETS_PER_THREAD).min(usize::from(u16::MAX));
        let share = options.share(n_sets as u64);
        let sets: Result<Vec<Lock<S>>, OutOfMemory> =
            (0..n_sets).map(|_| Ok(Lock::new(Rank::Shard, S::new(&share)?))).collect();
        let set = ShardedSet {
            sets: sets?,
            gauges: (0..n_sets).map(|_| Gauge::default()).collect(),
            memory_limit: AtomicU64::new(options.memory_limit),
        };
        for number in 0..n_sets {
            set.report(number, &mut *set.sets[number].lock());
        }
        Ok(set)
    }

    fn hand(&self, _: usize) -> Sorting<P, S::Key> {
        Sorting::default()
    }

    fn announce(&self, (): &(), _: u64) {}

    fn insert(
        &self,
        (): &(),
        sorting: &mut Sorting<P, S::Key>,
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        mut on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        sorting.is_new.clear();
        sorting.is_new.resize(positions.len(), false);
        let owners = positions.clone().map(|position| owner(arrivals.hash(position), self.sets.len()) as u16);
        sorting.groups.sort(owners, self.sets.len());
        for number in 0..self.sets.len() {
            self.insert_group(number, sorting, arrivals, positions.start)?;
        }
        for (position, &is_new) in positions.zip(&sorting.is_new) {
            if is_new {
                on_new(position)?;
            }
        }
        Ok(Insertion::Done)
    }

    fn contains(&self, (): &(), state: &P, hash: u64) -> bool {
        let mut set = self.sets[owner(hash, self.sets.len())].lock();
        set.key(state, hash).is_ok_and(|key| set.contains(state, key))
    }

    fn n_states(&self) -> u64 {
        self.gauges.iter().map(|gauge| gauge.n_states.load(Ordering::Relaxed)).sum()
    }

    fn memory_bytes(&self) -> u64 {
        self.gauges.iter().map(|gauge| gauge.memory_bytes.load(Ordering::Relaxed)).sum()
    }

    fn set_memory_limit(&self, bytes: u64) {
        self.memory_limit.store(bytes, Ordering::Relaxed);
    }

    fn omissions(&self) -> Option<Omissions> {
        self.all().filter_map(|set| set.omissions()).reduce(|one, other| one + other)
    }

    fn describe(&self) -> Option<String> {
        self.all().find_map(|set| set.describe())
    }
}

impl<S> Phased for ShardedSet<S> {
    type Inside<'s>
        = ()
    where
        S: 's;

    fn enter(&self) {}
}

/// Each shard grows by itself, behind its lock.
impl<S> Growth for ShardedSet<S> {
    fn begin_growth(&self, _: &dyn Fn() -> bool) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn grow_part(&self, _: usize, _: usize, _: &mut dyn FnMut() -> bool) {}

    fn end_growth(&self, _: &dyn Fn() -> bool) {}
}
