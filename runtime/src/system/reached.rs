//! Which transitions were taken.

/// A set of transitions, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    words: Vec<u64>,
    n_transitions: usize,
}

impl Reached {
    /// The empty set, for numbers below this one.
    pub fn new(n_transitions: usize) -> Reached {
        Reached { words: vec![0; n_transitions.div_ceil(64)], n_transitions }
    }

    #[inline]
    pub fn add(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// Adds several, as bits by the distance from the first.
    #[inline]
    pub fn add_all(&mut self, first: usize, bits: u64) {
        let (word, shift) = (first / 64, first % 64);
        if let Some(low) = self.words.get_mut(word) {
            *low |= bits << shift;
        }
        if let Some(high) = self.words.get_mut(word + 1) {
            // In two shifts, since one by 64 is not defined.
            *high |= bits >> 1 >> (63 - shift);
        }
    }

    pub fn union(&mut self, other: &Reached) {
        if self.n_transitions < other.n_transitions {
            self.words.resize(other.words.len(), 0);
            self.n_transitions = other.n_transitions;
        }
        for (word, also) in self.words.iter_mut().zip(&other.words) {
            *word |= also;
        }
    }

    /// For each transition whether it is in the set.
    pub fn to_bools(&self) -> Vec<bool> {
        (0..self.n_transitions).map(|number| self.words[number / 64] >> (number % 64) & 1 != 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(reached: &Reached) -> Vec<usize> {
        reached.to_bools().iter().enumerate().filter_map(|(number, &is_in)| is_in.then_some(number)).collect()
    }

    #[test]
    fn bits_are_added_wherever_they_begin() {
        for first in [0, 1, 63, 64, 100, 130] {
            let mut reached = Reached::new(200);
            reached.add_all(first, 1 << 63 | 0b101);
            assert_eq!(numbers(&reached), [first, first + 2, first + 63], "from {first} on");
        }
    }

    #[test]
    fn numbers_outside_are_left_out() {
        let mut reached = Reached::new(70);
        reached.add(69);
        reached.add(1000);
        reached.add_all(60, u64::MAX);
        assert_eq!(numbers(&reached), (60..70).collect::<Vec<_>>());
    }

    #[test]
    fn a_union_has_the_numbers_of_both() {
        let mut reached = Reached::default();
        let mut other = Reached::new(130);
        other.add(129);
        reached.union(&other);
        other.add(3);
        reached.union(&other);
        assert_eq!(numbers(&reached), [3, 129]);
    }
}
