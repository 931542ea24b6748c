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
    let mut placer = SeparatorPlacer {
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
enum Nesting {
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

struct SeparatorPlacer<'a> {
    placed: Vec<Token>,
    /// A separator that was read and not placed yet.
    pending: Option<Token>,
    levels: Vec<Nesting>,
    /// If the last token closed a level: which.
    closed: Option<Nesting>,
    types: Lookup<Name, Word>,
    diagnostics: &'a mut Diagnostics,
}

impl SeparatorPlacer<'_> {
    fn place(&mut self, token: Token) {
        let level = self.levels.last().copied();
        if matches!(level, None | Some(Nesting::Sequence)) && is_separator(&token.kind) {
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
            Some(Nesting::Sequence) => self.separate(&token),
            Some(Nesting::Mtype) => {
                let after_name = matches!(self.placed.last(), Some(Token { kind: TokenKind::Name(_), .. }));
                if after_name && matches!(token.kind, TokenKind::Name(_)) {
                    self.emit_after_last(Symbol::Comma);
                }
                let after_comma = self.placed.last().is_some_and(|last| last.kind.is_symbol(Symbol::Comma));
                if after_comma && token.kind.is_symbol(Symbol::CloseBrace) {
                    self.placed.pop();
                }
            }
            Some(Nesting::Parens) if token.kind.is_symbol(Symbol::Semicolon) => {
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
            TokenKind::Symbol(Symbol::CloseParen) if self.closed == Some(Nesting::For) => false,
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
        if after_brace && token.kind.is_symbol(Symbol::Comma) && self.closed == Some(Nesting::List) {
            let error = Diagnostic::error(40, token.span, "a comma cannot follow the `}` of an initialiser");
            self.diagnostics.add(error.help("end the declaration with `;` and begin a new one"));
        }
    }

    fn emit_after_last(&mut self, symbol: Symbol) {
        let span = self.placed.last().map_or(Span::default(), |last| Span { start: last.span.end, ..last.span });
        let kind = TokenKind::Symbol(symbol);
        self.placed.push(Token { kind, span, parameter: None, newline_before: false, space_before: false });
    }

    fn emit(&mut self, token: Token) {
        self.closed = None;
        match token.kind {
            TokenKind::Symbol(Symbol::OpenBrace) => self.levels.push(self.brace_level()),
            TokenKind::Symbol(Symbol::OpenParen) => {
                let after_for = self.placed.last().is_some_and(|last| last.kind.is_keyword(Keyword::For));
                self.levels.push(if after_for { Nesting::For } else { Nesting::Parens });
            }
            TokenKind::Symbol(Symbol::OpenBracket) => self.levels.push(Nesting::Parens),
            TokenKind::Symbol(Symbol::CloseParen | Symbol::CloseBracket) => {
                if let Some(Nesting::Parens | Nesting::For) = self.levels.last() {
                    self.closed = self.levels.pop();
                }
            }
            TokenKind::Symbol(Symbol::CloseBrace) => {
                // A parenthesis that was never closed ends here too.
                while let Some(level) = self.levels.pop() {
                    self.closed = Some(level);
                    if !matches!(level, Nesting::Parens | Nesting::For) {
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
    fn brace_level(&self) -> Nesting {
        let mut before = self.placed.iter().rev().map(|token| &token.kind);
        match (before.next(), before.next(), before.next(), before.next()) {
            (Some(TokenKind::Keyword(Keyword::Mtype)), ..) => Nesting::Mtype,
            (Some(TokenKind::Symbol(Symbol::Assign)), Some(TokenKind::Keyword(Keyword::Mtype)), ..) => Nesting::Mtype,
            (
                Some(TokenKind::Symbol(Symbol::Assign)),
                Some(TokenKind::Name(_)),
                Some(TokenKind::Symbol(Symbol::Colon)),
                Some(TokenKind::Keyword(Keyword::Mtype)),
            ) => Nesting::Mtype,
            (Some(TokenKind::Symbol(Symbol::Assign) | TokenKind::Keyword(Keyword::Of)), ..) => Nesting::List,
            (Some(TokenKind::Keyword(Keyword::Ltl)), ..) => Nesting::Formula,
            (Some(TokenKind::Name(_)), Some(TokenKind::Keyword(Keyword::Ltl)), ..) => Nesting::Formula,
            _ => Nesting::Sequence,
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

#[cfg(test)]
mod tests {
    use crate::syntax::testing::check;

    /// The statements of a process, as they are written and as the grammar sees them.
    #[track_caller]
    fn check_body(text: &str, tokens: &str) {
        check(&format!("init {{\n{text}\n}}"), &format!("init {{ {tokens} }}"), &[]);
    }

    #[test]
    fn the_end_of_a_line_ends_a_statement() {
        check_body("x = y\nx = 1\nx++\nx--\nx = 'a'", "x = y ; x = 1 ; x ++ ; x -- ; x = 'a'");
        check_body("(x)\nx = a[1]\nskip\ntimeout\ntrue\nq!1", "( x ) ; x = a [ 1 ] ; skip ; timeout ; true ; q ! 1");
        check_body("if\n:: x\nfi\ndo\n:: break\nod\nx", "if :: x fi ; do :: break od ; x");
        check_body("c_code { x; }\nc_expr { 1 }\nx", "c_code { x; } ; c_expr { 1 } ; x");
        check_body("byte i\nbyte j = 1\n\n\nx = 1", "byte i ; byte j = 1 ; x = 1");
        check_body("x = y\n(z)", "x = y ; ( z )");
        check_body("L:\nx = 1", "L : x = 1");
    }

    #[test]
    fn not_where_a_statement_goes_on() {
        check_body("x = 1 +\n2", "x = 1 + 2");
        check_body("x =\n1", "x = 1");
        check_body("x = (1\n+ 2\n)\ny", "x = ( 1 + 2 ) ; y");
        check_body("x = a[1\n+ 1]", "x = a [ 1 + 1 ]");
        check_body("printf(\"a\",\nx)", "printf ( \"a\" , x )");
        check_body("assert\n(x)", "assert ( x )");
        check_body("atomic\n{\nx\n}", "atomic { x }");
        check_body("for (i : 1 .. 2)\n{\nx\n}\ny", "for ( i : 1 .. 2 ) { x } ; y");
        check_body("byte a[2] = {1\n, 2\n}\ny", "byte a [ 2 ] = { 1 , 2 } ; y");
        check_body("chan q = [1] of {\nbyte\n, T\n}\ny", "chan q = [ 1 ] of { byte , T } ; y");
        check("typedef T { byte a }\ninit { T\nt\nx }", "typedef T { byte a } init { T t ; x }", &[]);
        check("proctype P() { x }\ninit { run P\n() }", "proctype P ( ) { x } init { run P ( ) }", &[]);
    }

    #[test]
    fn a_brace_and_else_need_no_separator_behind_them() {
        check_body("{ x } y", "{ x } ; y");
        check_body("atomic { x } -> y", "atomic { x } -> y");
        check_body("{ x } { y }", "{ x } ; { y }");
        check_body("byte a[2] = {1, 2} x", "byte a [ 2 ] = { 1 , 2 } ; x");
        check_body("if :: x :: else y fi", "if :: x :: else ; y fi");
        check_body("if :: x :: else -> y fi", "if :: x :: else -> y fi");
        check_body("if :: x :: else\ny fi", "if :: x :: else ; y fi");
        check_body("if :: else :: x :: else fi", "if :: else :: x :: else fi");
        check("inline f() { x }\ninit { f() y }", "init { f { x } ; y }", &[]);
    }

    #[test]
    fn none_before_what_ends_a_sequence() {
        check_body("{ x; }; if :: x; y; :: y -> fi; do :: x\nod", "{ x } ; if :: x ; y :: y fi ; do :: x od");
        check_body("{ x }\n\nunless\n{ y }\nz", "{ x } unless { y } ; z");
        check_body("x\nunless\ny", "x unless y");
        check_body("x; unless y", "x ; unless y");
    }

    #[test]
    fn several_are_one() {
        check_body("x;; y; -> z\n; ; x -> ; y ;;;", "x ; y ; z ; x -> y");
        check_body("x\n-> y\n;z", "x -> y ; z");
    }

    #[test]
    fn one_before_the_first_statement_stays() {
        check_body("; x", "; x");
        check_body("if :: ; x fi", "if :: ; x fi");
        check_body("{ ; }", "{ ; }");
        check_body("L: ; x", "L : ; x");
    }

    #[test]
    fn items_need_none() {
        check(";;byte x\nbyte y;; byte z byte u;", "byte x byte y ; byte z byte u ;", &[]);
        check("proctype P() { x } -> byte y", "proctype P ( ) { x } ; byte y", &[]);
        check("typedef T { byte a\nbyte b;; byte c; }", "typedef T { byte a ; byte b ; byte c }", &[]);
        check("proctype P(byte a\n;; byte b\n)\n{ x }", "proctype P ( byte a ; byte b ) { x }", &[]);
        check("ltl p {\n[] x\n-> y\n}", "ltl p { [] x -> y }", &[]);
        check("active\n[2]\nproctype P()\npriority 3\n{ x }", "active [ 2 ] proctype P ( ) priority 3 { x }", &[]);
    }

    #[test]
    fn commas_of_mtype_lists() {
        check("mtype = { a b, c\nd, }", "mtype = { a , b , c , d }", &[]);
        check("mtype { a b }", "mtype { a , b }", &[]);
        check("mtype:kind = { a b }", "mtype : kind = { a , b }", &[]);
    }

    #[test]
    fn no_comma_behind_the_brace_of_an_initialiser() {
        let message = "a comma cannot follow the `}` of an initialiser";
        check("byte a[2] = {1, 2}, b", "byte a [ 2 ] = { 1 , 2 } , b", &[&format!("1:19 {message}")]);
        check("chan a = [1] of {byte}, b", "chan a = [ 1 ] of { byte } , b", &[&format!("1:23 {message}")]);
    }

    #[test]
    fn parentheses_left_open_end_with_the_block() {
        check("init { x = ((1\n+ 2); y }\nbyte z", "init { x = ( ( 1 + 2 ) ; y } byte z", &[]);
    }
}
