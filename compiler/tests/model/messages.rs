//! Sends and receives: how many fields, of which types.

use super::{check_diagnostics, check_silence};

#[test]
fn a_send_has_as_many_fields_as_the_channel() {
    check_diagnostics(
        r#"
chan c = [1] of { bit };
init { c!1,0 }
     //^^^^^ error: this send has 2 fields, but `c` carries 1
"#,
    );
}

#[test]
fn a_receive_has_as_many_fields_as_the_channel() {
    check_diagnostics(
        r#"
chan c = [1] of { byte, byte };
init { byte x; c!1,2; c?x; c?[x] }
                    //^^^ error: this receive has 1 field, but `c` carries 2
"#,
    );
}

#[test]
fn a_variable_takes_one_field() {
    check_diagnostics(
        r#"
chan c = [1] of { byte, byte };
init { byte x; c!1,2; c?x,x }
                    //^^^^^ error: `x` is to take two fields of one message
"#,
    );
}

#[test]
fn shapes_travel_through_parameters_variables_and_messages() {
    check_diagnostics(
        r#"
typedef Box { chan inside };
chan post = [1] of { chan };
chan pair = [1] of { byte, byte };
Box box;
proctype P(chan link) { chan got; link?got; box.inside = got }
proctype Q() {
    box.inside!1
  //^^^^^^^^^^^^ error: this send has 1 field, but `box.inside` carries 2
}
init { post!pair; run P(post); run Q() }
"#,
    );
}

#[test]
fn recursive_channel_types_are_inferred() {
    check_silence(
        r#"
chan self = [1] of { chan, byte };
proctype P(chan c) { chan d; byte x; c?d,x; d!d,x; d?c,x }
init { self!self,1; run P(self) }
"#,
    );
}

#[test]
fn a_use_that_fits_only_some_channels_is_a_warning() {
    check_diagnostics(
        r#"
chan one = [1] of { byte };
chan two = [1] of { byte, byte };
chan c;
init {
    byte x, y;
    if :: c = one :: c = two fi;
    c!1;
  //^^^ warning: this send has 1 field, but `c` may be `two`, which carries 2
    one?x; two?x,y
}
"#,
    );
}

#[test]
fn records_are_spread() {
    check_diagnostics(
        r#"
typedef Msg { byte kind; byte data[2] };
chan q = [2] of { Msg };
chan b = [2] of { byte };
init {
    Msg m;
    q!m; q?m; q!1,2,3; q?m.kind,m.data[0],m.data[1];
    b!m
    //^ error: this send has 3 fields, but `b` carries 1
}
"#,
    );
}

#[test]
fn arguments_fit_the_parameters() {
    check_diagnostics(
        r#"
typedef T { byte a };
chan q = [1] of { byte };
proctype P(byte x; chan c) { c!x; c?x }
proctype R(T t) { skip }
init {
    T t;
    run P(1);
  //^^^^^^^^ error: `P` takes 2 arguments, but gets 1
    run P(1, 7);
           //^ error: a number where a channel is wanted
    run P(t, q);
        //^ error: a whole `T` is passed, but `P` has no such parameter there
    run R(t);
    run P(1, q)
}
"#,
    );
}

#[test]
fn a_channel_that_is_never_created_can_not_be_used() {
    check_diagnostics(
        r#"
chan c;
init { c!1 }
     //^^^ error: `c` is never given a channel
"#,
    );
}
