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
mod nesting;
mod parse;
mod recover;
mod terminal;
pub mod token;

pub use parse::parse;
