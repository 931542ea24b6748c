//! One build by cargo: which settings of the user it sees, and why it failed.
//!
//! A verifier means the same wherever it is built, so what is set for another project does not reach its build: cargo
//! runs in the root folder, above which there is no `.cargo/config.toml` and no `rust-toolchain.toml`, and without the
//! variables that change what is built or where. What is set for the machine is obeyed: the toolchain (`RUSTUP_TOOLCHAIN`,
//! `RUSTC`), linkers, and the configuration in `CARGO_HOME` as far as it does not change the place or the
//! checks of the program.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus as ExitStatusOfChild, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::cancel::Waiting;
use crate::driver::Error;

/// A crate to build, and where.
pub(super) struct Build<'b> {
    /// The folder of its `Cargo.toml`.
    pub dir: &'b Path,
    /// The name of its program.
    pub name: &'b str,
    /// For the files of cargo.
    pub target: &'b Path,
}

/// How a build ended.
pub(super) enum Built {
    /// With the program in this folder.
    In(PathBuf),
    Failed(Failure),
    /// It is not wanted any more.
    Cancelled,
}

pub(super) struct Failure {
    /// What cargo said, the end of it if that is much.
    pub said: String,
}

impl Build<'_> {
    pub fn run(&self, waiting: Waiting<'_>) -> Result<Built, Error> {
        let cargo = which::which("cargo").map_err(|_| Error::NoCargo)?;
        let failed = |source: io::Error| Error::Run { program: cargo.display().to_string(), source };
        let (version, said) = run_until(command(&cargo, self.dir).arg("-vV"), waiting).map_err(failed)?;
        let Some(version) = version else { return Ok(Built::Cancelled) };
        if !version.success() {
            return Ok(Built::Failed(Failure { said: said.errors }));
        }
        // With a target that is given, none that is configured counts, and the place of the program is known.
        let host = said.output.lines().find_map(|line| line.strip_prefix("host: ")).map(str::trim);
        let mut command = command(&cargo, self.dir);
        command.args(["build", "--release", "--offline", "--bin", self.name]);
        command.arg("--manifest-path").arg(self.dir.join("Cargo.toml")).arg("--target-dir").arg(self.target);
        command.args(host.iter().flat_map(|host| ["--target", host])).env("CARGO_BUILD_BUILD_DIR", self.target);
        command.args(PROFILE.iter().flat_map(|setting| ["--config", setting]));
        let (status, said) = run_until(&mut command, waiting).map_err(failed)?;
        Ok(match status {
            None => Built::Cancelled,
            Some(status) if status.success() => {
                Built::In(host.map_or_else(|| self.target.to_owned(), |host| self.target.join(host)).join("release"))
            }
            Some(_) => Built::Failed(Failure { said: said.errors }),
        })
    }
}

/// What a configuration could change about how a verifier computes and ends.
const PROFILE: [&str; 5] = [
    "profile.release.opt-level=3",
    "profile.release.debug-assertions=false",
    "profile.release.overflow-checks=false",
    "profile.release.panic=\"unwind\"",
    "profile.release.incremental=false",
];

/// A run of cargo that sees nothing of the project in whose folder pmc was called.
fn command(cargo: &Path, dir: &Path) -> Command {
    let mut command = Command::new(cargo);
    command.current_dir(dir.ancestors().last().unwrap_or(dir)).stdin(Stdio::null());
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_a_project(name)) {
        command.env_remove(name);
    }
    // Empty, they also hide those of a configuration.
    command.env("RUSTC_WRAPPER", "").env("RUSTC_WORKSPACE_WRAPPER", "");
    command.env("CARGO_TERM_COLOR", "never").env("CARGO_TERM_PROGRESS_WHEN", "never");
    command
}

/// Whether a variable can change what is built, or where.
fn is_of_a_project(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let is_of_the_machine = |name: &str| {
        matches!(name, "CARGO_HOME" | "CARGO_BUILD_JOBS" | "CARGO_BUILD_RUSTC")
            || name.starts_with("CARGO_TARGET_") && name.ends_with("_LINKER")
    };
    match name {
        "RUSTFLAGS" | "RUSTC_BOOTSTRAP" | "RUSTC_LOG" | "CARGO" => true,
        _ => name.starts_with("CARGO_") && !is_of_the_machine(name),
    }
}

/// What a command wrote.
#[derive(Default)]
struct Said {
    output: String,
    errors: String,
}

/// So much is kept of what a command writes.
const MOST_KEPT: usize = 1 << 20;

/// Collects the end of a text that may be endless, in a thread of its own.
fn collect(reader: Option<impl Read + Send + 'static>) -> (Arc<Mutex<Vec<u8>>>, JoinHandle<()>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&kept);
    let thread = std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        let Some(mut reader) = reader else { return };
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            let mut kept = to.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(&buffer[..n]);
            if kept.len() > 2 * MOST_KEPT {
                let surplus = kept.len() - MOST_KEPT;
                kept.drain(..surplus);
            }
        }
    });
    (kept, thread)
}

