//! The colours of a nested search: two bits for each state, or for each copy of it where fairness is asked for.

use crate::pack::{OutOfMemory, growth};
use crate::system::reserve;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Colour {
    /// The outer search has not been here.
    White = 0,
    /// On the path of the outer search.
    Cyan = 1,
    /// The outer search is done with it.
    Blue = 2,
    /// The inner search has been here too.
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

/// A byte for each state: the colour, and whether the state is accepting. One more bit is free for the choice of a
/// reduction, which the inner search has to repeat.
const ACCEPTING: u8 = 4;

/// Copies of a state in one word.
const PER_WORD: usize = 32;

#[derive(Default)]
pub(crate) struct Colours {
    /// The colour of copy 0, and what is the same for all copies.
    flags: Vec<u8>,
    /// The colours of all copies, `n_words` words for each state.
    copies: Vec<u64>,
    n_words: usize,
}

impl Colours {
    /// With room for 31 processes, to begin with, if there are copies.
    pub fn new(fair: bool) -> Colours {
        Colours { n_words: usize::from(fair), ..Colours::default() }
    }

    /// A new state. All its copies are white.
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

    /// More processes than expected.
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
