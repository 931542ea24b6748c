//! Models with timers in verifiers that are built: all that the definition of timers says of them, and that the interpreter
//! of pmc gives the same reports and trails. `timed.rs` has further tests of them, without a build.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::engine::give_the_same;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};
use snapshot_tests::timed::{self, Question, TimedRow};

/// All of them, built once for the tests in this file.
fn batch() -> &'static Batch {
    static BATCH: OnceLock<Batch> = OnceLock::new();
    BATCH.get_or_init(|| {
        let members: Vec<Member> = timed_members().iter().map(|row| row.member(row.simplify())).collect();
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("timed");
        Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The models with timers, with each set of options once.
fn timed_members() -> Vec<TimedRow> {
    let mut names = BTreeSet::new();
    let is_built = |row: &TimedRow| !matches!(row.question, Question::Refused { .. });
    timed::rows().into_iter().filter(|row| is_built(row) && names.insert(row.name())).collect()
}

/// Those whose every state and transition is counted.
fn timed_rows() -> Vec<TimedRow> {
    timed_members()
        .into_iter()
        .filter(|row| matches!(row.question, Question::Safety | Question::Abstract { .. }))
        .collect()
}

/// All that the definition of timers says of models, in verifiers that are built.
#[test]
fn every_row_about_timers_agrees() {
    let rows: Vec<TimedRow> =
        timed::rows().into_iter().filter(|row| !matches!(row.question, Question::Refused { .. })).collect();
    let checked = on_all_cores(&rows, |row| timed::agrees(batch(), row));
    let n_right = checked.iter().filter(|checked| checked.is_ok()).count();
    println!("{n_right} of {} rows agree", rows.len());
    let failed = rows.iter().zip(checked).filter_map(|(row, result)| Some((row.name(), result.err()?)));
    let wrong: Vec<String> = failed.map(|(name, why)| format!("{name}: {why}")).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// The interpreter gives the same reports and trails of those with timers.
#[test]
fn models_with_timers_are_right() {
    let rows = timed_rows();
    let compared = on_all_cores(&rows, |row| {
        Interpreted::with(&row.member(row.simplify()), |interpreted| {
            for flags in [
                &["--safety", "--no-reduction", "--search", "dfs"][..],
                &["--reduction", "stubborn", "--search", "bfs", "--safety"],
                &["--reduction", "ample", "--acceptance"],
            ] {
                let flags = [flags, &["--threads", "1"]].concat();
                give_the_same(batch(), interpreted, &row.name(), &flags)?;
            }
            Ok(())
        })
    });
    let failed = rows.iter().zip(compared).filter_map(|(row, result)| Some((row.name(), result.err()?)));
    let wrong: Vec<String> = failed.map(|(name, why)| format!("{name}: {why}")).collect();
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(rows.len() > 40);
}
