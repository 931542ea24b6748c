//! Makes a path of representatives a run of the model.
//!
//! A product with a system up to symmetry has representatives for states. Each exchange of members keeps the location of the
//! observer, so from any state of an orbit the same moves of the observer and some step of the system lead to a state of
//! the next orbit. A cycle of representatives closes in the model after a few rounds: each round leads from a state of an
//! orbit to one of the same orbit, and there are finitely many.

use super::ProductState;
use super::product::Product;
use super::rebuild::{moves_to_similar, moves_to_stored};
use crate::pack::Packed;
use crate::step::ClaimLocation;
use crate::symmetry::Representatives;
use crate::trail::Move;
use crate::verdict::Found;

pub(crate) struct RealRun<'r, 's, P: Packed> {
    product: &'r mut Product<'s, P>,
    /// Canonical, whatever the search has used.
    exact: Representatives<'s>,
    /// The state behind the moves.
    here: ProductState<P>,
    pub moves: Vec<Move>,
}

impl<'r, 's, P: Packed> RealRun<'r, 's, P> {
    /// From the initial state. `None` if the states of the product are no representatives.
    pub fn new(product: &'r mut Product<'s, P>) -> Option<RealRun<'r, 's, P>> {
        let exact = product.representatives()?;
        let mut here = ProductState::default();
        here.hidden = product.real_initial(&mut here.state.packed).ok()?;
        Some(RealRun { product, exact, here, moves: Vec::new() })
    }

    /// Goes on to the orbit of a state, and to one of `wished` if one step leads there.
    pub fn go_to(&mut self, target: &ProductState<P>, wished: &[ProductState<P>]) {
        let orbit = self.orbit(&words(&target.state.packed));
        let wished = wished.iter().filter(|state| state.state.key == target.state.key);
        let exactly: Vec<Vec<u64>> = wished.map(|state| words(&state.state.packed)).collect();
        let found = self.steps_to(target, |_, there| exactly.iter().any(|state| state == there));
        let found = found.or_else(|| self.steps_to(target, |exact, there| represented(exact, there) == orbit));
        let Some((moves, there)) = found else { return };
        self.moves.extend(moves);
        self.here.state.key = target.state.key;
        self.here.state.packed.set_words(there.len(), |index| there[index]);
    }

    /// Goes round a cycle of orbits until a state recurs. Returns the number of moves before it.
    pub fn go_round(&mut self, cycle: &[ProductState<P>]) -> usize {
        let mut heads: Vec<ProductState<P>> = Vec::new();
        let mut starts = Vec::new();
        loop {
            let is_here = |head: &ProductState<P>| head.state == self.here.state;
            if let Some(round) = heads.iter().position(is_here) {
                return starts[round];
            }
            heads.push(self.here.clone());
            starts.push(self.moves.len());
            for (number, target) in cycle.iter().enumerate() {
                let wished = if number + 1 == cycle.len() { &heads[..] } else { &[] };
                self.go_to(target, wished);
            }
        }
    }

    /// Goes on to a violation in a step out of the state, or to one of the same kind.
    pub fn end_with(&mut self, found: Found) {
        let exactly = self.product.moves_to(&self.here, found);
        let moves = if exactly.is_empty() {
            self.product.behind_observer(&self.here, None, &mut |state| moves_to_similar(state, found))
        } else {
            Some(exactly)
        };
        self.moves.extend(moves.unwrap_or_default());
    }

    fn steps_to(
        &mut self,
        target: &ProductState<P>,
        mut is_there: impl FnMut(&mut Representatives<'s>, &[u64]) -> bool,
    ) -> Option<(Vec<Move>, Vec<u64>)> {
        let to = ClaimLocation(target.state.key);
        let exact = &mut self.exact;
        let mut there = Vec::new();
        let moves = self.product.behind_observer(&self.here, Some(to), &mut |state| {
            let (moves, words) = moves_to_stored(state, &mut |words| is_there(exact, words))?;
            there = words;
            Some(moves)
        })?;
        Some((moves, there))
    }

    fn orbit(&mut self, words: &[u64]) -> Vec<u64> {
        represented(&mut self.exact, words)
    }
}

fn words<P: Packed>(packed: &P) -> Vec<u64> {
    (0..packed.n_words()).map(|index| packed.word(index)).collect()
}

fn represented(exact: &mut Representatives<'_>, words: &[u64]) -> Vec<u64> {
    let mut words = words.to_vec();
    exact.represent(&mut words);
    words
}
