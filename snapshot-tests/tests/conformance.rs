//! Generated verifiers against the figures recorded from Spin.

use std::path::Path;
use std::sync::OnceLock;

use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::conformance::{
    breaks_promise, counterexamples_replay, figures_are_right, member, promises_are_checked, questions,
    reductions_keep_verdicts, searches_agree, stores_agree,
};
use snapshot_tests::engine::{Engine, give_the_same};
use snapshot_tests::expected::{self, Row};
use snapshot_tests::expected_claims::liveness_rows;
use snapshot_tests::infinite_runs::verdict_is_right;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};
use snapshot_tests::load::load;

/// All models, built once for the tests in this file.
fn batch() -> &'static Batch {
    static BATCH: OnceLock<Batch> = OnceLock::new();
    BATCH.get_or_init(|| {
        let members: Vec<Member> = expected::rows("exact").iter().map(member).collect();
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
        Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Checks every model, and names all that fail.
fn check_all(check: impl Fn(&Row, &'static str) -> Result<(), String>) {
    let rows = expected::rows("exact");
    let mut wrong: Vec<String> = Vec::new();
    for row in &rows {
        let failed = questions(row).into_iter().filter_map(|question| check(row, question).err());
        wrong.extend(failed.map(|why| format!("{}: {why}", row.model)));
    }
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn breadth_first_and_depth_first_agree() {
    check_all(|row, question| searches_agree(batch(), row, question));
}

#[test]
fn every_store_agrees() {
    check_all(|row, question| stores_agree(batch(), row, question));
}

/// A verdict that rests on what hidden variables happened to hold is no proof, and says so.
#[test]
fn hidden_values_that_differ_are_told() {
    let flags = ["--safety", "--no-reduction", "--search"];
    let expected = [
        ("type_hidden_read", true),
        ("type_hidden", false),
        ("type_hidden_scratch", false),
        ("type_hidden_unread", false),
    ];
    for (model, differs) in expected {
        for search in ["dfs", "bfs"] {
            let report = batch().report(model, &[&flags[..], &[search]].concat()).expect("it runs");
            let search = &report["properties"][0]["search"];
            assert_eq!((report["verdict"].as_str(), &search["hidden_differed"]), (Some("verified"), &differs.into()));
            assert_eq!(search["complete"], !differs, "{model}");
            assert_eq!(report["warnings"].to_string().contains("hidden variables"), differs, "{report}");
        }
    }
}

#[test]
fn every_counterexample_replays() {
    check_all(|row, question| counterexamples_replay(batch(), row, question));
}

/// The verifiers that were built for the figures answer for infinite runs, too.
#[test]
fn verdicts_on_infinite_runs_are_those_of_spin() {
    let rows = liveness_rows();
    let mut wrong = Vec::new();
    for row in &rows {
        if let Err(why) = verdict_is_right(batch(), row) {
            wrong.push(format!("{} {} {}: {why}", row.model, row.mode, row.pan_flags));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn reductions_never_change_a_verdict() {
    check_all(|row, question| reductions_keep_verdicts(batch(), row, question));
}

#[test]
fn promises_are_checked_as_by_spin() {
    let rows = expected::rows("first");
    let makes_promises = |row: &&Row| {
        let loaded = load(&expected::folder().join(format!("{}.pml", row.model)));
        loaded.is_ok_and(|loaded| loaded.model.proctypes.iter().any(|process| !process.exclusive.is_empty()))
    };
    let rows: Vec<&Row> = rows.iter().filter(makes_promises).collect();
    assert!(rows.iter().filter(|row| breaks_promise(row)).count() >= 6, "{rows:?}");
    let mut wrong = Vec::new();
    for row in &rows {
        for search in ["dfs", "bfs"] {
            if let Err(why) = promises_are_checked(batch(), row, search) {
                wrong.push(format!("{}, {search}: {why}", row.model));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn states_transitions_and_errors_are_those_of_spin() {
    let rows = expected::rows("exact");
    let check = |row: &Row| figures_are_right(batch(), row).err().map(|why| format!("{}: {why}", row.model));
    let wrong: Vec<String> = rows.iter().filter_map(check).collect();
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// A verifier and the interpreter know the same members, and have the same representatives and runs.
#[test]
fn engines_agree_up_to_symmetry() {
    let rows: Vec<Row> = expected::rows("exact");
    let mut n_symmetric = 0;
    for row in rows.iter().filter(|row| SYMMETRIC.contains(&row.model.as_str())) {
        let result = Interpreted::with(&member(row), |interpreted| {
            for how in ["exact", "sort", "full"] {
                for search in [["dfs", "none"], ["bfs", "stubborn"]] {
                    let [order, reduction] = search;
                    let flags = ["--safety", "--symmetry", how, "--search", order, "--reduction", reduction];
                    let flags = [&flags[..], &["--threads", "1", "--all-errors"]].concat();
                    let report = interpreted.report(&row.model, &flags)?;
                    let property = &report["properties"][0];
                    let is_violated = row.figures.is_some_and(|[_, _, errors]| errors > 0);
                    if property["search"]["symmetry"].is_null() || (property["errors"] != 0) != is_violated {
                        return Err(format!("{flags:?}: {report}"));
                    }
                    give_the_same(batch(), interpreted, &row.model, &flags)?;
                }
            }
            Ok(())
        });
        assert_eq!(result, Ok(()), "{}", row.model);
        n_symmetric += 1;
    }
    assert_eq!(n_symmetric, SYMMETRIC.len());
}

/// Models with processes that are interchangeable.
const SYMMETRIC: &[&str] = &["chan_two_receivers", "live_semaphore", "misc_readers", "symmetry_server"];

/// The interpreter of pmc gives the reports and the trails of the verifiers.
#[test]
fn the_interpreter_gives_the_same_reports() {
    let rows: Vec<Row> = expected::rows("exact").into_iter().step_by(3).collect();
    let compared = on_all_cores(&rows, |row| {
        Interpreted::with(&member(row), |interpreted| {
            for question in questions(row) {
                for all in [&["--all-errors"][..], &[]] {
                    let flags = [&[question, "--no-reduction", "--search", "dfs", "--threads", "1"], all].concat();
                    give_the_same(batch(), interpreted, &row.model, &flags)?;
                }
                let flags = [question, "--reduction", "stubborn", "--search", "bfs", "--threads", "1"];
                give_the_same(batch(), interpreted, &row.model, &flags)?;
            }
            Ok(())
        })
    });
    let failed =
        rows.iter().zip(compared).filter_map(|(row, result)| Some(format!("{}: {}", row.model, result.err()?)));
    let wrong: Vec<String> = failed.collect();
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
