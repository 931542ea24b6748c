//! Random formulas and never claims over the variables that every random model has.

use std::fmt::{self, Display, Formatter};

use super::random::Random;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RandomClaim {
    Ltl(String, RandomFormula),
    Never(String, Vec<NeverState>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RandomFormula {
    Atom(String),
    Unary(&'static str, Box<RandomFormula>),
    Binary(&'static str, Box<RandomFormula>, Box<RandomFormula>),
}

/// A label and the options of an `if` behind it. Control goes from an option without a jump to the next state, and from
/// the last one to the claim's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverState {
    pub label: String,
    pub options: Vec<String>,
}

/// The names that formulas and conditions may use.
#[derive(Clone, Copy)]
pub struct Atoms {
    /// There is a channel q.
    pub buffered: bool,
    /// Formulas may have X.
    pub next: bool,
}

pub fn random_claim(random: &mut Random, number: u32, atoms: Atoms) -> RandomClaim {
    if number % 5 == 4 {
        let count = 1 + random.below(3);
        let states = (0..count).map(|state| never_state(random, state, count, atoms)).collect();
        return RandomClaim::Never(format!("n{number}"), states);
    }
    RandomClaim::Ltl(format!("f{number}"), formula(random, 3, atoms))
}

fn formula(random: &mut Random, depth: u32, atoms: Atoms) -> RandomFormula {
    if depth == 0 || (depth < 3 && random.one_in(4)) {
        return RandomFormula::Atom(atom(random, atoms));
    }
    let unary = |op, a| RandomFormula::Unary(op, Box::new(a));
    match random.below(16) {
        0..=3 => unary("[]", formula(random, depth - 1, atoms)),
        4..=7 => unary("<>", formula(random, depth - 1, atoms)),
        8 => unary("!", formula(random, depth - 1, atoms)),
        9 if atoms.next => unary("X", formula(random, depth - 1, atoms)),
        _ => {
            let op = random.pick(&["&&", "||", "->", "U", "U", "W", "V", "<->"]);
            let (a, b) = (formula(random, depth - 1, atoms), formula(random, depth - 1, atoms));
            RandomFormula::Binary(op, Box::new(a), Box::new(b))
        }
    }
}

fn atom(random: &mut Random, atoms: Atoms) -> String {
    let plain = ["x == 1", "x == 0", "x != 2", "y > 0", "y == 0", "b == 1", "b", "a[0] == 1", "a[0] == a[1]", "x < y"];
    let remote = ["P0@L0", "P1@L1", "P0:l == 1", "P1:l != 1", "P1:m == 1"];
    match random.below(8) {
        0 if atoms.buffered => "len(q) > 0".to_owned(),
        1 => random.pick(&remote).to_owned(),
        _ => random.pick(&plain).to_owned(),
    }
}

fn never_state(random: &mut Random, state: u32, count: u32, atoms: Atoms) -> NeverState {
    let label = |state: u32, accepts: bool| format!("{}S{state}", if accepts { "accept_" } else { "" });
    // Which states accept is fixed by their number, so that the jumps know their names.
    let accepts = |state: u32| state % 2 == 1 || count == 1;
    let n_options = 1 + random.below(3);
    let mut options: Vec<String> = (0..n_options)
        .map(|_| {
            let condition = match random.below(4) {
                0 => "true".to_owned(),
                1 => format!("!({})", atom(random, atoms)),
                _ => atom(random, atoms),
            };
            let target = if random.one_in(8) { count } else { random.below(count) };
            let jump =
                if target == count { String::new() } else { format!(" -> goto {}", label(target, accepts(target))) };
            match random.below(8) {
                0 => format!("atomic {{ ({condition}) -> ({}){} }}", atom(random, atoms), jump.replace("->", ";")),
                1 => format!("d_step {{ ({condition}) -> skip }}{}", jump.replace("->", ";")),
                _ => format!("({condition}){jump}"),
            }
        })
        .collect();
    if random.one_in(3) {
        options.push(format!("else -> goto {}", label(state, accepts(state))));
    }
    NeverState { label: label(state, accepts(state)), options }
}

impl RandomClaim {
    pub fn name(&self) -> &str {
        match self {
            Self::Ltl(name, _) | Self::Never(name, _) => name,
        }
    }

    /// Claims that are one change smaller.
    pub fn smaller(&self) -> Vec<RandomClaim> {
        match self {
            Self::Ltl(name, formula) => {
                formula.smaller().into_iter().map(|formula| Self::Ltl(name.clone(), formula)).collect()
            }
            Self::Never(name, states) => {
                let mut found = Vec::new();
                for number in 0..states.len() {
                    let mut fewer = states.clone();
                    fewer.remove(number);
                    found.push(Self::Never(name.clone(), fewer));
                    for option in 0..states[number].options.len() {
                        let mut fewer = states.clone();
                        fewer[number].options.remove(option);
                        found.push(Self::Never(name.clone(), fewer));
                    }
                }
                found
            }
        }
    }
}

impl RandomFormula {
    fn smaller(&self) -> Vec<RandomFormula> {
        match self {
            Self::Atom(text) if text == "true" => Vec::new(),
            Self::Atom(_) => vec![Self::Atom("true".to_owned())],
            Self::Unary(op, a) => {
                let inside = a.smaller().into_iter().map(|a| Self::Unary(op, Box::new(a)));
                std::iter::once((**a).clone()).chain(inside).collect()
            }
            Self::Binary(op, a, b) => {
                let left = a.smaller().into_iter().map(|a| Self::Binary(op, Box::new(a), b.clone()));
                let right = b.smaller().into_iter().map(|b| Self::Binary(op, a.clone(), Box::new(b)));
                [(**a).clone(), (**b).clone()].into_iter().chain(left).chain(right).collect()
            }
        }
    }
}

impl Display for RandomFormula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(text) => write!(f, "({text})"),
            Self::Unary(op, a) => write!(f, "{op} ({a})"),
            Self::Binary(op, a, b) => write!(f, "(({a}) {op} ({b}))"),
        }
    }
}

impl Display for RandomClaim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ltl(name, formula) => write!(f, "ltl {name} {{ {formula} }}"),
            Self::Never(name, states) => {
                writeln!(f, "never {name} {{")?;
                for (number, state) in states.iter().enumerate() {
                    writeln!(f, "{}:\n  if", state.label)?;
                    state.options.iter().try_for_each(|option| writeln!(f, "  :: {option}"))?;
                    writeln!(f, "  fi{}", if number + 1 < states.len() { ";" } else { "" })?;
                }
                write!(f, "}}")
            }
        }
    }
}
