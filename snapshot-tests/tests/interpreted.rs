//! The interpreter of pmc on the models of the language: the figures and verdicts of Spin, from every search and with
//! every reduction, and counterexamples that replay. Nothing is built, and no Spin is needed.

use pmc::driver::{Options, Simplify};
use snapshot_tests::batch::Member;
use snapshot_tests::conformance::{
    counterexamples_replay, figures_are_right, flags, member, promises_are_checked, questions,
    reductions_keep_verdicts, searches_agree,
};
use snapshot_tests::engine::Engine;
use snapshot_tests::expected::{self, Row};
use snapshot_tests::expected_claims::liveness_rows;
use snapshot_tests::infinite_runs;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};

type Check = fn(&dyn Engine, &Row) -> Result<(), String>;

/// Checks every row, and names all that fail.
fn check_all(rows: &[Row], member: impl Fn(&Row) -> Member + Sync, check: Check) {
    let checked = on_all_cores(rows, |row| Interpreted::with(&member(row), |engine| check(engine, row)));
    let failed = rows.iter().zip(checked).filter_map(|(row, checked)| Some((row, checked.err()?)));
    let wrong: Vec<String> =
        failed.map(|(row, why)| format!("{} {} {}: {why}", row.model, row.mode, row.pan_flags)).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(rows.len() >= 20, "only {} rows", rows.len());
}

fn simplified(row: &Row) -> Member {
    let Member { name, path, options } = member(row);
    Member { name, path, options: Options { simplify: Simplify::ALL, ..options } }
}

/// Every n-th row, for what takes long.
fn sample(rows: Vec<Row>, n: usize) -> Vec<Row> {
    rows.into_iter().step_by(n).collect()
}

#[test]
fn states_transitions_and_errors_are_those_of_spin() {
    check_all(&expected::rows("exact"), member, figures_are_right);
}

#[test]
fn searches_and_threads_agree() {
    check_all(&sample(expected::rows("exact"), 4), member, |engine, row| {
        questions(row).into_iter().try_for_each(|question| searches_agree(engine, row, question))
    });
}

#[test]
fn counterexamples_replay_here_and_in_the_interpreter_of_the_tests() {
    check_all(&expected::rows("exact"), member, |engine, row| {
        questions(row).into_iter().try_for_each(|question| counterexamples_replay(engine, row, question))
    });
}

#[test]
fn reductions_never_change_a_verdict() {
    check_all(&sample(expected::rows("exact"), 6), member, |engine, row| {
        questions(row).into_iter().try_for_each(|question| reductions_keep_verdicts(engine, row, question))
    });
}

/// The verdict is that of Spin in simplified models, too, whatever is left out.
#[test]
fn simplifications_never_change_a_verdict() {
    check_all(&sample(expected::rows("exact"), 5), simplified, |engine, row| {
        for question in questions(row) {
            let own: Vec<&str> = flags(row, question).into_iter().skip(5).collect();
            let verdict = |flags: &[&str]| {
                let flags = [&[question], flags, &own].concat();
                let report = engine.report(&row.model, &flags)?;
                let property = &report["properties"][0];
                // A promise is checked only when steps are left out.
                let is_promise = property["violation"]["kind"] == "xr-xs";
                Ok::<_, String>((!is_promise).then(|| property["verdict"].clone()))
            };
            let whole = Interpreted::with(&member(row), |engine| {
                Ok(engine.report(&row.model, &flags(row, question))?["properties"][0]["verdict"].clone())
            })?;
            for reduction in ["none", "ample", "cluster", "stubborn"] {
                for search in [&["dfs"][..], &["bfs", "--threads", "1"], &["bfs", "--threads", "2"]] {
                    let flags = [&["--reduction", reduction, "--search"], search].concat();
                    let found = verdict(&flags)?;
                    if found.as_ref().is_some_and(|found| *found != whole) {
                        return Err(format!("{flags:?}: {found:?}, unsimplified {whole}"));
                    }
                }
            }
        }
        Ok(())
    });
}

#[test]
fn promises_are_checked_as_by_spin() {
    let is_promise = |row: &Row| {
        let text = std::fs::read_to_string(expected::folder().join(format!("{}.pml", row.model)));
        text.is_ok_and(|text| text.contains("xr ") || text.contains("xs "))
    };
    let rows: Vec<Row> = expected::rows("first").into_iter().filter(is_promise).collect();
    check_all(&rows, member, |engine, row| {
        ["dfs", "bfs"].into_iter().try_for_each(|search| promises_are_checked(engine, row, search))
    });
}

#[test]
fn verdicts_on_infinite_runs_are_those_of_spin() {
    check_all(&liveness_rows(), member, infinite_runs::verdict_is_right);
}

#[test]
fn every_search_for_cycles_agrees_with_the_product() {
    let plain = |row: &Row| Member { options: Options::default(), ..member(row) };
    check_all(&liveness_rows(), plain, |engine, row| infinite_runs::searches_agree(engine, row).map(|_| ()));
}

#[test]
fn a_simulation_with_a_seed_is_the_same_every_time() {
    check_all(&expected::rows("exact"), member, |engine, row| {
        let run = || engine.run(&row.model, &["simulate", "--seed", "7", "--steps", "100"]);
        let (first, second) = (run()?, run()?);
        if first == second && !first.1.is_empty() { Ok(()) } else { Err(format!("{first:?}, then {second:?}")) }
    });
}
