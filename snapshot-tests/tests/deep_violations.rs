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

/// The models, and the steps of the run that Spin 6.5.2 reports by default with `-m1000000` (its depth, and one more).
/// It finds none within that depth for `deep_oldest`.
const VIOLATED: [(&str, u64); 8] = [
    ("buffer_overflow", 42),
    ("deep_oldest", u64::MAX),
    ("endless_counter", 1_197),
    ("long_atomic", 10_008),
    ("mutex_race", 54),
    ("philosophers", 24_316),
    ("rare_order", 35),
    ("token_lost", 764_736),
];

/// One thread takes the same course every time. The limit also bounds the search for a shorter run.
const FLAGS: [&str; 5] = ["--safety", "--threads", "1", "--max-states", "20000"];

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
    let checked = on_all_cores(&VIOLATED, |&(name, spins)| {
        Interpreted::with(&member(name), |engine| {
            let (property, n_steps) = report(engine, name, &FLAGS)?;
            let (again, n_again) = report(engine, name, &FLAGS)?;
            if (n_steps, &property["search"]["transitions"]) != (n_again, &again["search"]["transitions"]) {
                return Err(format!("{name}: {property} and then {again}"));
            }
            match property["verdict"] == "violated" && n_steps <= spins {
                true => Ok(()),
                false => Err(format!("{name}: {n_steps} steps, {spins} in Spin: {property}")),
            }
        })
    });
    let wrong: Vec<String> = checked.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The breadth-first search would need more states than it may store.
#[test]
fn the_probe_is_first_at_a_deep_violation() {
    const FEW: [&str; 5] = ["--safety", "--threads", "1", "--max-states", "10000"];
    for name in ["buffer_overflow", "philosophers"] {
        let (auto, bfs) = Interpreted::with(&member(name), |engine| {
            let (auto, _) = report(engine, name, &FEW)?;
            let flags: Vec<&str> = FEW.iter().copied().chain(["--search", "bfs"]).collect();
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
    let name = "alternating_bit";
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
