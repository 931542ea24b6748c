//! Random models of the whole language: does rustc accept their code, without a warning?
//!
//! `cargo run --release -p snapshot-tests --bin build-models -- --seeds 0..20000` checks those; a fault is made smaller
//! and shown. The exit code is 1 if there was one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use pmc::driver::{Options, Simplify};
use snapshot_tests::building::{Made, Workshop, generate};
use snapshot_tests::random_model::{RandomModel, random_timed_model, random_whole_model, shrink};
use snapshot_tests::seeds::{Seeds, parse_seeds};

#[derive(Parser)]
struct Arguments {
    /// Which models, from the first to before the last.
    #[arg(long, default_value = "0..1000", value_parser = parse_seeds)]
    seeds: Seeds,
    /// How many models rustc looks at together.
    #[arg(long, default_value_t = 200)]
    batch: usize,
    /// Models with timers and formulas about them instead.
    #[arg(long)]
    timed: bool,
    /// A folder for the crate; one that is there is used again.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Print the model of the first seed and stop.
    #[arg(long)]
    show: bool,
    /// Show faults as they are, without making their models smaller.
    #[arg(long)]
    no_shrink: bool,
    /// Show why models were refused, and how many for each reason.
    #[arg(long)]
    refused: bool,
}

impl Arguments {
    fn model(&self, seed: u64) -> RandomModel {
        if self.timed { random_timed_model(seed, 2) } else { random_whole_model(seed) }
    }
}

/// All findings.
#[derive(Default)]
struct Summary {
    checked: u64,
    refused: u64,
    reasons: BTreeMap<String, (u64, u64)>,
    faults: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.show {
        println!("{}", arguments.model(arguments.seeds.start));
        return ExitCode::SUCCESS;
    }
    std::panic::set_hook(Box::new(|_| {}));
    match run(&arguments) {
        Ok(summary) => {
            println!("{} models checked, {} refused, {} faults", summary.checked, summary.refused, summary.faults);
            if arguments.refused {
                for (reason, (count, seed)) in &summary.reasons {
                    println!("{count:6}  {reason}  (seed {seed})");
                }
            }
            if summary.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Summary, String> {
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dir = arguments.dir.as_deref().unwrap_or(temporary.path());
    let workshop = Workshop::new(dir)?;
    let mut summary = Summary::default();
    let mut seed = arguments.seeds.start;
    while seed < arguments.seeds.end {
        let mut seeds = Vec::new();
        let mut codes = Vec::new();
        while seed < arguments.seeds.end && codes.len() < arguments.batch {
            match generate(&arguments.model(seed).to_string(), &options(seed)) {
                Made::Code(files) => {
                    seeds.push(seed);
                    codes.push(files);
                }
                Made::Refused(message) => {
                    summary.refused += 1;
                    let reason = message.lines().next().unwrap_or_default();
                    let reason: Vec<&str> = reason.split('`').step_by(2).collect();
                    summary.reasons.entry(reason.join("_")).or_insert((0, seed)).0 += 1;
                }
                Made::Broken(message) => report(&mut summary, arguments, dir, seed, &message),
            }
            seed += 1;
        }
        let faults = workshop.check(&codes)?;
        summary.checked += codes.len() as u64;
        for (number, message) in faults {
            report(&mut summary, arguments, dir, seeds[number], &message);
        }
        eprintln!("up to {seed}: {} checked, {} refused, {} faults", summary.checked, summary.refused, summary.faults);
    }
    Ok(summary)
}

/// Half of the models are compiled without simplification.
fn options(seed: u64) -> Options {
    let simplify = if seed.is_multiple_of(2) { Simplify::default() } else { Simplify::NONE };
    Options { simplify, loses_messages: seed % 16 == 3, ..Options::default() }
}

fn report(summary: &mut Summary, arguments: &Arguments, dir: &Path, seed: u64, message: &str) {
    summary.faults += 1;
    let kind = message.lines().next().unwrap_or_default().to_owned();
    let model = arguments.model(seed);
    let smallest = if arguments.no_shrink { model } else { smallest(&model, dir, seed, &kind) };
    println!("seed {seed}: {message}\n{smallest}\n");
}

/// The smallest model with the same message.
fn smallest(model: &RandomModel, dir: &Path, seed: u64, kind: &str) -> RandomModel {
    let Ok(workshop) = Workshop::new(&dir.join("shrinking")) else { return model.clone() };
    let class = |kind: &str| kind.split('`').step_by(2).collect::<Vec<_>>().join("_");
    shrink(model, |smaller| match generate(&smaller.to_string(), &options(seed)) {
        Made::Code(files) => {
            let said = workshop.check(&[files]).unwrap_or_default();
            said.values().any(|said| class(said.lines().next().unwrap_or_default()) == class(kind))
        }
        Made::Broken(message) => class(message.lines().next().unwrap_or_default()) == class(kind),
        Made::Refused(_) => false,
    })
}
