//! Replaces calls of inlines by their bodies.
//!
//! As in Spin, an argument goes in as text, without parentheses, wherever the
//! parameter's name stands in the body, also behind a dot. Strings are left
//! alone. The body may call other inlines, also ones defined further down, as
//! long as they are known where the outermost call stands.
//!
//! Before: `inline f(a) { a++ }` ... `f(x)`, and maybe `y = f(x)`.
//! After: no definition is left, and a call is `f { x++ }`, where `f` is
//! [`TokenKind::InlineCall`] with the span of the whole call, and the rest has
//! its place in the body, with an expansion that leads to the call. For an
//! assignment the tokens `y =` stay in front of it.

mod definition;
#[cfg(test)]
mod tests;

use super::MOST_EXPANDED;
use super::token::{Keyword, Symbol, Token, TokenKind};
use crate::collections::Lookup;
use crate::diagnostic::{Diagnostic, Diagnostics, Lint, spelling};
use crate::source::{Expansion, ExpansionId, ExpansionKind, FileId, Name, SourceMap, Span};
use std::collections::VecDeque;

/// How deep inlines may call each other: each level is a block in the tree.
const MOST_NESTED: usize = 1000;

pub fn expand_inlines(
    tokens: Vec<Token>,
    main: FileId,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut expander = Expander {
        output: Vec::with_capacity(tokens.len()),
        frames: vec![CallFrame { tokens: tokens.into(), inline: None }],
        inlines: Vec::new(),
        by_name: Lookup::new(),
        defined_later: Lookup::new(),
        proctypes: Lookup::new(),
        n_braces: 0,
        n_expanded: 0,
        sources,
        diagnostics,
    };
    expander.find_names();
    expander.run();
    expander.report_unused(main);
    expander.output
}

struct Inline {
    name: Name,
    name_span: Span,
    parameters: Vec<Name>,
    /// With its braces.
    body: Vec<Token>,
    is_called: bool,
    is_open: bool,
}

/// Tokens still to be read: the model's, or those of a body that a call opened.
struct CallFrame {
    tokens: VecDeque<Token>,
    inline: Option<usize>,
}

struct Expander<'a> {
    output: Vec<Token>,
    frames: Vec<CallFrame>,
    inlines: Vec<Inline>,
    by_name: Lookup<Name, usize>,
    /// Where each inline and proctype is defined, for those that are called too early.
    defined_later: Lookup<Name, Span>,
    proctypes: Lookup<Name, Span>,
    n_braces: usize,
    n_expanded: usize,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
}

