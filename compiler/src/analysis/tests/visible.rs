//! What properties see, and whether they notice that a state is repeated.

use super::analyzed;
use crate::analysis::visibility::{ObstacleCause, PropertyKind};

/// The locations out of which a step is visible to the first property of a kind, by their statements.
fn visible(text: &str, is_meant: fn(PropertyKind) -> bool) -> Vec<String> {
    let model = analyzed(text);
    model.with(|program, reduction| {
        let property = reduction.properties.iter().find(|it| is_meant(it.kind)).expect("there is one");
        let mut found = Vec::new();
        for (id, actor) in reduction.actors.list.iter_enumerated() {
            let graph = &program.graphs[actor.proctype];
            for at in graph.locations.ids().filter(|at| property.visible[id][*at]) {
                let line = model.location(program, reduction, id, at);
                let statement = line.split(" | ").next().unwrap_or_default();
                found.push(format!("{}: {statement}", model.name(reduction, id)));
            }
        }
        found
    })
}

fn is_ltl(kind: PropertyKind) -> bool {
    matches!(kind, PropertyKind::Ltl(_))
}

#[test]
fn entering_and_leaving_a_label_is_visible() {
    let labin = "
active proctype Q() { byte j; j = 1; M: j = 2 }
active proctype P() { byte i; i = 1; L: false }
ltl p { [] !(Q@M && !P@L) }";
    // The end of a process that is asked about shows, too; `false` is never taken.
    assert_eq!(visible(labin, is_ltl), ["Q0: j = 1", "Q0: j = 2", "Q0: end", "P1: i = 1"]);
}

#[test]
fn a_remote_variable_is_visible() {
    let remvar = "
active proctype P() { byte i; skip; i = 1; i = 2; i = 3 }
active proctype Q() { byte j; j = 1; j = 2; j = 3 }
ltl p { [] !(P:i == 2) }";
    assert_eq!(visible(remvar, is_ltl), ["P0: i = 1", "P0: i = 2", "P0: i = 3", "P0: end"]);
}

#[test]
fn globals_and_channels_of_a_formula_are_visible() {
    let model = "
byte g, h; chan c = [1] of { byte };
active proctype P() { byte x; h = 1; g = 1; c!1; c?x; atomic { x = 1; g = 2 } }
ltl p { [] (g == 0 && len(c) == 0) }";
    assert_eq!(visible(model, is_ltl), ["P0: g = 1", "P0: c!1", "P0: c?x", "P0: x = 1", "P0: g = 2"]);
}

#[test]
fn progress_is_visible_to_those_who_look_for_it() {
    let model = "byte g; active proctype Good() { do :: g = 1; progress_ok: g = 0; g = 3 od }";
    let found = visible(model, |kind| kind == PropertyKind::NonProgress);
    assert_eq!(found, ["Good0: g = 1", "Good0: g = 0"]);
}

#[test]
fn events_of_a_trace_are_visible() {
    let model = "
chan c = [1] of { byte }; chan d = [1] of { byte };
active proctype P() { byte x; c!1; d!1; c?x; d?x }
trace { do :: c!_; c?_ od }";
    let found = visible(model, |kind| kind == PropertyKind::Trace);
    assert_eq!(found, ["P0: c!1", "P0: c?x"]);
}

#[track_caller]
fn check_obstacles(claim: &str, expected: &[ObstacleCause]) {
    let model = format!("byte x, y; active proctype P() {{ x = 1; y = 1 }} {claim}");
    let found = analyzed(&model).with(|_, reduction| {
        let property = reduction.properties.first().expect("there is one");
        property.obstacles.iter().map(|obstacle| obstacle.cause).collect::<Vec<_>>()
    });
    assert_eq!(found, expected, "{claim}");
}

#[test]
fn claims_that_cannot_count_states_allow_reduction() {
    check_obstacles("never { do :: !(x == 1) :: x == 1 -> break od }", &[]);
    let response = "never { T0: if :: x != 1 && y == 1 -> goto accept :: true -> goto T0 fi; accept: if :: x != 1 -> goto accept fi }";
    check_obstacles(response, &[]);
    check_obstacles("never { accept: do :: x == 1 od }", &[]);
}

#[test]
fn claims_that_count_states_do_not() {
    check_obstacles("never { x == 0; x == 0; x == 1 }", &[ObstacleCause::NotStutterClosed]);
    check_obstacles(
        "never { T0: if :: x == 0 -> goto T1 fi; T1: if :: true -> goto T0 fi }",
        &[ObstacleCause::NotStutterClosed],
    );
    let accepting = "never { T0: if :: true -> goto T0 :: true -> goto accept fi; accept: if :: true -> goto T2 fi; T2: if :: true -> goto T2 fi }";
    check_obstacles(accepting, &[ObstacleCause::NotStutterClosed]);
    check_obstacles("ltl p { [] (x == 0 -> X (x == 1)) }", &[ObstacleCause::Next]);
}

#[test]
fn what_is_not_tested_is_an_obstacle() {
    check_obstacles("never { do :: atomic { x == 1 -> assert(!(x == 1)) } :: true od }", &[ObstacleCause::Untested]);
    check_obstacles("never { do :: timeout od }", &[ObstacleCause::Scheduling]);
    let many: Vec<String> = (0..11).map(|n| format!("x == {n}")).collect();
    check_obstacles(&format!("never {{ do :: {} od }}", many.join(" && ")), &[ObstacleCause::TooManyConditions]);
}
