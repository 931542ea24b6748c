//! What a verifier emitted by pmc links: searches, state stores and reports over one [`Model`](model::Model).
//!
//! A program calls [`main`], a test calls [`check`], and a program with several models, or with models that it makes at
//! run time, calls [`run`] or [`check_with`].
//!
//! The interface has tiers. [`Model`](model::Model) is the semantics of a model, and
//! [`Independence`](reduction::Independence), with defaults, is what partial-order reduction asks about it. Modules that
//! only generated code uses are hidden, and change without notice.
//!
//! The crate uses the standard library alone, so that an emitted verifier builds anywhere, without a network, in a
//! few seconds. What that costs is small: a parser for two dozen flags, a writer and reader of JSON, a signal handler.

#![warn(missing_docs)]

mod backoff;
mod bits;
mod cli;
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
pub mod omission;
pub mod options;
pub mod pack;
mod prefetch;
mod priority;
pub mod property;
mod random;
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
mod system;
#[cfg(test)]
mod toy;
pub mod trail;
pub mod verdict;
mod walk;
mod zeroed;

// For generated code and for the searches that it links: unstable, and no part of the documentation.
#[doc(hidden)]
pub mod generated;
#[doc(hidden)]
pub mod precompiled;
#[doc(hidden)]
pub mod store;

pub use entry_point::{Environment, Takeover, main, main_until, main_with, run, run_in};
pub use search::{Searches, check, check_with};
pub use signal::Signals;
