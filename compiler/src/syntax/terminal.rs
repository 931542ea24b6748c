//! What the grammar reads: tokens, told apart where their meaning depends on
//! what stands around them.

use super::token::{Keyword, Symbol, Token, TokenKind};
use crate::collections::Lookup;
use crate::source::{Name, Span};

#[derive(Clone, Debug, PartialEq)]
pub enum Terminal {
    Name(Name),
    /// A proctype's name in `P:x` or `P[e]:x`. Without it `(c -> P : x)` could
    /// be read in two ways.
    Remote(Name),
    /// The word between variable and container in `for (x in a)`; a name elsewhere.
    In,
    Number(Name),
    String(Name),
    Character(Name),
    CText(Name),
    Keyword(Keyword),
    Symbol(Symbol),
    InlineCall(Name),
    /// A statement in which an error was found and reported.
    Broken,
    /// A character that no token begins with.
    Unknown(char),
}

/// A terminal and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    pub terminal: Terminal,
    pub span: Span,
    /// At least one line ended before it.
    pub newline_before: bool,
    /// Put in to mend an error that was reported; what is wrong here follows from that.
    pub is_mended: bool,
}

impl Located {
    pub fn is(&self, symbol: Symbol) -> bool {
        self.terminal == Terminal::Symbol(symbol)
    }

    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        self.terminal == Terminal::Keyword(keyword)
    }

    /// As the author would say it in a message: `` `od` ``, a name, a number.
    pub fn describe(&self) -> String {
        match &self.terminal {
            Terminal::Name(name) | Terminal::Remote(name) => format!("`{name}`"),
            Terminal::Number(digits) => format!("`{digits}`"),
            Terminal::String(_) => "a string".to_owned(),
            Terminal::Character(_) => "a character constant".to_owned(),
            Terminal::CText(_) => "embedded C".to_owned(),
            Terminal::Keyword(keyword) => format!("`{}`", keyword.text()),
            // What nobody wrote stands behind a formula on the command line.
            Terminal::Symbol(Symbol::CloseBrace) if self.span.start == self.span.end => "the end".to_owned(),
            Terminal::Symbol(symbol) => format!("`{}`", symbol.text()),
            Terminal::InlineCall(name) => format!("a call of the inline `{name}`"),
            Terminal::In => "`in`".to_owned(),
            Terminal::Broken => "a statement".to_owned(),
            Terminal::Unknown(c) => format!("the character `{}`", c.escape_default()),
        }
    }
}

/// Turns tokens into terminals.
pub fn terminals(tokens: &[Token]) -> Vec<Located> {
    let proctypes = proctype_names(tokens);
    let mut formula = Formula::default();
    let mut located = Vec::with_capacity(tokens.len());
    for (i, token) in tokens.iter().enumerate() {
        let in_formula = formula.contains(&token.kind);
        let terminal = match &token.kind {
            TokenKind::Name(name) if proctypes.contains(name) && colon_follows(&tokens[i + 1..]) => {
                Terminal::Remote(name.clone())
            }
            TokenKind::Name(name) if &**name == "in" && is_for_in(&tokens[..i]) => Terminal::In,
            TokenKind::Name(name) => Terminal::Name(name.clone()),
            TokenKind::Number(digits) => Terminal::Number(digits.clone()),
            TokenKind::String(text) => Terminal::String(text.clone()),
            TokenKind::Character(text) => Terminal::Character(text.clone()),
            TokenKind::CText(text) => Terminal::CText(text.clone()),
            TokenKind::Symbol(Symbol::Arrow) if in_formula => Terminal::Keyword(Keyword::Implies),
            TokenKind::Keyword(keyword) => Terminal::Keyword(*keyword),
            TokenKind::Symbol(symbol) => Terminal::Symbol(*symbol),
            TokenKind::InlineCall(name) => Terminal::InlineCall(name.clone()),
            TokenKind::Unknown(c) => Terminal::Unknown(*c),
        };
        located.push(Located { terminal, span: token.span, newline_before: token.newline_before, is_mended: false });
    }
    located
}

/// Follows along where a formula, `ltl name { ... }`, begins and ends.
#[derive(Default)]
struct Formula {
    announced: bool,
    n_open: u32,
}

impl Formula {
    fn contains(&mut self, kind: &TokenKind) -> bool {
        match kind {
            TokenKind::Keyword(Keyword::Ltl) => self.announced = true,
            TokenKind::Symbol(Symbol::OpenBrace) if self.announced || self.n_open > 0 => {
                self.announced = false;
                self.n_open += 1;
            }
            TokenKind::Symbol(Symbol::CloseBrace) => self.n_open = self.n_open.saturating_sub(1),
            // These begin what comes after a formula that was never closed.
            TokenKind::Keyword(Keyword::Active | Keyword::Proctype | Keyword::Init | Keyword::Never) => self.n_open = 0,
            _ => {}
        }
        self.n_open > 0
    }
}

fn proctype_names(tokens: &[Token]) -> Lookup<Name, ()> {
    let mut names = Lookup::new();
    for pair in tokens.windows(2) {
        if let TokenKind::Keyword(Keyword::Proctype | Keyword::DProctype) = pair[0].kind
            && let TokenKind::Name(name) = &pair[1].kind
        {
            names.insert(name.clone(), ());
        }
    }
    names
}

/// Whether `:` comes next, or `[...]:`.
fn colon_follows(rest: &[Token]) -> bool {
    let mut n_open = 0u32;
    for token in rest {
        match token.kind {
            TokenKind::Symbol(Symbol::OpenBracket) => n_open += 1,
            TokenKind::Symbol(Symbol::CloseBracket) if n_open > 0 => n_open -= 1,
            TokenKind::Symbol(Symbol::Colon) if n_open == 0 => return true,
            TokenKind::Symbol(Symbol::Semicolon | Symbol::OpenBrace | Symbol::CloseBrace) => return false,
            _ if n_open == 0 => return false,
            _ => {}
        }
    }
    false
}

/// Whether what was read ends in `for (x`, where `x` may have fields and indices.
fn is_for_in(before: &[Token]) -> bool {
    let mut n_open = 0u32;
    for (i, token) in before.iter().enumerate().rev() {
        match &token.kind {
            TokenKind::Symbol(Symbol::CloseBracket) => n_open += 1,
            TokenKind::Symbol(Symbol::OpenBracket) if n_open > 0 => n_open -= 1,
            TokenKind::Symbol(Symbol::OpenParen) if n_open == 0 => {
                // `for (in` has no variable yet.
                return i + 1 < before.len() && i > 0 && before[i - 1].kind == TokenKind::Keyword(Keyword::For);
            }
            TokenKind::Symbol(Symbol::Semicolon | Symbol::OpenBrace | Symbol::CloseBrace) => return false,
            // Two words in a row: the first of them was the `in`.
            TokenKind::Name(_) if n_open == 0 && is_name(before.get(i + 1)) => return false,
            TokenKind::Name(_) | TokenKind::Symbol(Symbol::Dot) if n_open == 0 => {}
            _ if n_open == 0 => return false,
            _ => {}
        }
    }
    false
}

fn is_name(token: Option<&Token>) -> bool {
    token.is_some_and(|token| matches!(token.kind, TokenKind::Name(_)))
}
