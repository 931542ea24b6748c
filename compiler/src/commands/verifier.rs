//! A verifier that is built and can be run.
//!
//! Verifiers are built in a cache folder, see `cache.rs`. The runtime lies there
//! once for every version of it, and all builds share a target folder, so that it
//! is compiled once; a verifier that was built before is run at once.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::cache::{Cache, Entry};
use super::{ExitStatus, report};
use crate::cli::{Format, ModelArgs};
use crate::codegen::Generated;
use crate::collections::Fnv;
use crate::driver::{Error, Session};
use crate::package::{Package, Runtime};

/// Builds the verifier of a model, unless that was done before, and runs it with these arguments. A model that is
/// wrong is reported instead, in the format given.
pub fn build_and_run(
    model: &ModelArgs,
    format: Format,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&model.path, &model.options())?;
    let generated = session.generate();
    report(&session, format, model.color)?;
    match generated {
        Ok(generated) => run(Command::new(build(generated)?).args(arguments)),
        Err(_) => Ok(ExitStatus::Wrong),
    }
}

/// Gives the path of the program.
fn build(generated: Generated) -> Result<PathBuf, Error> {
    let runtime = Package::runtime();
    let mut key = Fnv::default();
    for file in &generated.files {
        key.add(file.path.as_bytes());
        key.add(file.text.as_bytes());
    }
    let key = key.to_string();
    let cache = Cache::new(&runtime.fingerprint());
    if let Some(program) = cache.find(&key) {
        return Ok(program);
    }
    let failed = |source: io::Error| Error::Cache { source };
    let entry = cache.entry(&key).map_err(failed)?;
    if let Some(program) = entry.program() {
        return Ok(program);
    }
    runtime.write(&cache.runtime())?;
    Package::new(generated, &Runtime::Shared { path: &cache.runtime(), name: &entry.name }).write(&entry.dir)?;
    have_cargo_build(&cache, &entry)?;
    let program = cache.finish(&entry).map_err(failed)?;
    cache.prune(entry);
    Ok(program)
}

/// Has cargo build the crate. Its output goes to a log; a person who waits sees that something happens.
fn have_cargo_build(cache: &Cache, entry: &Entry) -> Result<(), Error> {
    let cargo = which::which("cargo").map_err(|_| Error::NoCargo)?;
    let log_path = entry.dir.join("build.log");
    let log_shown = log_path.display().to_string();
    let failed = |source: io::Error| Error::Run { program: cargo.display().to_string(), source };
    let log = File::create(&log_path).map_err(failed)?;
    let is_terminal = io::stderr().is_terminal();
    if is_terminal {
        let _ = write!(io::stderr(), "building the verifier ...");
    }
    let status = Command::new(&cargo)
        .args(["build", "--release", "--offline", "--locked", "--bin", &entry.name, "--manifest-path"])
        .arg(entry.dir.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(cache.target())
        .current_dir(&entry.dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .status()
        .map_err(failed)?;
    if is_terminal {
        let _ = write!(io::stderr(), "\r                         \r");
    }
    if status.success() {
        // The log is wanted only when something went wrong.
        let _ = fs::remove_file(&log_path);
        Ok(())
    } else {
        Err(Error::Build { log: log_shown })
    }
}

/// The verifier takes our place: an interrupt reaches it alone, and its exit code is ours.
#[cfg(unix)]
fn run(command: &mut Command) -> Result<ExitStatus, Error> {
    use std::os::unix::process::CommandExt;
    let source = command.exec();
    Err(Error::Run { program: command.get_program().display().to_string(), source })
}

/// The verifier's exit code is ours; one that was killed did not finish.
#[cfg(not(unix))]
fn run(command: &mut Command) -> Result<ExitStatus, Error> {
    let failed = |source| Error::Run { program: command.get_program().display().to_string(), source };
    Ok(match command.status().map_err(failed)?.code() {
        Some(0) => ExitStatus::Fine,
        Some(1) => ExitStatus::Violated,
        Some(2) => ExitStatus::Wrong,
        Some(101) => ExitStatus::Internal,
        _ => ExitStatus::Incomplete,
    })
}
