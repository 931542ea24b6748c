//! The two engines of pmc beside each other and beside pan: time per transition.

use std::path::Path;

use serde::Serialize;

use crate::arguments::Arguments;
use crate::catalogue::{Instance, instances};
use crate::pan::{Counts, Spin};
use crate::question::Question;
use crate::results::geometric_mean;
use crate::table::align;
use crate::usage::Usage;
use crate::verifier::Pmc;

/// One model. Times are seconds of processor time, the least of some runs.
#[derive(Debug, Serialize)]
pub struct Row {
    pub model: String,
    pub size: String,
    pub transitions: u64,
    pub interpreted: Option<f64>,
    pub compiled: Option<f64>,
    pub pan: Option<f64>,
    /// Why a time is missing.
    pub failures: Vec<String>,
}

/// One engine, ready to run.
type Engine<'a> = Box<dyn FnMut() -> Result<(Counts, Usage), String> + 'a>;

/// Runs each model with each engine, in turns.
pub fn measure(pmc: &Pmc, spin: Option<&Spin>, arguments: &Arguments, folder: &Path) -> Vec<Row> {
    let questions = arguments.questions();
    let Some(question) = questions.first() else { return Vec::new() };
    let chosen = instances().into_iter().filter(|instance| {
        let is_asked = !question.about_formula || instance.formula().is_some();
        arguments.choose(instance) && is_asked
    });
    let row = |instance: Instance| {
        eprintln!("{} {}: {} ...", instance.model, instance.size(), question.name);
        let folder = folder.join(format!("{}-engines", instance.model));
        one(pmc, spin, &instance, question, arguments.repetitions, &folder)
    };
    chosen.map(row).collect()
}

fn one(
    pmc: &Pmc,
    spin: Option<&Spin>,
    instance: &Instance,
    question: &Question,
    repetitions: u32,
    folder: &Path,
) -> Row {
    let interpreter = pmc.interpreter(instance, question, &folder.join("interpreted"));
    let verifier = pmc.build(instance, question, &folder.join("compiled"));
    let pan = spin.map(|spin| spin.build(instance, question, &folder.join("pan")));
    let mut engines: Vec<(&str, Engine<'_>)> = vec![
        ("interpreted", Box::new(move || interpreter.as_ref().map_err(Clone::clone)?.run())),
        ("compiled", Box::new(move || verifier.as_ref().map_err(Clone::clone)?.run())),
    ];
    if let Some(mut pan) = pan {
        engines.push(("pan", Box::new(move || pan.as_mut().map_err(|why| why.clone())?.run())));
    }
    let mut row = Row {
        model: instance.model.clone(),
        size: instance.size(),
        transitions: 0,
        interpreted: None,
        compiled: None,
        pan: None,
        failures: Vec::new(),
    };
    let times = take_turns(&mut engines, repetitions, &mut row);
    [row.interpreted, row.compiled, row.pan] = [0, 1, 2].map(|engine| times.get(engine).copied().flatten());
    row
}

