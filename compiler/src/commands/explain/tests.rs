use super::*;
use crate::driver::Options;

fn explanation(model: &str) -> Explanation {
    let mut session = Session::from_text("model.pml", model.to_owned(), &Options::default()).expect("a small model");
    let model = session.resolve_simplified().expect("a good model");
    let analysed = session.analyse(&model).expect("small formulas");
    explain(&session, &analysed)
}

#[test]
fn a_state_is_told_field_by_field() {
    let model = "\
mtype = { data };
hidden byte note;
bool ready[2] = 1;
byte steps, limit = 4;
chan link = [2] of { mtype, byte };
active proctype sender() { ready[1]; link!data(limit - 3); ready[0] = len(link) }
active [2] proctype receiver() { byte got; link?data(got); note = got; ready[got] = 1; steps++ }
";
    let expected = "\
model.pml

Processes: 3 at most
  proctype  started  locations  transitions
  sender          1          4            4  line 6
  receiver        2          5            5  line 7

State: 23 bits at most, stored in 8 bytes
  fixed: there are never more than 3 processes
      at   bits
       2      4  ready                bool[2]
       6      4  link                 [2] of { mtype, byte }
       0      2  number of processes
  each sender: 3 bits
       0      2  location
  each receiver: 5 bits
       0      3  location
       3      1  got                  byte
  not stored: the variable note, since nothing depends on it
  not stored: the variable steps, since nothing depends on it
  not stored: the variable limit, since it never changes
  not stored: the variable link, since it always denotes the same channel

Ranges
  ready[]          0 to 2, 2 bits
  got of receiver  0 to 1, 1 bit
  link, field 1    always 1, 0 bits
  link, field 2    always 1, 0 bits

Channels
  link: [2] of { mtype, byte }  line 5
    sent to by sender (6)
    received from by receiver (7)
    asked by sender (6)
";
    let text = human::text(&explanation(model));
    assert_eq!(text.split("\nSafe statements").next(), Some(expected));
    let simplified = "\nSimplified\n  receiver: got is 0 at line 7, where nothing reads it again\n";
    assert!(text.ends_with(simplified), "{text}");
}

#[test]
fn what_makes_a_range_wide_is_told() {
    let model = "\
typedef point { byte x; short y }
byte ticks, turn, copy;
point at;
chan link = [1] of { byte };
active proctype clock() {
  do
  :: ticks++
  :: turn = (turn + 1) % 3
  :: at.x < 9 -> at.x++
  :: at.x > 0 -> at.y = at.y - at.x; at.x = 0
  :: link!ticks
  od
}
active proctype reader() { do :: link?copy :: copy == ticks + turn + at.y -> copy = 0 od }
";
    let text = human::text(&explanation(model));
    let ranges = text.split("\nRanges\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let expected = "  \
  ticks          0 to 255, 8 bits
    since nothing bounds `ticks++` (line 7): it stores 1 to 256, more than a byte holds
  turn           0 to 2, 2 bits
  copy           0 to 255, 8 bits
    since `link?copy` (line 14) stores 0 to 255
  at.x           0 to 9, 4 bits
  at.y           -32768 to 32767, 16 bits
    grows without bound: nothing limits `at.y = at.y - at.x` (line 10)
  link, field 1  0 to 255, 8 bits
    since `link!ticks` (line 11) stores 0 to 255";
    assert_eq!(ranges, Some(expected));
}

/// The output about reductions.
fn reduction(model: &str) -> String {
    let text = human::text(&explanation(model));
    text.find("Safe statements").map(|start| text[start..].to_owned()).unwrap_or_default()
}

#[test]
fn channels_on_a_ring_are_used_by_two_alone() {
    insta::assert_snapshot!(reduction(
        "\
chan q[3] = [3] of { byte };
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
    :: k < 3 -> run Node((k * 2) % 3 + 1, q[k], q[(k + 1) % 3]); k++
    :: else -> break
    od
  }
}"
    ));
}

#[test]
fn dynamic_processes_with_promises_are_explained() {
    insta::assert_snapshot!(reduction(
        "\
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
}"
    ));
}

#[test]
fn followers_and_claims_are_explained() {
    insta::assert_snapshot!(reduction(
        "\
chan k = [0] of { bit };
byte g;
active proctype Late() {
  byte i;
  i = 1;
  k?1
}
active proctype Guarded() {
  { assert(false) } unless { k!1 };
  g = 1
}
active proctype Other() {
  byte j;
  j = 1;
here: j = 2
}
ltl p { [] !(g == 1 && Other@here) }
never { g == 0; g == 1 }"
    ));
}

