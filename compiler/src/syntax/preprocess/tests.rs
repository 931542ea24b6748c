use crate::diagnostic::{Diagnostics, LintLevels};
use crate::source::SourceMap;
use crate::syntax::PreprocessOptions;
use crate::syntax::lexer::Lexer;
use crate::syntax::testing::preprocessed;
use crate::syntax::token::NameInterner;

/// The tokens of a text that has nothing to preprocess, printed.
fn lexed(text: &str) -> String {
    let mut sources = SourceMap::new();
    let id = sources.add("expected", text).expect("it is short");
    let mut diagnostics = Diagnostics::new(LintLevels::default());
    let tokens = Lexer::new(sources.get(id)).lex_all(&mut NameInterner::default(), &mut diagnostics);
    tokens.iter().map(|token| token.kind.text().into_owned()).collect::<Vec<_>>().join(" ")
}

#[test]
fn agrees_with_the_preprocessor_of_c() {
    let cases = include_str!("cases.txt").split("=== ").skip(1);
    let mut n_cases = 0;
    for case in cases {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (text, expected) = rest.split_once("\n---\n").expect("text and expectation");
        let found = preprocessed(text, &[], &PreprocessOptions::default());
        assert_eq!(found.print(), lexed(expected.trim_end()), "{name}");
        assert_eq!(found.messages, [""; 0], "{name}");
        n_cases += 1;
    }
    assert!(n_cases > 60, "only {n_cases} cases were found");
}

#[track_caller]
fn check_messages(text: &str, messages: &[&str]) {
    let found = preprocessed(text, &[], &PreprocessOptions::default());
    assert_eq!(found.messages, messages, "messages of:\n{text:.200}");
}

#[test]
fn wrong_directives_are_reported_where_they_stand() {
    check_messages("#else\n", &["1:1 `#else` without `#if`"]);
    check_messages("\n #endif", &["2:2 `#endif` without `#if`"]);
    check_messages("x\n#if 1\ny", &["2:1 this condition has no `#endif`"]);
    check_messages("#if 0\n#else\n#else\n#endif", &["3:1 `#else` after `#else`"]);
    check_messages("#if 1\n#else\n#elif 1\n#endif", &["3:1 `#elif` after `#else`"]);
    check_messages("#frobnicate x\n", &["1:2 there is no directive `#frobnicate`"]);
    check_messages("#error do not  use\n", &["1:2 #error do not  use"]);
    check_messages("#warning don't\n", &["1:2 #warning don't"]);
    check_messages("#define\n", &["1:1 `#define` needs the name of a macro"]);
    check_messages("#define 3 4\n", &["1:9 `3` cannot be the name of a macro"]);
    check_messages(
        "#define f(a, 1) a\n",
        &["1:14 the parameters of a macro are names with commas between, in parentheses"],
    );
    check_messages("#undef\n", &["1:1 `#undef` needs the name of a macro"]);
    check_messages("#define f(a) #b\n", &["1:14 `#` in a macro must stand before one of its parameters"]);
    check_messages("#define f(a) ## a\n", &["1:14 `##` needs something to join on both sides"]);
    check_messages("#define N 1\n#define N 2\n", &["2:9 macro `N` is defined again with another text"]);
    check_messages("#line x\n", &["1:7 `#line` needs the number of a line"]);
    check_messages("#include\n", &["1:1 `#include` needs the name of a file"]);
    check_messages("#include \"none.h\"\n", &["1:10 there is no file `none.h` to include"]);
    check_messages("#include <none.h>\n", &["1:10 there is no file `none.h` to include"]);
}

#[test]
fn wrong_conditions_are_reported_where_they_stand() {
    check_messages("#if\n#endif", &["1:1 the condition ends where a number is expected"]);
    check_messages("#if 1 +\n#endif", &["1:7 the condition ends where a number is expected"]);
    check_messages("#if (1\n#endif", &["1:6 the condition ends where `)` is expected"]);
    check_messages("#if 1 2\n#endif", &["1:7 `2` does not fit in the condition of an `#if`"]);
    check_messages("#if 1 / 0\n#endif", &["1:7 division by zero in the condition of an `#if`"]);
    check_messages("#if 1.5\n#endif", &["1:5 `1.5` is not an integer"]);
    check_messages("#ifdef\n#endif", &["1:1 `#ifdef` needs the name of a macro"]);
    let deep = format!("#if {}1{}\n#endif", "(".repeat(10_000), ")".repeat(10_000));
    check_messages(&deep, &["1:206 this condition nests more than 200 deep"]);
}

#[test]
fn wrong_calls_are_reported_at_the_macros_name() {
    check_messages("#define add(a, b) a + b\nx = add(1)", &["2:5 macro `add` takes 2 arguments, but this call has 1"]);
    check_messages("#define one(a) a\none(1, 2)", &["2:1 macro `one` takes 1 argument, but this call has 2"]);
    check_messages("#define one(a) a\none(1", &["2:1 the call of macro `one` has no closing parenthesis"]);
    check_messages(
        "#define cat(a, b) a##b\ncat(+, x)",
        &["2:1 `##` joins `+` and `x` to `+x`, which is not one token"],
    );
}