/// What was collected. A process that was left behind can keep a pipe open forever, so that its end is not waited for long.
fn collected((kept, thread): (Arc<Mutex<Vec<u8>>>, JoinHandle<()>)) -> String {
    let mut looks = 0..100;
    while !thread.is_finished() && looks.next().is_some() {
        std::thread::sleep(POLL);
    }
    String::from_utf8_lossy(&kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

/// Runs a command that ends early, with all processes that it has started, when it is not wanted any more: then there is no
/// status. They are a process group of their own, which signals of a terminal do not reach.
///
/// What it says is kept in memory: a disk that is full could not hold the reason.
fn run_until(command: &mut Command, waiting: Waiting<'_>) -> io::Result<(Option<ExitStatusOfChild>, Said)> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (output, errors) = (collect(child.stdout.take()), collect(child.stderr.take()));
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((Some(status), Said { output: collected(output), errors: collected(errors) }));
        }
        if waiting.wait(POLL) {
            end(&mut child);
            child.wait()?;
            return Ok((None, Said::default()));
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

impl Failure {
    /// What is missing on the machine, if that is why cargo failed. Any other failure is an error in the generated code.
    pub fn reason(&self) -> Option<&'static str> {
        let found = REASONS.iter().find(|(marks, _)| marks.iter().all(|mark| self.said.contains(mark)));
        found.map(|(_, reason)| *reason)
    }

    /// The last lines that say something.
    pub fn last_lines(&self) -> Vec<String> {
        const MOST: usize = 8;
        const WIDEST: usize = 200;
        let lines: Vec<&str> = self.said.lines().filter(|line| !line.trim().is_empty()).collect();
        let shortened = |line: &&str| match line.char_indices().nth(WIDEST) {
            Some((end, _)) => format!("{} ...", &line[..end]),
            None => (*line).to_owned(),
        };
        lines[lines.len().saturating_sub(MOST)..].iter().map(shortened).collect()
    }
}

/// Words that rustup, cargo, rustc and linkers use when something is missing on the machine.
const REASONS: &[(&[&str], &str)] = &[
    (&["No space left on device"], "the disk is full"),
    (&["Disk quota exceeded"], "your part of the disk is full"),
    (&["signal: 25"], "a file was larger than the limit (`ulimit -f`)"),
    (&["File too large"], "a file was larger than the limit (`ulimit -f`)"),
    (&["Read-only file system"], "its folder is on a file system that is read-only"),
    (&["Permission denied"], "a file or folder may not be used"),
    (&["linker `", "` not found"], "rustc found no linker, which comes with a C compiler"),
    (&["could not exec the linker"], "rustc cannot run the linker, which comes with a C compiler"),
    (&["cannot find crti.o"], "the C library lacks the files to link with (`libc6-dev` or alike)"),
    (&["cannot find Scrt1.o"], "the C library lacks the files to link with (`libc6-dev` or alike)"),
    (&["[Bus error]"], "the linker could not write: is the disk full?"),
    (&["signal: 7,"], "rustc or the linker could not write: is the disk full?"),
    (&["signal: 9,"], "rustc was killed: is there too little memory?"),
    (&["Killed"], "rustc or the linker was killed: is there too little memory?"),
    (&["Cannot allocate memory"], "there is too little memory"),
    (&["memory allocation of"], "there is too little memory"),
    (&["could not download"], "rustup wants to download a toolchain, and cannot"),
    (&["could not be downloaded"], "rustup wants to download a toolchain, and cannot"),
    (&["toolchain '", "is not installed"], "the Rust toolchain that is selected is not installed"),
    (&["no default is configured"], "rustup has no toolchain: try `rustup default stable`"),
    (&["could not execute process `", "rustc"], "cargo cannot run rustc"),
    (&["can't find crate for `std`"], "the Rust toolchain has no standard library for this machine"),
    (&["could not find", "home dir"], "cargo does not know your home folder: set HOME or CARGO_HOME"),
    (&["edition2024"], "cargo is older than 1.85: update Rust"),
    (&["lock file version"], "cargo is older than 1.85: update Rust"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(said: &str) -> Failure {
        Failure { said: said.to_owned() }
    }

    #[test]
    fn what_the_machine_lacks_is_told_from_what_we_did_wrong() {
        for said in [
            "error: linker `cc` not found\n",
            "error: couldn't create a temp dir: No space left on device (os error 28)",
            "error: could not execute process `rustc -vV` (never executed)",
            "error: feature `edition2024` is required",
            "error: toolchain '1.2.3-x86_64-unknown-linux-gnu' is not installed",
            "process didn't exit successfully: `rustc` (signal: 25, SIGXFSZ: file size limit exceeded)",
        ] {
            assert!(failure(said).reason().is_some(), "{said}");
        }
        assert_eq!(failure("error[E0425]: cannot find value `channel` in this scope").reason(), None);
    }

    #[test]
    fn the_last_lines_are_few_and_short() {
        let said: String = (0..100).map(|n| format!("{n} {}\n\n", "x".repeat(10 * n))).collect();
        let lines = failure(&said).last_lines();
        assert_eq!(lines.len(), 8);
        assert!(lines.iter().all(|line| line.len() < 220) && lines[7].starts_with("99 "), "{lines:?}");
        assert!(failure("").last_lines().is_empty());
    }

    #[test]
    fn what_is_set_for_another_project_does_not_count() {
        for name in [
            "CARGO_BUILD_TARGET",
            "CARGO_TARGET_DIR",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_PROFILE_RELEASE_PANIC",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS",
            "CARGO_MANIFEST_DIR",
        ] {
            assert!(is_of_a_project(OsStr::new(name)), "{name}");
        }
        let linker = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER";
        for name in [linker, "CARGO_HOME", "RUSTUP_TOOLCHAIN", "RUSTC", "PATH", "CARGO_BUILD_JOBS", "CARGOES"] {
            assert!(!is_of_a_project(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_end_of_a_long_text_is_kept() {
        assert_eq!(collected(collect(Some(&b"few words"[..]))), "few words");
        let long = io::repeat(b'x').take(5 * MOST_KEPT as u64).chain(&b"the end"[..]);
        let (kept, thread) = collect(Some(long));
        thread.join().expect("it ends");
        let kept = kept.lock().expect("no other thread holds the lock");
        assert!(kept.ends_with(b"the end") && kept.len() <= 2 * MOST_KEPT + 7, "{}", kept.len());
    }
}
