//! `cargo run -p snapshot-tests --example second_opinion MODEL...`: what the
//! interpreter finds.

use std::path::Path;

use snapshot_tests::interpret::{Options, explore};
use snapshot_tests::load::load;

fn main() {
    for path in std::env::args().skip(1) {
        match load(Path::new(&path)) {
            Ok(loaded) => {
                let graph = explore(&loaded.model, &Options::default());
                let figures = (graph.states.len(), graph.n_transitions(), graph.violations.len());
                println!("{path}: states, transitions, errors {figures:?}, complete: {}", graph.complete);
                for violation in graph.violations.iter().take(3) {
                    let at = loaded.sources.position(violation.fault.span);
                    println!("  {:?} of process {} at {}:{}", violation.kind, violation.pid, at.line, at.column);
                }
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
}
