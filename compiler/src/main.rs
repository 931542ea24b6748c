//! Arguments in, exit code out.
#![forbid(unsafe_code)]

use std::error::Error as _;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;
use pmc::cli::{Cli, in_our_words};
use pmc::commands::{self, ExitStatus};
use pmc::driver::{Error, on_large_stack};

/// The position of the first panic. The hook records it here instead of printing it, so that a user sees one message,
/// which ends with what we need to know.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn main() -> ExitCode {
    if let Some(text) = commands::version::asked(std::env::args_os()) {
        return shown(io::stdout().write_all(text.as_bytes()));
    }
    let arguments = match in_our_words(std::env::args_os().collect()) {
        Ok((arguments, notes)) => {
            // They are lost where standard error is closed.
            notes.iter().for_each(|note| drop(writeln!(io::stderr(), "note: {note}")));
            arguments
        }
        Err(message) => {
            say(&format!("error: {message}"));
            return ExitCode::from(ExitStatus::Wrong as u8);
        }
    };
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        // What is wrong with the command line.
        Err(error) if error.use_stderr() => error.exit(),
        // The help, or the version.
        Err(error) => return shown(error.print()),
    };
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut first) = PANIC.lock() {
            first.get_or_insert_with(|| info.to_string());
        }
    }));
    let status = on_large_stack(|| commands::run(&cli)).and_then(|result| result).unwrap_or_else(|error| {
        complain(&error);
        (&error).into()
    });
    ExitCode::from(status as u8)
}

/// The end of a run whose only result is a text. A reader that has seen enough of it closes the pipe.
fn shown(written: io::Result<()>) -> ExitCode {
    match written.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("error: cannot write the output: {error}"));
            ExitCode::from(ExitStatus::Internal as u8)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Where standard error is closed, or its disk full, the exit status has to do.
fn say(text: &str) {
    drop(writeln!(io::stderr(), "{text}"));
}

fn complain(error: &Error) {
    if let Error::Internal { message } = error {
        let noted = PANIC.lock().ok().and_then(|mut first| first.take());
        say("error: internal error in pmc, please send us this model");
        say(&format!("  pmc {}: {}", env!("CARGO_PKG_VERSION"), noted.as_ref().unwrap_or(message)));
    } else {
        match error.source() {
            Some(cause) => say(&format!("error: {error}: {cause}")),
            None => say(&format!("error: {error}")),
        }
    }
}
