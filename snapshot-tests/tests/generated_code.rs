//! What a reader of generated code sees, for six small and different models.

use pmc::codegen::GeneratedFile;
use pmc::driver::{Options, Session, on_large_stack};

fn generated(model: &str) -> Vec<GeneratedFile> {
    let model = model.trim_start().to_owned();
    let files = on_large_stack(|| {
        let mut session = Session::from_text("model.pml", model, &Options::default()).expect("a short text");
        session.generate().unwrap_or_else(|_| panic!("{:?}", session.diagnostics)).files
    });
    files.unwrap_or_else(|error| panic!("{error}"))
}

/// The files of a model one below the other, but for the tables, which are tested by what they say.
fn shown(model: &str, files: &[&str]) -> String {
    let generated = generated(model);
    let wanted = files.iter().map(|name| {
        let path = format!("src/{name}.rs");
        let file = generated.iter().find(|file| file.path == path);
        let file = file.unwrap_or_else(|| panic!("there is no {path} among {:?}", paths(&generated)));
        // What the statements mean is for the runtime to read.
        let text = file.text.split("\n/// What the statements mean").next().unwrap_or_default();
        format!("==> {path} <==\n{text}")
    });
    wanted.collect::<Vec<_>>().join("\n")
}

fn paths(files: &[GeneratedFile]) -> Vec<&str> {
    files.iter().map(|file| &*file.path).collect()
}

#[test]
fn turns() {
    let model = "
// Whose turn it is.
byte turn;
byte critical;

/* Enters when it is its turn. */
active [2] proctype worker() {
  do
  :: turn == _pid ->
       critical++;
       assert(critical == 1);
       critical--;
       turn = 1 - _pid
  od
}
";
    insta::assert_snapshot!(shown(model, &["lib", "model", "state", "worker", "tables"]));
}

