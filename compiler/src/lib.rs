//! pmc: a compiler for Promela that emits a verifier as a Rust crate.
//!
//! Programs that work with models use [`check`], [`warnings`] and [`compile`]; tests and build scripts use [`Build`].
//! Behind them, [`driver::Session`] is the pipeline, and ARCHITECTURE.md
//! is its map.
#![forbid(unsafe_code)]

pub mod analysis;
mod api;
pub mod cli;
pub mod codegen;
pub mod collections;
pub mod commands;
pub mod diagnostic;
pub mod driver;
pub mod exec;
pub mod interpret;
pub mod ir;
mod lsp;
pub mod ltl;
pub mod model;
pub mod package;
pub mod picture;
pub mod source;
pub mod syntax;
pub mod tables;

pub use api::{Build, Error, Message, check, compile, warnings};
pub use pmc_runtime::options::Options as CheckOptions;
pub use pmc_runtime::verdict::{Report, Verdict};
