//! Odd models in the interpreter of pmc against the interpreter of the tests: deep expressions, many processes, wide
//! messages, records in records, and features that meet rarely.

use pmc::driver::{Options, on_large_stack};
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::Interpreted;
use snapshot_tests::interpreted_models::{Comparison, compare};
use snapshot_tests::load::load_text;

fn agree(text: &str) {
    let compared = on_large_stack(|| (compare(text), load_text(text).err()));
    let (compared, refused) = compared.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(compared, Comparison::Same, "{text}\n{refused:?}");
}

/// `wrap` around `inner`, n times.
fn nested(n: usize, inner: &str, wrap: impl Fn(String, usize) -> String) -> String {
    (0..n).fold(inner.to_owned(), wrap)
}

/// More values wait for their operators than there are registers.
#[test]
fn expressions_may_be_deep() {
    for n in [30, 31, 32, 33, 64, 300] {
        let right = nested(n, "a", |inner, n| format!("(b {} {inner})", ["+", "-", "^", "|"][n % 4]));
        let left = nested(n, "a", |inner, n| format!("({inner} {} b)", ["+", "-", "^", "&"][n % 4]));
        let both =
            nested(n, "a", |inner, n| if n % 2 == 0 { format!("(b - {inner})") } else { format!("({inner} * b)") });
        let compared = nested(n, "a", |inner, n| format!("(b {} {inner})", ["<", "==", ">=", "!="][n % 4]));
        let chosen = nested(n, "a", |inner, n| format!("(b > {} -> b - {inner} : b + {n})", n % 3));
        let indexed = nested(n, "(a % 2)", |inner, n| format!("(b - r[{inner} & 1].x[c[(a + {n}) & 1] & 1])"));
        let lengths = nested(n, "a", |inner, _| format!("(b + len(q[{inner} & 1]))"));
        agree(&format!(
            "typedef R {{ short x[2] }}; R r[2]; byte c[2]; int a, b, y; chan q[2] = [1] of {{ byte }};
             active proctype P() {{
               r[1].x[0] = 3; r[0].x[1] = 1; c[1] = 1; q[1]!1;
               do :: a < 2 -> a++; b = 3 - a;
                 y = {right}; y = {left}; y = {both}; y = {compared}; y = {chosen}; y = {indexed}; y = {lengths};
                 if :: {compared} :: {chosen} > 3 :: else fi
               :: else -> break od }}"
        ));
    }
}

/// The operands of an operator are computed from left to right at any depth: the first fault is the one that is found.
#[test]
fn the_first_fault_of_a_deep_expression_is_found() {
    for n in [1, 20, 31, 40] {
        let fault = |inner: &str| nested(n, inner, |inner, _| format!("(1 + {inner})"));
        for (left, right) in [("1 / z", "a[z + 4 + (z * (z + 1))]"), ("a[z + 4]", "1 / (z * (z + (z * 2)))")] {
            let sum = fault(&format!("({left} + {right})"));
            agree(&format!("int y; byte z, a[2]; active proctype P() {{ z = z; y = {sum} }}"));
        }
    }
}

/// Fields that a message does not have were taken for 0 by a receive in a rendezvous. It is a fault if the message matches
/// as far as it goes.
#[test]
fn a_receive_in_a_rendezvous_has_the_fields_of_the_message() {
    let receives = [("v?a,b", true), ("v?a,3", true), ("v?eval(a),b", false), ("v?1,0", true), ("v?2,_", false)];
    for (receive, is_fault) in receives {
        for received in [receive.to_owned(), format!("d_step {{ {receive}; b = a + b }}")] {
            let text = format!(
                "chan c = [0] of {{ byte }}; chan d = [0] of {{ byte, byte }}; byte s;
                 active proctype S() {{ if :: c!1 :: d!2,3 fi }}
                 active proctype R() {{ chan v; byte a, b; if :: v = c :: v = d fi; {received} -> s = a + b }}"
            );
            let flags = ["--safety", "--no-deadlock", "--search", "bfs"];
            let report =
                Interpreted::with_text("odd", &text, &Options::default(), |engine| engine.report("odd", &flags));
            let property = report.expect("it runs")["properties"][0].clone();
            let message = property["violation"]["message"].as_str().unwrap_or_default();
            assert_eq!(message.contains("does not have the fields"), is_fault, "{text}\n{property}");
        }
    }
}

/// A variable with one value takes no bits, and lies where the next one does.
#[test]
fn a_variable_without_bits_is_not_taken_for_its_neighbour() {
    agree(
        "active proctype P() { int y = -1; byte x; skip; y = x - 1; x = x + 1; x = x + 1; assert(x == 2 && y == -1) }",
    );
    agree(
        "timer t; active proctype P() { timer u; byte x; skip; set(u, x - 1); set(t, x - 2); x++; assert(x == 1 && !on(u)) }",
    );
}

