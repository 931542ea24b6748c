//! The grammar seen from outside: text goes in, trees, printed text and messages come out.

mod errors;
mod grammar;
mod random_tree;
mod round_trip;

use pmc::diagnostic::{Diagnostics, LintLevels, Severity};
use pmc::source::SourceMap;
use pmc::syntax::{self, LoadError, Loader, PreprocessOptions, ast};

/// Includes are looked for beside the model.
struct Disk;

impl Loader for Disk {
    fn load(&mut self, path: &str) -> Result<String, LoadError> {
        std::fs::read_to_string(path).map_err(|_| LoadError::NotFound)
    }
}

/// The tree, and each error as `line:column message`.
fn parse(text: &str) -> (ast::File, Vec<String>) {
    parse_file("model.pml", text)
}

fn parse_file(path: &str, text: &str) -> (ast::File, Vec<String>) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new(LintLevels::default());
    let main = sources.add(path, text).expect("a short text");
    let options = PreprocessOptions::default();
    let tokens = syntax::tokenize(&mut sources, main, &mut Disk, &options, &mut diagnostics);
    let file = match diagnostics.stop_on_error() {
        Ok(()) => syntax::parse(&tokens, &sources, &mut diagnostics),
        Err(_) => ast::File::default(),
    };
    let errors = diagnostics.sorted().into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let shown = errors.map(|diagnostic| {
        let position = sources.position(diagnostic.primary.span);
        format!("{}:{} {}", position.line, position.column, diagnostic.message)
    });
    (file, shown.collect())
}

/// The tree of a text that must have no errors.
fn parse_well(text: &str) -> ast::File {
    let (file, errors) = parse(text);
    assert!(errors.is_empty(), "{errors:#?}\nin\n{text}");
    file
}

/// Deep trees need more stack than a test's thread has, as in the driver.
fn with_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
