//! Macros in embedded C: the text stays as it is, but for the names of macros.
//!
//! A call is read with the tokens of Promela, which differ from those of C in what few macros contain; all else of the
//! text never becomes a token.

use super::macros::Arguments;
use super::{Piece, Preprocessor};
use crate::diagnostic::Diagnostics;
use crate::source::{Name, Span};
use crate::syntax::c_text::CPart;
use crate::syntax::lexer::Lexer;
use crate::syntax::token::Token;

impl Preprocessor<'_> {
    /// A piece of C with the macros of the model expanded.
    pub(super) fn expand_c(&mut self, text: &Name, span: Span) -> Name {
        let has_macro = CPart::all(text).any(|(_, part)| self.is_macro(part));
        if !has_macro {
            return text.clone();
        }
        let mut expanded = String::with_capacity(text.len());
        let mut rest: &str = text;
        while let Some((part, behind)) = CPart::first(rest) {
            let length = if self.is_macro(part) { self.use_in_c(rest, behind) } else { None };
            match length {
                Some(length) => {
                    expanded.push_str(&self.expand_use_in_c(&rest[..length], span));
                    rest = &rest[length..];
                }
                None => {
                    expanded.push_str(&part.text());
                    rest = behind;
                }
            }
        }
        self.names.name(&expanded)
    }

    fn is_macro(&self, part: CPart<'_>) -> bool {
        matches!(part, CPart::Name(name) if self.macros.find(name).is_some_and(|number| !self.macros.get(number).is_disabled))
    }

    /// The length of a macro's use at the start of `text`, with its arguments; nothing if it is no use.
    fn use_in_c(&self, text: &str, behind: &str) -> Option<usize> {
        let (CPart::Name(name), _) = CPart::first(text)? else { return None };
        if self.macros.get(self.macros.find(name)?).parameters.is_none() {
            return Some(name.len());
        }
        let mut depth = 0_usize;
        for (at, part) in CPart::all(behind) {
            match part {
                CPart::Space(_) => {}
                CPart::Sign('(') => depth += 1,
                _ if depth == 0 => return None,
                CPart::Sign(')') if depth == 1 => return Some(name.len() + at + 1),
                CPart::Sign(')') => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// The text that a use stands for. The lines of its arguments stay lines.
    fn expand_use_in_c(&mut self, text: &str, span: Span) -> String {
        let mut unheard = Diagnostics::default();
        let tokens = Lexer::from_text(text.into(), 0).lex_all(self.names, &mut unheard);
        let pieces = tokens.into_iter().map(|token| Piece::new(Token { span, ..token })).collect();
        let mut expanded = joined(&self.expand_list(pieces, span));
        expanded.extend(text.chars().filter(|c| *c == '\n'));
        expanded
    }
}

/// The arguments of a macro in the C text of its body: names alone, as `#` and `##` belong to C there.
pub(super) fn fill(text: &str, parameters: &[Name], arguments: &Arguments) -> String {
    let argument = |name: &str| {
        let number = parameters.iter().position(|parameter| &**parameter == name)?;
        arguments.written.get(number).map(|written| joined(written))
    };
    let part = |(_, part): (usize, CPart<'_>)| match part {
        CPart::Name(name) => argument(name).unwrap_or_else(|| name.to_owned()),
        other => other.text(),
    };
    CPart::all(text).map(part).collect()
}

/// Tokens as a text. Where two have come together from different places, a space keeps them apart.
fn joined(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for (number, piece) in pieces.iter().enumerate() {
        let token = &piece.token;
        let is_apart = number > 0 && pieces[number - 1].token.span.expansion != token.span.expansion;
        if number > 0 && (token.space_before || is_apart) {
            text.push(' ');
        }
        text.push_str(&token.kind.text());
    }
    text
}
