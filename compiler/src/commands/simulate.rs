//! `pmc simulate`: one run of the model.

use std::ffi::OsString;
use std::path::Path;

use super::{ExitStatus, engine, pictures, source_folder};
use crate::cli::SimulateArgs;
use crate::driver::Error;

pub fn run(arguments: &SimulateArgs) -> Result<ExitStatus, Error> {
    if arguments.interactive && arguments.model.path == Path::new("-") {
        return Err(Error::InputTaken);
    }
    let run = [format!("--seed={}", arguments.seed), format!("--steps={}", arguments.steps)];
    let mut flags: Vec<OsString> = vec!["simulate".into()];
    flags.extend(run.map(OsString::from));
    flags.extend(arguments.interactive.then(|| "--interactive".into()));
    flags.extend(source_folder(&arguments.model.path));
    flags.extend(arguments.show.flags().map(OsString::from));
    let (model, format, drawn) = (&arguments.model, arguments.messages.format, &arguments.pictures);
    if !drawn.any() {
        return engine::interpret_or_build(model, format, flags);
    }
    if model.path == Path::new("-") {
        return Err(Error::ReadTwice);
    }
    if drawn.take_output() && arguments.interactive {
        return Err(Error::OutputTaken);
    }
    // The run comes as a trail, and is drawn as any other.
    let failed = |source| Error::Write { source };
    let folder = tempfile::tempdir().map_err(failed)?;
    let trail = folder.path().join("run.trail.json");
    flags.push("--trail".into());
    flags.push(trail.clone().into());
    let status = match drawn.take_output() {
        true => pictures::run_silently(model, format, flags)?,
        false => engine::interpret_or_build(model, format, flags)?,
    };
    if matches!(status, ExitStatus::Fine | ExitStatus::Violated) {
        pictures::write(model, Some(&trail), drawn)?;
    }
    Ok(status)
}
