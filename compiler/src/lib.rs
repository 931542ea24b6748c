//! pmc: a compiler for Promela that emits a verifier as a Rust crate.
//!
//! Programs that work with models use [`check`], [`warnings`] and [`compile`]; tests and build scripts use [`Build`].
//! Behind them, [`driver::Session`] is the pipeline, and ARCHITECTURE.md
//! is its map.
//!
//! The feature `cli`, on by default, adds the program `pmc`. A crate that uses the library alone switches it off:
//! `pmc = { path = "../pmc/compiler", default-features = false }`.
#![forbid(unsafe_code)]

pub mod analysis;
mod api;
#[cfg(feature = "cli")]
pub mod cli;
mod clock;
pub mod codegen;
pub mod collections;
#[cfg(feature = "cli")]
pub mod commands;
pub mod diagnostic;
pub mod driver;
pub mod exec;
pub mod interpret;
pub mod ir;
#[cfg(feature = "cli")]
mod lsp;
pub mod ltl;
pub mod model;
pub mod package;
pub mod picture;
pub mod source;
pub mod syntax;
pub mod tables;

pub use api::{Build, Error, Message, check, compile, warnings};
pub use pmc_runtime::options::{Ask, Options as CheckOptions};
pub use pmc_runtime::verdict::{Report, Verdict};
