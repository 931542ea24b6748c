//! Tokens -> tree.
//!
//! The grammar stops at the first unexpected terminal. That is reported and cut out, and parsing starts again, so that
//! one run shows several errors without any that follow from others. A second pass over a model costs milliseconds;
//! errors are few.

use std::cell::Cell;

use lalrpop_util::{ParseError, lalrpop_mod};

use super::ast::{Expr, File, ItemKind};
use super::builder::AstBuilder;
use super::terminal::{Located, Terminal, terminals};
use super::token::{Keyword, Symbol, Token, TokenKind};
use super::{comments, explain, nesting, recover};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{SourceMap, Span};

lalrpop_mod!(
    #[allow(clippy::all, unused_imports, unused_qualifications, rust_2018_idioms)]
    grammar,
    "/syntax/grammar.rs"
);

/// The greatest number of errors of one model that are reported.
const MOST_ERRORS: usize = 20;

/// The unexpected terminal.
pub struct Unexpected {
    /// Which terminal; their number if the text ended too early.
    pub at: usize,
    /// What could have stood there, in the grammar's own words.
    pub expected: Vec<String>,
}

/// Parses a model. After errors the tree contains the rest.
pub fn parse(tokens: &[Token], sources: &SourceMap, diagnostics: &mut Diagnostics) -> File {
    let end = sources.files().first().map_or(Span::default(), |file| Span::new(file.end(), file.end()));
    let (mut terminals, unclosed) = nesting::mend(&terminals(tokens), sources, end);
    for diagnostic in unclosed {
        // What is in which block is a guess.
        diagnostics.give_up();
        diagnostics.add(diagnostic);
    }
    let mut last_error = None;
    for _ in 0..MOST_ERRORS {
        let mut builder = AstBuilder::default();
        let unexpected = match run(&terminals, &mut builder) {
            Ok(mut file) => {
                for diagnostic in builder.diagnostics {
                    diagnostics.add(diagnostic);
                }
                comments::attach(&mut file, sources);
                return file;
            }
            Err(unexpected) => unexpected,
        };
        let at = unexpected.at;
        let found = terminals.get(at);
        let place = found.map(|found| found.span);
        let is_again = last_error == Some(place);
        if !is_again && !found.is_some_and(|found| found.is_mended) {
            diagnostics.add(explain::explain(&unexpected, &terminals, sources, end));
        }
        // The same position again: cutting out a statement did not help, so the whole item is cut out.
        let statement = if is_again { None } else { recover::cut_statement(&mut terminals, at) };
        let is_unit = statement.is_none();
        let cut = statement.unwrap_or_else(|| recover::cut_unit(&mut terminals, at));
        doubt(&cut, is_unit, diagnostics);
        last_error = Some(place);
    }
    diagnostics.give_up();
    File::default()
}

/// What is found later about names in what was cut out may follow from its error.
fn doubt(cut: &[Located], is_unit: bool, diagnostics: &mut Diagnostics) {
    for located in cut {
        match &located.terminal {
            Terminal::Name(name) | Terminal::Remote(name) | Terminal::InlineCall(name) => diagnostics.doubt(name),
            Terminal::Keyword(keyword) if keyword.is_type() => diagnostics.give_up(),
            _ => {}
        }
    }
    // `Point p`: a declaration, too.
    let is_name = |located: &Located| matches!(located.terminal, Terminal::Name(_));
    if is_unit || cut.windows(2).any(|pair| pair.iter().all(is_name)) {
        diagnostics.give_up();
    }
}

/// Parses a standalone formula; `None` if there are errors.
pub fn parse_formula(tokens: &[Token], sources: &SourceMap, diagnostics: &mut Diagnostics) -> Option<Expr> {
    let brace = |token: &&Token| matches!(token.kind, TokenKind::Symbol(Symbol::OpenBrace | Symbol::CloseBrace));
    let problem = match (tokens.first(), tokens.iter().find(brace)) {
        (None, _) => Some((Span::default(), "the formula is empty")),
        (_, Some(brace)) => Some((brace.span, "there are no braces in a formula")),
        _ => None,
    };
    if let Some((span, message)) = problem {
        diagnostics.add(Diagnostic::error(401, span, message));
        return None;
    }
    // To the grammar a formula is what stands in `ltl { ... }`.
    let start = tokens.first().map_or(0, |first| first.span.start);
    let end = tokens.last().map_or(0, |last| last.span.end);
    let token =
        |kind, at| Token { kind, span: Span::new(at, at), parameter: None, newline_before: false, space_before: true };
    let mut item = vec![
        token(TokenKind::Keyword(Keyword::Ltl), start),
        token(TokenKind::Symbol(Symbol::OpenBrace), start),
        token(TokenKind::Symbol(Symbol::CloseBrace), end),
    ];
    item.splice(2..2, tokens.iter().cloned());
    let file = parse(&item, sources, diagnostics);
    match file.items.into_iter().next().map(|item| item.kind) {
        Some(ItemKind::Ltl { formula, .. }) if !diagnostics.has_errors() => Some(formula),
        _ => None,
    }
}

fn run(terminals: &[Located], builder: &mut AstBuilder) -> Result<File, Unexpected> {
    let n_read = Cell::new(0);
    let feed = terminals.iter().map(|located| {
        n_read.set(n_read.get() + 1);
        (located.spot(), located.terminal.clone(), located.spot())
    });
    grammar::FileParser::new().parse(builder, feed).map_err(|error| match error {
        ParseError::UnrecognizedEof { expected, .. } => Unexpected { at: terminals.len(), expected },
        ParseError::UnrecognizedToken { expected, .. } => Unexpected { at: n_read.get() - 1, expected },
        ParseError::InvalidToken { .. } | ParseError::ExtraToken { .. } | ParseError::User { .. } => {
            Unexpected { at: n_read.get().saturating_sub(1), expected: Vec::new() }
        }
    })
}
