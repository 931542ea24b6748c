//! No text makes the front end panic, and every token has a place in a file.

use pmc::diagnostic::{Diagnostics, LintLevels};
use pmc::source::{SourceMap, decode};
use pmc::syntax::{self, LoadError, Loader, PreprocessOptions};
use proptest::prelude::*;

/// One header that includes itself, and nothing else.
struct OneHeader(String);

impl Loader for OneHeader {
    fn load(&mut self, path: &str) -> Result<String, LoadError> {
        if path == "h" { Ok(self.0.clone()) } else { Err(LoadError::NotFound) }
    }
}

/// Reads `text` as far as the tree, with `header` to include.
fn read(text: &str, header: &str) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new(LintLevels::default());
    let main = sources.add("main.pml", text).expect("it is short");
    let options = PreprocessOptions {
        defines: vec!["ONE=1".to_owned()],
        include_dirs: vec![".".to_owned()],
        ..PreprocessOptions::default()
    };
    let mut loader = OneHeader(header.to_owned());
    let tokens = syntax::tokenize(&mut sources, main, &mut loader, &options, &mut diagnostics);
    for token in &tokens {
        let file = sources.file(token.span);
        assert!(file.base <= token.span.start, "{token:?}");
        assert!(token.span.start <= token.span.end && token.span.end <= file.end(), "{token:?}");
    }
    syntax::parse(&tokens, &sources, &mut diagnostics);
    for diagnostic in diagnostics.sorted() {
        let position = sources.position(diagnostic.primary.span);
        assert!(position.line >= 1 && position.column >= 1, "{diagnostic:?}");
    }
}

/// Words that make trouble when they meet.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "#define ", "#undef ", "#if ", "#ifdef ", "#elif ", "#else\n", "#endif\n", "#include \"h\"\n", "#line 3\n", "# ",
    "##", "defined", "f", "g", "f(", "g(x,", "M", "__LINE__", "__FILE__", "__VA_ARGS__", "...", "(", ")", ",", "\n",
    "\n", " ", " ", "\\\n", "\\", "/*", "*/", "//", "\"", "'", "'a'", "\"s\"", "inline f(x) {", "inline g() {",
    "init {", "ltl p {", "proctype P() {", "typedef T {", "mtype = {", "}", "}", "{", "if", "fi", "do", "od", "::",
    ";", "->", "else", "unless", "for (", "in", "x", "x = ", "1", "0x1", "1.5", "99999999999", "c_code {",
    "c_expr [", "]", "[", "[]", "<>", "<->", "U", "X", "q!", "q?", "q?[", "run ", "goto ", "L:", "@", "$", "\0",
    "\u{feff}", "\u{e9}", "+", "-", "!", "!!", "..", "return ", "of",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&decode(bytes), "x");
    }

    #[test]
    fn words(
        text in proptest::collection::vec(proptest::sample::select(WORDS), 0..80),
        header in proptest::collection::vec(proptest::sample::select(WORDS), 0..20),
    ) {
        read(&text.concat(), &header.concat());
    }
}

/// The call's span once reached from one file into the other.
#[test]
fn a_call_that_ends_in_an_included_file() {
    read("init {f(\n#include \"h\"\n", ")");
    read("##init {f(\n#include \"h\"\n", "]");
}

#[test]
fn large_noise_is_read_quickly() {
    // A quadratic step anywhere would take minutes.
    #[rustfmt::skip]
    let pieces = [
        "@", "#", "(", ")", "{", "}", "f(", "[", "\\", "'", "\"", "/*", "\\\n", "#if 1\n", "#else\n", "#endif\n",
        "\u{e9}", "::", ";", "do ", "if ", "ltl ", "ltl{", "inline ", "inline f() {", "c_code{", "x\n",
        "#define f(x) x\n", "\0", "else ", "a:", "x[", "in ", "for(", "unless ", "in.", "in]", "P[", "P:", "for(in ",
        "P[in",
    ];
    for piece in pieces {
        let text = "proctype P() { ".to_owned() + &piece.repeat((1 << 15) / piece.len());
        std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn(move || read(&text, ""))
            .expect("a thread")
            .join()
            .unwrap_or_else(|_| panic!("{piece:?} repeated makes it panic"));
    }
}
