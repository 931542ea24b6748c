//! Models with timers in Spin: does it count and judge their plain versions, which `pmc expand --spin` writes, as pmc
//! does the models?
//!
//! `cargo run --release -p snapshot-tests --bin spin-timed -- --seeds 0..500` compares the models of `timed/` and random
//! ones that are small enough; each difference is shown. The exit code is 1 if there was one.

use std::process::ExitCode;

use clap::Parser;
use snapshot_tests::engine::Figures;
use snapshot_tests::interpreted::on_all_cores;
use snapshot_tests::plain_models::{Compared, check_counts_in_spin, plain_file};
use snapshot_tests::random_model::random_clock_model;
use snapshot_tests::seeds::{Seeds, parse_seeds};
use snapshot_tests::spin;
use snapshot_tests::timed::{Question, TimedRow, rows};

#[derive(Parser)]
struct Arguments {
    /// Which random models, from the first to before the last.
    #[arg(long, default_value = "0..200", value_parser = parse_seeds)]
    seeds: Seeds,
    /// How many formulas each random model has.
    #[arg(long, default_value_t = 2)]
    claims: u32,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if !spin::is_installed() {
        eprintln!("spin or gcc is not installed");
        return ExitCode::FAILURE;
    }
    let rows: Vec<TimedRow> = rows().into_iter().filter(|row| row.question == Question::Safety).collect();
    let of_rows = on_all_cores(&rows, check_row);
    let seeds: Vec<u64> = arguments.seeds.collect();
    let of_seeds = on_all_cores(&seeds, |seed| {
        let text = random_clock_model(*seed, arguments.claims).to_string();
        let compared = Compared::of(&text)?;
        let checked = compared.check_in_pmc().and_then(|()| compared.check_in_spin());
        checked.map_err(|why| format!("seed {seed}: {why}\n{text}")).transpose()
    });
    let n_rows = of_rows.iter().flatten().count();
    let n_models = of_seeds.iter().flatten().count();
    let n_questions: usize = of_seeds.iter().flatten().flatten().sum();
    let of_seeds = of_seeds.into_iter().flatten().map(|checked| checked.map(|_| ()));
    let checked = of_rows.into_iter().flatten().chain(of_seeds);
    let wrong: Vec<String> = checked.filter_map(Result::err).collect();
    wrong.iter().for_each(|why| println!("{why}\n"));
    println!(
        "{n_rows} of {} rows have a plain version; {n_models} of {} random models compared, and {n_questions} questions \
         about infinite runs; {} differ",
        rows.len(),
        seeds.len(),
        wrong.len()
    );
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Nothing if plain Promela cannot say what the model says.
fn check_row(row: &TimedRow) -> Option<Result<(), String>> {
    let path = snapshot_tests::timed::folder().join(format!("{}.pml", row.model));
    let plain = plain_file(&path, &row.defines).ok()?;
    let (states, transitions) = row.figures?;
    let found = snapshot_tests::plain_models::figures(&plain);
    let errors = found.map_or(0, |found| found.errors);
    let checked = check_counts_in_spin(&plain, Figures { states, transitions, errors });
    Some(checked.map_err(|why| format!("{}: {why}", row.name())))
}
