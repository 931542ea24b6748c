//! What the resolver says about a model, and what it makes of it.
//!
//! A test is a model with a comment under each place that is wrong:
//!
//! ```promela
//! init { c!1,0 }
//!      //^^^^^ error: this send has 2 fields, but `c` carries 1
//! ```

use pmc::diagnostic::{Diagnostics, Severity};
use pmc::driver::{self, Options, Session};
use pmc::model::{ExprKind, Init, Model, Pattern, StatementKind, Target};
use pmc::source::SourceMap;

fn resolve<T: Send>(text: &str, look: impl FnOnce(&Session, Option<Model>) -> T + Send) -> T {
    driver::on_large_stack(|| {
        let mut session = Session::from_text("model.pml", text.to_owned(), &Options::default()).expect("small enough");
        let model = session.resolve().ok();
        look(&session, model)
    })
    .expect("no panic")
}

/// `line:column-end severity: message`, as the comments under the lines have it.
fn annotations(text: &str) -> Vec<String> {
    let mut line = 0;
    let mut found = Vec::new();
    for (number, content) in (1..).zip(text.lines()) {
        let marks = content.trim_start();
        match marks.strip_prefix("//").filter(|rest| rest.trim_start().starts_with('^')) {
            Some(rest) => {
                let start = content.find('^').expect("just seen") + 1;
                let n_marks = rest.trim_start().chars().take_while(|c| *c == '^').count();
                let message = rest.trim_start().trim_start_matches('^').trim();
                found.push(format!("{line}:{start}-{} {message}", start + n_marks));
            }
            None => line = number,
        }
    }
    found
}

fn shown(sources: &SourceMap, diagnostics: &Diagnostics, least: Severity) -> Vec<String> {
    let found = diagnostics.sorted().into_iter().filter(|diagnostic| diagnostic.severity >= least);
    found
        .map(|diagnostic| {
            let start = sources.position(diagnostic.primary.span);
            let length = sources.text(diagnostic.primary.span).lines().next().unwrap_or_default().chars().count();
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let end = start.column as usize + length;
            format!("{}:{}-{end} {severity}: {}", start.line, start.column, diagnostic.message)
        })
        .collect()
}

