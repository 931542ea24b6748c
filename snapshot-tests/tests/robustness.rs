//! No input makes pmc panic, hang or overflow its stack.
//!
//! These inputs are too large or too strange to be files. What is asserted is
//! the kind of answer; that there is one at all is the point.

use std::fmt::Write as _;

use pmc::diagnostic::Code;
use snapshot_tests::front_end::{Found, check, check_text};

const DEEP: usize = 10_000;

/// Well formed but too deep is refused with the code for limits, or accepted.
#[track_caller]
fn accepted_or_too_deep(text: String) {
    let found = check_text("model.pml", text);
    for diagnostic in found.diagnostics.sorted() {
        let is_limit = matches!(diagnostic.code, Code::Error(900..=999) | Code::Lint(_));
        assert!(is_limit, "{}", found.text);
    }
    assert_short(&found);
}

#[track_caller]
fn refused(text: impl Into<String>) -> Found {
    let found = check_text("model.pml", text);
    assert!(found.diagnostics.has_errors(), "accepted");
    assert_short(&found);
    found
}

/// However long the input is, the answer can be read.
#[track_caller]
fn assert_short(found: &Found) {
    assert!(found.text.len() < 200_000, "{} bytes of messages", found.text.len());
    let longest = found.text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(longest < 1000, "a line of {longest} characters");
}

fn nested(open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP))
}

#[test]
fn deep_nesting_of_every_kind_ends() {
    let body = |text: String| format!("byte x;\ninit {{ {text} }}\n");
    accepted_or_too_deep(body(format!("x = {}", nested("(", "1", ")"))));
    accepted_or_too_deep(body(format!("x = {}1", "- ".repeat(DEEP))));
    accepted_or_too_deep(body(format!("x = {}1", "! ".repeat(DEEP))));
    accepted_or_too_deep(body(format!("x = {}1", "1 + ".repeat(DEEP))));
    accepted_or_too_deep(body(format!("x = {}", nested("(1 -> ", "1", " : 0)"))));
    accepted_or_too_deep(body(nested("{ ", "skip", " }")));
    accepted_or_too_deep(body(nested("atomic { ", "skip", " }")));
    accepted_or_too_deep(body(nested("if :: ", "skip", " fi")));
    accepted_or_too_deep(body(nested("do :: ", "break", " od")));
    accepted_or_too_deep(body(nested("{ skip } unless { ", "skip", " }")));
    accepted_or_too_deep(body("skip; ".repeat(DEEP) + "skip"));
    accepted_or_too_deep(format!("byte a[1];\ninit {{ byte x = {} }}\n", nested("a[", "0", "]")));
    accepted_or_too_deep(format!("byte x;\ninit {{ x = 1 }}\nltl {{ {} }}\n", nested("[] (", "x == 0", ")")));
    accepted_or_too_deep(format!("byte x;\ninit {{ x = 1 }}\nltl {{ {}(x == 0) }}\n", "<> ".repeat(DEEP)));
}

#[test]
fn deep_nesting_that_is_never_closed_ends() {
    for open in
        ["(", "{", "[", "if :: ", "do :: ", "atomic { ", "x[", "x = (", "f(", "{ unless {", "ltl { (", "#if 1\n"]
    {
        refused(format!("byte x;\ninit {{ {}", open.repeat(DEEP)));
        refused(open.repeat(DEEP));
    }
    for close in [")", "}", "]", " fi", " od", "#endif\n", "*/"] {
        refused(close.repeat(DEEP));
    }
}

/// A megabyte from a generator with a fixed seed.
fn noise(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
    .take(1 << 20)
}

#[test]
fn a_megabyte_of_noise_is_refused() {
    for seed in 1..4 {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let path = folder.path().join("noise.pml");
        std::fs::write(&path, noise(seed).collect::<Vec<u8>>()).expect("a temporary file can be written");
        let found = check(&path);
        assert!(found.diagnostics.has_errors());
        assert_short(&found);
    }
}

