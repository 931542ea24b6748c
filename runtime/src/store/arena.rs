//! Memory for tables of different sizes that are allocated and freed all the time.
//!
//! A table that grows segment by segment takes a block of memory for each segment, a little larger each time. If the
//! allocator gave out each block alone, it would be too small for large pages (see `huge_pages`); so the arena cuts
//! blocks out of slabs, which are large and never move. Segments grow one after the other, and the arena joins
//! neighbouring free blocks, so that they soon fit the next segment.

use crate::huge_pages;
use crate::memory::OutOfMemory;

/// Bytes of the first slab: small models take little memory.
const FIRST_SLAB: usize = 1 << 20;
/// Bytes of the second slab, and the factor by which each next slab is larger.
const SECOND_SLAB: usize = 8 << 20;
const SLAB_GROWTH: usize = 4;

/// A block of an arena. Its owner gives it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Room {
    slab: u32,
    begin: usize,
    end: usize,
}

impl Room {
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.begin
    }
}

pub(super) struct Arena<T> {
    /// Each slab reserves its whole capacity at once; that costs no memory until it is written.
    slabs: Vec<Vec<T>>,
    /// Free blocks, ordered; no two of them touch.
    free: Vec<Room>,
    memory_limit: u64,
}

impl<T> Arena<T> {
    pub fn new(memory_limit: u64) -> Arena<T> {
        Arena { slabs: Vec::new(), free: Vec::new(), memory_limit }
    }

    pub fn set_memory_limit(&mut self, bytes: u64) {
        self.memory_limit = bytes;
    }

    pub fn memory_bytes(&self) -> u64 {
        self.slabs.iter().map(|slab| (slab.len() * size_of::<T>()) as u64).sum()
    }

    #[inline]
    pub fn get(&self, room: &Room) -> &[T] {
        self.slabs.get(room.slab as usize).map_or(&[], |slab| &slab[room.begin..room.end])
    }

    #[inline]
    pub fn get_mut(&mut self, room: &Room) -> &mut [T] {
        self.slabs.get_mut(room.slab as usize).map_or(&mut [], |slab| &mut slab[room.begin..room.end])
    }

    /// A block of `n` elements, all of them new.
    pub fn take(&mut self, n: usize, new: impl Fn() -> T) -> Result<Room, OutOfMemory> {
        let Some(place) = self.free.iter().position(|room| room.len() >= n) else { return self.take_new(n, new) };
        let room = self.take_free(place, n);
        self.get_mut(&room).fill_with(new);
        Ok(room)
    }

    fn take_free(&mut self, place: usize, n: usize) -> Room {
        let free = &mut self.free[place];
        let room = Room { end: free.begin + n, ..*free };
        free.begin = room.end;
        if free.len() == 0 {
            self.free.remove(place);
        }
        room
    }

    /// Behind everything that was ever in use, or in a new slab.
    fn take_new(&mut self, n: usize, new: impl Fn() -> T) -> Result<Room, OutOfMemory> {
        // A free block at the end becomes a part of it.
        let last_slab = self.slabs.len().wrapping_sub(1);
        let used = self.slabs.last().map_or(0, Vec::len);
        let is_last = |room: &&Room| room.slab as usize == last_slab && room.end == used;
        let tail = self.free.last().filter(is_last).map_or(0, Room::len);
        let fits = self.slabs.last().is_some_and(|slab| used - tail + n <= slab.capacity());
        let tail = if fits { tail } else { 0 };
        if self.memory_bytes() + ((n - tail) * size_of::<T>()) as u64 > self.memory_limit {
            return Err(OutOfMemory);
        }
        if !fits {
            self.add_slab(n)?;
        } else if tail > 0 {
            self.free.pop();
        }
        let slab = self.slabs.len() - 1;
        let elements = &mut self.slabs[slab];
        let begin = elements.len() - tail;
        elements[begin..].fill_with(&new);
        elements.resize_with(begin + n, new);
        Ok(Room { slab: slab as u32, begin, end: begin + n })
    }

    fn add_slab(&mut self, n: usize) -> Result<(), OutOfMemory> {
        let n_bytes = match self.slabs.len() {
            0 => FIRST_SLAB,
            n_slabs => SECOND_SLAB.saturating_mul(SLAB_GROWTH.saturating_pow(n_slabs as u32 - 1)),
        };
        let n_elements = n.max(n_bytes / size_of::<T>());
        let mut slab = Vec::new();
        // If the system does not grant that much, the slab is as large as needed.
        if slab.try_reserve_exact(n_elements).is_err() {
            slab.try_reserve_exact(n)?;
        }
        huge_pages::advise(&mut slab);
        self.slabs.try_reserve(1)?;
        self.slabs.push(slab);
        Ok(())
    }

    pub fn give_back(&mut self, room: Room) {
        if room.len() == 0 {
            return;
        }
        let place = self.free.partition_point(|free| *free < room);
        self.free.insert(place, room);
        self.join(place);
        if let Some(before) = place.checked_sub(1) {
            self.join(before);
        }
    }

    /// Joins a free block and the next one if they touch.
    fn join(&mut self, place: usize) {
        if let [one, next, ..] = self.free[place..]
            && (one.slab, one.end) == (next.slab, next.begin)
        {
            self.free[place].end = next.end;
            self.free.remove(place + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Random;

    #[test]
    fn pieces_do_not_overlap_and_keep_what_is_in_them() {
        let mut random = Random(1);
        let mut arena = Arena::new(u64::MAX);
        let mut rooms: Vec<(Room, u64)> = Vec::new();
        for round in 1..4_000 {
            if rooms.len() > 40 {
                let (room, value) = rooms.swap_remove(random.below(40) as usize);
                assert!(arena.get(&room).iter().all(|&other| other == value));
                arena.give_back(room);
            }
            let room = arena.take(1 + random.below(20_000) as usize, || 0).unwrap();
            assert!(arena.get(&room).iter().all(|&other| other == 0));
            arena.get_mut(&room).fill(round);
            rooms.push((room, round));
        }
        assert!(rooms.iter().all(|(room, value)| arena.get(room).iter().all(|other| other == value)));
        assert!(arena.slabs.len() > 1);
        rooms.into_iter().for_each(|(room, _)| arena.give_back(room));
        assert!(arena.free.len() <= arena.slabs.len());
    }

    /// The pattern of the segments of a table.
    #[test]
    fn parts_that_grow_in_turn_waste_little() {
        let mut arena = Arena::new(u64::MAX);
        let mut parts: Vec<Room> = (0..64).map(|_| arena.take(64, || 0_u64).unwrap()).collect();
        for _ in 0..16 {
            for part in &mut parts {
                let grown = arena.take(part.len() * 7 / 5, || 0).unwrap();
                arena.give_back(std::mem::replace(part, grown));
            }
            let used: usize = parts.iter().map(Room::len).sum();
            let taken = arena.memory_bytes() as usize / 8;
            assert!(taken < used * 5 / 4 + 4096, "{taken} for {used}");
        }
    }

    #[test]
    fn beyond_the_limit_nothing_is_taken() {
        let mut arena = Arena::new(8 * 100);
        let room = arena.take(60, || 0_u64).unwrap();
        assert_eq!(arena.take(41, || 0), Err(OutOfMemory));
        assert_eq!(arena.memory_bytes(), 480);
        arena.give_back(room);
        assert_eq!(arena.take(100, || 0).map(|room| room.len()), Ok(100));
        assert_eq!(arena.get(&Room::default()).len(), 0);
    }
}