impl Expander<'_> {
    fn find_names(&mut self) {
        let mut last = None;
        for token in self.frames.iter().flat_map(|frame| &frame.tokens) {
            if let TokenKind::Name(name) = &token.kind {
                let definitions = match last {
                    Some(Keyword::Inline) => Some(&mut self.defined_later),
                    Some(Keyword::Proctype | Keyword::DProctype) => Some(&mut self.proctypes),
                    _ => None,
                };
                if let Some(definitions) = definitions {
                    definitions.insert(name.clone(), token.span);
                }
            }
            last = if let TokenKind::Keyword(keyword) = token.kind { Some(keyword) } else { None };
        }
    }

    fn run(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            let Some(token) = frame.tokens.pop_front() else {
                if let Some(number) = frame.inline {
                    self.inlines[number].is_open = false;
                }
                self.frames.pop();
                continue;
            };
            match &token.kind {
                TokenKind::Keyword(Keyword::Inline) => self.define(token.span),
                TokenKind::Name(name) if self.is_call() => {
                    let name = name.clone();
                    self.call(&name, token);
                }
                kind => {
                    match kind {
                        TokenKind::Symbol(Symbol::OpenBrace) => self.n_braces += 1,
                        TokenKind::Symbol(Symbol::CloseBrace) => self.n_braces = self.n_braces.saturating_sub(1),
                        _ => {}
                    }
                    self.output.push(token);
                }
            }
        }
    }

    fn peek(&self) -> Option<&Token> {
        self.frames.last()?.tokens.front()
    }

    fn take(&mut self) -> Option<Token> {
        self.frames.last_mut()?.tokens.pop_front()
    }

    fn put_back(&mut self, token: Token) {
        if let Some(frame) = self.frames.last_mut() {
            frame.tokens.push_front(token);
        }
    }

    fn next_is(&self, symbol: Symbol) -> bool {
        self.peek().is_some_and(|token| token.kind.is_symbol(symbol))
    }

    /// Whether a name that was just read could be that of an inline: `(` follows, and
    /// neither `run` nor `proctype` stands before it.
    fn is_call(&self) -> bool {
        let before = self.output.last().map(|last| &last.kind);
        let names_process =
            matches!(before, Some(TokenKind::Keyword(Keyword::Run | Keyword::Proctype | Keyword::DProctype)));
        self.next_is(Symbol::OpenParen) && !names_process
    }

    /// A name followed by `(`: the call of an inline, or something else.
    fn call(&mut self, name: &Name, token: Token) {
        let Some(number) = self.by_name.get(name).copied() else {
            if self.is_at_statement(&token) {
                self.report_unknown(name, &token);
                self.skip_call(token);
            } else {
                self.output.push(token);
            }
            return;
        };
        self.inlines[number].is_called = true;
        if self.inlines[number].is_open {
            let definition = self.inlines[number].name_span;
            let direct = self.frames.last().is_some_and(|frame| frame.inline == Some(number));
            let message = if direct { "calls itself" } else { "calls itself through others" };
            let error = Diagnostic::error(33, token.span, format!("inline `{name}` {message}"));
            let error = error
                .label(definition, "it is defined here")
                .help("inlines are put in as text, so they cannot recurse");
            self.diagnostics.add(error);
            return self.skip_call(token);
        }
        if self.frames.len() > MOST_NESTED {
            let message = format!("calls of inlines nest more than {MOST_NESTED} deep");
            self.diagnostics.add(Diagnostic::error(902, token.span, message));
            return self.skip_call(token);
        }
        let Some((arguments, close)) = self.arguments(&token) else { return };
        let n_wanted = self.inlines[number].parameters.len();
        if arguments.len() != n_wanted {
            let plural = if n_wanted == 1 { "" } else { "s" };
            let message =
                format!("inline `{name}` takes {n_wanted} argument{plural}, but this call has {}", arguments.len());
            let error = Diagnostic::error(32, self.sources.join(token.span, close), message);
            self.diagnostics.add(error.label(self.inlines[number].name_span, "it is defined here"));
            return self.push_skip(token, close);
        }
        self.open(number, token, close, &arguments);
    }

    /// Inserts the body, to be read next.
    fn open(&mut self, number: usize, name: Token, close: Span, arguments: &[Vec<Token>]) {
        let call = self.sources.join(name.span, close);
        let text = self.inlines[number].name.clone();
        let expansion = Expansion { kind: ExpansionKind::Inline, name: text.clone(), site: call };
        let expansion = self.sources.expand(expansion);
        let inline = &mut self.inlines[number];
        let mut body = VecDeque::with_capacity(inline.body.len());
        let mut placer = SpanPlacer { sources: self.sources, call: expansion, last: None, n_made: 0 };
        for token in &inline.body {
            let parameter = match &token.kind {
                TokenKind::Name(name) => inline.parameters.iter().position(|parameter| parameter == name),
                _ => None,
            };
            let Some(parameter) = parameter else {
                body.push_back(Token { span: placer.place(token.span), ..token.clone() });
                continue;
            };
            let place = placer.place(token.span);
            for (index, argument) in arguments[parameter].iter().enumerate() {
                let mut argument = Token { parameter: Some(place), ..argument.clone() };
                if index == 0 {
                    argument.newline_before = token.newline_before;
                    argument.space_before = token.space_before;
                }
                body.push_back(argument);
            }
        }
        self.n_expanded += body.len() + placer.n_made;
        if self.n_expanded > MOST_EXPANDED {
            let message = format!("inlines expand to more than {MOST_EXPANDED} tokens");
            self.diagnostics.add(Diagnostic::error(902, call, message));
            return self.frames.clear();
        }
        inline.is_open = true;
        self.frames.push(CallFrame { tokens: body, inline: Some(number) });
        self.output.push(Token { kind: TokenKind::InlineCall(text), span: call, ..name });
    }

    /// The arguments of a call and its closing parenthesis; `(` comes next.
    fn arguments(&mut self, name: &Token) -> Option<(Vec<Vec<Token>>, Span)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0_usize;
        let mut n_braces = 0_usize;
        while let Some(token) = self.take() {
            match token.kind {
                TokenKind::Symbol(Symbol::OpenParen | Symbol::OpenBracket) => depth += 1,
                TokenKind::Symbol(Symbol::CloseParen | Symbol::CloseBracket) => depth -= 1,
                TokenKind::Symbol(Symbol::OpenBrace) => n_braces += 1,
                TokenKind::Symbol(Symbol::CloseBrace) if n_braces == 0 => {
                    self.put_back(token);
                    break;
                }
                TokenKind::Symbol(Symbol::CloseBrace) => n_braces -= 1,
                _ => {}
            }
            if depth == 0 {
                if matches!(arguments.as_slice(), [only] if only.is_empty()) {
                    arguments.clear();
                }
                return Some((arguments, token.span));
            }
            if depth == 1 && n_braces == 0 && token.kind.is_symbol(Symbol::Comma) {
                arguments.push(Vec::new());
            } else if depth > 1 || !token.kind.is_symbol(Symbol::OpenParen) {
                arguments.last_mut()?.push(token);
            }
        }
        self.diagnostics.add(Diagnostic::error(35, name.span, "this call has no closing parenthesis"));
        self.push_skip(name.clone(), name.span);
        None
    }

    /// Whether a statement begins with the name that was just read, or it is assigned.
    fn is_at_statement(&self, name: &Token) -> bool {
        let Some(last) = self.output.last().filter(|_| self.n_braces > 0) else { return false };
        let paren_is_near = self.peek().is_some_and(|paren| !paren.newline_before);
        let begins = match &last.kind {
            TokenKind::Symbol(symbol) => match symbol {
                Symbol::OpenBrace | Symbol::CloseBrace | Symbol::Semicolon | Symbol::Arrow => true,
                Symbol::DoubleColon | Symbol::Colon | Symbol::Assign => true,
                Symbol::CloseParen | Symbol::CloseBracket | Symbol::PlusPlus | Symbol::MinusMinus => {
                    name.newline_before
                }
                _ => false,
            },
            TokenKind::Keyword(Keyword::Else) => true,
            TokenKind::Name(_) | TokenKind::Number(_) => name.newline_before,
            TokenKind::Keyword(Keyword::Skip | Keyword::Fi | Keyword::Od | Keyword::Break) => name.newline_before,
            _ => false,
        };
        begins && paren_is_near
    }

    fn report_unknown(&mut self, name: &Name, token: &Token) {
        let error = if let Some(later) = self.defined_later.get(name) {
            Diagnostic::error(34, token.span, format!("inline `{name}` is used above its definition"))
                .label(*later, "it is defined here")
                .help("move the definition up")
        } else if let Some(proctype) = self.proctypes.get(name) {
            Diagnostic::error(34, token.span, format!("`{name}` is a proctype, not an inline"))
                .label(*proctype, "it is defined here")
                .help(format!("start a process with `run {name}(...)`"))
        } else {
            let help = match &**name {
                "while" => "loops are written `do :: condition -> ... :: else -> break od`".to_owned(),
                "switch" | "elif" => "choices are written `if :: condition -> ... :: else -> ... fi`".to_owned(),
                other if spelling::operator(other).is_some() => {
                    let own = spelling::operator(other).unwrap_or_default();
                    format!("in a formula write `{own}`, as in `{own} (x == 1)`")
                }
                other if spelling::called(other).is_some() => {
                    format!("did you mean `{}`?", spelling::called(other).unwrap_or_default())
                }
                _ => format!("define it above with `inline {name}(...) {{ ... }}`, or as a macro"),
            };
            Diagnostic::error(34, token.span, format!("there is no inline `{name}`")).help(help)
        };
        self.diagnostics.add(error);
    }

    /// Drops a call in which something is wrong.
    fn skip_call(&mut self, name: Token) {
        if let Some((_, close)) = self.arguments(&name) {
            self.push_skip(name, close);
        }
    }

    fn push_skip(&mut self, name: Token, close: Span) {
        let span = self.sources.join(name.span, close);
        self.output.push(Token { kind: TokenKind::Keyword(Keyword::Skip), span, ..name });
    }

    fn report_unused(&mut self, main: FileId) {
        let main = self.sources.get(main);
        let inside = main.base..=main.end();
        for inline in self.inlines.iter().filter(|inline| !inline.is_called) {
            // A header may offer more than a model needs.
            if inside.contains(&inline.name_span.start) {
                let message = format!("inline `{}` is never called", inline.name);
                self.diagnostics.add(Diagnostic::warning(Lint::UnusedInline, inline.name_span, message));
            }
        }
    }
}

