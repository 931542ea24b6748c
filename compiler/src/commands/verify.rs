//! `pmc verify`: does every property hold?

use std::ffi::OsString;

use super::{ExitStatus, engine};
use crate::cli::{ReportFormat, VerifyArgs};
use crate::driver::Error;

pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    // In front, so that a format behind `--` wins.
    let is_given = arguments.format != ReportFormat::Human;
    let format = is_given.then(|| OsString::from(format!("--format={}", arguments.format.name())));
    let names = arguments.ltl.iter().map(|name| OsString::from(format!("--ltl={name}")));
    let flags = format.into_iter().chain(names).chain(arguments.flags.iter().cloned());
    engine::run(arguments.engine, &arguments.model, arguments.format.messages(), flags)
}
