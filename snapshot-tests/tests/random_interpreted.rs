//! Random models in the interpreter of pmc against the interpreter of the tests; `interpret-models` compares thousands.

use std::ops::Range;

use snapshot_tests::interpreted::on_all_cores;
use snapshot_tests::interpreted_models::{
    Comparison, compare, compare_abstract, compare_counts, compare_divergent_runs, compare_infinite_runs,
};
use snapshot_tests::random_model::{
    RandomModel, random_calm_model, random_live_model, random_model, random_reduction_model, random_timed_model,
    random_whole_model,
};
use snapshot_tests::symmetric::{Compared, compare_symmetric, random_symmetric_model};

/// How many models are compared: five times those that `random_verifiers` and the like build.
const N_SEEDS: u64 = 120;

/// The verdicts of reductions and of simplified models are compared for one model of so many.
const ALL_SEARCHES: u64 = 8;

fn compare_finite_runs(seed: u64, text: &str) -> Comparison {
    if seed.is_multiple_of(ALL_SEARCHES) { compare(text) } else { compare_counts(text) }
}

fn check(first: u64, make: fn(u64) -> RandomModel, compare: fn(u64, &str) -> Comparison) {
    check_some(first..first + N_SEEDS, make, compare);
}

fn check_some(seeds: Range<u64>, make: fn(u64) -> RandomModel, compare: fn(u64, &str) -> Comparison) {
    let seeds: Vec<u64> = seeds.collect();
    let compared = on_all_cores(&seeds, |seed| compare(*seed, &make(*seed).to_string()));
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
    assert!(n_compared * 3 > seeds.len(), "only {n_compared} of {} models are compared", seeds.len());
}

#[test]
fn interpreters_agree_on_random_models() {
    check(1_000, random_model, compare_finite_runs);
}

#[test]
fn interpreters_agree_on_models_of_the_whole_language() {
    check(160, random_whole_model, compare_finite_runs);
}

#[test]
fn interpreters_agree_on_models_with_much_to_leave_out() {
    check(5_000, random_reduction_model, compare_finite_runs);
}

#[test]
fn interpreter_and_product_agree_on_random_claims() {
    check(5_111, live_model, |_, text| compare_infinite_runs(text));
}

#[test]
fn interpreters_agree_on_models_with_timers() {
    check_some(700..800, |seed| random_timed_model(seed, 0), |_, text| compare(text));
}

#[test]
fn interpreter_and_product_agree_on_claims_about_timers() {
    check_some(2_300..2_330, |seed| random_timed_model(seed, 1), |_, text| compare_infinite_runs(text));
}

/// Every exchange of members that pmc allows is an automorphism, and pmc stores one state of each orbit.
#[test]
fn orbits_are_those_of_brute_force() {
    let seeds: Vec<u64> = (0..120).collect();
    let compared = on_all_cores(&seeds, |seed| compare_symmetric(&random_symmetric_model(*seed), *seed as usize));
    let wrong: Vec<String> = seeds
        .iter()
        .zip(&compared)
        .filter_map(|(seed, compared)| match &compared.comparison {
            Comparison::Different(what) => Some(format!("seed {seed}: {what}\n{}", random_symmetric_model(*seed).text)),
            Comparison::Same | Comparison::None => None,
        })
        .collect();
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
    let count = |is: fn(&Compared) -> bool| compared.iter().filter(|compared| is(compared)).count();
    assert!(count(|compared| compared.comparison == Comparison::Same) > 60, "most are small enough");
    assert!(count(|compared| compared.is_symmetric) > 30);
    assert!(count(|compared| compared.is_pinned) > 0);
    assert!(count(|compared| compared.is_symmetric && compared.is_violated) > 10);
    assert!(count(|compared| compared.is_symmetric && compared.n_violated_formulas > 0) > 10);
}

#[test]
fn interpreter_and_product_agree_on_runs_in_which_time_passes() {
    check_some(4_000..4_030, |seed| random_timed_model(seed, 2), |_, text| compare_divergent_runs(text));
}

#[test]
fn what_is_said_of_abstract_time_is_so_with_exact_time() {
    check_some(9_000..9_040, |seed| random_timed_model(seed, 1), |_, text| compare_abstract(text));
}

fn live_model(seed: u64) -> RandomModel {
    match seed % 3 {
        0 => random_live_model(seed, 3, seed.is_multiple_of(2)),
        _ => random_calm_model(seed, 3),
    }
}
