//! Any bytes as a model: text, tokens, tree, resolved model.
//!
//! Beyond not panicking: every token has a place in a file, and a model without
//! errors prints as text that reads back as what was printed. Trees are walked by
//! recursion, so give it the stack that pmc gives itself.
//!
//! ```text
//! ulimit -s 262144
//! RUSTC_BOOTSTRAP=1 cargo fuzz run -s none front_end fuzz/corpus/front_end fuzz/seeds -- \
//!     -dict=fuzz/promela.dict -max_len=4096 -timeout=10 -max_total_time=600
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;
use pmc::diagnostic::{Diagnostics, LintLevels};
use pmc::model;
use pmc::source::{SourceMap, decode};
use pmc::syntax::{self, LoadError, Loader, PreprocessOptions, ast};

/// The only header there is: it comes behind a NUL byte in the input.
struct OneHeader<'a>(&'a [u8]);

impl Loader for OneHeader<'_> {
    fn load(&mut self, path: &str) -> Result<String, LoadError> {
        if path == "h" { Ok(decode(self.0.to_vec())) } else { Err(LoadError::NotFound) }
    }
}

fn parse(text: String, header: &[u8], diagnostics: &mut Diagnostics) -> (ast::File, SourceMap) {
    let mut sources = SourceMap::new();
    let main = sources.add("main.pml", text).expect("inputs are short");
    let options = PreprocessOptions::default();
    let tokens = syntax::tokenize(&mut sources, main, &mut OneHeader(header), &options, diagnostics);
    for token in &tokens {
        let file = sources.file(token.span);
        assert!(file.base <= token.span.start, "{token:?}");
        assert!(token.span.start <= token.span.end && token.span.end <= file.end(), "{token:?}");
    }
    let file = syntax::parse(&tokens, &sources, diagnostics);
    (file, sources)
}

fuzz_target!(|bytes: &[u8]| {
    let (text, header) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    let mut diagnostics = Diagnostics::new(LintLevels::default());
    let (file, sources) = parse(decode(text.to_vec()), header, &mut diagnostics);
    if diagnostics.has_errors() {
        return;
    }
    model::resolve(&file, &sources, &mut diagnostics);
    let printed = syntax::print::file(&file);
    let mut unexpected = Diagnostics::new(LintLevels::default());
    let (again, _) = parse(printed.clone(), &[], &mut unexpected);
    assert!(!unexpected.has_errors(), "what was printed does not parse:\n{printed}\n{:?}", unexpected.sorted());
    // The trees may differ: what was an inline's body is a block now.
    assert_eq!(printed, syntax::print::file(&again), "printed again it is another text");
});
