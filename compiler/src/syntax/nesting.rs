//! Finds what was opened and never closed, and closes it.
//!
//! A missing `od` or brace shows only where something else ends, and a parser
//! that goes on from there reports one error for each thing around it. So
//! blocks are matched before parsing: each mistake is reported once, with the
//! place where the block began, and mended, so that the parser can look for
//! other errors. Parentheses are left to the grammar, which sees at once what
//! does not belong inside them.

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

/// Begins something that can only stand at the top of a model.
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

struct Mender<'a> {
    sources: &'a SourceMap,
    open: Vec<(Opener, Span)>,
    mended: Vec<Located>,
    diagnostics: Vec<Diagnostic>,
}

/// Gives the terminals with all blocks closed, and what was wrong.
pub fn mend(terminals: Vec<Located>, sources: &SourceMap, end: Span) -> (Vec<Located>, Vec<Diagnostic>) {
    let mut mender =
        Mender { sources, open: Vec::new(), mended: Vec::with_capacity(terminals.len()), diagnostics: Vec::new() };
    let mut n_braces_left: i64 = terminals.iter().map(|located| brace_balance(&located.terminal)).sum();
    for located in terminals {
        if !mender.open.is_empty() && located.newline_before && begins_unit(&located.terminal) {
            let n_open = mender.open.iter().filter(|(opener, _)| *opener == Opener::Brace).count();
            // If all braces ahead have their partners, the author nested it on purpose.
            let is_nested = n_braces_left + i64::try_from(n_open).unwrap_or(i64::MAX) == 0;
            if !is_nested {
                mender.close_down_to(0, located.span, &located.describe());
            }
        }
        n_braces_left -= brace_balance(&located.terminal);
        mender.take(located);
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
    fn take(&mut self, located: Located) {
        if let Some(opener) = Opener::opened_by(&located.terminal) {
            self.open.push((opener, located.span));
        } else if let Some(opener) = Opener::closed_by(&located.terminal)
            && !self.close(opener, &located)
        {
            return;
        }
        self.mended.push(located);
    }

    /// Whether `found` is to be kept as it is.
    fn close(&mut self, opener: Opener, found: &Located) -> bool {
        match self.open.last() {
            Some((top, _)) if *top == opener => {
                self.open.pop();
                return true;
            }
            _ => {}
        }
        // Braces are the safer guide: `fi` does not close a block around it.
        let partner = match opener {
            Opener::Brace => self.open.iter().rposition(|(open, _)| *open == Opener::Brace),
            Opener::If | Opener::Do => self.partner_in_block(opener),
        };
        if let Some(partner) = partner {
            self.close_down_to(partner + 1, found.span, &found.describe());
            self.open.pop();
            return true;
        }
        match self.open.last().copied() {
            // `do ... fi`: surely the wrong word.
            Some((top @ (Opener::If | Opener::Do), _)) if opener != Opener::Brace => {
                self.report(top, found.span, &found.describe());
                self.open.pop();
                self.mended.push(Located { terminal: top.closer(), ..found.clone() });
            }
            _ => {
                let message = format!("{} closes nothing", found.describe());
                let help = match opener {
                    Opener::Brace => "there is one closing brace too many, or an opening one is missing above",
                    Opener::If => "there is no `if` open here",
                    Opener::Do => "there is no `do` open here",
                };
                self.diagnostics.push(Diagnostic::error(102, found.span, message).help(help));
            }
        }
        false
    }

    /// Where the innermost `if` or `do` is that `found` could close without leaving a block.
    fn partner_in_block(&self, opener: Opener) -> Option<usize> {
        let in_block = self.open.iter().enumerate().rev().take_while(|(_, (open, _))| *open != Opener::Brace);
        in_block.filter(|(_, (open, _))| *open == opener).map(|(i, _)| i).next()
    }

    /// Closes what is open beyond `n_left`, and says so once.
    fn close_down_to(&mut self, n_left: usize, at: Span, found: &str) {
        if self.open.len() > n_left {
            let (opener, _) = self.open[self.open.len() - 1];
            self.report(opener, at, found);
        }
        while self.open.len() > n_left {
            let Some((opener, _)) = self.open.pop() else { return };
            self.mended.push(Located { terminal: opener.closer(), span: at, newline_before: false, is_mended: true });
        }
    }

    /// Says that the innermost open block should have been closed at `at`.
    fn report(&mut self, opener: Opener, at: Span, found: &str) {
        let Some((_, opened)) = self.open.last().copied() else { return };
        let line = self.sources.position(opened).line;
        let message = format!(
            "expected `{}` to close the `{}` on line {line}, found {found}",
            opener.closer_text(),
            opener.text()
        );
        let label = format!("this `{}` is not closed", opener.text());
        self.diagnostics.push(Diagnostic::error(102, at, message).label(opened, label));
    }
}
