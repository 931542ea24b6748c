//! What is refused, where the message points, and what it says.

use super::{parse, with_large_stack};

fn check(cases: &[(&str, &[&str])]) {
    for (text, messages) in cases {
        let (_, errors) = parse(text);
        assert_eq!(errors, *messages, "{text}");
    }
}

#[test]
fn what_is_unclosed_is_reported_with_its_opening() {
    check(&[
        ("init {\n do :: x -> y = 1\n}", &["3:1 expected `od` to close the `do` on line 2, found `}`"]),
        ("init {\n do :: x -> y = 1\n fi\n}", &["3:2 expected `od` to close the `do` on line 2, found `fi`"]),
        ("init { if :: do :: x fi; skip }", &["1:22 expected `od` to close the `do` on line 1, found `fi`"]),
        ("init {\n x = 1\n", &["3:1 expected `}` to close the `{` on line 1, found the end of the file"]),
        (
            "active proctype P() { x = 1;\nactive proctype Q() { skip }\n",
            &["2:1 expected `}` to close the `{` on line 1, found `active`"],
        ),
        ("init { skip } }", &["1:15 `}` closes nothing"]),
        ("init { skip fi }", &["1:13 `fi` closes nothing"]),
        ("init { x = ((1 + 2); skip }", &["1:20 expected `)` to close the `(` on line 1, found `;`"]),
        ("init { x = a[1; skip }", &["1:15 expected `]` to close the `[` on line 1, found `;`"]),
        ("init { x = (1 }", &["1:15 expected `)` to close the `(` on line 1, found `}`"]),
    ]);
}

#[test]
fn syntax_of_c_gets_a_hint() {
    check(&[
        (
            "init { if :: (x = 1) -> skip fi }",
            &["1:17 `=` assigns, and an assignment cannot stand inside an expression"],
        ),
        ("init { x += 1 }", &["1:11 there is no `+=` in Promela"]),
        ("init { x = y ? 1 : 2 }", &["1:14 `? :` is not Promela"]),
        ("init { x = y -> 1 : 2 }", &["1:19 a conditional expression needs parentheses around it"]),
        ("init { y = x++ }", &["1:13 `++` is a statement of its own and cannot stand inside an expression"]),
        ("init { y = !!x }", &["1:12 `!!` is the sorted send and not a double negation"]),
        ("byte a[2][3]; init { skip }", &["1:10 an array has one dimension only"]),
        ("proctype P(byte a, byte b) { skip }", &["1:20 expected a name, found `byte`"]),
        ("proctype P() { skip } init { P() }", &["1:30 `P` is a proctype, not an inline"]),
        ("init { for (i : 1 .. 2) skip }", &["1:25 expected `{`, found `skip`"]),
        ("init { for (i = 0; i < 9; i++) { skip } }", &["1:15 a `for` of Promela runs over a range or an array"]),
        ("init { if (x) { skip } fi }", &["1:11 expected `::`, found `(`"]),
        ("init { x := 1 }", &["1:11 there is no `:=` in Promela"]),
        ("init { if :: x => skip fi }", &["1:16 there is no `=>` in Promela"]),
        ("init { x = 1, y = 2 }", &["1:13 expected `;` or `->`, found `,`"]),
        ("init { byte a[3] = [1, 2, 3]; skip }", &["1:22 the initial values of an array stand in braces"]),
        ("init { const int n = 3; skip }", &["1:8 there is no `const` in Promela"]),
        ("void main() { skip }", &["1:10 expected a declaration, found `(`"]),
        ("proctype P(a, b) { skip }", &["1:13 expected a name behind the type `a`, found `,`"]),
        ("init { run P }", &["1:14 expected `(`, found `}`"]),
        ("init { x = 1 + f(2) }", &["1:16 `f` cannot be called here: Promela has no functions"]),
        ("init { atomic x = 1 }", &["1:15 expected `{`, found `x`"]),
    ]);
}

