//! Words that repeat themselves for ever: what a formula says of them, straight
//! from the definition, and whether an automaton accepts them.

use pmc::collections::Id;
use pmc::ltl::automaton::{Automaton, LocationId, Marks};
use pmc::ltl::formula::{AtomId, Formula};

/// Bit i of a letter is the value of atom i.
#[derive(Debug)]
pub struct Lasso {
    pub letters: Vec<u32>,
    /// After the last letter the word goes on here.
    pub cycle_start: usize,
}

impl Lasso {
    fn next(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.cycle_start }
    }

    fn holds(&self, atom: AtomId, position: usize) -> bool {
        self.letters[position] >> atom.0 & 1 == 1
    }

    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.values(formula)[0]
    }

    /// The formula's value at each position.
    fn values(&self, formula: &Formula) -> Vec<bool> {
        let positions = 0..self.letters.len();
        let both = |a: &Formula, b: &Formula, op: fn(bool, bool) -> bool| {
            let (a, b) = (self.values(a), self.values(b));
            a.into_iter().zip(b).map(|(a, b)| op(a, b)).collect()
        };
        let all = |value| vec![value; self.letters.len()];
        match formula {
            Formula::Constant(value) => all(*value),
            Formula::Atom(atom) => positions.map(|position| self.holds(*atom, position)).collect(),
            Formula::Not(a) => self.values(a).into_iter().map(|a| !a).collect(),
            Formula::And(a, b) => both(a, b, |a, b| a && b),
            Formula::Or(a, b) => both(a, b, |a, b| a || b),
            Formula::Implies(a, b) => both(a, b, |a, b| !a || b),
            Formula::Equivalent(a, b) => both(a, b, |a, b| a == b),
            Formula::Next(a) => {
                let a = self.values(a);
                positions.map(|position| a[self.next(position)]).collect()
            }
            Formula::Always(a) => self.release(all(false), self.values(a)),
            Formula::Eventually(a) => self.until(all(true), self.values(a)),
            Formula::Until(a, b) => self.until(self.values(a), self.values(b)),
            Formula::Release(a, b) => self.release(self.values(a), self.values(b)),
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.values(a), self.values(b));
                let until = self.until(a.clone(), b);
                let always = self.release(all(false), a);
                until.into_iter().zip(always).map(|(until, always)| until || always).collect()
            }
        }
    }

    /// Walks ahead from each position until the matter is decided; after as many
    /// steps as there are positions, nothing new comes.
    fn until(&self, a: Vec<bool>, b: Vec<bool>) -> Vec<bool> {
        let from = |start: usize| {
            let mut at = start;
            for _ in 0..=self.letters.len() {
                if b[at] {
                    return true;
                }
                if !a[at] {
                    return false;
                }
                at = self.next(at);
            }
            false
        };
        (0..self.letters.len()).map(from).collect()
    }

    fn release(&self, a: Vec<bool>, b: Vec<bool>) -> Vec<bool> {
        let negated = |values: Vec<bool>| values.into_iter().map(|value| !value).collect();
        negated(self.until(negated(a), negated(b)))
    }

    pub fn satisfies_at(&self, formula: &Formula, position: usize) -> bool {
        self.values(formula)[position]
    }

    pub fn is_accepted_by(&self, automaton: &Automaton) -> bool {
        let edges = |location: usize, position: usize| {
            let transitions = &automaton.locations[LocationId::from_index(location)].transitions;
            let enabled = transitions.iter().filter(|t| automaton.holds(t.guard, |atom| self.holds(atom, position)));
            enabled.map(|t| (t.to.index(), t.marks)).collect()
        };
        let product = Product::new(self, automaton.locations.len(), automaton.initial.index(), edges);
        product.has_accepting_run(Marks::all(automaton.n_sets))
    }
}

/// Pairs of a location and a position, numbered.
pub struct Product {
    edges: Vec<Vec<(usize, Marks)>>,
    start: usize,
}

impl Product {
    /// `enabled` gives the targets and marks of what can be taken at a location and position.
    pub fn new(
        lasso: &Lasso,
        n_locations: usize,
        initial: usize,
        enabled: impl Fn(usize, usize) -> Vec<(usize, Marks)>,
    ) -> Self {
        let length = lasso.letters.len();
        let mut edges = Vec::new();
        for location in 0..n_locations {
            for position in 0..length {
                let next = lasso.next(position);
                let pairs = enabled(location, position).into_iter();
                edges.push(pairs.map(|(to, marks)| (to * length + next, marks)).collect());
            }
        }
        Self { edges, start: initial * length }
    }

    /// Whether something that can be reached lies on cycles that together have all marks.
    pub fn has_accepting_run(&self, all: Marks) -> bool {
        let reached = self.reach(&[self.start]);
        let ahead: Vec<Vec<bool>> = (0..self.edges.len())
            .map(|node| if reached[node] { self.reach(&self.successors(node)) } else { Vec::new() })
            .collect();
        let accepting = |node: usize| {
            let on_cycle = |other: usize| ahead[node][other] && ahead[other][node];
            let around = (0..self.edges.len()).filter(|other| on_cycle(*other));
            let edges = around.flat_map(|other| &self.edges[other]).filter(|(to, _)| on_cycle(*to));
            on_cycle(node) && edges.fold(Marks::NONE, |marks, (_, more)| marks.union(*more)).includes(all)
        };
        (0..self.edges.len()).filter(|node| reached[*node]).any(accepting)
    }

    fn successors(&self, node: usize) -> Vec<usize> {
        self.edges[node].iter().map(|(to, _)| *to).collect()
    }

    fn reach(&self, from: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut open = from.to_vec();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                open.extend(self.successors(node));
            }
        }
        reached
    }
}

#[test]
fn until_needs_its_goal_and_weak_until_does_not() {
    let atom = |number| Box::new(Formula::Atom(AtomId(number)));
    let only_p = Lasso { letters: vec![1], cycle_start: 0 };
    assert!(!only_p.satisfies(&Formula::Until(atom(0), atom(1))));
    assert!(only_p.satisfies(&Formula::WeakUntil(atom(0), atom(1))));
    let then_q = Lasso { letters: vec![1, 1, 2, 0], cycle_start: 3 };
    assert!(then_q.satisfies(&Formula::Until(atom(0), atom(1))));
    assert!(!then_q.satisfies(&Formula::Until(atom(0), Box::new(Formula::And(atom(0), atom(1))))));
}
