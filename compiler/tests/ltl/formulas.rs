//! Reads the formulas of the tests: every binary operator in parentheses, so
//! that no precedence has to be agreed upon.

use pmc::ltl::formula::{AtomId, Formula};

/// A formula and the names of its atoms.
pub struct Named {
    pub formula: Formula,
    pub atoms: Vec<String>,
}

pub fn parse(text: &str) -> Named {
    let mut parser = Parser { rest: text, atoms: Vec::new() };
    let formula = parser.binary();
    assert_eq!(parser.rest.trim(), "", "something is left of {text}");
    Named { formula, atoms: parser.atoms }
}

/// The same with atoms that have a number already.
pub fn parse_condition(text: &str, atoms: &[String]) -> Formula {
    let mut parser = Parser { rest: text, atoms: atoms.to_vec() };
    let formula = parser.binary();
    assert_eq!(parser.rest.trim(), "", "something is left of {text}");
    assert_eq!(parser.atoms.len(), atoms.len(), "unknown atom in {text}");
    formula
}

struct Parser<'a> {
    rest: &'a str,
    atoms: Vec<String>,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// One operand, or operands with operators between them, grouped to the left.
    fn binary(&mut self) -> Formula {
        type Operator = fn(Box<Formula>, Box<Formula>) -> Formula;
        let operators: [(&str, Operator); 7] = [
            ("&&", Formula::And),
            ("||", Formula::Or),
            ("->", Formula::Implies),
            ("<->", Formula::Equivalent),
            ("U", Formula::Until),
            ("V", Formula::Release),
            ("W", Formula::WeakUntil),
        ];
        let mut left = self.unary();
        while let Some((_, operator)) = operators.iter().find(|(token, _)| self.eat(token)) {
            left = operator(Box::new(left), Box::new(self.unary()));
        }
        left
    }

    fn unary(&mut self) -> Formula {
        if self.eat("(") {
            let inner = self.binary();
            assert!(self.eat(")"), "`)` expected before {}", self.rest);
            return inner;
        }
        type Operator = fn(Box<Formula>) -> Formula;
        let operators: [(&str, Operator); 4] =
            [("!", Formula::Not), ("[]", Formula::Always), ("<>", Formula::Eventually), ("X ", Formula::Next)];
        match operators.iter().find(|(token, _)| self.eat(token)) {
            Some((_, operator)) => operator(Box::new(self.unary())),
            None => self.word(),
        }
    }

    fn word(&mut self) -> Formula {
        let text = self.rest.trim_start();
        let (word, rest) = text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()));
        assert!(!word.is_empty(), "a word expected before {text}");
        self.rest = rest;
        match word {
            "true" | "1" => Formula::Constant(true),
            "false" | "0" => Formula::Constant(false),
            _ => {
                let known = self.atoms.iter().position(|atom| atom == word);
                let number = known.unwrap_or_else(|| {
                    self.atoms.push(word.to_owned());
                    self.atoms.len() - 1
                });
                Formula::Atom(AtomId(u32::try_from(number).expect("few atoms")))
            }
        }
    }
}
