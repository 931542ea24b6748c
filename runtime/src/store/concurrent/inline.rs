//! The concurrent exact set for short states, which stand in the table itself.
//!
//! The table is that of `store/inline.rs`: segments of buckets, which threads fill as `bucket.rs` says.
//!
//! Each thread has an allowance of states for each segment, so that no bucket overflows. When a thread has used it up,
//! segments that are nearly full grow, and new allowances are given out.

use super::super::arena::{Arena, Room};
use super::super::inline::{GROWTH, LINE, SEGMENT_BITS, SEGMENTS, home};
use super::super::{StoreOptions, Visited};
use super::bucket::{Bucket, BucketSlot, free_slot};
use super::phase::{Inside, PhaseLock};
use super::tags::{SLOTS, tag};
use super::{Arrivals, ConcurrentSet, Growth, Insertion, MOVED_AT_ONCE, Phased};
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

    fn set_room(&mut self, room: Room) {
        self.room = room;
        self.most_states = room.len() * SLOTS * 13 / 16;
        self.n_growths += 1;
    }
}

/// The part of the set that changes when it grows.
pub struct BucketTable<const N: usize> {
    segments: Vec<Segment>,
    buckets: Arena<Bucket<N>>,
    /// Segments that have just got a new block, and the old block, which still holds their states.
    moving: Vec<(usize, Room)>,
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
    /// The next segment to be moved.
    next_moving: AtomicUsize,
    memory_bytes: AtomicU64,
    memory_limit: AtomicU64,
}

impl<const N: usize> ConcurrentInline<N> {
    #[inline(always)]
    fn insert_one(&self, table: &BucketTable<N>, account: &Account, state: &Words<N>, hash: u64) -> Option<Visited> {
        let segment = BucketTable::<N>::segment_of(hash);
        let buckets = table.buckets(segment);
        let mut at = home(buckets.len(), hash);
        // The allowances are smaller than the number of free slots, so this loop ends.
        loop {
            let bucket = &buckets[at];
            match bucket.look_up(&state.0, tag(hash)) {
                BucketSlot::Seen => return Some(Visited::Seen),
                BucketSlot::Room(tags, slot) => {
                    let leave = account.leave[segment].load(Ordering::Relaxed);
                    if leave == 0 {
                        return None;
                    }
                    if bucket.put(&state.0, tag(hash), tags, slot) {
                        account.leave[segment].store(leave - 1, Ordering::Relaxed);
                        return Some(Visited::New);
                    }
                }
                BucketSlot::Full => at = if at + 1 < buckets.len() { at + 1 } else { 0 },
            }
        }
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
    /// Its number.
    type Hand = usize;

    fn new(options: &StoreOptions, n_threads: usize) -> Result<ConcurrentInline<N>, OutOfMemory> {
        let table = BucketTable {
            segments: vec![Segment::default(); SEGMENTS],
            buckets: Arena::new(options.memory_limit),
            moving: Vec::new(),
        };
        let account = || Account { n_states: AtomicU64::new(0), leave: [const { AtomicU32::new(0) }; SEGMENTS] };
        Ok(ConcurrentInline {
            table: PhaseLock::new(table),
            accounts: (0..n_threads).map(|_| account()).collect(),
            next_moving: AtomicUsize::new(0),
            memory_bytes: AtomicU64::new(0),
            memory_limit: AtomicU64::new(options.memory_limit),
        })
    }

    fn hand(&self, thread: usize) -> usize {
        thread
    }

    #[inline]
    fn announce(&self, table: &Inside<'_, BucketTable<N>>, hash: u64) {
        let buckets = table.buckets(BucketTable::<N>::segment_of(hash));
        let bucket = &buckets[home(buckets.len(), hash)];
        prefetch(std::slice::from_ref(&bucket.tags), 0);
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
        let (table, mut buffer) = (&**table, Words::default());
        for position in positions {
            let state = arrivals.state(position, &mut buffer);
            match self.insert_one(table, account, state, arrivals.hash(position)) {
                Some(Visited::Seen) => {}
                Some(Visited::New) => {
                    let n_states = account.n_states.load(Ordering::Relaxed);
                    account.n_states.store(n_states + 1, Ordering::Relaxed);
                    on_new(position)?;
                }
                None => return Ok(Insertion::NoRoomFor(position)),
            }
        }
        Ok(Insertion::Done)
    }

    fn contains(&self, table: &Inside<'_, BucketTable<N>>, state: &Words<N>, hash: u64) -> bool {
        let buckets = table.buckets(BucketTable::<N>::segment_of(hash));
        let first = home(buckets.len(), hash);
        for bucket in buckets[first..].iter().chain(&buckets[..first]) {
            match bucket.look_up(&state.0, tag(hash)) {
                BucketSlot::Seen => return true,
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
        let BucketTable { segments, buckets, moving } = &mut *table;
        buckets.set_memory_limit(self.memory_limit.load(Ordering::Relaxed));
        for (number, segment) in segments.iter_mut().enumerate() {
            let mut left = self.leave_left(number);
            if left * 8 < segment.most_states || left < 4 * self.accounts.len() {
                let n_states = segment.most_states - left;
                let old = segment.room;
                let room = buckets.take(segment.next_size(number), Bucket::empty)?;
                segment.set_room(room);
                left = segment.most_states - n_states;
                moving.push((number, old));
            }
            self.share_out(number, left);
        }
        self.memory_bytes.store(buckets.memory_bytes(), Ordering::Relaxed);
        self.next_moving.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Each thread takes the next segment when it has finished one.
    fn grow_part(&self, _: usize, _: usize, is_over: &mut dyn FnMut() -> bool) {
        let table = self.table.enter();
        while let Some((number, old)) = table.moving.get(self.next_moving.fetch_add(1, Ordering::Relaxed)) {
            let buckets = table.buckets(*number);
            for some in table.buckets.get(old).chunks(MOVED_AT_ONCE / SLOTS) {
                if is_over() {
                    return;
                }
                for bucket in some {
                    bucket.states().for_each(|state| move_to(buckets, &Words(state)));
                }
            }
        }
    }

    fn end_growth(&self, is_over: &dyn Fn() -> bool) {
        let Some(mut table) = self.table.between(is_over) else { return };
        let BucketTable { buckets, moving, .. } = &mut *table;
        moving.drain(..).for_each(|(_, old)| buckets.give_back(old));
    }
}

/// Inserts a state that is not in the segment. No other thread uses the segment.
#[inline]
fn move_to<const N: usize>(buckets: &[Bucket<N>], state: &Words<N>) {
    let hash = state.hash();
    let mut at = home(buckets.len(), hash);
    loop {
        let tags = buckets[at].tags();
        if let Some(slot) = free_slot(tags) {
            return buckets[at].write(&state.0, tag(hash), tags, slot);
        }
        at = if at + 1 < buckets.len() { at + 1 } else { 0 };
    }
}
