//! Boolean functions as reduced ordered decision diagrams.
//!
//! Guards of claims are functions of a handful of atoms; as diagrams, equal functions are equal numbers, and
//! implication between guards is one traversal. The size is bounded: beyond [`MOST_NODES`] every result is false and
//! [`Diagrams::is_exhausted`] says so; callers check it at the end of a pass.
//!
//! Bryant: Graph-based algorithms for Boolean function manipulation, 1986.
//! The sum of products is that of Minato: Fast generation of irredundant
//! sum-of-products forms from binary decision diagrams, 1992.

use crate::collections::Lookup;

/// About 50 MB with the caches; formulas that people write need thousands.
const MOST_NODES: usize = 1 << 19;
/// Longer lists of products are useless.
const MOST_CUBES: usize = 1 << 16;

/// A boolean function, as a node of [`Diagrams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(u32);

impl Bdd {
    pub const FALSE: Bdd = Bdd(0);
    pub const TRUE: Bdd = Bdd(1);
}

/// A product of literals, by ascending variable; true means not negated.
pub type Cube = Vec<(u32, bool)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct BddNode {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

/// The variable of the constants: behind all others.
const NO_VARIABLE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub struct Diagrams {
    nodes: Vec<BddNode>,
    unique: Lookup<BddNode, Bdd>,
    choices: Lookup<(Bdd, Bdd, Bdd), Bdd>,
    most_nodes: usize,
    exhausted: bool,
}

impl Diagrams {
    pub fn new() -> Self {
        Self::with_room_for(MOST_NODES)
    }

    fn with_room_for(most_nodes: usize) -> Self {
        let constant = |value| BddNode { variable: NO_VARIABLE, low: value, high: value };
        Self {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: Lookup::new(),
            choices: Lookup::new(),
            most_nodes,
            exhausted: false,
        }
    }

    /// Some result was too large and is wrong, and so may be all later ones.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub fn variable(&mut self, variable: u32) -> Bdd {
        self.node(variable, Bdd::FALSE, Bdd::TRUE)
    }

    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choose(a, b, Bdd::FALSE)
    }

    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choose(a, Bdd::TRUE, b)
    }

    pub fn not(&mut self, a: Bdd) -> Bdd {
        self.choose(a, Bdd::FALSE, Bdd::TRUE)
    }

    pub fn and_not(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choose(b, Bdd::FALSE, a)
    }

    pub fn cube(&mut self, cube: &[(u32, bool)]) -> Bdd {
        cube.iter().rev().fold(Bdd::TRUE, |rest, (variable, positive)| {
            if *positive { self.node(*variable, Bdd::FALSE, rest) } else { self.node(*variable, rest, Bdd::FALSE) }
        })
    }

    /// The value of the function under `value`.
    pub fn holds(&self, function: Bdd, value: impl Fn(u32) -> bool) -> bool {
        let mut at = function;
        while at.0 > 1 {
            let node = self.nodes[at.0 as usize];
            at = if value(node.variable) { node.high } else { node.low };
        }
        at == Bdd::TRUE
    }

    /// The first variable that a function tests, and the rest of it if that is false and if it is true.
    pub fn question(&self, function: Bdd) -> Option<(u32, Bdd, Bdd)> {
        let node = self.nodes[function.0 as usize];
        (node.variable != NO_VARIABLE).then_some((node.variable, node.low, node.high))
    }

    /// The same function in another collection of diagrams.
    pub fn copy(&self, function: Bdd, into: &mut Diagrams) -> Bdd {
        let mut copied = Lookup::new();
        self.copy_node(function, into, &mut copied)
    }

    fn copy_node(&self, function: Bdd, into: &mut Diagrams, copied: &mut Lookup<Bdd, Bdd>) -> Bdd {
        if function.0 <= 1 {
            return function;
        }
        if let Some(copy) = copied.get(&function) {
            return *copy;
        }
        let node = self.nodes[function.0 as usize];
        let low = self.copy_node(node.low, into, copied);
        let high = self.copy_node(node.high, into, copied);
        let copy = into.node(node.variable, low, high);
        copied.insert(function, copy);
        copy
    }

    /// If `condition` then `yes` else `no`.
    fn choose(&mut self, condition: Bdd, yes: Bdd, no: Bdd) -> Bdd {
        match (condition, yes, no) {
            _ if self.exhausted => return Bdd::FALSE,
            (Bdd::TRUE, _, _) => return yes,
            (Bdd::FALSE, _, _) => return no,
            _ if yes == no => return yes,
            (_, Bdd::TRUE, Bdd::FALSE) => return condition,
            _ => {}
        }
        let key = (condition, yes, no);
        if let Some(known) = self.choices.get(&key) {
            return *known;
        }
        let variable = [condition, yes, no].into_iter().map(|f| self.top(f)).fold(NO_VARIABLE, u32::min);
        let [condition, yes, no] = [condition, yes, no].map(|f| self.halves(f, variable));
        let low = self.choose(condition.0, yes.0, no.0);
        let high = self.choose(condition.1, yes.1, no.1);
        let result = self.node(variable, low, high);
        self.choices.insert(key, result);
        result
    }

    fn node(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = BddNode { variable, low, high };
        if let Some(known) = self.unique.get(&node) {
            return *known;
        }
        // The cache of if-then-else results grows with the work, so it is bounded too.
        if self.nodes.len() >= self.most_nodes || self.choices.len() >= 4 * self.most_nodes {
            self.exhausted = true;
            return Bdd::FALSE;
        }
        let made = Bdd(u32::try_from(self.nodes.len()).expect("the number of nodes is bounded"));
        self.nodes.push(node);
        self.unique.insert(node, made);
        made
    }

    fn top(&self, function: Bdd) -> u32 {
        self.nodes[function.0 as usize].variable
    }

    /// The two cofactors: the function with the variable false, and with it true.
    fn halves(&self, function: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.nodes[function.0 as usize];
        if node.variable == variable { (node.low, node.high) } else { (function, function) }
    }

    /// An irredundant sum of products of the function. A variable in which the function is monotone is never negated in
    /// it.
    pub fn cubes(&mut self, function: Bdd) -> Vec<Cube> {
        let mut cubes = Vec::new();
        self.cover(function, function, &mut Vec::new(), &mut cubes);
        if self.exhausted {
            cubes.clear();
        }
        for cube in &mut cubes {
            cube.sort_unstable();
        }
        cubes
    }

    /// Appends products, each with `prefix`, that cover `must` and stay within `may`; returns what they cover (without
    /// the prefix).
    fn cover(&mut self, must: Bdd, may: Bdd, prefix: &mut Cube, cubes: &mut Vec<Cube>) -> Bdd {
        if must == Bdd::FALSE || self.exhausted {
            return Bdd::FALSE;
        }
        if may == Bdd::TRUE {
            cubes.push(prefix.clone());
            self.exhausted |= cubes.len() > MOST_CUBES;
            return Bdd::TRUE;
        }
        let variable = self.top(must).min(self.top(may));
        let (must_low, must_high) = self.halves(must, variable);
        let (may_low, may_high) = self.halves(may, variable);

        // First what needs the variable false, then what needs it true, then what needs neither.
        let only_low = self.and_not(must_low, may_high);
        prefix.push((variable, false));
        let low = self.cover(only_low, may_low, prefix, cubes);
        prefix.pop();
        let only_high = self.and_not(must_high, may_low);
        prefix.push((variable, true));
        let high = self.cover(only_high, may_high, prefix, cubes);
        prefix.pop();
        let rest_low = self.and_not(must_low, low);
        let rest_high = self.and_not(must_high, high);
        let rest = self.or(rest_low, rest_high);
        let may_both = self.and(may_low, may_high);
        let both = self.cover(rest, may_both, prefix, cubes);

        let branches = self.node(variable, low, high);
        self.or(branches, both)
    }
}

