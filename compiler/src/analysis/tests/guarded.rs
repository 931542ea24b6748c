//! Channel operations behind the question whether they are possible, in one step.

use super::{analyzed, check_table};

/// A process that sends, and one that does this again and again.
fn model(receiver: &str) -> String {
    format!(
        "chan c = [2] of {{ byte }}; chan d = [2] of {{ byte }}; chan r = [0] of {{ byte }}; byte g;
active proctype Put() {{ do :: c!1 od }}
active proctype Get() {{ byte x; chan v = c; do :: {receiver} od }}
active proctype Flip() {{ do :: g = 1 - g od }}"
    )
}

/// Whether the send is safe while there is room, whatever else happens.
fn send_is_safe(receiver: &str) -> bool {
    let table = analyzed(&model(receiver)).table("Put");
    table.lines().next().is_some_and(|line| line == "Put0: c!1 | 0 0 [c: room]")
}

#[test]
fn question_and_receive_are_one_use_of_one_side() {
    check_table(
        &model("atomic { nempty(c) -> x = 0; c?x; x = x / 2 }"),
        "Get",
        "Get1: nempty(c) | 0 0 [c: message]
         Get1: x = 0 | 0 0
         Get1: c?x | 0 0 [c: message]
         Get1: x = x / 2 | 0 0",
    );
    check_table(
        "chan c = [2] of { byte };
active proctype Put() { byte i; do :: atomic { i < 3 && nfull(c) -> c!i; i++ } od }
active proctype Get() { do :: c?_ od }",
        "",
        "Put0: i < 3 && nfull(c) | 0 0 [c: room]
         Put0: c!i | 0 0 [c: room]
         Put0: i++ | 0 0
         Get1: c?_ | 0 0 [c: message]",
    );
}

#[test]
fn whatever_asks_for_the_message() {
    for receiver in [
        "atomic { nempty(c) -> c?x }",
        "atomic { g == 0 && nempty(c) && x < 3 -> c?x }",
        "atomic { nempty(c) -> if :: x > 0 -> x = 0 :: else -> c?x fi }",
        "atomic { nempty(c) -> c?x; do :: x > 0 -> x-- :: else -> break od }",
        "atomic { nempty(c) && nempty(d) -> d?x; c?x }",
    ] {
        assert!(send_is_safe(receiver), "{receiver}");
    }
}

/// Both sides of a pump are as good as a receive and a send.
#[test]
fn nobody_waits_between_what_was_asked_for_together() {
    let pump = |pump: &str| {
        let text = format!(
            "chan c = [2] of {{ byte }}; chan d = [2] of {{ byte }};
active proctype Put() {{ do :: c!1 od }}
active proctype Pump() {{ byte x, a[2]; do :: {pump} od }}
active proctype Get() {{ do :: d?_ od }}"
        );
        let table = analyzed(&text).table("Get");
        table == "Get2: d?_ | 0 0 [d: message]"
    };
    assert!(pump("atomic { nempty(c) && nfull(d) -> c?x; x = 1; d!x }"));
    // Here control may rest in between, since what was not asked for is not there, an index is out of bounds, ...
    assert!(!pump("atomic { nfull(d) -> c?x; d!x }"));
    assert!(!pump("atomic { nempty(c) && nfull(d) -> c?x; a[x] = 1; d!x }"));
    assert!(!pump("atomic { nempty(c) && nfull(d) -> c?a[x]; d!x }"));
    // ... or one comes there in another way.
    assert!(!pump("if :: x > 0 -> goto there :: else fi; atomic { nempty(c) && nfull(d) -> there: c?x; d!x }"));
}

#[test]
fn what_may_still_block() {
    for receiver in [
        // Nothing was asked, or something else, or it need not be true.
        "atomic { x = 1; c?x }",
        "atomic { nempty(d) -> c?x }",
        "atomic { nfull(c) -> c?x }",
        "atomic { len(c) > 0 -> c?x }",
        "atomic { nempty(c) || g == 1 -> c?x }",
        "atomic { if :: nempty(c) :: g == 1 fi; c?x }",
        "atomic { if :: nempty(c) :: else fi; c?x }",
        // It is another message, or a second one.
        "atomic { nempty(c) -> c?1 }",
        "atomic { nempty(c) -> c?eval(x) }",
        "atomic { nempty(c) -> c??1 }",
        "atomic { nempty(c) -> c?x; c?x }",
        "atomic { nempty(c) -> do :: c?x :: x > 0 -> break od }",
        // Only one of the two is executed, but that is not looked into.
        "atomic { nempty(c) -> if :: x > 0 -> c?x :: else -> c?_ fi }",
        // It may be another channel.
        "atomic { nempty(v) -> v = d; c?x }",
        "v = d; atomic { nempty(v) -> v = c; v?x }",
        // Others move in between.
        "atomic { nempty(c) -> r!1; c?x }",
        "atomic { nempty(c) -> g == 1; c?x }",
    ] {
        assert!(!send_is_safe(receiver), "{receiver}");
    }
}
