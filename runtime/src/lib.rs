//! What a verifier emitted by pmc links: searches, state stores and reports over one [`Model`](model::Model).
//!
//! The crate uses the standard library alone, so that an emitted verifier builds anywhere, without a network, in a
//! few seconds. What that costs is small: a parser for a dozen flags, a writer and reader of JSON, a signal handler.

pub mod channel;
pub mod fault;
pub mod model;
pub mod pack;
mod prefetch;
pub mod step;
pub mod value;
