//! Channels: aliases, sides, conditions, and what the author promises.

use super::{analyzed, check_table};
use crate::analysis::exclusive::Status;
use crate::analysis::losses::LossCause;

const RING: &str = "
chan q[4] = [4] of { byte };
byte winner;
proctype Node(byte val; chan in; chan out) {
  byte got;
  out!val;
end:
  do
  :: in?got;
     if
     :: got > val -> out!got
     :: got < val
     :: got == val -> winner++; assert(winner == 1); break
     fi
  od
}
init {
  byte k;
  atomic {
    do
    :: k < 4 -> run Node((k * 3) % 4 + 1, q[k], q[(k + 1) % 4]); k++
    :: else -> break
    od
  }
}";

#[test]
fn a_channel_handed_to_a_process_is_that_channel() {
    check_table(
        RING,
        "Node3",
        "Node3: out!val | 0 0 [out: room below 1]
         Node3: in?got | 0 0 [in: message below 1]
         Node3: got > val :: got < val :: got == val | 0 0
         Node3: out!got | 0 0 [out: room below 1]
         Node3: winner++ | 1 1
         Node3: assert(winner == 1) | 1 1
         Node3: end | 0 0",
    );
}

const SIEVE: &str = "
proctype Stage(chan in; byte p) {
  chan out = [1] of { byte };
  byte n; bool more;
  xr in;
  do
  :: in?n ->
     if
     :: n == 0 -> if :: more -> out!0 :: else fi; break
     :: n != 0 && n % p == 0
     :: n != 0 && n % p != 0 -> if :: more :: else -> run Stage(out, n); more = true fi; out!n
     fi
  od
}
init {
  chan c = [1] of { byte };
  byte n = 3;
  run Stage(c, 2);
  do :: n <= 12 -> c!n; n++ :: else -> break od;
  c!0
}";

#[test]
fn a_dynamic_process_owns_the_channel_that_it_declares() {
    check_table(
        SIEVE,
        "Stage",
        "Stage*: in?n | 0 - [in: message]
         Stage*: n == 0 :: n != 0 && n % p == 0 :: n != 0 && n % p != 0 | 0 0
         Stage*: more :: else | 0 0
         Stage*: out!0 | 0 - [out: room]
         Stage*: more :: else | 0 0
         Stage*: run Stage(out, n) | 0 0
         Stage*: more = true | 0 0
         Stage*: out!n | 0 - [out: room]
         Stage*: end | - -",
    );
    // Another stage may receive from the same channel; that it does not is the author's word, which is checked while
    // the process is there. Searches for cycles do not check it.
    let without = analyzed(&SIEVE.replace("xr in;", "")).table("Stage");
    let changed: Vec<&str> = without.lines().filter(|line| !analyzed(SIEVE).table("Stage").contains(*line)).collect();
    assert_eq!(changed, ["Stage*: in?n | - - [in: message]", "Stage*: end | 0 0"]);
}

#[test]
fn where_it_matters_that_there_is_no_message_a_send_is_not_safe() {
    let xun = |put: &str, get: &str| {
        format!("chan k = [1] of {{ bit }}; active proctype Put() {{ {put} }} active proctype Get() {{ {get} }}")
    };
    let escape = "{ assert(false) } unless { k?1 }";
    check_table(&xun("k!1", escape), "Put", "Put0: k!1 | - - [k: room]\nPut0: end | 0 0");
    let beside_else = "if :: k?1 :: else fi";
    check_table(&xun("k!1", beside_else), "Put", "Put0: k!1 | - - [k: room]\nPut0: end | 0 0");
    check_table(&xun("k!1", "nempty(k)"), "Put", "Put0: k!1 | 0 0 [k: room]\nPut0: end | 0 0");
    let table = analyzed(&xun("k!1; { assert(false) } unless { k!1 }", "bit x; k?x")).table("Get");
    assert_eq!(table.lines().next(), Some("Get1: k?x | - - [k: message]"));
    // Inside an `atomic` a receive that is not possible ends the step.
    check_table(&xun("k!1", "byte i; atomic { i = 1; k?1 }"), "Put", "Put0: k!1 | - - [k: room]\nPut0: end | 0 0");
    // In a `d_step` the first option that can be taken shuts the others.
    let d_step = "byte i; d_step { if :: nempty(k) -> i = 1 :: i == 0 fi }";
    check_table(&xun("k!1", d_step), "Put", "Put0: k!1 | - - [k: room]\nPut0: end | 0 0");
}

