//! Which exchanges leave the automaton of a formula as it is.
//!
//! A state of the product is a state of the model and a location of the automaton, and a permutation of members keeps the
//! location. So each location must have the same edges if members are exchanged in its guards. A formula whose text is
//! the same need not have such an automaton: for `<> [] !a[0] || <> [] !a[1]` it decides which of the two to watch, and
//! the locations behind that are exchanged, too.

use crate::ir::formula::{AtomId, Automaton, Guard};
use crate::model::Expr;

/// An exchange of two members.
pub struct Exchanged<'a> {
    /// The normal form of a condition.
    pub plain: &'a dyn Fn(&Expr) -> String,
    /// The same with the two exchanged.
    pub swapped: &'a dyn Fn(&Expr) -> String,
    /// Whether a condition has a value in every state.
    pub is_total: &'a dyn Fn(&Expr) -> bool,
}

/// Guards over more conditions are not compared.
const MOST_ATOMS: usize = 12;

impl Exchanged<'_> {
    /// Whether every location has the same edges afterwards.
    pub fn leaves(&self, automaton: &Automaton) -> bool {
        let texts: Vec<String> = automaton.atoms.iter().map(self.plain).collect();
        let places = automaton.atoms.iter().map(|atom| {
            let text = (self.swapped)(atom);
            texts.iter().position(|other| *other == text)
        });
        let Some(images) = places.collect::<Option<Vec<usize>>>() else { return false };
        if images.iter().enumerate().all(|(atom, image)| atom == *image) {
            return true;
        }
        // A condition without a value is a fault, and then the order counts in which conditions are asked.
        if automaton.atoms.len() > MOST_ATOMS || !automaton.atoms.iter().all(self.is_total) {
            return false;
        }
        automaton.locations.iter().all(|stage| {
            let edges = |is_exchanged: bool| {
                let value = |values: usize, atom: AtomId| {
                    let atom = atom.0 as usize;
                    values >> if is_exchanged { images[atom] } else { atom } & 1 == 1
                };
                let table = |guard: Guard| -> Vec<bool> {
                    (0..1_usize << automaton.atoms.len())
                        .map(|values| holds(automaton, guard, &|atom| value(values, atom)))
                        .collect()
                };
                let mut edges: Vec<(Vec<bool>, u32)> =
                    stage.edges.iter().map(|edge| (table(edge.guard), edge.to.0)).collect();
                edges.sort();
                edges
            };
            edges(false) == edges(true)
        })
    }
}

fn holds(automaton: &Automaton, mut guard: Guard, value: &dyn Fn(AtomId) -> bool) -> bool {
    loop {
        match guard {
            Guard::Always => return true,
            Guard::Never => return false,
            Guard::Ask(question) => {
                let question = automaton.questions[question];
                guard = if value(question.atom) { question.yes } else { question.no };
            }
        }
    }
}
