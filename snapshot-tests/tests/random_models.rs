//! Random models: the interpreter against Spin, where it is installed.

use snapshot_tests::interpret::{Options, explore};
use snapshot_tests::load::load_text;
use snapshot_tests::random_model::{RandomModel, random_model, shrink};
use snapshot_tests::spin;

/// How many models are compared. `RANDOM_MODELS=first..end` compares others.
const SEEDS: std::ops::Range<u64> = 0..24;

/// Models that need more are left out.
fn options() -> Options {
    Options { max_states: 3_000, max_steps: 30_000, max_depth: 2_000, ..Options::default() }
}

/// What came of a comparison.
enum Comparison {
    Same,
    /// What both say.
    Different(String),
    /// Spin takes the model and we do not: what we say.
    Refused(String),
    /// Too large, or refused by Spin for reasons of its own, such as a self-loop.
    None,
}

fn compare(model: &RandomModel) -> Comparison {
    let text = model.to_string();
    let loaded = load_text(&text);
    let graph = match &loaded {
        Ok(loaded) => Some(explore(&loaded.model, &options())),
        Err(_) => None,
    };
    if graph.as_ref().is_some_and(|graph| !graph.complete) {
        return Comparison::None;
    }
    let Ok(figures) = spin::exact_figures(&text) else { return Comparison::None };
    let Some(graph) = graph else {
        return Comparison::Refused(loaded.err().unwrap_or_default());
    };
    let found = [graph.states.len() as u64, graph.n_transitions() as u64, graph.violations.len() as u64];
    let expected = [figures.states, figures.transitions, figures.errors];
    if found == expected {
        return Comparison::Same;
    }
    Comparison::Different(format!("states, transitions, errors: found {found:?}, Spin {expected:?}"))
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
    let mut n_same = 0;
    for seed in seeds() {
        let model = random_model(seed);
        match compare(&model) {
            Comparison::Same => n_same += 1,
            Comparison::None => {}
            Comparison::Refused(complaint) => {
                println!("seed {seed}: Spin takes it, pmc does not: {complaint}");
                wrong.push(seed);
            }
            Comparison::Different(_) => {
                let smallest = shrink(&model, |model| matches!(compare(model), Comparison::Different(_)));
                if let Comparison::Different(what) = compare(&smallest) {
                    println!("seed {seed}: {what}\n{smallest}");
                    wrong.push(seed);
                }
            }
        }
    }
    println!("{n_same} models of {:?} were compared and agree", seeds());
    assert!(wrong.is_empty(), "the models of these seeds differ: {wrong:?}");
    assert!(n_same > 0, "nothing was compared");
}
