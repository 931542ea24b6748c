//! From text to tokens, before macros and formulas are recognised.
//!
//! The longest match wins. Anything that can only be judged later (a number that is not decimal may be fine inside
//! `#if`, an odd character in an unused macro) becomes a token all the same, and [`check`](super::check) reports those
//! that are left at the end. Anything without an end (a string, a comment or a block of C) is reported here, at its
//! opening.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};
use crate::syntax::token::{Keyword, NameInterner, Symbol, Token, TokenKind};
use std::sync::Arc;

/// Reads one text from front to back.
#[derive(Debug)]
pub struct Lexer {
    text: Arc<str>,
    at: usize,
    base: u32,
    /// Since the last token: an end of a line, also in a comment or behind a backslash.
    newline: bool,
    space: bool,
    /// No token was read yet on this line, continued lines counting as one.
    at_line_start: bool,
    /// The end of the line is the end of the text.
    in_directive: bool,
    /// The last token was `c_code`, `c_decl` or `c_expr`: a brace opens C, not Promela.
    expects_c: bool,
}

impl Lexer {
    pub fn new(file: &SourceFile) -> Self {
        Self::from_text(file.text.clone(), file.base)
    }

    /// Reads `text`, whose first byte has the offset `base`.
    pub fn from_text(text: Arc<str>, base: u32) -> Self {
        // A byte order mark at the very start is skipped.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, base, newline: true, space: false, at_line_start: true, in_directive: false, expects_c: false }
    }

    pub fn lex_all(mut self, names: &mut NameInterner, diagnostics: &mut Diagnostics) -> Vec<Token> {
        std::iter::from_fn(|| self.next(names, diagnostics)).collect()
    }

    /// Whether a `#` that comes next opens a directive.
    pub fn is_at_line_start(&mut self, diagnostics: &mut Diagnostics) -> bool {
        self.skip_space(diagnostics);
        self.at_line_start
    }

    /// Whether the next token is `(`, maybe on another line.
    pub fn is_at_open_paren(&mut self, diagnostics: &mut Diagnostics) -> bool {
        self.skip_space(diagnostics);
        self.byte() == Some(b'(')
    }

    /// From now on the text ends where the line does.
    pub fn begin_directive(&mut self) {
        self.in_directive = true;
    }

    /// Skips the rest of the line of a directive.
    pub fn end_directive(&mut self, diagnostics: &mut Diagnostics) {
        while self.skip_space(diagnostics) && self.byte().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
        self.in_directive = false;
        self.expects_c = false;
    }

    /// Like [`Self::end_directive`], where the text does not count.
    pub fn leave_directive(&mut self) {
        self.in_directive = false;
        self.expects_c = false;
    }

