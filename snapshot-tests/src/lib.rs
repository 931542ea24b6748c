//! Test tooling: a second opinion on what a model means, random models, and
//! what Spin says.

pub mod expected;
pub mod interpret;
pub mod load;
pub mod random_model;
pub mod spin;
