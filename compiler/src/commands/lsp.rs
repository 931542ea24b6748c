//! `pmc lsp`: serves an editor.

use std::io::{self, BufReader};
use std::time::Duration;

use super::ExitStatus;
use crate::cli::LspArgs;
use crate::driver::Error;
use crate::lsp::{Settings, serve};

pub fn run(arguments: &LspArgs) -> Result<ExitStatus, Error> {
    let settings = Settings {
        options: arguments.reading.options(),
        max_time: Duration::from_secs(arguments.max_time),
        memory: arguments.memory.saturating_mul(1 << 20),
    };
    let said_goodbye = serve(settings, BufReader::new(io::stdin()), io::stdout().lock());
    // The protocol wants 1 from a server that was left without a word.
    Ok(if said_goodbye { ExitStatus::Fine } else { ExitStatus::Violated })
}
