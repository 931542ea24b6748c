//! What a macro is, how `#define` is read, and how a call fills in a body.

use super::{Piece, embedded};
use crate::collections::Lookup;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Name, Span};
use crate::syntax::lexer::Lexer;
use crate::syntax::token::{NameInterner, Symbol, Token, TokenKind};

/// A macro and its body, cut up for filling in.
#[derive(Clone, Debug)]
pub struct Macro {
    pub name: Name,
    /// Nothing for a macro without parentheses.
    pub parameters: Option<Parameters>,
    pub body: Vec<Part>,
    /// From its name to the end of its body.
    pub span: Span,
    /// What it stands for, if that depends on where it is used.
    pub builtin: Option<Builtin>,
    /// While its own expansion is read it does not expand again.
    pub is_disabled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `1`, wherever it is used.
    One,
    Line,
    File,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    pub names: Vec<Name>,
    /// The last takes all further arguments, commas included.
    pub is_variadic: bool,
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Token(Token),
    /// The parameter with this number; the token is its name in the body.
    Parameter(usize, Token),
    /// `#parameter`
    Stringified(usize, Token),
    /// `##`
    Paste(Token),
}

impl Part {
    fn token(&self) -> &Token {
        match self {
            Self::Token(token) | Self::Parameter(_, token) | Self::Stringified(_, token) | Self::Paste(token) => token,
        }
    }
}

/// Arguments of one call: as written, and with their own macros expanded.
pub struct Arguments {
    pub written: Vec<Vec<Piece>>,
    pub expanded: Vec<Vec<Piece>>,
}

/// All macros, by name.
#[derive(Debug, Default)]
pub struct Macros {
    list: Vec<Macro>,
    by_name: Lookup<Name, usize>,
}

impl Macros {
    /// The number of the macro with this name, if it is defined now.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub fn get(&self, number: usize) -> &Macro {
        &self.list[number]
    }

    pub fn set_disabled(&mut self, number: usize, is_disabled: bool) {
        self.list[number].is_disabled = is_disabled;
    }

    /// Gives back what the name stood for before.
    pub fn define(&mut self, definition: Macro) -> Option<&Macro> {
        let old = self.by_name.insert(definition.name.clone(), self.list.len());
        self.list.push(definition);
        old.map(|number| &self.list[number])
    }

    pub fn undefine(&mut self, name: &str) {
        self.by_name.remove(name);
    }

    pub fn define_builtin(&mut self, name: &str, builtin: Builtin) {
        let name = Name::from(name);
        self.define(Macro {
            name,
            parameters: None,
            body: Vec::new(),
            span: Span::default(),
            builtin: Some(builtin),
            is_disabled: false,
        });
    }
}

impl Macro {
    /// Reads what follows `#define` on its line.
    pub fn parse(line: &[Token], directive: Span, diagnostics: &mut Diagnostics) -> Option<Self> {
        let malformed = |span: Span, message: &str| {
            Diagnostic::error(11, span, message).help("write `#define NAME text` or `#define NAME(parameters) text`")
        };
        let Some(first) = line.first() else {
            diagnostics.add(malformed(directive, "`#define` needs the name of a macro"));
            return None;
        };
        let Some(name) = first.kind.word() else {
            let message = format!("`{}` cannot be the name of a macro", first.kind.text());
            diagnostics.add(malformed(first.span, &message));
            return None;
        };
        if name == "defined" {
            diagnostics.add(malformed(first.span, "`defined` cannot be the name of a macro"));
            return None;
        }
        let is_call = |token: &Token| token.kind.is_symbol(Symbol::OpenParen) && !token.space_before;
        let mut rest = &line[1..];
        let mut parameters = None;
        if rest.first().is_some_and(is_call) {
            match parse_parameters(&rest[1..]) {
                Ok((found, length)) => {
                    rest = &rest[1 + length..];
                    parameters = Some(found);
                }
                Err(at) => {
                    let span = rest[1..].get(at).or(line.last()).map_or(directive, |token| token.span);
                    diagnostics.add(malformed(
                        span,
                        "the parameters of a macro are names with commas between, in parentheses",
                    ));
                    return None;
                }
            }
        }
        let body = parse_body(rest, parameters.as_ref(), diagnostics)?;
        Some(Self {
            name: Name::from(name),
            parameters,
            body,
            span: line.last().map_or(first.span, |last| first.span.to(last.span)),
            builtin: None,
            is_disabled: false,
        })
    }