    /// The rest of a directive's line as it was written, without blanks around it.
    pub fn rest_of_line(&mut self) -> (&str, Span) {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte != b'\n') {
            self.at += self.continuation().max(1);
        }
        let rest = &self.text[start..self.at];
        let begin = start + (rest.len() - rest.trim_start().len());
        let trimmed = rest.trim();
        (trimmed, self.span(begin, begin + trimmed.len()))
    }

    /// Skips to the next line whose first token is `#`, and says whether there
    /// is one. Only comments and quotes matter in the text between.
    pub fn skip_to_directive(&mut self) -> bool {
        while let Some(byte) = self.byte() {
            match byte {
                b'#' if self.at_line_start => return true,
                b'\n' => {
                    self.at_line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.byte_after(1) == Some(b'/') => self.line_comment(),
                b'/' if self.byte_after(1) == Some(b'*') => {
                    let end = self.text[self.at + 2..].find("*/");
                    self.at = end.map_or(self.text.len(), |length| self.at + 2 + length + 2);
                }
                b'"' | b'\'' => {
                    self.at_line_start = false;
                    self.skip_quoted(byte);
                }
                b'\\' if self.continuation() > 0 => self.at += self.continuation(),
                _ => {
                    self.at_line_start = false;
                    self.at += 1;
                }
            }
        }
        false
    }

    /// Skips to the closing quote; if the line has none, only the quote itself.
    fn skip_quoted(&mut self, quote: u8) {
        let rest = &self.text.as_bytes()[self.at + 1..];
        let mut is_escaped = false;
        for (distance, byte) in rest.iter().enumerate() {
            match *byte {
                b'\n' => break,
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                byte if byte == quote => {
                    self.at += distance + 2;
                    return;
                }
                _ => {}
            }
        }
        self.at += 1;
    }

    /// The next token, or `None` at the end of the text.
    pub fn next(&mut self, names: &mut NameInterner, diagnostics: &mut Diagnostics) -> Option<Token> {
        if !self.skip_space(diagnostics) {
            return None;
        }
        let start = self.at;
        let first = self.byte()?;
        let kind = if self.expects_c && matches!(first, b'{' | b'[') {
            self.c_text(names, diagnostics)
        } else {
            match first {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(names),
                b'0'..=b'9' => self.number(names),
                b'"' => self.quoted(b'"', names, diagnostics),
                b'\'' => self.quoted(b'\'', names, diagnostics),
                b'!'..=b'~' => self.symbol(first),
                _ => self.foreign(names),
            }
        };
        self.expects_c = matches!(kind, TokenKind::Keyword(Keyword::CCode | Keyword::CDecl | Keyword::CExpr));
        let token = Token {
            kind,
            span: self.span(start, self.at),
            parameter: None,
            newline_before: self.newline,
            space_before: self.space || self.newline,
        };
        (self.newline, self.space, self.at_line_start) = (false, false, false);
        Some(token)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn byte_after(&self, distance: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + distance).copied()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        // The file was added to the source map, which checks that offsets fit.
        let offset = |at: usize| self.base + u32::try_from(at).unwrap_or(u32::MAX - self.base);
        Span::new(offset(start), offset(end))
    }

    /// White space, comments and line continuations; says whether a token follows.
    fn skip_space(&mut self, diagnostics: &mut Diagnostics) -> bool {
        loop {
            match self.byte() {
                None => return false,
                Some(b'\n') if self.in_directive => return false,
                Some(b'\n') => {
                    self.newline = true;
                    self.at_line_start = true;
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c') => {
                    self.space = true;
                    self.at += 1;
                }
                Some(b'/') if self.byte_after(1) == Some(b'/') => self.line_comment(),
                Some(b'/') if self.byte_after(1) == Some(b'*') => self.block_comment(diagnostics),
                Some(b'\\') if self.continuation() > 0 => {
                    self.at += self.continuation();
                    self.newline = true;
                    self.space = true;
                }
                Some(_) => return true,
            }
        }
    }

    /// The length of the line continuation here: a backslash, maybe blanks, the
    /// line's end. Nothing if there is none.
    fn continuation(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.first() != Some(&b'\\') {
            return 0;
        }
        let blanks = rest[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if rest.get(1 + blanks) == Some(&b'\n') { blanks + 2 } else { 0 }
    }

    fn line_comment(&mut self) {
        self.space = true;
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => return,
                b'\\' => self.at += self.continuation().max(1),
                _ => self.at += 1,
            }
        }
    }

    fn block_comment(&mut self, diagnostics: &mut Diagnostics) {
        let start = self.at;
        let body = start + 2;
        self.space = true;
        match self.text[body..].find("*/") {
            Some(length) => {
                self.newline |= self.text[body..body + length].contains('\n');
                self.at = body + length + 2;
            }
            None => {
                self.at = self.text.len();
                let error = Diagnostic::error(2, self.span(start, body), "this comment is never closed")
                    .help("comments end with `*/`; they do not nest");
                diagnostics.add(error);
            }
        }
    }

    fn word(&mut self, names: &mut NameInterner) -> TokenKind {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().take_while(|byte| is_word_byte(**byte)).count();
        self.at += length;
        if rest.get(length).is_some_and(|byte| !byte.is_ascii()) {
            self.at += foreign_length(&self.text[self.at..]);
        }
        names.word(&self.text[start..self.at])
    }

    /// Like C's preprocessor, includes letters behind digits, and a fraction.
    fn number(&mut self, names: &mut NameInterner) -> TokenKind {
        let start = self.at;
        self.skip_word_bytes();
        if self.byte() == Some(b'.') && self.byte_after(1).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
            self.skip_word_bytes();
        }
        TokenKind::Number(names.name(&self.text[start..self.at]))
    }

    fn skip_word_bytes(&mut self) {
        while self.byte().is_some_and(is_word_byte) {
            self.at += 1;
        }
    }

    /// A string or a character constant.
    fn quoted(&mut self, quote: u8, names: &mut NameInterner, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        self.at += 1;
        let mut is_spliced = false;
        let end = loop {
            match self.byte() {
                Some(byte) if byte == quote => {
                    self.at += 1;
                    break self.at - 1;
                }
                None | Some(b'\n') => {
                    diagnostics.add(self.unclosed_quote(start, quote));
                    break self.at;
                }
                Some(b'\\') => {
                    let splice = self.continuation();
                    is_spliced |= splice > 0;
                    // An escaped line end is not part of the text; another escaped byte does not close it.
                    self.at = (self.at + splice.max(2)).min(self.text.len());
                }
                Some(_) => self.at += 1,
            }
        };
        let text = &self.text[start + 1..end];
        let name = if is_spliced { names.name(&without_splices(text)) } else { names.name(text) };
        if quote == b'"' { TokenKind::String(name) } else { TokenKind::Character(name) }
    }

    fn unclosed_quote(&self, start: usize, quote: u8) -> Diagnostic {
        let (what, mark) = if quote == b'"' { ("string", '"') } else { ("character constant", '\'') };
        Diagnostic::error(3, self.span(start, start + 1), format!("this {what} is not closed on its line"))
            .help(format!("put a `{mark}` at its end"))
    }

    fn symbol(&mut self, first: u8) -> TokenKind {
        let (symbol, length) = Symbol::longest(first, self.byte_after(1));
        self.at += length;
        symbol.map_or(TokenKind::Unknown(char::from(first)), TokenKind::Symbol)
    }

    /// A character outside of ASCII, or a control character. A name that begins
    /// with a foreign letter is kept whole.
    fn foreign(&mut self, names: &mut NameInterner) -> TokenKind {
        let start = self.at;
        let first = self.text[start..].chars().next().unwrap_or_default();
        if first.is_alphabetic() {
            self.at += foreign_length(&self.text[start..]);
            return TokenKind::Name(names.name(&self.text[start..self.at]));
        }
        self.at += first.len_utf8();
        TokenKind::Unknown(first)
    }

    /// `{ ... }` or `[ ... ] { ... }` after `c_code` and its like.
    fn c_text(&mut self, names: &mut NameInterner, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        if self.byte() == Some(b'[') {
            self.c_group(b'[', b']', diagnostics);
            self.skip_space(diagnostics);
            if self.byte() != Some(b'{') {
                return TokenKind::CText(names.name(self.text[start..self.at].trim_end()));
            }
        }
        self.c_group(b'{', b'}', diagnostics);
        TokenKind::CText(names.name(&self.text[start..self.at]))
    }

    /// Skips a bracketed piece of C: brackets in strings and comments do not count.
    fn c_group(&mut self, open: u8, close: u8, diagnostics: &mut Diagnostics) {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' | b'\'' => self.c_quoted(byte),
                b'/' if self.byte_after(1) == Some(b'/') => self.line_comment(),
                b'/' if self.byte_after(1) == Some(b'*') => self.block_comment(diagnostics),
                _ => {
                    self.at += 1;
                    depth += usize::from(byte == open);
                    depth -= usize::from(byte == close);
                    if depth == 0 {
                        return;
                    }
                }
            }
        }
        let error = Diagnostic::error(4, self.span(start, start + 1), "this piece of C is never closed")
            .help(format!("it ends with the matching `{}`", char::from(close)));
        diagnostics.add(error);
    }

    fn c_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.byte() {
            self.at += 1;
            match byte {
                b'\\' if self.byte().is_some() => self.at += 1,
                b'\n' => return,
                _ if byte == quote => return,
                _ => {}
            }
        }
    }
}

