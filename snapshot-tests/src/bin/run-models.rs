//! Random models of the whole language, built and run: do their verifiers count as the interpreter of the tests does?
//!
//! `cargo run --release -p snapshot-tests --bin run-models -- --seeds 0..60000` compares those that are small enough;
//! each difference is shown with its model. The exit code is 1 if there was one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use snapshot_tests::compared::{Candidate, candidate, differences};
use snapshot_tests::random_model::random_whole_model;
use snapshot_tests::seeds::{Seeds, parse_seeds};

#[derive(Parser)]
struct Arguments {
    /// Which models, from the first to before the last.
    #[arg(long, default_value = "0..1000", value_parser = parse_seeds)]
    seeds: Seeds,
    /// How many models are built together.
    #[arg(long, default_value_t = 400)]
    batch: usize,
    /// A folder for the crates; one that is there is used again.
    #[arg(long)]
    dir: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
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
    let mut seeds = arguments.seeds.clone();
    loop {
        let candidates = seeds.by_ref().filter_map(|seed| candidate(seed, random_whole_model(seed).to_string()));
        let batch: Vec<Candidate> = candidates.take(arguments.batch).collect();
        let Some(last) = batch.last() else { break };
        let different = differences(dir, &batch)?;
        n_compared += batch.len();
        n_different += different.len();
        different.iter().for_each(|difference| println!("{difference}\n"));
        eprintln!("up to seed {}: {n_compared} compared, {n_different} differ", last.seed);
    }
    println!("{n_compared} models of {} compared, {n_different} differ", arguments.seeds.end - arguments.seeds.start);
    Ok(n_different)
}
