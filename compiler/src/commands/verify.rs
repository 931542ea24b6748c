//! `pmc verify`: does every property hold?

use std::ffi::OsString;

use pmc_runtime::report::quoted;

use super::{ExitStatus, engine};
use crate::cli::{ModelArgs, ReportFormat, VerifyArgs};
use crate::driver::Error;

pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    // In front, so that a format behind `--` wins.
    let is_given = arguments.format != ReportFormat::Human;
    let format = is_given.then(|| OsString::from(format!("--format={}", arguments.format.name())));
    let names = arguments.ltl.iter().map(|name| OsString::from(format!("--ltl={name}")));
    // A command of the verifier behind `--` has to stay the first word.
    let is_check = arguments.flags.first().is_none_or(|first| first.as_encoded_bytes().starts_with(b"-"));
    let replay = is_check.then(|| OsString::from(format!("--replay-command={}", replay_command(&arguments.model))));
    let flags = replay.into_iter().chain(format).chain(names).chain(arguments.flags.iter().cloned());
    engine::run(arguments.engine, &arguments.model, arguments.format.messages(), flags)
}

/// The command that replays a trail of this model, which belongs to it only with the same options.
fn replay_command(model: &ModelArgs) -> String {
    let mut words = vec!["pmc".to_owned(), "replay".to_owned()];
    words.extend(model.given().iter().map(|word| quoted(&word.to_string_lossy())));
    words.join(" ")
}
