//! The default search finds violations that lie deep, and shows runs that are not longer than Spin's.
//!
//! The models are those of `benchmarks/bugs`. Breadth-first search alone would need more states for several of them than a
//! run here may store; nothing is built, and no Spin is needed.

use std::path::{Path, PathBuf};

use pmc::driver::Options;
use serde_json::Value;
use snapshot_tests::batch::Member;
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};

/// A row of `benchmarks/bugs.csv` that a test can run.
struct Row {
    model: &'static str,
    /// The kind of violation; `any` if there are several, `none` if there is none.
    violation: &'static str,
    /// The steps of the run that Spin 6.5.2 reports by default with `-m1000000` (its depth, and one more). Where it reports
    /// none it has found none within that depth, or died of the fault.
    spin_steps: u64,
    /// Bounds the search, and that for a shorter run.
    states: &'static str,
}

/// The rows with a number of states.
fn rows() -> Vec<Row> {
    let text = include_str!("../../benchmarks/bugs.csv");
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.split(',').collect();
        let [model, violation, spin_steps, states] = cells[..] else { panic!("not well formed: {line}") };
        let spin_steps = spin_steps.parse().unwrap_or(u64::MAX);
        (!states.is_empty()).then_some(Row { model, violation, spin_steps, states })
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// One thread takes the same course every time.
fn flags(states: &str) -> [&str; 5] {
    ["--safety", "--threads", "1", "--max-states", states]
}

fn member(name: &str) -> Member {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/bugs");
    let path: PathBuf = models.join(format!("{name}.pml"));
    Member { name: name.to_owned(), path, options: Options::default() }
}

/// The report of one run, and the number of steps in its trail.
fn report(engine: &dyn Engine, name: &str, flags: &[&str]) -> Result<(Value, u64), String> {
    let file = format!("{name}.deep.json");
    let report = engine.report_and_trail(name, flags, &file)?;
    let trail: Value = serde_json::from_str(&engine.trail(&file)?).map_err(|error| error.to_string())?;
    let n_steps = trail["steps"].as_array().map_or(0, Vec::len) as u64;
    let (code, said) = engine.run(name, &["replay", &file])?;
    if code != 1 {
        return Err(format!("replay says {said}"));
    }
    Ok((report["properties"][0].clone(), n_steps))
}

#[test]
fn deep_violations_are_found_and_shown_in_short() {
    let rows: Vec<Row> = rows().into_iter().filter(|row| row.violation != "none").collect();
    assert!(rows.len() >= 18);
    let checked = on_all_cores(&rows, |&Row { model, violation, spin_steps, states }| {
        Interpreted::with(&member(model), |engine| {
            let (property, n_steps) = report(engine, model, &flags(states))?;
            let (again, n_again) = report(engine, model, &flags(states))?;
            if (n_steps, &property["search"]["transitions"]) != (n_again, &again["search"]["transitions"]) {
                return Err(format!("{model}: {property} and then {again}"));
            }
            let is_kind = violation == "any" || property["violation"]["kind"] == violation;
            match property["verdict"] == "violated" && is_kind && n_steps <= spin_steps {
                true => Ok(()),
                false => Err(format!("{model}: {n_steps} steps, {spin_steps} in Spin: {property}")),
            }
        })
    });
    let wrong: Vec<String> = checked.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A run that the probe has found is reported with the steps that it had, and it was not made longer.
#[test]
fn the_report_says_how_far_a_run_was_shortened() {
    let name = "bank_transfer";
    Interpreted::with(&member(name), |engine| {
        let (property, n_steps) = report(engine, name, &flags("300000"))?;
        let found = property["search"]["probe"]["found_steps"].as_u64().ok_or(format!("{property}"))?;
        assert!(n_steps < found, "{n_steps} of {found}");
        let (_, text) = engine.run(name, &flags("300000"))?;
        let line =
            format!("    shortened from {found} to {n_steps} steps; may not be the shortest (--shortest goes on)\n");
        assert!(text.contains(&line), "{text}");
        assert!(text.contains(" more steps (replay --all shows them)\n"), "{text}");
        Ok(())
    })
    .unwrap();
}

/// `--shortest` goes on to a run that is as short as that of breadth-first search without reductions.
#[test]
fn shortest_goes_on_to_a_shortest_run() {
    for name in ["mutex_race", "rare_order"] {
        let lengths = Interpreted::with(&member(name), |engine| {
            let length = |extra: &[&'static str]| {
                let flags: Vec<&str> = ["--safety", "--threads", "1"].iter().chain(extra).copied().collect();
                report(engine, name, &flags).map(|(_, n_steps)| n_steps)
            };
            let whole = length(&["--search", "bfs", "--no-reduction"])?;
            Ok((length(&["--max-states", "20000"])?, length(&["--shortest"])?, whole))
        });
        let (auto, shortest, whole) = lengths.unwrap();
        assert!(shortest == whole && shortest <= auto, "{name}: {auto}, {shortest}, {whole}");
    }
}

/// A search that a limit has ended says why it would not come to its end.
#[test]
fn an_incomplete_run_names_what_grows() {
    let text = "int n; active proctype P() { do :: n++ od }\nactive proctype Q() { end: n < 0 }\n";
    let found = Interpreted::with_text("grows", text, &Options::default(), |engine| {
        let flags = flags("1000");
        let json = engine.report("grows", &flags)?;
        Ok((engine.run("grows", &flags)?, json))
    });
    let ((code, said), json) = found.unwrap();
    assert_eq!(code, 3);
    let line = "  `n` grows without bound at grows.pml:1: `n++`; give it a limit, or a smaller type\n";
    assert!(said.contains(line), "{said}");
    assert_eq!((&json["growing"][0]["variable"], &json["growing"][0]["statement"]), (&"n".into(), &"n++".into()));
}

/// The breadth-first search would need more states than it may store.
#[test]
fn the_probe_is_first_at_a_deep_violation() {
    for (name, most) in [("buffer_overflow", "70000"), ("philosophers", "15000")] {
        let few = ["--safety", "--threads", "1", "--max-states", most];
        let (auto, bfs) = Interpreted::with(&member(name), |engine| {
            let (auto, _) = report(engine, name, &few)?;
            let flags: Vec<&str> = few.iter().copied().chain(["--search", "bfs"]).collect();
            Ok((auto, engine.report(name, &flags)?["properties"][0].clone()))
        })
        .unwrap();
        assert_eq!(auto["search"]["probe"]["outcome"], "violation", "{auto}");
        assert_eq!(bfs["verdict"], "incomplete", "{bfs}");
        assert_eq!(bfs["search"]["probe"], Value::Null, "{bfs}");
    }
}

/// Without a violation the counts are those of breadth-first search, and the seed changes none of them.
#[test]
fn a_proof_has_the_counts_of_breadth_first_search() {
    let none: Vec<Row> = rows().into_iter().filter(|row| row.violation == "none").collect();
    assert!(none.len() >= 2);
    none.iter().for_each(|row| check_proof(row.model));
}

fn check_proof(name: &str) {
    let figures = Interpreted::with(&member(name), |engine| {
        let of = |extra: &[&'static str]| {
            let flags: Vec<&str> = ["--safety", "--threads", "1"].iter().chain(extra).copied().collect();
            engine.figures(name, &flags)
        };
        Ok([of(&["--search", "bfs"])?, of(&[])?, of(&["--seed", "77"])?])
    })
    .unwrap();
    assert!(figures[0].transitions > 2_000, "{figures:?}");
    assert_eq!(figures[0], figures[1]);
    assert_eq!(figures[0], figures[2]);
}
