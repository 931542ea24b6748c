//! pmc: a compiler for Promela that emits a verifier as a Rust crate.
#![forbid(unsafe_code)]

pub mod cli;
pub mod collections;
pub mod diagnostic;
pub mod model;
pub mod source;
pub mod syntax;
