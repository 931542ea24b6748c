//! Formulas of linear temporal logic as their author wrote them.
//!
//! An atom is a number and nothing more: the caller knows what it means, an expression of a model or a bare name.

use crate::ids;

ids! {
    /// A proposition.
    AtomId;
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    Constant(bool),
    Atom(AtomId),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    /// `a V b`: b holds up to and including the moment when a does, which need not come.
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// The formula in Promela's syntax, every operand in parentheses unless it
    /// is a word: precedence in formulas surprises too many readers.
    pub fn text(&self, name: &dyn Fn(AtomId) -> String) -> String {
        let operand = |formula: &Self| {
            let text = formula.text(name);
            if text.chars().all(|c| c.is_alphanumeric() || c == '_') { text } else { format!("({text})") }
        };
        let unary = |symbol: &str, a: &Self| format!("{symbol} {}", operand(a));
        let binary = |a: &Self, symbol: &str, b: &Self| format!("{} {symbol} {}", operand(a), operand(b));
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Atom(atom) => name(*atom),
            Self::Not(a) => format!("!{}", operand(a)),
            Self::And(a, b) => binary(a, "&&", b),
            Self::Or(a, b) => binary(a, "||", b),
            Self::Implies(a, b) => binary(a, "->", b),
            Self::Equivalent(a, b) => binary(a, "<->", b),
            Self::Next(a) => unary("X", a),
            Self::Always(a) => unary("[]", a),
            Self::Eventually(a) => unary("<>", a),
            Self::Until(a, b) => binary(a, "U", b),
            Self::WeakUntil(a, b) => binary(a, "W", b),
            Self::Release(a, b) => binary(a, "V", b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(number: u32) -> Box<Formula> {
        Box::new(Formula::Atom(AtomId(number)))
    }

    #[test]
    fn text_puts_operands_in_parentheses() {
        let response = Formula::Always(Box::new(Formula::Implies(atom(0), Box::new(Formula::Eventually(atom(1))))));
        let name = |atom: AtomId| ["p", "q"][atom.0 as usize].to_owned();
        assert_eq!(response.negated().text(&name), "!([] (p -> (<> q)))");
    }
}
