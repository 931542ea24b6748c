//! How long a user waits: from the command to the verdict, on small models. The clock on the wall counts, and the least
//! of some runs, since other load on the machine only adds to it.

use std::path::Path;

use serde::Serialize;

use crate::arguments::Arguments;
use crate::catalogue::{Instance, small_instances};
use crate::pan::{Counts, Spin};
use crate::question::{QUESTIONS, Question};
use crate::results::geometric_mean;
use crate::table::align;
use crate::usage::Usage;
use crate::verifier::Pmc;

/// One model, in seconds.
#[derive(Debug, Serialize)]
pub struct Timing {
    pub model: String,
    pub size: String,
    pub states: u64,
    /// `pmc verify` with an empty cache of verifiers, and with the verifier in it.
    pub cold: f64,
    pub warm: f64,
    /// `pmc verify --engine compiled`: the verifier is built, with the runtime in the cache; and it is there.
    pub compiled_cold: f64,
    pub compiled_warm: f64,
    /// `pmc compile` and `cargo run --release` in a fresh folder, and in one where another model was built before.
    pub fresh: Option<f64>,
    pub again: Option<f64>,
    /// `spin -a`, `gcc -O2` and `pan`.
    pub spin: Option<f64>,
}

pub fn measure(pmc: &Pmc, spin: Option<&Spin>, arguments: &Arguments, folder: &Path) -> Vec<Timing> {
    let filter = arguments.filter.as_deref().unwrap_or("");
    let is_chosen =
        |instance: &Instance| instance.model.contains(filter) && arguments.set.is_none_or(|set| set == instance.set);
    let mut timings = Vec::new();
    for instance in small_instances().into_iter().filter(is_chosen) {
        eprintln!("{} {} ...", instance.model, instance.size());
        let folder = folder.join(format!("{}-{}", instance.model, instance.states));
        match one(pmc, spin, &instance, arguments, &folder) {
            Ok(timing) => timings.push(timing),
            Err(why) => eprintln!("{} {}: {why}", instance.model, instance.size()),
        }
    }
    timings
}

fn one(
    pmc: &Pmc,
    spin: Option<&Spin>,
    instance: &Instance,
    arguments: &Arguments,
    folder: &Path,
) -> Result<Timing, String> {
    let question: &Question = &QUESTIONS[0];
    let checked = |(counts, usage): (Counts, Usage)| {
        if counts.states != instance.states {
            return Err(format!("{} states in place of {}", counts.states, instance.states));
        }
        Ok(usage.wall)
    };
    let verdict = |engine: &str, cache: &Path| checked(pmc.verdict(engine, instance, question, cache)?);
    let cache = pmc.cache(instance, question)?;
    let compiled_cold = verdict("compiled", &cache)?;
    let mut timing = Timing {
        model: instance.model.clone(),
        size: instance.size(),
        states: instance.states,
        cold: f64::INFINITY,
        warm: f64::INFINITY,
        compiled_cold,
        compiled_warm: f64::INFINITY,
        fresh: None,
        again: None,
        spin: None,
    };
    let twin = pmc.twin(instance)?;
    for repetition in 0..arguments.repetitions {
        let empty = folder.join(format!("empty-{repetition}"));
        let _ = std::fs::remove_dir_all(&empty);
        timing.cold = timing.cold.min(verdict("auto", &empty)?);
        timing.warm = timing.warm.min(verdict("auto", &cache)?);
        timing.compiled_warm = timing.compiled_warm.min(verdict("compiled", &cache)?);
        // Building everything takes so long that one run must do.
        if repetition == 0 && !arguments.no_crates {
            let crate_folder = folder.join("crate");
            let _ = std::fs::remove_dir_all(&crate_folder);
            timing.fresh = Some(checked(pmc.compile_and_run(&twin, instance, question, &crate_folder)?)?);
            timing.again = Some(checked(pmc.compile_and_run(&instance.path(), instance, question, &crate_folder)?)?);
        }
        if let Some(spin) = spin {
            let wait = wait_for_spin(spin, instance, question, &folder.join("pan"))?;
            timing.spin = Some(timing.spin.map_or(wait, |least| least.min(wait)));
        }
    }
    Ok(timing)
}

fn wait_for_spin(spin: &Spin, instance: &Instance, question: &Question, folder: &Path) -> Result<f64, String> {
    let mut pan = spin.build(instance, question, folder)?;
    let Usage { wall: build, .. } = pan.build;
    Ok(build + pan.run()?.1.wall)
}

