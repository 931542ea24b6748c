//! Uncompressed states inside the table: a look-up reads one place in memory.
//!
//! The table consists of buckets of seven states. A bucket begins with a tag of one byte for each state, some bits of
//! its hash, so that a look-up rarely compares other states; 0 marks a free slot. States fill their bucket in order,
//! and then the next one: a look-up ends at the first bucket with a free slot, which even in a full table is mostly the
//! first.
//!
//! The table does not grow by doubling. The high bits of the hash choose one of 64 segments, and each grows on its own,
//! by three fifths; their sizes are staggered, so that at any time only a few are about to grow. So growing never takes
//! long, never holds two copies of more than one segment, and leaves about a third of the table free, whatever the
//! number of states. The segments share an arena that the system holds in large pages: without these, TLB misses take
//! up to a quarter of the time of a search whose table is larger than a few megabytes.

use super::arena::{Arena, Room};
use super::tags::{ONES, SLOTS, tag, zero_bytes};
use super::{StateSet, StoreOptions, Visited};
use crate::memory::OutOfMemory;
use crate::pack::{Packed, Words};
use crate::prefetch::prefetch;

pub(super) const SEGMENT_BITS: u32 = 6;
pub(super) const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// Words in a cache line.
pub(super) const LINE: usize = 8;
const FIRST_BUCKETS: f64 = 4.0;
/// The factor by which a segment grows.
pub(super) const GROWTH: f64 = 1.6;

/// Aligned to a cache line, so that it touches as few of them as possible.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Bucket<const N: usize> {
    /// A tag for each state, some bits of its hash that are not all 0; 0 marks a free slot.
    tags: [u8; SLOTS + 1],
    states: [Words<N>; SLOTS],
}

impl<const N: usize> Bucket<N> {
    const EMPTY: Bucket<N> = Bucket { tags: [0; SLOTS + 1], states: [Words([0; N]); SLOTS] };
}

#[derive(Clone, Default)]
struct Segment {
    /// The block of its buckets.
    room: Room,
    n_states: usize,
    /// The segment grows before it holds more.
    most_states: usize,
    n_growths: u32,
}

/// The result of a look-up.
enum LookUp {
    Taken,
    Free { bucket: usize, slot: usize },
}

/// The result of a look-up in one bucket.
enum InBucket {
    Taken,
    Free(usize),
    /// The state may be in the next bucket.
    Full,
}

/// The first bucket of a look-up, of so many. The high bits of the hash, which chose the segment, are shifted out.
#[inline]
pub(super) fn home(n_buckets: usize, hash: u64) -> usize {
    ((u128::from(hash << SEGMENT_BITS) * n_buckets as u128) >> 64) as usize
}

impl<const N: usize> Bucket<N> {
    #[inline(always)]
    fn look_up(&self, state: &Words<N>, hash: u64) -> InBucket {
        let tags = u64::from_le_bytes(self.tags);
        let mut candidates = zero_bytes(tags ^ (ONES * u64::from(tag(hash))));
        while candidates != 0 {
            let slot = candidates.trailing_zeros() as usize / 8;
            if self.states.get(slot).is_some_and(|other| is_equal(other, state)) {
                return InBucket::Taken;
            }
            candidates &= candidates - 1;
        }
        // The first match is exact, and the last byte is always 0.
        let slot = zero_bytes(tags).trailing_zeros() as usize / 8;
        if slot < SLOTS { InBucket::Free(slot) } else { InBucket::Full }
    }
}

/// Mostly the first bucket decides.
#[inline(always)]
fn look_up<const N: usize>(buckets: &[Bucket<N>], state: &Words<N>, hash: u64) -> LookUp {
    let home = home(buckets.len(), hash);
    let Some(bucket) = buckets.get(home) else { return LookUp::Free { bucket: 0, slot: SLOTS } };
    match bucket.look_up(state, hash) {
        InBucket::Taken => LookUp::Taken,
        InBucket::Free(slot) => LookUp::Free { bucket: home, slot },
        InBucket::Full => look_further(buckets, home, state, hash),
    }
}

