//! Cuts out what could not be parsed, so that the rest can be.
//!
//! The smallest part that can be cut out is a statement: [`Terminal::Broken`] takes its place. Where no statement is
//! allowed, the whole unit (proctype, declaration, formula) is cut out.

use super::nesting::begins_unit;
use super::terminal::{Located, Terminal};
use super::token::{Keyword, Symbol};
use crate::source::Span;

/// A block, option or parenthesis that is open.
struct Open {
    is_parenthesis: bool,
    /// Where the statement that is being read in it began.
    start: usize,
}

/// Replaces the statement around `at` by a broken one. Returns what was there, if there was one.
pub fn cut_statement(terminals: &mut Vec<Located>, at: usize) -> Option<Vec<Located>> {
    let start = statement_start(&terminals[..at])?;
    let end = statement_end(terminals, behind_parenthesis(terminals, start, at));
    let span = terminals.get(at).map_or(Span::default(), |located| located.span);
    let broken = Located { terminal: Terminal::Broken, span, parameter: None, newline_before: false, is_mended: true };
    Some(terminals.splice(start..end, [broken]).collect())
}

/// Removes the unit around `at`, at least the terminal at `at`. Returns what was there.
pub fn cut_unit(terminals: &mut Vec<Located>, at: usize) -> Vec<Located> {
    let mut start = 0;
    let mut depth = Depth::default();
    for (i, located) in terminals[..at].iter().enumerate() {
        if depth.braces == 0 && begins_unit(&located.terminal) && !is_after_active(terminals, i) {
            start = i;
            depth = Depth::default();
        }
        if depth.ends_unit(&located.terminal) {
            start = i + 1;
        }
    }
    // A proctype without its opening brace, or a body that was closed too early:
    // what follows are statements, not units.
    let is_headless =
        depth.braces == 0 && terminals.get(start).is_some_and(|first| start == at || begins_unit(&first.terminal));
    let mut end = at;
    while let Some(located) = terminals.get(end) {
        let is_declaration = depth.braces == 0 && located.newline_before && begins_declaration(&located.terminal);
        if end > at && (is_declaration || begins_unit(&located.terminal) && !is_after_active(terminals, end)) {
            break;
        }
        end += 1;
        if depth.ends_unit(&located.terminal) && !is_headless {
            break;
        }
    }
    terminals.drain(start..end).collect()
}

/// How many braces and parentheses are open.
#[derive(Default)]
struct Depth {
    braces: u32,
    parentheses: u32,
}

impl Depth {
    /// Counts one more terminal, and returns whether a unit ends with it.
    fn ends_unit(&mut self, terminal: &Terminal) -> bool {
        match terminal {
            Terminal::Symbol(Symbol::OpenBrace) => {
                self.braces += 1;
                self.parentheses = 0;
                false
            }
            Terminal::Symbol(Symbol::CloseBrace) => {
                self.braces = self.braces.saturating_sub(1);
                self.parentheses = 0;
                self.braces == 0
            }
            Terminal::Symbol(Symbol::OpenParen) => {
                self.parentheses += 1;
                false
            }
            Terminal::Symbol(Symbol::CloseParen) => {
                self.parentheses = self.parentheses.saturating_sub(1);
                false
            }
            Terminal::Symbol(Symbol::Semicolon) => self.braces == 0 && self.parentheses == 0,
            _ => false,
        }
    }
}

/// `active proctype`: the second word begins nothing new.
fn is_after_active(terminals: &[Located], i: usize) -> bool {
    let is_proctype = terminals[i].is_keyword(Keyword::Proctype) || terminals[i].is_keyword(Keyword::DProctype);
    is_proctype && terminals[..i].iter().rev().take(4).any(|located| located.is_keyword(Keyword::Active))
}

fn begins_declaration(terminal: &Terminal) -> bool {
    matches!(terminal, Terminal::Keyword(keyword) if keyword.is_type())
}

/// Where the statement that `before` ends in began, if it ends in one.
fn statement_start(before: &[Located]) -> Option<usize> {
    let mut open: Vec<Open> = Vec::new();
    for (i, located) in before.iter().enumerate() {
        match located.terminal {
            Terminal::Symbol(Symbol::OpenBrace) | Terminal::Keyword(Keyword::If | Keyword::Do) => {
                open.push(Open { is_parenthesis: false, start: i + 1 });
            }
            Terminal::Symbol(Symbol::OpenParen | Symbol::OpenBracket) => {
                open.push(Open { is_parenthesis: true, start: i + 1 });
            }
            Terminal::Symbol(Symbol::CloseParen | Symbol::CloseBracket) => {
                open.pop_if(|top| top.is_parenthesis);
            }
            Terminal::Symbol(Symbol::CloseBrace) | Terminal::Keyword(Keyword::Fi | Keyword::Od) => {
                while open.pop_if(|top| top.is_parenthesis).is_some() {}
                open.pop();
            }
            Terminal::Symbol(Symbol::Semicolon | Symbol::Arrow | Symbol::DoubleColon) => {
                if let Some(top) = open.last_mut() {
                    top.start = i + 1;
                }
            }
            _ => {}
        }
    }
    while open.pop_if(|top| top.is_parenthesis).is_some() {}
    open.last().map(|top| top.start)
}

/// `at`, or the end of the parentheses around it if they are closed in the same
/// statement: the `;` in `for (i = 0; i < 3; i++)` ends nothing.
fn behind_parenthesis(terminals: &[Located], start: usize, at: usize) -> usize {
    let balance = |located: &Located| match located.terminal {
        Terminal::Symbol(Symbol::OpenParen) => 1,
        Terminal::Symbol(Symbol::CloseParen) => -1,
        _ => 0,
    };
    let mut n_open: i64 = terminals[start.min(at)..at].iter().map(balance).sum();
    for (i, located) in terminals.iter().enumerate().skip(at) {
        let ends =
            matches!(located.terminal, Terminal::Symbol(Symbol::OpenBrace | Symbol::CloseBrace | Symbol::DoubleColon));
        if ends || n_open <= 0 {
            break;
        }
        n_open += balance(located);
        if n_open == 0 {
            return i;
        }
    }
    at
}

/// Just behind the statement that stands around `at`.
fn statement_end(terminals: &[Located], at: usize) -> usize {
    let mut depth = 0u32;
    for (i, located) in terminals.iter().enumerate().skip(at) {
        match located.terminal {
            Terminal::Symbol(Symbol::OpenBrace) | Terminal::Keyword(Keyword::If | Keyword::Do) => depth += 1,
            Terminal::Symbol(Symbol::CloseBrace) | Terminal::Keyword(Keyword::Fi | Keyword::Od) => {
                if depth == 0 {
                    return i;
                }
                depth -= 1;
            }
            Terminal::Symbol(Symbol::Semicolon | Symbol::DoubleColon) if depth == 0 => return i,
            _ => {}
        }
    }
    terminals.len()
}
