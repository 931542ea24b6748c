//! The words of a text as they were written: names and keywords, with macros and inlines as their definitions.
//!
//! The words are found in any text, also while a line is being typed, and in what the preprocessor removes: the bodies of
//! macros, and regions that an `#if` leaves out.

use crate::diagnostic::Diagnostics;
use crate::source::SourceFile;
use crate::syntax::lexer::Lexer;
use crate::syntax::token::{Keyword, NameInterner, Symbol, Token, TokenKind};

/// A name in a text; offsets are those of the text alone.
#[derive(Clone, Debug)]
pub struct Word {
    pub text: String,
    pub start: usize,
    pub end: usize,
    /// It stands in the line of a directive.
    pub is_in_directive: bool,
}

/// A macro or an inline.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub is_inline: bool,
    /// Of the name.
    pub start: usize,
    pub end: usize,
    /// The first line of its text, for people.
    pub shown: String,
}

/// An item of the model, for the outline.
#[derive(Clone, Debug)]
pub struct Item {
    pub name: String,
    pub kind: ItemKind,
    /// From its first word to its last.
    pub start: usize,
    pub end: usize,
    pub name_start: usize,
    pub name_end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Proctype,
    Init,
    Never,
    Trace,
    Ltl,
    Typedef,
    Inline,
    Mtype,
    Global,
    Macro,
}

#[derive(Clone, Debug, Default)]
pub struct Words {
    pub names: Vec<Word>,
    pub definitions: Vec<Definition>,
    pub items: Vec<Item>,
}

impl Words {
    pub fn of(file: &SourceFile) -> Self {
        let tokens = Lexer::new(file).lex_all(&mut NameInterner::default(), &mut Diagnostics::default());
        let base = file.base;
        let reader = Reader { text: &file.text, base, tokens: &tokens };
        let mut words = Self::default();
        reader.read(&mut words);
        words
    }

    /// The name that a place lies in or behind.
    pub fn at(&self, offset: usize) -> Option<&Word> {
        self.names.iter().find(|word| word.start <= offset && offset <= word.end)
    }
}

struct Reader<'t> {
    text: &'t str,
    base: u32,
    tokens: &'t [Token],
}

