//! Stutter robustness: whether an automaton tolerates repeated states one by one.
//!
//! In place of a run that violates the formula, a reduced search follows a run on
//! which states are repeated at other places. A stutter-closed formula is not
//! enough if the ample set depends on the location of the automaton: each
//! repetition may then send the automaton to other locations, again and again, so
//! that it never accepts (Siegel: What's wrong with on-the-fly partial order
//! reduction, 2019). It is enough if a repetition changes the run of the automaton
//! only near the repetition. Let v be the letter that is repeated, and let a
//! location be as good as another one of the same component if it has at least the
//! transitions of the other:
//!
//! - for each p -v-> p' there is p -v-> r -v-> r', where r' is as good as p', and
//!   r or r' accepts if p' does: the automaton can wait;
//! - for each p -v-> p1 -v-> p2 there is p -v-> r, where r is as good as p2 and
//!   accepts if p2 does, and p or r accepts if p1 does: it can hurry.
//!
//! Acceptance does not matter where the first and the last location are in
//! different components: a run leaves only finitely many components. So when the
//! reduction moves a step to the front, neither the last component of the run nor,
//! inside it, the next accepting location moves away, and each step of the search
//! comes nearer to both.

use super::automaton::{Automaton, LocationId};
use super::bdd::{Bdd, Diagrams};
use super::scc::Components;

/// Larger automata count as not robust: the test takes time cubic in the locations.
const MOST_LOCATIONS: usize = 48;

/// Whether an automaton whose locations accept can wait and hurry. A "no" may be wrong.
pub fn is_stutter_robust(automaton: &Automaton) -> bool {
    if automaton.locations.len() > MOST_LOCATIONS {
        return false;
    }
    let mut test = RobustnessTest::new(automaton);
    let n = test.accepts.len();
    let is_stutter_robust = (0..n).all(|from| (0..n).all(|to| test.can_wait(from, to) && test.can_hurry(from, to)));
    is_stutter_robust && !test.guards.is_exhausted()
}

struct RobustnessTest {
    guards: Diagrams,
    /// From which location to which, under which condition.
    leads: Vec<Vec<Bdd>>,
    accepts: Vec<bool>,
    /// Whether the first of two locations is as good as the second.
    is_as_good: Vec<Vec<bool>>,
    components: Vec<usize>,
}

impl RobustnessTest {
    fn new(automaton: &Automaton) -> Self {
        let mut guards = automaton.guards.clone();
        let n = automaton.locations.len();
        let mut leads = vec![vec![Bdd::FALSE; n]; n];
        for (from, location) in automaton.locations.iter_enumerated() {
            for transition in &location.transitions {
                let guard = &mut leads[from.0 as usize][transition.to.0 as usize];
                *guard = guards.or(*guard, transition.guard);
            }
        }
        let accepts = automaton.locations.ids().map(|at: LocationId| automaton.is_accepting(at)).collect();
        let mut includes = |all: &[Bdd], some: &[Bdd]| {
            all.iter().zip(some).all(|(all, some)| guards.and_not(*some, *all) == Bdd::FALSE)
        };
        let all = Components::of(automaton);
        let components: Vec<usize> = automaton.locations.ids().map(|at: LocationId| all.number(at)).collect();
        let mut is_as_good = vec![vec![false; n]; n];
        for (one, other) in (0..n).flat_map(|one| (0..n).map(move |other| (one, other))) {
            is_as_good[one][other] = components[one] == components[other] && includes(&leads[one], &leads[other]);
        }
        Self { guards, leads, accepts, is_as_good, components }
    }

    /// Whether a location accepts and a run that leads from one to the other may come back to it.
    fn counts(&self, location: usize, from: usize, to: usize) -> bool {
        self.accepts[location] && self.components[from] == self.components[to]
    }

    /// Wherever `from` leads to `to`, it also does so with the letter twice.
    fn can_wait(&mut self, from: usize, to: usize) -> bool {
        let mut open = self.leads[from][to];
        for first in 0..self.accepts.len() {
            for second in 0..self.accepts.len() {
                if open == Bdd::FALSE {
                    return true;
                }
                let accepts = self.accepts[first] || self.accepts[second];
                if self.is_as_good[second][to] && (accepts || !self.counts(to, from, to)) {
                    let both = self.guards.and(self.leads[from][first], self.leads[first][second]);
                    open = self.guards.and_not(open, both);
                }
            }
        }
        open == Bdd::FALSE
    }

    /// Wherever `from` leads through `middle` with the letter twice, once is enough.
    fn can_hurry(&mut self, from: usize, middle: usize) -> bool {
        let n = self.accepts.len();
        (0..n).all(|to| {
            let mut open = self.guards.and(self.leads[from][middle], self.leads[middle][to]);
            for other in 0..n {
                let keeps_middle = !self.counts(middle, from, to) || self.accepts[from] || self.accepts[other];
                let keeps_end = !self.counts(to, from, to) || self.accepts[other];
                if open != Bdd::FALSE && self.is_as_good[other][to] && keeps_middle && keeps_end {
                    open = self.guards.and_not(open, self.leads[from][other]);
                }
            }
            open == Bdd::FALSE
        })
    }
}