    /// Whether a second definition says the same, wherever it stands.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let same_part = |(index, (a, b)): (usize, (&Part, &Part))| {
            std::mem::discriminant(a) == std::mem::discriminant(b)
                && a.token().kind == b.token().kind
                && (index == 0 || a.token().space_before == b.token().space_before)
        };
        self.builtin.is_none()
            && self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(same_part)
    }

    /// Whether the parameter stands somewhere as itself, not beside `#` or `##`.
    pub fn wants_expanded(&self, parameter: usize) -> bool {
        let is_paste = |index: Option<usize>| {
            index.and_then(|index| self.body.get(index)).is_some_and(|part| matches!(part, Part::Paste(_)))
        };
        self.body.iter().enumerate().any(|(index, part)| {
            matches!(part, Part::Parameter(number, _) if *number == parameter)
                && !is_paste(index.checked_sub(1))
                && !is_paste(Some(index + 1))
        })
    }

    /// The body with the arguments in place. What comes from the body itself
    /// gets the span `used`, which leads to the macro's use.
    pub fn fill(
        &self,
        arguments: &Arguments,
        used: Span,
        names: &mut NameInterner,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Piece> {
        let mut filled: Vec<Piece> = Vec::with_capacity(self.body.len());
        // What the last `##` still has to join with: the length of `filled` when it was met.
        let mut paste_at: Option<usize> = None;
        for (index, part) in self.body.iter().enumerate() {
            let before_paste = matches!(self.body.get(index + 1), Some(Part::Paste(_)));
            let begin = filled.len();
            match part {
                Part::Paste(_) => {
                    paste_at = Some(begin);
                    continue;
                }
                Part::Token(token) => {
                    let mut piece = Piece::from_body(token, used);
                    if let (TokenKind::CText(text), Some(parameters)) = (&token.kind, &self.parameters) {
                        piece.token.kind =
                            TokenKind::CText(names.name(&embedded::fill(text, &parameters.names, arguments)));
                    }
                    filled.push(piece);
                }
                Part::Stringified(number, token) => {
                    let text = stringify(arguments.written.get(*number).map_or(&[], Vec::as_slice));
                    let mut piece = Piece::from_body(token, used);
                    piece.token.kind = TokenKind::String(names.name(&text));
                    filled.push(piece);
                }
                Part::Parameter(number, token) => {
                    let raw = before_paste || paste_at.is_some();
                    let list = if raw { &arguments.written } else { &arguments.expanded };
                    let argument = list.get(*number).map_or(&[][..], Vec::as_slice);
                    self.drop_comma(*number, argument, paste_at, &mut filled);
                    filled.extend(argument.iter().cloned());
                    if let Some(first) = filled.get_mut(begin) {
                        first.token.space_before = token.space_before;
                    }
                }
            }
            if let Some(at) = paste_at.take() {
                self.paste(at, &mut filled, used, names, diagnostics);
            }
        }
        for piece in &mut filled {
            piece.token.newline_before = false;
        }
        filled
    }

    /// `, ## __VA_ARGS__`: without further arguments the comma goes too.
    fn drop_comma(&self, number: usize, argument: &[Piece], paste_at: Option<usize>, filled: &mut Vec<Piece>) {
        let is_rest = self.parameters.as_ref().is_some_and(|all| all.is_variadic && number + 1 == all.names.len());
        let after_comma = filled.last().is_some_and(|piece| piece.token.kind.is_symbol(Symbol::Comma));
        if is_rest && argument.is_empty() && paste_at.is_some() && after_comma {
            filled.pop();
        }
    }

    /// Makes one token of the two on either side of `at`.
    fn paste(
        &self,
        at: usize,
        filled: &mut Vec<Piece>,
        used: Span,
        names: &mut NameInterner,
        diagnostics: &mut Diagnostics,
    ) {
        if at == 0 || at >= filled.len() {
            return; // One side is empty: the other stays as it is.
        }
        let (left, right) = (&filled[at - 1].token.kind, &filled[at].token.kind);
        if left.is_symbol(Symbol::Comma) && self.parameters.as_ref().is_some_and(|all| all.is_variadic) {
            return;
        }
        let text = format!("{}{}", left.text(), right.text());
        let mut unheard = Diagnostics::default();
        let tokens = Lexer::from_text(text.as_str().into(), 0).lex_all(names, &mut unheard);
        if let [token] = tokens.as_slice() {
            filled[at - 1].token.kind = token.kind.clone();
            filled[at - 1].token.span = used;
            filled[at - 1].is_final = false;
            filled.remove(at);
        } else {
            let message =
                format!("`##` joins `{}` and `{}` to `{text}`, which is not one token", left.text(), right.text());
            diagnostics.add(Diagnostic::error(14, used, message).label(self.span, "the macro is defined here"));
        }
    }
}

