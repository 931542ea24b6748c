//! Which states are in the queue of a search, or on its path, for one that leaves out steps.
//!
//! Such a search has to know that a state will leave the queue later than another, or is not on the path; a mistake
//! would be unsound. So what is found by its hash is compared with the state itself. Only the states of the queue or the
//! path are here, and those that leave it are taken out.

use crate::pack::OutOfMemory;

/// A table with open addressing: for each state some bits of its hash and the low bits of its number. 0 is free.
#[derive(Default)]
pub(crate) struct StateIndex {
    entries: Vec<u64>,
    n_states: usize,
}

const TAKEN: u64 = 1 << 63;
const FIRST_ENTRIES: usize = 1 << 8;

/// The place where an entry belongs comes from the same bits, so that entries can be moved without their states.
#[inline]
fn entry(hash: u64, number: u64) -> u64 {
    TAKEN | hash >> 33 << 32 | number & 0xffff_ffff
}

#[inline]
fn tag(entry: u64) -> u64 {
    entry >> 32
}

impl StateIndex {
    #[inline]
    fn mask(&self) -> usize {
        self.entries.len() - 1
    }

    #[inline]
    fn home(&self, entry: u64) -> usize {
        tag(entry) as usize & self.mask()
    }

    /// Adds a state that is not there.
    #[inline]
    pub fn insert(&mut self, hash: u64, number: u64) -> Result<(), OutOfMemory> {
        if self.n_states >= self.entries.len() / 4 * 3 {
            self.resize((self.entries.len() * 2).max(FIRST_ENTRIES))?;
        }
        self.put(entry(hash, number));
        self.n_states += 1;
        Ok(())
    }

    fn put(&mut self, entry: u64) {
        let mut at = self.home(entry);
        while self.entries[at] != 0 {
            at = (at + 1) & self.mask();
        }
        self.entries[at] = entry;
    }

    #[cold]
    fn resize(&mut self, n_entries: usize) -> Result<(), OutOfMemory> {
        let mut entries = Vec::new();
        entries.try_reserve_exact(n_entries)?;
        entries.resize(n_entries, 0);
        let old = std::mem::replace(&mut self.entries, entries);
        old.into_iter().filter(|&entry| entry != 0).for_each(|entry| self.put(entry));
        Ok(())
    }

    /// The number of the state with this hash for which `is_it` holds. Numbers begin with `first`.
    pub fn find(&self, hash: u64, first: u64, mut is_it: impl FnMut(u64) -> bool) -> Option<u64> {
        if self.entries.is_empty() {
            return None;
        }
        let wanted = entry(hash, 0);
        let mut at = self.home(wanted);
        while self.entries[at] != 0 {
            let entry = self.entries[at];
            if tag(entry) == tag(wanted) {
                let number = first + u64::from((entry as u32).wrapping_sub(first as u32));
                if is_it(number) {
                    return Some(number);
                }
            }
            at = (at + 1) & self.mask();
        }
        None
    }

    /// Takes out a state that is there.
    #[inline]
    pub fn remove(&mut self, hash: u64, number: u64) {
        if self.entries.is_empty() {
            return;
        }
        let wanted = entry(hash, number);
        let mut hole = self.home(wanted);
        while self.entries[hole] != wanted {
            if self.entries[hole] == 0 {
                return;
            }
            hole = (hole + 1) & self.mask();
        }
        self.n_states -= 1;
        // What stands behind it moves up, unless it would come to stand before its place.
        let mut at = hole;
        loop {
            at = (at + 1) & self.mask();
            let entry = self.entries[at];
            if entry == 0 {
                break;
            }
            let from_home = at.wrapping_sub(self.home(entry)) & self.mask();
            let from_hole = at.wrapping_sub(hole) & self.mask();
            if from_home >= from_hole {
                self.entries[hole] = entry;
                hole = at;
            }
        }
        self.entries[hole] = 0;
        if self.n_states * 16 < self.entries.len() && self.entries.len() > FIRST_ENTRIES {
            // No room for a smaller one is no harm.
            let _ = self.resize(self.entries.len() / 4);
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        self.entries.capacity() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Random;
    use std::collections::VecDeque;

    #[test]
    fn what_is_in_the_queue_is_found_and_nothing_else() {
        let mut random = Random(1);
        let mut index = StateIndex::default();
        let mut queue: VecDeque<u64> = VecDeque::new();
        let mut first = u64::from(u32::MAX) - 300;
        for round in 0..4_000_u64 {
            // Few different hashes, so that many collide; the queue grows, and then it shrinks.
            if random.below(10) < if round < 2_000 { 6 } else { 4 } {
                let hash = random.below(40) << 33 | random.below(3) << 60;
                index.insert(hash, first + queue.len() as u64).unwrap();
                queue.push_back(hash);
            } else if let Some(hash) = queue.pop_front() {
                index.remove(hash, first);
                assert_eq!(index.find(hash, first, |number| number < first), None);
                first += 1;
            }
            for (number, &hash) in (first..).zip(&queue).step_by(17) {
                assert_eq!(index.find(hash, first, |other| other == number), Some(number));
            }
            assert_eq!(index.n_states, queue.len());
        }
        assert!(index.memory_bytes() < 64 * 1024, "{} bytes", index.memory_bytes());
    }
}
