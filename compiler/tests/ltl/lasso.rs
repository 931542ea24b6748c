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

    /// Whether the automaton has an accepting run over the word: some pair of
    /// location and position that can be reached lies on a cycle with all marks.
    pub fn is_accepted_by(&self, automaton: &Automaton) -> bool {
        let product = Product::new(self, automaton);
        let reached = product.reach(&[product.start], |_| true);
        let cyclic = |node: &usize| {
            // Everything that is reached from the node and leads back to it.
            let ahead = product.reach(&product.successors(*node), |_| true);
            ahead[*node] && product.marks_around(*node, &ahead) == Marks::all(automaton.n_sets)
        };
        (0..reached.len()).filter(|node| reached[*node]).any(|node| cyclic(&node))
    }
}

/// Pairs of a location and a position, numbered.
struct Product {
    edges: Vec<Vec<(usize, Marks)>>,
    start: usize,
}

impl Product {
    fn new(lasso: &Lasso, automaton: &Automaton) -> Self {
        let length = lasso.letters.len();
        let number = |location: LocationId, position: usize| location.index() * length + position;
        let mut edges = Vec::new();
        for location in &automaton.locations {
            for position in 0..length {
                let enabled = location
                    .transitions
                    .iter()
                    .filter(|t| automaton.holds(t.guard, |atom| lasso.holds(atom, position)));
                edges.push(enabled.map(|t| (number(t.to, lasso.next(position)), t.marks)).collect());
            }
        }
        Self { edges, start: number(automaton.initial, 0) }
    }

    fn successors(&self, node: usize) -> Vec<usize> {
        self.edges[node].iter().map(|(to, _)| *to).collect()
    }

    fn reach(&self, from: &[usize], wanted: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut open = from.to_vec();
        while let Some(node) = open.pop() {
            if wanted(node) && !std::mem::replace(&mut reached[node], true) {
                open.extend(self.successors(node));
            }
        }
        reached
    }

    /// The marks on all edges that lie on some cycle through the node.
    fn marks_around(&self, node: usize, ahead: &[bool]) -> Marks {
        let leads_back: Vec<bool> =
            (0..self.edges.len()).map(|other| ahead[other] && self.reach(&[other], |_| true)[node]).collect();
        let on_cycle = (0..self.edges.len()).filter(|other| leads_back[*other]);
        let edges = on_cycle.flat_map(|other| &self.edges[other]).filter(|(to, _)| leads_back[*to]);
        edges.fold(Marks::NONE, |marks, (_, more)| marks.union(*more))
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
