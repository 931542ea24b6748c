//! Finds the word `scalarset`, which is a name wherever no type may stand.
//!
//! `scalarset(3) x` is a declaration, and so is what a macro makes of `Node x`; nothing in plain Promela has a name, something
//! in parentheses and another name behind it on the same line. In a channel's list of fields the word stands behind `of {`.

use super::token::{Keyword, Symbol, Token, TokenKind};

/// Turns the word into a keyword where it begins a type. Inlines are not expanded yet.
pub fn mark_sets(tokens: &mut [Token]) {
    let marked: Vec<usize> = (0..tokens.len()).filter(|at| is_word(&tokens[*at]) && is_type(tokens, *at)).collect();
    for at in marked {
        tokens[at].kind = TokenKind::Keyword(Keyword::Scalarset);
    }
}

fn is_word(token: &Token) -> bool {
    matches!(&token.kind, TokenKind::Name(name) if &**name == Keyword::Scalarset.text())
}

fn is_type(tokens: &[Token], at: usize) -> bool {
    let Some(close) = closing(tokens, at + 1) else { return false };
    match tokens.get(close + 1) {
        Some(next) if matches!(next.kind, TokenKind::Name(_)) => !next.newline_before,
        Some(next) => {
            let is_end = next.kind.is_symbol(Symbol::Comma) || next.kind.is_symbol(Symbol::CloseBrace);
            is_end && is_field(&tokens[..at])
        }
        None => false,
    }
}

/// The parenthesis that closes the one at `open`, in the same statement.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    if !tokens.get(open)?.kind.is_symbol(Symbol::OpenParen) {
        return None;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &token.kind {
            TokenKind::Symbol(Symbol::OpenParen) => depth += 1,
            TokenKind::Symbol(Symbol::CloseParen) if depth == 1 => return Some(at),
            TokenKind::Symbol(Symbol::CloseParen) => depth -= 1,
            TokenKind::Symbol(Symbol::Semicolon | Symbol::OpenBrace | Symbol::CloseBrace) => return None,
            _ => {}
        }
    }
    None
}

/// Whether these tokens end within the fields of a channel: `of { byte,`.
fn is_field(before: &[Token]) -> bool {
    let mut before = before.iter().rev().map(|token| &token.kind);
    let ends = |kind: &&TokenKind| {
        matches!(kind, TokenKind::Symbol(Symbol::OpenBrace | Symbol::CloseBrace | Symbol::Semicolon))
    };
    before.find(ends).is_some_and(|kind| kind.is_symbol(Symbol::OpenBrace))
        && before.next().is_some_and(|kind| kind.is_keyword(Keyword::Of))
}

#[cfg(test)]
mod tests {
    use super::mark_sets;
    use crate::source::SourceMap;
    use crate::syntax::lexer::Lexer;
    use crate::syntax::token::{Keyword, NameInterner, TokenKind};

    fn n_marked(text: &str) -> usize {
        let mut sources = SourceMap::default();
        let file = sources.add("model.pml", text.to_owned()).expect("it is small");
        let mut diagnostics = crate::diagnostic::Diagnostics::default();
        let mut tokens = Lexer::new(sources.get(file)).lex_all(&mut NameInterner::default(), &mut diagnostics);
        mark_sets(&mut tokens);
        tokens.iter().filter(|token| matches!(token.kind, TokenKind::Keyword(Keyword::Scalarset))).count()
    }

    #[test]
    fn a_type_is_marked() {
        for text in [
            "scalarset(3) x = none;",
            "hidden scalarset((1 + 2), Node) x;",
            "proctype P(scalarset(3) me) { skip }",
            "chan q = [2] of { byte, scalarset(3) };",
            "typedef R { bool b; scalarset(3) x = none }",
        ] {
            assert_eq!(n_marked(text), 1, "{text}");
        }
        assert_eq!(n_marked("chan q = [2] of { scalarset(2), scalarset(3, Disk), byte };"), 2);
    }

    #[test]
    fn a_name_stays_a_name() {
        for text in [
            "byte scalarset; init { scalarset = 1 }",
            "inline scalarset(x) { x = 1 } init { byte y; scalarset(y); y = 2 }",
            "init { byte y; scalarset(y)\ny = 2 }",
            "init { do :: scalarset(1) od }",
            "mtype = { scalarset }; chan q = [1] of { mtype, byte }; init { q!scalarset(1) }",
        ] {
            assert_eq!(n_marked(text), 0, "{text}");
        }
    }
}
