//! pmc: a compiler for Promela that emits a verifier as a Rust crate.
//!
//! [`driver::Session`] is the pipeline; ARCHITECTURE.md is its map.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod cli;
pub mod codegen;
pub mod collections;
pub mod commands;
pub mod diagnostic;
pub mod driver;
pub mod ir;
pub mod ltl;
pub mod model;
pub mod package;
pub mod source;
pub mod syntax;
