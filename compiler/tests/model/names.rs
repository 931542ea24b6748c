//! Names that are not there, or twice.

use super::check_diagnostics;

#[test]
fn a_misspelt_variable_is_guessed() {
    check_diagnostics(
        r#"
byte delivered;
init { deliverd = 1 }
     //^^^^^^^^ error: no variable `deliverd` in scope; did you mean `delivered`?
"#,
    );
}

#[test]
fn globals_further_down_are_not_visible_yet() {
    check_diagnostics(
        r#"
active proctype P() { byte x = 3; x++ }
byte x;
active proctype Q() { x = y }
                        //^ error: no variable `y` in scope
byte y;
"#,
    );
}

#[test]
fn sibling_blocks_share_names_and_nothing_hides_another() {
    check_diagnostics(
        r#"
byte g;
active proctype P(byte p) {
    { byte a; a = 1 };
    { short a; a = 2 };
    { byte g; g = 1 };
         //^ error: `g` hides the global of that name, which Promela does not allow
    { byte p; p = 1 }
         //^ error: `p` hides the parameter of that name, which Promela does not allow
}
"#,
    );
}

#[test]
fn a_name_is_declared_once_in_a_scope() {
    check_diagnostics(
        r#"
mtype = { red, blue };
 mtype:shape = { red };
               //^^^ error: `red` is already the name of an mtype
byte x;
byte x;
   //^ error: `x` is declared twice
byte blue;
   //^^^^ error: `blue` is already the name of an mtype
init { byte _pid; skip }
          //^^^^ error: `_pid` is predefined
"#,
    );
}

#[test]
fn blocks_end_the_life_of_their_names() {
    check_diagnostics(
        r#"
byte g;
init { { byte k; k = 1 }; g = k }
                            //^ error: no variable `k` in scope
"#,
    );
}

#[test]
fn mtype_names_can_be_read_only() {
    check_diagnostics(
        r#"
mtype = { red };
init { red = 1 }
     //^^^ error: `red` is the name of an mtype, not a variable
"#,
    );
}

#[test]
fn predefined_names_can_be_read_only() {
    check_diagnostics(
        r#"
byte x;
init { _pid = 1; _ = 3; _priority = 2;
     //^^^^ error: `_pid` can be read but not set, and has no parts
       x = _
         //^ error: `_` can only be written: it forgets what it is given
}
"#,
    );
}

#[test]
fn remote_references_are_checked() {
    check_diagnostics(
        r#"
active proctype P() { byte v; here: v = 1 }
init {
    P[0]@there;
       //^^^^^ error: `P` has no label `there`
    P[0]:w == 1;
       //^ error: `P` has no variable `w`
    Nobody@here;
  //^^^^^^ error: there is no proctype `Nobody`
    P[0]@here && P:v == 1
}
"#,
    );
}
