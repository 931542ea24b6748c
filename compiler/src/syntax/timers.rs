//! Finds the words of timed models, which are names everywhere else.
//!
//! Many models have a variable `timer` or an inline `set`, and mean by it what
//! they did before there were timers. So none of these words is a keyword. A
//! model is timed if it declares a timer: only there `timer` is a type, and
//! `set`, `reset`, `expire`, `on`, `delay` and `udelay` are operations where `(`
//! follows. Macros are gone by then, so that a model with a header that defines
//! these words as macros has none of them left.
//!
//! Where plain Promela has names, they stay names in timed models too: heads of
//! messages (`q!set(3)`, `q?set(v)`), the names of an mtype, variables, labels.

use super::token::{Keyword, Symbol, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Diagnostics, Lint};

/// Turns the words of a timed model into keywords. Formulas are marked already, and inlines are not expanded yet.
pub fn mark_timers(tokens: &mut [Token], diagnostics: &mut Diagnostics) {
    if !tokens.iter().any(|token| is_word(token, Keyword::Timer)) {
        return;
    }
    let is_listed = listed(tokens);
    let declares = |at: usize| !is_listed[at] && is_declaration(tokens, at) && begins_declaration(tokens, at);
    let is_record =
        tokens.windows(2).any(|two| two[0].kind.is_keyword(Keyword::Typedef) && is_word(&two[1], Keyword::Timer));
    if is_record || !(0..tokens.len()).any(declares) {
        return;
    }
    let is_received = received(tokens);
    let taken = shadowed(tokens, diagnostics);
    let marked: Vec<(usize, Keyword)> = (0..tokens.len())
        .filter_map(|at| Some((at, word(&tokens[at])?)))
        .filter(|(at, word)| match word {
            Keyword::Timer => !is_listed[*at] && is_declaration(tokens, *at) || is_field_type(tokens, *at),
            word => {
                !taken.contains(word)
                    && is_at(tokens, at + 1, Symbol::OpenParen)
                    && !is_received[*at]
                    && !is_sent(tokens, *at)
                    && !is_inline_name(tokens, *at)
            }
        })
        .collect();
    for (at, word) in marked {
        tokens[at].kind = TokenKind::Keyword(word);
    }
}

/// The word of timed models that a name spells.
fn word(token: &Token) -> Option<Keyword> {
    let TokenKind::Name(name) = &token.kind else { return None };
    Keyword::from_text(name).filter(|keyword| keyword.is_of_time())
}

fn is_word(token: &Token, wanted: Keyword) -> bool {
    word(token) == Some(wanted)
}

fn is_at(tokens: &[Token], at: usize, symbol: Symbol) -> bool {
    tokens.get(at).is_some_and(|token| token.kind.is_symbol(symbol))
}

/// Whether a name that can be declared follows `timer` on the same line. In `for (timer in a)` it is not `in`.
fn is_declaration(tokens: &[Token], at: usize) -> bool {
    let name = |at: usize| match &tokens.get(at)?.kind {
        TokenKind::Name(name) => Some(name),
        _ => None,
    };
    let is_loop = name(at + 1).is_some_and(|word| &**word == "in") && name(at + 2).is_some();
    is_word(&tokens[at], Keyword::Timer) && name(at + 1).is_some() && !tokens[at + 1].newline_before && !is_loop
}

/// Whether a declaration can begin at a token.
fn begins_declaration(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before].kind) else { return true };
    tokens[at].newline_before
        || match before {
            TokenKind::Symbol(symbol) => matches!(
                symbol,
                Symbol::Semicolon
                    | Symbol::OpenBrace
                    | Symbol::CloseBrace
                    | Symbol::OpenParen
                    | Symbol::Arrow
                    | Symbol::DoubleColon
            ),
            TokenKind::Keyword(keyword) => {
                matches!(keyword, Keyword::Hidden | Keyword::Show | Keyword::Local)
            }
            _ => false,
        }
}

/// Whether a word is one of the types of a channel: `of { byte, timer }`.
fn is_field_type(tokens: &[Token], at: usize) -> bool {
    let is_end = is_at(tokens, at + 1, Symbol::Comma) || is_at(tokens, at + 1, Symbol::CloseBrace);
    let mut before = tokens[..at].iter().rev().map(|token| &token.kind);
    let is_part = |kind: &&TokenKind| match kind {
        TokenKind::Symbol(symbol) => matches!(symbol, Symbol::Comma | Symbol::Colon),
        TokenKind::Name(_) => true,
        TokenKind::Keyword(keyword) => keyword.is_type(),
        _ => false,
    };
    let opening = before.find(|kind| !is_part(kind));
    let is_list = opening.is_some_and(|kind| kind.is_symbol(Symbol::OpenBrace));
    is_end && is_list && before.next().is_some_and(|kind| kind.is_keyword(Keyword::Of))
}

