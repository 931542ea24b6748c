//! A verifier that another program has started, which judges how it ends.
//!
//! An exit code of 0 has to mean that a verifier has said so. Other programs end with 0, too: an empty file that a shell
//! takes for a script, for instance. So a supervised verifier, once its report is written, ends with a status of its
//! own: [`STATUS`] and the exit code.

use crate::signal;
use crate::verdict::ExitCode;
use std::fs::File;
use std::io::{self, Read};
use std::thread;

/// The first argument of a supervised verifier.
pub const SUPERVISED: &str = "--supervised";

/// The same, if the end of standard input interrupts the search: the other program has got a signal, or is gone.
pub const WATCHING: &str = "--supervised=stdin";

/// The status is the exit code and this.
pub const STATUS: u8 = 80;

/// What a verifier owes to the program that has started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Supervision {
    /// A person, or a script.
    None,
    Status,
    StatusAndInput,
}

impl Supervision {
    /// What the first argument says, and the others.
    pub fn of(mut args: Vec<String>) -> (Supervision, Vec<String>) {
        let supervision = match args.first().map(String::as_str) {
            Some(SUPERVISED) => Supervision::Status,
            Some(WATCHING) => Supervision::StatusAndInput,
            _ => return (Supervision::None, args),
        };
        args.remove(0);
        (supervision, args)
    }

    pub fn begin(self) {
        if self != Supervision::None {
            signal::add_to_status(STATUS);
        }
        if self == Supervision::StatusAndInput
            && let Ok(input) = input()
        {
            // If there can be no thread, a signal to this process still works.
            let _ = thread::Builder::new().name("supervision".to_owned()).spawn(|| {
                wait_for_end(input);
                signal::interrupt_from_thread();
            });
        }
    }

    pub fn status(self, code: ExitCode) -> std::process::ExitCode {
        match (self, code) {
            (Supervision::None, _) | (_, ExitCode::Failed) => code.into(),
            (Supervision::Status | Supervision::StatusAndInput, _) => (STATUS + code as u8).into(),
        }
    }
}

fn wait_for_end(mut input: File) {
    loop {
        match input.read(&mut [0; 64]) {
            Ok(1..) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
        }
    }
}

/// Standard input without its lock, which commands hold.
#[cfg(unix)]
fn input() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

#[cfg(not(any(unix, windows)))]
fn input() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (Supervision, String) {
        let (supervision, rest) = Supervision::of(line.split_whitespace().map(str::to_owned).collect());
        (supervision, rest.join(" "))
    }

    #[test]
    fn only_the_first_argument_is_for_the_supervisor() {
        assert_eq!(of(""), (Supervision::None, String::new()));
        assert_eq!(of("--quiet --supervised"), (Supervision::None, "--quiet --supervised".to_owned()));
        assert_eq!(of("--supervised replay"), (Supervision::Status, "replay".to_owned()));
        assert_eq!(of("--supervised=stdin --quiet"), (Supervision::StatusAndInput, "--quiet".to_owned()));
    }

    #[test]
    fn what_ends_an_input_is_its_end() {
        let path = std::env::temp_dir().join(format!("pmc-runtime-supervised-{}", std::process::id()));
        std::fs::write(&path, [7; 1000]).unwrap();
        wait_for_end(File::open(&path).unwrap());
        std::fs::remove_file(path).unwrap();
    }
}
