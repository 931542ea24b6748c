//! Sets of ids, as bits.
//!
//! Ordered and compared by content, so that the results do not depend on the history of a set.

use std::marker::PhantomData;

use crate::collections::Id;

/// A set of ids of one kind.
#[derive(Debug)]
pub struct Set<I> {
    /// The last word is never 0.
    words: Vec<u64>,
    id: PhantomData<I>,
}

impl<I: Id> Set<I> {
    pub fn new() -> Self {
        Self { words: Vec::new(), id: PhantomData }
    }

    pub fn of(member: I) -> Self {
        let mut set = Self::new();
        set.insert(member);
        set
    }

    /// Returns whether it is new.
    pub fn insert(&mut self, member: I) -> bool {
        let (word, bit) = (member.index() / 64, 1 << (member.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    pub fn contains(&self, member: I) -> bool {
        self.words.get(member.index() / 64).is_some_and(|word| word >> (member.index() % 64) & 1 == 1)
    }

    pub fn add_all(&mut self, other: &Self) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    pub fn is_inside(&self, other: &Self) -> bool {
        self.words.len() <= other.words.len()
            && self.words.iter().zip(&other.words).all(|(word, larger)| word & !larger == 0)
    }

    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = I> {
        let bits = |(index, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| I::from_index(64 * index + bit))
        };
        self.words.iter().enumerate().flat_map(bits)
    }

    /// As 64 bits to a word, the lowest ids first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl<I> Clone for Set<I> {
    fn clone(&self) -> Self {
        Self { words: self.words.clone(), id: PhantomData }
    }
}

impl<I: Id> Default for Set<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I> PartialEq for Set<I> {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl<I> Eq for Set<I> {}

impl<I: Id> FromIterator<I> for Set<I> {
    fn from_iter<T: IntoIterator<Item = I>>(members: T) -> Self {
        let mut set = Self::new();
        members.into_iter().for_each(|member| {
            set.insert(member);
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VariableId;

    fn set(members: &[u32]) -> Set<VariableId> {
        members.iter().map(|member| VariableId(*member)).collect()
    }

    #[test]
    fn a_set_is_its_members() {
        let mut a = set(&[3, 70]);
        assert!(a.contains(VariableId(70)) && !a.contains(VariableId(6)) && !a.contains(VariableId(900)));
        assert_eq!(a.iter().map(|id| id.0).collect::<Vec<_>>(), [3, 70]);
        assert!(!a.insert(VariableId(3)) && a.insert(VariableId(4)));
        assert_eq!((a.len(), a), (3, set(&[70, 4, 3])));
    }

    #[test]
    fn sets_of_different_length_compare() {
        let (small, large) = (set(&[1]), set(&[1, 200]));
        assert!(small.is_inside(&large) && !large.is_inside(&small) && small.meets(&large));
        assert!(Set::<VariableId>::new().is_inside(&small) && !set(&[200]).meets(&small));
        let mut union = small.clone();
        union.add_all(&large);
        assert_eq!(union, large);
    }
}