/// The least time of each engine. Those of pmc must count the same transitions.
fn take_turns(engines: &mut [(&str, Engine<'_>)], repetitions: u32, row: &mut Row) -> Vec<Option<f64>> {
    let mut times: Vec<Option<f64>> = vec![None; engines.len()];
    let mut has_failed = vec![false; engines.len()];
    for _ in 0..repetitions {
        for (number, (name, engine)) in engines.iter_mut().enumerate() {
            if has_failed[number] {
                continue;
            }
            let is_own = *name != "pan";
            let failure = match engine() {
                Ok((counts, _)) if is_own && row.transitions > 0 && counts.transitions != row.transitions => {
                    format!("{} transitions in place of {}", counts.transitions, row.transitions)
                }
                Ok((counts, usage)) => {
                    if is_own {
                        row.transitions = counts.transitions;
                    }
                    times[number] = Some(times[number].map_or(usage.cpu(), |least| least.min(usage.cpu())));
                    continue;
                }
                Err(why) => why,
            };
            row.failures.push(format!("{name}: {failure}"));
            (times[number], has_failed[number]) = (None, true);
        }
    }
    times
}

/// A line for each model, and the mean and the extremes of the ratios.
pub fn table(rows: &[Row]) -> String {
    let header = ["model", "size", "transitions", "interpreted ns", "compiled ns", "pan ns", "int : comp", "int : pan"];
    let mut lines = vec![header.map(str::to_owned).to_vec()];
    for row in rows {
        #[expect(clippy::cast_precision_loss, reason = "a ratio needs fewer than sixteen digits")]
        let each = |seconds: f64| seconds * 1e9 / row.transitions.max(1) as f64;
        let time = |seconds: Option<f64>| seconds.map_or("-".to_owned(), |seconds| format!("{:.0}", each(seconds)));
        let ratio = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        lines.push(vec![
            row.model.clone(),
            row.size.clone(),
            row.transitions.to_string(),
            time(row.interpreted),
            time(row.compiled),
            time(row.pan),
            ratio(to_compiled(row)),
            ratio(to_pan(row)),
        ]);
    }
    let mut text = align(&lines, 2);
    for row in rows {
        text.extend(row.failures.iter().map(|why| format!("{} {}: {why}\n", row.model, row.size)));
    }
    text + &summary("compiled", rows.iter().filter_map(to_compiled)) + &summary("pan", rows.iter().filter_map(to_pan))
}

fn to_compiled(row: &Row) -> Option<f64> {
    quotient(row.interpreted?, row.compiled?)
}

fn to_pan(row: &Row) -> Option<f64> {
    quotient(row.interpreted?, row.pan?)
}

/// Nothing where a run was too short to be measured.
fn quotient(one: f64, other: f64) -> Option<f64> {
    (other > 0.0).then(|| one / other)
}

fn summary(rival: &str, ratios: impl Iterator<Item = f64>) -> String {
    let ratios: Vec<f64> = ratios.collect();
    let Some(mean) = geometric_mean(&ratios) else { return String::new() };
    #[expect(clippy::cast_precision_loss, reason = "a few dozen")]
    let arithmetic = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    format!("\ninterpreted : {rival}: {mean:.2} (arithmetic {arithmetic:.2}), {least:.2} to {most:.2}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Row {
        Row {
            model: "m".to_owned(),
            size: "N=1".to_owned(),
            transitions: 0,
            interpreted: None,
            compiled: None,
            pan: None,
            failures: Vec::new(),
        }
    }

    fn engine(transitions: u64, mut times: Vec<f64>) -> Engine<'static> {
        Box::new(move || {
            let user = times.pop().ok_or("no more")?;
            Ok((Counts { states: 1, transitions }, Usage { user, ..Usage::default() }))
        })
    }

    #[test]
    fn the_least_time_counts_and_pan_may_count_otherwise() {
        let mut row = empty();
        let mut engines = [
            ("interpreted", engine(10, vec![3.0, 2.0, 4.0])),
            ("compiled", engine(10, vec![1.0, 1.5, 2.0])),
            ("pan", engine(11, vec![7.0, 8.0, 9.0])),
        ];
        assert_eq!(take_turns(&mut engines, 3, &mut row), [Some(2.0), Some(1.0), Some(7.0)]);
        assert!(row.transitions == 10 && row.failures.is_empty());
    }

    #[test]
    fn engines_that_disagree_have_no_time() {
        let mut row = empty();
        let mut engines = [("interpreted", engine(10, vec![1.0])), ("compiled", engine(9, vec![1.0]))];
        assert_eq!(take_turns(&mut engines, 2, &mut row), [None, None]);
        assert_eq!(row.failures, ["compiled: 9 transitions in place of 10", "interpreted: no more"]);
    }

    #[test]
    fn ratios_are_shown_with_their_mean() {
        let row = |interpreted| Row {
            transitions: 1_000_000,
            interpreted: Some(interpreted),
            compiled: Some(0.1),
            ..empty()
        };
        let text = table(&[row(0.2), row(0.3)]);
        assert!(text.contains(" 200 ") && text.contains("2.00") && text.contains("3.00"), "{text}");
        assert!(text.contains("interpreted : compiled: 2.45 (arithmetic 2.50), 2.00 to 3.00"), "{text}");
        assert!(!text.contains("interpreted : pan"), "{text}");
    }
}
