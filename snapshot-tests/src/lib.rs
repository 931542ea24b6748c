//! Test tooling: a second opinion on what a model means, and random models.

pub mod interpret;
