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
//!
//! Two crates share this folder. `core.rs` is the root of `pmc-core`, which searches; this crate re-exports it and adds what
//! runs once: flags, reports, replay, simulation. An emitted crate optimises the former alone.

#![warn(missing_docs)]

mod checked;
pub mod cli;
mod entry_point;
pub mod explore;
pub mod replay;
pub mod report;
pub mod show;
pub mod simulate;
pub mod story;
pub mod supervised;
#[cfg(test)]
mod toy;

// For generated code and for the searches that it links: unstable, and no part of the documentation.
#[doc(hidden)]
pub mod precompiled;

#[doc(inline)]
pub use pmc_core::{
    control_flow, explanation, fault, goal, json, limits, model, monitor, omission, options, pack, property, reduction,
    search, step, symmetry, trail, verdict,
};
use pmc_core::{dyn_model, random, record, retrace, signal, sound, system, walk};
#[doc(hidden)]
pub use pmc_core::{generated, store};

pub use checked::{Surroundings, check, check_in};
pub use entry_point::{Environment, Takeover, main, main_until, main_with, run, run_in};
pub use search::{Searches, check_with};
pub use signal::Signals;
