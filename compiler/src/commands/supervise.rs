//! Runs a verifier that was built. Its exit code is ours, but only if it says that it is the verifier's: a program that
//! is cut off, that another program has replaced, or that is killed gives no verdict.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus as ExitStatusOfChild, Stdio};
use std::time::Duration;

use pmc_runtime::Signals;
use pmc_runtime::supervised::{STATUS, SUPERVISED, WATCHING};

use super::ExitStatus;

/// How a verifier ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With its report.
    Status(ExitStatus),
    /// Without one, as this says. Whether it is worth to build it anew, or to interpret the model.
    Unreported { how: String, may_be_better: bool },
    /// By a signal to us, before there was a report.
    Interrupted,
}

/// Runs a verifier to its end. A signal interrupts it; it reports what it has found so far.
pub(super) fn run(program: &Path, arguments: &[OsString]) -> Ended {
    // A search does not read its input, a simulation may.
    let first = arguments.first().and_then(|first| first.to_str()).unwrap_or("-");
    let is_check = first.starts_with('-') || matches!(first, "check" | "verify");
    let mut command = Command::new(program);
    command.arg(if is_check { WATCHING } else { SUPERVISED }).args(arguments);
    if is_check {
        command.stdin(Stdio::piped());
    }
    let signals = Signals::catch_for_another();
    match status(&mut command, &signals) {
        Ok(status) => judge(status, signals.have_come()),
        Err(error) => Ended::Unreported { how: format!("it cannot be run: {error}"), may_be_better: true },
    }
}

/// Waits for a program, and tells it of signals. `spawn` does not pass a file to a shell that the system cannot run.
fn status(command: &mut Command, signals: &Signals) -> io::Result<ExitStatusOfChild> {
    let mut child = command.spawn()?;
    let mut input = child.stdin.take();
    let (mut is_told, mut pause) = (false, SHORTEST);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if signals.have_come() && !is_told {
            is_told = true;
            // Those of a terminal reach it too, and it may hear of one twice: the end of its input says so, too.
            match input.take() {
                Some(input) => drop(input),
                None => child.kill()?,
            }
        }
        std::thread::sleep(pause);
        pause = LONGEST.min(pause * 17 / 16);
    }
}

/// The pauses between two looks at a program: short in a short run, so that it does not become longer.
const SHORTEST: Duration = Duration::from_micros(200);
const LONGEST: Duration = Duration::from_millis(20);

fn judge(status: ExitStatusOfChild, is_interrupted: bool) -> Ended {
    let statuses = [ExitStatus::Fine, ExitStatus::Violated, ExitStatus::Wrong, ExitStatus::Incomplete];
    let reported = statuses.into_iter().find(|it| status.code() == Some(i32::from(STATUS) + *it as i32));
    if let Some(status) = reported {
        return Ended::Status(status);
    }
    if is_interrupted {
        return Ended::Interrupted;
    }
    let (how, may_be_better) = match (status.code(), signal(status)) {
        (Some(101), _) => ("an error in it ended it (exit code 101)".to_owned(), false),
        (Some(code), _) => (format!("its exit code was {code}"), true),
        (None, Some(number)) => {
            let name = SIGNALS.iter().find(|(known, ..)| *known == number);
            let name = name.map(|(_, name)| format!(", {name}")).unwrap_or_default();
            let by_others = matches!(number, 1 | 2 | 9 | 15 | 24 | 25);
            (format!("signal {number} ended it{name}"), !by_others)
        }
        (None, None) => ("it did not end by itself".to_owned(), true),
    };
    Ended::Unreported { how, may_be_better }
}

const SIGNALS: [(i32, &str); 9] = [
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL: perhaps memory ran out, which `--memory` limits"),
    (11, "SIGSEGV"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ: a file was larger than the limit"),
];

#[cfg(unix)]
fn signal(status: ExitStatusOfChild) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatusOfChild) -> Option<i32> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    /// A program that ends so.
    fn judged(raw: i32, is_interrupted: bool) -> Ended {
        judge(ExitStatusOfChild::from_raw(raw), is_interrupted)
    }

    #[test]
    fn only_a_status_of_a_supervised_verifier_is_a_verdict() {
        for (code, status) in
            [(80, ExitStatus::Fine), (81, ExitStatus::Violated), (82, ExitStatus::Wrong), (83, ExitStatus::Incomplete)]
        {
            assert_eq!(judged(code << 8, false), Ended::Status(status));
            assert_eq!(judged(code << 8, true), Ended::Status(status));
        }
        for code in (0..=255).filter(|code| !(80..=83).contains(code)) {
            let ended = judged(code << 8, false);
            assert!(
                matches!(&ended, Ended::Unreported { may_be_better, .. } if *may_be_better == (code != 101)),
                "{code}"
            );
            assert_eq!(judged(code << 8, true), Ended::Interrupted);
        }
    }

    #[test]
    fn a_signal_is_no_verdict() {
        for number in 1..=31 {
            let Ended::Unreported { how, may_be_better } = judged(number, false) else { panic!("{number}") };
            assert!(how.contains(&format!("signal {number} ")), "{how}");
            assert_eq!(may_be_better, ![1, 2, 9, 15, 24, 25].contains(&number), "{number}");
        }
        assert_eq!(judged(2, true), Ended::Interrupted);
    }

    /// The system cannot run it, and a shell would end with 0.
    #[test]
    fn an_empty_file_is_not_run_by_a_shell() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        let program = dir.path().join("empty");
        std::fs::write(&program, "").expect("a file");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
        let ended = run(&program, &[]);
        assert!(matches!(&ended, Ended::Unreported { may_be_better: true, .. }), "{ended:?}");
    }
}
