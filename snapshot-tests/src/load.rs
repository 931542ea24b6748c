//! From text to the resolved model, for tests.

use std::path::Path;

use pmc::driver::{Options, Session};
use pmc::model::Model;
use pmc::source::SourceMap;

use crate::directives::with_lints;

/// A model, and the text that its spans point into.
pub struct Loaded {
    pub model: Model,
    pub sources: SourceMap,
}

/// Reads a model from the disk, or returns the messages about it.
pub fn load(path: &Path) -> Result<Loaded, String> {
    load_with(path, &Options::default())
}

/// The same with options, of macros for instance.
pub fn load_with(path: &Path, options: &Options) -> Result<Loaded, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let options = with_lints(options, &String::from_utf8_lossy(&bytes));
    resolve(Session::open(path, &options).map_err(|error| error.to_string())?)
}

/// Takes a model from memory, or returns the messages about it.
pub fn load_text(text: &str) -> Result<Loaded, String> {
    let options = with_lints(&Options::default(), text);
    let session = Session::from_text("model.pml", text.to_owned(), &options);
    resolve(session.map_err(|error| error.to_string())?)
}

fn resolve(mut session: Session) -> Result<Loaded, String> {
    let resolved = session.resolve();
    let Session { sources, diagnostics, .. } = session;
    match resolved {
        Ok(model) => Ok(Loaded { model, sources }),
        Err(_) => Err(pmc::diagnostic::render::render(&sources, &diagnostics, Default::default())),
    }
}
