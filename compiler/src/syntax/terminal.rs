//! Terminals of the grammar: tokens, distinguished where their meaning depends on the context.

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
    /// As in [`Token`].
    pub parameter: Option<Span>,
    /// At least one line ended before it.
    pub newline_before: bool,
    /// Inserted to repair an error that was reported; errors here follow from that one.
    pub is_mended: bool,
}

/// Where the grammar is, at the beginning or the end of something.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    pub span: Span,
    parameter: Option<Span>,
}

impl Spot {
    pub fn to(self, other: Spot) -> Span {
        self.span.to(other.span)
    }

    /// The same for a statement. In the body of an inline it is shown as it stands there, with the parameter and not the
    /// argument, unless the argument is all of it.
    pub fn to_end_of_statement(self, other: Spot) -> Span {
        if self.parameter == other.parameter {
            return self.to(other);
        }
        self.parameter.unwrap_or(self.span).to(other.parameter.unwrap_or(other.span))
    }
}

impl Located {
    pub fn spot(&self) -> Spot {
        Spot { span: self.span, parameter: self.parameter }
    }

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
            // The end of a formula on the command line, which is not in its text.
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
    let brackets = matching_brackets(tokens);
    let mut formula = FormulaScope::default();
    let mut for_head = ForHead::default();
    let mut located = Vec::with_capacity(tokens.len());
    for (i, token) in tokens.iter().enumerate() {
        let in_formula = formula.contains(&token.kind);
        let may_be_in = for_head.may_end_before(&token.kind);
        let terminal = match &token.kind {
            TokenKind::Name(name) if proctypes.contains(name) && colon_follows(tokens, i, &brackets) => {
                Terminal::Remote(name.clone())
            }
            TokenKind::Name(name) if &**name == "in" && may_be_in => Terminal::In,
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
        let Token { span, parameter, newline_before, .. } = *token;
        located.push(Located { terminal, span, parameter, newline_before, is_mended: false });
    }
    located
}

/// Tracks where a formula, `ltl name { ... }`, begins and ends.
#[derive(Default)]
struct FormulaScope {
    announced: bool,
    n_open: u32,
}

impl FormulaScope {
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

/// For each `[` the index of its `]`, or 0 if it has none before the statement ends.
/// Found once for all, since brackets may nest as deep as the text is long.
fn matching_brackets(tokens: &[Token]) -> Vec<usize> {
    let mut closed_at = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Symbol(Symbol::OpenBracket) => open.push(i),
            TokenKind::Symbol(Symbol::CloseBracket) => {
                if let Some(start) = open.pop() {
                    closed_at[start] = i;
                }
            }
            TokenKind::Symbol(Symbol::Semicolon | Symbol::OpenBrace | Symbol::CloseBrace) => open.clear(),
            _ => {}
        }
    }
    closed_at
}

/// Whether `:` comes after the name at `i`, or `[...]:`.
fn colon_follows(tokens: &[Token], i: usize, brackets: &[usize]) -> bool {
    let is_colon = |at: usize| tokens.get(at).is_some_and(|token| token.kind.is_symbol(Symbol::Colon));
    is_colon(i + 1) || brackets.get(i + 1).is_some_and(|close| *close > 0 && is_colon(close + 1))
}

/// Tracks the variable of `for (x in`, which may have fields and indices.
#[derive(Default)]
struct ForHead {
    state: ForState,
    /// Brackets open in the variable.
    n_open: u32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ForState {
    #[default]
    Outside,
    AfterFor,
    /// Behind `(` or a dot: a name comes next.
    BeforeName,
    /// Behind a name or an index: the variable may be complete.
    AfterName,
}

impl ForHead {
    /// Takes a token and returns whether a variable was complete before it.
    fn may_end_before(&mut self, kind: &TokenKind) -> bool {
        let was_complete = self.state == ForState::AfterName && self.n_open == 0;
        self.state = match (self.state, kind) {
            (_, TokenKind::Keyword(Keyword::For)) => {
                self.n_open = 0;
                ForState::AfterFor
            }
            (_, TokenKind::Symbol(Symbol::Semicolon | Symbol::OpenBrace | Symbol::CloseBrace)) => ForState::Outside,
            (ForState::AfterFor, TokenKind::Symbol(Symbol::OpenParen)) => ForState::BeforeName,
            (ForState::AfterName, TokenKind::Symbol(Symbol::OpenBracket)) => {
                self.n_open += 1;
                ForState::AfterName
            }
            (ForState::AfterName, TokenKind::Symbol(Symbol::CloseBracket)) if self.n_open > 0 => {
                self.n_open -= 1;
                ForState::AfterName
            }
            (ForState::AfterName, _) if self.n_open > 0 => ForState::AfterName,
            (ForState::AfterName, TokenKind::Symbol(Symbol::Dot)) => ForState::BeforeName,
            (ForState::BeforeName, TokenKind::Name(_)) => ForState::AfterName,
            _ => ForState::Outside,
        };
        was_complete
    }
}