#[test]
fn rendezvous_and_escape() {
    let model = "
mtype = { data, ack };
chan link = [0] of { mtype, bit };
chan back = [2] of { mtype, byte };
byte delivered;

proctype Sender(chan out; byte n) {
  bit seq;
  do
  :: n > 0 ->
    out!data(seq);
    if
    :: back?ack,eval(seq) -> seq = 1 - seq; n--
    :: timeout -> skip
    fi
  :: else -> break
  od
}

proctype Receiver() {
  mtype kind; bit seq;
end:
  do
  :: link?kind(seq) ->
    { back!ack,seq } unless { len(back) == 2 -> printf(\"full %d, %e\\n\", delivered, kind) }
  od
}

init { atomic { run Sender(link, 2); run Receiver() } }
";
    insta::assert_snapshot!(shown(model, &["state", "channels", "sender", "receiver", "init"]));
}

#[test]
fn records_arrays_and_arithmetic() {
    let model = "
typedef Point { short x; byte tag[3] };
typedef Line { Point ends[2]; unsigned width : 5 };
Line line;
int total; byte i; bool flags[4] = { 1, 0 };

active proctype p() {
  int far = -3;
  line.ends[1].x = far * 2;
  line.ends[i].tag[2] = line.ends[1].x + 300;
  line.width = total / (i + 1);
  total = total + far << 2;
  flags[i % 4] = !(total > 3 && line.width <= 7 || i == 0);
  i = (far < 0 -> i + 1 : 0)
}
";
    insta::assert_snapshot!(shown(model, &["state", "p"]));
}

#[test]
fn channels_of_processes() {
    let model = "
chan wire = [1] of { chan, byte };
chan pool[2] = [1] of { byte };

proctype client(byte n) {
  chan mine = [1] of { byte };
  byte answer;
  wire!mine,n;
  mine?answer;
  pool[n % 2]!!answer
}

active proctype server() {
  chan to; byte n;
end:
  do
  :: wire?to,n -> to!n + 1
  :: pool[0]??7 -> skip
  od
}

init { byte k; do :: k < 3 -> run client(k); k++ :: break od }
";
    insta::assert_snapshot!(shown(model, &["state", "channels", "client", "server"]));
}

#[test]
fn d_step() {
    let model = "
byte x, y;
active proctype p() {
  do
  :: d_step {
       x < 3 -> x++;
       if
       :: y > 0 -> y = y - 1
       :: x == 2 -> y = 4; assert(y == 4)
       :: else
       fi;
       do :: y < 9 -> y++ :: y >= 9 -> break od
     }
  :: else -> break
  od
}
";
    insta::assert_snapshot!(shown(model, &["p"]));
}

#[test]
fn looking_at_other_processes() {
    let model = "
hidden byte scratch;
byte n;
proctype low() priority 2 { byte mine; mine = 1; there: n++ }
proctype high() provided (n < 3) {
  low@there && low:mine == 1;
  scratch = _last + _nr_pr + pc_value(_pid);
  set_priority(1, 5);
  _priority = get_priority(0)
}
init { atomic { run low(); run high() priority 7 } }
";
    insta::assert_snapshot!(shown(model, &["model", "state", "low", "high"]));
}

#[test]
fn a_formula_and_a_never_claim() {
    let model = "
#define granted (owner != 0)
byte owner, wanted[3];

active [2] proctype client() {
  do
  :: wanted[_pid] = 1;
     atomic { owner == 0 -> owner = _pid + 1 };
inside:
     wanted[_pid] = 0;
     owner = 0
  od
}

// Who wants to get in gets in.
ltl served { [] (wanted[0] == 1 -> <> client[0]@inside) }
ltl bounds { [] (owner < 3 && wanted[owner] <= 1) }

/* Nobody is let in who did not ask. */
never unasked {
  byte n;
  do
  :: granted && client[0]@inside -> break
  :: d_step { wanted[1] == 1 -> n = n + 1; assert(n < 9) }
  :: else
  od;
accept:
  do
  :: atomic { owner > 0 -> wanted[0] == 0 } :: timeout -> goto accept
  od
}
";
    insta::assert_snapshot!(shown(model, &["model", "served", "bounds", "unasked", "tables"]));
}

#[test]
fn a_trace() {
    let model = "
mtype = { data, ack };
chan out = [1] of { mtype, byte };
chan back = [0] of { mtype };

active proctype sender() { byte n; do :: out!data(n) -> back?ack; n = 1 - n od }
active proctype receiver() { byte n; do :: out?data(n) -> back!ack od }

trace {
end:
  do
  :: out!data(_) -> back!ack
  od
}
";
    insta::assert_snapshot!(shown(model, &["trace", "sender", "receiver"]));
}

#[test]
fn names_of_mtypes() {
    let model = "
mtype = { go, stop };
mtype:fruit = { apple, pear };
typedef Basket { mtype:fruit best = pear; byte size };
mtype light = stop;
mtype:fruit eaten[2] = apple;
Basket basket;
chan orders = [1] of { mtype:fruit, short };

active proctype eater() {
  do
  :: light == go -> orders!apple,pear
  :: orders?pear,_ -> eaten[1] = (light == stop -> basket.best : apple)
  :: orders?[apple] -> light = stop
  :: light != go -> light = go; printf(\"%e\\n\", light)
  od
}
";
    insta::assert_snapshot!(shown(model, &["mtype", "state", "eater"]));
}

#[test]
fn timers() {
    let model = "
typedef Link { timer retry[2]; byte sent };
timer watch = 3;
Link links[2];

active [2] proctype sender() {
  timer pause;
  set(links[_pid].retry[1], _pid - 1);
  delay(pause, 2);
  if :: expire(watch) -> reset(watch) :: !on(links[_pid].retry[1]) fi
}
";
    insta::assert_snapshot!(shown(model, &["model", "sender"]));
}

#[test]
fn promises_that_are_checked() {
    let model = "
chan q[2] = [1] of { byte };
chan wire = [0] of { byte };
proctype Node(chan in; chan out) { xr in; xs out; byte v; out!1; in?v; wire!v }
proctype Spy(chan c) { xr wire; byte v; if :: c?v :: len(q[1]) > 0 :: wire?v fi }
init { atomic { run Node(q[0], q[1]); run Node(q[1], q[0]); run Spy(q[0]); run Spy(q[1]) } }
";
    insta::assert_snapshot!(shown(model, &["promises", "spy"]));
}