#[test]
fn clusters_and_advice_are_given() {
    insta::assert_snapshot!(reduction(
        "\
byte a, b, limit;
active proctype Left() {
  a = 1;
  a = 2;
  limit > 0
}
active proctype Right() {
  a == 2;
  b = 1
}
active proctype Third() {
  b = 2;
  b = 3;
  limit > 1
}
active proctype Fourth() {
  limit = 5
}"
    ));
}

#[test]
fn what_is_lost_is_told() {
    insta::assert_snapshot!(reduction(
        "\
chan q[2] = [1] of { byte };
chan r = [1] of { byte };
active proctype P() priority 2 {
  byte n;
  chan c;
  xs r;
  n = q[0];
  c = n + 1;
  c!1;
  r!1;
  timeout
}
active proctype Q() {
  r!2;
  assert(_nr_pr == 2)
}"
    ));
}

#[test]
fn what_is_merged_and_reset_is_told() {
    let model = "\
byte g;
chan link = [0] of { byte };
active proctype p() {
  byte x, y;
  g = 1;
  x = 2;
  y = x;
  g == y;
  x = 0;
  link?x;
  g = x
}
";
    let text = human::text(&explanation(model));
    let expected = "
Simplified
  p: line 6 happens with line 5
  p: line 7 happens with line 6
  p: line 9 is a step of its own: a rendezvous may be received behind it
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("  p: y is 0 at lines 5, 9, 10, 11, 12, where nothing reads it again"), "{text}");
    let counting = human::text(&explanation(&format!("{model}ltl {{ [] X (g < 9) }}")));
    assert!(counting.contains("no steps are merged, since a formula with X counts steps"), "{counting}");
}

#[track_caller]
fn check_why(model: &str, bound: Option<u32>, why: &str) {
    let explanation = explanation(model);
    assert_eq!((explanation.processes.bound, explanation.state.why.as_str()), (bound, why));
    assert_eq!(explanation.state.fixed, explanation.state.bits.is_some());
}

#[test]
fn the_reason_for_a_growing_state_is_given() {
    check_why("init { skip }", Some(1), "there is never more than one process");
    let ring = "proctype a() { run b() } proctype b() { run a() } init { run a() }";
    check_why(ring, None, "no bound is known for how often `a`, `b` can be started");
    let twice = "proctype a() { skip } init { run a(); run a() }";
    check_why(twice, Some(3), "there are never more than 3 processes");
    let known = "active [40] proctype a() { skip }";
    check_why(known, Some(40), "there are never more than 40 processes");
    let many = "proctype a() { skip } active [9] proctype b() { run a(); run a(); run a() }";
    check_why(many, None, "there can be 36 processes, and room is kept for 32 at most");
    let many_and_wide = "active [40] proctype a() { int x[9]; do :: x[0]++ :: x[x[1] % 9] = x[2] od }";
    check_why(many_and_wide, None, "the widest state would take more than 4096 bits");
    check_why(
        "int wide[200]; init { do :: wide[0]++ :: wide[1] > 0 -> break od }",
        Some(1),
        "the widest state would take more than 4096 bits",
    );
}

#[test]
fn what_is_sent_through_a_parameter_is_found() {
    let model = "proctype p(chan to) { to!1 } init { chan a = [1] of { byte }; run p(a); a?_ }";
    let channels = explanation(model).channels;
    let by = |uses: &[channels::ChannelUser]| uses.iter().map(|found| found.by.clone()).collect::<Vec<_>>();
    assert_eq!(by(&channels[0].senders), [Some("p".to_owned())]);
    assert_eq!(by(&channels[0].receivers), [Some("init".to_owned())]);
}

#[test]
fn the_fields_fill_the_state() {
    let state = explanation("byte a; bit b; active [3] proctype p() { short c; c = a + b }").state;
    let own: u64 = state.fields.iter().map(|field| field.size).sum();
    assert_eq!(Some(own + 3 * state.processes[0].size), state.bits);
    assert_eq!(state.processes[0].fields.iter().map(|field| field.size).sum::<u64>(), state.processes[0].size);
}

#[test]
fn json_has_the_same_facts() {
    let json = serde_json::to_value(explanation("byte x; init { x = 1; x > 0 }")).expect("plain data");
    assert_eq!((&json["schema"], &json["state"]["fields"][0]["name"]), (&"pmc-explain/1".into(), &"x".into()));
    // The number of processes comes before it.
    assert_eq!(
        (&json["state"]["fields"][0]["type"], &json["state"]["fields"][0]["offset"]),
        (&"byte".into(), &1.into())
    );
    assert_eq!(json["channels"], serde_json::json!([]));
}
