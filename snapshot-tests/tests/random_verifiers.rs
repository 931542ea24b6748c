//! Random models: generated verifiers against the interpreter of the tests. No Spin is needed; `run-models` compares
//! thousands.

use std::path::Path;

use snapshot_tests::compared::{Candidate, candidate, differences};
use snapshot_tests::random_model::{RandomModel, random_model, random_timed_model, random_whole_model};

/// How many models are built.
const N_MODELS: usize = 24;

#[test]
fn verifiers_and_interpreter_agree_on_random_models() {
    check("random", random_model);
}

#[test]
fn verifiers_and_interpreter_agree_on_models_of_the_whole_language() {
    check("random-whole", random_whole_model);
}

#[test]
fn verifiers_and_interpreter_agree_on_models_with_timers() {
    check("random-timed", |seed| random_timed_model(seed, 0));
}

fn check(folder: &str, make: fn(u64) -> RandomModel) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let first: Vec<Candidate> =
        (0..).filter_map(|seed| candidate(seed, make(seed).to_string())).take(N_MODELS).collect();
    let wrong = differences(&dir, &first).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        wrong.is_empty(),
        "{} models differ:\n{}",
        wrong.len(),
        wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    );
}
