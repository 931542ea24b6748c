//! Whole models, executed.