#[test]
fn under_fairness_a_send_may_take_away_the_excuse_of_one_receiver_but_not_of_two() {
    let model = |more: &str| {
        format!(
            "chan k = [2] of {{ bit }}; active proctype Put() {{ k!1 }} active proctype Get() {{ k?_; k?_ }}
             active proctype More() {{ {more} }}"
        )
    };
    check_table(&model("skip"), "Put", "Put0: k!1 | 0 0 [k: room]\nPut0: end | 0 0");
    check_table(&model("k?_"), "Put", "Put0: k!1 | 0 - [k: room]\nPut0: end | 0 0");
    check_table(&model("nempty(k)"), "Put", "Put0: k!1 | 0 - [k: room]\nPut0: end | 0 0");
}

#[test]
fn who_looks_at_the_whole_queue_uses_both_sides() {
    for other in ["k??2", "len(k) == 1", "empty(k)", "k?[1]", "assert(nempty(k))", "full(k)"] {
        let model = format!(
            "chan k = [3] of {{ byte }};
             active proctype Get() {{ nempty(k); {{ assert(false) }} unless {{ {other} }} }}
             active proctype Put() {{ k!1; k!2 }}"
        );
        let table = analyzed(&model).table("Put");
        assert_eq!(table.lines().next(), Some("Put1: k!1 | - - [k: room]"), "{other}");
    }
}

#[test]
fn two_uses_in_one_step_are_uses_of_both_sides() {
    let model = |put: &str| {
        format!("chan k = [2] of {{ byte }}; active proctype Put() {{ {put} }} active proctype Get() {{ byte x; k?x }}")
    };
    let first = |put: &str, who: &str| analyzed(&model(put)).table(who).lines().next().map(str::to_owned);
    assert_eq!(first("atomic { k!1; k!2 }", "Put").as_deref(), Some("Put0: k!1 | - -"));
    assert_eq!(first("atomic { k!1; k!2 }", "Get").as_deref(), Some("Get1: k?x | - - [k: message]"));
    assert_eq!(
        first("byte i; atomic { do :: i < 2 -> k!1; i++ :: else -> break od }", "Get").as_deref(),
        Some("Get1: k?x | - - [k: message]")
    );
    assert_eq!(first("byte i; atomic { i = 1; k!i }", "Put").as_deref(), Some("Put0: i = 1 | 0 0 [k: room]"));
    assert_eq!(first("byte i; atomic { i = 1; k!i }", "Get").as_deref(), Some("Get1: k?x | - - [k: message]"));
}

#[test]
fn a_channel_variable_that_others_change_is_read() {
    let model = "
chan a = [1] of { byte }; chan b = [1] of { byte }; chan c;
active proctype P() { c = a; c = b }
active proctype Q() { c!1 }";
    let table = analyzed(model).table("Q");
    assert_eq!(table.lines().next(), Some("Q1: c!1 | - -"));
}

#[test]
fn channels_travel_in_messages() {
    let model = "
chan post = [1] of { chan }; chan a = [1] of { byte }; chan b = [1] of { byte };
active proctype Give() { post!a }
active proctype Take() { chan c; post?c; c!1 }
active proctype Other() { b!1 }
active proctype Same() { a!1 }";
    check_table(model, "Other", "Other2: b!1 | 0 0\nOther2: end | 0 0");
    let table = analyzed(model).table("Same");
    assert_eq!(table.lines().next(), Some("Same3: a!1 | 1 1 [a: room below 1]"));
}

#[test]
fn a_channel_in_a_number_may_be_any() {
    let model = "
chan a[2] = [1] of { byte };
active proctype P() { byte n; chan c; n = a[0]; c = n + 1; c!1 }
active proctype Q() { a[1]!1 }
active proctype R() { skip }";
    let table = analyzed(model).table("Q");
    assert_eq!(table.lines().next(), Some("Q1: a[1]!1 | 1 1 [a[1]: room below 1]"));
    let causes =
        analyzed(model).with(|_, reduction| reduction.losses.iter().map(|loss| loss.cause.clone()).collect::<Vec<_>>());
    assert_eq!(causes, [LossCause::ChannelInNumber]);
}

#[test]
fn a_channel_that_others_hold_ends_with_its_process() {
    let held = "
chan post = [1] of { chan };
proctype Owner() { chan mine = [1] of { byte }; post!mine }
init { chan c; run Owner(); post?c; c!1 }";
    assert!(analyzed(held).table("Owner").ends_with("Owner1: end | - -"));
    // The processes that got it from `run` have ended before.
    let lent = "
proctype User(chan c) { c!1 }
proctype Owner() { chan mine = [1] of { byte }; run User(mine); mine?_ }
init { run Owner() }";
    assert!(analyzed(lent).table("Owner").ends_with("Owner1: end | 0 0"));
}