impl Reader<'_> {
    fn read(&self, words: &mut Words) {
        let mut depth = 0usize;
        let mut at = 0;
        let mut directive_ends = 0;
        while let Some(token) = self.tokens.get(at) {
            let (start, end) = self.place(token);
            if token.kind.is_symbol(Symbol::Hash) && self.begins_line(start) {
                directive_ends = self.line_end(start);
                self.directive(at, directive_ends, words);
            }
            let is_in_directive = start < directive_ends;
            match &token.kind {
                TokenKind::Name(name) => {
                    words.names.push(Word { text: name.to_string(), start, end, is_in_directive });
                }
                TokenKind::Symbol(Symbol::OpenBrace) if !is_in_directive => depth += 1,
                TokenKind::Symbol(Symbol::CloseBrace) if !is_in_directive => depth = depth.saturating_sub(1),
                TokenKind::Keyword(keyword) if depth == 0 && !is_in_directive => self.item(at, *keyword, words),
                _ => {}
            }
            at += 1;
        }
    }

    fn place(&self, token: &Token) -> (usize, usize) {
        let local = |offset: u32| (offset.saturating_sub(self.base) as usize).min(self.text.len());
        (local(token.span.start), local(token.span.end))
    }

    fn begins_line(&self, start: usize) -> bool {
        self.text[..start].rsplit('\n').next().is_some_and(|before| before.trim().is_empty())
    }

    /// The end of a line, with those that a backslash continues it by.
    fn line_end(&self, start: usize) -> usize {
        let mut end = start;
        for line in self.text[start..].split_inclusive('\n') {
            end += line.len();
            if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
                break;
            }
        }
        end
    }

    fn directive(&self, hash: usize, end: usize, words: &mut Words) {
        let is_define = self.tokens.get(hash + 1).and_then(|token| token.kind.word()) == Some("define");
        let Some(name) = self.tokens.get(hash + 2).filter(|_| is_define) else { return };
        let (Some(text), (start, name_end)) = (name.kind.word(), self.place(name)) else { return };
        if start >= end {
            return;
        }
        let first = self.place(&self.tokens[hash]).0;
        let definition = Definition {
            name: text.to_owned(),
            is_inline: false,
            start,
            end: name_end,
            shown: shown(&self.text[first..end]),
        };
        words.definitions.push(definition);
        let item = Item {
            name: text.to_owned(),
            kind: ItemKind::Macro,
            start: first,
            end: first + self.text[first..end].trim_end().len(),
            name_start: start,
            name_end,
        };
        words.items.push(item);
    }

    fn item(&self, at: usize, keyword: Keyword, words: &mut Words) {
        let kind = match keyword {
            Keyword::Proctype | Keyword::DProctype => ItemKind::Proctype,
            Keyword::Init => ItemKind::Init,
            Keyword::Never => ItemKind::Never,
            Keyword::Trace | Keyword::Notrace => ItemKind::Trace,
            Keyword::Ltl => ItemKind::Ltl,
            Keyword::Typedef => ItemKind::Typedef,
            Keyword::Inline => ItemKind::Inline,
            Keyword::Mtype if self.is_mtype_list(at) => ItemKind::Mtype,
            keyword if keyword.is_type() && !self.is_in_parameters(at) => return self.globals(at, words),
            _ => return,
        };
        let (start, keyword_end) = self.place(&self.tokens[at]);
        let name = self.tokens.get(at + 1).filter(|token| matches!(token.kind, TokenKind::Name(_)));
        let (name, (name_start, name_end)) = match name {
            Some(name) => (name.kind.text().into_owned(), self.place(name)),
            None => (keyword.text().to_owned(), (start, keyword_end)),
        };
        let end = self.end_of_block(at).max(name_end);
        if kind == ItemKind::Inline {
            let shown = shown(&self.text[start..end]);
            let definition =
                Definition { name: name.clone(), is_inline: true, start: name_start, end: name_end, shown };
            words.definitions.push(definition);
        }
        words.items.push(Item { name, kind, start, end, name_start, name_end });
    }

    /// `mtype = {` or `mtype:kind = {`, and not `mtype x`.
    fn is_mtype_list(&self, at: usize) -> bool {
        let is = |n: usize, symbol| self.tokens.get(at + n).is_some_and(|token| token.kind.is_symbol(symbol));
        is(1, Symbol::Assign) || is(1, Symbol::OpenBrace) || is(1, Symbol::Colon) && is(3, Symbol::Assign)
    }

    /// Whether an opening parenthesis is open here: then this declares a parameter.
    fn is_in_parameters(&self, at: usize) -> bool {
        let mut depth = 0i32;
        for token in self.tokens[..at].iter().rev() {
            match token.kind {
                TokenKind::Symbol(Symbol::CloseParen) => depth += 1,
                TokenKind::Symbol(Symbol::OpenParen) if depth == 0 => return true,
                TokenKind::Symbol(Symbol::OpenParen) => depth -= 1,
                // No parameter stands behind one of these.
                TokenKind::Symbol(Symbol::OpenBrace | Symbol::CloseBrace) => return false,
                TokenKind::Keyword(Keyword::Proctype | Keyword::DProctype) => return false,
                _ => {}
            }
        }
        false
    }

    /// The variables of a declaration: names in front of which the type or a comma stands, outside of any brackets.
    fn globals(&self, at: usize, words: &mut Words) {
        let start = self.place(&self.tokens[at]).0;
        let mut nesting = 0i32;
        let mut is_expected = true;
        for (number, token) in self.tokens.iter().enumerate().skip(at + 1) {
            match &token.kind {
                TokenKind::Symbol(Symbol::OpenParen | Symbol::OpenBracket | Symbol::OpenBrace) => nesting += 1,
                TokenKind::Symbol(Symbol::CloseParen | Symbol::CloseBracket | Symbol::CloseBrace) => nesting -= 1,
                TokenKind::Symbol(Symbol::Comma) if nesting == 0 => is_expected = true,
                // The kind of an mtype.
                TokenKind::Symbol(Symbol::Colon) if is_expected => {}
                TokenKind::Name(_) if is_expected && self.tokens[number - 1].kind.is_symbol(Symbol::Colon) => {}
                TokenKind::Name(name) if nesting == 0 && is_expected => {
                    is_expected = false;
                    let (name_start, name_end) = self.place(token);
                    let (name, kind) = (name.to_string(), ItemKind::Global);
                    words.items.push(Item {
                        name,
                        kind,
                        start: start.min(name_start),
                        end: name_end,
                        name_start,
                        name_end,
                    });
                }
                TokenKind::Symbol(Symbol::Semicolon | Symbol::Hash) if nesting == 0 => return,
                TokenKind::Keyword(_) if nesting == 0 => return,
                _ => {}
            }
            if nesting < 0 {
                return;
            }
        }
    }

    /// Behind the brace that closes the next block, or the end of the line if none opens.
    fn end_of_block(&self, at: usize) -> usize {
        let mut depth = 0usize;
        for token in &self.tokens[at..] {
            match token.kind {
                TokenKind::Symbol(Symbol::OpenBrace) => depth += 1,
                TokenKind::Symbol(Symbol::CloseBrace) if depth <= 1 => return self.place(token).1,
                TokenKind::Symbol(Symbol::CloseBrace) => depth -= 1,
                _ => {}
            }
        }
        let start = self.place(&self.tokens[at]).0;
        start + self.text[start..].lines().next().map_or(0, str::len)
    }
}

