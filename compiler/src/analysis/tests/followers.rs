//! Rendezvous followers, escapes and `else`: the models of which Spin loses the violation.

use super::{analyzed, check_table};

const GUARDED: &str = "active proctype Guarded() { { assert(false) } unless { k!1 } }";

/// The first location of `Late` is a follower, and so not safe; all its followers by line of their receive.
#[track_caller]
fn check_follower(late: &str, guarded: &str, statement: &str) {
    let model = analyzed(&format!("chan k = [0] of {{ bit }};\nactive proctype Late() {{ {late} }}\n{guarded}"));
    let found = model.with(|program, reduction| {
        let followers = reduction.uses.followers.iter().filter(|follower| {
            let actor = &reduction.actors.list[follower.actor];
            *model.model.proctypes[actor.proctype].name == *"Late"
                && reduction.location(follower.actor, program.graphs[actor.proctype].start).plain != 0
        });
        let texts = followers.map(|follower| {
            let graph = &program.graphs[reduction.actors.list[follower.actor].proctype];
            let (begins, receives) = (graph.transitions[follower.transition].span, follower.receive);
            format!("{} -> {}", model.statement(begins), model.statement(receives))
        });
        texts.collect::<Vec<_>>()
    });
    assert_eq!(found.first().map(String::as_str), Some(statement), "{found:?}");
}

#[test]
fn a_local_step_to_a_receive_is_a_follower_however_it_gets_there() {
    for (late, statement) in [
        ("byte i; i = 1; k?1", "i = 1 -> k?1"),
        ("byte i; i = 1; goto far; i = 7; far: k?1", "i = 1 -> k?1"),
        ("byte i; do :: i = 1; break od; k?1", "i = 1 -> k?1"),
        ("byte i; goto mid; do :: k?1; mid: i = 1 od", "i = 1 -> k?1"),
        ("byte i; i = 1; if :: k?1 :: i == 5 -> i = 2 fi", "i = 1 -> k?1"),
        ("byte i; i = 1; { false } unless { k?1 }", "i = 1 -> k?1"),
        ("byte i; atomic { i = 1; i = 2 }; k?1", "i = 1 -> k?1"),
        ("byte i; d_step { i = 1; i = 2 }; k?1", "d_step { i = 1; i = 2 } -> k?1"),
        ("byte i; atomic { i = 1; k?1 }", "i = 1 -> k?1"),
    ] {
        check_follower(late, GUARDED, statement);
        check_follower(late, "active proctype Guarded() { if :: k!1 :: else -> assert(false) fi }", statement);
        // A sequence that rests where the send is not possible tests it, too.
        check_follower(late, "byte g; active proctype Guarded() { atomic { g = 1; k!1 }; g = 2 }", statement);
    }
}

#[test]
fn a_channel_that_is_a_parameter_makes_followers() {
    let model = "
chan k = [0] of { bit };
proctype Late(chan c) { byte i; i = 1; c?1 }
proctype Guarded(chan c) { { assert(false) } unless { c!1 } }
init { atomic { run Late(k); run Guarded(k) } }";
    check_table(model, "Late", "Late1: i = 1 | 1 1\nLate1: c?1 | 1 1\nLate1: end | 0 0");
}

#[test]
fn a_step_to_a_send_is_none() {
    let model = "
chan k = [0] of { bit };
active proctype Late() { byte i; i = 1; k!1 }
active proctype Guarded() { { assert(false) } unless { k?1 } }";
    check_table(model, "Late", "Late0: i = 1 | 0 0\nLate0: k!1 | - -\nLate0: end | 0 0");
}

#[test]
fn a_send_that_nobody_tests_counts_under_fairness_only() {
    let model = "
chan k = [0] of { bit };
bool hit;
active proctype A() { do :: k!0 od }
active proctype B() { do :: k!1; hit = true od }
active proctype C() { bit x; do :: k?x; x = 0 od }";
    check_table(
        model,
        "",
        "A0: k!0 | - -
         B1: k!1 | - -
         B1: hit = true | 0 0
         C2: k?x | - -
         C2: x = 0 | 0 -",
    );
}

#[test]
fn a_process_that_starts_ready_makes_its_start_a_follower() {
    let model = "
chan k = [0] of { bit };
proctype Late() { k?1 }
active proctype Guarded() { { assert(false) } unless { k!1 } }
init { run Late(); skip }";
    check_table(model, "init", "init1: run Late() | 1 1\ninit1: skip | 0 0\ninit1: end | 0 0");
}

#[test]
fn every_way_out_of_a_location_counts() {
    let model = "
byte g, y;
active proctype Pick() { byte x; if :: x = 1 :: g == 1 -> y = 2 fi }
active proctype Open() { g = 1 }
active proctype Watch() { assert(y != 2) }";
    let table = analyzed(model).table("Pick");
    assert_eq!(table.lines().next(), Some("Pick0: x = 1 :: g == 1 | 1 1"));
}
