//! The words of temporal logic, which are tokens inside formulas only.
//!
//! Outside, `U` or `until` is a name like any other and `[]` are two brackets,
//! so the lexer knows nothing of them. Macros may stand for parts of a formula,
//! so this comes after the preprocessor.

use super::token::{Keyword, Symbol, Token, TokenKind};

/// Finds each `ltl { ... }` and `ltl name { ... }` and turns its words and
/// symbols into those of temporal logic.
pub fn mark_formulas(tokens: &mut Vec<Token>) {
    let Some(first) = tokens.iter().position(|token| token.kind.is_keyword(Keyword::Ltl)) else { return };
    let mut marker = Marker { marked: std::mem::take(tokens), kept: first, is_inside: false };
    let mut n_open = 0_usize;
    let mut announced = 0;
    for at in first..marker.marked.len() {
        let kind = &marker.marked[at].kind;
        let was_inside = n_open > 0;
        match kind {
            TokenKind::Keyword(Keyword::Ltl) => announced = 2,
            TokenKind::Symbol(Symbol::OpenBrace) if announced > 0 || n_open > 0 => {
                announced = 0;
                n_open += 1;
            }
            TokenKind::Symbol(Symbol::CloseBrace) => n_open = n_open.saturating_sub(1),
            // These begin what comes after a formula that was never closed.
            TokenKind::Keyword(
                Keyword::Active | Keyword::Proctype | Keyword::DProctype | Keyword::Init | Keyword::Never,
            ) => n_open = 0,
            _ if announced > 0 => announced -= 1,
            _ => {}
        }
        marker.is_inside = was_inside && n_open > 0;
        marker.keep(at);
    }
    marker.finish(tokens);
}

/// All of a text is a formula.
pub fn mark_formula(tokens: &mut Vec<Token>) {
    let mut marker = Marker { marked: std::mem::take(tokens), kept: 0, is_inside: true };
    for at in 0..marker.marked.len() {
        marker.keep(at);
    }
    marker.finish(tokens);
}

/// Rewrites tokens in place: those before `kept` are done.
struct Marker {
    marked: Vec<Token>,
    kept: usize,
    is_inside: bool,
}

impl Marker {
    /// Moves the token at `at` to those that are done, or joins it with the last of them.
    fn keep(&mut self, at: usize) {
        self.marked.swap(self.kept, at);
        if self.is_inside {
            let (done, rest) = self.marked.split_at_mut(self.kept);
            let token = &mut rest[0];
            if let TokenKind::Name(name) = &token.kind
                && let Some(keyword) = formula_word(name)
            {
                token.kind = TokenKind::Keyword(keyword);
            }
            if !token.space_before
                && let Some(last) = done.last_mut()
                && let Some(symbol) = joined(&last.kind, &token.kind)
            {
                last.kind = TokenKind::Symbol(symbol);
                last.span = last.span.to(token.span);
                return;
            }
        }
        self.kept += 1;
    }

    fn finish(mut self, tokens: &mut Vec<Token>) {
        self.marked.truncate(self.kept);
        *tokens = self.marked;
    }
}

fn formula_word(name: &str) -> Option<Keyword> {
    match name {
        "U" => Some(Keyword::Until),
        "W" => Some(Keyword::WeakUntil),
        "V" | "R" => Some(Keyword::Release),
        "X" => Some(Keyword::Next),
        _ => Keyword::from_text(name).filter(|keyword| keyword.is_of_formulas()),
    }
}

/// What two tokens mean that stand side by side in a formula.
fn joined(left: &TokenKind, right: &TokenKind) -> Option<Symbol> {
    match (left, right) {
        (TokenKind::Symbol(Symbol::OpenBracket), TokenKind::Symbol(Symbol::CloseBracket)) => Some(Symbol::Box),
        (TokenKind::Symbol(Symbol::Less), TokenKind::Symbol(Symbol::Greater)) => Some(Symbol::Diamond),
        (TokenKind::Symbol(Symbol::Less), TokenKind::Symbol(Symbol::Arrow)) => Some(Symbol::DoubleArrow),
        (TokenKind::Symbol(Symbol::Slash), TokenKind::Unknown('\\')) => Some(Symbol::AndAnd),
        (TokenKind::Unknown('\\'), TokenKind::Symbol(Symbol::Slash)) => Some(Symbol::OrOr),
        _ => None,
    }
}
