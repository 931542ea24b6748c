//! `pmc.toml`: the models of a project, each with the verdict that is expected.

mod expected;
mod manifest;
mod reader;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::many::{Show, common_flags, trails};
use super::pool::{self, jobs, shares};
use super::task::{Setting, Task};
use super::{files, flags};
use crate::cli::VerifyArgs;
use crate::commands::{ExitStatus, style};
use crate::diagnostic::render::render;
use crate::driver::Error;
use expected::Expectation;

/// The file that lists the models of a project.
pub const NAME: &str = "pmc.toml";

pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    let here = std::env::current_dir().map_err(|source| Error::Read { path: ".".to_owned(), source })?;
    let path = files::above(&here, NAME).ok_or(Error::NoProject)?;
    let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
    // Names in reports are as in the project, so that it does not matter from where it is verified.
    let shown = if folder == here { PathBuf::from(NAME) } else { path.clone() };
    let text = files::read(&path).ok_or_else(|| Error::Read {
        path: path.display().to_string(),
        source: io::Error::from(io::ErrorKind::InvalidData),
    })?;
    let manifest = match manifest::read(&shown.display().to_string(), &text, &folder) {
        Ok(manifest) => manifest,
        Err(wrong) => {
            let text = render(&wrong.sources, &wrong.diagnostics, style(arguments.reading.color));
            let _ = io::stderr().write_all(text.as_bytes());
            return Ok(ExitStatus::Wrong);
        }
    };
    if folder != here {
        let _ = writeln!(io::stderr(), "note: the project in `{}`", folder.display());
    }
    let (tasks, expectations) = tasks(arguments, manifest, &here)?;
    let flags = flags(arguments);
    let n_jobs = jobs(arguments.jobs, tasks.len());
    let setting = Setting {
        folder: Some(folder),
        engine: arguments.engine,
        format: arguments.format,
        shares: shares(n_jobs, &flags),
    };
    let mut show = Show::new(arguments, "model", &tasks);
    let mut next = expectations.iter();
    pool::run(&tasks, &setting, n_jobs, &mut |task, outcome| {
        let judgement = next.next().map(|expected| expected.judge(&outcome));
        show.take(task, outcome, judgement)
    });
    show.end("model")
}

fn tasks(
    arguments: &VerifyArgs,
    manifest: manifest::Manifest,
    here: &Path,
) -> Result<(Vec<Task>, Vec<Expectation>), Error> {
    let common = common_flags(arguments)?;
    let mut reading = arguments.reading.clone();
    // Folders and files of the command line are meant from here.
    for path in reading.include.iter_mut().chain(&mut reading.claims) {
        *path = here.join(&path);
    }
    let reading = reading.words();
    let trails = trails(&manifest.entries.iter().map(|entry| PathBuf::from(&entry.title)).collect::<Vec<_>>());
    let (mut tasks, mut expectations) = (Vec::new(), Vec::new());
    for (entry, trail) in manifest.entries.into_iter().zip(trails) {
        let words = entry.words.into_iter().map(OsString::from);
        tasks.push(Task {
            title: entry.title,
            model: entry.model,
            reading: words.chain(reading.iter().cloned()).collect(),
            flags: common.clone(),
            trail,
            values: Vec::new(),
        });
        expectations.push(entry.expectation);
    }
    Ok((tasks, expectations))
}

/// What `pmc verify --watch` looks at.
pub fn watched(here: &Path) -> Vec<PathBuf> {
    let Some(path) = files::above(here, NAME) else { return vec![here.join(NAME)] };
    let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
    let manifest = files::read(&path).and_then(|text| manifest::read(NAME, &text, &folder).ok());
    let models = manifest.map(|manifest| manifest.entries).unwrap_or_default();
    let models = models.into_iter().map(|entry| folder.join(entry.model));
    std::iter::once(path.clone()).chain(models).collect()
}
