//! Index of the states in the queue of a reduced breadth-first search.
//!
//! The cycle proviso relies on the answer that a state will leave the queue later than another; a mistake would be
//! unsound. So a match of the hash is compared with the state itself.
//!
//! States that leave the queue are not removed: states with similar hashes form a list, the last one first, so that
//! those that have left stand behind those that have not. A search whose reduction is throttled asks nothing, and pays
//! nothing: the index inserts states on demand.

use crate::memory::OutOfMemory;
use std::ops::Range;

/// The index stores the low bits of numbers. No value means "none": a number that is not in the queue ends a list, and
/// if it is taken for another one, the comparison with the state rejects it.
#[derive(Default)]
pub(crate) struct QueueIndex {
    /// The last state with some bits of the hash, by these bits.
    last: Vec<u32>,
    /// The previous state with the same bits of the hash, by the low bits of a state's number. There is space for the
    /// whole queue.
    before: Vec<u32>,
    /// States from this number on are not in the index yet.
    end: u64,
}

const LEAST_ROOM: usize = 1 << 8;
/// More states than this have no distinct low bits.
const MOST_ROOM: usize = 1 << 31;

impl QueueIndex {
    #[inline]
    fn class(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.last.len() - 1)
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.before.len() - 1)
    }

    /// The number of the state with this hash for which `is_it` holds, among those with these `numbers`, whose hashes
    /// are known. `None` also if there is no memory to tell, which is the safe answer.
    #[inline]
    pub fn find(
        &mut self,
        numbers: Range<u64>,
        hash_of: impl FnMut(u64) -> u64,
        hash: u64,
        mut is_it: impl FnMut(u64) -> bool,
    ) -> Option<u64> {
        if self.end < numbers.end {
            self.catch_up(&numbers, hash_of).ok()?;
        }
        if self.last.is_empty() {
            return None;
        }
        let mut below = numbers.end;
        let mut low = self.last[self.class(hash)];
        loop {
            let number = numbers.start + u64::from(low.wrapping_sub(numbers.start as u32));
            if number >= below {
                return None;
            }
            if is_it(number) {
                return Some(number);
            }
            below = number;
            low = self.before[self.place(number)];
        }
    }

    /// Inserts the missing states.
    fn catch_up(&mut self, numbers: &Range<u64>, mut hash_of: impl FnMut(u64) -> u64) -> Result<(), OutOfMemory> {
        if numbers.end - numbers.start > self.before.len() as u64 {
            self.make_room(numbers.end - numbers.start)?;
        }
        for number in self.end.max(numbers.start)..numbers.end {
            let (class, place) = (self.class(hash_of(number)), self.place(number));
            self.before[place] = std::mem::replace(&mut self.last[class], number as u32);
        }
        self.end = numbers.end;
        Ok(())
    }

    /// Starts anew with an empty index, with space for so many states and some more.
    #[cold]
    fn make_room(&mut self, n_states: u64) -> Result<(), OutOfMemory> {
        *self = QueueIndex::default();
        let room = (n_states as usize).saturating_add(1).next_power_of_two().max(LEAST_ROOM);
        if room > MOST_ROOM {
            return Err(OutOfMemory);
        }
        self.before.try_reserve_exact(room)?;
        self.last.try_reserve_exact(room)?;
        self.before.resize(room, 0);
        self.last.resize(room, 0);
        Ok(())
    }

    /// Frees memory if few states are left.
    pub fn trim(&mut self, n_states: u64) {
        if self.before.len() > LEAST_ROOM && n_states * 16 < self.before.len() as u64 {
            *self = QueueIndex::default();
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.last.capacity() + self.before.capacity()) as u64 * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Random;
    use std::collections::VecDeque;

    /// Few different hashes, so that many collide.
    fn hash(random: &mut Random) -> u64 {
        random.below(40) << 32 | random.below(3) << 60
    }

    /// The numbers of the states begin here.
    fn check(mut first: u64) {
        let mut random = Random(1);
        let mut index = QueueIndex::default();
        let mut queue: VecDeque<u64> = VecDeque::new();
        let mut most = 0;
        for round in 0..8_000_u64 {
            // The queue grows, and then it shrinks; some rounds ask nothing.
            if random.below(10) < if round < 4_000 { 6 } else { 4 } {
                queue.push_back(hash(&mut random));
            } else if queue.pop_front().is_some() {
                first += 1;
            }
            let numbers = first..first + queue.len() as u64;
            let hash_of = |number: u64| queue[(number - first) as usize];
            if random.below(3) == 0 {
                for (number, &hash) in (first..).zip(&queue).step_by(17) {
                    assert_eq!(index.find(numbers.clone(), hash_of, hash, |other| other == number), Some(number));
                }
                let absent = hash(&mut random);
                assert_eq!(index.find(numbers.clone(), hash_of, absent, |other| !numbers.contains(&other)), None);
            }
            if round % 1_000 == 999 {
                index.trim(queue.len() as u64);
            }
            most = most.max(queue.len());
        }
        assert!(most > LEAST_ROOM, "{most} states, for which it never had to grow");
        assert!(index.memory_bytes() <= most as u64 * 32, "{} bytes for {most} states", index.memory_bytes());
    }

    #[test]
    fn what_is_in_the_queue_is_found_and_nothing_else() {
        check(0);
        // Numbers with the same low bits.
        check(u64::from(u32::MAX) - 300);
        check(u64::from(u32::MAX) * 3);
    }
}
