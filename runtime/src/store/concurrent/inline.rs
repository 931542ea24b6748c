//! The concurrent exact set for short states, which stand in the table itself.
//!
//! The table is that of `store/inline.rs`: segments of buckets, which threads fill as `bucket.rs` says.
//!
//! Each thread has an allowance of states for each segment, so that no bucket overflows. When a thread has used it up,
//! segments that are nearly full grow, and new allowances are given out.
//!
//! If the search asks which states are recent, each bucket has a stamp beside the table (`level_stamp.rs`).

use super::super::StoreOptions;
use super::super::arena::{Arena, Room};
use super::super::inline::{GROWTH, LINE, SEGMENT_BITS, SEGMENTS, home};
use super::bucket::{Bucket, BucketSlot, free_slot};
use super::level_stamp::{Level, LevelStamp};
use super::phase::{Inside, PhaseLock};
use super::tags::{SLOTS, tag};
use super::{Arrivals, Arrived, ConcurrentSet, Freshness, Growth, Insertion, MOVED_AT_ONCE, Phased};
use crate::memory::OutOfMemory;
use crate::pack::{Packed, Words};
use crate::prefetch::prefetch;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Large enough that the first thousands of states need no growth; small in tests.
const FIRST_BUCKETS: f64 = if cfg!(test) { 1.0 } else { 24.0 };

#[derive(Clone, Default)]
struct Segment {
    room: Room,
    /// The stamps of its buckets; empty if there are none.
    stamps: Room,
    /// The segment grows before it holds more.
    most_states: usize,
    n_growths: u32,
}

impl Segment {
    /// The number of buckets after the next growth. Segments are staggered by their number.
    fn next_size(&self, number: usize) -> usize {
        let exponent = f64::from(self.n_growths) + number as f64 / SEGMENTS as f64;
        (FIRST_BUCKETS * GROWTH.powf(exponent)).ceil() as usize
    }

    fn set_room(&mut self, room: Room, stamps: Room) {
        (self.room, self.stamps) = (room, stamps);
        self.most_states = room.len() * SLOTS * 13 / 16;
        self.n_growths += 1;
    }
}

/// The part of the set that changes when it grows.
pub struct BucketTable<const N: usize> {
    segments: Vec<Segment>,
    buckets: Arena<Bucket<N>>,
    stamps: Arena<LevelStamp>,
    /// Segments that have just got new blocks, and the old ones, which still hold their states.
    moving: Vec<Moving>,
}

struct Moving {
    segment: usize,
    room: Room,
    stamps: Room,
}

impl<const N: usize> BucketTable<N> {
    #[inline]
    fn segment_of(hash: u64) -> usize {
        (hash >> (64 - SEGMENT_BITS)) as usize
    }

    #[inline]
    fn buckets(&self, segment: usize) -> &[Bucket<N>] {
        self.buckets.get(&self.segments[segment].room)
    }

    #[inline]
    fn stamps(&self, segment: usize) -> &[LevelStamp] {
        self.stamps.get(&self.segments[segment].stamps)
    }

    fn memory_bytes(&self) -> u64 {
        self.buckets.memory_bytes() + self.stamps.memory_bytes()
    }

    /// Moves the states of a segment to its new block. No other thread uses the segment. Returns false if the search is over.
    fn move_segment(&self, moving: &Moving, level: Level, is_over: &mut dyn FnMut() -> bool) -> bool {
        let stamps = self.stamps.get(&moving.stamps);
        if stamps.is_empty() || level == Level::NONE {
            return self.move_states(moving, Level::NONE, is_over, |_, _| true);
        }
        // The states of the present level are the last ones in their buckets.
        let is_recent = |bucket: usize, slot| stamps[bucket].has(level, slot);
        self.move_states(moving, Level::NONE, is_over, |bucket, slot| !is_recent(bucket, slot))
            && self.move_states(moving, level, is_over, is_recent)
    }

    /// Moves those of some buckets and slots, as states of this level.
    #[inline(always)]
    fn move_states(
        &self,
        moving: &Moving,
        level: Level,
        is_over: &mut dyn FnMut() -> bool,
        is_wanted: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let (buckets, stamps) = (self.buckets(moving.segment), self.stamps(moving.segment));
        for (number, bucket) in self.buckets.get(&moving.room).iter().enumerate() {
            if number.is_multiple_of(MOVED_AT_ONCE / SLOTS) && is_over() {
                return false;
            }
            for (slot, state) in bucket.states().enumerate() {
                if is_wanted(number, slot) {
                    let (at, slot) = move_to(buckets, &Words(state));
                    if level != Level::NONE {
                        stamps[at].note(level, slot);
                    }
                }
            }
        }
        true
    }
}

/// Inserts a state that is not in the segment. Returns its bucket and slot.
#[inline]
fn move_to<const N: usize>(buckets: &[Bucket<N>], state: &Words<N>) -> (usize, usize) {
    let hash = state.hash();
    let mut at = home(buckets.len(), hash);
    loop {
        let tags = buckets[at].tags();
        if let Some(slot) = free_slot(tags) {
            buckets[at].write(&state.0, tag(hash), tags, slot);
            return (at, slot);
        }
        at = if at + 1 < buckets.len() { at + 1 } else { 0 };
    }
}