#[test]
fn includes_are_found_beside_the_file_and_in_the_directories_of_the_command_line() {
    let files = [("sub/a.h", "#include \"b.h\"\na"), ("sub/b.h", "b"), ("lib/c.h", "c"), ("lib/sub/d.h", "d")];
    let options = PreprocessOptions { include_dirs: vec!["lib".to_owned()], ..PreprocessOptions::default() };
    let text = "#include \"sub/a.h\"\n#include <c.h>\n#define D <sub/d.h>\n#define E \"sub/b.h\"\n#include E\nmain";
    let found = preprocessed(text, &files, &options);
    assert_eq!(found.print(), "b a c b main");
    assert_eq!(found.messages, [""; 0]);
}

#[test]
fn a_file_with_a_guard_may_include_itself() {
    let text = "#ifndef SEEN\n#define SEEN\n#include \"main.pml\"\nx\n#endif\ny";
    let found = preprocessed(text, &[("main.pml", text)], &PreprocessOptions::default());
    assert_eq!(found.print(), "y x y");
    assert_eq!(found.messages, [""; 0]);
}

#[test]
fn includes_without_end_are_stopped() {
    let once = "\n#include \"main.pml\"\nx";
    let found = preprocessed(once, &[("main.pml", once)], &PreprocessOptions::default());
    assert_eq!(found.messages, ["2:10 includes nest more than 200 deep"]);
    // Every file twice, thirty deep: a thousand million inclusions of an empty file.
    let names: Vec<String> = (0..30).map(|i| format!("{i}.h")).collect();
    let texts: Vec<String> = (1..30).map(|i| format!("#include \"{i}.h\"\n#include \"{i}.h\"\n")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let mut files = files;
    files.push(("29.h", ""));
    let found = preprocessed("#include \"0.h\"\n", &files, &PreprocessOptions::default());
    assert_eq!(found.messages.len(), 1);
    assert!(found.messages[0].ends_with("more than 1000 files are included"), "{:?}", found.messages);
}

#[test]
fn macros_without_end_are_stopped() {
    let mut text = "#define m0 x x\n".to_owned();
    for i in 1..60 {
        text += &format!("#define m{i} m{} m{}\n", i - 1, i - 1);
    }
    text += "m59";
    let found = preprocessed(&text, &[], &PreprocessOptions::default());
    assert_eq!(found.messages, ["61:1 macros expand to more than 100000 tokens"]);
    let nested = format!("#define f(x) x\n{}1{}", "f(".repeat(1_000), ")".repeat(1_000));
    let found = preprocessed(&nested, &[], &PreprocessOptions::default());
    assert_eq!(found.messages, ["2:1001 macro calls nest more than 500 deep"]);
}

#[test]
fn the_command_line_defines_macros() {
    let defines = ["A", "B=2", "C=x + y", "D=", "F(a)=<a>"].map(str::to_owned).to_vec();
    let options = PreprocessOptions { defines, ..PreprocessOptions::default() };
    let found = preprocessed("A B C D F(3)", &[], &options);
    assert_eq!(found.print(), "1 2 x + y < 3 >");
}

#[test]
fn what_a_macro_puts_in_leads_to_its_use_and_its_definition() {
    let text = "#define inner (1)\n#define outer(a) a + inner\nx = outer(y)";
    let found = preprocessed(text, &[], &PreprocessOptions::default());
    assert_eq!(found.print(), "x = y + ( 1 )");
    let places: Vec<_> = found
        .tokens
        .iter()
        .map(|token| {
            let mut trace = vec![found.sources.text(token.span).to_owned()];
            let mut next = token.span.expansion;
            while let Some(id) = next {
                let expansion = found.sources.expansion(id);
                trace.push(format!("{} at {}", expansion.name, found.sources.position(expansion.site).line));
                next = expansion.site.expansion;
            }
            trace.join(", ")
        })
        .collect();
    let inner = "outer(y), inner at 1, outer at 2";
    assert_eq!(places, ["x", "=", "y", "outer(y), outer at 2", inner, inner, inner]);
}

/// What stands on which line, for the rules of separators.
#[track_caller]
fn check_lines(text: &str, lines: &[&str]) {
    let found = preprocessed(text, &[], &PreprocessOptions::default());
    let mut printed: Vec<String> = Vec::new();
    for token in &found.tokens {
        match printed.last_mut() {
            Some(line) if !token.newline_before => *line = format!("{line} {}", token.kind.text()),
            _ => printed.push(token.kind.text().into_owned()),
        }
    }
    assert_eq!(printed, lines, "lines of:\n{text}");
}

#[test]
fn an_expansion_is_one_line() {
    check_lines("#define two a \\\n b\nx\ntwo\ny", &["x", "a b", "y"]);
    check_lines("#define id(a) a\nid(x\ny)\nz", &["x y", "z"]);
    check_lines("#define id(a) a\nid(x\ny) z", &["x y", "z"]);
    check_lines("#define id(a) a\nid(x\ny); z", &["x y ; z"]);
    check_lines("#define none\nx\nnone y", &["x", "y"]);
    check_lines("#define none(a)\nx none(1,\n) y", &["x", "y"]);
}

#[test]
fn comments_and_backslashes_keep_line_ends() {
    check_lines("a /* one\n two */ b", &["a", "b"]);
    check_lines("a \\\n b", &["a", "b"]);
    check_lines("a // comment \\\n goes on\nb", &["a", "b"]);
    check_lines("a\n#undef x\nb", &["a", "b"]);
}
