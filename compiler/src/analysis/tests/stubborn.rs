//! What disturbs a process, and what it may still do.

use super::{Analyzed, analyzed};
use crate::analysis::actors::ActorId;
use crate::analysis::dependency_classes::{ClassSet, DependencyClass};
use crate::analysis::reduction::Reduction;
use crate::analysis::stubborn::{Guard, Stubborn};
use crate::ir::{LocationId, TransitionId};

fn with<T>(text: &str, look: impl Fn(&Stubborn, &Reduction, &Analyzed) -> T) -> T {
    let model = analyzed(text);
    model.with(|_, reduction| look(reduction.stubborn.as_ref().expect("it is small"), reduction, &model))
}

/// The dependency classes of a bit set, with channels and globals by name.
fn named(bit_set: &ClassSet, stubborn: &Stubborn, reduction: &Reduction, model: &Analyzed) -> Vec<String> {
    let channel = |id| {
        let site = &model.model.sites[reduction.channels.list[id].site];
        model.model.site_name(site, ".")
    };
    let name = |id| match stubborn.dependency_classes.list[id] {
        DependencyClass::Sends(c, Some(value)) => format!("{}!{value}", channel(c)),
        DependencyClass::Sends(c, None) => format!("{}!", channel(c)),
        DependencyClass::Receives(c) => format!("{}?", channel(c)),
        DependencyClass::Changes(c) => format!("changes {}", channel(c)),
        DependencyClass::Looks(c) => format!("looks {}", channel(c)),
        DependencyClass::TestsMessage(c) => format!("tests message {}", channel(c)),
        DependencyClass::TestsRoom(c) => format!("tests room {}", channel(c)),
        DependencyClass::TestsReady(c) => format!("tests ready {}", channel(c)),
        DependencyClass::NeedsMessage(c) => format!("needs message {}", channel(c)),
        DependencyClass::NeedsRoom(c) => format!("needs room {}", channel(c)),
        DependencyClass::Reads(object) => format!("reads {}", object.0),
        DependencyClass::Writes(object) => format!("writes {}", object.0),
        DependencyClass::Starts => "starts".to_owned(),
        DependencyClass::Ends => "ends".to_owned(),
    };
    let mut names: Vec<String> = bit_set.iter().map(name).collect();
    names.sort();
    names
}

const FIFO: &str = "
mtype = { a, b };
chan c = [2] of { mtype };
active proctype Put() { do :: c!a :: c!b od }
active proctype Get() { end: c?a; c?_ }
active proctype Lose() { do :: c?_ od }";

#[test]
fn a_send_and_a_receive_commute() {
    with(FIFO, |stubborn, reduction, model| {
        let send = stubborn.steps[ActorId(0)][TransitionId(0)].as_ref().expect("it is taken");
        assert_eq!(named(&send.enabled, stubborn, reduction, model), ["c!1", "c!2"]);
        let receive = stubborn.steps[ActorId(1)][TransitionId(0)].as_ref().expect("it is taken");
        assert_eq!(named(&receive.enabled, stubborn, reduction, model), ["c?"]);
    });
}

#[test]
fn a_disabled_step_has_a_reason() {
    with(FIFO, |stubborn, reduction, model| {
        let receive = stubborn.steps[ActorId(1)][TransitionId(0)].as_ref().expect("it is taken");
        let [Guard::Message { empty, other, .. }] = &receive.guards[..] else { panic!("{:?}", receive.guards) };
        // `a` is the first of two names, so it has the value 2.
        assert_eq!(named(empty, stubborn, reduction, model), ["c!2"]);
        assert_eq!(named(other, stubborn, reduction, model), ["c?"]);
        let send = stubborn.steps[ActorId(0)][TransitionId(0)].as_ref().expect("it is taken");
        let [Guard::Room { bit_set, .. }] = &send.guards[..] else { panic!("{:?}", send.guards) };
        assert_eq!(named(bit_set, stubborn, reduction, model), ["c?"]);
    });
}

