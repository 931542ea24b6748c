//! Reports tokens that are not Promela, and repairs them.
//!
//! The lexer lets them pass because a directive or an unused macro may hold
//! them. After this: no [`TokenKind::Unknown`], no `#`, a number is digits only,
//! a character constant is one character, a name is of ASCII letters.

use super::token::{Symbol, Token, TokenKind, character_value};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Name, SourceFile, Span};

/// Reports a file that is not a model: a picture, a program. One message helps more than one for each of its bytes.
pub fn not_text(file: &SourceFile) -> Option<Diagnostic> {
    // Bytes that are no UTF-8 are read as Latin-1.
    if file.text.starts_with("\u{ff}\u{fe}") || file.text.starts_with("\u{fe}\u{ff}") {
        let error = Diagnostic::error(8, Span::new(file.base, file.base + 4), "this file is UTF-16 text");
        return Some(error.help("save it as UTF-8, or convert it: `iconv -f UTF-16 -t UTF-8`"));
    }
    const LOOKED_AT: usize = 4096;
    // A few stray characters are reported one by one.
    const STRAY: usize = 20;
    let is_noise = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0b' | '\x0c');
    let (mut n_all, mut n_noise) = (0, 0);
    for character in file.text.chars().take(LOOKED_AT) {
        n_all += 1;
        n_noise += usize::from(is_noise(character));
    }
    let (first, noise) = file.text.char_indices().find(|(_, character)| is_noise(*character))?;
    let start = file.base + u32::try_from(first).ok()?;
    let end = start + u32::try_from(noise.len_utf8()).ok()?;
    let message = "this file is not text: one in ten of its characters is a control character";
    let error = Diagnostic::error(8, Span::new(start, end), message);
    (n_noise > STRAY && n_noise * 10 > n_all).then(|| error.help("is it the model that was meant?"))
}

pub fn check(tokens: &mut Vec<Token>, diagnostics: &mut Diagnostics) {
    // A run of such characters is reported once, however long it is.
    let mut last_unknown: Option<u32> = None;
    find_loose_at_signs(tokens);
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

/// `@` has a meaning only between a process and a label.
fn find_loose_at_signs(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let is_loose =
            tokens[at].kind.is_symbol(Symbol::At) && tokens.get(at + 1).is_none_or(|next| next.kind.word().is_none());
        if is_loose {
            tokens[at].kind = TokenKind::Unknown('@');
        }
    }
}

fn unknown_character(character: char, span: Span) -> Diagnostic {
    let message = match character {
        '\0' => "a NUL byte does not belong in a model".to_owned(),
        '\u{feff}' => "a byte order mark may only be the first thing in a file".to_owned(),
        '\\' => "a stray backslash: only behind the last character of a line does it mean something".to_owned(),
        '@' => "`@` must be followed by a label".to_owned(),
        '\u{2018}'..='\u{201f}' => format!("`{character}` is a typographic quote, which no token begins with"),
        _ if character.is_control() => {
            format!("the control character {} does not belong in a model", character.escape_default())
        }
        _ => format!("no token begins with `{character}`"),
    };
    let error = Diagnostic::error(1, span, message);
    match character {
        '@' => error.help("`P[pid]@label` is true while that process is at that label"),
        '\u{2018}'..='\u{201f}' => error.help("write straight quotes: `\"text\"` for a string, `'c'` for a character"),
        _ => error,
    }
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
    // Point at the superfluous part, unless a macro put it there.
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

#[cfg(test)]
mod tests {
    use crate::syntax::testing::check;

    #[test]
    fn characters_that_no_token_begins_with() {
        check("byte x; $ x", "byte x ; x", &["1:9 no token begins with `$`"]);
        check("x @= 1", "x = 1", &["1:3 `@` must be followed by a label"]);
        check("x = \0 1", "x = 1", &["1:5 a NUL byte does not belong in a model"]);
        check("\u{feff}x", "x", &[]);
        check("x \u{feff}", "x", &["1:3 a byte order mark may only be the first thing in a file"]);
        check("x # y", "x y", &["1:3 stray `#`"]);
        check(
            "x \\ y",
            "x y",
            &["1:3 a stray backslash: only behind the last character of a line does it mean something"],
        );
        // A run of such characters is one error, however long.
        check("$$$``$$ x $", "x", &["1:1 no token begins with `$`", "1:11 no token begins with `$`"]);
    }

    #[test]
    fn names_are_ascii() {
        check("byte na\u{ef}ve;", "byte na\u{ef}ve ;", &["1:6 the letter `\u{ef}` cannot stand in a name"]);
        check("\u{e9}t\u{e9}", "\u{e9}t\u{e9}", &["1:1 the letter `\u{e9}` cannot stand in a name"]);
        check("\u{d7}", "", &["1:1 no token begins with `\u{d7}`"]);
    }

    #[test]
    fn numbers_are_decimal() {
        check("x = 010", "x = 010", &[]);
        check("x = 0x1F", "x = 0", &["1:6 there are no hexadecimal numbers in Promela"]);
        check("x = 1.5", "x = 1", &["1:6 there are no fractions in Promela"]);
        check("x = 3abc", "x = 3", &["1:6 `3abc` is neither a number nor a name"]);
        check("0..9 1 .. 2 0..N", "0 .. 9 1 .. 2 0 .. N", &[]);
        // They are fine in a condition, and in a macro that is not used.
        check("#define MASK 0x0f\n#if MASK == 15\nx\n#endif", "x", &[]);
    }

    #[test]
    fn character_constants_are_one_character() {
        check("'a' '\\n' '\\'' '\\\\' ' '", "'a' '\\n' '\\'' '\\\\' ' '", &[]);
        check("x = 'ab'", "x = '?'", &["1:5 `'ab'` is not one character"]);
        check("x = ''", "x = '?'", &["1:5 `''` is not one character"]);
    }
}
