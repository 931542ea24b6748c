//! Runs a program and measures what it uses.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;

/// The time and memory of a program, with the programs that it started and waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// Seconds of processor time, in the program and in the system on its behalf.
    pub user: f64,
    pub system: f64,
    /// Seconds on the clock.
    pub wall: f64,
    /// The most memory that was resident at once.
    pub peak_bytes: u64,
}

impl Usage {
    pub fn cpu(&self) -> f64 {
        self.user + self.system
    }

    /// One program after the other.
    #[must_use]
    pub fn then(self, next: Usage) -> Usage {
        Usage {
            user: self.user + next.user,
            system: self.system + next.system,
            wall: self.wall + next.wall,
            peak_bytes: self.peak_bytes.max(next.peak_bytes),
        }
    }
}

/// How a program ended.
#[derive(Debug)]
pub struct Finished {
    /// `None` if it was killed.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub usage: Usage,
}

/// Runs a program to its end.
pub fn run(command: &mut Command) -> io::Result<Finished> {
    // Files rather than pipes, so that no thread has to read while the program runs.
    let mut stdout = tempfile::tempfile()?;
    let mut stderr = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let start = Instant::now();
    let (code, mut usage) = wait::run(command)?;
    usage.wall = start.elapsed().as_secs_f64();
    Ok(Finished { code, stdout: text(&mut stdout)?, stderr: text(&mut stderr)?, usage })
}

fn text(file: &mut std::fs::File) -> io::Result<String> {
    use io::{Read, Seek};
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod wait {
    use super::{Command, Duration, Usage, io};

    /// `wait4` is the only call that reports the usage of a single child, and the standard library does not offer it.
    pub fn run(command: &mut Command) -> io::Result<(Option<i32>, Usage)> {
        let child = command.spawn()?;
        let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
        let mut status = 0;
        // SAFETY: `rusage` is a plain struct of numbers, for which all zeros are a value.
        let mut rusage: libc::rusage = unsafe { std::mem::zeroed() };
        loop {
            // SAFETY: both pointers are to live values of the right types. The child is ours and has not been waited
            // for: `child` is not used after this function, and dropping it does not wait.
            let waited = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut rusage) };
            if waited == pid {
                break;
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
        let usage = Usage {
            user: seconds(rusage.ru_utime),
            system: seconds(rusage.ru_stime),
            wall: 0.0,
            peak_bytes: peak_bytes(&rusage),
        };
        Ok((code, usage))
    }

    fn seconds(time: libc::timeval) -> f64 {
        let whole = u64::try_from(time.tv_sec).unwrap_or(0);
        let micros = u64::try_from(time.tv_usec).unwrap_or(0);
        (Duration::from_secs(whole) + Duration::from_micros(micros)).as_secs_f64()
    }

    /// Linux counts in kilobytes, macOS in bytes.
    fn peak_bytes(rusage: &libc::rusage) -> u64 {
        let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
        u64::try_from(rusage.ru_maxrss).unwrap_or(0) * unit
    }
}

/// Other systems only have the clock.
#[cfg(not(unix))]
mod wait {
    use super::{Command, Duration, Instant, Usage, io};

    pub fn run(command: &mut Command) -> io::Result<(Option<i32>, Usage)> {
        let start = Instant::now();
        let status = command.status()?;
        let user = Duration::as_secs_f64(&start.elapsed());
        Ok((status.code(), Usage { user, ..Usage::default() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_and_takes_is_told() {
        let finished = run(Command::new(env!("CARGO")).arg("--version")).unwrap();
        assert_eq!(finished.code, Some(0));
        assert!(finished.stdout.starts_with("cargo "));
        assert!(finished.usage.peak_bytes > 100_000 || !cfg!(unix));
    }

    #[test]
    fn a_failure_is_told() {
        let finished = run(Command::new(env!("CARGO")).arg("--no-such-flag")).unwrap();
        assert!(finished.code.is_some_and(|code| code != 0) && finished.stdout.is_empty());
        assert!(!finished.stderr.is_empty());
        assert!(run(&mut Command::new("no-such-program-anywhere")).is_err());
    }

    #[test]
    fn usages_add_up() {
        let one = Usage { user: 1.0, system: 0.5, wall: 2.0, peak_bytes: 10 };
        let other = Usage { user: 2.0, system: 0.25, wall: 1.0, peak_bytes: 7 };
        assert_eq!(one.then(other), Usage { user: 3.0, system: 0.75, wall: 3.0, peak_bytes: 10 });
    }
}
