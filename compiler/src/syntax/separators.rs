//! Puts in the separators that may be left out, and drops those that say nothing.
//!
//! The rules, found by giving Spin 6.5.2 small models:
//!
//! 1. Inside a block, the end of a line is a separator if the last token can
//!    end a statement: a name, a number, a character constant, `)`, `]`, `}`,
//!    `++`, `--`, `fi`, `od`, `else`, `break`, `skip`, `true`, `false`,
//!    `timeout`, `np_`, or embedded C. So `a\n(b)` are two statements and
//!    `a +\nb` is one. Not within parentheses, within the braces of `mtype`, an
//!    initialiser or a formula, nor outside of all blocks. The `)` of `for (...)`
//!    ends nothing, nor does a typedef's name before a name, nor a proctype's
//!    before `(`.
//! 2. After `}`, and after `else`, a separator is put in even on the same line.
//! 3. Never before `}`, `fi`, `od`, `::`, where one that is written is dropped,
//!    nor before `unless`, where one that is written is an error.
//! 4. Several in a row are one. The first written one is kept: `a\n-> b` has `->`.
//! 5. Between the items of a model, separators may be left out or repeated.
//!
//! Here Spin is a little stricter: it minds a line end within brackets, and
//! before `unless` unless a `}` stands before it.
//!
//! What the grammar may rely on, in a sequence of statements or of the fields
//! of a typedef: exactly one `;` or `->` between two of them if the text is
//! right, none behind the last one, and never two in a row. One that is written
//! before the first stays, as an error. A label that stands alone is followed
//! by the `;` or `}` that was written. Between items, at most one `;`, or none.
//! The names of an `mtype` list have exactly one comma between them, none behind.

use super::token::{Keyword, Symbol, Token, TokenKind};
use crate::collections::Lookup;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Name, Span};

pub fn place_separators(tokens: Vec<Token>, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut placer = Placer {
        placed: Vec::with_capacity(tokens.len() + tokens.len() / 8),
        pending: None,
        levels: Vec::new(),
        closed: None,
        types: Lookup::new(),
        diagnostics,
    };
    for token in tokens {
        placer.place(token);
    }
    if placer.levels.is_empty()
        && let Some(separator) = placer.pending.take()
    {
        placer.emit(separator);
    }
    placer.placed
}

/// What surrounds a token, from the inside out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// `{ ... }` with statements, or with the fields of a typedef.
    Sequence,
    /// The braces of `mtype = { ... }`.
    Mtype,
    /// Braces of an initialiser.
    List,
    /// The braces of `ltl { ... }`.
    Formula,
    /// Parentheses or brackets.
    Parens,
    /// The parentheses of `for (...)`.
    For,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Typedef,
    Proctype,
}

struct Placer<'a> {
    placed: Vec<Token>,
    /// A separator that was read and not placed yet.
    pending: Option<Token>,
    levels: Vec<Level>,
    /// If the last token closed a level: which.
    closed: Option<Level>,
    types: Lookup<Name, Word>,
    diagnostics: &'a mut Diagnostics,
}

