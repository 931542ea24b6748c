//! Random trees: well formed, but with no meaning.