impl Default for Diagrams {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_functions_are_equal_numbers() {
        let mut d = Diagrams::new();
        let (a, b) = (d.variable(0), d.variable(1));
        let not_a = d.not(a);
        let not_b = d.not(b);
        let both = d.and(a, b);
        let by_de_morgan = d.or(not_a, not_b);
        assert_eq!(d.not(by_de_morgan), both);
        assert_eq!(d.and_not(both, a), Bdd::FALSE);
        assert_eq!(d.and_not(a, both), d.and_not(a, b));
    }

    #[test]
    fn cubes_cover_the_function_and_are_few() {
        let mut d = Diagrams::new();
        let (a, b, c) = (d.variable(0), d.variable(1), d.variable(2));
        let ab = d.and(a, b);
        let function = d.or(ab, c);
        let cubes = d.cubes(function);
        assert_eq!(cubes, [vec![(0, true), (1, true)], vec![(2, true)]]);
        let covered = cubes.iter().fold(Bdd::FALSE, |sum, cube| {
            let cube = d.cube(cube);
            d.or(sum, cube)
        });
        assert_eq!(covered, function);
        assert!(d.cubes(Bdd::FALSE).is_empty());
        assert_eq!(d.cubes(Bdd::TRUE), [vec![]]);
    }

    #[test]
    fn a_function_without_a_small_diagram_exhausts_the_room() {
        let mut d = Diagrams::with_room_for(1000);
        // Pairs of variables that lie far apart in the order: 2^20 nodes.
        let mut sum = Bdd::FALSE;
        for i in 0..20 {
            let (a, b) = (d.variable(i), d.variable(20 + i));
            let pair = d.and(a, b);
            sum = d.or(sum, pair);
        }
        assert!(d.is_exhausted());
    }
}
