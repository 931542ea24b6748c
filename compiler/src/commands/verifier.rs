//! Builds a verifier and runs it.
//!
//! Verifiers are built in a cache folder, see `cache.rs`. The runtime lies there
//! once for every version of it, and all builds share a target folder, so that it
//! is compiled once; a verifier that was built before is run at once.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::c_compiler;
use super::cache::{Cache, CacheEntry, discard};
use super::cancel::Waiting;
use super::cargo::{Build, Built, Failure};
use super::refusal::refusal;
use super::supervise::{Ended, run};
use super::{ExitStatus, report};
use crate::cli::{ModelArgs, ReportFormat};
use crate::codegen::Generated;
use crate::collections::Fnv;
use crate::driver::{Error, Said, Session};
use crate::package::{self, Package, Runtime};
use pmc_runtime::Signals;

/// Builds the verifier of a model, unless that was done before, and runs it with these arguments. A model that is
/// wrong is reported instead, in the format given.
pub fn build_and_run(
    model: &ModelArgs,
    format: ReportFormat,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitStatus, Error> {
    let session = Session::open(&model.path, &model.options())?;
    build_and_run_session(session, model, format, arguments.into_iter().collect())
}

/// The same for a model that was read.
pub fn build_and_run_session(
    mut session: Session,
    model: &ModelArgs,
    format: ReportFormat,
    arguments: Vec<OsString>,
) -> Result<ExitStatus, Error> {
    let options = model.options();
    let name_and_text = session.name_and_text();
    let generated = session.generate();
    report(&session, format, model.color)?;
    let Ok(generated) = generated else { return Ok(ExitStatus::Wrong) };
    if let Some(text) = generated.embedded_c() {
        if !model.allow_c {
            return Err(Error::ForeignCode);
        }
        if find_built(&generated).is_none() {
            c_compiler::check(text)?;
        }
    }
    // One that is built refuses them itself.
    if find_built(&generated).is_none()
        && let Some(message) = refusal(name_and_text, &options, &arguments)?
    {
        return Err(Error::Flags { message });
    }
    let mut is_second = false;
    loop {
        let signals = Signals::catch();
        let built = build(&generated, Waiting::User(&signals))?;
        let (Some(program), false) = (built, signals.release()) else {
            return Ok(interrupted());
        };
        match run(&program, &arguments) {
            Ended::Status(status) => return Ok(status),
            Ended::Interrupted => return Ok(interrupted()),
            Ended::Unreported { may_be_better: true, .. } if !is_second => discard(&program),
            Ended::Unreported { how, .. } => return Err(Error::NoReport { how }),
        }
        is_second = true;
    }
}

pub fn interrupted() -> ExitStatus {
    let _ = writeln!(io::stderr(), "interrupted before there was a report: nothing is verified");
    ExitStatus::Incomplete
}

/// The program of the session with this identity, if it was built before.
pub fn find_named(identity: &str) -> Option<PathBuf> {
    Cache::new(&Package::runtime().fingerprint()).ok()?.find_named(identity)
}

/// The program, if it was built before.
pub fn find_built(generated: &Generated) -> Option<PathBuf> {
    Cache::new(&Package::runtime().fingerprint()).ok()?.find(&key(generated))
}

/// Records which verifier the session with this identity has, so that it is found next time before code is generated.
pub fn name(identity: &str, generated: &Generated) {
    if let Ok(cache) = Cache::new(&Package::runtime().fingerprint()) {
        cache.name(identity, &key(generated));
    }
}

fn key(generated: &Generated) -> String {
    let mut key = Fnv::default();
    for file in &generated.files {
        key.add(file.path.as_bytes());
        key.add(file.text.as_bytes());
    }
    if generated.embedded_c().is_some() {
        key.add(c_compiler::settings().as_bytes());
    }
    key.to_string()
}

/// Gives the path of the program; nothing if the build was cancelled.
pub fn build(generated: &Generated, waiting: Waiting<'_>) -> Result<Option<PathBuf>, Error> {
    let runtime = Package::runtime();
    let key = key(generated);
    let cache = Cache::new(&runtime.fingerprint())?;
    if let Some(program) = cache.find(&key) {
        return Ok(Some(program));
    }
    let failed = |source: io::Error| Error::Cache { source };
    let entry = cache.entry(&key).map_err(failed)?;
    if let Some(program) = entry.program() {
        return Ok(Some(program));
    }
    runtime.write(&cache.runtime()).map_err(in_cache)?;
    let package = Package::new(generated.clone(), &Runtime::Shared { path: &cache.runtime(), name: &entry.name });
    package.write(&entry.dir).map_err(in_cache)?;
    let Some(release) = have_cargo_build(&cache, &entry, waiting)? else { return Ok(None) };
    let program = cache.finish(&entry, &release).map_err(failed)?;
    cache.prune(entry);
    Ok(Some(program))
}

/// A file that cannot be written in the cache is no error of the user's folder.
fn in_cache(error: package::Error) -> Error {
    match error {
        package::Error::Write { path, source } | package::Error::Read { path, source } => {
            Error::Cache { source: io::Error::new(source.kind(), format!("`{path}`: {source}")) }
        }
        foreign @ package::Error::Foreign { .. } => Error::Package(foreign),
    }
}

/// Has cargo build the crate, with a note to a terminal. Returns the folder of the program, or
/// nothing if the build was cancelled.
///
/// What was compiled before for all verifiers may be damaged, by a crash or a cleaner, which cargo does not notice. So a
/// build that fails is repeated in an empty folder, before the blame is ours.
fn have_cargo_build(cache: &Cache, entry: &CacheEntry, waiting: Waiting<'_>) -> Result<Option<PathBuf>, Error> {
    // Beside the interpreter, the line belongs to its search.
    let is_shown = io::stderr().is_terminal() && matches!(waiting, Waiting::User(_));
    if is_shown {
        let _ = write!(io::stderr(), "building the verifier ...");
    }
    let had_parts = cache.target().exists();
    let mut built = in_folder(&cache.target(), entry, waiting)?;
    if had_parts && matches!(&built, Built::Failed(failure) if failure.reason().is_none()) {
        cache.forget_parts(entry);
        built = in_folder(&cache.parts_of(entry), entry, waiting)?;
    }
    if is_shown {
        let _ = write!(io::stderr(), "\r                         \r");
    }
    match built {
        Built::In(release) => Ok(Some(release)),
        Built::Cancelled => Ok(None),
        Built::Failed(failure) => Err(explain(&failure, &entry.dir.join("build.log"))),
    }
}

fn in_folder(target: &Path, entry: &CacheEntry, waiting: Waiting<'_>) -> Result<Built, Error> {
    Build { dir: &entry.dir, name: &entry.name, target }.run(waiting)
}

/// Whose fault it is, and what cargo said. A rustc error tells a user nothing, so it goes to the log alone.
fn explain(failure: &Failure, log: &Path) -> Error {
    let log = fs::write(log, &failure.said).is_ok().then(|| log.display().to_string());
    match failure.reason() {
        Some(reason) => Error::Toolchain { reason, said: Said { lines: failure.last_lines(), log } },
        None => {
            let lines = if log.is_some() { Vec::new() } else { failure.last_lines() };
            Error::Build { said: Said { lines, log } }
        }
    }
}