#[test]
fn there_may_be_hundreds_of_processes() {
    for n in [100, 254] {
        agree(&format!(
            "byte n, m; proctype P(byte me) {{ m = me; n++ }}
             init {{ byte i; do :: i < {n} -> run P(i); _nr_pr == 1; i++ :: else -> break od; assert(m + 1 == {n}) }}"
        ));
    }
    agree(
        "byte turn; active [200] proctype P() { byte x; turn == _pid; x = _pid; turn++; turn == 200 && _nr_pr == _pid + 1 }",
    );
    // One more than there can be.
    let text = "proctype P() { false } init { byte i; do :: i < 255 -> run P(); i++ :: else -> break od }";
    let report = Interpreted::with_text("limit", text, &Options::default(), |engine| engine.report("limit", &[]));
    let property = report.expect("it runs")["properties"][0].clone();
    assert_eq!(property["violation"]["kind"], "process-limit", "{property}");
}

#[test]
fn states_and_messages_may_be_wide() {
    agree(
        "chan q = [3] of { int, int, short, byte, int, bool, int };
         chan s = [2] of { int, int, int };
         int a, b, c; short d; byte e; bool f;
         active proctype P() { byte i; do :: i < 3 -> q!i, -i, 30000 + i, 250 + i, 2147483647 - i, i, -2147483647; i++ :: else -> break od; s!!3, 2, 1; s!!3, 1, 2 }
         active proctype Q() { q?a, b, d, e, c, f, _; assert(a == -b); q??2, b, d, e, c, f, eval(-2147483647); s?[3, 1, 2]; s?3, a, _; s??3, 2, a }",
    );
    agree(
        "int big[300]; short wide[100]; byte n;
         active proctype P() { byte i; do :: n < 6 -> big[n * 50 + i % 40] = n * 1000003; wide[n * 10] = big[n * 50] % 7; n++ :: n > 0 -> assert(big[(n - 1) * 50] == (n - 1) * 1000003); break od }
         active proctype Q() { wide[99] = 5; big[299] = -1 }",
    );
}

#[test]
fn channels_may_be_sent_and_records_nested() {
    agree(
        "chan server = [1] of { chan, byte }; byte got[2];
         active [2] proctype Client() { chan mine = [1] of { byte }; chan other[2] = [0] of { byte }; server!mine, _pid; mine?got[_pid] }
         active proctype Server() { chan who; byte n; do :: server?who, n -> if :: nfull(who) -> who!n + 10 :: full(who) fi :: timeout -> break od }",
    );
    agree(
        "typedef A { bit on; byte x[3] }; typedef B { A a[2]; short s }; typedef C { B b[2]; A one };
         C c[2]; chan q = [2] of { A, byte };
         active proctype P() { A mine; byte i;
           do :: i < 2 -> c[i].b[1 - i].a[i].x[i + 1] = i + 7; c[i].one.on = 1; c[1 - i].b[i].s = c[i].b[1 - i].a[i].x[i + 1] * 3; i++ :: else -> break od;
           mine.x[2] = 9; q!mine, 1; q?c[0].one, i; assert(c[0].one.x[2] == 9 && c[1].b[0].s == 21) }
         active proctype Q() { byte j; if :: j = 0 :: j = 1 fi; c[j].b[j].a[c[j].one.on].x[c[1 - j].one.on] = 1 }",
    );
}

