//! What is allowed, and most likely a mistake.

use super::{check_diagnostics, check_silence};

#[test]
fn what_nothing_uses() {
    check_diagnostics(
        r#"
byte used, idle;
         //^^^^ warning: variable `idle` is never used
chan q = [1] of { byte };
   //^ warning: channel `q` is never used
proctype P() { used = 1 }
       //^ warning: proctype `P` is never run
active proctype Q(byte p) { byte _mine; used = 2 }
                     //^ warning: parameter `p` is never used
"#,
    );
}

#[test]
fn channels_with_one_end() {
    check_diagnostics(
        r#"
chan out = [1] of { byte };
   //^^^ warning: channel `out` is sent to but never received from
chan inp = [1] of { byte };
   //^^^ warning: channel `inp` is received from but never sent to
init { byte x; inp?x; out!x }
"#,
    );
}

#[test]
fn polls_that_cannot_succeed() {
    check_diagnostics(
        r#"
chan c = [0] of { byte };
chan d = [1] of { byte };
active proctype P() { byte x; c?x; d?x; !d?[1] -> skip; !c?[1] -> skip }
                                                       //^^^^^ warning: `c` is a rendezvous channel, which never holds a message: to poll it is a fault
active proctype Q() { c!1; d!1 }
"#,
    );
}

#[test]
fn an_escape_inside_a_d_step() {
    check_diagnostics(
        r#"
byte x;
active proctype P() { d_step { x++; { x = 1; x = 2 } unless { x == 1 } } }
                                  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: an `unless` inside a `d_step`
"#,
    );
}

#[test]
fn what_stands_behind_a_jump() {
    check_diagnostics(
        r#"
byte x;
active proctype P() {
L:  x = 1;
    if :: x == 1 -> goto L :: else -> goto M fi;
    x = 2;
  //^^^^^ warning: this statement can never be reached
M:  do :: x < 3 -> x++ :: x == 3 -> x = 0 od;
    assert(x == 0)
  //^^^^^^^^^^^^^^ warning: this statement can never be reached
}
"#,
    );
}

#[test]
fn loops_that_end_are_left() {
    check_silence(
        r#"
byte x, i;
active proctype P() {
    do :: x < 3 -> x++ :: else -> break od;
    for (i : 1 .. 3) { if :: x == i -> break :: else -> goto out fi };
    do :: { x == 1 -> break } unless { x == 2 } od;
    x = 2;
out: x = 3
}
"#,
    );
}

#[test]
fn options_beside_else() {
    check_diagnostics(
        r#"
byte x; chan c = [0] of { byte };
active proctype P() {
    if :: x = 1 -> x = 2 :: else -> x = 3 fi;
        //^^^^^ warning: this assigns, and can always be taken; a comparison was probably meant
                          //^^^^ warning: this `else` can never be taken
    do :: x > 1 -> x-- :: timeout -> break :: else -> skip od;
                        //^^^^^^^ warning: this `timeout` can never be taken: `else` comes before it
    if :: c?x :: else -> skip fi
               //^^^^ warning: `else` beside a rendezvous depends on what other processes wait for
}
active proctype Q() { c!1 }
"#,
    );
}

#[test]
fn labels_that_look_special() {
    check_diagnostics(
        r#"
byte x;
active proctype P() {
accept_it: x = 1;
progress1: x = 2;
ended: x = 3;
send: x = 4;
   goto send
}
active proctype Q() {
    do
    :: x == 1 -> x = 2;
   acept: x = 3
 //^^^^^ warning: label `acept` has no special meaning; did you mean `accept`?
    :: x == 2 -> x = 1;
   progess_one: x = 4
 //^^^^^^^^^^^ warning: label `progess_one` has no special meaning; did you mean `progress`?
    :: else -> break
    od
}
"#,
    );
}

#[test]
fn words_that_spin_can_not_compile() {
    check_diagnostics(
        r#"
byte while, depth;
   //^^^^^ warning: Spin cannot compile a model with a variable `while`: it is a word of C
          //^^^^^ warning: Spin cannot compile a model with a variable `depth`: its verifier uses that name
init { depth = 1; while = 2 }
"#,
    );
}

#[test]
fn formats_and_their_arguments() {
    check_diagnostics(
        r#"
mtype = { red };
init {
    printf("%d %e%%\n", 1, red);
    printf("%d %d\n", 1)
  //^^^^^^^^^^^^^^^^^^^^ warning: the format asks for 2 but there is 1 argument
}
"#,
    );
}