#[track_caller]
fn check_exclusive(model: &str, expected: &[&str]) {
    let model = analyzed(model);
    let found = model.with(|_, reduction| {
        let one = |it: &crate::analysis::exclusive::Exclusive| match it.status {
            Status::Proved => "proved".to_owned(),
            Status::Unproved => "unproved".to_owned(),
            Status::Refuted { by, span } => {
                format!("refuted by {}: {}", model.name(reduction, by), model.statement(span))
            }
        };
        reduction.exclusives.iter().map(one).collect::<Vec<_>>()
    });
    assert_eq!(found, expected);
}

#[test]
fn promises_are_proved_refuted_or_believed() {
    let alone = "chan k = [1] of { bit }; active proctype Put() { xs k; k!1 } active proctype Get() { xr k; k?1 }";
    check_exclusive(alone, &["proved", "proved"]);
    let two = "chan k = [1] of { bit }; active proctype Put() { xs k; k!1 } active proctype Too() { k!0 }";
    check_exclusive(two, &["refuted by Too1: k!0"]);
    check_table(two, "Put", "Put0: k!1 | - - [k: room]\nPut0: end | 0 0");
    let third = "chan k = [1] of { bit }; active proctype Put() { xs k; k!1 } active proctype Len() { len(k) == 1 }";
    check_exclusive(third, &["refuted by Len1: len(k)"]);
    let perhaps = "
chan k = [1] of { bit }; chan j = [1] of { bit };
active proctype Put() { xs k; k!1 }
active proctype Too() { chan c; if :: c = k :: c = j fi; c!0 }";
    check_exclusive(perhaps, &["unproved"]);
    check_table(perhaps, "Put", "Put0: k!1 | 0 - [k: room]\nPut0: end | - -");
    // No process is ever at the second statement of a `d_step`, so that it cannot be checked.
    let hidden = perhaps.replace("c!0", "d_step { skip; c!0 }");
    check_exclusive(&hidden, &["unproved"]);
    check_table(&hidden, "Put", "Put0: k!1 | - - [k: room]\nPut0: end | 0 0");
    // What is promised about another channel each time cannot be relied on.
    let other = perhaps.replace("xs k; k!1", "chan d = k; xs d; d!1; d = j; d!1");
    let table = analyzed(&other).table("Put");
    assert!(table.lines().any(|line| line.starts_with("Put0: d!1 | - -")) && table.ends_with("end | 0 0"), "{table}");
    check_exclusive(SIEVE, &["unproved"]);
}

/// What is looked at while the model runs, by line, and whether nothing that matters is left out.
#[track_caller]
fn check_promises(model: &str, looked_at: &[&str], is_checked: bool) {
    let model = analyzed(model);
    let (found, all_checked) = model.with(|program, reduction| {
        let mut found = Vec::new();
        for (id, transitions) in reduction.promises.uses.iter_enumerated() {
            for (transition, uses) in transitions.iter_enumerated() {
                let statement = model.statement(program.graphs[id].transitions[transition].span);
                found.extend(uses.iter().map(|it| format!("{:?} by {statement}", it.side)));
            }
        }
        let is_checked = |it: &crate::analysis::promises::Declared| reduction.promises.is_checked(it.side, &it.channel);
        (found, reduction.promises.declared.iter().all(is_checked))
    });
    assert_eq!((found, all_checked), (looked_at.iter().map(ToString::to_string).collect(), is_checked));
}

#[test]
fn what_is_not_proved_is_looked_after_at_run_time() {
    let put = "chan k = [2] of { bit }; active proctype Put() { xs k; k!1 }";
    let with = |other: &str| format!("{put} active proctype Other() {{ {other} }}");
    check_promises(put, &[], true);
    check_promises(&with("k!0"), &["Send by k!1", "Send by k!0"], true);
    check_promises(&with("k?0; len(k) == 1"), &["Send by k!1", "Send by len(k) == 1"], true);
    check_promises(&with("nfull(k) && k?[1]"), &["Send by k!1", "Send by nfull(k) && k?[1]"], false);
    // Looks at the whole queue, but does not send.
    check_promises(&with("k!0; k??1"), &["Send by k!1", "Send by k!0"], false);
    check_promises(&with("d_step { k!0; skip }"), &["Send by k!1", "Send by d_step { k!0; skip }"], true);
    check_promises(&with("d_step { skip; k!0 }"), &["Send by k!1"], false);
}

#[test]
fn a_process_with_its_own_pid_in_an_index_has_one_channel() {
    let model = "
chan line[3] = [2] of { byte };
active [2] proctype Cell() { byte x; do :: line[_pid]?x -> if :: line[_pid + 1]!x :: _pid == 5 fi od }";
    check_table(
        model,
        "Cell1",
        "Cell1: line[_pid]?x | 0 0 [line[_pid]: message]
         Cell1: line[_pid + 1]!x | 0 0",
    );
}