#[test]
fn features_that_meet_rarely_agree() {
    for text in [
        "byte n; active proctype P() priority 2 { set_priority(_pid, 5); n = get_priority(_pid); set_priority(_pid, 1); n = 9 }
         active proctype Q() priority 3 { n = get_priority(0); _priority = 7; n = _priority }",
        "byte n; active proctype P() { n = 1; Wait: n == 2 } active proctype Q() { enabled(0) -> P@Wait -> n = 2; n = 3 }",
        "byte n; active proctype P() { byte x; x = 3; Wait: n == 2 } active proctype Q() { P@Wait -> assert(P:x == 3); (enabled(0)) || n == 0 -> n = 2 }",
        "chan q = [0] of { byte }; byte n; active proctype P() { { atomic { n++; q!n; n++ }; n == 200 } unless { n == 5 -> n = 0 } }
         active [2] proctype Q() { byte x; atomic { q?x; n = n + x; n++ } }",
        "byte n, m; active proctype P() { byte i; d_step { i = 0; again: if :: i < 5 -> i++; n = n + i; goto again :: else fi; do :: n > 10 -> n = n - 3 :: else -> break od; m = n } }
         active proctype Q() { d_step { m = 1; if :: n == 77 -> m = 2 :: else fi } }",
        "hidden byte h; byte n; active [2] proctype P() { byte k; h = n; k = h + 1; n = k; { n++; h = 2; n > 100 } unless { n == 4 } }",
        "mtype = { ping, pong }; chan q = [2] of { mtype, byte }; chan r = [0] of { mtype };
         active proctype P() { xs q; q!ping(1); q!pong(2); r!pong }
         active proctype Q() { xr q; byte x; do :: q?[pong, 2] -> q?pong, x :: q??pong, eval(x + 2) -> break :: q?<ping, x> -> q?ping, _ od; r?pong }
         trace { do :: q!ping, 1 :: q!pong, _ :: q?ping, 1 :: q?pong, 2 od }",
        "chan q = [1] of { byte }; active proctype P() { byte i; do :: i < 3 -> q!i; i++ :: else -> break od }
         active proctype Q() provided (len(q) > 0 || timeout) { byte x; end: do :: q?x; assert(x < 2) od }",
        "byte n; proctype P(byte k; chan c) { byte x = k * 2; c!x + n } init { chan c = [1] of { byte }; byte y; n = run P(3, c); c?y; n = (run P(y, c)) + n; c?y; assert(y == 14 + n || _nr_pr > 1) }",
        "unsigned u : 3 = 5; bit b; short s = 32767; int i = 2147483647; active proctype P() { u++; u++; u++; b = 2; s++; i++; u = s >> 3; i = i << u; s = i / (b - 1); u = -u % 3 }",
    ] {
        agree(text);
    }
}

/// It recursed without end, in both engines.
#[test]
fn processes_that_ask_each_other_whether_they_are_enabled_fail() {
    let text = "byte n;
        active proctype P() { do :: enabled(1) -> n = 1 :: enabled(1) && n == 1 -> n = 0 od }
        active proctype Q() { do :: enabled(0) -> n = 1 :: n == 5 -> skip od }";
    let report =
        Interpreted::with_text("model", text, &Options::default(), |model| model.report("model", &["--safety"]));
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report["properties"][0]["violation"]["kind"], "enabled-self", "{report}");
}

/// The number of a channel in its array has no small bound: it was 16 bits.
#[test]
fn there_may_be_arrays_of_many_channels() {
    agree("chan q[70000] = [1] of { byte }; active proctype P() { q[69999]!1; q[69999]?1 }");
}

/// The smallest models of random ones in which the two differed.
#[test]
fn what_random_models_have_found_stays_found() {
    for text in [
        // The fault of a send that may be a rendezvous, or not, is one.
        "chan b = [1] of { byte }; chan c = [0] of { byte };
         active proctype P(chan s) { s!1 } init { run P(c); run P(b) }",
        // The end of a `for` stands where its test does.
        "chan c[2]; int i = -3; init { for (i : 1 .. len(c[1])) { skip } }",
        // An escape goes wrong, and one inside it is taken.
        "byte a[2], i = 4, x; active proctype P() { { { x = 1 } unless { x = 2 } } unless { a[i] == 1 -> x = 3 }; x = 4 }",
        // An `else` behind an option that can be taken, in a choice of choices.
        "byte x; active proctype P() { if :: x == 0 -> x = 1 :: if :: x == 5 -> x = 2 :: else -> x = 3 fi fi; x = 7 }",
        // Jumps to a jump, in and out of an `atomic`.
        "byte x; active proctype P() { if :: x == 1 -> goto L :: x == 0 -> goto L fi;
         atomic { x = 2; L: goto M; x = 3 }; M: x = 4 }",
        "byte x; active proctype P() { do :: x < 3 -> x++; goto L :: atomic { x = x; L: break } od; x = 9 }",
        // An `unless` begins with a jump out of the `atomic`.
        "byte x, y; active proctype P() { atomic { x = 1; { goto L } unless { y == 1 -> x = 6 } }; x = 2; L: x = 3 }
         active proctype Q() { y = 1 }",
        // A fault that a statement has only while `timeout` is false.
        "chan l; active proctype P() { assert(timeout || len(l) == 3) }",
        "chan q = [1] of { byte, pid }; active proctype P() { d_step { if :: timeout :: q!!(R[0]:k),1 fi } } proctype R() { pid k; skip }",
        "chan l; byte x; active proctype P() { d_step { x = 1; assert(timeout || len(l) == 3) }; x = 2 }",
        "byte x; active proctype P() { d_step { timeout -> if :: timeout -> x = 1 :: else -> x = 2 fi }; assert(x == 2) }",
    ] {
        agree(text);
    }
}
