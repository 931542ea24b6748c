//! `pmc completions`: what a shell needs to complete our flags.

use clap::CommandFactory;

use super::{ExitStatus, print};
use crate::cli::{Cli, CompletionsArgs};
use crate::driver::Error;

pub fn run(arguments: &CompletionsArgs) -> Result<ExitStatus, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "pmc", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Fine)
}
