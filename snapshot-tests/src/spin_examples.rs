//! The example models of Debian's package of Spin: test models by other authors.

use std::path::{Path, PathBuf};

use pmc::driver;

use crate::batch::{Figures, Member};
use crate::load::load;
use crate::spin;

const FOLDER: &str = "/usr/share/doc/spin/examples";

/// A model, and whether pmc reads it.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its path within the package.
    pub name: String,
    pub path: PathBuf,
    /// A name for its verifier.
    pub module: String,
    /// Why pmc does not read it, if so.
    pub refused: Option<String>,
}

/// Models on which differing from Spin is right.
pub const EXCEPTIONS: &[(&str, &str)] =
    &[("Examples/wordcount.pml", "Spin complains three times about one receive from no channel")];

impl Example {
    /// All of them; none where the package is not installed.
    pub fn all() -> Vec<Example> {
        let mut paths = Vec::new();
        models(Path::new(FOLDER), &mut paths);
        let example = |(n, path): (usize, PathBuf)| Example {
            name: path.strip_prefix(FOLDER).unwrap_or(&path).display().to_string(),
            refused: load(&path).err().map(|error| error.chars().take(200).collect()),
            module: format!("example_{n}"),
            path,
        };
        paths.into_iter().enumerate().map(example).collect()
    }

    pub fn member(&self) -> Member {
        // Without simplification, as Spin counts with -o1 -o2 -o3.
        let options = driver::Options { simplify: driver::Simplify::NONE, ..driver::Options::default() };
        Member { name: self.module.clone(), path: self.path.clone(), options }
    }

    /// Why its figures may differ from Spin's, if so.
    pub fn exception(&self) -> Option<&'static str> {
        EXCEPTIONS.iter().find(|(model, _)| *model == self.name).map(|(_, why)| *why)
    }
}

impl From<spin::Figures> for Figures {
    fn from(figures: spin::Figures) -> Self {
        let spin::Figures { states, transitions, errors, .. } = figures;
        Self { states, transitions, errors }
    }
}

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