/// Continues behind a full bucket, cyclically.
#[inline(never)]
fn look_further<const N: usize>(buckets: &[Bucket<N>], home: usize, state: &Words<N>, hash: u64) -> LookUp {
    let mut at = home;
    loop {
        at = if at + 1 < buckets.len() { at + 1 } else { 0 };
        match buckets[at].look_up(state, hash) {
            InBucket::Taken => return LookUp::Taken,
            InBucket::Free(slot) => return LookUp::Free { bucket: at, slot },
            InBucket::Full if at == home => return LookUp::Free { bucket: 0, slot: SLOTS },
            InBucket::Full => {}
        }
    }
}

/// Inserts a state that is not in the segment, where there is room.
#[inline]
fn put<const N: usize>(buckets: &mut [Bucket<N>], state: &Words<N>, hash: u64) {
    let n_buckets = buckets.len();
    let mut at = home(n_buckets, hash);
    while let Some(bucket) = buckets.get_mut(at) {
        let slot = zero_bytes(u64::from_le_bytes(bucket.tags)).trailing_zeros() as usize / 8;
        if slot < SLOTS {
            bucket.tags[slot] = tag(hash);
            bucket.states[slot] = *state;
            return;
        }
        at = if at + 1 < n_buckets { at + 1 } else { 0 };
    }
}

impl Segment {
    /// The number of states that a segment of this size may hold: above it too many buckets are full.
    fn set_room(&mut self, room: Room) {
        self.room = room;
        self.most_states = (room.len() * SLOTS * 13).div_ceil(16);
    }

    /// The number of buckets after the next growth. Segments are staggered by their number.
    fn next_size(&self, number: usize) -> usize {
        let exponent = f64::from(self.n_growths) + number as f64 / SEGMENTS as f64;
        (FIRST_BUCKETS * GROWTH.powf(exponent)).ceil() as usize
    }
}

/// Short states are compared in place: a call of `memcmp` costs more.
#[inline]
fn is_equal<const N: usize>(one: &Words<N>, other: &Words<N>) -> bool {
    if N <= 8 {
        one.0.iter().zip(&other.0).fold(0, |differences, (one, other)| differences | (one ^ other)) == 0
    } else {
        one == other
    }
}

/// A set of states of `N` words.
pub struct InlineSet<const N: usize> {
    segments: Vec<Segment>,
    buckets: Arena<Bucket<N>>,
    n_states: u64,
}

impl<const N: usize> InlineSet<N> {
    #[inline]
    fn segment_of(hash: u64) -> usize {
        (hash >> (64 - SEGMENT_BITS)) as usize
    }

    #[cold]
    fn grow(&mut self, number: usize) -> Result<(), OutOfMemory> {
        let segment = &mut self.segments[number];
        let room = self.buckets.take(segment.next_size(number), || Bucket::EMPTY)?;
        let old = segment.room;
        segment.set_room(room);
        segment.n_growths += 1;
        for place in 0..old.len() {
            let bucket = self.buckets.get(&old)[place];
            let buckets = self.buckets.get_mut(&room);
            for (state, _) in bucket.states.iter().zip(bucket.tags).filter(|&(_, tag)| tag != 0) {
                put(buckets, state, state.hash());
            }
        }
        self.buckets.give_back(old);
        Ok(())
    }
}

impl<const N: usize> StateSet<Words<N>> for InlineSet<N> {
    const NAME: &'static str = "exact";
    const IS_LOSSY: bool = false;
    const KEY_READS_STATE: bool = false;

    type Key = u64;

    fn new(options: &StoreOptions) -> Result<InlineSet<N>, OutOfMemory> {
        let segments = vec![Segment::default(); SEGMENTS];
        Ok(InlineSet { segments, buckets: Arena::new(options.memory_limit), n_states: 0 })
    }

