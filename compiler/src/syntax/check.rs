//! Complains about tokens that are no Promela, and mends them.
//!
//! The lexer lets them pass because a directive or an unused macro may hold
//! them. After this: no [`TokenKind::Unknown`], no `#`, a number is digits only,
//! a character constant is one character, a name is of ASCII letters.

use super::token::{Symbol, Token, TokenKind, character_value};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Name, Span};

pub fn check(tokens: &mut Vec<Token>, diagnostics: &mut Diagnostics) {
    // Noise is reported once, however long it is.
    let mut last_unknown: Option<u32> = None;
    tokens.retain_mut(|token| {
        let unknown = match &token.kind {
            TokenKind::Unknown(character) => Some(unknown_character(*character, token.span)),
            TokenKind::Symbol(Symbol::Hash | Symbol::HashHash) => {
                let error = Diagnostic::error(1, token.span, format!("stray `{}`", token.kind.text()));
                Some(error.help("a directive must be the first thing on its line"))
            }
            _ => None,
        };
        if let Some(error) = unknown {
            if last_unknown != Some(token.span.start) {
                diagnostics.add(error);
            }
            last_unknown = Some(token.span.end);
            return false;
        }
        if let Some(error) = mend(token) {
            diagnostics.add(error);
        }
        true
    });
}

fn unknown_character(character: char, span: Span) -> Diagnostic {
    let message = match character {
        '\0' => "a NUL byte does not belong into a model".to_owned(),
        '\u{feff}' => "a byte order mark may only be the first thing in a file".to_owned(),
        '\\' => "a stray backslash: only behind the last character of a line does it mean something".to_owned(),
        '$' | '`' => format!("no token begins with `{character}`"),
        _ if character.is_control() => {
            format!("the control character {} does not belong into a model", character.escape_default())
        }
        _ => format!("no token begins with `{character}`"),
    };
    Diagnostic::error(1, span, message)
}

fn mend(token: &mut Token) -> Option<Diagnostic> {
    match &token.kind {
        TokenKind::Number(text) if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let error = wrong_number(text, token.span);
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            token.kind = TokenKind::Number(Name::from(digits));
            Some(error)
        }
        TokenKind::Character(text) if character_value(text).is_none() => {
            let error = Diagnostic::error(6, token.span, format!("`'{text}'` is not one character"))
                .help("a character constant is one character between quotes, such as 'a' or '\\n'");
            token.kind = TokenKind::Character(Name::from("?"));
            Some(error)
        }
        TokenKind::Name(name) if !name.is_ascii() => {
            let foreign = name.chars().find(|character| !character.is_ascii())?;
            let error = Diagnostic::error(7, token.span, format!("the letter `{foreign}` cannot stand in a name"));
            Some(error.help("names are made of a-z, A-Z, 0-9 and _"))
        }
        _ => None,
    }
}

fn wrong_number(text: &str, span: Span) -> Diagnostic {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    // Point at what is too much, unless a macro put it there.
    let is_written = span.expansion.is_none() && (span.end - span.start) as usize == text.len();
    let start = if is_written { span.start + u32::try_from(n_digits).unwrap_or(0) } else { span.start };
    let span = Span { start, ..span };
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = hexadecimal {
        let error = Diagnostic::error(5, span, "there are no hexadecimal numbers in Promela");
        return match u32::from_str_radix(digits, 16) {
            Ok(value) => error.help(format!("write {value}")),
            Err(_) => error,
        };
    }
    if text.contains('.') {
        return Diagnostic::error(5, span, "there are no fractions in Promela").help("all values are integers");
    }
    Diagnostic::error(5, span, format!("`{text}` is neither a number nor a name"))
        .help("a number is made of the digits 0-9, and a name begins with a letter")
}
