//! The part of the runtime that a search executes again and again: models, packed states, stores, systems, searches.
//!
//! It is a crate of its own, so that it alone is optimised. What runs once, such as flags, reports, replay and simulation, is
//! the crate `pmc-runtime` (`lib.rs` in this folder), which re-exports this one: programs name that and never this.

#![warn(missing_docs)]

pub mod control_flow;
pub mod explanation;
pub mod fault;
pub mod goal;
pub mod json;
pub mod limits;
pub mod model;
pub mod monitor;
pub mod omission;
pub mod options;
pub mod pack;
pub mod property;
pub mod reduction;
pub mod search;
pub mod step;
pub mod symmetry;
pub mod trail;
pub mod verdict;

mod backoff;
mod bits;
mod distance;
mod exact_run;
mod hidden;
mod huge_pages;
mod lock;
mod memory;
mod prefetch;
mod priority;
mod sorting;
mod zeroed;

// For generated code and for the searches that it links: unstable, and no part of the documentation.
#[doc(hidden)]
pub mod generated;
#[doc(hidden)]
pub mod store;

// For `pmc-runtime` alone.
#[doc(hidden)]
pub mod dyn_model;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod retrace;
#[doc(hidden)]
pub mod signal;
#[doc(hidden)]
pub mod sound;
#[doc(hidden)]
pub mod system;
#[doc(hidden)]
pub mod walk;

#[cfg(test)]
mod toy;

// Tests of reductions replay the runs that searches find.
#[cfg(test)]
#[path = "replay.rs"]
mod replay;
#[cfg(test)]
#[path = "show.rs"]
#[allow(dead_code, reason = "simulation, which is elsewhere, uses the rest")]
mod show;
#[cfg(test)]
#[path = "story/mod.rs"]
#[allow(dead_code, unused_imports, reason = "reports, which are elsewhere, use the rest")]
mod story;
