//! From a formula of linear temporal logic to an automaton.
//!
//! formula -> [`normalize`] (with [`rewrite`]) -> [`translate`] -> [`simplify`] -> [`degeneralize`] -> [`print`]
//!
//! The formulas of a model are translated by [`refute`](refute()), which translates the negation of each. Atoms stay
//! opaque, and nothing here knows how an automaton is searched. The result has its marks on transitions
//! ([`Claim::generalized`], for a search by components) or on locations ([`Claim::buchi`], for a nested search and for
//! never claims); both accept exactly the words that satisfy the formula.
//! The README in this folder works an example by hand.

pub mod automaton;
pub mod bdd;
mod degeneralize;
pub mod formula;
mod implies;
mod nnf;
mod normalize;
pub mod print;
pub mod propositions;
mod refute;
mod rewrite;
mod scc;
mod simplify;
mod simulate;
mod stutter_robust;
mod suspend;
mod translate;

use automaton::Automaton;
use formula::Formula;
use nnf::{FormulaId, Formulas};
pub use refute::{Refutation, refute};

/// The automata of one formula.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Acceptance by marks on transitions, any number of sets.
    pub generalized: Automaton,
    /// Acceptance by locations, one set.
    pub buchi: Automaton,
    /// The formula is stutter-closed. True if it has no `X`, or none that matters (`X [] <> p`); any other formula with
    /// an `X` counts as not stutter-closed.
    pub is_stutter_closed: bool,
    /// A repeated state changes the run of `buchi` only near the repetition ([`stutter_robust`]).
    pub is_stutter_robust: bool,
}

/// Why a formula has no automaton here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    #[error(
        "its automaton is too large: {n_locations} states and {n_transitions} transitions, and there would be more"
    )]
    Automaton { n_locations: usize, n_transitions: usize },
    #[error("its conditions are too large to be combined")]
    Guards,
    #[error("it waits for more than {} different things", automaton::Marks::MOST)]
    AcceptanceSets,
}

/// The automata that accept the words which satisfy the formula.
pub fn translate(formula: &Formula) -> Result<Claim, TooLarge> {
    let mut formulas = Formulas::new();
    let simple = formulas.normalize(formula);
    let whole = Translated::of(generalize(&formulas, simple));
    let parts = suspend::split(&mut formulas, simple).map(|(suspendable, rest)| {
        let (suspendable, rest) = (generalize(&formulas, suspendable)?, generalize(&formulas, rest)?);
        let mut both = suspend::conjoin(&suspendable, &rest).ok_or(TooLarge::AcceptanceSets)?;
        simplify::simplify(&mut both);
        Ok(both)
    });
    let Translated { mut generalized, mut buchi } = match parts.map(Translated::of) {
        None => whole?,
        Some(parts) => smaller(whole, parts)?,
    };
    generalized.compact();
    buchi.compact();
    let is_stutter_robust = stutter_robust::is_stutter_robust(&buchi);
    Ok(Claim { generalized, buchi, is_stutter_closed: !formulas.has_next(simple), is_stutter_robust })
}

fn generalize(formulas: &Formulas, formula: FormulaId) -> Result<Automaton, TooLarge> {
    let mut automaton = translate::translate(formulas, formula)?;
    simplify::simplify(&mut automaton);
    Ok(automaton)
}

/// The automata of one formula, as one method of translation gives them.
struct Translated {
    generalized: Automaton,
    buchi: Automaton,
}

impl Translated {
    fn of(generalized: Result<Automaton, TooLarge>) -> Result<Self, TooLarge> {
        let generalized = generalized?;
        let buchi = degeneralize::degeneralize(&generalized);
        if generalized.guards.is_exhausted() || buchi.guards.is_exhausted() {
            return Err(TooLarge::Guards);
        }
        Ok(Self { generalized, buchi })
    }

    fn size(&self) -> (usize, usize) {
        (self.buchi.locations.len(), self.buchi.n_transitions())
    }
}

/// The smaller of the two; the first if they have the same size.
fn smaller(a: Result<Translated, TooLarge>, b: Result<Translated, TooLarge>) -> Result<Translated, TooLarge> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(if b.size() < a.size() { b } else { a }),
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok(one),
        (Err(error), Err(_)) => Err(error),
    }
}
