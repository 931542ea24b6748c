use super::super::testing::lowered;
use super::super::{Facts, Simplify, analyze};
use super::Range;
use crate::ir::Program;
use crate::model::Model;

/// The facts about a model of which nothing is left out.
fn check<T>(text: &str, look: impl FnOnce(&Program<'_>, &Facts, &Model) -> T) -> T {
    lowered(text, |program| look(program, &analyze(program, Simplify::NONE), program.model))
}

/// The range of each variable, `x:0..3`, that is not as wide as `byte` or `int`; those are `x:any`.
fn ranges(text: &str) -> String {
    check(text, |_, facts, model| {
        let shown = model.variables.iter_enumerated().map(|(id, variable)| {
            let range = facts.ranges.variable(model, id, &[]);
            format!("{}:{}", variable.name, text_of(range))
        });
        shown.collect::<Vec<_>>().join(" ")
    })
}

fn text_of(Range { low, high }: Range) -> String {
    match (low, high) {
        (0, 255) => "any".to_owned(),
        _ if high == i64::from(i32::MAX) || low == i64::from(i32::MIN) => "any".to_owned(),
        _ if low == high => low.to_string(),
        _ => format!("{low}..{high}"),
    }
}

/// One process with `x` and `y`, both of which are read.
fn check_body(body: &str, expected: &str) {
    let text = format!("active proctype p() {{ byte x, y; {body}; end: x == 77 && y == 77 }}");
    assert_eq!(ranges(&text), expected, "{body}");
}

#[test]
fn guards_bound_what_follows_them() {
    check_body("do :: x < 9 -> x++ :: else -> break od", "x:0..9 y:0");
    check_body("do :: x < 9 -> x++ :: x >= 9 -> x = 0 od", "x:0..9 y:0");
    check_body("do :: x != 9 -> x++ :: else -> break od; y = x", "x:0..9 y:0..9");
    check_body("do :: x < 9 && y < 4 -> x++; y++ :: else -> break od", "x:0..9 y:0..4");
    check_body("do :: x + 2 < 9 -> x++ :: else -> break od", "x:0..7 y:0");
    check_body("do :: !(x >= 9) -> x = x + 3 :: else -> break od", "x:0..11 y:0");
    check_body("x = 20; do :: x > 3 -> x-- :: else -> break od", "x:0..20 y:0");
    check_body("do :: x < 9 || y < 4 -> x++ :: else -> break od", "x:any y:0");
    check_body("for (x : 2 .. 6) { y = x }", "x:0..7 y:0..6");
    check_body("select (x : 2 .. 6)", "x:0..6 y:0");
}

#[test]
fn arithmetic_bounds() {
    check_body("do :: x = (x + 1) % 6 od", "x:0..5 y:0");
    check_body("do :: x = 1 - x od", "x:0..1 y:0");
    check_body("do :: x = (x < 5 -> x + 1 : 0) od", "x:0..5 y:0");
    check_body("do :: x++ od", "x:any y:0");
    check_body("x = 256; y = 300", "x:0 y:0..44");
    check_body("do :: y = x & 3; x = y + 2 od", "x:0..5 y:0..3");
    check_body("x = 100; y = x * 3 / 10", "x:0..100 y:0..30");
    check_body("x = 5; y = x - 6", "x:0..5 y:any");
}

#[test]
fn elements_of_arrays_are_told_apart_by_a_steady_index() {
    let model = |body: &str| format!("active proctype p() {{ byte a[3], i; {body}; end: a[i] == 77 }}");
    assert_eq!(ranges(&model("do :: a[i] < 5 -> a[i]++ :: i = 1 - i od")), "a:0..5 i:0..1");
    assert_eq!(ranges(&model("do :: a[i] < 5 -> i = 1 - i; a[i]++ od")), "a:any i:0..1");
    assert_eq!(ranges(&model("do :: a[i] < 5 -> a[2] = 9; a[i]++ od")), "a:any i:0");
    assert_eq!(ranges(&model("do :: i < 3 -> a[i] = i; i++ :: else -> i = 0 od")), "a:0..2 i:0..3");
}

#[test]
fn others_may_store_between_a_guard_and_what_follows() {
    let model = |body: &str| format!("byte x; active [2] proctype p() {{ do :: {body} od }}");
    assert_eq!(ranges(&model("x < 5 -> x = x + 1 :: x = 0")), "x:any");
    assert_eq!(ranges(&model("atomic { x < 5 -> x = x + 1 } :: x = 0")), "x:0..5");
    assert_eq!(ranges(&model("d_step { x < 5 -> x = x + 1 } :: x = 0")), "x:0..5");
    // Where control may be lost, what was known is lost.
    let blocks =
        "byte x, y; active [2] proctype p() { do :: atomic { x < 5 -> y == 0 -> x = x + 1 } :: x = 0; y = 1 - y od }";
    assert_eq!(ranges(blocks), "x:any y:0..1");
    let meets = "byte x; chan c = [0] of { bit }; active [2] proctype p() { bit b; do :: atomic { x < 5 -> c!1; x = x + 1 } :: c?b; x = 0 od }";
    assert!(ranges(meets).starts_with("x:any"), "{}", ranges(meets));
    // One alone may rely on it.
    let alone = "byte x; active proctype p() { do :: x < 5 -> x = x + 1 :: x = 0 od } active proctype q() { x == 3 }";
    assert_eq!(ranges(alone), "x:0..5");
    let several = "byte x; proctype p() { do :: x < 5 -> x = x + 1 :: x = 0 od } init { run p(); run p() }";
    assert_eq!(ranges(several), "x:any");
}

#[test]
fn counters_are_bounded_by_what_processes_add() {
    let model = |n: u32, body: &str| format!("byte x; active [{n}] proctype p() {{ do :: {body} od }}");
    assert_eq!(ranges(&model(3, "x++; assert(x == 1); x--")), "x:0..3");
    assert_eq!(ranges(&model(3, "x = x + 2; if :: x > 4 -> x = x - 2 :: else -> x--; x-- fi")), "x:0..6");
    assert_eq!(ranges(&model(3, "x++; if :: x-- :: skip fi")), "x:any");
    assert_eq!(ranges(&model(200, "x = x + 2; x = x - 2")), "x:any");
    let semaphore = "byte x = 2; active [4] proctype p() { do :: atomic { x > 0 -> x-- }; x++ od }";
    assert_eq!(ranges(semaphore), "x:0..2");
}

#[test]
fn values_travel_in_messages_and_arguments() {
    let text = "
chan c = [2] of { byte, byte };
proctype p(byte n) { c!n, n + 1 }
init { byte a, b; run p(3); run p(5); c?a, b; c?eval(a), b; end: a + b == 77 }";
    let found = check(text, |_, facts, model| {
        let field = |number| text_of(facts.ranges.message(model.sites.ids().next().expect("one"), number));
        format!("{} {} {}", ranges(text), field(0), field(1))
    });
    assert_eq!(found, "c:1 n:3..5 a:0..5 b:0..6 3..5 4..6");
}

#[test]
fn what_never_happens_does_not_count() {
    check_body("if :: x > 3 -> y = 9 :: else fi", "x:0 y:0");
    assert_eq!(ranges("byte x; proctype p() { x = 9 } init { x == 3 }"), "x:0");
    let text = "byte x; chan c = [1] of { byte }; active proctype p() { byte y; c?y; x = 9; end: x == y }";
    assert_eq!(ranges(text), "x:0 c:1 y:0");
}

#[test]
fn failed_assertions_do_not_bound() {
    check_body("do :: assert(x < 5); x++ od", "x:any y:0");
}

#[test]
fn hidden_variables_hold_anything() {
    assert_eq!(ranges("hidden byte x; active proctype p() { x = 3; x == 4 }"), "x:any");
}

#[test]
fn claims_store_in_between() {
    let text = "byte x; active proctype p() { do :: atomic { x < 5 -> x++ } od } never { do :: x = 9 od }";
    assert_eq!(ranges(text), "x:any");
    let own = "byte x; active proctype p() { x = 1 } never { byte n; do :: n < 4 -> n++ :: else -> break od }";
    assert!(ranges(own).ends_with("n:0..4"), "{}", ranges(own));
}

#[test]
fn fields_of_records_are_apart() {
    let text = "
typedef pair { byte a; int b[2] }
pair one, two[2];
active proctype p() { one.a = 3; two[1].a = 5; one.b[0] = -1; do :: two[0].b[1] < 7 -> two[0].b[1]++ od }";
    let found = check(text, |_, facts, model| {
        let range = |name: &str, field| {
            let (id, _) = model.variables.iter_enumerated().find(|(_, it)| &*it.name == name).expect("a variable");
            text_of(facts.ranges.variable(model, id, &[field]))
        };
        [range("one", 0), range("one", 1), range("two", 0), range("two", 1)].join(" ")
    });
    assert_eq!(found, "0..3 -1..0 0..5 0..7");
}
