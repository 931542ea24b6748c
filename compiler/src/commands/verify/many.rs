//! Several models: one table, or one report in another format.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::combined::{Entry, document};
use super::pool::{self, jobs, shares};
use super::table::{Judgement, Table};
use super::task::{Outcome, Setting, Task};
use super::{files, flags, is_command};
use crate::cli::{ReportFormat, VerifyArgs};
use crate::commands::{ExitStatus, print};
use crate::driver::Error;

pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    let models = models(&arguments.models)?;
    let flags = common_flags(arguments)?;
    let reading = arguments.reading.words();
    let trails = trails(&models);
    let tasks: Vec<Task> = models
        .into_iter()
        .zip(trails)
        .map(|(model, trail)| Task {
            title: model.display().to_string(),
            model,
            reading: reading.clone(),
            flags: flags.clone(),
            trail,
            values: Vec::new(),
        })
        .collect();
    let n_jobs = jobs(arguments.jobs, tasks.len());
    let setting =
        Setting { folder: None, engine: arguments.engine, format: arguments.format, shares: shares(n_jobs, &flags) };
    let mut show = Show::new(arguments, "model", &tasks);
    pool::run(&tasks, &setting, n_jobs, &mut |task, outcome| show.take(task, outcome, None));
    show.end("model")
}

/// The flags that all have. Those that name one file have no meaning here.
pub fn common_flags(arguments: &VerifyArgs) -> Result<Vec<OsString>, Error> {
    let refused = |message: String| Err(Error::Flags { message });
    if is_command(arguments) {
        return refused("what stands behind `--` is a command for one model".to_owned());
    }
    if arguments.format == ReportFormat::Pan {
        return refused("--format pan is for one model: it has no place for several".to_owned());
    }
    let flags = flags(arguments);
    for name in ["--trail", "--also", "--replay-command", "--format"] {
        let is_it = |flag: &OsString| flag.to_str().is_some_and(|flag| flag.split('=').next() == Some(name));
        if flags.iter().any(is_it) {
            let instead = if name == "--format" { ": put it in front of `--`" } else { "" };
            return refused(format!("{name} is for one model, but there are several{instead}"));
        }
    }
    Ok(flags)
}

/// Folders are replaced by what they contain; no model comes twice.
fn models(given: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut all: Vec<PathBuf> = Vec::new();
    for path in given {
        if path == Path::new("-") {
            return Err(Error::Flags { message: "`-` is one model, and no other can stand beside it".to_owned() });
        }
        let found = if path.is_dir() { files::models_below(path)? } else { vec![path.clone()] };
        found.into_iter().for_each(|path| {
            if !all.contains(&path) {
                all.push(path);
            }
        });
    }
    Ok(all)
}

/// The files of counterexamples, in the current folder, none twice: `lock.trail.json`, and where two models have the same
/// name, `mutex-lock.trail.json`.
pub fn trails(models: &[PathBuf]) -> Vec<PathBuf> {
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut taken: Vec<String> = Vec::new();
    let mut name = |path: &PathBuf| {
        let own = stem(path);
        let mut name = own.clone();
        if models.iter().filter(|other| stem(other) == own).count() > 1 {
            let whole = path.with_extension("").to_string_lossy().into_owned();
            let parts = whole.split(['/', '\\', ':']).filter(|part| !part.is_empty() && *part != "." && *part != "..");
            name = parts.collect::<Vec<_>>().join("-");
        }
        let first = name.clone();
        let mut n = 1;
        while taken.contains(&name) {
            n += 1;
            name = format!("{first}-{n}");
        }
        taken.push(name.clone());
        PathBuf::from(format!("{name}.trail.json"))
    };
    models.iter().map(&mut name).collect()
}

/// Shows what comes of tasks: as a table at once, or in the end as one document.
pub struct Show {
    format: ReportFormat,
    table: Table,
    entries: Vec<Entry>,
    failure: Option<Error>,
}

impl Show {
    /// `what` stands over the first column.
    pub fn new(arguments: &VerifyArgs, what: &str, tasks: &[Task]) -> Self {
        let is_quiet = flags(arguments).iter().any(|flag| flag == "--quiet");
        let titles = tasks.iter().map(|task| task.title.as_str());
        let table = Table::new(what, titles, (is_quiet, arguments.reading.color));
        Self { format: arguments.format, table, entries: Vec::new(), failure: None }
    }

    /// Whether to go on.
    pub fn take(&mut self, task: &Task, outcome: Outcome, judgement: Judgement) -> bool {
        // Of a wrong model this is all that there is; where it is expected, it is no news.
        if !matches!(&judgement, Some(Ok(()))) || outcome.status != ExitStatus::Wrong {
            let _ = io::stderr().write_all(outcome.messages.as_bytes());
        }
        let shown = match self.format {
            ReportFormat::Human => self.table.row(task, &outcome, &judgement),
            _ => Ok(()),
        };
        self.entries.push(Entry { task: task.clone(), outcome, judgement });
        match shown {
            Ok(()) => true,
            Err(error) => {
                self.failure = Some(error);
                false
            }
        }
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What ends the report, and the exit status.
    pub fn end(self, what: &str) -> Result<ExitStatus, Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let status = worst(self.entries.iter().map(Entry::status));
        match self.format {
            ReportFormat::Human => self.table.end(what)?,
            format => print(&document(format, &self.entries, status))?,
        }
        Ok(status)
    }
}

/// The exit status of several: 101 if pmc failed once, else 2 if a model is wrong, else 1 if a property is violated, else 3
/// if a search is incomplete.
pub fn worst(all: impl Iterator<Item = ExitStatus>) -> ExitStatus {
    let order =
        [ExitStatus::Fine, ExitStatus::Incomplete, ExitStatus::Violated, ExitStatus::Wrong, ExitStatus::Internal];
    let rank = |status: &ExitStatus| order.iter().position(|known| known == status);
    all.max_by_key(rank).unwrap_or(ExitStatus::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trails_have_names_of_their_own() {
        let names = |models: &[&str]| {
            let models: Vec<PathBuf> = models.iter().map(PathBuf::from).collect();
            trails(&models).iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["a.pml", "x/b.pml"]), ["a.trail.json", "b.trail.json"]);
        assert_eq!(names(&["x/a.pml", "../y/a.pml"]), ["x-a.trail.json", "y-a.trail.json"]);
        assert_eq!(names(&["a/b.pml", "a-b.pml", "c/b.pml"]), ["a-b.trail.json", "a-b-2.trail.json", "c-b.trail.json"]);
    }

    #[test]
    fn the_worst_status_counts() {
        use ExitStatus::{Fine, Incomplete, Internal, Violated, Wrong};
        assert_eq!(worst([].into_iter()), Fine);
        assert_eq!(worst([Fine, Incomplete, Fine].into_iter()), Incomplete);
        assert_eq!(worst([Incomplete, Violated].into_iter()), Violated);
        assert_eq!(worst([Wrong, Violated, Incomplete].into_iter()), Wrong);
        assert_eq!(worst([Wrong, Internal].into_iter()), Internal);
    }
}
