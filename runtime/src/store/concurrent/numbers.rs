//! Numbers for words, which several threads find or give at the same time: equal words have equal numbers.
//!
//! The words stand in the order of their numbers, and beside them is a table of entries with open addressing. A thread
//! that does not find its word reserves a number, writes the word there, and publishes it by a compare-and-swap on the free
//! entry at which its look-up ended. If another thread was faster, the thread compares what that one published like any
//! other word, and keeps the number that it reserved for its next word. Numbers never change.

use super::sync::{AtomicU64, Ordering};

/// The words by their numbers, in memory that never moves.
pub trait WordsByNumber {
    fn at(&self, number: u32) -> &AtomicU64;
}

/// A power of two of entries, or none. 0 is free; otherwise the high half is a part of the hash, the low half a
/// number + 1.
pub struct NumberTable {
    entries: Vec<AtomicU64>,
    next: Counter,
    /// Numbers are below this.
    most: u64,
}

/// On a cache line of its own: threads that give numbers do not disturb those that read the table.
#[repr(align(128))]
struct Counter(AtomicU64);

/// A number that a thread has reserved and not used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reserve(Option<u32>);

/// The high half of an entry.
#[inline]
fn tag(hash: u64) -> u64 {
    hash & 0xffff_ffff_0000_0000
}

#[inline]
fn number_in(entry: u64) -> u32 {
    (entry as u32).wrapping_sub(1)
}

impl NumberTable {
    /// No table, and no numbers.
    pub fn none() -> NumberTable {
        NumberTable { entries: Vec::new(), next: Counter(AtomicU64::new(0)), most: 0 }
    }

    /// So many words can get a number; behind three quarters probe sequences get long.
    pub fn room(n_entries: usize) -> u64 {
        n_entries as u64 / 4 * 3
    }

    /// Replaces the table by a larger, empty one, and returns the old one. No other thread uses it meanwhile.
    pub fn replace(&mut self, entries: Vec<AtomicU64>) -> Vec<AtomicU64> {
        // Threads that found no number left have counted on.
        self.next = Counter(AtomicU64::new(self.n_numbers()));
        self.most = NumberTable::room(entries.len()).min(u64::from(u32::MAX) - 1);
        std::mem::replace(&mut self.entries, entries)
    }

    pub fn n_entries(&self) -> usize {
        self.entries.len()
    }

    /// Numbers that were given or reserved.
    pub fn n_numbers(&self) -> u64 {
        self.next.0.load(Ordering::Relaxed).min(self.most)
    }

    /// Whether few numbers are left.
    pub fn is_nearly_full(&self) -> bool {
        self.n_numbers() * 8 >= self.most * 7
    }

    #[inline]
    fn start(&self, hash: u64) -> usize {
        hash as usize & (self.entries.len() - 1)
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.entries.len() - 1)
    }

    /// The number of a word, new or not. `None`: the table must grow first.
    #[inline]
    pub fn number(&self, words: &impl WordsByNumber, word: u64, hash: u64, reserve: &mut Reserve) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        let mut at = self.start(hash);
        let mut own = 0;
        // There are more entries than numbers, so this loop ends.
        loop {
            let place = &self.entries[at];
            let mut entry = place.load(Ordering::Acquire);
            if entry == 0 {
                if own == 0 {
                    let number = self.reserved(reserve)?;
                    words.at(number).store(word, Ordering::Relaxed);
                    own = tag(hash) | (u64::from(number) + 1);
                }
                match place.compare_exchange(0, own, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => {
                        reserve.0 = None;
                        return Some(number_in(own));
                    }
                    Err(other) => entry = other,
                }
            }
            if tag(entry) == tag(hash) && words.at(number_in(entry)).load(Ordering::Relaxed) == word {
                return Some(number_in(entry));
            }
            at = self.next(at);
        }
    }

    #[inline]
    fn reserved(&self, reserve: &mut Reserve) -> Option<u32> {
        if reserve.0.is_none() {
            let number = self.next.0.fetch_add(1, Ordering::Relaxed);
            if number >= self.most {
                return None;
            }
            reserve.0 = Some(number as u32);
        }
        reserve.0
    }

    /// The number of a word that has one.
    pub fn find(&self, words: &impl WordsByNumber, word: u64, hash: u64) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        let mut at = self.start(hash);
        loop {
            match self.entries[at].load(Ordering::Acquire) {
                0 => return None,
                entry if tag(entry) == tag(hash) && words.at(number_in(entry)).load(Ordering::Relaxed) == word => {
                    return Some(number_in(entry));
                }
                _ => at = self.next(at),
            }
        }
    }

    /// Enters some entries of the old table. Several threads may do so, each with others; none uses the table otherwise.
    pub fn take_over(&self, old: &[AtomicU64], words: &impl WordsByNumber, hash_of: impl Fn(u64) -> u64) {
        for entry in old {
            let entry = entry.load(Ordering::Relaxed);
            if entry == 0 {
                continue;
            }
            let hash = hash_of(words.at(number_in(entry)).load(Ordering::Relaxed));
            let mut at = self.start(hash);
            while self.entries[at].load(Ordering::Relaxed) != 0
                || self.entries[at].compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed).is_err()
            {
                at = self.next(at);
            }
        }
    }
}
