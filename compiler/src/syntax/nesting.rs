//! Finds blocks that are never closed, and closes them.
//!
//! A missing `od` or brace shows only where something else ends, and a parser that continues from there reports one
//! error for each enclosing block. So blocks are matched before parsing: each mistake is reported once, with the
//! position where the block began, and repaired, so that the parser can look for other errors. Parentheses are left to
//! the grammar, which detects at once what does not belong inside them.

use super::terminal::{Located, Terminal};
use super::token::{Keyword, Symbol};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opener {
    Brace,
    If,
    Do,
}

impl Opener {
    fn text(self) -> &'static str {
        match self {
            Self::Brace => "{",
            Self::If => "if",
            Self::Do => "do",
        }
    }

    fn closer(self) -> Terminal {
        match self {
            Self::Brace => Terminal::Symbol(Symbol::CloseBrace),
            Self::If => Terminal::Keyword(Keyword::Fi),
            Self::Do => Terminal::Keyword(Keyword::Od),
        }
    }

    fn closer_text(self) -> &'static str {
        match self {
            Self::Brace => "}",
            Self::If => "fi",
            Self::Do => "od",
        }
    }

    fn opened_by(terminal: &Terminal) -> Option<Self> {
        match terminal {
            Terminal::Symbol(Symbol::OpenBrace) => Some(Self::Brace),
            Terminal::Keyword(Keyword::If) => Some(Self::If),
            Terminal::Keyword(Keyword::Do) => Some(Self::Do),
            _ => None,
        }
    }

    fn closed_by(terminal: &Terminal) -> Option<Self> {
        match terminal {
            Terminal::Symbol(Symbol::CloseBrace) => Some(Self::Brace),
            Terminal::Keyword(Keyword::Fi) => Some(Self::If),
            Terminal::Keyword(Keyword::Od) => Some(Self::Do),
            _ => None,
        }
    }
}

/// Begins an item that is allowed only at the top level of a model.
pub fn begins_unit(terminal: &Terminal) -> bool {
    matches!(
        terminal,
        Terminal::Keyword(
            Keyword::Active
                | Keyword::Proctype
                | Keyword::DProctype
                | Keyword::Init
                | Keyword::Never
                | Keyword::Trace
                | Keyword::Notrace
                | Keyword::Ltl
                | Keyword::Typedef
                | Keyword::Inline
        )
    )
}

/// Repairs of a closing word that does not match.
#[derive(Clone, Copy)]
enum Repair {
    /// Close what is open above this one first.
    CloseAbove(usize),
    /// It is the wrong word for what is open.
    Replace,
    /// It should not be there.
    Drop,
}

struct Mender<'a> {
    sources: &'a SourceMap,
    open: Vec<(Opener, Span)>,
    mended: Vec<Located>,
    diagnostics: Vec<Diagnostic>,
}

/// Gives the terminals with all blocks closed, and what was wrong.
pub fn mend(terminals: &[Located], sources: &SourceMap, end: Span) -> (Vec<Located>, Vec<Diagnostic>) {
    let mut mender =
        Mender { sources, open: Vec::new(), mended: Vec::with_capacity(terminals.len()), diagnostics: Vec::new() };
    let mut n_braces_left: i64 = terminals.iter().map(|located| brace_balance(&located.terminal)).sum();
    let mut n_braces_open = 0;
    for (i, located) in terminals.iter().enumerate() {
        if located.newline_before && begins_unit(&located.terminal) {
            // If all braces ahead are balanced, the author nested it on purpose.
            if n_braces_open + n_braces_left != 0 {
                mender.close_down_to(0, located.span, &located.describe());
                n_braces_open = 0;
            }
        }
        n_braces_left -= brace_balance(&located.terminal);
        n_braces_open += brace_balance(&located.terminal);
        mender.take(located, &terminals[i + 1..]);
    }
    mender.close_down_to(0, end, "the end of the file");
    (mender.mended, mender.diagnostics)
}

fn brace_balance(terminal: &Terminal) -> i64 {
    match terminal {
        Terminal::Symbol(Symbol::OpenBrace) => 1,
        Terminal::Symbol(Symbol::CloseBrace) => -1,
        _ => 0,
    }
}