/// The parameters up to and including `)`, and how many tokens that are; or
/// the index of the first token that does not fit.
fn parse_parameters(tokens: &[Token]) -> Result<(Parameters, usize), usize> {
    let mut found = Parameters { names: Vec::new(), is_variadic: false };
    let symbol = |at: usize, symbol: Symbol| tokens.get(at).is_some_and(|token| token.kind.is_symbol(symbol));
    if symbol(0, Symbol::CloseParen) {
        return Ok((found, 1));
    }
    let mut at = 0;
    loop {
        match tokens.get(at).and_then(|token| token.kind.word()) {
            Some(word) if found.names.iter().any(|name| &**name == word) => return Err(at),
            Some(word) => {
                found.names.push(Name::from(word));
                at += 1;
            }
            None if symbol(at, Symbol::DotDot) => found.names.push(Name::from("__VA_ARGS__")),
            None => return Err(at),
        }
        if symbol(at, Symbol::DotDot) && symbol(at + 1, Symbol::Dot) {
            found.is_variadic = true;
            at += 2;
        }
        if symbol(at, Symbol::CloseParen) {
            return Ok((found, at + 1));
        }
        if !symbol(at, Symbol::Comma) || found.is_variadic {
            return Err(at);
        }
        at += 1;
    }
}

fn parse_body(tokens: &[Token], parameters: Option<&Parameters>, diagnostics: &mut Diagnostics) -> Option<Vec<Part>> {
    let number = |token: &Token| {
        let word = token.kind.word()?;
        parameters?.names.iter().position(|name| &**name == word)
    };
    let mut parts = Vec::with_capacity(tokens.len());
    let mut rest = tokens.iter();
    while let Some(token) = rest.next() {
        let part = match &token.kind {
            TokenKind::Symbol(Symbol::HashHash) => Part::Paste(token.clone()),
            TokenKind::Symbol(Symbol::Hash) if parameters.is_some() => {
                let Some(number) = rest.next().and_then(&number) else {
                    let error =
                        Diagnostic::error(15, token.span, "`#` in a macro must stand before one of its parameters")
                            .help("`#p` makes a string of the argument for `p`");
                    diagnostics.add(error);
                    return None;
                };
                Part::Stringified(number, token.clone())
            }
            _ => match number(token) {
                Some(number) => Part::Parameter(number, token.clone()),
                None => Part::Token(token.clone()),
            },
        };
        parts.push(part);
    }
    let loose = parts.first().into_iter().chain(parts.last()).find(|part| matches!(part, Part::Paste(_)));
    if let Some(part) = loose {
        let error = Diagnostic::error(14, part.token().span, "`##` needs something to join on both sides");
        diagnostics.add(error);
        return None;
    }
    Some(parts)
}

/// `#parameter`: the argument's text as the inside of a string.
fn stringify(argument: &[Piece]) -> String {
    let mut text = String::new();
    for (index, piece) in argument.iter().enumerate() {
        if index > 0 && piece.token.space_before {
            text.push(' ');
        }
        let spelling = piece.token.kind.text();
        if matches!(piece.token.kind, TokenKind::String(_) | TokenKind::Character(_)) {
            for character in spelling.chars() {
                if matches!(character, '"' | '\\') {
                    text.push('\\');
                }
                text.push(character);
            }
        } else {
            text.push_str(&spelling);
        }
    }
    text
}