/// The states that a thread may insert, and those that it has inserted. Only this thread writes here during a phase.
#[repr(align(128))]
struct Account {
    n_states: AtomicU64,
    leave: [AtomicU32; SEGMENTS],
}

pub struct ConcurrentInline<const N: usize> {
    table: PhaseLock<BucketTable<N>>,
    accounts: Vec<Account>,
    /// Whether buckets have stamps.
    notes_levels: bool,
    /// The number of the present level.
    level: AtomicU32,
    /// The next segment to be moved.
    next_moving: AtomicUsize,
    memory_bytes: AtomicU64,
    memory_limit: AtomicU64,
}

impl<const N: usize> ConcurrentInline<N> {
    #[inline]
    fn level(&self) -> Level {
        Level(self.level.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn insert_one(
        &self,
        table: &BucketTable<N>,
        (account, level): (&Account, Level),
        state: &Words<N>,
        hash: u64,
    ) -> Arrived {
        let segment = BucketTable::<N>::segment_of(hash);
        let buckets = table.buckets(segment);
        let mut at = home(buckets.len(), hash);
        // The allowances are smaller than the number of free slots, so this loop ends.
        loop {
            let bucket = &buckets[at];
            match bucket.look_up(&state.0, tag(hash)) {
                BucketSlot::Seen(slot) => {
                    let is_recent = level != Level::NONE && table.stamps(segment)[at].has(level, slot);
                    return if is_recent { Arrived::At(Freshness::Recent) } else { Arrived::Before };
                }
                BucketSlot::Room(tags, slot) => {
                    let leave = account.leave[segment].load(Ordering::Relaxed);
                    if leave == 0 {
                        return Arrived::NoRoom;
                    }
                    let stamp = || {
                        if level != Level::NONE {
                            table.stamps(segment)[at].note(level, slot);
                        }
                    };
                    if bucket.put(&state.0, tag(hash), (tags, slot), stamp) {
                        account.leave[segment].store(leave - 1, Ordering::Relaxed);
                        return Arrived::At(Freshness::New);
                    }
                }
                BucketSlot::Full => at = if at + 1 < buckets.len() { at + 1 } else { 0 },
            }
        }
    }

    /// Where the level is none, that is known when this is compiled.
    #[inline(always)]
    fn insert_all(
        &self,
        table: &BucketTable<N>,
        (account, level): (&Account, Level),
        arrivals: &impl Arrivals<Words<N>>,
        positions: Range<usize>,
        mut on_fresh: impl FnMut(usize, Freshness) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        let mut buffer = Words::default();
        for position in positions {
            let state = arrivals.state(position, &mut buffer);
            match self.insert_one(table, (account, level), state, arrivals.hash(position)) {
                Arrived::Before => {}
                Arrived::At(freshness) => {
                    if freshness == Freshness::New {
                        let n_states = account.n_states.load(Ordering::Relaxed);
                        account.n_states.store(n_states + 1, Ordering::Relaxed);
                    }
                    on_fresh(position, freshness)?;
                }
                Arrived::NoRoom => return Ok(Insertion::NoRoomFor(position)),
            }
        }
        Ok(Insertion::Done)
    }

    fn leave_left(&self, segment: usize) -> usize {
        self.accounts.iter().map(|account| account.leave[segment].load(Ordering::Relaxed) as usize).sum()
    }

    fn share_out(&self, segment: usize, n_states: usize) {
        let n_threads = self.accounts.len();
        for (thread, account) in self.accounts.iter().enumerate() {
            let share = n_states / n_threads + usize::from(thread < n_states % n_threads);
            account.leave[segment].store(share as u32, Ordering::Relaxed);
        }
    }
}

impl<const N: usize> ConcurrentSet<Words<N>> for ConcurrentInline<N> {
    const BATCH: usize = 64;
    const KNOWS_LEVELS: bool = true;
    /// Its number.
    type Hand = usize;

    fn new(options: &StoreOptions, n_threads: usize) -> Result<ConcurrentInline<N>, OutOfMemory> {
        let table = BucketTable {
            segments: vec![Segment::default(); SEGMENTS],
            buckets: Arena::new(options.memory_limit),
            stamps: Arena::new(options.memory_limit),
            moving: Vec::new(),
        };
        let account = || Account { n_states: AtomicU64::new(0), leave: [const { AtomicU32::new(0) }; SEGMENTS] };
        Ok(ConcurrentInline {
            table: PhaseLock::new(table),
            accounts: (0..n_threads).map(|_| account()).collect(),
            notes_levels: options.notes_levels,
            level: AtomicU32::new(Level::NONE.0),
            next_moving: AtomicUsize::new(0),
            memory_bytes: AtomicU64::new(0),
            memory_limit: AtomicU64::new(options.memory_limit),
        })
    }

    fn hand(&self, thread: usize) -> usize {
        thread
    }

    fn begin_level(&self, _: usize, depth: Option<u64>) {
        if self.notes_levels {
            self.level.store(depth.map_or(Level::NONE, Level::new).0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn announce(&self, table: &Inside<'_, BucketTable<N>>, hash: u64) {
        let segment = BucketTable::<N>::segment_of(hash);
        let buckets = table.buckets(segment);
        let at = home(buckets.len(), hash);
        let bucket = &buckets[at];
        prefetch(std::slice::from_ref(&bucket.tags), 0);
        if self.level() != Level::NONE {
            prefetch(table.stamps(segment), at);
        }
        // The last state of each further line.
        for line in 1..size_of::<Bucket<N>>() / 64 {
            prefetch(&bucket.states, (line * LINE).div_ceil(N.max(1)));
        }
    }

    #[inline]
    fn insert(
        &self,
        table: &Inside<'_, BucketTable<N>>,
        thread: &mut usize,
        arrivals: &impl Arrivals<Words<N>>,
        positions: Range<usize>,
        mut on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        let account = &self.accounts[*thread];
        self.insert_all(table, (account, Level::NONE), arrivals, positions, |position, _| on_new(position))
    }

    #[inline]
    fn insert_on_level(
        &self,
        table: &Inside<'_, BucketTable<N>>,
        thread: &mut usize,
        arrivals: &impl Arrivals<Words<N>>,
        positions: Range<usize>,
        on_fresh: impl FnMut(usize, Freshness) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        self.insert_all(table, (&self.accounts[*thread], self.level()), arrivals, positions, on_fresh)
    }

    fn contains(&self, table: &Inside<'_, BucketTable<N>>, state: &Words<N>, hash: u64) -> bool {
        let buckets = table.buckets(BucketTable::<N>::segment_of(hash));
        let first = home(buckets.len(), hash);
        for bucket in buckets[first..].iter().chain(&buckets[..first]) {
            match bucket.look_up(&state.0, tag(hash)) {
                BucketSlot::Seen(_) => return true,
                BucketSlot::Room(..) => return false,
                BucketSlot::Full => {}
            }
        }
        false
    }

    fn n_states(&self) -> u64 {
        self.accounts.iter().map(|account| account.n_states.load(Ordering::Relaxed)).sum()
    }

    fn memory_bytes(&self) -> u64 {
        self.memory_bytes.load(Ordering::Relaxed)
    }

    fn set_memory_limit(&self, bytes: u64) {
        self.memory_limit.store(bytes, Ordering::Relaxed);
    }
}

impl<const N: usize> Phased for ConcurrentInline<N> {
    type Inside<'s> = Inside<'s, BucketTable<N>>;

    fn enter(&self) -> Inside<'_, BucketTable<N>> {
        self.table.enter()
    }
}

impl<const N: usize> Growth for ConcurrentInline<N> {
    /// Segments that would be full soon grow now, since all threads have to stop for a growth.
    fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory> {
        let Some(mut table) = self.table.between(is_over) else { return Ok(()) };
        let BucketTable { segments, buckets, stamps, moving } = &mut *table;
        let memory_limit = self.memory_limit.load(Ordering::Relaxed);
        for (number, segment) in segments.iter_mut().enumerate() {
            let mut left = self.leave_left(number);
            if left * 8 < segment.most_states || left < 4 * self.accounts.len() {
                let n_states = segment.most_states - left;
                let old = Moving { segment: number, room: segment.room, stamps: segment.stamps };
                let n_buckets = segment.next_size(number);
                buckets.set_memory_limit(memory_limit.saturating_sub(stamps.memory_bytes()));
                let room = buckets.take(n_buckets, Bucket::empty)?;
                stamps.set_memory_limit(memory_limit.saturating_sub(buckets.memory_bytes()));
                let n_stamps = if self.notes_levels { n_buckets } else { 0 };
                segment.set_room(room, stamps.take(n_stamps, LevelStamp::new)?);
                moving.push(old);
                left = segment.most_states - n_states;
            }
            self.share_out(number, left);
        }
        self.memory_bytes.store(table.memory_bytes(), Ordering::Relaxed);
        self.next_moving.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Each thread takes the next segment when it has finished one.
    fn grow_part(&self, _: usize, _: usize, is_over: &mut dyn FnMut() -> bool) {
        let table = self.table.enter();
        let level = self.level();
        while let Some(moving) = table.moving.get(self.next_moving.fetch_add(1, Ordering::Relaxed)) {
            if !table.move_segment(moving, level, is_over) {
                return;
            }
        }
    }

    fn end_growth(&self, is_over: &dyn Fn() -> bool) {
        let Some(mut table) = self.table.between(is_over) else { return };
        let BucketTable { buckets, stamps, moving, .. } = &mut *table;
        for Moving { room, stamps: old, .. } in moving.drain(..) {
            buckets.give_back(room);
            stamps.give_back(old);
        }
    }
}
