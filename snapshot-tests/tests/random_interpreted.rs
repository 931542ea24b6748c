//! Random models in the interpreter of pmc against the interpreter of the tests; `interpret-models` compares thousands.

use snapshot_tests::interpreted::on_all_cores;
use snapshot_tests::interpreted_models::{Comparison, compare, compare_infinite_runs};
use snapshot_tests::random_model::{
    RandomModel, random_calm_model, random_live_model, random_model, random_reduction_model, random_whole_model,
};

/// How many seeds are tried: ten times the models that `random_verifiers` and the like build.
const N_SEEDS: u64 = 300;

fn check(make: fn(u64) -> RandomModel, compare: fn(&str) -> Comparison) {
    let seeds: Vec<u64> = (1_000..1_000 + N_SEEDS).collect();
    let compared = on_all_cores(&seeds, |seed| compare(&make(*seed).to_string()));
    let n_compared = compared.iter().filter(|comparison| **comparison != Comparison::None).count();
    let wrong: Vec<String> = seeds
        .iter()
        .zip(compared)
        .filter_map(|(seed, comparison)| match comparison {
            Comparison::Different(what) => Some(format!("seed {seed}: {what}\n{}", make(*seed))),
            Comparison::Same | Comparison::None => None,
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {n_compared} models differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_compared * 2 > seeds.len(), "only {n_compared} of {} models are compared", seeds.len());
}

#[test]
fn interpreters_agree_on_random_models() {
    check(random_model, compare);
}

#[test]
fn interpreters_agree_on_models_of_the_whole_language() {
    check(random_whole_model, compare);
}

#[test]
fn interpreters_agree_on_models_with_much_to_leave_out() {
    check(random_reduction_model, compare);
}

#[test]
fn interpreter_and_product_agree_on_random_claims() {
    check(live_model, compare_infinite_runs);
}

fn live_model(seed: u64) -> RandomModel {
    match seed % 3 {
        0 => random_live_model(seed, 3, seed.is_multiple_of(2)),
        _ => random_calm_model(seed, 3),
    }
}
