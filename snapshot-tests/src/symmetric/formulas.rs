//! Verdicts on formulas up to symmetry against the explicit product of the tests.

use crate::engine::Engine;
use crate::interpret::{Options, Program, Property, Runs, System, decide, read_lasso, replay_lasso};
use crate::interpreted_models::{NAME, check_replay};
use crate::load::Loaded;

/// Each search for violations of each formula comes to the verdict of the product; of those that are violated the run is one
/// of the model, which the tests' interpreter follows if it can. In each turn a few searches are asked. Returns how many are violated.
pub fn check_formulas(
    engine: &dyn Engine,
    loaded: &Loaded,
    options: &Options,
    turn: usize,
    follows: bool,
) -> Result<usize, String> {
    const SEARCHES: [&[&str]; 6] = [
        &["--search", "nested", "--no-reduction"],
        &["--search", "scc", "--no-reduction"],
        &["--search", "nested", "--reduction", "stubborn"],
        &["--search", "scc", "--reduction", "ample"],
        &["--reduction", "cluster", "--proviso", "static"],
        &["--threads", "1"],
    ];
    let program = Program::new(&loaded.model, options);
    let mut n_violated = 0;
    for (number, ltl) in loaded.model.formulas.iter().enumerate() {
        let property = Property::Formula(&ltl.formula);
        let Ok(answer) = decide(&mut System::new(&program), property, Runs::ALL) else { continue };
        let expected = if answer.is_violated() { "violated" } else { "verified" };
        n_violated += usize::from(answer.is_violated());
        for (at, search) in SEARCHES.iter().enumerate().filter(|(at, _)| (at + turn + number).is_multiple_of(3)) {
            let question = format!("--ltl={}", ltl.name);
            let how = if (at + turn).is_multiple_of(4) { "sort" } else { "exact" };
            let flags = [&[question.as_str(), "--symmetry", how], *search].concat();
            let report = engine.report_and_trail(NAME, &flags, "cycle.json")?;
            if report["properties"][0]["verdict"] != expected {
                return Err(format!("{flags:?}: {report}, the tests' product says {expected}"));
            }
            if answer.is_violated() {
                check_replay(engine, "cycle.json").map_err(|why| format!("{flags:?}: {why}"))?;
            }
            if answer.is_violated() && follows {
                let follow = |trail: String| {
                    let lasso = read_lasso(&trail)?;
                    let followed = replay_lasso(&loaded.model, &loaded.sources, &lasso, property, options);
                    followed.map_err(|error| format!("{flags:?}: the trail is no counterexample ({error:?}): {trail}"))
                };
                let followed = follow(engine.trail("cycle.json")?);
                // What it cannot follow without symmetry either says nothing about symmetry.
                let without = [&[question.as_str(), "--symmetry", "off"], *search].concat();
                if followed.is_err() && engine.report_and_trail(NAME, &without, "without.json").is_ok() {
                    let is_followed_without = follow(engine.trail("without.json")?).is_ok();
                    followed.or_else(|why| if is_followed_without { Err(why) } else { Ok(()) })?;
                }
            }
        }
    }
    Ok(n_violated)
}
