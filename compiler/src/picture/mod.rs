//! Pictures of runs and of graphs, for people: a page for a browser, sequence charts, diagrams.
//!
//! A run comes in as the runtime tells it (schema `pmc-run/1`); a diagram is made by the command that knows what its
//! nodes mean. Whatever a model says is text here: each writer escapes it for its format.

pub mod chart;
pub mod diagram;
mod layered;
pub mod mermaid;
pub mod page;
pub mod run;
mod svg;