impl Mender<'_> {
    /// Beyond this many mistakes it is not worth looking ahead for the best repair.
    const MOST_GUESSES: usize = 20;

    fn take(&mut self, located: &Located, rest: &[Located]) {
        if let Some(opener) = Opener::opened_by(&located.terminal) {
            self.open.push((opener, located.span));
        } else if let Some(opener) = Opener::closed_by(&located.terminal) {
            if self.open.last().is_some_and(|(top, _)| *top == opener) {
                self.open.pop();
            } else {
                return self.repair(opener, located, rest);
            }
        }
        self.mended.push(located.clone());
    }

    /// `found` does not close what is open.
    fn repair(&mut self, opener: Opener, found: &Located, rest: &[Located]) {
        let found_text = found.describe();
        match self.best_repair(opener, rest) {
            Repair::CloseAbove(partner) => {
                self.close_down_to(partner + 1, found.span, &found_text);
                self.open.pop();
                self.mended.push(found.clone());
            }
            Repair::Replace => {
                self.report(found.span, &found_text);
                if let Some((top, _)) = self.open.pop() {
                    self.mended.push(Located { terminal: top.closer(), is_mended: true, ..found.clone() });
                }
            }
            Repair::Drop => {
                let message = format!("{found_text} closes nothing");
                let help = match opener {
                    Opener::Brace => "there is one closing brace too many, or an opening one is missing above",
                    Opener::If => "there is no `if` to close here",
                    Opener::Do => "there is no `do` to close here",
                };
                self.diagnostics.push(Diagnostic::error(102, found.span, message).help(help));
            }
        }
    }

    /// The repair that leaves the fewest mistakes in what follows.
    fn best_repair(&self, opener: Opener, rest: &[Located]) -> Repair {
        let mut repairs = Vec::new();
        if let Some(partner) = self.open.iter().rposition(|(open, _)| *open == opener) {
            repairs.push(Repair::CloseAbove(partner));
        }
        let is_word = |opener: Opener| opener != Opener::Brace;
        if is_word(opener) && self.open.last().is_some_and(|(top, _)| is_word(*top)) {
            repairs.push(Repair::Replace);
        }
        repairs.push(Repair::Drop);
        if self.diagnostics.len() >= Self::MOST_GUESSES {
            return repairs[0];
        }
        let cost = |repair: &Repair| {
            let n_left = match *repair {
                Repair::CloseAbove(partner) => partner,
                Repair::Replace => self.open.len() - 1,
                Repair::Drop => self.open.len(),
            };
            n_mistakes(self.open[..n_left].iter().map(|(opener, _)| *opener).collect(), rest)
        };
        repairs.into_iter().min_by_key(cost).unwrap_or(Repair::Drop)
    }

    /// Closes all blocks beyond `n_left`, and reports that once.
    fn close_down_to(&mut self, n_left: usize, at: Span, found: &str) {
        if self.open.len() > n_left {
            self.report(at, found);
        }
        while self.open.len() > n_left {
            let Some((opener, _)) = self.open.pop() else { return };
            let terminal = opener.closer();
            let (parameter, newline_before, is_mended) = (None, false, true);
            self.mended.push(Located { terminal, span: at, parameter, newline_before, is_mended });
        }
    }

    /// Says that the innermost open block should have been closed at `at`.
    fn report(&mut self, at: Span, found: &str) {
        let Some((opener, opened)) = self.open.last().copied() else { return };
        let line = self.sources.position(opened).line;
        let (open, close) = (opener.text(), opener.closer_text());
        let message = format!("expected `{close}` to close the `{open}` on line {line}, found {found}");
        let diagnostic = Diagnostic::error(102, at, message).label(opened, format!("this `{open}` is not closed"));
        self.diagnostics.push(diagnostic);
    }
}

/// How many closing words do not fit in what follows, up to the next unit.
fn n_mistakes(mut open: Vec<Opener>, rest: &[Located]) -> usize {
    const HORIZON: usize = 5_000;
    let mut n_mistakes = 0;
    for located in rest.iter().take(HORIZON) {
        if located.newline_before && begins_unit(&located.terminal) {
            break;
        }
        if let Some(opener) = Opener::opened_by(&located.terminal) {
            open.push(opener);
        } else if let Some(opener) = Opener::closed_by(&located.terminal) {
            let partner = open.iter().rposition(|open| *open == opener);
            n_mistakes += partner.map_or(1, |partner| open.len() - 1 - partner);
            open.truncate(partner.unwrap_or(open.len()));
        }
    }
    n_mistakes + open.len()
}
