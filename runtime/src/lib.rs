//! What a verifier emitted by pmc links: searches, state stores and reports over one [`Model`](model::Model).
//!
//! Two doors: [`main`] is what the program calls, [`check`] what a test calls.
//!
//! The crate uses the standard library alone, so that an emitted verifier builds anywhere, without a network, in a
//! few seconds. What that costs is small: a parser for two dozen flags, a writer and reader of JSON, a signal handler.

mod backoff;
mod bits;
pub mod channel;
mod cli;
pub mod d_step;
mod dyn_model;
mod entry_point;
pub mod fault;
mod hidden;
mod huge_pages;
pub mod json;
pub mod limits;
mod lock;
mod memory;
pub mod model;
pub mod monitor;
pub mod moves;
pub mod omission;
pub mod options;
pub mod outcome;
pub mod pack;
pub mod precompiled;
mod prefetch;
mod priority;
pub mod processes;
pub mod property;
mod record;
pub mod reduction;
pub mod replay;
pub mod report;
pub mod search;
pub mod show;
mod signal;
pub mod simulate;
mod sound;
pub mod step;
pub mod store;
mod system;
#[cfg(test)]
mod toy;
pub mod traced;
pub mod trail;
pub mod value;
pub mod verdict;
mod walk;
pub mod words;
mod zeroed;

pub use entry_point::{main, main_with, run};
pub use search::{Searches, check, check_with};
