//! Generated verifiers against Spin on the example models of Debian's package,
//! where both can be had.

use std::path::{Path, PathBuf};

use pmc::driver::{Options, Session, on_large_stack};
use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::spin::{self, NoFigures};

const FOLDER: &str = "/usr/share/doc/spin/examples";

/// States beyond which a model is left out.
const LIMIT: &str = "200000";

/// Models on which we are right to differ.
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

fn compiles(path: &Path) -> bool {
    let generated =
        on_large_stack(|| Session::open(path, &Options::default()).map(|mut session| session.generate().is_ok()));
    matches!(generated, Ok(Ok(true)))
}

#[test]
fn figures_are_those_of_spin() {
    let mut paths = Vec::new();
    models(Path::new(FOLDER), &mut paths);
    if paths.is_empty() || !spin::is_installed() {
        println!("skipped: spin or its examples are not installed");
        return;
    }
    let shown = |path: &Path| path.strip_prefix(FOLDER).unwrap_or(path).display().to_string();
    paths.retain(|path| {
        let is_exception = EXCEPTIONS.iter().any(|(model, _)| *model == shown(path));
        let is_read = compiles(path);
        if !is_read {
            println!("{}: not read", shown(path));
        }
        is_read && !is_exception
    });
    let member = |(n, path): (usize, &PathBuf)| Member {
        name: format!("example_{n}"),
        path: path.clone(),
        options: Options::default(),
    };
    let members: Vec<Member> = paths.iter().enumerate().map(member).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin_examples");
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let flags = ["--no-reduction", "--search", "dfs", "--all-errors", "--max-states", LIMIT];
    let limit: u64 = LIMIT.parse().expect("a number");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for member in &members {
        let shown = shown(&member.path);
        let found = match batch.figures(&member.name, &flags) {
            Ok(found) if found.states >= limit => {
                println!("{shown}: too large");
                continue;
            }
            Ok(found) => found,
            Err(error) => {
                wrong.push(format!("{shown}: {error}"));
                continue;
            }
        };
        let folder = tempfile::tempdir().expect("a folder for what Spin writes");
        match spin::exact_figures_of_file(&member.path, folder.path()) {
            Ok(spin) => {
                let spin = Figures { states: spin.states, transitions: spin.transitions, errors: spin.errors };
                if spin == found {
                    compared += 1;
                } else {
                    wrong.push(format!("{shown}: found {found:?}, Spin {spin:?}"));
                }
            }
            Err(NoFigures::TooDeep) => println!("{shown}: too deep for pan"),
            Err(NoFigures::Refused(why)) => println!("{shown}: Spin says {why}"),
        }
    }
    println!("{compared} models agree");
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
}
