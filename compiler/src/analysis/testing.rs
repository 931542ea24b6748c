//! From text to facts, for the tests of this room.

use super::{Facts, Simplify, analyze};
use crate::diagnostic::{Diagnostics, LintLevels};
use crate::ir::{self, Program};
use crate::model::{self, Model, VariableId};
use crate::source::SourceMap;
use crate::syntax::{self, LoadError, Loader, PreprocessOptions};

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str) -> Result<String, LoadError> {
        Err(LoadError::NotFound)
    }
}

/// Passes the facts about a model to `look`.
pub fn check<T>(text: &str, look: impl FnOnce(&Program<'_>, &Facts, &Model) -> T) -> T {
    lowered(text, |program| look(program, &analyze(program, Simplify::ALL), program.model))
}

/// Passes a model with its constants folded to `look`.
pub fn lowered<T>(text: &str, look: impl FnOnce(&mut Program<'_>) -> T) -> T {
    let mut sources = SourceMap::new();
    let main = sources.add("model.pml", text.to_owned()).expect("a short text");
    let mut diagnostics = Diagnostics::new(LintLevels::default());
    let tokens = syntax::tokenize(&mut sources, main, &mut NoFiles, &PreprocessOptions::default(), &mut diagnostics);
    let file = syntax::parse(&tokens, &sources, &mut diagnostics);
    let mut model = model::resolve(&file, &sources, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{text}: {diagnostics:?}");
    model::constants::fold(&mut model);
    look(&mut ir::lower(&model, Vec::new()))
}

/// The author's name of a variable.
pub fn named(model: &Model, id: VariableId) -> &str {
    &model.variables[id].name
}
