//! From a simple formula to an automaton with marked transitions.
//!
//! A location stands for formulas that must hold from now on. What they ask of
//! this moment and of the next is a boolean function over atoms, "next" and
//! "promise" variables: `a U b` is `b || (a && promise b && next (a U b))`. Each
//! product of that function is a transition, and a transition is in the
//! acceptance set of b unless it promises b once more.
//!
//! Couvreur: On-the-fly verification of linear temporal logic, 1999. Locations
//! with the same function are one location, as there.

use crate::collections::{IdVec, Lookup};

use super::TooLarge;
use super::automaton::{Automaton, Location, LocationId, Marks, Transition};
use super::bdd::{Bdd, Cube, Diagrams};
use super::formula::AtomId;
use super::nnf::{FormulaId, Formulas, NnfNode};

/// Larger claims cannot be searched in practice; a formula of ordinary size needs a dozen.
const MOST_LOCATIONS: usize = 5_000;
const MOST_TRANSITIONS: usize = 100_000;

/// A variable of the functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum BddVariable {
    Atom(AtomId),
    /// The formula must hold at the next moment.
    Next(FormulaId),
    /// The formula must hold eventually and does not (or is not known to) now.
    Promise(FormulaId),
}

struct Translator<'a> {
    formulas: &'a Formulas,
    functions: Diagrams,
    /// In the order in which they occur, so that variables which the formula uses together are neighbours: that keeps
    /// diagrams small.
    variables: Vec<BddVariable>,
    numbers: Lookup<BddVariable, u32>,
    expansions: Lookup<FormulaId, Bdd>,
    /// Number of the acceptance set of each promise.
    n_promises: u32,
    sets: Lookup<FormulaId, u32>,
}

/// A transition before its target has a number.
struct ProtoTransition {
    cube: Cube,
    promised: Marks,
    next: Vec<FormulaId>,
}

/// The automaton of a formula, with nothing removed or merged yet.
pub fn translate(formulas: &Formulas, formula: FormulaId) -> Result<Automaton, TooLarge> {
    let mut translator = Translator {
        formulas,
        functions: Diagrams::new(),
        variables: Vec::new(),
        numbers: Lookup::new(),
        expansions: Lookup::new(),
        n_promises: 0,
        sets: Lookup::new(),
    };
    translator.run(formula)
}

