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
use super::nnf::{FormulaId, Formulas, Node};

/// Nobody searches with a claim of this size; a formula of ordinary size needs a dozen.
const MOST_LOCATIONS: usize = 10_000;
const MOST_TRANSITIONS: usize = 200_000;

/// A variable of a function that is not an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Extra {
    /// The formula must hold at the next moment.
    Next(FormulaId),
    /// The formula must hold some day and does not (or is not known to) now.
    Promise(FormulaId),
}

struct Translator<'a> {
    formulas: &'a Formulas,
    functions: Diagrams,
    n_atoms: u32,
    /// The variables behind the atoms, in the order of their making.
    extras: Vec<Extra>,
    variables: Lookup<Extra, u32>,
    expansions: Lookup<FormulaId, Bdd>,
    /// Number of the acceptance set of each promise.
    n_promises: u32,
    sets: Lookup<FormulaId, u32>,
}

/// A transition before its target has a number.
struct Move {
    cube: Cube,
    promised: Marks,
    next: Vec<FormulaId>,
}

/// The automaton of a formula, with nothing removed or merged yet.
pub fn translate(formulas: &Formulas, formula: FormulaId, n_atoms: u32) -> Result<Automaton, TooLarge> {
    let mut translator = Translator {
        formulas,
        functions: Diagrams::new(),
        n_atoms,
        extras: Vec::new(),
        variables: Lookup::new(),
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
            for Move { cube, promised, next } in self.moves(function)? {
                let next = self.function(&next)?;
                if next == Bdd::FALSE {
                    continue;
                }
                let count = u32::try_from(functions.len()).expect("locations are few");
                let to = *numbers.or_insert_with(next, || {
                    functions.push(next);
                    LocationId(count)
                });
                // While the set of promises grows, a mark is a promise made.
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

    /// What all the formulas together ask for.
    fn function(&mut self, formulas: &[FormulaId]) -> Result<Bdd, TooLarge> {
        let mut all = Bdd::TRUE;
        for formula in formulas {
            let one = self.expand(*formula);
            all = self.functions.and(all, one);
        }
        self.check_room()?;
        Ok(all)
    }

    fn moves(&mut self, function: Bdd) -> Result<Vec<Move>, TooLarge> {
        let cubes = self.functions.cubes(function);
        self.check_room()?;
        Ok(cubes.into_iter().map(|cube| self.to_move(cube)).collect())
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

    fn to_move(&self, mut cube: Cube) -> Move {
        let extras = cube.split_off(cube.partition_point(|(variable, _)| *variable < self.n_atoms));
        let mut made = Move { cube, promised: Marks::NONE, next: Vec::new() };
        for (variable, _) in extras {
            match self.extras[(variable - self.n_atoms) as usize] {
                Extra::Next(formula) => made.next.push(formula),
                Extra::Promise(formula) => {
                    let set = self.sets.get(&formula).expect("a promise has its set since it was first made");
                    made.promised = made.promised.with(*set);
                }
            }
        }
        made
    }

    fn expand(&mut self, formula: FormulaId) -> Bdd {
        if let Some(known) = self.expansions.get(&formula) {
            return *known;
        }
        let expansion = match self.formulas.node(formula) {
            Node::False => Bdd::FALSE,
            Node::True => Bdd::TRUE,
            Node::Literal { atom, positive } => self.functions.cube(&[(atom.0, *positive)]),
            Node::And(operands) => operands.iter().fold(Bdd::TRUE, |all, operand| {
                let operand = self.expand(*operand);
                self.functions.and(all, operand)
            }),
            Node::Or(operands) => operands.iter().fold(Bdd::FALSE, |any, operand| {
                let operand = self.expand(*operand);
                self.functions.or(any, operand)
            }),
            Node::Next(a) => self.formulas.conjuncts(*a).into_iter().fold(Bdd::TRUE, |all, operand| {
                let operand = self.extra(Extra::Next(operand));
                self.functions.and(all, operand)
            }),
            Node::Until(a, b) => {
                let again = self.extra(Extra::Next(formula));
                self.expand_until(*a, *b, again)
            }
            Node::Release(Formulas::FALSE, invariant) => {
                let again = self.extra(Extra::Next(formula));
                self.formulas.conjuncts(*invariant).into_iter().fold(again, |all, operand| {
                    let operand = self.expand_recurring(operand);
                    self.functions.and(all, operand)
                })
            }
            Node::Release(a, b) => {
                let (a, b) = (self.expand(*a), self.expand(*b));
                let again = self.extra(Extra::Next(formula));
                let released = self.functions.or(a, again);
                self.functions.and(b, released)
            }
        };
        self.expansions.insert(formula, expansion);
        expansion
    }

    /// Under `[]` an `a U b` need not be asked for again at the next moment, as
    /// the `[]` does that: the promise is enough.
    fn expand_recurring(&mut self, formula: FormulaId) -> Bdd {
        match self.formulas.node(formula) {
            Node::Until(a, b) => self.expand_until(*a, *b, Bdd::TRUE),
            _ => self.expand(formula),
        }
    }

    fn expand_until(&mut self, a: FormulaId, b: FormulaId, again: Bdd) -> Bdd {
        let (waiting, done) = (self.expand(a), self.expand(b));
        let promise = self.extra(Extra::Promise(b));
        let waiting = self.functions.and(waiting, promise);
        let waiting = self.functions.and(waiting, again);
        self.functions.or(done, waiting)
    }

    fn extra(&mut self, extra: Extra) -> Bdd {
        let variable = match self.variables.get(&extra) {
            Some(variable) => *variable,
            None => {
                let count = u32::try_from(self.extras.len()).expect("there are fewer variables than formulas");
                self.extras.push(extra);
                self.variables.insert(extra, self.n_atoms + count);
                if let Extra::Promise(formula) = extra {
                    self.sets.insert(formula, self.n_promises);
                    self.n_promises += 1;
                }
                self.n_atoms + count
            }
        };
        self.functions.variable(variable)
    }
}
