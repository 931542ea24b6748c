//! Runs lalrpop on the grammar.

fn main() {}
