//! What makes no sense for a model is refused before its verifier is built.

use std::ffi::OsString;

use pmc_runtime::cli::mistake_for;
use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;

use crate::driver::{Error, Options, Session};
use crate::interpret::Visitor;

/// The refusal of these arguments of a verifier, if there is one. The model is read again; that takes milliseconds.
pub fn refusal(
    (name, text): (String, String),
    options: &Options,
    arguments: &[OsString],
) -> Result<Option<String>, Error> {
    let arguments = arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let mut session = Session::from_text(&name, text, options)?;
    Ok(session.interpret(|_, interpretable| interpretable.ok()?.visit(Refusal { arguments })))
}

struct Refusal {
    arguments: Vec<String>,
}

impl Visitor for Refusal {
    type Output = Option<String>;

    fn visit<M: Independence>(self, model: &M, _: Searches<M::Packed>) -> Option<String> {
        mistake_for(&self.arguments, model.info())
    }
}
