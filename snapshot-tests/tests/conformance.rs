//! Generated verifiers against the figures recorded from Spin.

use std::path::Path;

use pmc::driver::Options;
use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::expected::{self, Row};

#[test]
fn states_transitions_and_errors_are_those_of_spin() {
    let rows = expected::rows("exact");
    let members: Vec<Member> = rows.iter().map(member).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    for row in &rows {
        let expected = row.figures.map(|[states, transitions, errors]| Figures {
            states: states as u64,
            transitions: transitions as u64,
            errors: errors as u64,
        });
        let found = batch.figures(&row.model, &flags(row));
        if found.as_ref().ok() != expected.as_ref() {
            wrong.push(format!("{}: found {found:?}, Spin {expected:?} {}", row.model, row.first_error));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn member(row: &Row) -> Member {
    let loses_messages = row.spin_flags.split_whitespace().any(|flag| flag == "-m");
    Member {
        name: row.model.clone(),
        path: expected::folder().join(format!("{}.pml", row.model)),
        options: Options { loses_messages, ..Options::default() },
    }
}

fn flags(row: &Row) -> Vec<&'static str> {
    let mut flags = vec!["--no-reduction", "--search", "dfs", "--all-errors"];
    for flag in row.pan_flags.split_whitespace() {
        match flag {
            "-q" => flags.push("--leftover-messages"),
            "-E" => flags.push("--no-deadlock"),
            "-A" => flags.push("--no-assert"),
            _ => {}
        }
    }
    flags
}
