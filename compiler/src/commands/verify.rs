//! `pmc verify`: compile, build and run.

use std::ffi::OsString;

use super::{ExitStatus, engine, verifier};
use crate::cli::{Engine, ReportFormat, VerifyArgs};
use crate::driver::Error;

pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    // In front, so that a format behind `--` wins.
    let is_given = arguments.format != ReportFormat::Human;
    let format = is_given.then(|| OsString::from(format!("--format={}", arguments.format.name())));
    let names = arguments.ltl.iter().map(|name| OsString::from(format!("--ltl={name}")));
    let flags = format.into_iter().chain(names).chain(arguments.flags.iter().cloned());
    match arguments.engine {
        Engine::Interpret => engine::interpret(&arguments.model, arguments.format.messages(), flags),
        Engine::Auto | Engine::Compiled => {
            verifier::build_and_run(&arguments.model, arguments.format.messages(), flags)
        }
    }
}
