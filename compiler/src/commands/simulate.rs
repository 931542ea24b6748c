//! `pmc simulate`: one run of the model.

use std::ffi::OsString;
use std::path::Path;

use super::{ExitStatus, engine};
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
    flags.extend(arguments.show.flags().map(OsString::from));
    engine::interpret(&arguments.model, arguments.messages.format, flags)
}
