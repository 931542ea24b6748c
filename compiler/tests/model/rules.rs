//! What a statement or a declaration may not do.

use super::{Severity, check_diagnostics, resolve, shown};

#[test]
fn jumps_stay_within_a_d_step_or_outside() {
    check_diagnostics(
        r#"
byte x;
active proctype P() {
    goto in;
  //^^^^^^^ error: this jump leads into a `d_step`
    d_step { x = 1; in: x = 2; goto out; x = 3 };
                             //^^^^^^^^ error: this jump leads out of a `d_step`
out: x = 4;
    do :: d_step { x = 5; break } od;
                        //^^^^^ error: this `break` leaves a `d_step`, which must run to its end
    goto nowhere
       //^^^^^^^ error: there is no label `nowhere` in this process
}
"#,
    );
}

#[test]
fn a_label_stands_in_front_of_a_block() {
    check_diagnostics(
        r#"
byte x;
inline f() { L: x++; x-- }
           //^ error: label `L` stands on the first statement of an inline
active proctype P() {
    atomic { M: x++; x-- };
           //^ error: label `M` stands on the first statement of an `atomic`
    f(); goto M; goto L
}
"#,
    );
}

#[test]
fn each_call_of_an_inline_has_its_own_labels() {
    check_diagnostics(
        r#"
byte x;
inline f() { x--; L: x++; if :: x < 3 -> goto L :: else fi }
active proctype P() { f(); f(); M: x = 1; M: x = 2; goto M }
                                        //^ error: label `M` is declared twice
"#,
    );
}

#[test]
fn else_begins_an_option_once() {
    check_diagnostics(
        r#"
byte x;
init {
    else;
  //^^^^ error: `else` can only be the first statement of an option
    if :: x == 0 -> else; x = 1 fi;
                  //^^^^ error: `else` can only be the first statement of an option
    if :: x == 1 :: else -> x = 2 :: else -> x = 3 fi;
                                   //^^^^ error: there are two `else` options
    if :: x == 1 :: atomic { else -> x = 2 } fi;
    break
  //^^^^^ error: `break` outside of a loop
}
"#,
    );
}

#[test]
fn run_stands_alone_or_in_an_assignment() {
    check_diagnostics(
        r#"
byte x; chan q = [1] of { byte };
proctype P() { skip }
active proctype Q() provided (run P()) { skip }
                            //^^^^^^^ error: `run` cannot be used in a `provided` clause
init {
    byte p = run P();
           //^^^^^^^ error: `run` cannot be used in the initial value of a variable
    run P(); x = run P();
    x = run P() + run P();
  //^^^^^^^^^^^^^^^^^^^^^ error: a statement can start only one process
    run P() > 0;
  //^^^^^^^ error: `run` cannot be used in a condition with other parts
    q!run P();
    //^^^^^^^ error: `run` cannot be used in a message
    d_step { x = 1; x = run P() }
                      //^^^^^^^ error: `run` cannot be used in a `d_step`
}
"#,
    );
}

#[test]
fn claims_only_watch() {
    check_diagnostics(
        r#"
byte x; chan q = [1] of { byte };
proctype P() { q?x }
init { q!1; run P() }
never {
    q?1;
  //^^^ error: a claim cannot send or receive
    run P();
  //^^^^^^^ error: `run` cannot be used in a claim
    q?[1] && np_
}
"#,
    );
}

#[test]
fn traces_consist_of_events() {
    check_diagnostics(
        r#"
byte x; chan q = [1] of { byte };
init { q!1; q?x }
trace {
    do :: q!1; q?_; q!x; q?eval(x) :: x = 1 od
                                    //^^^^^ error: only sends and receives can stand in a trace
}
"#,
    );
    check_diagnostics(
        r#"
byte x; chan q[2] = [1] of { byte };
init { q[0]!1; q[1]!1; q[x]?x }
trace {
    do
    :: q[0]!1; q[1]?1
    :: q[x]!1
       //^ error: a trace watches fixed channels: this index must be a constant
    :: x == 1; q[0]?1
     //^^^^^^ error: only sends and receives can stand in a trace
    :: else
     //^^^^ error: only sends and receives can stand in a trace
    :: atomic { q[1]!2 }
     //^^^^^^^^^^^^^^^^^ error: only sends and receives can stand in a trace
    od
}
"#,
    );
}

#[test]
fn a_claim_is_no_process() {
    check_diagnostics(
        r#"
byte x;
init { x = 1 }
never {
    chan c = [1] of { byte };
           //^^^^^^^^^^^^^^^ error: a claim cannot have channels: it can neither send nor receive
    x == 1
}
"#,
    );
    check_diagnostics(
        r#"
byte x;
init { x = 1 }
never { _priority == 1 && get_priority(0) == 1 }
      //^^^^^^^^^ error: `_priority` is that of a process, and this is none
ltl { [] (_priority < 3) }
        //^^^^^^^^^ error: `_priority` is that of a process, and this is none
"#,
    );
}

#[test]
fn formulas_have_names_of_their_own() {
    check_diagnostics(
        r#"
byte x; chan q = [1] of { byte };
init { q!1; q?x }
ltl p { [] (x < 3 -> <> (len(q) == 0)) }
ltl p { <> (x == 1) }
  //^ error: there are two claims named `p`
ltl { <> (y == 1) }
        //^ error: no variable `y` in scope
"#,
    );
}

#[test]
fn ranges_are_not_empty() {
    check_diagnostics(
        r#"
byte i;
init {
    for (i : 5 .. 2) { skip };
       //^^^^^^^^^^ error: the range 5 .. 2 is empty
    select (i : 5 .. 2)
          //^^^^^^^^^^ error: the range 5 .. 2 is empty
}
"#,
    );
}

#[test]
fn return_belongs_to_an_assignment_from_an_inline() {
    check_diagnostics(
        r#"
byte r;
inline f(a) { return a }
            //^^^^^^^^ error: the value of this inline is not asked for
init { r = f(1); f(2); return 3 }
                     //^^^^^^^^ error: `return` can only be used in an inline
"#,
    );
}

#[test]
fn channels_are_created_at_the_head() {
    check_diagnostics(
        r#"
byte x;
init { x = 1; chan q = [1] of { byte }; q!1 }
            //^^^^^^^^^^^^^^^^^^^^^^^^ error: the channel `q` is created behind a statement
"#,
    );
}

#[test]
fn there_is_something_to_run() {
    let text = "proctype P() { skip }\nactive [0] proctype Q() { skip }\n";
    let found = resolve(text, |session, _| shown(&session.sources, &session.diagnostics, Severity::Error));
    assert_eq!(found, ["3:1-1 error: the model has no process to run"]);
}