/// The beginning of a definition: its first lines.
fn shown(text: &str) -> String {
    const MOST_LINES: usize = 12;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let more = if lines.len() > MOST_LINES { "\n..." } else { "" };
    lines[..lines.len().min(MOST_LINES)].join("\n") + more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    fn words(text: &str) -> Words {
        let mut sources = SourceMap::new();
        sources.add("first.pml", "byte first;\n").unwrap();
        let id = sources.add("model.pml", text).unwrap();
        Words::of(sources.get(id))
    }

    fn outline(text: &str) -> Vec<String> {
        words(text)
            .items
            .iter()
            .map(|item| format!("{:?} {} {:?}", item.kind, item.name, &text[item.start..item.end]))
            .collect()
    }

    #[test]
    fn items_are_found_also_in_a_broken_text() {
        let text = "#define N \\\n  2\nmtype = { a, b }\nmtype:k x = a, y[N];\nchan q = [2] of { byte, mtype }\n\
            typedef T { byte f }\nT t;\ninline f(z) { z++ }\nactive proctype P(byte n; int m) { byte local; do :: x ++ ( od }\n\
            ltl { [] p }\ninit {";
        assert_eq!(
            outline(text),
            [
                "Macro N \"#define N \\\\\\n  2\"",
                "Mtype mtype \"mtype = { a, b }\"",
                "Global x \"mtype:k x\"",
                "Global y \"mtype:k x = a, y\"",
                "Global q \"chan q\"",
                "Typedef T \"typedef T { byte f }\"",
                "Inline f \"inline f(z) { z++ }\"",
                "Proctype P \"proctype P(byte n; int m) { byte local; do :: x ++ ( od }\"",
                "Ltl ltl \"ltl { [] p }\"",
                "Init init \"init {\"",
            ]
        );
    }

    #[test]
    fn any_text_has_words() {
        for text in [
            "",
            "#",
            "#define",
            "#define\nx",
            "{}}}{{",
            "\"",
            "/*",
            "'",
            "mtype:",
            "chan",
            "byte (",
            "typedef }",
            "ltl",
        ] {
            words(text);
        }
        assert!(words("#define N n\nm").at(10).is_some_and(|word| word.text == "n" && word.is_in_directive));
        assert!(words("ab cd").at(2).is_some_and(|word| word.text == "ab"));
        assert!(words("ab  cd").at(3).is_none());
    }
}
