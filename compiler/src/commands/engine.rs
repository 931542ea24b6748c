//! Executes a model in this process.

use std::ffi::OsString;

use pmc_runtime::main_with;
use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;
use pmc_runtime::verdict::ExitCode;

use super::{ExitStatus, report};
use crate::cli::{Format, ModelArgs};
use crate::driver::{Error, Session};
use crate::interpret::Visitor;

/// Runs the model as its verifier would with these arguments. A model that is wrong is reported instead, in the format
/// given.
pub fn interpret(
    model: &ModelArgs,
    format: Format,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&model.path, &model.options())?;
    let arguments = arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    session.interpret(|session, interpretable| {
        report(session, format, model.color)?;
        Ok(match interpretable {
            Ok(interpretable) => exit_status(interpretable.visit(Main { arguments })),
            Err(_) => ExitStatus::Wrong,
        })
    })
}

/// Does what the `main` of a verifier does.
struct Main {
    arguments: Vec<String>,
}

impl Visitor for Main {
    type Output = ExitCode;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> ExitCode {
        main_with(model, searches, self.arguments)
    }
}

fn exit_status(code: ExitCode) -> ExitStatus {
    match code {
        ExitCode::Verified => ExitStatus::Fine,
        ExitCode::Violated => ExitStatus::Violated,
        ExitCode::Usage => ExitStatus::Wrong,
        ExitCode::Incomplete => ExitStatus::Incomplete,
    }
}