/// Takes the text of embedded C apart: `[guard] { code }`, or only the latter.
/// Both parts keep their brackets.
pub fn split_c_text(text: &str) -> (Option<&str>, &str) {
    let mut unheard = Diagnostics::default();
    let mut lexer = Lexer::from_text(text.into(), 0);
    if lexer.byte() != Some(b'[') {
        return (None, text);
    }
    lexer.c_group(b'[', b']', &mut unheard);
    let guard = &text[..lexer.at];
    lexer.skip_space(&mut unheard);
    (Some(guard), &text[lexer.at..])
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes of `text` continue a name, if letters of every script did.
fn foreign_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

fn without_splices(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let spliced = if lines.peek().is_some() { line.trim_end().strip_suffix('\\') } else { None };
        kept.push_str(spliced.unwrap_or(line));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::split_c_text;
    use crate::syntax::testing::{check, tokenized};
    use crate::syntax::token::{Keyword, Symbol, TokenKind};

    #[test]
    fn the_longest_symbol_wins() {
        check("a!!b", "a !! b", &[]);
        check("a! !b", "a ! ! b", &[]);
        check("(a--->b)", "( a -- -> b )", &[]);
        check("x<<=1", "x << = 1", &[]);
        check("q??[x]", "q ?? [ x ]", &[]);
        check("::a:b", ":: a : b", &[]);
        check("1...2", "1 .. . 2", &[]);
        check("(<><->[])", "( < > < -> [ ] )", &[]);
    }

    #[test]
    fn every_symbol_and_keyword_is_read_back() {
        for symbol in Symbol::ALL {
            let joined_in_formulas = matches!(symbol, Symbol::Box | Symbol::Diamond | Symbol::DoubleArrow);
            let is_directive = matches!(symbol, Symbol::Hash | Symbol::HashHash | Symbol::At);
            if !joined_in_formulas && !is_directive {
                let found = tokenized(&format!("x({}", symbol.text())).tokens;
                assert_eq!(found.last().map(|token| &token.kind), Some(&TokenKind::Symbol(*symbol)));
            }
        }
        for keyword in Keyword::ALL.iter().filter(|keyword| **keyword != Keyword::Inline) {
            let found = tokenized(keyword.text()).tokens.remove(0).kind;
            let is_name = matches!(found, TokenKind::Name(_));
            assert_eq!(is_name, keyword.is_contextual(), "{}", keyword.text());
        }
    }

    #[test]
    fn comments_are_space() {
        check("a/* b */c // d\n/**/ e /***/ f", "a c e f", &[]);
        check("a /* b", "a", &["1:3 this comment is never closed"]);
        check("a / * b", "a / * b", &[]);
        check("\"/* no */\" '/'", "\"/* no */\" '/'", &[]);
    }

    #[test]
    fn strings_keep_their_escapes() {
        check(r#"printf("a\"b\n\\")"#, r#"printf ( "a\"b\n\\" )"#, &[]);
        check("printf(\"open)", "printf ( \"open)\"", &["1:8 this string is not closed on its line"]);
        check("x = 'a", "x = 'a'", &["1:5 this character constant is not closed on its line"]);
        check("\"a\\", "\"a\\\"", &["1:1 this string is not closed on its line"]);
        check("\"\u{e9}\u{4e2d}\\\u{e9}\"", "\"\u{e9}\u{4e2d}\\\u{e9}\"", &[]);
    }

    #[test]
    fn embedded_c_is_kept_as_it_is() {
        check("c_code { if (x) { y = '}'; } }", "c_code { if (x) { y = '}'; } }", &[]);
        check("c_code { \"}\" /* } */ // }\n }", "c_code { \"}\" /* } */ // }\n }", &[]);
        check("c_expr [a[0]] { a[0] > 1 }", "c_expr [a[0]] { a[0] > 1 }", &[]);
        check("c_decl { int x; } byte y", "c_decl { int x; } byte y", &[]);
        check("c_state \"int x\" \"Global\"", "c_state \"int x\" \"Global\"", &[]);
        check("c_code { { }", "c_code { { }", &["1:8 this piece of C is never closed"]);
        assert_eq!(split_c_text("[a[0] {'] {'}] /* { */ { b }"), (Some("[a[0] {'] {'}]"), "{ b }"));
        assert_eq!(split_c_text("{ b }"), (None, "{ b }"));
        let found = tokenized("c_expr { $ \\ # } + 1").tokens;
        assert_eq!(found[1].kind, TokenKind::CText("{ $ \\ # }".into()));
    }
}
