//! What a verifier emitted by pmc links: searches, state stores and reports over one [`Model`](model::Model).
//!
//! The crate uses the standard library alone, so that an emitted verifier builds anywhere, without a network, in a
//! few seconds. What that costs is small: a parser for a dozen flags, a writer and reader of JSON, a signal handler.

pub mod channel;
pub mod d_step;
pub mod fault;
pub mod json;
pub mod limits;
pub mod model;
pub mod options;
pub mod pack;
mod prefetch;
pub mod processes;
mod record;
pub mod replay;
pub mod search;
pub mod step;
pub mod store;
#[cfg(test)]
mod toy;
pub mod trail;
pub mod value;
pub mod verdict;

pub use search::{check, check_with};
