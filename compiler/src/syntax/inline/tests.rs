use crate::diagnostic::{Diagnostics, LintLevels};
use crate::source::SourceMap;
use crate::syntax::testing::{Files, check, tokenized};
use crate::syntax::{PreprocessOptions, tokenize};

#[test]
fn arguments_go_in_as_text() {
    check("inline set(a) { a = 1 }\ninit { set(x) }", "init { set { x = 1 } }", &[]);
    check("inline f(a) { x = a * 2 }\ninit { f(1 + 2) }", "init { f { x = 1 + 2 * 2 } }", &[]);
    check("inline f(a, b) { a = b }\ninit { f(y[1, 2], (3, 4)) }", "init { f { y [ 1 , 2 ] = ( 3 , 4 ) } }", &[]);
    check("inline f() { skip }\ninit { f(); f () }", "init { f { skip } ; f { skip } }", &[]);
    check("inline f(a) { r.a = a }\ninit { f(x) }", "init { f { r . x = x } }", &[]);
    check("inline f(a) { printf(\"a\", a) }\ninit { f(x) }", "init { f { printf ( \"a\" , x ) } }", &[]);
    check("inline f(a, b) { a = b }\ninit { f(b, a) }", "init { f { b = a } }", &[]);
}

#[test]
fn the_place_of_an_assignment_stays_in_front() {
    check("inline f(a) { return a }\ninit { x = f(1) }", "init { x = f { return 1 } }", &[]);
}

#[test]
fn inlines_call_inlines() {
    let text = "inline one() { two(x) }\ninline two(a) { a++ }\ninit { one() }";
    check(text, "init { one { two { x ++ } } }", &[]);
    let text = "inline f(a) { x = a }\ninline g(a) { f(a); f(a + 1) }\ninit { g(3) }";
    check(text, "init { g { f { x = 3 } ; f { x = 3 + 1 } } }", &[]);
}

#[test]
fn a_name_without_a_call_is_a_name() {
    check("inline f() { skip }\ninit { f(); x.f = 1 }", "init { f { skip } ; x . f = 1 }", &[]);
    check("init { q!ack(1); q?ack(x); run P(1) }", "init { q ! ack ( 1 ) ; q ? ack ( x ) ; run P ( 1 ) }", &[]);
    check("init { goto L\n(x) }", "init { goto L ; ( x ) }", &[]);
}

#[test]
fn wrong_calls_are_reported_at_the_call() {
    check("inline f() { f() }\ninit { f() }", "init { f { skip } }", &["1:14 inline `f` calls itself"]);
    check(
        "inline f() { g() }\ninline g() { f() }\ninit { f() }",
        "init { f { g { skip } } }",
        &["2:14 inline `f` calls itself through others"],
    );
    check(
        "inline f(a) { a }\ninit { f() }",
        "init { skip }",
        &["2:8 inline `f` takes 1 argument, but this call has 0"],
    );
    check(
        "inline f(a, b) { a = b }\ninit { f(1) }",
        "init { skip }",
        &["2:8 inline `f` takes 2 arguments, but this call has 1"],
    );
    check("init { f(1) }", "init { skip }", &["1:8 there is no inline `f`"]);
    check("init { x = f(1) }", "init { x = skip }", &["1:12 there is no inline `f`"]);
    check(
        "proctype P() { skip }\ninit { P() }",
        "proctype P ( ) { skip } init { skip }",
        &["2:8 `P` is a proctype, not an inline"],
    );
    check(
        "init { f(1) }\ninline f(a) { a }",
        "init { skip }",
        &["1:8 inline `f` is used above its definition", "2:8 inline `f` is never called"],
    );
    check("inline f() { skip }\ninit { f( }", "init { skip }", &["2:8 this call has no closing parenthesis"]);
}

#[test]
fn wrong_definitions_are_reported_where_they_stand() {
    check("inline do(a) { a }", "", &["1:8 `do` is a keyword and cannot be the name of an inline"]);
    check("inline 3", "", &["1:8 expected the name of an inline, found `3`"]);
    check("inline", "", &["1:1 the name of an inline is missing"]);
    check("inline f { skip }\nbyte x", "byte x", &["1:10 `{` does not fit into the parameters of an inline"]);
    check("inline f(byte a) { a }", "", &["1:10 `byte` does not fit into the parameters of an inline"]);
    check("inline f(a; b) { a }", "", &["1:11 `;` does not fit into the parameters of an inline"]);
    check("inline f(a", "", &["1:8 the parameters of this inline are never closed"]);
    check("inline f() skip", "skip", &["1:12 expected `{` and the body of the inline"]);
    check("inline f() { skip", "", &["1:12 the body of this inline is never closed"]);
    check("inline f() { x }\ninline f() { y }\ninit { f() }", "init { f { x } }", &["2:8 inline `f` is defined twice"]);
    check("init { inline f() { x }\n f() }", "init { f { x } }", &["1:8 an inline cannot be defined inside a block"]);
}

#[test]
fn an_inline_of_a_header_may_stay_uncalled() {
    let mut sources = SourceMap::new();
    let main = sources.add("main.pml", "#include \"lib.h\"\ninline g() { skip }").expect("it is short");
    let mut files = Files::new(&[("lib.h", "inline f() { skip }\n")]);
    let mut diagnostics = Diagnostics::new(LintLevels::default());
    tokenize(&mut sources, main, &mut files, &PreprocessOptions::default(), &mut diagnostics);
    let messages: Vec<_> = diagnostics.sorted().iter().map(|found| found.message.clone()).collect();
    assert_eq!(messages, ["inline `g` is never called"]);
}

#[test]
fn deep_chains_are_fine_and_bombs_are_stopped() {
    let mut chain = "inline f0() { x++ }\n".to_owned();
    let mut bomb = "inline f0() { x++ }\n".to_owned();
    for i in 1..60 {
        chain += &format!("inline f{i}() {{ f{}() }}\n", i - 1);
        bomb += &format!("inline f{i}() {{ f{}(); f{}() }}\n", i - 1, i - 1);
    }
    let end = "init { f59() }";
    assert_eq!(tokenized(&(chain + end)).messages, [""; 0]);
    let messages = tokenized(&(bomb + end)).messages;
    assert!(messages[0].ends_with("inlines expand to more than 100000 tokens"), "{messages:?}");
}

#[test]
fn what_a_body_puts_in_leads_to_the_call_also_through_a_macro() {
    let found = tokenized("#define ONE 1\ninline f(a) { a = ONE }\ninit { f(x) }");
    let traces: Vec<String> = found
        .tokens
        .iter()
        .map(|token| {
            let mut trace = found.sources.text(token.span).to_owned();
            let mut next = token.span.expansion;
            while let Some(id) = next {
                let expansion = found.sources.expansion(id);
                trace += &format!(" <{:?} {}>", expansion.kind, expansion.name);
                next = expansion.site.expansion;
            }
            trace
        })
        .collect();
    let expected =
        ["init", "{", "f(x)", "{ <Inline f>", "x", "= <Inline f>", "ONE <Macro ONE> <Inline f>", "} <Inline f>", "}"];
    assert_eq!(traces, expected);
}
