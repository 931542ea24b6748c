//! The front end for tests: from a model to all messages.

use std::path::{Path, PathBuf};

use pmc::diagnostic::Diagnostics;
use pmc::driver::{Options, Session, on_large_stack};

use crate::directives::with_lints;

/// The models of a folder of this package, in order, as paths relative to it:
/// so they look the same in messages on every machine. Tests run in that folder.
pub fn models(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    paths
}

/// The name of a model: its file's, without folder and extension.
pub fn name(path: &Path) -> String {
    path.file_stem().expect("a model is a file").to_string_lossy().into_owned()
}

/// What `pmc check` finds in a model, rendered without colours, and as data.
pub struct Found {
    pub text: String,
    pub diagnostics: Diagnostics,
    pub sources: pmc::source::SourceMap,
}

/// Runs the front end on a file. A panic in it fails the calling test.
pub fn check(path: &Path) -> Found {
    on_large_stack(|| found(Session::open(path, &options_of(path)).expect("a readable model"))).expect("no panic")
}

/// Runs the front end on a text, which goes by `name` in messages.
pub fn check_text(name: &str, text: impl Into<String>) -> Found {
    let text = text.into();
    let options = with_lints(&Options::default(), &text);
    let session = || Session::from_text(name, text, &options).expect("not too large");
    on_large_stack(|| found(session())).expect("no panic")
}

/// The options that the model's directives set.
fn options_of(path: &Path) -> Options {
    let bytes = std::fs::read(path).expect("a readable model");
    with_lints(&Options::default(), &String::from_utf8_lossy(&bytes))
}

fn found(mut session: Session) -> Found {
    let _ = session.check();
    let Session { sources, diagnostics, .. } = session;
    let text = pmc::diagnostic::render::render(&sources, &diagnostics, Default::default());
    Found { text, diagnostics, sources }
}

/// The output of `pmc expand` for a model, followed by the model's directives.
pub fn expand(path: &Path) -> Result<String, String> {
    on_large_stack(|| {
        let mut session = Session::open(path, &options_of(path)).map_err(|error| error.to_string())?;
        let file = session.parse().map_err(|_| format!("{} has errors", path.display()))?;
        let directives = crate::directives::lines(&session.sources.files()[0].text);
        Ok(pmc::syntax::print::file(&file) + &directives)
    })
    .expect("no panic")
}
