//! Index of the states on the path of a reduced depth-first search.
//!
//! The cycle proviso relies on the answer that a state is not on the path; a mistake would be unsound. So a match of
//! the hash is compared with the state itself.
//!
//! A search whose reduction is throttled asks nothing, and pays nothing: the index inserts states on demand, and those
//! that have left the path stay until the table is full; then it is rebuilt.

use crate::memory::OutOfMemory;
use std::ops::Range;

/// A table with open addressing: for each state some bits of its hash and the low bits of its number. 0 is free.
#[derive(Default)]
pub(crate) struct PathIndex {
    entries: Vec<u64>,
    n_entries: usize,
    /// States from this number on are not in the index yet.
    end: u64,
}

const TAKEN: u64 = 1 << 63;
const FIRST_ENTRIES: usize = 1 << 8;

/// The same bits select the position of an entry.
#[inline]
fn entry(hash: u64, number: u64) -> u64 {
    TAKEN | hash >> 33 << 32 | number & 0xffff_ffff
}

#[inline]
fn tag(entry: u64) -> u64 {
    entry >> 32
}

impl PathIndex {
    #[inline]
    fn mask(&self) -> usize {
        self.entries.len() - 1
    }

    /// The number of the state with this hash for which `is_it` holds, among those with these `numbers`, whose hashes
    /// are known. `None` also if there is no memory to tell, which is the safe answer.
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
        if self.entries.is_empty() {
            return None;
        }
        let wanted = entry(hash, 0);
        let mut at = tag(wanted) as usize & self.mask();
        while self.entries[at] != 0 {
            let entry = self.entries[at];
            if tag(entry) == tag(wanted) {
                let number = numbers.start + u64::from((entry as u32).wrapping_sub(numbers.start as u32));
                if numbers.contains(&number) && is_it(number) {
                    return Some(number);
                }
            }
            at = (at + 1) & self.mask();
        }
        None
    }

    /// The numbers from this one on will denote other states.
    #[inline]
    pub fn forget_from(&mut self, number: u64) {
        self.end = self.end.min(number);
    }

    /// Inserts the missing states.
    fn catch_up(&mut self, numbers: &Range<u64>, mut hash_of: impl FnMut(u64) -> u64) -> Result<(), OutOfMemory> {
        self.end = self.end.max(numbers.start);
        while self.end < numbers.end {
            if self.n_entries >= self.entries.len() / 4 * 3 {
                self.reset((numbers.end - numbers.start) as usize)?;
                self.end = numbers.start;
            }
            let entry = entry(hash_of(self.end), self.end);
            let mut at = tag(entry) as usize & self.mask();
            while self.entries[at] != 0 {
                at = (at + 1) & self.mask();
            }
            self.entries[at] = entry;
            self.n_entries += 1;
            self.end += 1;
        }
        Ok(())
    }

    /// An empty table with space for so many states, and half as many more.
    #[cold]
    fn reset(&mut self, n_states: usize) -> Result<(), OutOfMemory> {
        let n_entries = (n_states * 2).next_power_of_two().max(FIRST_ENTRIES);
        self.n_entries = 0;
        if n_entries == self.entries.len() {
            self.entries.fill(0);
            return Ok(());
        }
        self.entries = Vec::new();
        self.entries.try_reserve_exact(n_entries)?;
        self.entries.resize(n_entries, 0);
        Ok(())
    }

    pub fn memory_bytes(&self) -> u64 {
        self.entries.capacity() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Random;

    /// Few different hashes, so that many collide.
    fn hash(random: &mut Random) -> u64 {
        random.below(40) << 33 | random.below(3) << 60
    }

    #[test]
    fn what_is_on_the_path_is_found_and_nothing_else() {
        let mut random = Random(2);
        let mut index = PathIndex::default();
        let mut path: Vec<u64> = Vec::new();
        for _ in 0..20_000 {
            if random.below(10) < 5 || path.is_empty() {
                path.push(hash(&mut random));
            } else {
                path.pop();
                index.forget_from(path.len() as u64);
            }
            if random.below(3) == 0 && !path.is_empty() {
                let (numbers, hash_of) = (0..path.len() as u64, |number: u64| path[number as usize]);
                let number = random.below(path.len() as u64);
                let hash = hash_of(number);
                assert_eq!(index.find(numbers.clone(), hash_of, hash, |other| other == number), Some(number));
                let all_real = |other| !numbers.contains(&other);
                assert_eq!(index.find(numbers.clone(), hash_of, hash, all_real), None);
            }
        }
        assert!(index.memory_bytes() <= 64 * 1024, "{} bytes", index.memory_bytes());
    }
}
