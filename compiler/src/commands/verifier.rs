//! A verifier that is built and can be run.
//!
//! Verifiers are built in a cache folder. The runtime lies there once for every
//! version of it, and all builds share a target folder, so that it is compiled
//! once; a verifier that was built before is run at once.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{ExitStatus, report};
use crate::cli::ModelArgs;
use crate::codegen::GeneratedFile;
use crate::collections::Fnv;
use crate::driver::{Error, Session};
use crate::package::{Package, Runtime};

/// Builds the verifier of a model, unless that was done before, and runs it with these arguments. A model that is
/// wrong is reported instead.
pub fn build_and_run(model: &ModelArgs, arguments: impl IntoIterator<Item = OsString>) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&model.path, &model.options())?;
    let generated = session.generate();
    report(&session, model)?;
    match generated {
        Ok(generated) => run(Command::new(build(generated)?).args(arguments)),
        Err(_) => Ok(ExitStatus::Wrong),
    }
}

/// Gives the path of the program.
fn build(generated: Vec<GeneratedFile>) -> Result<PathBuf, Error> {
    let cache = cache_dir();
    let runtime = Package::runtime();
    let runtime_dir = cache.join(format!("runtime-{}", &runtime.fingerprint()[..16]));
    let mut key = Fnv::default();
    key.add(runtime.fingerprint().as_bytes());
    for file in &generated {
        key.add(file.path.as_bytes());
        key.add(file.text.as_bytes());
    }
    let name = format!("verifier-{}", &key.to_string()[..16]);
    let dir = cache.join(&name);
    let program = cache.join("target").join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        runtime.write(&runtime_dir)?;
        Package::new(generated, &Runtime::Shared { path: &runtime_dir, name: &name }).write(&dir)?;
        have_cargo_build(&cache, &dir, &name)?;
    }
    Ok(program)
}

/// `PMC_CACHE`, or `pmc` in the user's cache.
fn cache_dir() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let path = variable("PMC_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|dir| dir.join("pmc")))
        .or_else(|| variable("HOME").map(|dir| dir.join(".cache").join("pmc")))
        .or_else(|| variable("LOCALAPPDATA").map(|dir| dir.join("pmc")))
        .unwrap_or_else(|| std::env::temp_dir().join("pmc"));
    std::path::absolute(&path).unwrap_or(path)
}

/// Has cargo build the crate. Its output goes to a log; a person who waits sees that something happens.
fn have_cargo_build(cache: &Path, dir: &Path, name: &str) -> Result<(), Error> {
    let cargo = which::which("cargo").map_err(|_| Error::NoCargo)?;
    let log_path = dir.join("build.log");
    let log_shown = log_path.display().to_string();
    let failed = |source: io::Error| Error::Run { program: cargo.display().to_string(), source };
    let log = File::create(&log_path).map_err(failed)?;
    let is_terminal = io::stderr().is_terminal();
    if is_terminal {
        let _ = write!(io::stderr(), "building the verifier ...");
    }
    let status = Command::new(&cargo)
        .args(["build", "--release", "--offline", "--locked", "--bin", name, "--manifest-path"])
        .arg(dir.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(cache.join("target"))
        .current_dir(dir)
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
