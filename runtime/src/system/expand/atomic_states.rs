//! States inside an atomic sequence.
//!
//! They leave in the reverse of the order in which they came, as on the stack of a depth-first search. So their words
//! are a stack too, and a table with linear probing needs no mark where one has left: the slot of the last one was empty
//! when it came, and no other was looked for beyond it that is still there.

use crate::hidden::Hidden;
use crate::step::Pid;

/// A set of states, each with its atomic owner. It does not depend on the model, so that it is compiled once.
#[derive(Debug, Default)]
pub(super) struct AtomicStates {
    entries: Vec<Entry>,
    /// The words of the states.
    words: Vec<u64>,
    /// The numbers of the entries, from 1 on, by their hashes. At least half of them are 0, which is none.
    slots: Vec<u32>,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    /// Where its words begin.
    first: usize,
    hidden: Option<Hidden>,
    owner: Pid,
}

/// The length of the table where the first state comes, a power of two.
const FIRST_SLOTS: usize = 64;

impl AtomicStates {
    /// Adds a state, given by its words and their hash. Returns whether it is new.
    #[inline]
    pub fn insert(&mut self, words: impl Iterator<Item = u64>, hash: u64, hidden: Option<Hidden>, owner: Pid) -> bool {
        let first = self.words.len();
        self.words.extend(words);
        self.add(Entry { hash, first, hidden, owner })
    }

    /// The words of the entry are the last ones.
    #[inline(never)]
    fn add(&mut self, entry: Entry) -> bool {
        if self.slots.len() < 2 * (self.entries.len() + 1) {
            self.grow();
        }
        let mut slot = self.first_slot(entry.hash);
        while let Some(index) = self.index(slot) {
            if self.is_same(index, &entry) {
                self.words.truncate(entry.first);
                return false;
            }
            slot = self.next(slot);
        }
        self.entries.push(entry);
        self.slots[slot] = u32::try_from(self.entries.len()).expect("fewer than 2^32 states fit in the memory");
        true
    }

    /// Removes the state that was added last, of those that are still there.
    pub fn remove_last(&mut self) {
        let Some(entry) = self.entries.pop() else { return };
        let mut slot = self.first_slot(entry.hash);
        while self.index(slot).is_some_and(|index| index != self.entries.len()) {
            slot = self.next(slot);
        }
        self.slots[slot] = 0;
        self.words.truncate(entry.first);
    }

    pub fn clear(&mut self) {
        if !self.entries.is_empty() {
            self.entries.clear();
            self.words.clear();
            self.slots.fill(0);
        }
    }

    /// Makes the table larger. The entries come in their order, as if it had been so large from the beginning.
    #[cold]
    fn grow(&mut self) {
        let length = (2 * self.slots.len()).max(FIRST_SLOTS);
        self.slots.clear();
        self.slots.resize(length, 0);
        for (entry, number) in self.entries.iter().zip(1..) {
            let mut slot = entry.hash as usize & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = number;
        }
    }

    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// The entry in a slot.
    fn index(&self, slot: usize) -> Option<usize> {
        (self.slots[slot] as usize).checked_sub(1)
    }

    fn is_same(&self, index: usize, new: &Entry) -> bool {
        let old = &self.entries[index];
        let end = self.entries.get(index + 1).map_or(new.first, |next| next.first);
        (old.hash, old.hidden, old.owner) == (new.hash, new.hidden, new.owner)
            && self.words[old.first..end] == self.words[new.first..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(states: &mut AtomicStates, word: u64, owner: u8) -> bool {
        // Few hashes, so that most states are looked for beyond the slots of others.
        states.insert([word, 7].into_iter(), word % 5, None, Pid(owner))
    }

    #[test]
    fn states_that_have_left_are_new_again() {
        let mut states = AtomicStates::default();
        for round in 0..3 {
            assert!((0..300).all(|word| insert(&mut states, word, 1)), "round {round}");
            assert!((0..300).all(|word| !insert(&mut states, word, 1)), "round {round}");
            assert!(insert(&mut states, 3, 2), "another owner makes another state");
            states.remove_last();
            (100..300).for_each(|_| states.remove_last());
            assert!((0..100).all(|word| !insert(&mut states, word, 1)) && insert(&mut states, 100, 1));
            states.clear();
        }
    }

    #[test]
    fn states_of_different_sizes_differ() {
        let mut states = AtomicStates::default();
        let mut add = |words: &[u64]| states.insert(words.iter().copied(), 9, None, Pid(0));
        assert!(add(&[1]) && add(&[1, 1]) && add(&[1, 1, 1]) && add(&[]));
        assert!(!add(&[1]) && !add(&[1, 1]) && !add(&[1, 1, 1]) && !add(&[]));
    }
}
