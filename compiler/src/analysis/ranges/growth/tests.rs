use super::super::super::testing::lowered;
use super::super::super::{Simplify, analyze};
use super::Growing;

/// The variables that grow, with nothing left out of the state.
fn growing(text: &str) -> Vec<String> {
    lowered(text, |program| {
        let facts = analyze(program, Simplify::NONE);
        let name = |growing: &Growing| program.model.variables[growing.variable].name.to_string();
        facts.ranges.growing.iter().map(name).collect()
    })
}

#[track_caller]
fn check_grows(text: &str, expected: &[&str]) {
    assert_eq!(growing(text), expected, "{text}");
}

/// One process with two variables, both of which are read.
#[track_caller]
fn check_body(body: &str, expected: &[&str]) {
    check_grows(&format!("int n, m; active proctype p() {{ {body}; end: n == 77 && m == 77 }}"), expected);
}

#[test]
fn a_counter_of_an_endless_loop_grows() {
    check_body("do :: n++ od", &["n"]);
    check_body("do :: n = 1 + n; m-- od", &["n", "m"]);
    check_body("do :: n = n + 3 :: break od", &["n"]);
    check_body("do :: atomic { n++; skip } od", &["n"]);
    check_body("do :: d_step { n++; m = 1 } od", &["n"]);
    check_body("do :: m == 0 -> n++ :: m == 1 -> skip od", &["n"]);
    check_grows("short n; active [2] proctype p() { do :: n++ od }", &["n"]);
    check_grows("unsigned n : 16; active proctype p() { do :: n++ od }", &["n"]);
    check_grows("active proctype p() { int n; do :: n++ od }", &["n"]);
    check_grows("int n[3]; active [3] proctype p() { do :: n[_pid]++ od }", &["n"]);
    check_grows("typedef r { byte a; int b }; r x; active proctype p() { do :: x.b++ od }", &["x"]);
}

#[test]
fn guards_and_small_types_are_limits() {
    check_body("do :: n < 10 -> n++ :: else -> n = 0 od", &[]);
    check_body("do :: n = (n + 1) % 10 od", &[]);
    check_body("do :: n > -5 -> n-- od", &[]);
    check_grows("byte n; active proctype p() { do :: n++ od }", &[]);
    check_grows("unsigned n : 8; active proctype p() { do :: n++ od }", &[]);
}

/// Intervals have no bound for these sums, but no process can add forever.
#[test]
fn what_is_done_only_so_often_is_a_limit() {
    check_body("n++; n++", &[]);
    check_body("for (m : 1 .. 5) { n = n + m }", &[]);
    check_body("do :: m < 5 -> m++; n = n + m :: else -> break od", &[]);
    check_body("m = 9; do :: m > 0 -> m--; n = n + m :: else -> break od", &[]);
    check_grows(
        "int n; active proctype p() { byte i, j; for (i : 1 .. 3) { for (j : 1 .. 3) { n++ } }; end: n == 7 }",
        &[],
    );
    check_body("do :: for (m : 1 .. 5) { n = n + m } od", &["n"]);
    check_grows("int n; proctype p() { n++ } init { byte i; for (i : 1 .. 3) { run p() } }", &[]);
    check_grows("int n; proctype p() { n++ } init { do :: run p() od }", &["n"]);
}

/// The guard is that of another process.
#[test]
fn what_stops_at_a_value_is_a_limit_from_elsewhere() {
    let text = |guard: &str| {
        format!(
            "chan q = [2] of {{ byte }}; int n; active proctype r() {{ byte b; do :: q?b -> n++ od }}
             active [2] proctype s() {{ do :: {guard} -> q!1 od }}"
        )
    };
    check_grows(&text("n < 9"), &[]);
    check_grows(&text("9 >= n && true"), &[]);
    check_grows(&text("n == 3"), &[]);
    check_grows(&text("n >= 0"), &["n"]);
    check_grows(&text("n < 9 || n > 20"), &["n"]);
}

#[test]
fn messages_are_received_as_often_as_they_are_sent() {
    let receiver = "active proctype r() { byte b; do :: q?b -> n++ od }";
    let text =
        |sender: &str| format!("chan q = [2] of {{ byte }}; int n; {receiver} active proctype s() {{ {sender} }}");
    check_grows(&text("q!1; q!2"), &[]);
    check_grows(&text("byte i; for (i : 1 .. 9) { q!i }"), &[]);
    check_grows(&text("do :: q!1 od"), &["n"]);
    check_grows("chan q = [2] of { byte }; int n; active proctype s() { do :: q!1; n++ od }", &[]);
    check_grows("chan q = [0] of { byte }; int n; active proctype s() { do :: q!1; n++ od }", &[]);
}

/// Where a variable also shrinks, it is not said to grow unless a cycle without conditions makes it.
#[test]
fn what_is_taken_back_is_not_said_to_grow() {
    check_body("do :: n++; n-- od", &[]);
    check_body("do :: n++; n = 0 od", &[]);
    check_body("do :: n++ :: n > 0 -> n-- od", &["n"]);
    check_body("do :: n++ :: n = 0 od", &["n"]);
    check_grows(
        "int vacant = 3, taken;
         active proctype producer() { do :: atomic { vacant > 0 -> vacant-- }; taken++ od }
         active proctype consumer() { do :: atomic { taken > 0 -> taken-- }; vacant++ od }",
        &[],
    );
}

#[test]
fn only_a_part_of_the_state_grows() {
    lowered("int n; active proctype p() { do :: n++ od }", |program| {
        assert!(analyze(program, Simplify::ALL).ranges.growing.is_empty());
    });
    check_grows("hidden int n; active proctype p() { do :: n++ od }", &[]);
}

#[test]
fn the_statement_is_named() {
    lowered("int n;\nactive proctype p() { n++; do :: n < 9 -> n++ :: n = n + 2 od }", |program| {
        let facts = analyze(program, Simplify::NONE);
        let [growing] = &facts.ranges.growing[..] else { panic!("one variable") };
        assert_eq!((growing.span.end - growing.span.start) as usize, "n = n + 2".len());
    });
}
