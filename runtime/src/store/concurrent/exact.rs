//! Uncompressed states beside a table, for several threads.
//!
//! The table is that of `store/exact.rs`: a part of the hash, and a reference to the state. Each thread has a pool of
//! its own for the states that it finds. It writes a state there, then the reference into the table; if another thread
//! has taken the entry meanwhile, the thread compares that state like any other, and drops what it wrote into the pool.
//!
//! Each thread has an allowance of states that it may insert, so that the table never becomes too full.

use super::super::StoreOptions;
use super::phase::{Inside, PhaseLock};
use super::pool::ConcurrentPool;
use super::{Arrivals, Arrived, ConcurrentSet, Freshness, Growth, Insertion, MOVED_AT_ONCE, Phased};
use crate::memory::OutOfMemory;
use crate::pack::Packed;
use crate::prefetch::prefetch;
use crate::zeroed;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Large enough that the first thousands of states need no growth; small in tests.
const FIRST_ENTRIES: usize = if cfg!(test) { 1 << 6 } else { 1 << 14 };

/// A power of two of entries. 0 is free; otherwise the high half is a part of the hash, the low half a reference + 1.
pub struct EntryTable {
    entries: Vec<AtomicU64>,
    /// The states are not in the table yet.
    is_new: bool,
}

impl EntryTable {
    #[inline]
    fn start(&self, hash: u64) -> usize {
        hash as usize & self.entries.len().wrapping_sub(1)
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.entries.len() - 1)
    }

    /// Above four fifths probe sequences get long.
    fn most_states(&self) -> u64 {
        self.entries.len() as u64 / 5 * 4
    }
}

/// The high half of an entry.
#[inline]
fn tag(hash: u64) -> u64 {
    hash & 0xffff_ffff_0000_0000
}

/// The part of one thread.
#[repr(align(128))]
struct Account<P> {
    pool: ConcurrentPool<P>,
    /// The number of states that the thread may still insert.
    leave: AtomicU64,
    /// In the high half the last level on which the thread has inserted states, from 1 on, in the low half how many there
    /// were before. A thread that sees a state of this thread sees this as it was then, or later; and threads go from level to
    /// level together.
    level: AtomicU64,
}

pub struct ConcurrentExact<P: Packed> {
    table: PhaseLock<EntryTable>,
    accounts: Vec<Account<P>>,
    /// The low bits of a reference are the number of a thread.
    thread_bits: u32,
    notes_levels: bool,
    table_bytes: AtomicU64,
    memory_limit: AtomicU64,
}

impl<P: Packed> ConcurrentExact<P> {
    #[inline]
    fn reference(&self, thread: usize, index: u64) -> u64 {
        index << self.thread_bits | thread as u64
    }

    /// The account of the thread that found a state, and its number there.
    #[inline]
    fn resolve(&self, entry: u64) -> (&Account<P>, usize) {
        let reference = (entry & 0xffff_ffff) - 1;
        let thread = reference & ((1 << self.thread_bits) - 1);
        (&self.accounts[thread as usize], (reference >> self.thread_bits) as usize)
    }

    /// Whether the state of an entry was inserted on this level, the present one.
    #[inline]
    fn is_recent(&self, entry: u64, level: u64) -> bool {
        let (account, index) = self.resolve(entry);
        let last = account.level.load(Ordering::Relaxed);
        last >> 32 == level && index as u64 >= last & 0xffff_ffff
    }