/// The errors are those that the comments name. Warnings count too if one is named.
#[track_caller]
fn check_diagnostics(text: &str) {
    let expected = annotations(text);
    let least =
        if expected.iter().any(|line| line.contains(" warning: ")) { Severity::Warning } else { Severity::Error };
    let mut found = resolve(text, |session, _| shown(&session.sources, &session.diagnostics, least));
    let mut expected = expected;
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

/// Not even a warning.
#[track_caller]
fn check_silence(text: &str) {
    let found = resolve(text, |session, _| shown(&session.sources, &session.diagnostics, Severity::Warning));
    assert_eq!(found, Vec::<String>::new());
}

/// Looks at a model that has no errors.
#[track_caller]
fn model(text: &str) -> Model {
    resolve(text, |session, model| {
        let errors = shown(&session.sources, &session.diagnostics, Severity::Error);
        assert_eq!(errors, Vec::<String>::new());
        model.expect("no errors")
    })
}

mod names {
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
}

mod types {
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
}

mod messages {
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
}

mod rules {
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
            //^^^^^^ error: the value of this inline is not asked for
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
}

mod warnings {
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
}

mod meaning {
    use super::{ExprKind, Init, Model, Pattern, StatementKind, Target, model};

    fn initial(model: &Model, name: &str) -> Vec<i32> {
        let variable = model.variables.iter().find(|variable| &*variable.name == name).expect("declared");
        match &variable.init {
            Init::All(value) => vec![value.as_constant().expect("a constant")],
            Init::List(values) => values.iter().map(|value| value.as_constant().expect("a constant")).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn mtype_names_count_down_and_lists_go_on_above() {
        let model = model("mtype = { a1, a2 }; mtype = { b1, b2, b3 }; mtype:k = { c }; init { skip }");
        let names = |number: usize| -> Vec<(String, i32)> {
            let mtype = model.mtypes.iter().nth(number).expect("two kinds");
            mtype.names.iter().map(|name| (name.name.to_string(), name.value)).collect()
        };
        let expected = [("b1", 5), ("b2", 4), ("b3", 3), ("a1", 2), ("a2", 1)];
        assert_eq!(names(0), expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(names(1), [("c".to_owned(), 1)]);
    }

    /// `type_global_order`: narrow variables are set before wider ones.
    #[test]
    fn globals_are_set_by_width() {
        let model = model(
            "int a = 3; int b = a * 2 + 1; bit d = b; byte c[2] = b; int e = (a > 2 -> 10 : 20); byte f = -1;
             init { skip }",
        );
        assert_eq!(initial(&model, "b"), [7]);
        assert_eq!(initial(&model, "d"), [0]);
        assert_eq!(initial(&model, "c"), [0]);
        assert_eq!(initial(&model, "e"), [10]);
        assert_eq!(initial(&model, "f"), [255]);
    }

    #[test]
    fn declarations_are_steps_unless_at_the_head() {
        let model = model(
            "byte g; active proctype P() { byte a = 1; xs q; byte b[2]; g = a; byte c = 3; byte d[2] = 4 }
                           chan q = [1] of { byte };"
                .replace("xs q;", "")
                .as_str(),
        );
        let process = model.proctypes.iter().next().expect("P");
        assert_eq!(initial(&model, "a"), [1]);
        assert_eq!(initial(&model, "c"), Vec::<i32>::new());
        let targets: Vec<(String, bool)> = process
            .body
            .iter()
            .map(|statement| match &statement.kind {
                StatementKind::Assign { target: Target::Place(place), .. } => {
                    (model.variables[place.variable].name.to_string(), place.index.is_some())
                }
                other => panic!("an assignment, not {other:?}"),
            })
            .collect();
        assert_eq!(targets, [("g".to_owned(), false), ("c".to_owned(), false), ("d".to_owned(), true)]);
    }

    #[test]
    fn small_constant_selects_are_choices() {
        let kinds = |text: &str| -> Vec<&'static str> {
            let model = model(&format!("byte v, n; init {{ {text} }}"));
            let body = &model.proctypes.iter().next().expect("init").body;
            body.iter()
                .map(|statement| match &statement.kind {
                    StatementKind::If(choices) if choices.len() == 33 => "if of 33",
                    StatementKind::If(_) => "if",
                    StatementKind::Do(choices) => match &choices[0].body[0].kind {
                        StatementKind::Break => "do, break first",
                        _ => "do, break last",
                    },
                    _ => "step",
                })
                .collect()
        };
        assert_eq!(kinds("select (v : 1 .. 33)"), ["if of 33"]);
        assert_eq!(kinds("select (v : 1 .. 34)"), ["step", "do, break last"]);
        assert_eq!(kinds("select (v : 1 .. (3))"), ["step", "do, break first"]);
        assert_eq!(kinds("select (v : 1 .. n)"), ["step", "do, break first"]);
        assert_eq!(kinds("for (v : 1 .. n) { skip }"), ["step", "do, break last"]);
    }

    #[test]
    fn constants_are_folded() {
        let model = model("int x; init { x = (2 + 3) * 4; x = (1 -> x : 7); x = 0 && x }");
        let body = &model.proctypes.iter().next().expect("init").body;
        let values: Vec<&ExprKind> = body
            .iter()
            .map(|statement| match &statement.kind {
                StatementKind::Assign { value, .. } => &value.kind,
                other => panic!("an assignment, not {other:?}"),
            })
            .collect();
        assert!(matches!(values[0], ExprKind::Constant(20)));
        assert!(matches!(values[1], ExprKind::Read(_)));
        assert!(matches!(values[2], ExprKind::Constant(0)));
    }

    #[test]
    fn variables_in_a_trace_match_anything() {
        let model = model(
            "byte x; chan q = [1] of { byte }; active proctype P() { q!1; q?x }
             trace { q!x; q?x; q!3; q?eval(x) }",
        );
        let trace = model.trace.expect("a trace");
        let kinds: Vec<&str> = trace
            .process
            .body
            .iter()
            .map(|statement| match &statement.kind {
                StatementKind::Event { pattern, .. } => match pattern[..] {
                    [Pattern::Ignore] => "anything",
                    [Pattern::Equal(_)] => "equal",
                    _ => "other",
                },
                other => panic!("an event, not {other:?}"),
            })
            .collect();
        assert_eq!(kinds, ["anything", "anything", "equal", "equal"]);
    }

    #[test]
    fn pids_follow_the_text() {
        let model = model(
            "active [2] proctype A() { skip } init { run B() } proctype B() { skip } active proctype C() { skip }",
        );
        let names: Vec<_> = model.initial.iter().map(|id| &*model.proctypes[*id].name).collect();
        assert_eq!(names, ["A", "A", "init", "C"]);
    }

    #[test]
    fn every_site_that_a_channel_may_come_from_is_listed() {
        let model = model(
            "typedef T { chan c = [1] of { byte } }; T t[2]; chan q[3] = [0] of { byte };
             proctype P(chan c) { c!1; c?1 }
             init { run P(q[1]); run P(t[0].c) }",
        );
        let counts: Vec<u32> = model.sites.iter().map(|site| site.count).collect();
        assert_eq!(counts, [2, 3]);
        let process = model.proctypes.iter().next().expect("P");
        let StatementKind::Send { channel, .. } = &process.body[0].kind else { panic!("a send") };
        assert_eq!(channel.sites.len(), 2);
    }
}

mod robustness {
    use pmc::driver::{self, Options, Session};

    /// The models of this file, without the comments that say what is wrong.
    fn models() -> Vec<Vec<String>> {
        let blocks = include_str!("model.rs").split("r#\"").skip(1).filter_map(|rest| rest.split("\"#").next());
        let without_comments = |text: &str| {
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            lines.collect::<Vec<_>>().join("\n")
        };
        blocks.map(|block| words(&without_comments(block))).collect()
    }

    /// Names and numbers as they are, every other character for itself.
    fn words(text: &str) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        for c in text.chars() {
            match words.last_mut() {
                Some(last) if is_word(c) && last.ends_with(is_word) => last.push(c),
                _ => words.push(c.to_string()),
            }
        }
        words
    }

    /// Words left out, doubled, swapped and brought in from other models: nothing
    /// of that may lead to a panic.
    #[test]
    fn no_mangled_model_makes_the_resolver_panic() {
        let models = models();
        assert!(models.len() > 30);
        let mut state: u64 = 20_261_116;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % below
        };
        let mut n_clean = 0;
        for round in 0..3000 {
            let mut text = models[round % models.len()].clone();
            for _ in 0..1 + next(3) {
                let (at, from) = (next(text.len()), next(text.len()));
                match next(4) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, text[from].clone()),
                    2 => text.swap(at, from),
                    _ => {
                        let other = &models[next(models.len())];
                        text[at] = other[next(other.len())].clone();
                    }
                }
            }
            let text = text.concat();
            let resolved = driver::on_large_stack(|| {
                let session = Session::from_text("mangled.pml", text.clone(), &Options::default());
                session.expect("small enough").resolve().is_ok()
            });
            n_clean += usize::from(resolved.unwrap_or_else(|error| panic!("{error}\nin\n{text}")));
        }
        // If all were refused, the resolver would have seen nothing.
        assert!(n_clean > 100, "{n_clean}");
    }
}
