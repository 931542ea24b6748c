//! `pmc verify`: compile, build and run.

use super::{ExitStatus, verifier};
use crate::cli::Verify;
use crate::driver::Error;

pub fn run(arguments: &Verify) -> Result<ExitStatus, Error> {
    verifier::build_and_run(&arguments.model, arguments.flags.clone())
}