#[test]
fn a_megabyte_of_words_in_random_order_is_refused() {
    let words = [
        "if",
        "fi",
        "do",
        "od",
        "::",
        "->",
        ";",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "byte",
        "x",
        "y",
        "chan",
        "=",
        "==",
        "!",
        "?",
        "run",
        "proctype",
        "inline",
        "ltl",
        "never",
        "mtype",
        "typedef",
        "atomic",
        "unless",
        "else",
        "goto",
        "1",
        "\n",
        "\n#define x y\n",
        "\n#define y(a) a a\n",
        "\n#if x\n",
        "\n#endif\n",
        "\"s\"",
        ",",
        ".",
        ":",
        "@",
        "..",
    ];
    for seed in 1..4 {
        let mut text = String::new();
        for byte in noise(seed).take(200_000) {
            text += words[byte as usize % words.len()];
            text.push(' ');
        }
        refused(text);
    }
}

#[test]
fn bytes_that_are_no_text_get_an_answer() {
    refused("\0".repeat(1000));
    refused("init { skip }\0");
    refused("init { \0 skip }");
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("latin.pml");
    for bytes in
        [&b"\xff\xfe\xfd"[..], b"init { printf(\"\xe9\") }", b"\xc3\x28", b"\xf0\x9f\x92", b"byte \xe9; init { skip }"]
    {
        std::fs::write(&path, bytes).expect("a temporary file can be written");
        assert_short(&check(&path));
    }
}

#[test]
fn files_that_include_each_other_are_refused() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("a.pml");
    std::fs::write(&path, "#include \"b.h\"\ninit { skip }\n").expect("a temporary file can be written");
    std::fs::write(folder.path().join("b.h"), "#include \"a.pml\"\n").expect("a temporary file can be written");
    let found = check(&path);
    assert!(found.diagnostics.has_errors());
    assert_short(&found);
}

#[test]
fn macros_and_inlines_that_grow_without_bound_end() {
    refused("#define x x\ninit { x = 1 }\n");
    refused("#define a b b\n#define b a a\ninit { a = 1 }\n");
    refused("#define f(x) f(f(x))\ninit { f(f(f(1))) }\n");
    refused("#define f(x) x x\n#define g f(\ninit { g g g g }\n");
    refused("inline f() { g(); g() }\ninline g() { f(); f() }\ninit { f() }\n");
    // 2^40 terms, by macros and by inlines.
    let mut text = String::from("byte x;\n#define m0 x\n");
    for level in 1..=40 {
        let _ = writeln!(text, "#define m{level} m{0} + m{0}", level - 1);
    }
    refused(text + "init { x = m40 }\n");
    let mut text = String::from("byte x;\ninline f0() { x++ }\n");
    for level in 1..=40 {
        let _ = writeln!(text, "inline f{level}() {{ f{0}(); f{0}() }}", level - 1);
    }
    refused(text + "init { f40() }\n");
    // An argument that doubles at each of 40 levels.
    let mut text = String::from("byte x;\n#define d(a) a + a\ninit { x = ");
    text += &format!("{}x{}", "d(".repeat(40), ")".repeat(40));
    refused(text + " }\n");
}

#[test]
fn a_model_of_ten_megabytes_passes() {
    let mut text = String::from("byte x;\n");
    let mut number = 0;
    while text.len() < 10 << 20 {
        // No more than 255 processes can be active.
        let active = if number < 250 { "active " } else { "" };
        let _ = write!(
            text,
            "{active}proctype p{number}() {{\n  byte y;\n  do\n  :: x == {0} -> y = x + 1; x = y\n  \
             :: x == {0} && y == 1 -> y = x - 1; x = y + x\n  :: x + y == {0} -> x = 3 - y\n  :: else -> break\n  od\n}}\n",
            number % 256
        );
        number += 1;
    }
    let found = check_text("model.pml", text);
    assert!(!found.diagnostics.has_errors(), "{}", found.text.lines().take(40).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_line_of_a_megabyte_is_shown_in_part() {
    let found = refused(format!("byte x; init {{ x = {}y }}\n", "1 + ".repeat(3000)));
    assert!(found.text.contains('…'), "{}", found.text);
    refused(format!("init {{ printf(\"{}\", y) }}", "a".repeat(1 << 20)));
    refused(format!("init {{ {} = 1 }}", "a".repeat(1 << 20)));
    refused(format!("init {{ x = {} }}", "9".repeat(1 << 20)));
}
