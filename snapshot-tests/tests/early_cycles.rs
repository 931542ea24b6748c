//! The search for cycles reports one soon after it lies behind the states that were visited: it does not visit the whole
//! product first.
//!
//! The models are those of `benchmarks/bugs/cycles`; nothing is built, and no Spin is needed.

use std::path::Path;

use pmc::driver::Options;
use snapshot_tests::batch::Member;
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};

/// The models, and the states that Spin 6.5.2 stores with `-a -m1000000` until it reports the cycle.
const MODELS: [(&str, u64); 6] = [
    ("early_starvation", 7),
    ("end_of_chain", 40_036),
    ("late_livelock", 15_005),
    ("lost_acks", 121),
    ("polite_philosophers", 7),
    ("rare_order", 47),
];

/// Whose automaton is larger, or in another order, differs from claim to claim.
const FACTOR: u64 = 3;

fn member(name: &str) -> Member {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../benchmarks/bugs/cycles/{name}.pml"));
    Member { name: name.to_owned(), path, options: Options::default() }
}

/// The formula of a model is its only claim.
fn check(engine: &dyn Engine, name: &str, spins: u64, flags: &[&str]) -> Result<(), String> {
    let most = (FACTOR * spins).to_string();
    let flags = [&["--threads", "1", "--max-states", &most], flags].concat();
    let file = format!("{name}.cycle.json");
    let report = engine.report_and_trail(name, &flags, &file)?;
    let properties = report["properties"].as_array().ok_or("no properties")?;
    let claim = properties.iter().find(|property| property["kind"] == "ltl").ok_or("no formula")?;
    if claim["verdict"] != "violated" || claim["violation"]["kind"] != "acceptance-cycle" {
        return Err(format!("{flags:?}: {claim}"));
    }
    Ok(())
}

#[test]
fn cycles_are_found_before_the_whole_product_is_visited() {
    let checked = on_all_cores(&MODELS, |&(name, spins)| {
        Interpreted::with(&member(name), |engine| {
            for flags in [&[][..], &["--no-reduction"]] {
                check(engine, name, spins, flags).map_err(|why| format!("{name}: {why}"))?;
            }
            Ok(())
        })
    });
    let wrong: Vec<String> = checked.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