/// Which tokens stand in the list of an `mtype`, whose commas may be missing, or in a formula.
fn listed(tokens: &[Token]) -> Vec<bool> {
    let mut is_listed = vec![false; tokens.len()];
    let mut is_announced = false;
    let mut n_open = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match &token.kind {
            TokenKind::Keyword(Keyword::Mtype | Keyword::Ltl) => is_announced = true,
            TokenKind::Symbol(Symbol::OpenBrace) if is_announced || n_open > 0 => {
                is_announced = false;
                n_open += 1;
            }
            TokenKind::Symbol(Symbol::CloseBrace) => n_open = n_open.saturating_sub(1),
            // `mtype = {`, `mtype:kind = {`, `ltl name {`
            TokenKind::Name(_) | TokenKind::Symbol(Symbol::Assign | Symbol::Colon) => {}
            _ => is_announced = false,
        }
        is_listed[at] = n_open > 0;
    }
    is_listed
}

/// The operations that an inline of the model is called: all their uses are that inline's.
fn shadowed(tokens: &[Token], diagnostics: &mut Diagnostics) -> Vec<Keyword> {
    let mut taken = Vec::new();
    for at in (0..tokens.len()).filter(|at| is_inline_name(tokens, *at)) {
        let Some(word) = word(&tokens[at]).filter(|word| *word != Keyword::Timer) else { continue };
        let message = format!("the inline `{0}` hides the operation `{0}` on timers", word.text());
        let warning = Diagnostic::warning(Lint::ShadowedTimerWord, tokens[at].span, message);
        diagnostics.add(warning.help("every use of the name is this inline's: give it another name"));
        taken.push(word);
    }
    taken
}

fn is_inline_name(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| tokens[before].kind.is_keyword(Keyword::Inline))
}

/// Whether a word is the head of a message that is sent: `q!set(3)`. A `!` that no channel stands before is a negation.
fn is_sent(tokens: &[Token], at: usize) -> bool {
    let Some(bang) = at.checked_sub(1) else { return false };
    let Some(channel) = bang.checked_sub(1) else { return false };
    let is_bang = matches!(tokens[bang].kind, TokenKind::Symbol(Symbol::Bang | Symbol::BangBang));
    let is_channel = match &tokens[channel].kind {
        TokenKind::Name(_) => true,
        kind => kind.is_symbol(Symbol::CloseBracket),
    };
    is_bang && is_channel && !tokens[bang].newline_before
}

/// Which tokens are arguments of a receive or a poll, outside of `eval(...)`.
fn received(tokens: &[Token]) -> Vec<bool> {
    let mut is_received = vec![false; tokens.len()];
    for at in 0..tokens.len() {
        if matches!(tokens[at].kind, TokenKind::Symbol(Symbol::Query | Symbol::QueryQuery)) {
            Arguments { tokens, at: at + 1, depth: 0 }.mark(&mut is_received);
        }
    }
    is_received
}

/// The arguments of a receive.
struct Arguments<'t> {
    tokens: &'t [Token],
    at: usize,
    /// Parentheses and brackets that are open.
    depth: usize,
}

impl Arguments<'_> {
    fn mark(mut self, is_received: &mut [bool]) {
        let mut is_operand_next = true;
        while let Some(token) = self.tokens.get(self.at) {
            let (at, is_first) = (self.at, is_operand_next);
            self.at += 1;
            match &token.kind {
                TokenKind::Keyword(Keyword::Eval) if is_first => {
                    self.skip_parentheses();
                    is_operand_next = false;
                }
                TokenKind::Symbol(Symbol::OpenParen | Symbol::OpenBracket | Symbol::Less) if is_first => {
                    self.depth += 1;
                }
                TokenKind::Symbol(Symbol::Minus) if is_first => {}
                TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Character(_) | TokenKind::Keyword(_)
                    if is_first =>
                {
                    is_received[at] = true;
                    is_operand_next = false;
                }
                // `head(rest)`; on a new line it is another statement.
                TokenKind::Symbol(Symbol::OpenParen) if self.depth > 0 || !token.newline_before => {
                    self.depth += 1;
                    is_operand_next = true;
                }
                TokenKind::Symbol(Symbol::OpenBracket) if self.depth > 0 || !token.newline_before => self.depth += 1,
                TokenKind::Symbol(Symbol::Comma | Symbol::Dot) => is_operand_next = true,
                TokenKind::Symbol(Symbol::CloseParen | Symbol::CloseBracket | Symbol::Greater) if self.depth > 0 => {
                    self.depth -= 1;
                }
                // The index of a variable is an expression.
                _ if self.depth > 0 && !is_end(&token.kind) => is_received[at] = true,
                _ => return,
            }
        }
    }

    /// Skips `( ... )`.
    fn skip_parentheses(&mut self) {
        let mut n_open = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            match token.kind {
                TokenKind::Symbol(Symbol::OpenParen) => n_open += 1,
                TokenKind::Symbol(Symbol::CloseParen) => n_open = n_open.saturating_sub(1),
                _ if is_end(&token.kind) => return,
                _ => {}
            }
            self.at += 1;
            if n_open == 0 {
                return;
            }
        }
    }
}

