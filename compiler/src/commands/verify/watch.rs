//! Verifies again whenever something changes. Each verification is a process of its own, as if the user had typed it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use pmc_runtime::Signals;

use super::pool::Ending;
use super::{files, project, task};
use crate::cli::{ModelArgs, VerifyArgs};
use crate::commands::ExitStatus;
use crate::driver::{Error, Session};

/// The files that count, each as it was.
type Stamps = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(100);
/// After so many looks, also for files that were not there.
const LOOK_FOR_NEW: u32 = 10;

/// Goes on until a signal ends it, with the status of the last verification.
pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    if arguments.models.iter().any(|model| model == Path::new("-")) {
        return Err(Error::Flags { message: "--watch needs a file: standard input does not change".to_owned() });
    }
    let signals = Signals::catch();
    let words = words();
    loop {
        let stamps = stamps(arguments);
        let Some(status) = verify(&words, &signals)? else { return Ok(ExitStatus::Incomplete) };
        let plural = if stamps.len() == 1 { "" } else { "s" };
        let _ = writeln!(io::stderr(), "watching {} file{plural}; Ctrl-C ends this", stamps.len());
        match wait(arguments, &stamps, &signals) {
            Some(changed) => {
                let _ = writeln!(io::stderr(), "\n{} has changed:", changed.display());
            }
            None => {
                let _ = signals.release();
                return Ok(status);
            }
        }
    }
}

/// The command line without `--watch`.
fn words() -> Vec<OsString> {
    let mut is_behind = false;
    let keeps = |word: &OsString| {
        is_behind |= word == "--";
        is_behind || word != "--watch"
    };
    std::env::args_os().skip(1).filter(keeps).collect()
}

/// Nothing if a signal came.
fn verify(words: &[OsString], signals: &Signals) -> Result<Option<ExitStatus>, Error> {
    let failed = |source: io::Error| Error::Run { program: "pmc".to_owned(), source };
    let program = std::env::current_exe().map_err(failed)?;
    let mut child = Command::new(program).args(words).spawn().map_err(failed)?;
    let ending = Ending::default();
    let status = task::wait(&mut child, &ending, || {
        if signals.have_come() {
            ending.on_signal();
        }
    });
    let status = match status.map_err(failed)?.code() {
        Some(0) => ExitStatus::Fine,
        Some(1) => ExitStatus::Violated,
        Some(2) => ExitStatus::Wrong,
        Some(3) => ExitStatus::Incomplete,
        _ => ExitStatus::Internal,
    };
    Ok((!signals.have_come()).then_some(status))
}

/// The file that has changed; nothing if a signal came.
fn wait(arguments: &VerifyArgs, before: &Stamps, signals: &Signals) -> Option<PathBuf> {
    let mut n = 0;
    loop {
        std::thread::sleep(LOOK);
        if signals.have_come() {
            return None;
        }
        let changed = before.iter().find(|(path, stamp)| files::stamp(path) != **stamp);
        if let Some((path, _)) = changed {
            return Some(path.clone());
        }
        n += 1;
        if n % LOOK_FOR_NEW == 0
            && let Some(path) = files_of(arguments).into_iter().find(|path| !before.contains_key(path))
        {
            return Some(path);
        }
    }
}

fn stamps(arguments: &VerifyArgs) -> Stamps {
    let with_stamp = |path: PathBuf| {
        let stamp = files::stamp(&path);
        (path, stamp)
    };
    files_of(arguments).into_iter().map(with_stamp).collect()
}

/// The models, what they include, and the project.
fn files_of(arguments: &VerifyArgs) -> Vec<PathBuf> {
    let given = match &arguments.models[..] {
        [] => project::watched(&std::env::current_dir().unwrap_or_default()),
        models => models.to_vec(),
    };
    let mut all = Vec::new();
    for path in given {
        let models = if path.is_dir() { files::models_below(&path).unwrap_or_default() } else { vec![path] };
        models.into_iter().for_each(|model| all.extend(with_includes(arguments, model)));
    }
    all
}

fn with_includes(arguments: &VerifyArgs, path: PathBuf) -> Vec<PathBuf> {
    let mut all = vec![path.clone()];
    if path.extension().is_some_and(|ending| ending == "toml") {
        return all;
    }
    let model = ModelArgs { path, reading: arguments.reading.clone() };
    // A file that is not there now may come back.
    let Ok(mut session) = Session::open(&model.path, &model.options()) else { return all };
    let _ = session.parse();
    let included = session.sources.files().iter().map(|file| file.path.as_str());
    all.extend(included.filter(|path| !path.starts_with('<')).map(PathBuf::from));
    all
}
