//! The words of temporal logic, which are tokens inside formulas only.
//!
//! Outside, `U` or `until` is a name like any other and `[]` are two brackets,
//! so the lexer knows nothing of them. Macros may stand for parts of a formula,
//! so this comes after the preprocessor.
//!
//! Even inside, `U`, `V`, `W`, `R` and `X` are operators only where an operator
//! can stand: a model may have a variable of that name, as in `<> R`.

use super::token::{Keyword, NameInterner, Symbol, Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceFile, Span};

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

/// A standalone formula as an item of a model: `ltl name { ... }`. The added tokens have no position of their own.
pub fn item(
    name: &str,
    formula: Vec<Token>,
    names: &mut NameInterner,
    file: &SourceFile,
) -> Result<impl Iterator<Item = Token>, Diagnostic> {
    let (Some(first), Some(last)) = (formula.first(), formula.last()) else {
        return Err(Diagnostic::error(401, Span::new(file.base, file.end()), "the formula is empty"));
    };
    let is_brace = |token: &&Token| matches!(token.kind, TokenKind::Symbol(Symbol::OpenBrace | Symbol::CloseBrace));
    if let Some(brace) = formula.iter().find(is_brace) {
        return Err(Diagnostic::error(401, brace.span, "there are no braces in a formula"));
    }
    let (start, end) = (first.span.start, last.span.end);
    let token =
        |kind, at| Token { kind, span: Span::new(at, at), parameter: None, newline_before: true, space_before: true };
    let head = [
        token(TokenKind::Keyword(Keyword::Ltl), start),
        token(names.word(name), start),
        token(TokenKind::Symbol(Symbol::OpenBrace), start),
    ];
    let close = token(TokenKind::Symbol(Symbol::CloseBrace), end);
    Ok(head.into_iter().chain(formula).chain([close]))
}

/// The whole text is a formula.
pub fn mark_formula(tokens: &mut Vec<Token>) {
    let mut marker = Marker { marked: std::mem::take(tokens), kept: 0, is_inside: true };
    for at in 0..marker.marked.len() {
        marker.keep(at);
    }
    marker.finish(tokens);
}

/// Rewrites tokens in place: those before `kept` are finished.
struct Marker {
    marked: Vec<Token>,
    kept: usize,
    is_inside: bool,
}

impl Marker {
    /// Moves the token at `at` to the finished ones, or joins it with the last of them.
    fn keep(&mut self, at: usize) {
        self.marked.swap(self.kept, at);
        if self.is_inside {
            let next_begins = self.marked.get(at + 1).is_some_and(|next| begins_operand(&next.kind));
            let (done, rest) = self.marked.split_at_mut(self.kept);
            let token = &mut rest[0];
            let after_operand = done.last().is_some_and(|last| ends_operand(&last.kind));
            if let TokenKind::Name(name) = &token.kind
                && let Some(keyword) = formula_word(name, after_operand, next_begins)
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

fn formula_word(name: &str, after_operand: bool, before_operand: bool) -> Option<Keyword> {
    match name {
        "U" if after_operand => Some(Keyword::Until),
        "W" if after_operand => Some(Keyword::WeakUntil),
        "V" | "R" if after_operand => Some(Keyword::Release),
        "X" if before_operand && !after_operand => Some(Keyword::Next),
        "stronguntil" => Some(Keyword::Until),
        _ => Keyword::from_text(name).filter(|keyword| keyword.is_of_formulas()),
    }
}

fn ends_operand(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Character(_) | TokenKind::CText(_) => true,
        TokenKind::Symbol(symbol) => matches!(symbol, Symbol::CloseParen | Symbol::CloseBracket),
        TokenKind::Keyword(keyword) => {
            matches!(keyword, Keyword::True | Keyword::False | Keyword::Skip | Keyword::Timeout | Keyword::NonProgress)
        }
        TokenKind::String(_) | TokenKind::InlineCall(_) | TokenKind::Unknown(_) => false,
    }
}

fn begins_operand(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Character(_) | TokenKind::Keyword(_) => true,
        TokenKind::Symbol(symbol) => matches!(
            symbol,
            Symbol::OpenParen | Symbol::OpenBracket | Symbol::Less | Symbol::Bang | Symbol::Tilde | Symbol::Minus
        ),
        TokenKind::String(_) | TokenKind::CText(_) | TokenKind::InlineCall(_) | TokenKind::Unknown(_) => false,
    }
}

/// The meaning of two adjacent tokens in a formula.
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

#[cfg(test)]
mod tests {
    use crate::syntax::testing::{check, outcome};
    use crate::syntax::token::TokenKind;
    use crate::syntax::tokenize_formula;

    /// A formula's tokens, with those of temporal logic in brackets.
    fn formula(text: &str) -> String {
        let found = outcome(text, |sources, file, diagnostics| tokenize_formula(sources, file, diagnostics));
        let print = |kind: &TokenKind| match kind {
            TokenKind::Keyword(keyword) if keyword.is_of_formulas() => format!("<{}>", keyword.text()),
            other => other.text().into_owned(),
        };
        found.tokens.iter().map(|token| print(&token.kind)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_and_symbols_of_formulas() {
        assert_eq!(formula("[]<>p"), "[] <> p");
        assert_eq!(formula("[ ] < > p"), "[ ] < > p");
        assert_eq!(formula("p <-> q"), "p <-> q");
        assert_eq!(formula("p -> q U r V s W t R u"), "p -> q <until> r <release> s <weakuntil> t <release> u");
        assert_eq!(formula("always (p implies eventually q)"), "<always> ( p <implies> <eventually> q )");
        assert_eq!(formula("p stronguntil q weakuntil X p"), "p <until> q <weakuntil> <next> p");
        assert_eq!(formula("p /\\ q \\/ r"), "p && q || r");
        assert_eq!(formula("a[0] < b[1]"), "a [ 0 ] < b [ 1 ]");
    }

    #[test]
    fn letters_are_names_where_no_operator_can_stand() {
        assert_eq!(formula("<>R -> (!P U R)"), "<> R -> ( ! P <until> R )");
        assert_eq!(formula("[](X -> U)"), "[] ( X -> U )");
        assert_eq!(formula("X X"), "<next> X");
        assert_eq!(formula("X == 1"), "X == 1");
    }

    #[test]
    fn outside_of_formulas_they_are_names() {
        check("byte U, until, X; ltl U { U until X }", "byte U , until , X ; ltl U { U until X }", &[]);
        check("init { U = a<b; X = until }", "init { U = a < b ; X = until }", &[]);
    }

    #[test]
    fn macros_may_stand_in_formulas() {
        check("#define f [] (p -> <>q)\nltl { f }", "ltl { [] ( p -> <> q ) }", &[]);
    }
}