#[test]
fn what_lies_behind_is_no_future() {
    let model = "
chan c = [1] of { byte }; chan d = [1] of { byte };
active proctype P() { c!1; d!1; c?_ }
active proctype Q() { d?_ }";
    with(model, |stubborn, reduction, model| {
        let future = |at: u32| named(&stubborn.future[ActorId(0)][LocationId(at)], stubborn, reduction, model);
        assert_eq!(future(0), ["c!1", "c?", "d!1", "ends"]);
        assert_eq!(future(1), ["c?", "d!1", "ends"]);
        assert_eq!(future(3), ["ends"]);
    });
}

#[test]
fn a_condition_is_helped_by_what_writes_its_false_part() {
    let model = "
byte x, y;
active proctype P() { x == 1 && y == 1 }
active proctype Q() { x = 1 }
active proctype R() { y = 1 }";
    with(model, |stubborn, reduction, model| {
        let step = stubborn.steps[ActorId(0)][TransitionId(0)].as_ref().expect("it is taken");
        let rows = step.guards.iter().map(|guard| match guard {
            Guard::Condition { bit_set, .. } => named(bit_set, stubborn, reduction, model),
            _ => Vec::new(),
        });
        let rows: Vec<Vec<String>> = rows.collect();
        assert_eq!(rows, [["writes 0"], ["writes 1"]]);
        assert_eq!(named(&step.enabled, stubborn, reduction, model), ["writes 0", "writes 1"]);
    });
}

#[test]
fn a_rendezvous_concerns_both_sides() {
    let model = "
chan k = [0] of { byte }; byte g;
active proctype S() { k!1 }
active proctype R() { atomic { k?_; g = 1 } }
active proctype T() { g == 1 }";
    with(model, |stubborn, reduction, model| {
        let send = stubborn.steps[ActorId(0)][TransitionId(0)].as_ref().expect("it is taken");
        assert_eq!(named(&send.enabled, stubborn, reduction, model), ["k!1", "k?"]);
        let receive = stubborn.steps[ActorId(1)][TransitionId(0)].as_ref().expect("it is taken");
        let [Guard::Partner { bit_set }] = &receive.guards[..] else { panic!("{:?}", receive.guards) };
        // The sender's step does what the receiver's sequence does.
        assert_eq!(named(bit_set, stubborn, reduction, model), ["k!1", "k?", "reads 1", "writes 1"]);
    });
}

#[test]
fn what_stands_beside_else_has_one_row() {
    let model = "
chan c = [1] of { byte };
active proctype Put() { c!1 }
active proctype Get() { if :: c?_ :: else fi }";
    with(model, |stubborn, reduction, model| {
        let put = stubborn.steps[ActorId(0)][TransitionId(0)].as_ref().expect("it is taken");
        assert_eq!(named(&put.enabled, stubborn, reduction, model), ["c!1", "tests message c"]);
        let get = &stubborn.locations[ActorId(1)][LocationId(0)];
        assert!(get.is_whole && !get.is_everything);
        assert_eq!(named(&get.always, stubborn, reduction, model), ["c!1", "c?"]);
    });
}

#[test]
fn a_clause_that_holds_a_process_is_part_of_what_it_may_do() {
    let model = "byte g; active proctype P() provided (g == 0) { skip } active proctype Q() { g = 1 }";
    with(model, |stubborn, reduction, model| {
        let start = &stubborn.future[ActorId(0)][LocationId(0)];
        assert_eq!(named(start, stubborn, reduction, model), ["ends", "reads 0"]);
        let dependencies = &stubborn.locations[ActorId(0)][LocationId(0)].always;
        assert_eq!(named(dependencies, stubborn, reduction, model), ["writes 0"]);
        let write = stubborn.steps[ActorId(1)][TransitionId(0)].as_ref().expect("it is taken");
        assert_eq!(named(&write.enabled, stubborn, reduction, model), ["reads 0", "writes 0"]);
    });
}