impl Translator<'_> {
    fn run(&mut self, formula: FormulaId) -> Result<Automaton, TooLarge> {
        let mut guards = Diagrams::new();
        let mut locations: IdVec<LocationId, Location> = IdVec::new();
        let mut numbers: Lookup<Bdd, LocationId> = Lookup::new();
        let mut n_transitions = 0;

        let initial = self.function(&[formula])?;
        let mut functions = vec![initial];
        numbers.insert(initial, LocationId(0));
        while let Some(function) = functions.get(locations.len()).copied() {
            let mut transitions = Vec::new();
            for ProtoTransition { cube, promised, next } in self.moves(function)? {
                let next = self.function(&next)?;
                if next == Bdd::FALSE {
                    continue;
                }
                let count = u32::try_from(functions.len()).expect("locations are few");
                let to = *numbers.or_insert_with(next, || {
                    functions.push(next);
                    LocationId(count)
                });
                // While promises are still being collected, a mark is a promise made.
                transitions.push(Transition { guard: guards.cube(&cube), marks: promised, to });
            }
            n_transitions += transitions.len();
            locations.push(Location { transitions });
            if functions.len() > MOST_LOCATIONS || n_transitions > MOST_TRANSITIONS {
                return Err(TooLarge::Automaton { n_locations: functions.len(), n_transitions });
            }
        }

        let n_sets = self.n_promises;
        for location in locations.iter_mut() {
            for transition in &mut location.transitions {
                transition.marks = Marks::all(n_sets).without(transition.marks);
            }
        }
        let mut automaton = Automaton { guards, n_sets, initial: LocationId(0), locations };
        automaton.merge_transitions();
        Ok(automaton)
    }

    /// The conjunction of all the formulas.
    fn function(&mut self, formulas: &[FormulaId]) -> Result<Bdd, TooLarge> {
        let mut all = Bdd::TRUE;
        for formula in formulas {
            let one = self.expand(*formula);
            all = self.functions.and(all, one);
        }
        self.check_room()?;
        Ok(all)
    }

    fn moves(&mut self, function: Bdd) -> Result<Vec<ProtoTransition>, TooLarge> {
        let cubes = self.functions.cubes(function);
        self.check_room()?;
        Ok(cubes.iter().map(|cube| self.to_move(cube)).collect())
    }

    fn check_room(&self) -> Result<(), TooLarge> {
        if self.functions.is_exhausted() {
            Err(TooLarge::Guards)
        } else if self.n_promises > Marks::MOST {
            Err(TooLarge::AcceptanceSets)
        } else {
            Ok(())
        }
    }

    fn to_move(&self, product: &Cube) -> ProtoTransition {
        let mut made = ProtoTransition { cube: Cube::new(), promised: Marks::NONE, next: Vec::new() };
        for (variable, positive) in product {
            match self.variables[*variable as usize] {
                BddVariable::Atom(atom) => made.cube.push((atom.0, *positive)),
                BddVariable::Next(formula) => made.next.push(formula),
                BddVariable::Promise(formula) => {
                    let set = self.sets.get(&formula).expect("a promise has its set since it was first made");
                    made.promised = made.promised.with(*set);
                }
            }
        }
        made.cube.sort_unstable();
        made
    }

    fn expand(&mut self, formula: FormulaId) -> Bdd {
        if let Some(known) = self.expansions.get(&formula) {
            return *known;
        }
        let expansion = match self.formulas.node(formula) {
            NnfNode::False => Bdd::FALSE,
            NnfNode::True => Bdd::TRUE,
            NnfNode::Literal { atom, positive } => {
                let function = self.variable(BddVariable::Atom(*atom));
                if *positive { function } else { self.functions.not(function) }
            }
            // The last variables first: then each step adds to the top of the diagram.
            NnfNode::And(operands) => {
                let operands: Vec<Bdd> = operands.iter().map(|operand| self.expand(*operand)).collect();
                operands.into_iter().rev().fold(Bdd::TRUE, |all, operand| self.functions.and(operand, all))
            }
            NnfNode::Or(operands) => {
                let operands: Vec<Bdd> = operands.iter().map(|operand| self.expand(*operand)).collect();
                operands.into_iter().rev().fold(Bdd::FALSE, |any, operand| self.functions.or(operand, any))
            }
            NnfNode::Next(a) => self.formulas.conjuncts(*a).into_iter().fold(Bdd::TRUE, |all, operand| {
                let operand = self.variable(BddVariable::Next(operand));
                self.functions.and(all, operand)
            }),
            NnfNode::Until(a, b) => {
                let again = self.variable(BddVariable::Next(formula));
                self.expand_until(*a, *b, again)
            }
            NnfNode::Release(Formulas::FALSE, invariant) => {
                let again = self.variable(BddVariable::Next(formula));
                self.formulas.conjuncts(*invariant).into_iter().fold(again, |all, operand| {
                    let operand = self.expand_recurring(operand);
                    self.functions.and(all, operand)
                })
            }
            NnfNode::Release(a, b) => {
                let (a, b) = (self.expand(*a), self.expand(*b));
                let again = self.variable(BddVariable::Next(formula));
                let released = self.functions.or(a, again);
                self.functions.and(b, released)
            }
        };
        self.expansions.insert(formula, expansion);
        expansion
    }

    /// Under `[]` an `a U b` need not be required again at the next moment, as the `[]` does that: the promise is
    /// enough.
    fn expand_recurring(&mut self, formula: FormulaId) -> Bdd {
        match self.formulas.node(formula) {
            NnfNode::Until(a, b) => self.expand_until(*a, *b, Bdd::TRUE),
            _ => self.expand(formula),
        }
    }

    fn expand_until(&mut self, a: FormulaId, b: FormulaId, again: Bdd) -> Bdd {
        let promise = self.variable(BddVariable::Promise(b));
        let (waiting, done) = (self.expand(a), self.expand(b));
        let waiting = self.functions.and(waiting, promise);
        let waiting = self.functions.and(waiting, again);
        self.functions.or(done, waiting)
    }

    fn variable(&mut self, variable: BddVariable) -> Bdd {
        let number = match self.numbers.get(&variable) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.variables.len()).expect("there are few variables for each formula");
                self.variables.push(variable);
                self.numbers.insert(variable, number);
                if let BddVariable::Promise(formula) = variable {
                    self.sets.insert(formula, self.n_promises);
                    self.n_promises += 1;
                }
                number
            }
        };
        self.functions.variable(number)
    }
}
