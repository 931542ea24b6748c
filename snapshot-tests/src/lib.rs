//! Test tooling: the front end and its findings, a second opinion on what a
//! model means, random models, and what Spin says.

pub mod batch;
pub mod building;
pub mod directives;
pub mod disagreement;
pub mod expected;
pub mod expected_claims;
pub mod findings;
pub mod front_end;
pub mod interpret;
pub mod load;
pub mod mutate;
pub mod questions;
pub mod random_model;
pub mod savings;
pub mod spin;
pub mod spin_examples;
