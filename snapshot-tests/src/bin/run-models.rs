//! Random models of the whole language, built and run: do their verifiers count as the interpreter of the tests does?
//!
//! `cargo run --release -p snapshot-tests --bin run-models -- --seeds 0..60000` compares those that are small enough;
//! each difference is shown with its model. The exit code is 1 if there was one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use snapshot_tests::compared::{Candidate, candidate, differences, smallest};
use snapshot_tests::random_model::{RandomModel, random_timed_model, random_whole_model};
use snapshot_tests::seeds::{Seeds, parse_seeds};

#[derive(Parser)]
struct Arguments {
    /// Which models, from the first to before the last.
    #[arg(long, default_value = "0..1000", value_parser = parse_seeds)]
    seeds: Seeds,
    /// Single models instead, separated by commas.
    #[arg(long, conflicts_with = "seeds", value_delimiter = ',')]
    seed: Vec<u64>,
    /// How many models are built together.
    #[arg(long, default_value_t = 400)]
    batch: usize,
    /// Models with timers instead.
    #[arg(long)]
    timed: bool,
    /// A folder for the crates; one that is there is used again.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Print the model of the first seed and stop.
    #[arg(long)]
    show: bool,
    /// Make the models that differ smaller: a build for each attempt.
    #[arg(long)]
    shrink: bool,
}

impl Arguments {
    fn model(&self, seed: u64) -> RandomModel {
        if self.timed { random_timed_model(seed, 0) } else { random_whole_model(seed) }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.show {
        println!("{}", arguments.model(arguments.seed.first().copied().unwrap_or(arguments.seeds.start)));
        return ExitCode::SUCCESS;
    }
    let result = match &arguments.dir {
        Some(dir) => run(&arguments, dir),
        None => tempfile::tempdir().map_err(|error| error.to_string()).and_then(|dir| run(&arguments, dir.path())),
    };
    match result {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Returns how many models differ.
fn run(arguments: &Arguments, dir: &Path) -> Result<usize, String> {
    let (mut n_compared, mut n_different) = (0, 0);
    let Arguments { seeds, seed, .. } = arguments;
    let mut seeds: Box<dyn Iterator<Item = u64>> =
        if seed.is_empty() { Box::new(seeds.clone()) } else { Box::new(seed.iter().copied()) };
    loop {
        let candidates = seeds.by_ref().filter_map(|seed| candidate(seed, arguments.model(seed).to_string()));
        let batch: Vec<Candidate> = candidates.take(arguments.batch).collect();
        let Some(last) = batch.last() else { break };
        let different = differences(&dir.join("models"), &batch)?;
        n_compared += batch.len();
        n_different += different.len();
        for difference in different {
            let shown = if arguments.shrink {
                smallest(&dir.join("shrinking"), &arguments.model(difference.seed), difference)
            } else {
                difference
            };
            println!("{shown}\n");
        }
        eprintln!("up to seed {}: {n_compared} compared, {n_different} differ", last.seed);
    }
    println!("{n_compared} models compared, {n_different} differ");
    Ok(n_different)
}
