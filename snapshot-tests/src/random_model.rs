//! Well-typed random models, with a seed and shrinking.
//!
//! A model is a small tree that prints as Promela, so that it can be made smaller while it still shows the failure.
//! Values stay in a small range, so that most models have a few hundred states.

mod claims;
mod generate;
mod guarded;
pub(crate) mod random;
mod shrink;
mod timed;
mod whole;

use std::fmt::{self, Display, Formatter};

pub use claims::{NeverState, RandomClaim, RandomFormula};
pub use generate::{random_calm_model, random_live_model, random_model, random_reduction_model};
pub use shrink::shrink;
pub use timed::{random_clock_model, random_timed_model};
pub use whole::{random_whole_model, words};

/// Declarations that never change, and processes that do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomModel {
    pub declarations: Vec<String>,
    pub processes: Vec<RandomProcess>,
    pub claims: Vec<RandomClaim>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomProcess {
    /// All before the brace: `active proctype P0()`.
    pub head: String,
    pub locals: Vec<String>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// A step, a `goto` or a `break`, as text; with a label if it has one.
    Simple(Option<String>, String),
    /// `atomic`, `d_step`, or nothing for plain braces.
    Block(&'static str, Vec<Stmt>),
    /// Anything in front of a brace that depends on the model: `for (i : 0 .. 2)`, a label.
    Headed(String, Vec<Stmt>),
    /// `if` or `do`.
    Choice(&'static str, Vec<Vec<Stmt>>),
    Unless(Vec<Stmt>, Vec<Stmt>),
}

impl Display for RandomModel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for declaration in &self.declarations {
            // A directive ends with its line.
            writeln!(f, "{declaration}{}", if declaration.starts_with('#') { "" } else { ";" })?;
        }
        self.processes.iter().try_for_each(|process| writeln!(f, "{process}"))?;
        self.claims.iter().try_for_each(|claim| writeln!(f, "{claim}"))
    }
}

impl Display for RandomProcess {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{{", self.head)?;
        for local in &self.locals {
            writeln!(f, "  {local};")?;
        }
        print_sequence(f, &self.body, 1)?;
        write!(f, "}}")
    }
}

fn print_sequence(f: &mut Formatter<'_>, statements: &[Stmt], depth: usize) -> fmt::Result {
    for (number, statement) in statements.iter().enumerate() {
        print_statement(f, statement, depth)?;
        writeln!(f, "{}", if number + 1 < statements.len() { ";" } else { "" })?;
    }
    Ok(())
}

fn print_statement(f: &mut Formatter<'_>, statement: &Stmt, depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    match statement {
        Stmt::Simple(None, text) => write!(f, "{indent}{text}"),
        Stmt::Simple(Some(label), text) => write!(f, "{label}: {text}"),
        Stmt::Block(word, body) => print_block(f, word, body, depth),
        Stmt::Headed(head, body) => print_block(f, head, body, depth),
        Stmt::Choice(word, options) => {
            writeln!(f, "{indent}{word}")?;
            for option in options {
                writeln!(f, "{indent}::")?;
                print_sequence(f, option, depth + 1)?;
            }
            write!(f, "{indent}{}", if *word == "do" { "od" } else { "fi" })
        }
        Stmt::Unless(body, escape) => {
            writeln!(f, "{indent}{{")?;
            print_sequence(f, body, depth + 1)?;
            writeln!(f, "{indent}}} unless {{")?;
            print_sequence(f, escape, depth + 1)?;
            write!(f, "{indent}}}")
        }
    }
}

fn print_block(f: &mut Formatter<'_>, head: &str, body: &[Stmt], depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    writeln!(f, "{indent}{head} {{")?;
    print_sequence(f, body, depth + 1)?;
    write!(f, "{indent}}}")
}
