//! Random models: does the interpreter of pmc count and judge as the interpreter of the tests does?
//!
//! `cargo run --release -p snapshot-tests --bin interpret-models -- --seeds 0..20000` compares those that are small
//! enough; each difference is shown with its model. The exit code is 1 if there was one.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use snapshot_tests::interpreted::on_all_cores;
use snapshot_tests::interpreted_models::{
    Comparison, compare, compare_abstract, compare_counts, compare_divergent_runs, compare_infinite_runs,
};
use snapshot_tests::random_model::{
    RandomModel, random_calm_model, random_live_model, random_model, random_reduction_model, random_timed_model,
    random_whole_model, shrink,
};
use snapshot_tests::seeds::{Seeds, parse_seeds};
use snapshot_tests::symmetric::{compare_symmetric, random_symmetric_model};

#[derive(Parser)]
struct Arguments {
    /// Which models, from the first to before the last.
    #[arg(long, default_value = "0..1000", value_parser = parse_seeds)]
    seeds: Seeds,
    /// Which kind of models; all if none is given.
    #[arg(long)]
    kind: Vec<Kind>,
    /// Only counts and counterexamples of depth-first search, for safety: many times as fast.
    #[arg(long)]
    counts: bool,
    /// Makes each model that differs smaller.
    #[arg(long)]
    shrink: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The core of the language.
    Core,
    /// The whole language.
    Whole,
    /// Models in which much can be left out.
    Reduction,
    /// Claims, accept and progress labels.
    Live,
    /// Timers.
    Timed,
    /// Timers and claims about them, and whether time passes.
    TimedLive,
    /// Processes that are alike: orbits by brute force. These are not made smaller.
    Symmetric,
    /// The same of runs in which time passes.
    TimedDivergent,
    /// Verdicts where time is abstract.
    TimedAbstract,
}

impl Kind {
    /// Nothing for models that are not made of parts.
    fn model(self, seed: u64) -> Option<RandomModel> {
        Some(match self {
            Self::Symmetric => return None,
            Self::Core => random_model(seed),
            Self::Whole => random_whole_model(seed),
            Self::Reduction => random_reduction_model(seed),
            Self::Live if seed.is_multiple_of(3) => random_live_model(seed, 3, seed.is_multiple_of(2)),
            Self::Live => random_calm_model(seed, 3),
            Self::Timed => random_timed_model(seed, 0),
            Self::TimedLive | Self::TimedDivergent | Self::TimedAbstract => random_timed_model(seed, 2),
        })
    }

    fn text(self, seed: u64) -> String {
        self.model(seed).map_or_else(|| random_symmetric_model(seed).text, |model| model.to_string())
    }

    fn compare(self, seed: u64, text: &str, counts: bool) -> Comparison {
        match self {
            Self::Core | Self::Whole | Self::Reduction | Self::Timed if counts => compare_counts(text),
            Self::Core | Self::Whole | Self::Reduction | Self::Timed => compare(text),
            Self::Live | Self::TimedLive => compare_infinite_runs(text),
            Self::Symmetric => compare_symmetric(&random_symmetric_model(seed), seed as usize).comparison,
            Self::TimedDivergent => compare_divergent_runs(text),
            Self::TimedAbstract => compare_abstract(text),
        }
    }
}

/// How many models are compared before what was found is shown.
const N_AT_ONCE: usize = 1_000;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let kinds = if arguments.kind.is_empty() { Kind::value_variants().to_vec() } else { arguments.kind.clone() };
    let mut n_all_different = 0;
    for kind in kinds {
        let seeds: Vec<u64> = arguments.seeds.clone().collect();
        let (mut n_compared, mut n_different) = (0, 0);
        for seeds in seeds.chunks(N_AT_ONCE) {
            let compared = on_all_cores(seeds, |seed| kind.compare(*seed, &kind.text(*seed), arguments.counts));
            for (seed, comparison) in seeds.iter().zip(compared) {
                n_compared += usize::from(comparison != Comparison::None);
                if let Comparison::Different(what) = comparison {
                    n_different += 1;
                    println!("{kind:?}, seed {seed}: {what}\n{}", shown(kind, *seed, &arguments));
                }
            }
            let last = seeds.last().unwrap_or(&0);
            eprintln!("{kind:?}, up to seed {last}: {n_compared} compared, {n_different} differ");
        }
        println!("{kind:?}: {n_compared} models of {} compared, {n_different} differ", seeds.len());
        n_all_different += n_different;
    }
    if n_all_different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn shown(kind: Kind, seed: u64, arguments: &Arguments) -> String {
    let Some(model) = kind.model(seed).filter(|_| arguments.shrink) else { return kind.text(seed) };
    let small = shrink(&model, |model| {
        matches!(kind.compare(seed, &model.to_string(), arguments.counts), Comparison::Different(_))
    });
    let text = small.to_string();
    format!("{:?}\n{text}", kind.compare(seed, &text, arguments.counts))
}