impl Placer<'_> {
    fn place(&mut self, token: Token) {
        let level = self.levels.last().copied();
        if matches!(level, None | Some(Level::Sequence)) && is_separator(&token.kind) {
            self.pending.get_or_insert(token);
            return;
        }
        match level {
            None => {
                if let Some(mut separator) = self.pending.take()
                    && !self.placed.is_empty()
                {
                    separator.kind = TokenKind::Symbol(Symbol::Semicolon);
                    self.emit(separator);
                }
            }
            Some(Level::Sequence) => self.separate(&token),
            Some(Level::Mtype) => {
                let after_name = matches!(self.placed.last(), Some(Token { kind: TokenKind::Name(_), .. }));
                if after_name && matches!(token.kind, TokenKind::Name(_)) {
                    self.emit_after_last(Symbol::Comma);
                }
                let after_comma = self.placed.last().is_some_and(|last| last.kind.is_symbol(Symbol::Comma));
                if after_comma && token.kind.is_symbol(Symbol::CloseBrace) {
                    self.placed.pop();
                }
            }
            Some(Level::Parens) if token.kind.is_symbol(Symbol::Semicolon) => {
                if self.placed.last().is_some_and(|last| last.kind.is_symbol(Symbol::Semicolon)) {
                    return;
                }
            }
            Some(_) => {}
        }
        self.check_comma(&token);
        self.emit(token);
    }

    /// Decides what stands between the last token and this one of a block.
    fn separate(&mut self, token: &Token) {
        let opens = |last: &Token| matches!(last.kind, TokenKind::Symbol(Symbol::OpenBrace | Symbol::DoubleColon));
        let is_first = self.placed.last().is_some_and(opens);
        let closes = matches!(
            token.kind,
            TokenKind::Symbol(Symbol::CloseBrace | Symbol::DoubleColon) | TokenKind::Keyword(Keyword::Fi | Keyword::Od)
        );
        match self.pending.take() {
            Some(separator) if !closes || is_first => self.emit(separator),
            Some(_) => {}
            None if !closes && !token.kind.is_keyword(Keyword::Unless) && self.is_separate(token) => {
                self.emit_after_last(Symbol::Semicolon);
            }
            None => {}
        }
    }

    /// Whether `token` begins something new although no separator was written.
    fn is_separate(&self, token: &Token) -> bool {
        let Some(last) = self.placed.last() else { return false };
        match &last.kind {
            TokenKind::Symbol(Symbol::CloseBrace) => !token.kind.is_symbol(Symbol::Comma),
            TokenKind::Keyword(Keyword::Else) => true,
            TokenKind::Symbol(Symbol::CloseParen) if self.closed == Some(Level::For) => false,
            TokenKind::Name(name) => {
                let goes_on = match self.types.get(name) {
                    Some(Word::Typedef) => matches!(token.kind, TokenKind::Name(_)),
                    Some(Word::Proctype) => token.kind.is_symbol(Symbol::OpenParen),
                    None => false,
                };
                token.newline_before && !goes_on
            }
            kind => token.newline_before && can_end(kind),
        }
    }

    /// Spin puts a separator after every `}`, so it refuses `byte a[2] = {1, 2}, b`.
    fn check_comma(&mut self, token: &Token) {
        let after_brace = self.placed.last().is_some_and(|last| last.kind.is_symbol(Symbol::CloseBrace));
        if after_brace && token.kind.is_symbol(Symbol::Comma) && self.closed == Some(Level::List) {
            let error = Diagnostic::error(40, token.span, "a comma cannot follow the `}` of an initialiser");
            self.diagnostics.add(error.help("end the declaration with `;` and begin a new one"));
        }
    }

    fn emit_after_last(&mut self, symbol: Symbol) {
        let span = self.placed.last().map_or(Span::default(), |last| Span { start: last.span.end, ..last.span });
        let kind = TokenKind::Symbol(symbol);
        self.placed.push(Token { kind, span, newline_before: false, space_before: false });
    }

    fn emit(&mut self, token: Token) {
        self.closed = None;
        match token.kind {
            TokenKind::Symbol(Symbol::OpenBrace) => self.levels.push(self.brace_level()),
            TokenKind::Symbol(Symbol::OpenParen) => {
                let after_for = self.placed.last().is_some_and(|last| last.kind.is_keyword(Keyword::For));
                self.levels.push(if after_for { Level::For } else { Level::Parens });
            }
            TokenKind::Symbol(Symbol::OpenBracket) => self.levels.push(Level::Parens),
            TokenKind::Symbol(Symbol::CloseParen | Symbol::CloseBracket) => {
                if let Some(Level::Parens | Level::For) = self.levels.last() {
                    self.closed = self.levels.pop();
                }
            }
            TokenKind::Symbol(Symbol::CloseBrace) => {
                // A parenthesis that was never closed ends here too.
                while let Some(level) = self.levels.pop() {
                    self.closed = Some(level);
                    if !matches!(level, Level::Parens | Level::For) {
                        break;
                    }
                }
            }
            TokenKind::Name(ref name) => match self.placed.last().map(|last| &last.kind) {
                Some(TokenKind::Keyword(Keyword::Typedef)) => {
                    self.types.insert(name.clone(), Word::Typedef);
                }
                Some(TokenKind::Keyword(Keyword::Proctype | Keyword::DProctype)) => {
                    self.types.insert(name.clone(), Word::Proctype);
                }
                _ => {}
            },
            _ => {}
        }
        self.placed.push(token);
    }

    /// What the brace after the last token opens.
    fn brace_level(&self) -> Level {
        let mut before = self.placed.iter().rev().map(|token| &token.kind);
        match (before.next(), before.next(), before.next(), before.next()) {
            (Some(TokenKind::Keyword(Keyword::Mtype)), ..) => Level::Mtype,
            (Some(TokenKind::Symbol(Symbol::Assign)), Some(TokenKind::Keyword(Keyword::Mtype)), ..) => Level::Mtype,
            (
                Some(TokenKind::Symbol(Symbol::Assign)),
                Some(TokenKind::Name(_)),
                Some(TokenKind::Symbol(Symbol::Colon)),
                Some(TokenKind::Keyword(Keyword::Mtype)),
            ) => Level::Mtype,
            (Some(TokenKind::Symbol(Symbol::Assign) | TokenKind::Keyword(Keyword::Of)), ..) => Level::List,
            (Some(TokenKind::Keyword(Keyword::Ltl)), ..) => Level::Formula,
            (Some(TokenKind::Name(_)), Some(TokenKind::Keyword(Keyword::Ltl)), ..) => Level::Formula,
            _ => Level::Sequence,
        }
    }
}

fn is_separator(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Symbol(Symbol::Semicolon | Symbol::Arrow))
}

/// Whether a statement can end with this token, so that a line end behind it counts.
fn can_end(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Character(_) | TokenKind::CText(_) => true,
        TokenKind::Symbol(symbol) => matches!(
            symbol,
            Symbol::CloseParen | Symbol::CloseBracket | Symbol::CloseBrace | Symbol::PlusPlus | Symbol::MinusMinus
        ),
        TokenKind::Keyword(keyword) => matches!(
            keyword,
            Keyword::Fi
                | Keyword::Od
                | Keyword::Else
                | Keyword::Break
                | Keyword::Skip
                | Keyword::True
                | Keyword::False
                | Keyword::Timeout
                | Keyword::NonProgress
        ),
        TokenKind::String(_) | TokenKind::InlineCall(_) | TokenKind::Unknown(_) => false,
    }
}
