//! The words of a set that does not grow, all 0 at first.
//!
//! Such a table is large from the beginning, and its words are written in random order. In large pages the first few
//! states would already touch a hundred megabytes, which the system has to clear; in small pages a search of many
//! states would take longer. So a table begins in small pages and records which words were written. When these are too
//! many for a small search, the table moves into large pages, which takes no more than to write those words again.

use crate::memory::OutOfMemory;
use crate::{omission, zeroed};
use std::ops::{Deref, DerefMut};

pub(super) struct FixedTable {
    words: Vec<u64>,
    /// The words that may not be 0, as long as the table is in small pages.
    written: Vec<usize>,
    /// The table moves when there are so many; 0 once it cannot or need not move any more.
    most_written: usize,
}

/// Smaller tables are in large pages from the beginning: they take little, and when glibc frees a block of up to 32 MB
/// it raises its threshold for returning memory to the system.
const LARGE: usize = (64 << 20) / size_of::<u64>();
/// Words in a small page.
const PAGE: usize = 512;
/// When one in so many small pages is in use, most will soon be.
const FEW_PAGES: usize = 8;
/// No state has more words.
const MOST_AT_ONCE: usize = omission::MAX_K as usize;

impl FixedTable {
    pub fn new(n_words: usize) -> Result<FixedTable, OutOfMemory> {
        if n_words < LARGE {
            return Ok(FixedTable { words: zeroed::words(n_words)?, written: Vec::new(), most_written: 0 });
        }
        let words = zeroed::words_in_small_pages(n_words)?;
        let most_written = n_words / PAGE / FEW_PAGES;
        let mut written = Vec::new();
        written.try_reserve_exact(most_written + MOST_AT_ONCE)?;
        Ok(FixedTable { words, written, most_written })
    }

    /// Whether the caller has to [`note`](Self::note) every state that is written.
    #[inline]
    pub fn is_young(&self) -> bool {
        self.most_written > 0
    }

    /// Records the words of a state that were written.
    #[cold]
    pub fn note(&mut self, words: impl Iterator<Item = usize>) {
        self.written.extend(words.take(MOST_AT_ONCE));
        if self.written.len() >= self.most_written {
            self.move_to_large_pages();
        }
    }

    fn move_to_large_pages(&mut self) {
        self.most_written = 0;
        let written = std::mem::take(&mut self.written);
        // If the system grants no more memory, the table stays where it is.
        let mut values = Vec::new();
        let (Ok(()), Ok(words)) = (values.try_reserve_exact(written.len()), zeroed::words(self.words.len())) else {
            return;
        };
        values.extend(written.iter().map(|&index| self.words[index]));
        // The old pages are freed before the first of the new ones is used.
        self.words = words;
        for (index, value) in written.into_iter().zip(values) {
            self.words[index] = value;
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>()) as u64
    }
}

impl Deref for FixedTable {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.words
    }
}

impl DerefMut for FixedTable {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_loses_nothing() {
        let n_words = LARGE + 7;
        let mut table = FixedTable::new(n_words).unwrap();
        let place = |number: usize| number * 7919 % n_words;
        let mut n_written = 0;
        while table.is_young() {
            assert!(n_written < n_words / PAGE, "a table that never moves");
            table[place(n_written)] = n_written as u64 + 1;
            table.note(std::iter::once(place(n_written)));
            n_written += 1;
        }
        assert_eq!(n_written, n_words / PAGE / FEW_PAGES);
        assert!((0..n_written).all(|number| table[place(number)] == number as u64 + 1));
        assert_eq!(table.iter().filter(|&&word| word != 0).count(), n_written);
    }

    #[test]
    fn a_small_table_stays_where_it_is() {
        let mut table = FixedTable::new(1000).unwrap();
        assert!(!table.is_young() && table.len() == 1000 && table.memory_bytes() == 8000);
        table[999] = 5;
        assert_eq!(table.iter().sum::<u64>(), 5);
    }
}