    #[inline]
    fn key(&mut self, _state: &Words<N>, hash: u64) -> Result<u64, OutOfMemory> {
        let buckets = self.buckets.get(&self.segments[Self::segment_of(hash)].room);
        if let Some(bucket) = buckets.get(home(buckets.len(), hash)) {
            prefetch(&bucket.tags, 0);
            // The last state of each further line.
            for line in 1..size_of::<Bucket<N>>() / 64 {
                prefetch(&bucket.states, (line * LINE).div_ceil(N.max(1)));
            }
        }
        Ok(hash)
    }

    #[inline(always)]
    fn insert(&mut self, state: &Words<N>, hash: u64) -> Result<Visited, OutOfMemory> {
        let number = Self::segment_of(hash);
        let segment = &mut self.segments[number];
        let buckets = self.buckets.get_mut(&segment.room);
        let LookUp::Free { bucket, slot } = look_up(buckets, state, hash) else { return Ok(Visited::Seen) };
        if segment.n_states >= segment.most_states {
            self.grow(number)?;
            let segment = &self.segments[number];
            put(self.buckets.get_mut(&segment.room), state, hash);
        } else {
            let bucket = &mut buckets[bucket];
            bucket.tags[slot] = tag(hash);
            bucket.states[slot] = *state;
        }
        self.segments[number].n_states += 1;
        self.n_states += 1;
        Ok(Visited::New)
    }

    fn contains(&mut self, state: &Words<N>, hash: u64) -> bool {
        let segment = &self.segments[Self::segment_of(hash)];
        matches!(look_up(self.buckets.get(&segment.room), state, hash), LookUp::Taken)
    }

    fn n_states(&self) -> u64 {
        self.n_states
    }

    fn memory_bytes(&self) -> u64 {
        self.buckets.memory_bytes()
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.buckets.set_memory_limit(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(n_states: u64) -> InlineSet<2> {
        let mut set = InlineSet::new(&StoreOptions::default()).unwrap();
        for value in 0..n_states {
            let state = Words([value, value / 3]);
            assert_eq!(set.insert(&state, state.hash()), Ok(Visited::New));
        }
        set
    }

    #[test]
    fn a_third_is_free_whatever_the_number_of_states() {
        for n_states in [100_000, 130_000, 170_000, 220_000, 300_000] {
            let set = filled(n_states);
            let per_state = set.memory_bytes() as f64 / n_states as f64;
            assert!((25.0..33.0).contains(&per_state), "{per_state:.1} bytes for each of {n_states} states");
        }
    }

    #[test]
    fn segments_grow_at_different_times() {
        let set = filled(200_000);
        let mut sizes: Vec<usize> = set.segments.iter().map(|segment| segment.room.len()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        assert!(sizes.len() > SEGMENTS / 2, "{sizes:?}");
    }

    #[test]
    fn states_with_equal_hashes_are_told_apart() {
        let mut set = InlineSet::<1>::new(&StoreOptions::default()).unwrap();
        let hash = 0xffff_ffff_ffff_ff00;
        // More than a bucket holds, at the end of the last segment: they wrap around to its beginning.
        for round in [Visited::New, Visited::Seen] {
            for value in 0..30 {
                assert_eq!(set.insert(&Words([value]), hash), Ok(round));
            }
        }
        assert!(set.contains(&Words([29]), hash) && !set.contains(&Words([30]), hash));
    }

    #[test]
    fn a_free_byte_is_found_behind_any_others() {
        for used in 0..=SLOTS {
            let mut tags = [0_u8; 8];
            tags[..used].fill(1);
            assert_eq!(zero_bytes(u64::from_le_bytes(tags)).trailing_zeros() as usize / 8, used);
            tags[..used].fill(0x80);
            assert_eq!(zero_bytes(u64::from_le_bytes(tags)).trailing_zeros() as usize / 8, used);
        }
    }

    /// A free slot reads like a state of zeros, and the zero-byte trick may mark it by mistake for hashes with this
    /// byte.
    #[test]
    fn a_state_of_zeros_is_never_taken_for_a_free_place() {
        assert!(tag(Words([0]).hash()) != 1 && tag(Words([0, 0]).hash()) != 1);
    }
}
