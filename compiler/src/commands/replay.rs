//! `pmc replay`: a counterexample, step by step.

use std::ffi::OsString;
use std::path::Path;

use super::{ExitStatus, engine};
use crate::cli::ReplayArgs;
use crate::driver::Error;

pub fn run(arguments: &ReplayArgs) -> Result<ExitStatus, Error> {
    let mut flags: Vec<OsString> = vec!["replay".into()];
    flags.extend(arguments.show.flags().map(OsString::from));
    flags.extend(arguments.all.then(|| OsString::from("--all")));
    // With a folder in front, a trail called `-p` is not taken for a flag.
    flags.extend(arguments.trail.as_ref().map(|trail| Path::new(".").join(trail).into_os_string()));
    engine::interpret(&arguments.model, arguments.messages.format, flags)
}