/// Gives the tokens of a body their spans in one call.
struct SpanPlacer<'a> {
    sources: &'a mut SourceMap,
    call: ExpansionId,
    /// The last macro expansion met, and what it is in this call.
    last: Option<(ExpansionId, ExpansionId)>,
    /// How many expansions were made for it.
    n_made: usize,
}

impl SpanPlacer<'_> {
    fn place(&mut self, span: Span) -> Span {
        let expansion = match span.expansion {
            None => self.call,
            Some(of_macro) => self.place_macro(of_macro),
        };
        Span { expansion: Some(expansion), ..span }
    }

    /// A macro used in the body: the same, but used in this call.
    fn place_macro(&mut self, of_macro: ExpansionId) -> ExpansionId {
        if let Some((_, placed)) = self.last.filter(|(original, _)| *original == of_macro) {
            return placed;
        }
        // From the innermost macro outwards, then back, each copy leading to the next.
        let mut chain = Vec::new();
        let mut next = Some(of_macro);
        while let Some(id) = next {
            let expansion = self.sources.expansion(id);
            chain.push(expansion.clone());
            next = expansion.site.expansion;
        }
        self.n_made += chain.len();
        let placed = chain.into_iter().rev().fold(self.call, |outer, mut expansion| {
            expansion.site.expansion = Some(outer);
            self.sources.expand(expansion)
        });
        self.last = Some((of_macro, placed));
        placed
    }
}
