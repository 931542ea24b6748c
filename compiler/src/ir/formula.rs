//! The automaton of the runs that violate a formula, in the form from which code is generated.
//!
//! A guard is a decision diagram over atoms: each value leads to another test or to the end. An atom is tested only if
//! the values before it leave the guard undecided, so `i < 3 && a[i] == 0` never reads beyond the array.

use crate::collections::{IdVec, Lookup};
use crate::ids;
use crate::ltl::Refutation;
use crate::ltl::automaton;
use crate::ltl::bdd::Bdd;
pub use crate::ltl::formula::AtomId;
use crate::model::Expr;

ids! {
    /// A location of one formula's automaton.
    FormulaLocationId;
    QuestionId;
}

/// The runs that violate a formula; the first location is the initial one.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The expression of each atom, in the order in which the formula names them.
    pub atoms: IdVec<AtomId, Expr>,
    /// Tests that another test leads to come before it.
    pub questions: IdVec<QuestionId, Question>,
    pub locations: IdVec<FormulaLocationId, FormulaLocation>,
    /// The formula is stutter-closed.
    pub is_stutter_closed: bool,
    /// The automaton is stutter-robust.
    pub is_stutter_robust: bool,
}

/// A location of the automaton.
#[derive(Clone, Debug)]
pub struct FormulaLocation {
    /// A run that visits it infinitely often violates the formula.
    pub is_accepting: bool,
    /// A run that reaches it violates the formula, whatever follows.
    pub is_end: bool,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub guard: Guard,
    pub to: FormulaLocationId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Always,
    Never,
    Ask(QuestionId),
}

#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub atom: AtomId,
    pub yes: Guard,
    pub no: Guard,
}

impl Automaton {
    pub(super) fn new(refutation: Refutation) -> Self {
        let Refutation { atoms, claim } = refutation;
        let buchi = &claim.buchi;
        // The initial location is the first.
        let number = |location: automaton::LocationId| match location {
            at if at == buchi.initial => FormulaLocationId(0),
            at if at.0 < buchi.initial.0 => FormulaLocationId(at.0 + 1),
            at => FormulaLocationId(at.0),
        };
        let mut order: Vec<automaton::LocationId> = buchi.locations.ids().collect();
        order.sort_by_key(|location| number(*location));
        let mut questions = Questions { of: buchi, questions: IdVec::new(), known: Lookup::new() };
        let locations = order.into_iter().map(|at| {
            let transitions = &buchi.locations[at].transitions;
            let edges = transitions.iter().map(|t| Edge { guard: questions.guard(t.guard), to: number(t.to) });
            FormulaLocation {
                edges: edges.collect(),
                is_accepting: !transitions.is_empty() && buchi.is_accepting(at),
                is_end: buchi.accepts_all(at),
            }
        });
        let mut locations: IdVec<FormulaLocationId, FormulaLocation> = locations.collect();
        put_accepting_first(&mut locations);
        let questions = questions.questions;
        Self {
            atoms,
            questions,
            locations,
            is_stutter_closed: claim.is_stutter_closed,
            is_stutter_robust: claim.is_stutter_robust,
        }
    }
}

/// Sorts the edges of each location: those first that lead nearest to acceptance, and of equal ones those that leave the
/// location. A depth-first search of the product takes them in this order, and so meets a cycle that accepts before it
/// has visited everything that the automaton can wait for.
fn put_accepting_first(locations: &mut IdVec<FormulaLocationId, FormulaLocation>) {
    let is_goal = |location: &FormulaLocation| location.is_accepting || location.is_end;
    let mut distances: IdVec<FormulaLocationId, usize> =
        locations.iter().map(|location| if is_goal(location) { 0 } else { usize::MAX }).collect();
    let mut changes = true;
    while changes {
        changes = false;
        for (id, location) in locations.iter_enumerated() {
            let nearest = location.edges.iter().map(|edge| distances[edge.to].saturating_add(1)).min();
            if let Some(nearest) = nearest.filter(|nearest| *nearest < distances[id]) {
                distances[id] = nearest;
                changes = true;
            }
        }
    }
    for id in locations.ids() {
        locations[id].edges.sort_by_key(|edge| (distances[edge.to], edge.to == id));
    }
}

impl Automaton {
    /// Whether only finite runs violate the formula: every run that does reaches a location from which all runs do. What
    /// accepts nothing is not in the automaton.
    pub fn is_safety(&self) -> bool {
        self.locations.iter().all(|location| location.is_end || !location.is_accepting)
    }
}

/// Longer conditions are cut, since they are not readable.
const LONGEST_TEXT: usize = 90;

impl Automaton {
    /// A guard in the author's words, cut where it gets long.
    pub fn text(&self, guard: Guard, atom: &dyn Fn(AtomId) -> String) -> String {
        let mut text = String::new();
        self.write_guard(guard, atom, &mut text, false);
        match text.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => format!("{} ...", text[..end].trim_end()),
            None => text,
        }
    }

    fn write_guard(&self, guard: Guard, atom: &dyn Fn(AtomId) -> String, text: &mut String, is_part: bool) {
        if text.len() > LONGEST_TEXT {
            return;
        }
        let Question { atom: asked, yes, no } = match guard {
            Guard::Always => return text.push_str("true"),
            Guard::Never => return text.push_str("false"),
            Guard::Ask(id) => self.questions[id],
        };
        let name = atom(asked);
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_alone = !is_part && (yes, no) == (Guard::Always, Guard::Never);
        let name = if is_word || is_alone { name } else { format!("({name})") };
        let (sign, operator, rest) = match (yes, no) {
            (Guard::Always, Guard::Never) => return text.push_str(&name),
            (Guard::Never, Guard::Always) => return text.extend(["!", &name]),
            (yes, Guard::Never) => ("", " && ", [Some(yes), None]),
            (Guard::Never, no) => ("!", " && ", [Some(no), None]),
            (Guard::Always, no) => ("", " || ", [Some(no), None]),
            (yes, Guard::Always) => ("!", " || ", [Some(yes), None]),
            (yes, no) => ("", " -> ", [Some(yes), Some(no)]),
        };
        let (open, close) = if is_part { ("(", ")") } else { ("", "") };
        text.extend([open, sign, &name]);
        for (rest, operator) in rest.into_iter().flatten().zip([operator, " : "]) {
            text.push_str(operator);
            self.write_guard(rest, atom, text, true);
        }
        text.push_str(close);
    }
}

/// The tests so far, each only once.
struct Questions<'a> {
    of: &'a automaton::Automaton,
    questions: IdVec<QuestionId, Question>,
    known: Lookup<Bdd, QuestionId>,
}

impl Questions<'_> {
    /// Guards are at most as deep as there are atoms.
    fn guard(&mut self, guard: Bdd) -> Guard {
        if let Some(known) = self.known.get(&guard) {
            return Guard::Ask(*known);
        }
        match self.of.question(guard) {
            None if guard == Bdd::TRUE => Guard::Always,
            None => Guard::Never,
            Some((atom, no, yes)) => {
                let (no, yes) = (self.guard(no), self.guard(yes));
                let question = self.questions.push(Question { atom, yes, no });
                self.known.insert(guard, question);
                Guard::Ask(question)
            }
        }
    }
}
