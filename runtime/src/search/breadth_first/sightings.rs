//! Violations as a worker finds them: where, and how often.
//!
//! The run to a state leads through the queues of all threads, so it can be rebuilt only when one thread owns all of
//! them. Until then there is one entry for all violations with the same message.

use super::expansion_order::ExpansionId;
use crate::search::control::same_violation;
use crate::sorting::sort_by_key;
use crate::verdict::Found;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sighting {
    pub found: Found,
    /// The distance from the initial state at which it was found first, and the expansion that found it.
    pub depth: u64,
    pub at: ExpansionId,
    pub occurrences: u64,
}

#[derive(Default)]
pub(super) struct Sightings(Vec<Sighting>);

impl Sightings {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn note(&mut self, sighting: Sighting) {
        match self.0.iter_mut().find(|known| same_violation(known.found, sighting.found)) {
            None => self.0.push(sighting),
            Some(known) => {
                let occurrences = known.occurrences + sighting.occurrences;
                if (sighting.depth, sighting.at) < (known.depth, known.at) {
                    *known = sighting;
                }
                known.occurrences = occurrences;
            }
        }
    }

    pub fn note_all(&mut self, others: Sightings) {
        others.0.into_iter().for_each(|sighting| self.note(sighting));
    }

    /// Removes all entries, the nearest first. If one error is enough, returns only that one, with one occurrence.
    pub fn take(&mut self, all_errors: bool) -> Vec<Sighting> {
        let mut list = std::mem::take(&mut self.0);
        sort_by_key(&mut list, |sighting| (sighting.depth, sighting.at));
        if !all_errors && let Some(first) = list.first_mut() {
            first.occurrences = 1;
            list.truncate(1);
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::TransitionId;
    use crate::verdict::ViolationKind;

    fn sighting(transition: u32, depth: u64, number: u64) -> Sighting {
        let found = Found::at(ViolationKind::Assertion, TransitionId(transition));
        Sighting { found, depth, at: ExpansionId { number, thread: 0 }, occurrences: 1 }
    }

    #[test]
    fn the_nearest_of_those_that_read_alike_is_kept() {
        let mut one = Sightings::default();
        let mut other = Sightings::default();
        one.note(sighting(1, 5, 9));
        one.note(sighting(1, 6, 10));
        one.note(sighting(2, 4, 3));
        other.note(sighting(1, 5, 2));
        one.note_all(other);
        let list = one.take(true);
        assert_eq!(list, [sighting(2, 4, 3), Sighting { occurrences: 3, ..sighting(1, 5, 2) }]);
        assert!(one.is_empty());
    }
}