/// A token that no argument of a receive contains.
fn is_end(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Symbol(symbol) => {
            matches!(symbol, Symbol::Semicolon | Symbol::OpenBrace | Symbol::CloseBrace | Symbol::DoubleColon)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::testing::tokenized;
    use crate::syntax::token::TokenKind;

    /// The words that have become keywords.
    fn marked(text: &str) -> String {
        let words = tokenized(text).tokens.into_iter().filter_map(|token| match token.kind {
            TokenKind::Keyword(keyword) if keyword.is_of_time() => Some(keyword.text()),
            _ => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_declared_timer_makes_the_model_timed() {
        for text in [
            "timer t; init { set(t, 1) }",
            "init { timer t; set(t, 1) }",
            "init { skip -> timer t; set(t, 1) }",
            "typedef R { byte b; timer t }; R r; init { set(r.t, 1) }",
            "local timer t; init { set(t, 1) }",
            "byte b\ntimer t[3]\ninit { set(t[0], 1) }",
            "timer in; init { set(in, 1) }",
        ] {
            assert_eq!(marked(text), "timer set", "{text}");
        }
    }

    #[test]
    fn elsewhere_the_words_are_names() {
        for text in [
            "byte timer, set; init { timer = set }",
            "inline set(x) { x = 1 } byte timer; init { set(timer) }",
            "mtype = { timer set expire }; init { skip }",
            "typedef timer { byte left }; timer t; init { t.left = 1 }",
            "bool timer, on; ltl p { timer until on } init { on = timer }",
            "byte timer, a[3]; init { for (timer in a) { skip } }",
            "#define timer int\ntimer t; init { t = 1 }",
        ] {
            assert_eq!(marked(text), "", "{text}");
        }
    }

    #[test]
    fn an_operation_has_a_parenthesis_and_is_no_head_of_a_message() {
        let timed = |body: &str| marked(&format!("timer t; init {{ {body} }}"));
        assert_eq!(timed("set = on; delay: reset = 1"), "timer");
        assert_eq!(timed("expire(t) -> reset(t); delay(t, 1); udelay(t); on(t)"), "timer expire reset delay udelay on");
        assert_eq!(timed("q!set(3); q!!on(t); q[1]!expire(t)"), "timer");
        assert_eq!(timed("q!(expire(t)); q!1,on(t); x = !expire(t); :: !on(t)"), "timer expire on expire on");
        assert_eq!(timed("x\n!expire(t)"), "timer expire");
        assert_eq!(timed("q?set(v); q?a,on(v); q??<expire(v)>; q?[set(v)]; q?(on(v))"), "timer");
        assert_eq!(timed("q?eval(expire(t)),set(v); on(t)"), "timer expire on");
        assert_eq!(timed("q?a[i],b.c -> on(t)"), "timer on");
        assert_eq!(timed("q?v\n(expire(t))"), "timer expire");
    }

    #[test]
    fn an_inline_of_the_model_keeps_its_name() {
        let text = "timer t; inline set(x, v) { reset(x) } init { set(t, 1); expire(t) }";
        let found = tokenized(text);
        assert_eq!(found.messages, ["1:17 the inline `set` hides the operation `set` on timers"]);
        assert_eq!(marked(text), "timer reset expire");
    }

    #[test]
    fn a_timer_in_a_channel_is_a_type_that_will_be_refused() {
        assert_eq!(marked("timer t; chan q = [1] of { byte, timer }"), "timer timer");
        assert_eq!(marked("timer t; proctype p(timer x) { skip }"), "timer timer");
    }
}
