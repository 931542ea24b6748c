//! Prints how many states each reduction stores, beside Spin's with its own: for the models of the language, and for the
//! example models of Spin's package.
//!
//! `cargo run --release -p snapshot-tests --bin reduction-table [NAME...]`
//!
//! Examples for which pan, without reduction, takes more than a minute are left out. Takes some twenty minutes, and
//! several gigabytes of memory. Exits with 1 if a verdict differs or more states are stored than by Spin.

use std::path::Path;
use std::process::ExitCode;

use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::expected::Row;
use snapshot_tests::savings::{self, Savings, Stored};
use snapshot_tests::spin::{self, Figures, NoFigures};
use snapshot_tests::spin_examples::Example;

/// The time limit of pan, in seconds.
const MINUTE: u32 = 60;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let mut complaints = Vec::new();
    let found = recorded(&is_wanted, &mut complaints).and_then(|()| examples(&is_wanted, &mut complaints));
    complaints.extend(found.err());
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(name)
}

/// The models of the language, simplified as Spin does by default.
fn recorded(is_wanted: &dyn Fn(&str) -> bool, complaints: &mut Vec<String>) -> Result<(), String> {
    let rows: Vec<(Row, Figures)> = savings::recorded().into_iter().filter(|(row, _)| is_wanted(&row.model)).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let members: Vec<Member> = rows.iter().map(|(row, _)| savings::member(row)).collect();
    let batch = Batch::build(&folder("reduction_table"), &members)?;
    println!("{}", Savings::HEADING);
    for (row, spin) in &rows {
        let found = savings::of_recorded(&batch, row, *spin)?;
        println!("{}", found.row());
        complaints.extend(found.complaints(savings::exception(&row.model)));
    }
    println!();
    Ok(())
}

/// The examples, every step kept: Spin with `-o1 -o2 -o3`.
fn examples(is_wanted: &dyn Fn(&str) -> bool, complaints: &mut Vec<String>) -> Result<(), String> {
    let examples: Vec<Example> = Example::all().into_iter().filter(|example| is_wanted(&example.name)).collect();
    let examples: Vec<&Example> = examples.iter().filter(|example| example.refused.is_none()).collect();
    if examples.is_empty() || !spin::is_installed() {
        println!("spin or its examples are not installed");
        return Ok(());
    }
    let members: Vec<Member> = examples.iter().map(|example| example.member()).collect();
    let batch = Batch::build_optimised(&folder("spin_examples"), &members)?;
    println!("{}", Savings::HEADING);
    for example in examples {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let whole = spin::exact_figures_within(&example.path, folder.path(), MINUTE);
        let reduced = whole.and_then(|_| spin::reduced_figures_within(&example.path, folder.path(), MINUTE));
        let spin = match reduced {
            Ok(figures) => figures,
            Err(NoFigures::TooDeep | NoFigures::TooSlow | NoFigures::TooLarge | NoFigures::Refused(_)) => continue,
        };
        let full = Stored::by(&batch, &example.module, "none", &[])?;
        let found = Savings::of(&batch, &example.name, &example.module, full, spin, &[])?;
        println!("{}", found.row());
        complaints.extend(found.complaints(savings::exception(&example.name)));
    }
    Ok(())
}