/// A line for each model, in milliseconds, and the targets that are missed.
pub fn table(timings: &[Timing]) -> String {
    let header = [
        "model",
        "size",
        "states",
        "cold ms",
        "warm",
        "compiled, cold",
        "warm",
        "compile and cargo run, fresh",
        "again",
        "spin ms",
        "spin : cold",
    ];
    let mut lines = vec![header.map(str::to_owned).to_vec()];
    for timing in timings {
        let milliseconds = |seconds: f64| format!("{:.1}", seconds * 1e3);
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        lines.push(vec![
            timing.model.clone(),
            timing.size.clone(),
            timing.states.to_string(),
            milliseconds(timing.cold),
            milliseconds(timing.warm),
            milliseconds(timing.compiled_cold),
            milliseconds(timing.compiled_warm),
            or_dash(timing.fresh.map(milliseconds)),
            or_dash(timing.again.map(milliseconds)),
            or_dash(timing.spin.map(milliseconds)),
            or_dash(timing.spin.map(|spin| format!("{:.0}x", spin / timing.cold))),
        ]);
    }
    let ratios: Vec<f64> = timings.iter().filter_map(|timing| Some(timing.spin? / timing.cold)).collect();
    let mean = geometric_mean(&ratios).map(|mean| format!("\nspin : pmc, cold: {mean:.0}x\n"));
    let missed = timings.iter().flat_map(missed).map(|target| format!("missed: {target}\n"));
    align(&lines, 2) + &mean.unwrap_or_default() + &missed.collect::<String>()
}

/// The targets are those of an idle machine.
fn missed(timing: &Timing) -> Vec<String> {
    let Timing { model, size, states, cold, warm, compiled_cold, compiled_warm, fresh, spin, .. } = timing;
    let limit = if *states < 10_000 { 0.015 } else { 0.4 };
    let checks = [
        (cold.max(*warm) > limit, format!("a verdict within {:.0} ms", limit * 1e3)),
        (*states < 10_000 && spin.is_some_and(|spin| spin < 10.0 * cold), "ten times as fast as spin".to_owned()),
        (*cold > 1.1 * compiled_cold || *warm > 1.1 * compiled_warm, "not slower than the compiled engine".to_owned()),
        (
            spin.zip(*fresh).is_some_and(|(spin, fresh)| fresh > 2.0 * spin),
            "compile and cargo run within twice the time of spin".to_owned(),
        ),
        (
            spin.is_some_and(|spin| *compiled_cold > 0.6 * spin),
            "a verifier built within 0.6 of the time of spin".to_owned(),
        ),
    ];
    let failed = checks.into_iter().filter(|(is_missed, _)| *is_missed);
    failed.map(|(_, target)| format!("{model} {size}: {target}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(states: u64, cold: f64) -> Timing {
        Timing {
            model: "m".to_owned(),
            size: "N=1".to_owned(),
            states,
            cold,
            warm: 0.004,
            compiled_cold: 0.5,
            compiled_warm: 0.006,
            fresh: Some(1.9),
            again: Some(0.7),
            spin: Some(1.0),
        }
    }

    #[test]
    fn times_are_shown_in_milliseconds() {
        let text = table(&[timing(500, 0.005), timing(50_000, 0.1)]);
        assert!(
            text.contains("500.0") && text.contains("1900.0") && text.contains("200x") && text.contains("10x"),
            "{text}"
        );
        assert!(text.contains("spin : pmc, cold: 45x") && !text.contains("missed"), "{text}");
    }

    #[test]
    fn a_missed_target_is_named() {
        assert_eq!(missed(&timing(500, 0.005)), Vec::<String>::new());
        assert_eq!(missed(&timing(500, 0.020)), ["m N=1: a verdict within 15 ms"]);
        let quick = Timing { spin: Some(0.04), compiled_cold: 0.02, fresh: Some(0.07), ..timing(500, 0.01) };
        assert_eq!(missed(&quick), ["m N=1: ten times as fast as spin"]);
        let slow = missed(&Timing { compiled_cold: 0.61, fresh: Some(2.1), ..timing(500, 0.005) });
        assert_eq!(slow[0], "m N=1: compile and cargo run within twice the time of spin");
        assert_eq!(slow[1..], ["m N=1: a verifier built within 0.6 of the time of spin"]);
        assert_eq!(missed(&Timing { warm: 0.01, ..timing(500, 0.01) }), ["m N=1: not slower than the compiled engine"]);
        assert_eq!(missed(&timing(50_000, 0.3)), Vec::<String>::new());
        assert_eq!(missed(&timing(50_000, 0.5)), ["m N=1: a verdict within 400 ms"]);
    }
}
