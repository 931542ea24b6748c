//! Numbers for words: equal words have equal numbers.
//!
//! The words stand in one array in the order of their numbers; beside it is a table of numbers with open addressing, of
//! any size. The table can be rebuilt from the array, so that growing never needs two tables at once.

use super::{below, spread};
use crate::memory::{OutOfMemory, growth};

#[derive(Default)]
pub(super) struct Interner {
    words: Vec<u64>,
    /// A number + 1, or 0 for a free entry.
    index: Vec<u32>,
    /// A cache of recent words, indexed by hash. A few words recur again and again, and the cache is near while the
    /// table is not.
    recent: Vec<Recent>,
}

#[derive(Clone, Copy, Default)]
struct Recent {
    word: u64,
    /// 0 if the entry is free.
    number_plus_1: u32,
}

const RECENT: usize = 64;

const FIRST_ENTRIES: usize = 64;

/// Numbers are below this.
pub(super) const MAX_NUMBER: usize = u32::MAX as usize - 1;

impl Interner {
    /// The number of `word`, new or not. `None`: there is no room, see [`grow`](Self::grow).
    #[inline]
    pub fn number(&mut self, word: u64) -> Option<u32> {
        let n_entries = self.index.len();
        if n_entries == 0 {
            return None;
        }
        let hash = spread(word);
        let recent = hash as usize % RECENT;
        let met = self.recent[recent];
        if met.word == word && met.number_plus_1 != 0 {
            return Some(met.number_plus_1 - 1);
        }
        let number = self.number_in_table(word, below(hash, n_entries))?;
        self.recent[recent] = Recent { word, number_plus_1: number + 1 };
        Some(number)
    }

    fn number_in_table(&mut self, word: u64, mut at: usize) -> Option<u32> {
        let n_entries = self.index.len();
        loop {
            match self.index[at] {
                0 => break,
                entry if self.words[entry as usize - 1] == word => return Some(entry - 1),
                _ => at = if at + 1 == n_entries { 0 } else { at + 1 },
            }
        }
        if self.is_full() {
            return None;
        }
        let number = self.words.len() as u32;
        self.words.push(word);
        self.index[at] = number + 1;
        Some(number)
    }

    #[cfg(test)]
    pub fn word(&self, number: u32) -> u64 {
        self.words[number as usize]
    }

    /// Whether one more word needs more memory.
    #[inline]
    fn is_full(&self) -> bool {
        self.words.len() == self.words.capacity() || self.words.len() >= self.index.len() / 4 * 3
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.words.capacity() * 8 + self.index.capacity() * 4 + self.recent.capacity() * size_of::<Recent>()) as u64
    }

    /// Makes room for more words, if `room` bytes beside those in use suffice.
    #[cold]
    pub fn grow(&mut self, mut room: u64) -> Result<(), OutOfMemory> {
        if self.words.len() >= MAX_NUMBER / 2 {
            return Err(OutOfMemory);
        }
        if self.recent.is_empty() {
            let bytes = (RECENT * size_of::<Recent>()) as u64;
            if bytes > room {
                return Err(OutOfMemory);
            }
            self.recent.try_reserve_exact(RECENT)?;
            self.recent.resize(RECENT, Recent::default());
            room -= bytes;
        }
        if self.words.len() == self.words.capacity() {
            // Small tables stay small: there is one for each part of a state.
            let more = growth(self.words.len()).min(self.words.len().max(FIRST_ENTRIES));
            if (more * 8) as u64 > room {
                return Err(OutOfMemory);
            }
            self.words.try_reserve_exact(more)?;
            room -= (more * 8) as u64;
        }
        if self.words.len() >= self.index.len() / 4 * 3 {
            let n_entries = (self.index.len() / 2 * 3).max(FIRST_ENTRIES);
            if ((n_entries - self.index.len()) * 4) as u64 > room {
                return Err(OutOfMemory);
            }
            self.remake_index(n_entries)?;
        }
        Ok(())
    }

    fn remake_index(&mut self, n_entries: usize) -> Result<(), OutOfMemory> {
        let n_old = self.index.len();
        self.index = Vec::new();
        let mut index = Vec::new();
        // If the larger table cannot be had, one of the old size can: it was just freed.
        let result = index.try_reserve_exact(n_entries).map_err(OutOfMemory::from);
        let n_entries = if result.is_ok() { n_entries } else { n_old };
        index.resize(n_entries, 0);
        for (number, word) in self.words.iter().enumerate() {
            let mut at = place(*word, n_entries);
            while index[at] != 0 {
                at = if at + 1 == n_entries { 0 } else { at + 1 };
            }
            index[at] = number as u32 + 1;
        }
        self.index = index;
        result
    }
}

#[inline]
fn place(word: u64, n_entries: usize) -> usize {
    below(spread(word), n_entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_numbers() {
        let mut interner = Interner::default();
        let mut number = |word| {
            loop {
                match interner.number(word) {
                    Some(number) => return number,
                    None => interner.grow(u64::MAX).unwrap(),
                }
            }
        };
        let words: Vec<u64> = (0..10_000).map(|n: u64| n.wrapping_mul(0x1_0000_0001) << (n % 7)).collect();
        let first: Vec<u32> = words.iter().map(|word| number(*word)).collect();
        let second: Vec<u32> = words.iter().map(|word| number(*word)).collect();
        assert_eq!(first, second);
        assert!(words.iter().zip(first).all(|(word, number)| interner.word(number) == *word));
    }

    #[test]
    fn without_room_what_is_there_stays() {
        let mut interner = Interner::default();
        interner.grow(1 << 14).unwrap();
        let n_words = (0..1000).take_while(|word| interner.number(*word).is_some()).count();
        assert!(interner.grow(10).is_err());
        assert!((0..n_words as u64).all(|word| interner.number(word) == Some(word as u32)));
    }
}
