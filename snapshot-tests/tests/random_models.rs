//! Random models: the interpreter against Spin, where it is installed.

use snapshot_tests::interpret::{Options, explore};
use snapshot_tests::load::load_text;
use snapshot_tests::random_model::{RandomModel, random_model, shrink};
use snapshot_tests::spin;

/// How many models are compared. `RANDOM_MODELS=first..end` compares others.
const SEEDS: std::ops::Range<u64> = 0..24;

/// Models with more states are left to Spin.
const MAX_STATES: usize = 3_000;

/// What both say, if they do not say the same.
fn difference(model: &RandomModel) -> Option<String> {
    let text = model.to_string();
    let loaded = load_text(&text);
    let graph = match &loaded {
        Ok(loaded) => Some(explore(&loaded.model, &Options { max_states: MAX_STATES, ..Options::default() })),
        Err(_) => None,
    };
    if graph.as_ref().is_some_and(|graph| graph.states.len() > MAX_STATES || !graph.complete) {
        return None;
    }
    // Spin refuses some models for reasons of its own, such as a self-loop.
    let figures = spin::exact_figures(&text).ok()?;
    let Some(graph) = graph else {
        return Some(format!("Spin takes it, pmc does not: {}", loaded.err().unwrap_or_default()));
    };
    let found = [graph.states.len() as u64, graph.n_transitions() as u64, graph.violations.len() as u64];
    let expected = [figures.states, figures.transitions, figures.errors];
    (found != expected).then(|| format!("states, transitions, errors: found {found:?}, Spin {expected:?}"))
}

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("RANDOM_MODELS").ok();
    let range = given.as_deref().and_then(|given| given.split_once(".."));
    match range.map(|(first, end)| (first.parse(), end.parse())) {
        Some((Ok(first), Ok(end))) => first..end,
        _ => SEEDS,
    }
}

#[test]
fn interpreter_and_spin_agree_on_random_models() {
    if !spin::is_installed() {
        println!("skipped: spin is not installed");
        return;
    }
    let mut wrong = Vec::new();
    for seed in seeds() {
        let model = random_model(seed);
        if difference(&model).is_some() {
            let smallest = shrink(&model, |model| difference(model).is_some());
            wrong.push(format!("seed {seed}: {}\n{smallest}", difference(&smallest).unwrap_or_default()));
        }
    }
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
}
