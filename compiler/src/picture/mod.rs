//! Pictures of runs and of graphs, for people: a page for a browser, sequence charts, diagrams.
//!
//! A run comes in as the runtime tells it (schema `pmc-run/1`); a diagram is made by the command that knows what its
//! nodes mean. Whatever a model says is text here: each writer escapes it for its format.

#[cfg(feature = "cli")]
pub mod chart;
#[cfg(feature = "cli")]
pub mod diagram;
#[cfg(feature = "cli")]
mod layered;
#[cfg(feature = "cli")]
pub mod mermaid;
pub mod page;
#[cfg(feature = "cli")]
pub mod run;
#[cfg(feature = "cli")]
mod svg;
