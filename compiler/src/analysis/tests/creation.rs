//! Creation and end of processes, and the statements that observe them.

use super::{analyzed, check_table};
use crate::analysis::processes::PidUse;

#[track_caller]
fn check_observed(model: &str, expected: Option<PidUse>) {
    let found = analyzed(model).with(|_, reduction| reduction.processes.pids_are_observed.map(|(pid_use, _)| pid_use));
    assert_eq!(found, expected);
}

#[test]
fn pids_are_observed_where_somebody_looks() {
    check_observed("active proctype P() { run Leaf() } proctype Leaf() { skip }", None);
    check_observed("active proctype P() { pid k; k = run Leaf() } proctype Leaf() { skip }", Some(PidUse::RunValue));
    check_observed("active proctype P() { assert(_nr_pr == 1) }", Some(PidUse::Count));
    check_observed("active proctype P() { run Leaf() } proctype Leaf() { assert(_pid > 0) }", Some(PidUse::OwnPid));
    check_observed("active [2] proctype P() { assert(_pid < 2) }", None);
    let started = "active proctype P() { L: skip } active proctype Q() { run R() } proctype R() { skip } ";
    check_observed(&format!("{started} ltl p {{ [] !P[0]@L }}"), Some(PidUse::Reference));
    // A reference by name to the only process of that name does not depend on pids.
    check_observed(&format!("{started} ltl p {{ [] !P@L }}"), None);
    check_observed("active proctype P() { L: skip } ltl p { [] !P[0]@L }", None);
    // The pids of those that the beginning of `init` starts are known.
    check_observed("proctype Leaf() { do :: skip od } init { pid k; k = run Leaf(); k = run Leaf() }", None);
}

#[test]
fn run_and_end_are_unsafe_where_pids_are_observed() {
    let model = "
active proctype First() { pid k; k = run Leaf(); assert(k == 3) }
active proctype Second() { pid j; j = run Leaf() }
proctype Leaf() { false }";
    check_table(
        model,
        "First",
        "First0: k = run Leaf() | - -
         First0: assert(k == 3) | 0 0
         First0: end | - -",
    );
    let levels = analyzed(model).with(|program, reduction| {
        let first = &reduction.safety.locations[super::ActorId(0)];
        let may_observe_pids = &reduction.processes.may_observe_pids[program.model.initial[0]];
        (
            first.iter().map(|at| at.plain_if_youngest).collect::<Vec<_>>(),
            may_observe_pids.iter().copied().collect::<Vec<_>>(),
        )
    });
    assert_eq!(levels, (vec![0, 0, 0], vec![true, false, false]));
}

#[test]
fn the_number_of_processes_is_changed_by_every_end() {
    let model = "active proctype Old() { assert(_nr_pr == 1) } active proctype Young() { skip }";
    check_table(
        model,
        "",
        "Old0: assert(_nr_pr == 1) | - -
         Old0: end | - -
         Young1: skip | 0 0
         Young1: end | - -",
    );
}

#[test]
fn what_a_process_asks_of_another_is_shared() {
    let model = "
active proctype P() { byte i; i = 1; L: i = 2 }
active proctype Q() { (P@L) -> (P:i == 2) }
active proctype R() { skip }";
    check_table(
        model,
        "P",
        "P0: i = 1 | 1 1
         P0: i = 2 | 1 1
         P0: end | 1 1",
    );
}

#[test]
fn initial_values_of_a_new_process_are_read_by_run() {
    let model = "byte g; proctype P() { byte x = g; x = 0 } active proctype W() { g = 1 } init { skip; run P() }";
    let table = analyzed(model).table("init");
    assert_eq!(table, "init1: skip | 0 0\ninit1: run P() | 1 1\ninit1: end | 0 0");
}
