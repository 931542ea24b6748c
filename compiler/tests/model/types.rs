//! What a value may be used as.

use super::check_diagnostics;

#[test]
fn arrays_want_an_index_and_scalars_none() {
    check_diagnostics(
        r#"
byte a[3], x;
init {
    a = 1;
  //^ error: `a` is an array: say which element
    x[1] = 2;
   //^^^ error: `x` is not an array, so it cannot be indexed
    x[0] = 2;
    a[a[0]] = 1;
  //^^^^^^^ error: `a` is indexed with an element of itself in an assignment
    a[a[0] + 1] = 1
}
"#,
    );
}

#[test]
fn fields_are_looked_up() {
    check_diagnostics(
        r#"
typedef In { byte value; short w[2] };
typedef Out { In one; In many[3] };
Out o; byte x;
init {
    o.one.valu = 1;
        //^^^^ error: `In` has no field `valu`
    o.many.value = 1;
    //^^^^ error: `many` is an array: say which element
    o.many[1].w[1] = 1;
    x.f = 1;
   //^^ error: `x` has no fields: it is a byte
    o = 1
  //^ error: `o` is a whole record: say which field
}
"#,
    );
}

#[test]
fn a_typedef_can_not_contain_itself() {
    check_diagnostics(
        r#"
typedef T { T inner; byte a };
          //^ error: typedef `T` contains itself
init { skip }
"#,
    );
}

#[test]
fn sizes_are_constants_in_range() {
    check_diagnostics(
        r#"
#define N (2 * 3)
byte n;
byte a[N - 4], b[0], c[4/0], d[3 - 4];
               //^ error: `b` would have 0 elements: it must be 1 or more
                     //^^^ error: this divides by zero
                             //^^^^^ error: `d` would have -1 elements: it must be 1 or more
chan q = [n] of { byte };
        //^ error: a channel's capacity must be a constant
chan r = [300] of { byte };
        //^^^ error: a capacity of 300: it must be 0 to 255
unsigned u : 33;
           //^^ error: a width of 33 bits: it must be 1 to 32
init { skip }
"#,
    );
}

#[test]
fn channels_are_no_numbers() {
    check_diagnostics(
        r#"
chan q = [1] of { byte }; byte x;
init {
    x = q + 1;
      //^ error: a channel cannot be calculated with
    q++;
  //^^^ error: a channel cannot be calculated with
    q = 5;
  //^^^^^ error: a number where a channel is wanted
    q = 0;
    x!1;
  //^^^ error: `x` is a byte, not a channel
    q == q
}
"#,
    );
}

#[test]
fn an_mtype_keeps_to_its_kind() {
    check_diagnostics(
        r#"
mtype:fruit = { apple };
mtype:size = { small };
mtype:fruit f;
mtype m;
mtype:nothing n;
    //^^^^^^^ error: there is no `mtype:nothing`
init { f = small; m = small }
     //^^^^^^^^^ error: `f` is of `mtype:fruit`, but the value is of `mtype:size`
"#,
    );
}

#[test]
fn initial_values_fit_what_they_initialize() {
    check_diagnostics(
        r#"
byte a[2] = { 1, 2, 3 };
                  //^ error: 3 values for the 2 elements of `a`
byte b = { 1 };
       //^^^^^ error: `b` is not an array, so it cannot be given a list
byte c = [1] of { byte };
       //^^^^^^^^^^^^^^^ error: `c` is a byte, and cannot be given a channel
typedef T { byte in[2] };
proctype P(T t) { skip }
           //^ error: parameter `t` has an array in it
init { hidden byte h; skip }
                 //^ error: `h` cannot be hidden: only globals can
"#,
    );
}

#[test]
fn a_value_that_does_not_fit_is_pointed_out() {
    check_diagnostics(
        r#"
byte b = 300;
       //^^^ warning: 300 does not fit in `byte`; 44 will be stored
bool ok = 1;
short s;
init { s = 70000; s = b; ok = s;
         //^^^^^ warning: 70000 does not fit in `short`; 4464 will be stored
       b == 255 || b == -1
                      //^^ warning: `b` is a byte and never equals -1
}
"#,
    );
}
