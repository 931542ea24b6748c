//! `cargo run --release -p benchmarks -- [FILTER] [FLAGS]`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benchmarks::arguments::Arguments;
use benchmarks::bugs::{self, Plan};
use benchmarks::catalogue::{Instance, instances};
use benchmarks::chart::chart;
use benchmarks::engines;
use benchmarks::growth;
use benchmarks::measure::measure;
use benchmarks::pan::Spin;
use benchmarks::results::{Results, Row, SCHEMA};
use benchmarks::table::table;
use benchmarks::verdicts;
use benchmarks::verifier::Pmc;
use clap::Parser;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = match &arguments.keep {
        Some(folder) => kept(folder)?,
        None => temporary.path().to_owned(),
    };
    let pmc = match &arguments.pmc {
        Some(program) => Pmc::at(program, &folder)?,
        None => {
            eprintln!("building pmc ...");
            Pmc::prepare(&folder)?
        }
    };
    measure_with(arguments, &pmc, &folder)
}

/// A folder that outlives the run.
fn kept(folder: &Path) -> Result<PathBuf, String> {
    let made = std::fs::create_dir_all(folder).and_then(|()| folder.canonicalize());
    made.map_err(|error| format!("{}: {error}", folder.display()))
}

fn measure_with(arguments: &Arguments, pmc: &Pmc, folder: &Path) -> Result<(), String> {
    if let Some(most) = arguments.growth {
        return grow(arguments, &growth::measure(pmc, folder, most)?);
    }
    let spin = if arguments.only_pmc { None } else { Spin::find() };
    if spin.is_none() {
        eprintln!("without Spin: figures of pmc alone");
    }
    if arguments.bugs || arguments.probe_cost {
        let (builds, repetitions, seconds) = (!arguments.interpreted, arguments.repetitions, arguments.seconds);
        let plan = Plan { pmc, spin: spin.as_ref(), builds, repetitions, seconds, folder };
        return if arguments.bugs { find_bugs(arguments, &plan) } else { cost_of_probe(arguments, &plan) };
    }
    if arguments.verdicts {
        let timings = verdicts::measure(pmc, spin.as_ref(), arguments, folder);
        println!("{}", verdicts::table(&timings));
        return write_json(arguments, &timings);
    }
    if arguments.engines {
        let rows = engines::measure(pmc, spin.as_ref(), arguments, folder);
        println!("{}", engines::table(&rows));
        return write_json(arguments, &rows);
    }
    let results = Results {
        schema: SCHEMA,
        pmc: pmc.version(),
        spin: spin.as_ref().and_then(Spin::version),
        cc: spin.as_ref().and_then(Spin::cc_version),
        machine: machine(),
        repetitions: arguments.repetitions,
        rows: rows(arguments, pmc, spin.as_ref(), folder),
    };
    for question in arguments.questions() {
        println!("{}", table(&results, question));
    }
    write_json(arguments, &results)?;
    if let (Some(path), Some(question)) = (&arguments.svg, arguments.questions().first()) {
        write(path, &chart(&results, question))?;
    }
    Ok(())
}

fn grow(arguments: &Arguments, points: &[growth::Point]) -> Result<(), String> {
    println!("{}", growth::table(points));
    write_json(arguments, &points)?;
    if let Some(path) = &arguments.svg {
        write(path, &growth::chart(points))?;
    }
    Ok(())
}

fn find_bugs(arguments: &Arguments, plan: &Plan<'_>) -> Result<(), String> {
    let filter = arguments.filter.as_deref().unwrap_or("");
    let mut races = Vec::new();
    for bug in bugs::bugs().iter().filter(|bug| bug.is_violated() && bug.model.contains(filter)) {
        eprintln!("{} ...", bug.model);
        races.push(plan.race(bug));
    }
    println!("{}", bugs::table(&races));
    write_json(arguments, &races)
}

fn cost_of_probe(arguments: &Arguments, plan: &Plan<'_>) -> Result<(), String> {
    let chosen: Vec<Instance> = instances().into_iter().filter(|instance| arguments.choose(instance)).collect();
    let mut costs = Vec::new();
    for (name, path, defines) in bugs::without_violation(&chosen, arguments.filter.as_deref().unwrap_or("")) {
        eprintln!("{name} without violation ...");
        costs.push(plan.cost(&name, &path, &defines));
    }
    println!("{}", bugs::cost_table(&costs));
    write_json(arguments, &costs)
}

fn rows(arguments: &Arguments, pmc: &Pmc, spin: Option<&Spin>, folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for instance in instances().into_iter().filter(|instance| arguments.choose(instance)) {
        for question in arguments.questions() {
            if question.about_formula && instance.formula().is_none() {
                continue;
            }
            eprintln!("{} {}: {} ...", instance.model, instance.size(), question.name);
            let folder = folder.join(format!("{}-{}", instance.model, question.name));
            rows.push(measure(pmc, spin, &instance, question, arguments.repetitions, &folder));
        }
    }
    rows
}

/// The machine of the measurements.
fn machine() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpus.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("an unknown processor");
    let n_threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {n_threads} threads", name.trim_start_matches([' ', '\t', ':']))
}

/// Writes all that was measured, if that is asked for.
fn write_json(arguments: &Arguments, measured: &impl serde::Serialize) -> Result<(), String> {
    let Some(path) = &arguments.json else { return Ok(()) };
    write(path, &serde_json::to_string_pretty(measured).map_err(|error| error.to_string())?)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
