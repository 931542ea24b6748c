//! Test tooling: the front end and its messages, a second semantics of models, random models, and Spin.

pub mod batch;
pub mod building;
pub mod compared;
pub mod conformance;
pub mod directives;
pub mod disagreement;
pub mod engine;
pub mod expected;
pub mod expected_claims;
pub mod findings;
pub mod front_end;
pub mod infinite_runs;
pub mod interpret;
pub mod interpreted;
pub mod interpreted_models;
pub mod load;
pub mod mutate;
pub mod questions;
pub mod random_model;
pub mod savings;
pub mod schema;
pub mod seeds;
pub mod spin;
pub mod spin_examples;
pub mod symmetric;
pub mod timed;