#[test]
fn statements_out_of_place_are_named() {
    check(&[
        ("init { ; skip }", &["1:8 expected a statement, found `;`"]),
        ("init { x) }", &["1:9 `)` closes nothing"]),
        ("init { select (i : 1 - 3) }", &["1:25 expected `..`, found `)`"]),
        ("init { q?x,; skip }", &["1:12 expected a variable or a constant, found `;`"]),
        ("init { a unless b unless c }", &["1:19 `unless` cannot follow another `unless`"]),
        ("init { :: x }", &["1:8 an option `::` can only stand in an `if` or a `do`"]),
        ("init { }", &["1:8 a block cannot be empty"]),
        ("init { if fi }", &["1:11 `if` without any option"]),
        ("init { if :: fi }", &["1:14 expected a statement, found `fi`"]),
        ("init { x = 1 x = 2 }", &["1:14 expected `;` or `->` before `x`"]),
        ("init { assert(q!1) }", &["1:16 a send is a statement and cannot stand inside an expression"]),
        ("init { x = q?1 }", &["1:13 a receive is a statement and cannot stand inside an expression"]),
        ("init { q!(1, 2) }", &["1:12 the fields of a message are not put in parentheses when they are sent"]),
        ("init { q?(v + 1) }", &["1:13 expected `)` or `,`, found `+`"]),
        ("init { x = x + ; skip }", &["1:16 expected an expression, found `;`"]),
        ("init { skip; run: skip }", &["1:14 `run` is a word of the language and cannot be a label"]),
        ("init { byte len }", &["1:13 `len` is a word of the language and cannot be a name"]),
        ("init { L: byte x; skip }", &["1:8 the label `L` stands before a declaration"]),
        ("init { mtype = { a }; skip }", &["1:8 names of an `mtype` cannot be declared inside a process"]),
        ("init { typedef T { byte a }; skip }", &["1:8 `typedef` cannot stand inside a process"]),
        ("init {\n proctype Q() { skip };\n skip }", &["2:2 `proctype` cannot stand inside another process"]),
        ("init { { skip } unless }", &["1:24 expected a statement, found `}`"]),
        ("init { printf(x) }", &["1:15 expected a string, found `x`"]),
        ("init { !full(q) }", &["1:8 `full` can only be combined with `&&` and `||`"]),
        ("x = 1; init { skip }", &["1:1 expected a declaration or a proctype, found `x`"]),
        ("skip; init { skip }", &["1:1 expected a declaration or a proctype, found `skip`"]),
        (
            "proctype P(byte a[2]; byte b = 1) { skip }",
            &["1:17 the parameter `a` cannot be an array", "1:28 the parameter `b` cannot have an initial value"],
        ),
        ("chan q = [1] of { }; init { skip }", &["1:19 expected a type, found `}`"]),
        ("chan q = [1] of { unsigned }; init { skip }", &["1:19 a message cannot have a field of type `unsigned`"]),
    ]);
}

#[test]
fn temporal_operators_bind_tighter_than_comparison() {
    check(&[
        ("ltl { <> x == 1 }", &["1:7 `<>` binds tighter than what compares or computes"]),
        ("ltl { [] (p U q) + 1 }", &["1:7 `[]` binds tighter than what compares or computes"]),
        ("ltl { G p }", &["1:7 expected an operator, found `p`"]),
        ("ltl a { [] (p -> F [] q) }", &["1:18 expected an operator, found `[]`"]),
        ("ltl { [] (x = 1) }", &["1:13 `=` assigns, and an assignment cannot stand inside an expression"]),
        ("ltl { [] (x == }", &["1:16 expected an expression, found `}`"]),
    ]);
}

#[test]
fn several_errors_are_shown_without_their_echoes() {
    check(&[
        (
            "init {\n x = ;\n y = 2;\n if :: z = (1 :: else fi;\n w++ }\nproctype { skip }\ninit { 1 + }",
            &[
                "2:6 expected an expression, found `;`",
                "4:15 expected `)` to close the `(` on line 4, found `::`",
                "6:10 expected a name, found `{`",
                "7:12 expected an expression, found `}`",
            ],
        ),
        (
            "byte a b;\nbyte c d;\ninit { skip }",
            &[
                "1:8 expected a declaration or a proctype, found `b`",
                "2:8 expected a declaration or a proctype, found `d`",
            ],
        ),
    ]);
}

#[test]
fn too_deep_a_nest_is_refused_once() {
    with_large_stack(|| {
        let blocks = format!("init {{ {}skip{} }}", "{ ".repeat(10_000), " }".repeat(10_000));
        assert_eq!(parse(&blocks).1, ["1:4008 this statement nests more than 8000 deep"]);
        let minuses = format!("init {{ x = {}1 }}", "- ".repeat(10_000));
        assert_eq!(parse(&minuses).1, ["1:4012 this expression nests more than 8000 deep"]);
        let sum = format!("init {{ x = 1{} }}", " + 1".repeat(65_535));
        assert_eq!(parse(&sum).1, ["1:12 this expression nests more than 8000 deep"]);
        let open = format!("init {{ {}", "{ ".repeat(10_000));
        let errors = parse(&open).1;
        assert_eq!(errors[1..], ["1:20008 expected `}` to close the `{` on line 1, found the end of the file"]);
    });
}
