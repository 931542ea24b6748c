//! What the tests of this room share: text in, printed tokens and messages out.

use super::token::{NameInterner, Token};
use super::{LoadError, Loader, PreprocessOptions};
use crate::collections::Lookup;
use crate::diagnostic::{Diagnostics, LintLevels};
use crate::source::SourceMap;

/// Included files that exist in memory only.
#[derive(Default)]
pub struct Files {
    texts: Lookup<String, String>,
}

impl Files {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let mut texts = Lookup::new();
        for (path, text) in files {
            texts.insert((*path).to_owned(), (*text).to_owned());
        }
        Self { texts }
    }
}

impl Loader for Files {
    fn load(&mut self, path: &str) -> Result<String, LoadError> {
        self.texts.get(path).cloned().ok_or(LoadError::NotFound)
    }
}

/// What became of a text: tokens, and messages as `line:column message`.
pub struct Outcome {
    pub sources: SourceMap,
    pub tokens: Vec<Token>,
    pub messages: Vec<String>,
}

impl Outcome {
    /// The tokens with one space between them.
    pub fn print(&self) -> String {
        self.tokens.iter().map(|token| token.kind.text().into_owned()).collect::<Vec<_>>().join(" ")
    }
}

/// Runs one step or several on a main file called `main.pml`.
pub fn outcome(
    text: &str,
    step: impl FnOnce(&mut SourceMap, crate::source::FileId, &mut Diagnostics) -> Vec<Token>,
) -> Outcome {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new(LintLevels::default());
    let main = sources.add("main.pml", text).expect("tests are short");
    let tokens = step(&mut sources, main, &mut diagnostics);
    let message = |diagnostic: &&crate::diagnostic::Diagnostic| {
        let position = sources.position(diagnostic.primary.span);
        format!("{}:{} {}", position.line, position.column, diagnostic.message)
    };
    let messages = diagnostics.sorted().iter().map(message).collect();
    Outcome { tokens, messages, sources }
}

/// All the way from text to what the grammar sees.
pub fn tokenized(text: &str) -> Outcome {
    outcome(text, |sources, main, diagnostics| {
        super::tokenize(sources, main, &mut Files::default(), &PreprocessOptions::default(), diagnostics)
    })
}

pub fn preprocessed(text: &str, files: &[(&str, &str)], options: &PreprocessOptions) -> Outcome {
    outcome(text, |sources, main, diagnostics| {
        let mut files = Files::new(files);
        super::preprocess::preprocess(sources, main, &mut files, options, &mut NameInterner::default(), diagnostics)
    })
}

/// Compares what a text becomes, and its messages, with what is expected.
#[track_caller]
pub fn check(text: &str, tokens: &str, messages: &[&str]) {
    let found = tokenized(text);
    assert_eq!(found.messages, messages, "messages of:\n{text:.500}");
    assert_eq!(found.print(), tokens, "tokens of:\n{text:.500}");
}
