//! From text to a tree, without its meaning.
//!
//! text -> [`lexer`] -> [`preprocess`] -> [`formula`] -> [`timers`] -> [`sets`] -> [`check`] -> [`inline`]
//!      -> [`separators`] -> grammar -> [`ast`]
//!
//! The first steps work on tokens because Spin's do: a macro or an inline puts
//! in its arguments as text, without parentheses, and a newline can end a
//! statement. After the grammar no macro, inline call or separator is left.

pub mod ast;
mod builder;
pub mod c_text;
mod check;
mod comments;
mod explain;
mod formula;
mod inline;
pub mod lexer;
mod nesting;
mod parse;
mod preprocess;
pub mod print;
mod recover;
pub mod separators;
mod sets;
mod terminal;
#[cfg(test)]
mod testing;
mod timers;
pub mod token;

pub use parse::{parse, parse_formula};

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostics, Stop};
use crate::source::{FileId, SourceMap, Span};
use lexer::Lexer;
use token::{NameInterner, Token, TokenKind};

/// The limit of tokens that macros make; inlines may make as many again. Small in tests.
const MOST_EXPANDED: usize = if cfg!(test) { 100_000 } else { 10_000_000 };

/// Fetches the text of included files. The driver reads the disk; tests and the
/// fuzzer answer from memory.
pub trait Loader {
    /// The text at `path`: the directory of the including file (or one of
    /// [`PreprocessOptions::include_dirs`]) joined by `/` with the name in the
    /// `#include`. [`source::decode`](crate::source::decode) makes text of bytes.
    fn load(&mut self, path: &str) -> Result<String, LoadError>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// There is no such file: the next directory may have it.
    NotFound,
    /// There is, but it cannot be read; the reason is shown to the user.
    Unreadable(String),
}

/// What the command line says about preprocessing.
#[derive(Clone, Debug, Default)]
pub struct PreprocessOptions {
    /// `-D`: `NAME`, which means 1, or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// `-I`, in order.
    pub include_dirs: Vec<String>,
    /// What is read behind the model, in order, with the model's macros.
    pub appended: Vec<Appended>,
}

/// A text that is read as if it stood at the end of the model.
#[derive(Clone, Debug)]
pub enum Appended {
    /// A file of items, as of claims that are kept apart from the model.
    Items(FileId),
    /// A formula, which gets a name.
    Formula { file: FileId, name: String },
}

/// The tokens that the grammar sees: preprocessed, inlines expanded, separators
/// where they belong (see [`separators`] for what may be relied on).
pub fn tokenize(
    sources: &mut SourceMap,
    main: FileId,
    loader: &mut dyn Loader,
    options: &PreprocessOptions,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    if let Some(error) = check::not_text(sources.get(main)) {
        diagnostics.add(error);
        return Vec::new();
    }
    let mut names = NameInterner::default();
    let mut tokens = preprocess::preprocess(sources, main, loader, options, &mut names, diagnostics);
    formula::mark_formulas(&mut tokens);
    timers::mark_timers(&mut tokens, diagnostics);
    sets::mark_sets(&mut tokens);
    check::check(&mut tokens, diagnostics);
    let tokens = inline::expand_inlines(tokens, main, sources, diagnostics);
    separators::place_separators(tokens, diagnostics)
}

/// Errors of single characters, numbers and calls: the tokens of other lines are what they would be without them. Others
/// change what follows: a comment that is not closed, a file that is not there, a condition without its end.
const OF_A_LINE: [u16; 7] = [1, 5, 6, 7, 32, 34, 40];

/// Doubts the names on the lines of errors in the tokens. Fails if there are errors that change other lines as well.
pub fn doubt_lines_of_errors(tokens: &[Token], sources: &SourceMap, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let line = |span: Span| (sources.file_number(span), sources.position(span).line);
    let mut lines = BTreeSet::new();
    for (code, span) in diagnostics.errors() {
        if !matches!(code, Code::Error(number) if OF_A_LINE.contains(&number)) {
            return Err(Stop);
        }
        lines.insert(line(span));
    }
    for token in tokens {
        if let TokenKind::Name(name) | TokenKind::InlineCall(name) = &token.kind
            && lines.contains(&line(token.span))
        {
            diagnostics.doubt(name);
        }
    }
    Ok(())
}

/// The tokens of a formula that stands alone, as on a command line.
pub fn tokenize_formula(sources: &SourceMap, file: FileId, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut tokens = Lexer::new(sources.get(file)).lex_all(&mut NameInterner::default(), diagnostics);
    formula::mark_formula(&mut tokens);
    check::check(&mut tokens, diagnostics);
    tokens
}
