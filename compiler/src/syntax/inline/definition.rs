//! Reads `inline name(parameters) { body }`.

use super::{Expander, Inline};
use crate::diagnostic::Diagnostic;
use crate::source::{Name, Span};
use crate::syntax::token::{Keyword, Symbol, Token, TokenKind};

impl Expander<'_> {
    /// Reads a definition; `inline` was just read.
    pub(super) fn define(&mut self, keyword: Span) {
        let malformed = |span, message: &str| {
            Diagnostic::error(30, span, message).help("write `inline name(parameters) { statements }`")
        };
        if self.n_braces > 0 {
            let error = Diagnostic::error(30, keyword, "an inline cannot be defined inside a block");
            self.diagnostics.add(error.help("move it in front of the proctype"));
        }
        let Some(head) = self.take() else {
            self.diagnostics.add(malformed(keyword, "the name of an inline is missing"));
            return;
        };
        let name = match &head.kind {
            TokenKind::Name(name) => Some(name.clone()),
            TokenKind::Keyword(word) => {
                let message = format!("`{}` is a keyword and cannot be the name of an inline", word.text());
                self.diagnostics.add(malformed(head.span, &message));
                None
            }
            other => {
                let message = format!("expected the name of an inline, found `{}`", other.text());
                return self.diagnostics.add(malformed(head.span, &message));
            }
        };
        let Some(parameters) = self.parameters(&head) else { return };
        let Some(body) = self.body(&head) else { return };
        let Some(name) = name else { return };
        if let Some(old) = self.by_name.get(&name) {
            let error = Diagnostic::error(31, head.span, format!("inline `{name}` is defined twice"));
            return self.diagnostics.add(error.label(self.inlines[*old].name_span, "it was defined here"));
        }
        self.by_name.insert(name.clone(), self.inlines.len());
        self.inlines.push(Inline { name, name_span: head.span, parameters, body, is_called: false, is_open: false });
    }

    /// `(a, b)` of a definition.
    fn parameters(&mut self, head: &Token) -> Option<Vec<Name>> {
        let mut parameters = Vec::new();
        let mut expected = Symbol::OpenParen;
        loop {
            let Some(token) = self.take() else {
                self.diagnostics.add(Diagnostic::error(
                    30,
                    head.span,
                    "the parameters of this inline are never closed",
                ));
                return None;
            };
            if token.kind.is_symbol(Symbol::CloseParen) && expected != Symbol::OpenParen {
                return Some(parameters);
            }
            if !token.kind.is_symbol(expected) {
                return self.wrong_parameter(token);
            }
            if expected == Symbol::OpenParen && self.next_is(Symbol::CloseParen) {
                self.take();
                return Some(parameters);
            }
            match self.take() {
                Some(Token { kind: TokenKind::Name(name), .. }) => parameters.push(name),
                Some(token) => return self.wrong_parameter(token),
                None => {}
            }
            expected = Symbol::Comma;
        }
    }

    fn wrong_parameter(&mut self, token: Token) -> Option<Vec<Name>> {
        let message = format!("`{}` does not fit into the parameters of an inline", token.kind.text());
        let error = Diagnostic::error(30, token.span, message);
        self.diagnostics.add(error.help("parameters are names without types, with commas between, in parentheses"));
        let head = token.clone();
        // The body may still follow; it must not be taken for an item.
        self.put_back(token);
        while self.peek().is_some_and(|token| !token.kind.is_symbol(Symbol::OpenBrace)) {
            if self.peek().is_some_and(|token| begins_item(&token.kind)) {
                return None;
            }
            self.take();
        }
        self.body(&head);
        None
    }

    /// `{ ... }` of a definition.
    fn body(&mut self, head: &Token) -> Option<Vec<Token>> {
        if !self.next_is(Symbol::OpenBrace) {
            let span = self.peek().map_or(head.span, |token| token.span);
            self.diagnostics.add(Diagnostic::error(30, span, "expected `{` and the body of the inline"));
            return None;
        }
        let mut body = Vec::new();
        let mut depth = 0_usize;
        while let Some(token) = self.take() {
            match token.kind {
                TokenKind::Symbol(Symbol::OpenBrace) => depth += 1,
                TokenKind::Symbol(Symbol::CloseBrace) => depth -= 1,
                _ => {}
            }
            body.push(token);
            if depth == 0 {
                return Some(body);
            }
        }
        let open = body.first().map_or(head.span, |token| token.span);
        self.diagnostics
            .add(Diagnostic::error(30, open, "the body of this inline is never closed").here("opened here"));
        None
    }
}

fn begins_item(kind: &TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Keyword(
            Keyword::Active | Keyword::Proctype | Keyword::DProctype | Keyword::Init | Keyword::Never | Keyword::Inline
        )
    )
}