    /// The level is 0 if no reduction asks which states are recent.
    #[inline(always)]
    fn insert_one(
        &self,
        table: &EntryTable,
        (thread, level): (usize, u64),
        state: &P,
        hash: u64,
    ) -> Result<Arrived, OutOfMemory> {
        let account = &self.accounts[thread];
        let mut at = table.start(hash);
        let mut own = 0;
        loop {
            let place = &table.entries[at];
            let mut entry = place.load(Ordering::Acquire);
            if entry == 0 {
                if own == 0 {
                    if account.leave.load(Ordering::Relaxed) == 0 {
                        return Ok(Arrived::NoRoom);
                    }
                    own = self.write(thread, state, hash)?;
                }
                match place.compare_exchange(0, own, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => {
                        account.pool.keep(state);
                        account.leave.store(account.leave.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
                        return Ok(Arrived::At(Freshness::New));
                    }
                    Err(other) => entry = other,
                }
            }
            if self.is_it(entry, state, hash) {
                let is_recent = level != 0 && self.is_recent(entry, level);
                return Ok(if is_recent { Arrived::At(Freshness::Recent) } else { Arrived::Before });
            }
            at = table.next(at);
        }
    }

    #[inline]
    fn is_it(&self, entry: u64, state: &P, hash: u64) -> bool {
        if tag(entry) != tag(hash) {
            return false;
        }
        let (account, index) = self.resolve(entry);
        account.pool.is_equal(index, state)
    }

    /// Writes the state into the pool, where the caller may keep it. Returns its entry.
    #[inline]
    fn write(&self, thread: usize, state: &P, hash: u64) -> Result<u64, OutOfMemory> {
        let pool = &self.accounts[thread].pool;
        let low = self.reference(thread, pool.n_states()) + 1;
        if low >> 32 != 0 {
            return Err(OutOfMemory);
        }
        let is_admitted = |n_bytes| self.memory_bytes() + n_bytes <= self.memory_limit.load(Ordering::Relaxed);
        pool.write(state, is_admitted)?;
        Ok(tag(hash) | low)
    }

    /// The second place that will be read, once the first has been fetched.
    #[inline]
    fn approach(&self, table: &EntryTable, hash: u64) {
        let mut at = table.start(hash);
        // At most the rest of the cache line: further candidates are rare.
        for _ in 0..8 {
            let entry = table.entries[at].load(Ordering::Acquire);
            if entry == 0 {
                return;
            }
            if tag(entry) == tag(hash) {
                let (account, index) = self.resolve(entry);
                return account.pool.prefetch(index);
            }
            at = table.next(at);
        }
    }

    /// Where the level is 0, that is known when this is compiled.
    #[inline(always)]
    fn insert_all(
        &self,
        table: &EntryTable,
        ((thread, buffer), level): (&mut (usize, P), u64),
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        mut on_fresh: impl FnMut(usize, Freshness) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        for position in positions.clone() {
            self.approach(table, arrivals.hash(position));
        }
        for position in positions {
            let state = arrivals.state(position, buffer);
            match self.insert_one(table, (*thread, level), state, arrivals.hash(position))? {
                Arrived::Before => {}
                Arrived::At(freshness) => on_fresh(position, freshness)?,
                Arrived::NoRoom => return Ok(Insertion::NoRoomFor(position)),
            }
        }
        Ok(Insertion::Done)
    }

    fn leave_left(&self) -> u64 {
        self.accounts.iter().map(|account| account.leave.load(Ordering::Relaxed)).sum()
    }

    fn share_out(&self, n_states: u64) {
        let n_threads = self.accounts.len() as u64;
        for (thread, account) in (0..).zip(&self.accounts) {
            let share = n_states / n_threads + u64::from(thread < n_states % n_threads);
            account.leave.store(share, Ordering::Relaxed);
        }
    }
}

impl<P: Packed> ConcurrentSet<P> for ConcurrentExact<P> {
    const BATCH: usize = 64;
    const KEEPS_STATES: bool = true;
    const KNOWS_LEVELS: bool = true;
    type Hand = (usize, P);

    fn new(options: &StoreOptions, n_threads: usize) -> Result<ConcurrentExact<P>, OutOfMemory> {
        let account = |_| Account { pool: ConcurrentPool::new(), leave: AtomicU64::new(0), level: AtomicU64::new(0) };
        Ok(ConcurrentExact {
            table: PhaseLock::new(EntryTable { entries: Vec::new(), is_new: false }),
            accounts: (0..n_threads).map(account).collect(),
            thread_bits: n_threads.next_power_of_two().trailing_zeros(),
            notes_levels: options.notes_levels,
            table_bytes: AtomicU64::new(0),
            memory_limit: AtomicU64::new(options.memory_limit),
        })
    }

    fn hand(&self, thread: usize) -> (usize, P) {
        (thread, P::default())
    }

    fn begin_level(&self, thread: usize, depth: Option<u64>) {
        if self.notes_levels {
            let account = &self.accounts[thread];
            // Beyond 2^32 levels nothing is known, which is a safe answer.
            let level = depth.and_then(|depth| u32::try_from(depth + 1).ok()).unwrap_or(0);
            account.level.store(u64::from(level) << 32 | account.pool.n_states(), Ordering::Relaxed);
        }
    }

    #[inline]
    fn announce(&self, table: &Inside<'_, EntryTable>, hash: u64) {
        prefetch(&table.entries, table.start(hash));
    }

    #[inline]
    fn insert(
        &self,
        table: &Inside<'_, EntryTable>,
        hand: &mut (usize, P),
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        mut on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        self.insert_all(table, (hand, 0), arrivals, positions, |position, _| on_new(position))
    }

