//! The formulas of a model, each as the automaton of the runs that violate it.

use super::formula::AtomId;
use super::propositions::Propositions;
use super::{Claim, TooLarge, translate};
use crate::collections::IdVec;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Expr, Model, codes};

/// The automaton of the runs that violate one formula.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The expression of each atom, in the order in which the formula names them.
    pub atoms: IdVec<AtomId, Expr>,
    /// Accepts the runs on which the formula does not hold.
    pub claim: Claim,
}

/// Verifiers count locations and transitions of a claim in 16 bits.
const MOST: usize = u16::MAX as usize;

/// The refutations of a model's formulas, in the order of the text. A formula that is too large is reported.
pub fn refute(model: &Model, diagnostics: &mut Diagnostics) -> Vec<Refutation> {
    let mut refutations = Vec::with_capacity(model.formulas.len());
    for ltl in &model.formulas {
        let Propositions { formula, atoms } = Propositions::of(&ltl.formula);
        match translate(&formula.negated()).and_then(countable) {
            Ok(claim) => refutations.push(Refutation { atoms, claim }),
            Err(too_large) => {
                let message = format!("this formula cannot be translated: {too_large}");
                let help = "split it: each operand of an outermost `&&` can be a formula of its own";
                diagnostics.add(Diagnostic::error(codes::LIMIT, ltl.span, message).help(help));
            }
        }
    }
    refutations
}

fn countable(claim: Claim) -> Result<Claim, TooLarge> {
    let (n_locations, n_transitions) = (claim.buchi.locations.len(), claim.buchi.n_transitions());
    if n_locations > MOST || n_transitions > MOST {
        return Err(TooLarge::Automaton { n_locations, n_transitions });
    }
    Ok(claim)
}
