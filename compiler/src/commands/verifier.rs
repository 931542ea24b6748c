//! Builds a verifier and runs it.
//!
//! Verifiers are built in a cache folder, see `cache.rs`. The runtime lies there
//! once for every version of it, and all builds share a target folder, so that it
//! is compiled once; a verifier that was built before is run at once.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::cache::{Cache, CacheEntry};
use super::{ExitStatus, report};
use crate::cli::{Format, ModelArgs};
use crate::codegen::Generated;
use crate::collections::Fnv;
use crate::driver::{Error, Session};
use crate::package::{self, Package, Runtime};

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
    runtime.write(&cache.runtime()).map_err(in_cache)?;
    let package = Package::new(generated, &Runtime::Shared { path: &cache.runtime(), name: &entry.name });
    package.write(&entry.dir).map_err(in_cache)?;
    have_cargo_build(&cache, &entry)?;
    let program = cache.finish(&entry).map_err(failed)?;
    cache.prune(entry);
    Ok(program)
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

/// Has cargo build the crate. Its output goes to a log; a person who waits sees that something happens.
fn have_cargo_build(cache: &Cache, entry: &CacheEntry) -> Result<(), Error> {
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
        let said = fs::read_to_string(&log_path).unwrap_or_default();
        Err(match missing_tool(&said) {
            Some(reason) => Error::Toolchain { reason, log: log_shown },
            None => Error::Build { log: log_shown },
        })
    }
}

/// What is missing on the machine, if that is why cargo failed. Any other failure is an error in the generated code.
fn missing_tool(said: &str) -> Option<&'static str> {
    let found = TOOLS.iter().find(|(marks, _)| marks.iter().all(|mark| said.contains(mark)));
    found.map(|(_, reason)| *reason)
}

/// Words that cargo and rustc use when something is missing on the machine.
const TOOLS: [(&[&str], &str); 4] = [
    (&["linker `", "` not found"], "rustc found no linker: install a C compiler"),
    (&["No space left on device"], "the disk is full"),
    (&["could not execute process `", "rustc"], "cargo cannot run rustc"),
    (&["edition2024"], "cargo is older than 1.85: update Rust"),
];

/// The verifier replaces this process: an interrupt reaches it alone, and its exit code is ours.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_lacks_is_told_from_what_we_did_wrong() {
        for said in [
            "error: linker `cc` not found\n",
            "error: couldn't create a temp dir: No space left on device (os error 28)",
            "error: could not execute process `rustc -vV` (never executed)",
            "error: feature `edition2024` is required",
        ] {
            assert!(missing_tool(said).is_some(), "{said}");
        }
        assert_eq!(missing_tool("error[E0425]: cannot find value `channel` in this scope"), None);
    }
}
