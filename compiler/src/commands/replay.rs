//! `pmc replay`: a counterexample, step by step.

use std::ffi::OsString;
use std::path::Path;

use super::{ExitStatus, engine, pictures, source_folder};
use crate::cli::{Format, ReplayArgs};
use crate::driver::Error;

pub fn run(arguments: &ReplayArgs) -> Result<ExitStatus, Error> {
    let mut flags: Vec<OsString> = vec!["replay".into()];
    flags.extend(source_folder(&arguments.model.path));
    flags.extend(arguments.show.flags().map(OsString::from));
    flags.extend(arguments.all.then(|| OsString::from("--all")));
    // With a folder in front, a trail called `-p` is not taken for a flag.
    flags.extend(arguments.trail.as_ref().map(|trail| Path::new(".").join(trail).into_os_string()));
    let (model, format, drawn) = (&arguments.model, arguments.messages.format, &arguments.pictures);
    let is_json = format == Format::Json;
    if (is_json || drawn.any()) && model.path == Path::new("-") {
        return Err(Error::ReadTwice);
    }
    if is_json && drawn.take_output() {
        return Err(Error::OutputTaken);
    }
    let status = match is_json || drawn.take_output() {
        true => pictures::run_silently(model, format, flags)?,
        false => engine::interpret_or_build(model, format, flags)?,
    };
    // A trail that cannot be replayed was refused by now.
    if status == ExitStatus::Violated {
        let trail = arguments.trail.as_deref();
        if is_json {
            pictures::print_document(model, trail)?;
        }
        if drawn.any() {
            pictures::write(model, trail, drawn)?;
        }
    }
    Ok(status)
}
