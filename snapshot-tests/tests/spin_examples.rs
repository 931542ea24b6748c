//! Generated verifiers and the interpreter against Spin on the example models of
//! Debian's package, where both can be had.

use std::path::{Path, PathBuf};

use pmc::driver;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::interpret::{Options, explore};
use snapshot_tests::load::load;
use snapshot_tests::spin::{self, NoFigures};

const FOLDER: &str = "/usr/share/doc/spin/examples";

/// Larger models are left out: of the verifiers, which are built without optimisation, ...
const MOST_STATES: &str = "200000";

/// ... and of the interpreter.
fn options() -> Options {
    Options { max_states: 10_000, max_steps: 100_000, ..Options::default() }
}

/// Models on which the interpreter is right to differ.
const EXCEPTIONS: &[(&str, &str)] =
    &[("Examples/wordcount.pml", "Spin complains three times about one receive from no channel")];

/// All models in a folder and those below it.
fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}

/// States, transitions and errors.
type Figures = (u64, u64, u64);

/// The verifiers of all models that pmc reads.
fn verifiers(paths: &[PathBuf]) -> Batch {
    let readable = paths.iter().enumerate().filter(|(_, path)| load(path).is_ok());
    let members: Vec<Member> = readable
        .map(|(n, path)| Member {
            name: name(n),
            path: path.clone(),
            options: driver::Options { simplify: driver::Simplify::NONE, ..driver::Options::default() },
        })
        .collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin_examples");
    Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"))
}

fn name(n: usize) -> String {
    format!("example_{n}")
}

/// Nothing if the model is too large.
fn by_verifier(batch: &Batch, name: &str) -> Result<Option<Figures>, String> {
    let flags = ["--no-reduction", "--search", "dfs", "--all-errors", "--max-states", MOST_STATES];
    let report = batch.report(name, &flags)?;
    let property = &report["properties"][0];
    let search = &property["search"];
    let numbers =
        [&search["states_stored"], &search["transitions"], &property["errors"]].map(serde_json::Value::as_u64);
    let [Some(states), Some(transitions), Some(errors)] = numbers else { return Err(format!("no figures: {report}")) };
    Ok((search["complete"] == true).then_some((states, transitions, errors)))
}

/// Nothing if the model is too large.
fn by_interpreter(path: &Path) -> Result<Option<Figures>, String> {
    let graph = explore(&load(path)?.model, &options());
    let found = (graph.states.len() as u64, graph.n_transitions() as u64, graph.violations.len() as u64);
    Ok(graph.complete.then_some(found))
}

#[test]
fn figures_are_those_of_spin() {
    let mut paths = Vec::new();
    models(Path::new(FOLDER), &mut paths);
    if paths.is_empty() || !spin::is_installed() {
        println!("skipped: spin or its examples are not installed");
        return;
    }
    let batch = verifiers(&paths);
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (n, path) in paths.iter().enumerate() {
        let shown = path.strip_prefix(FOLDER).unwrap_or(path).display().to_string();
        if EXCEPTIONS.iter().any(|(model, _)| *model == shown) {
            continue;
        }
        if let Err(error) = load(path) {
            println!("{shown}: not read: {}", error.chars().take(200).collect::<String>());
            continue;
        }
        let found: Vec<Figures> = match (by_verifier(&batch, &name(n)), by_interpreter(path)) {
            (Ok(verifier), Ok(interpreter)) => verifier.into_iter().chain(interpreter).collect(),
            (Err(error), _) | (_, Err(error)) => {
                wrong.push(format!("{shown}: {error}"));
                continue;
            }
        };
        if found.is_empty() {
            println!("{shown}: too large");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder for what Spin writes");
        match spin::exact_figures_of_file(path, folder.path()) {
            Ok(figures) if found.iter().all(|f| *f == (figures.states, figures.transitions, figures.errors)) => {
                compared += 1;
            }
            Ok(figures) => wrong.push(format!("{shown}: found {found:?}, {figures:?}")),
            Err(NoFigures::TooDeep) => println!("{shown}: too deep for pan"),
            Err(NoFigures::Refused(why)) => println!("{shown}: Spin says {why}"),
        }
    }
    println!("{compared} models agree");
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
}
