//! Test tooling.
