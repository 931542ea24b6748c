//! Which processes are known before a model runs, and how many there can be.

use pmc::analysis::instances::KnownValue;
use pmc::{analysis, ir};
use snapshot_tests::load::load_text;

/// A line for each process that is known by its pid, then what is dynamic and the bound.
fn instances(model: &str) -> String {
    let loaded = load_text(model).unwrap_or_else(|error| panic!("{error}"));
    let (model, program) = (&loaded.model, ir::lower(&loaded.model, Vec::new()));
    let facts = analysis::analyze(&program, analysis::Simplify::NONE);
    let mut text = String::new();
    for instance in &facts.instances.fixed {
        let arguments = instance.arguments.iter().map(|(parameter, value)| {
            let name = &model.variables[*parameter].name;
            match value {
                KnownValue::Number(number) => format!("{name} = {number}"),
                KnownValue::Channel(site, n) => format!("{name} = {}[{n}]", model.site_name(&model.sites[*site], ".")),
            }
        });
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        text += &format!("{} {}({arguments})\n", instance.pid, model.proctypes[instance.proctype].name);
    }
    for (id, _) in facts.instances.is_dynamic.iter_enumerated().filter(|(_, is_dynamic)| **is_dynamic) {
        text += &format!("dynamic {}\n", model.proctypes[id].name);
    }
    match facts.population.bound {
        Some(bound) => text + &format!("at most {bound}"),
        None => text + "no bound",
    }
}

#[track_caller]
fn check(model: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(instances(model), expected.join("\n"));
}

#[test]
fn a_loop_that_counts_is_followed() {
    check(
        "proctype P(byte id) { id == 9 }
         init { byte i; atomic { do :: i < 3 -> run P(i); i++ :: else -> break od } }",
        "0 init()
         1 P(id = 0)
         2 P(id = 1)
         3 P(id = 2)
         at most 4",
    );
}

#[test]
fn so_are_a_for_loop_and_what_touches_globals() {
    check(
        "#define N 3
         byte turn; chan q[N] = [1] of { byte };
         proctype P(byte id; chan in, out) { end: do :: in?id -> out!id od }
         init { byte i; turn = 1; for (i : 0 .. N - 1) { run P(i, q[i], q[(i + 1) % N]) } q[0]!turn }",
        "0 init()
         1 P(id = 0, in = q[0], out = q[1])
         2 P(id = 1, in = q[1], out = q[2])
         3 P(id = 2, in = q[2], out = q[0])
         at most 4",
    );
}

#[test]
fn a_process_that_can_end_makes_pids_uncertain_but_not_their_number() {
    check(
        "proctype P() { skip }
         init { byte i; do :: i < 5 -> run P(); i++ :: else -> break od }",
        "0 init()
         dynamic P
         at most 6",
    );
}

#[test]
fn between_two_atomics_others_move() {
    check(
        "proctype P() { skip } proctype Q() { do :: skip od }
         init { byte x; atomic { run P(); run Q() } atomic { x = 1; run Q() } }",
        "0 init()
         1 P()
         dynamic Q
         at most 4",
    );
}

#[test]
fn an_older_process_cannot_end_before_init() {
    check(
        "active proctype P() { skip } proctype Q() { do :: skip od }
         init { run Q(); run Q() }",
        "0 P()
         1 init()
         2 Q()
         3 Q()
         at most 4",
    );
}

#[test]
fn others_that_run_make_pids_uncertain() {
    check(
        "proctype Q() { do :: skip od } active proctype P() { run Q() }
         init { run Q() }",
        "0 P()
         1 init()
         dynamic Q
         at most 4",
    );
}

#[test]
fn a_choice_is_where_following_ends() {
    check(
        "proctype P(byte x) { do :: skip od } proctype Q() { do :: skip od }
         init { byte i; run Q(); if :: i = 1 :: i = 2 fi; run P(i) }",
        "0 init()
         1 Q()
         dynamic P
         at most 3",
    );
}

#[test]
fn what_may_block_is_followed() {
    check(
        "chan c = [1] of { byte }; byte g; proctype P(byte x, y) { do :: c!x od }
         init { byte i, k = 4; run P(i, k); c?i; d_step { g = 1; k++ } g == 1; run P(i, 7) }",
        "0 init()
         1 P(x = 0, y = 4)
         2 P(y = 7)
         at most 3",
    );
}

#[test]
fn a_process_that_init_can_start_again_is_dynamic() {
    check(
        "byte g; proctype P() { do :: skip od }
         init { again: run P(); if :: g == 0 -> goto again :: g == 1 fi }",
        "0 init()
         dynamic P
         no bound",
    );
}

#[test]
fn unknown_values_end_a_loop_that_is_followed() {
    check(
        "byte n = 2, m = 2; proctype P(byte x) { do :: skip od }
         init { byte i; do :: i < n -> run P(i); i++ :: else -> break od; m = 3; do :: i < m -> run P(i); i++ :: else -> break od }",
        "0 init()
         dynamic P
         no bound",
    );
}

#[test]
fn arguments_are_cut_to_their_parameter() {
    check(
        "byte n = 2; proctype P(bit b; short s) { do :: skip od }
         init { int i = 70000; pid p; p = run P(i + 1, i); run P(p, n) }",
        "0 init()
         1 P(b = 1, s = 4464)
         2 P(b = 1, s = 2)
         at most 3",
    );
}

#[test]
fn a_fault_is_not_followed() {
    check(
        "byte a[2]; byte zero; proctype P() { do :: skip od }
         init { byte i = 2; run P(); a[i] = 1; run P() }",
        "0 init()
         dynamic P
         at most 3",
    );
}
