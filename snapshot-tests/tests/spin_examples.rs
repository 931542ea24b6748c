//! The interpreter against Spin on the example models of Debian's package,
//! where both can be had.

use std::path::{Path, PathBuf};

use snapshot_tests::interpret::{Options, explore};
use snapshot_tests::load::load;
use snapshot_tests::spin::{self, NoFigures};

const FOLDER: &str = "/usr/share/doc/spin/examples";

/// Larger models are left out.
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

#[test]
fn figures_are_those_of_spin() {
    let mut paths = Vec::new();
    models(Path::new(FOLDER), &mut paths);
    if paths.is_empty() || !spin::is_installed() {
        println!("skipped: spin or its examples are not installed");
        return;
    }
    let mut wrong = Vec::new();
    let mut compared = 0;
    for path in paths {
        let shown = path.strip_prefix(FOLDER).unwrap_or(&path).display().to_string();
        if EXCEPTIONS.iter().any(|(model, _)| *model == shown) {
            continue;
        }
        let loaded = match load(&path) {
            Ok(loaded) => loaded,
            Err(error) => {
                println!("{shown}: not read: {}", error.chars().take(200).collect::<String>());
                continue;
            }
        };
        let graph = explore(&loaded.model, &options());
        if !graph.complete {
            println!("{shown}: too large");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder for what Spin writes");
        let found = (graph.states.len() as u64, graph.n_transitions() as u64, graph.violations.len() as u64);
        match spin::exact_figures_of_file(&path, folder.path()) {
            Ok(figures) if (figures.states, figures.transitions, figures.errors) == found => compared += 1,
            Ok(figures) => wrong.push(format!("{shown}: found {found:?}, {figures:?}")),
            Err(NoFigures::TooDeep) => println!("{shown}: too deep for pan"),
            Err(NoFigures::Refused(why)) => println!("{shown}: Spin says {why}"),
        }
    }
    println!("{compared} models agree");
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
}
