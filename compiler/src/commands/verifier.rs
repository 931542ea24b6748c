//! Builds a verifier and runs it.
//!
//! Verifiers are built in a cache folder, see `cache.rs`. The runtime lies there
//! once for every version of it, and all builds share a target folder, so that it
//! is compiled once; a verifier that was built before is run at once.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus as ExitStatusOfChild, Stdio};
use std::time::Duration;

use super::cache::{Cache, CacheEntry};
use super::cancel::Waiting;
use super::{ExitStatus, report};
use crate::cli::{Format, ModelArgs};
use crate::codegen::Generated;
use crate::collections::Fnv;
use crate::driver::{Error, Session};
use crate::package::{self, Package, Runtime};
use pmc_runtime::Signals;

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
        Ok(generated) => {
            let signals = Signals::catch();
            let built = build(generated, Waiting::User(&signals))?;
            match (built, signals.release()) {
                (Some(program), false) => run(Command::new(program).args(arguments)),
                _ => {
                    let _ = writeln!(io::stderr(), "interrupted before the search began: nothing is verified");
                    Ok(ExitStatus::Incomplete)
                }
            }
        }
        Err(_) => Ok(ExitStatus::Wrong),
    }
}

/// The program, if it was built before.
pub fn find_built(generated: &Generated) -> Option<PathBuf> {
    Cache::new(&Package::runtime().fingerprint()).find(&key(generated))
}

fn key(generated: &Generated) -> String {
    let mut key = Fnv::default();
    for file in &generated.files {
        key.add(file.path.as_bytes());
        key.add(file.text.as_bytes());
    }
    key.to_string()
}

/// Gives the path of the program; nothing if the build was cancelled.
pub fn build(generated: Generated, waiting: Waiting<'_>) -> Result<Option<PathBuf>, Error> {
    let runtime = Package::runtime();
    let key = key(&generated);
    let cache = Cache::new(&runtime.fingerprint());
    if let Some(program) = cache.find(&key) {
        return Ok(Some(program));
    }
    let failed = |source: io::Error| Error::Cache { source };
    let entry = cache.entry(&key).map_err(failed)?;
    if let Some(program) = entry.program() {
        return Ok(Some(program));
    }
    runtime.write(&cache.runtime()).map_err(in_cache)?;
    let package = Package::new(generated, &Runtime::Shared { path: &cache.runtime(), name: &entry.name });
    package.write(&entry.dir).map_err(in_cache)?;
    if !have_cargo_build(&cache, &entry, waiting)? {
        return Ok(None);
    }
    let program = cache.finish(&entry).map_err(failed)?;
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

/// Has cargo build the crate. Its output goes to a log; a person who waits sees that something happens. Returns whether
/// the build was not cancelled.
fn have_cargo_build(cache: &Cache, entry: &CacheEntry, waiting: Waiting<'_>) -> Result<bool, Error> {
    let cargo = which::which("cargo").map_err(|_| Error::NoCargo)?;
    let log_path = entry.dir.join("build.log");
    let log_shown = log_path.display().to_string();
    let failed = |source: io::Error| Error::Run { program: cargo.display().to_string(), source };
    let log = File::create(&log_path).map_err(failed)?;
    // Beside the interpreter, the line belongs to its search.
    let is_shown = io::stderr().is_terminal() && matches!(waiting, Waiting::User(_));
    if is_shown {
        let _ = write!(io::stderr(), "building the verifier ...");
    }
    let mut command = Command::new(&cargo);
    command
        .args(["build", "--release", "--offline", "--locked", "--bin", &entry.name, "--manifest-path"])
        .arg(entry.dir.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(cache.target())
        .current_dir(&entry.dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    let status = run_until(&mut command, waiting).map_err(failed)?;
    if is_shown {
        let _ = write!(io::stderr(), "\r                         \r");
    }
    let Some(status) = status else { return Ok(false) };
    if status.success() {
        // The log is wanted only when something went wrong.
        let _ = fs::remove_file(&log_path);
        Ok(true)
    } else {
        let said = fs::read_to_string(&log_path).unwrap_or_default();
        Err(match missing_tool(&said) {
            Some(reason) => Error::Toolchain { reason, log: log_shown },
            None => Error::Build { log: log_shown },
        })
    }
}

/// Runs a command that ends early, with all processes that it has started, when it is not wanted any more: then there is no
/// status. They are a process group of their own, which signals of a terminal do not reach.
fn run_until(command: &mut Command, waiting: Waiting<'_>) -> io::Result<Option<ExitStatusOfChild>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if waiting.wait(POLL) {
            end(&mut child);
            child.wait()?;
            return Ok(None);
        }
    }
}

/// How often a build is asked whether it has ended.
const POLL: Duration = Duration::from_millis(10);

/// Ends a process and those that it has started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let ended = group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::TERM));
        if ended.is_some_and(|ended| ended.is_ok()) {
            return;
        }
    }
    // One that has ended already cannot be ended.
    let _ = child.kill();
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
pub fn run(command: &mut Command) -> Result<ExitStatus, Error> {
    use std::os::unix::process::CommandExt;
    let source = command.exec();
    Err(Error::Run { program: command.get_program().display().to_string(), source })
}

/// The verifier's exit code is ours; one that was killed did not finish.
#[cfg(not(unix))]
pub fn run(command: &mut Command) -> Result<ExitStatus, Error> {
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
