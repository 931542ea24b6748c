//! A growing set of small numbers.

use crate::memory::{OutOfMemory, growth};

#[derive(Debug, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    #[inline]
    pub fn insert(&mut self, number: usize) -> Result<(), OutOfMemory> {
        let word = number / 64;
        if word >= self.words.len() {
            if word >= self.words.capacity() {
                let more = (word + 1 - self.words.len()).max(growth(self.words.len()));
                self.words.try_reserve_exact(more)?;
            }
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
        Ok(())
    }

    #[inline]
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn memory_bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_and_go() {
        let mut set = BitSet::default();
        assert!(!set.contains(1000));
        for number in [0, 63, 64, 1000] {
            assert_eq!(set.insert(number), Ok(()));
        }
        set.remove(64);
        set.remove(5000);
        let held: Vec<usize> = (0..2000).filter(|&number| set.contains(number)).collect();
        assert_eq!(held, [0, 63, 1000]);
    }
}
