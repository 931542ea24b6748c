//! Control flow as graphs: which points are locations, what leads where.

use pmc::ir;
use snapshot_tests::load::load_text;

fn lowered(model: &str) -> String {
    let loaded = load_text(model).unwrap_or_else(|error| panic!("{error}"));
    ir::print(&ir::lower(&loaded.model, Vec::new()), &loaded.sources)
}

#[test]
fn a_loop_has_one_location_for_all_its_options() {
    insta::assert_snapshot!(lowered(
        "
byte turn, critical;
active [2] proctype worker() {
  do
  :: turn == _pid -> critical++; turn = 1 - _pid
  :: critical > 1 -> break
  od
}"
    ));
}

#[test]
fn jumps_cost_nothing_behind_a_statement_and_are_steps_as_options() {
    insta::assert_snapshot!(lowered(
        "
byte x;
active proctype p() {
  x = 1; goto there;
  x = 2;
there:
  if
  :: x == 1 -> goto out
  :: goto out
  fi;
out: x = 3
}"
    ));
}

#[test]
fn an_atomic_keeps_control_up_to_its_last_statement() {
    insta::assert_snapshot!(lowered(
        "
byte x;
active proctype p() {
  atomic { x = 1; if :: x == 1 -> x = 2 :: else fi };
  atomic { x = 3; goto out };
  x = 4;
out: x = 5
}"
    ));
}

#[test]
fn the_outer_escape_comes_first_and_covers_the_inner_one() {
    insta::assert_snapshot!(lowered(
        "
byte x, y;
active proctype p() {
  { x = 1; { x = 2; x = 3 } unless { x == 9 -> y = 1 } } unless { y == 9 -> y = 2 };
  x = 4
}"
    ));
}

#[test]
fn a_d_step_is_one_transition_with_a_graph_inside() {
    insta::assert_snapshot!(lowered(
        "
byte x;
active proctype p() {
end: do
  :: d_step { x < 3 -> x++; do :: x == 2 -> break :: else -> x = 2 od; x = 0 }
  od
}"
    ));
}

#[test]
fn a_jump_with_a_label_that_others_see_is_a_step() {
    insta::assert_snapshot!(lowered(
        "
byte x;
active proctype p() { x = 1; here: goto out; x = 2; out: x = 3 }
active proctype q() { p@here -> x = 4 }"
    ));
}
