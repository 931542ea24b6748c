//! The colours of a nested depth-first search: two bits for each state, or for each copy of it under weak fairness.

use crate::memory::{OutOfMemory, growth, reserve};
use crate::system::Take;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Colour {
    /// The outer search has not reached it.
    White = 0,
    /// On the path of the outer search.
    Cyan = 1,
    /// The outer search has backtracked from it.
    Blue = 2,
    /// The inner search has visited it too.
    Red = 3,
}

impl Colour {
    #[inline]
    fn from_bits(bits: u64) -> Colour {
        match bits & 3 {
            0 => Colour::White,
            1 => Colour::Cyan,
            2 => Colour::Blue,
            _ => Colour::Red,
        }
    }
}

/// A byte for each state: the colour, whether the state is accepting, and its ample set.
const ACCEPTING: u8 = 4;
const TAKES_ALL: u8 = 8;
const TAKES_CHOSEN: u8 = 16;

/// Copies of a state in one word.
const PER_WORD: usize = 32;

/// The lower bit of each copy: a copy is cyan if only this bit is set.
const LOW_BITS: u64 = 0x5555_5555_5555_5555;

#[derive(Default)]
pub(crate) struct Colours {
    /// The colour of copy 0, and what all copies have in common.
    flags: Vec<u8>,
    /// The colours of all copies, `n_words` words for each state.
    copies: Vec<u64>,
    n_words: usize,
}

impl Colours {
    /// With space for 31 processes, to begin with, if there are copies.
    pub fn new(fair: bool) -> Colours {
        Colours { n_words: usize::from(fair), ..Colours::default() }
    }

    /// Adds a state. All its copies are white.
    #[inline]
    pub fn push(&mut self) -> Result<(), OutOfMemory> {
        reserve(&mut self.flags)?;
        if self.n_words > 0 {
            if self.copies.len() + self.n_words > self.copies.capacity() {
                self.copies.try_reserve_exact(growth(self.copies.len()).max(self.n_words))?;
            }
            self.copies.resize(self.copies.len() + self.n_words, 0);
        }
        self.flags.push(0);
        Ok(())
    }

    #[inline]
    pub fn get(&self, index: usize, copy: u8) -> Colour {
        if self.n_words == 0 {
            return Colour::from_bits(u64::from(self.flags[index]));
        }
        let copy = usize::from(copy);
        if copy >= self.n_words * PER_WORD {
            return Colour::White;
        }
        Colour::from_bits(self.copies[index * self.n_words + copy / PER_WORD] >> (copy % PER_WORD * 2))
    }

    #[inline]
    pub fn set(&mut self, index: usize, copy: u8, colour: Colour) -> Result<(), OutOfMemory> {
        if self.n_words == 0 {
            self.flags[index] = self.flags[index] & !3 | colour as u8;
            return Ok(());
        }
        let copy = usize::from(copy);
        if copy >= self.n_words * PER_WORD {
            self.widen(copy / PER_WORD + 1)?;
        }
        let word = &mut self.copies[index * self.n_words + copy / PER_WORD];
        let shift = copy % PER_WORD * 2;
        *word = *word & !(3 << shift) | (colour as u64) << shift;
        Ok(())
    }

    /// There are more processes than expected.
    #[cold]
    fn widen(&mut self, n_words: usize) -> Result<(), OutOfMemory> {
        let mut copies = Vec::new();
        copies.try_reserve_exact(self.flags.len() * n_words)?;
        for old in self.copies.chunks_exact(self.n_words) {
            copies.extend_from_slice(old);
            copies.resize(copies.len() + n_words - self.n_words, 0);
        }
        (self.copies, self.n_words) = (copies, n_words);
        Ok(())
    }

    #[inline]
    pub fn set_accepting(&mut self, index: usize) {
        self.flags[index] |= ACCEPTING;
    }

    #[inline]
    pub fn is_accepting(&self, index: usize) -> bool {
        self.flags[index] & ACCEPTING != 0
    }

    /// The ample set of a state; `None` if it was not selected yet.
    #[inline]
    pub fn taken(&self, index: usize) -> Option<Take> {
        match self.flags[index] & (TAKES_ALL | TAKES_CHOSEN) {
            0 => None,
            TAKES_CHOSEN => Some(Take::Chosen),
            _ => Some(Take::All),
        }
    }

    #[inline]
    pub fn set_taken(&mut self, index: usize, take: Take) {
        self.flags[index] |= match take {
            Take::All => TAKES_ALL,
            Take::Chosen | Take::IfItPays => TAKES_CHOSEN,
        };
    }

    /// Whether a state is on the path of the outer search, in any copy.
    #[inline]
    pub fn is_on_path(&self, index: usize) -> bool {
        if self.n_words == 0 {
            return self.get(index, 0) == Colour::Cyan;
        }
        let words = &self.copies[index * self.n_words..][..self.n_words];
        words.iter().any(|word| word & !(word >> 1) & LOW_BITS != 0)
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.flags.capacity() + self.copies.capacity() * 8) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_many_copies_are_kept_apart() {
        let mut colours = Colours::new(true);
        for _ in 0..3 {
            colours.push().unwrap();
        }
        let painted = [(0, 0, Colour::Cyan), (1, 31, Colour::Blue), (1, 0, Colour::Red), (2, 255, Colour::Red)];
        for (index, copy, colour) in painted {
            colours.set(index, copy, colour).unwrap();
        }
        colours.push().unwrap();
        for index in 0..4 {
            for copy in 0..=255 {
                let expected = painted.iter().find(|painted| (painted.0, painted.1) == (index, copy));
                let expected = expected.map_or(Colour::White, |painted| painted.2);
                assert_eq!(colours.get(index, copy), expected, "{index} {copy}");
            }
        }
    }

    #[test]
    fn a_state_is_on_the_path_if_a_copy_is() {
        let mut colours = Colours::new(true);
        for _ in 0..3 {
            colours.push().unwrap();
        }
        for (copy, colour) in [(0, Colour::Blue), (30, Colour::Red), (31, Colour::White), (32, Colour::Red)] {
            colours.set(1, copy, colour).unwrap();
        }
        for copy in [0, 31, 200] {
            assert!(!colours.is_on_path(1));
            let before = colours.get(1, copy);
            colours.set(1, copy, Colour::Cyan).unwrap();
            assert!(colours.is_on_path(1) && !colours.is_on_path(0) && !colours.is_on_path(2));
            colours.set(1, copy, before).unwrap();
        }
    }

    #[test]
    fn which_steps_are_taken_is_kept_beside_the_colour() {
        let mut colours = Colours::new(false);
        for take in [None, Some(Take::All), Some(Take::Chosen)] {
            colours.push().unwrap();
            let index = colours.flags.len() - 1;
            if let Some(take) = take {
                colours.set_taken(index, take);
            }
            colours.set(index, 0, Colour::Cyan).unwrap();
            colours.set_accepting(index);
            assert_eq!((colours.taken(index), colours.get(index, 0)), (take, Colour::Cyan));
            assert!(colours.is_on_path(index));
        }
    }

    #[test]
    fn accepting_is_no_colour() {
        let mut colours = Colours::new(false);
        colours.push().unwrap();
        colours.set_accepting(0);
        for colour in [Colour::Red, Colour::Cyan, Colour::Blue] {
            colours.set(0, 0, colour).unwrap();
            assert!(colours.get(0, 0) == colour && colours.is_accepting(0));
        }
    }
}
