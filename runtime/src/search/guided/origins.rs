//! The parent of each state of a guided search, in eight bytes a state.
//!
//! A guided search jumps between the states that it has found, so that the parents of successive states are far apart.
//! The notes of a breadth-first search (`ancestry.rs`) would be long: they count up to the next parent.

use crate::memory::{OutOfMemory, reserve};

/// The bits for the number of a state among the successors of its parent.
const ORDINAL_BITS: u32 = 24;
const LARGE: u64 = (1 << ORDINAL_BITS) - 1;
/// The parent that the initial state has not.
const NONE: u64 = u64::MAX >> ORDINAL_BITS;

/// A parent and the number of the state among its successors, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin(pub u64);

impl Origin {
    /// Of the initial state.
    pub const INITIAL: Origin = Origin(NONE << ORDINAL_BITS);

    /// Nothing if the numbers are larger than any memory allows, or the state has that many siblings.
    pub fn new(parent: u64, ordinal: u32) -> Option<Origin> {
        let fits = parent < NONE && u64::from(ordinal) <= LARGE;
        fits.then_some(Origin(parent << ORDINAL_BITS | u64::from(ordinal)))
    }

    fn parent(self) -> Option<u64> {
        Some(self.0 >> ORDINAL_BITS).filter(|&parent| parent != NONE)
    }

    fn ordinal(self) -> u32 {
        (self.0 & LARGE) as u32
    }
}

/// The origins of the states, by their numbers.
#[derive(Default)]
pub(super) struct Origins(Vec<Origin>);

impl Origins {
    /// Adds a state and returns its number.
    pub fn push(&mut self, origin: Origin) -> Result<u64, OutOfMemory> {
        reserve(&mut self.0)?;
        self.0.push(origin);
        Ok(self.0.len() as u64 - 1)
    }

    /// The numbers to follow from the initial state to this one, each among the successors of the state before.
    pub fn path_to(&self, number: u64) -> Vec<u32> {
        let mut ordinals = Vec::new();
        let mut at = self.0.get(number as usize);
        while let Some((origin, parent)) = at.and_then(|origin| Some((origin, origin.parent()?))) {
            ordinals.push(origin.ordinal());
            at = self.0.get(parent as usize);
        }
        ordinals.reverse();
        ordinals
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<Origin>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_back_to_the_initial_state() {
        let mut origins = Origins::default();
        let of = |parent, ordinal| Origin::new(parent, ordinal).unwrap();
        for origin in [Origin::INITIAL, of(0, 7), of(0, 2), of(2, 0), of(1, LARGE as u32), of(3, 5)] {
            origins.push(origin).unwrap();
        }
        assert_eq!(origins.path_to(0), []);
        assert_eq!(origins.path_to(5), [2, 0, 5]);
        assert_eq!(origins.path_to(4), [7, LARGE as u32]);
        assert_eq!(Origin::new(0, LARGE as u32 + 1), None);
        assert_eq!(Origin::new(NONE, 0), None);
    }
}