    #[inline]
    fn insert_on_level(
        &self,
        table: &Inside<'_, EntryTable>,
        hand: &mut (usize, P),
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        on_fresh: impl FnMut(usize, Freshness) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        let level = self.accounts[hand.0].level.load(Ordering::Relaxed) >> 32;
        self.insert_all(table, (hand, level), arrivals, positions, on_fresh)
    }

    fn contains(&self, table: &Inside<'_, EntryTable>, state: &P, hash: u64) -> bool {
        let mut at = table.start(hash);
        loop {
            match table.entries[at].load(Ordering::Acquire) {
                0 => return false,
                entry if self.is_it(entry, state, hash) => return true,
                _ => at = table.next(at),
            }
        }
    }

    #[inline]
    fn read(&self, thread: usize, number: u64, into: &mut P) {
        self.accounts[thread].pool.read(number as usize, into);
    }

    #[inline]
    fn is_equal(&self, thread: usize, number: u64, state: &P) -> bool {
        self.accounts[thread].pool.is_equal(number as usize, state)
    }

    fn n_states(&self) -> u64 {
        self.accounts.iter().map(|account| account.pool.n_states()).sum()
    }

    fn memory_bytes(&self) -> u64 {
        let pools: u64 = self.accounts.iter().map(|account| account.pool.memory_bytes()).sum();
        pools + self.table_bytes.load(Ordering::Relaxed)
    }

    fn set_memory_limit(&self, bytes: u64) {
        self.memory_limit.store(bytes, Ordering::Relaxed);
    }
}

impl<P: Packed> Phased for ConcurrentExact<P> {
    type Inside<'s>
        = Inside<'s, EntryTable>
    where
        P: 's;

    fn enter(&self) -> Inside<'_, EntryTable> {
        self.table.enter()
    }
}

impl<P: Packed> Growth for ConcurrentExact<P> {
    /// Computes the hashes again, from pools that are read from front to back; so the old table is freed first. Without
    /// memory the old one stays.
    fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory> {
        let Some(mut table) = self.table.between(is_over) else { return Ok(()) };
        let (most_states, left) = (table.most_states(), self.leave_left());
        if left * 8 >= most_states && left >= 4 * self.accounts.len() as u64 {
            self.share_out(left);
            return Ok(());
        }
        let n_states = most_states - left;
        let n_entries = (table.entries.len() * 2).max(FIRST_ENTRIES);
        let others = self.memory_bytes() - self.table_bytes.load(Ordering::Relaxed);
        if others + n_entries as u64 * 8 > self.memory_limit.load(Ordering::Relaxed) {
            return Err(OutOfMemory);
        }
        // The new table takes no memory before it is used; the old one is freed by then.
        table.entries = zeroed::common_words(n_entries)?;
        table.is_new = true;
        self.table_bytes.store(n_entries as u64 * 8, Ordering::Relaxed);
        self.share_out(table.most_states() - n_states);
        Ok(())
    }

    /// Enters the states of some threads. Each place is prefetched some states ahead of its use.
    fn grow_part(&self, part: usize, n_parts: usize, is_over: &mut dyn FnMut() -> bool) {
        const AHEAD: usize = 16;
        let table = self.table.enter();
        let table = &*table;
        if !table.is_new {
            return;
        }
        let mut state = P::default();
        for thread in (part..self.accounts.len()).step_by(n_parts) {
            let pool = &self.accounts[thread].pool;
            let n_states = pool.n_states() as usize;
            let mut hashes = [0; AHEAD];
            for index in 0..n_states + AHEAD {
                if index.is_multiple_of(MOVED_AT_ONCE) && is_over() {
                    return;
                }
                let slot = index % AHEAD;
                if index >= AHEAD {
                    let entry = tag(hashes[slot]) | (self.reference(thread, (index - AHEAD) as u64) + 1);
                    let mut at = table.start(hashes[slot]);
                    while table.entries[at].load(Ordering::Relaxed) != 0
                        || table.entries[at].compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed).is_err()
                    {
                        at = table.next(at);
                    }
                }
                if index < n_states {
                    pool.read(index, &mut state);
                    hashes[slot] = state.hash();
                    prefetch(&table.entries, table.start(hashes[slot]));
                }
            }
        }
    }

    fn end_growth(&self, is_over: &dyn Fn() -> bool) {
        if let Some(mut table) = self.table.between(is_over) {
            table.is_new = false;
        }
    }
}
