//! Compares verifiers with Spin on all the example models of its package that
//! pan can finish within a minute, and prints a table.
//!
//! `cargo run -p snapshot-tests --bin spin-examples [NAME...]`
//!
//! Takes about ten minutes, and several gigabytes of memory for the largest
//! models; so the tests compare only the smaller ones. Exits with 1 if some differ.

use std::path::Path;
use std::process::ExitCode;

use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::spin::{self, NoFigures};
use snapshot_tests::spin_examples::Example;

/// The time limit of pan, in seconds.
const MINUTE: u32 = 60;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted =
        |example: &Example| wanted.is_empty() || wanted.iter().any(|part| example.name.contains(part.as_str()));
    let examples: Vec<Example> = Example::all().into_iter().filter(is_wanted).collect();
    if examples.is_empty() || !spin::is_installed() {
        eprintln!("spin or its examples are not installed");
        return ExitCode::FAILURE;
    }
    let members: Vec<Member> =
        examples.iter().filter(|example| example.refused.is_none()).map(Example::member).collect();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/spin_examples");
    let batch = match Batch::build_optimised(&dir, &members) {
        Ok(batch) => batch,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("| model | Spin: states | transitions | errors | pmc: states | transitions | errors | bfs: states | |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    let mut n_wrong = 0;
    for example in &examples {
        let (row, is_right) = row(&batch, example);
        println!("| {} | {row} |", example.name);
        n_wrong += usize::from(!is_right);
    }
    println!("\n{} models, {n_wrong} differ", examples.len());
    if n_wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A row of the table, and whether it is as expected.
fn row(batch: &Batch, example: &Example) -> (String, bool) {
    let empty = |n: usize| " |".repeat(n);
    let folder = tempfile::tempdir().expect("a folder for what Spin writes");
    let expected = match spin::exact_figures_within(&example.path, folder.path(), MINUTE) {
        Ok(figures) => Figures::from(figures),
        Err(NoFigures::TooDeep) => return (empty(7) + " too deep for pan", true),
        Err(NoFigures::TooSlow) => return (empty(7) + " pan takes more than a minute", true),
        Err(NoFigures::TooLarge) => return (empty(7) + " pan takes more than 8 GB", true),
        Err(NoFigures::Refused(why)) => return (empty(7) + &format!(" Spin: {}", cell(&why)), true),
    };
    if let Some(why) = &example.refused {
        return (format!("{} | {} not read: {}", shown(expected), empty(4), cell(why)), false);
    }
    let exact = |search: &str| {
        let flags = ["--safety", "--no-reduction", "--search", search, "--all-errors", "--max-time", "5m"];
        batch.figures(&example.module, &flags)
    };
    let (dfs, bfs) = match (exact("dfs"), exact("bfs")) {
        (Ok(dfs), Ok(bfs)) => (dfs, bfs),
        (Err(error), _) | (_, Err(error)) => {
            return (format!("{} | {} {}", shown(expected), empty(4), cell(&error)), false);
        }
    };
    let is_same = dfs == expected && bfs.states == dfs.states;
    let verdict = match example.exception() {
        _ if is_same => "ok",
        Some(why) => why,
        None => "DIFFERS",
    };
    (format!("{} | {} | {} | {verdict}", shown(expected), shown(dfs), bfs.states), verdict != "DIFFERS")
}

fn shown(figures: Figures) -> String {
    format!("{} | {} | {}", figures.states, figures.transitions, figures.errors)
}

fn cell(text: &str) -> String {
    text.replace('|', "/").split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect()
}
