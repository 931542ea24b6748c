//! The searches of infinite runs on webs by hand.

use super::control::{Control, Finding};
use super::naive::{answer, check_run};
use super::tests::search_any;
use crate::limits::{Interrupt, Limits, Stop};
use crate::monitor::Silent;
use crate::options::{Ask, Liveness, Options};
use crate::property::Property;
use crate::system::ModelSystems;
use crate::toy::web::{Arc, ArcKind, ClaimArc, ClaimArcKind, END, Web, arc, claim_arc};
use crate::toy::{check, check_with};
use crate::trail::Move;
use crate::verdict::{Verdict, ViolationKind};
use std::time::Duration;

const BOTH: [Liveness; 2] = [Liveness::Nested, Liveness::Components];
const ANYWHERE: u64 = u64::MAX;

fn options(liveness: Liveness, fair: bool) -> Options {
    Options { liveness, fair, limits: Limits { memory: Some(1 << 30), ..Limits::default() }, ..Options::default() }
}

/// What a search finds, each run checked.
#[track_caller]
fn findings(web: &Web, property: Property, options: &Options) -> Vec<Finding> {
    let (interrupt, mut silent) = (Interrupt::new(), Silent);
    let mut control = Control::new(options, &interrupt, &mut silent);
    assert!(search_any(&ModelSystems::new(web), property, &mut control).is_ok());
    for finding in &control.findings {
        check_run(web, property, options.fair, finding.found, &finding.moves, finding.cycle_start);
    }
    control.findings
}

/// Whether there is a cycle, with and without fairness: both searches and the naive answer say the same.
#[track_caller]
fn check_cycles(web: &Web, property: Property, expected: [bool; 2]) {
    let naive = answer(web, property);
    assert_eq!([naive.cycle, naive.fair_cycle], expected, "the naive answer");
    for (fair, expected) in [false, true].into_iter().zip(expected) {
        for liveness in BOTH {
            let found = findings(web, property, &options(liveness, fair));
            assert_eq!(!found.is_empty(), expected, "{liveness:?}, fair: {fair}");
            assert!(found.iter().all(|finding| finding.cycle_start.is_some()));
        }
    }
}

/// The only thing found, by both searches, with its moves.
#[track_caller]
fn check_found(web: &Web, property: Property, expected: ViolationKind, moves: &[&str]) {
    for liveness in BOTH {
        let found = findings(web, property, &options(liveness, false));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].found.kind, expected);
        assert_eq!(show(&found[0]), moves, "{liveness:?}");
    }
}

fn show(finding: &Finding) -> Vec<String> {
    let show = |(n, next): (usize, &Move)| {
        let cycle = if finding.cycle_start == Some(n) { "cycle: " } else { "" };
        match next {
            Move::System(step) => format!("{cycle}{} takes {}", step.pid, step.transition.0),
            Move::Claim { by, to, .. } => format!("{cycle}claim takes {} to {}", by.0, to.0),
            Move::Stutter => format!("{cycle}stutter"),
            Move::Tick(_) => format!("{cycle}tick"),
        }
    };
    finding.moves.iter().enumerate().map(show).collect()
}

fn accepting(web: Web, nodes: &[u32]) -> Web {
    Web { accept: nodes.iter().fold(0, |bits, node| bits | 1 << node), ..web }
}

/// A claim that says: from some time on only these nodes. Location 2 is accepting.
fn eventually_always(web: Web, nodes: u64) -> Web {
    Web { claim: vec![claim_arc(0, 0, ANYWHERE), claim_arc(0, 2, nodes), claim_arc(2, 2, nodes)], ..web }
}

#[test]
fn an_accepting_state_without_edges_is_a_cycle_by_stuttering_alone() {
    let web = accepting(Web::new(1, 2, Vec::new()), &[0]);
    check_cycles(&web, Property::Acceptance, [true, true]);
    check_found(&web, Property::Acceptance, ViolationKind::AcceptanceCycle, &["cycle: stutter"]);
    // A system that has stopped does not go on without progress.
    check_cycles(&web, Property::NonProgress, [false, false]);
    // Nobody at all: there is nobody at a label, but a claim still runs.
    let empty = accepting(Web::new(1, 0, Vec::new()), &[0]);
    check_cycles(&empty, Property::Acceptance, [false, false]);
    check_cycles(&eventually_always(empty, ANYWHERE), Property::Claim(0), [true, true]);
}

#[test]
fn a_fair_cycle_that_a_quotient_would_lose_is_found() {
    let arcs = [
        (0, 0, 1),
        (0, 1, 4),
        (1, 0, 2),
        (2, 0, 1),
        (2, 0, 3),
        (1, 1, 5),
        (2, 1, 5),
        (5, 0, 5),
        (5, 1, 5),
        (4, 1, 3),
        (3, 1, 4),
        (3, 1, 2),
        (4, 0, 6),
        (3, 0, 6),
        (6, 0, 6),
        (6, 1, 6),
    ];
    let arcs = arcs.into_iter().map(|(from, pid, to)| arc(from, pid, to)).collect();
    check_cycles(&accepting(Web::new(7, 2, arcs), &[1, 4]), Property::Acceptance, [true, true]);
}

#[test]
fn an_inner_search_in_pre_order_would_miss_this_cycle() {
    let web = accepting(Web::new(3, 1, vec![arc(0, 0, 1), arc(1, 0, 2), arc(2, 0, 1)]), &[0, 1]);
    check_cycles(&web, Property::Acceptance, [true, true]);
    let moves = ["0 takes 0", "cycle: 0 takes 1", "0 takes 2"];
    check_found(&web, Property::Acceptance, ViolationKind::AcceptanceCycle, &moves);
}

/// 1 and 2 are a cycle on which process 0 moves, and `other` on the way back. From everywhere process 1 can escape to
/// node 4, where nothing accepts.
fn two_marks(other: u8) -> Web {
    let arcs = vec![
        arc(0, 0, 1),
        arc(1, 0, 2),
        arc(2, other, 1),
        arc(2, 0, 3),
        arc(3, 0, 3),
        arc(1, 1, 4),
        arc(2, 1, 4),
        arc(3, 1, 4),
        arc(4, 0, 4),
    ];
    accepting(Web::new(5, 2, arcs), &[1, 2, 3])
}

#[test]
fn a_component_needs_all_marks() {
    check_cycles(&two_marks(1), Property::Acceptance, [true, true]);
    check_cycles(&two_marks(0), Property::Acceptance, [true, false]);
}

/// Process 0 sends to process 2, which is ready again at once or, if it `rests`, after a step of its own. Process 1
/// could send, too, and has then reached what it wants.
fn senders(rests: bool) -> Web {
    let to = u32::from(rests);
    let send = |pid, to| Arc { receiver: Some(2), ..arc(0, pid, to) };
    let web = Web::new(3, 3, vec![send(0, to), send(1, 2), arc(1, 2, 0), arc(2, 0, 2)]);
    eventually_always(web, 0b011)
}

#[test]
fn a_sender_is_excused_while_the_receiver_is_not_ready() {
    check_cycles(&senders(true), Property::Claim(0), [true, true]);
    check_cycles(&senders(false), Property::Claim(0), [true, false]);
}

#[test]
fn a_ready_receiver_is_not_enabled_and_both_sides_of_a_rendezvous_move() {
    // Process 0 may send to 1, forever, or to 2.
    let send = |receiver, to| Arc { receiver: Some(receiver), ..arc(0, 0, to) };
    let web = Web::new(2, 3, vec![send(1, 0), send(2, 1), arc(1, 0, 1)]);
    check_cycles(&eventually_always(web, 0b01), Property::Claim(0), [true, true]);
    // Process 1 can always move by itself, but does so only as a receiver: it moves.
    let web = Web::new(2, 2, vec![send(1, 0), arc(0, 1, 1), arc(1, 0, 1)]);
    check_cycles(&eventually_always(web, 0b01), Property::Claim(0), [true, true]);
}

#[test]
fn processes_that_are_gone_are_excused() {
    // In node 0 process 1 can always move; it ends by that, and process 0 goes on alone.
    let mut web = Web::new(2, 2, vec![arc(0, 0, 0), arc(0, 1, 1), arc(1, 0, 1)]);
    web.n_processes[1] = 1;
    check_cycles(&eventually_always(web.clone(), 0b01), Property::Claim(0), [true, false]);
    check_cycles(&eventually_always(web, 0b10), Property::Claim(0), [true, true]);
}

#[test]
fn a_violation_after_all_processes_have_ended_is_found_under_fairness() {
    // n = 1 by process 0 and n = 2 by process 1, in either order; then both end, the younger one first. Nodes 5 and 6
    // are ends with n == 1 and n == 2. Spin's search with fairness finds nothing here.
    let arcs = vec![
        arc(0, 0, 1),
        arc(0, 1, 2),
        arc(1, 1, 4),
        arc(2, 0, 3),
        arc(3, 1, 5),
        arc(4, 1, 6),
        arc(5, 0, 7),
        arc(6, 0, 8),
    ];
    let mut web = Web::new(9, 2, arcs);
    for (node, n) in [(5, 1), (6, 1), (7, 0), (8, 0)] {
        web.n_processes[node] = n;
    }
    // <>[] n == 1 is violated by the run that ends with n == 2: there n != 1 again and again.
    let n_is_1 = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7;
    check_cycles(&eventually_always(web, !n_is_1), Property::Claim(0), [true, true]);
}

#[test]
fn more_processes_than_fit_into_a_word_are_all_served() {
    for n in [31, 32, 33, 70] {
        // All turn on the spot.
        let mut arcs: Vec<Arc> = (0..n).map(|pid| arc(0, pid, 0)).collect();
        let web = accepting(Web::new(1, n, arcs.clone()), &[0]);
        assert_eq!(findings_count(&web, true), [1, 1], "{n} processes");
        // The last one can always move, and that is the end of it.
        arcs[usize::from(n) - 1].to = 1;
        let web = accepting(Web::new(2, n, arcs), &[0]);
        assert_eq!(findings_count(&web, true), [0, 0], "{n} processes");
        assert_eq!(findings_count(&web, false), [1, 1], "{n} processes");
    }
}

/// How much both searches find for acceptance, in webs that are too large for the naive answer.
fn findings_count(web: &Web, fair: bool) -> [usize; 2] {
    BOTH.map(|liveness| {
        let options = options(liveness, fair);
        let (interrupt, mut silent) = (Interrupt::new(), Silent);
        let mut control = Control::new(&options, &interrupt, &mut silent);
        assert!(search_any(&ModelSystems::new(web), Property::Acceptance, &mut control).is_ok());
        control.findings.len()
    })
}

#[test]
fn no_progress_is_a_cycle_only_without_progress_states() {
    let web = Web::new(3, 2, vec![arc(0, 0, 1), arc(1, 0, 0), arc(1, 0, 2), arc(2, 1, 1)]);
    check_cycles(&Web { progress: 0b001, ..web.clone() }, Property::NonProgress, [true, true]);
    check_cycles(&Web { progress: 0b010, ..web }, Property::NonProgress, [false, false]);
    // A busy process beside one that makes progress: the cycle is not fair.
    let busy = Web::new(2, 2, vec![arc(0, 0, 0), arc(1, 0, 1), arc(0, 1, 1), arc(1, 1, 0)]);
    check_cycles(&Web { progress: 0b10, ..busy }, Property::NonProgress, [true, false]);
}

#[test]
fn a_formula_has_its_own_labels_and_a_never_claim_those_of_the_processes_too() {
    let web = accepting(Web::new(1, 1, vec![arc(0, 0, 0)]), &[0]);
    let web = Web { claim: vec![claim_arc(0, 0, ANYWHERE)], ..web };
    check_cycles(&web, Property::Claim(0), [false, false]);
    check_cycles(&web, Property::Claim(1), [true, true]);
}

#[test]
fn a_claim_that_comes_to_its_end_is_violated_at_once() {
    let web = Web::new(3, 1, vec![arc(0, 0, 1), arc(1, 0, 2), arc(2, 0, 0)]);
    let web = Web { claim: vec![claim_arc(0, 0, 0b011), claim_arc(0, END, 0b100)], ..web };
    let moves = ["claim takes 0 to 0", "0 takes 0", "claim takes 0 to 0", "0 takes 1", "claim takes 1 to 4"];
    check_found(&web, Property::Claim(1), ViolationKind::ClaimEnd, &moves);
}

#[test]
fn a_claim_that_cannot_move_cuts_the_run() {
    let fails = Arc { kind: ArcKind::Fails, ..arc(1, 0, 0) };
    let web = Web::new(2, 1, vec![arc(0, 0, 1), fails, arc(1, 0, 0)]);
    let web = Web { claim: vec![claim_arc(0, 2, 0b01), claim_arc(2, 2, 0b01)], ..web };
    check_cycles(&web, Property::Claim(0), [false, false]);
}

#[test]
fn an_assertion_and_a_fault_of_a_claim_are_violations() {
    let web = Web::new(2, 1, vec![arc(0, 0, 1), arc(1, 0, 0)]);
    for (kind, expected) in [
        (ClaimArcKind::Bad, ViolationKind::Assertion),
        (ClaimArcKind::Fails, ViolationKind::Fault(crate::fault::Fault::DivideByZero)),
    ] {
        let wrong = ClaimArc { kind, ..claim_arc(0, 0, 0b10) };
        let web = Web { claim: vec![claim_arc(0, 0, 0b01), wrong], ..web.clone() };
        check_found(&web, Property::Claim(0), expected, &["claim takes 0 to 0", "0 takes 0", "claim takes 1 to 0"]);
    }
}

#[test]
fn a_fault_of_the_model_ends_the_run_and_an_assertion_does_not() {
    let bad = Arc { kind: ArcKind::Bad, ..arc(0, 0, 1) };
    let fails = Arc { kind: ArcKind::Fails, ..arc(1, 0, 1) };
    let web = accepting(Web::new(2, 1, vec![bad, fails]), &[1]);
    let fault = ViolationKind::Fault(crate::fault::Fault::DivideByZero);
    check_found(&web, Property::Acceptance, fault, &["0 takes 0", "0 takes 1"]);
}

#[test]
fn a_claim_moves_through_its_own_atomic_before_the_system_does() {
    let atomic = |from, to, nodes| ClaimArc { kind: ClaimArcKind::Atomic, ..claim_arc(from, to, nodes) };
    let web = Web::new(2, 1, vec![arc(0, 0, 1), arc(1, 0, 1)]);
    // Round and round inside, and out to the accepting place.
    let claim =
        vec![atomic(0, 1, ANYWHERE), atomic(1, 0, ANYWHERE), claim_arc(1, 2, ANYWHERE), claim_arc(2, 2, ANYWHERE)];
    let web = Web { claim, ..web };
    check_cycles(&web, Property::Claim(0), [true, true]);
    let moves = ["claim takes 0 to 1", "claim takes 2 to 2", "0 takes 0", "cycle: claim takes 3 to 2", "0 takes 1"];
    check_found(&web, Property::Claim(0), ViolationKind::AcceptanceCycle, &moves);
    // Blocked inside: the run is cut, the system does not help out.
    let claim = vec![atomic(0, 1, 0b01), claim_arc(1, 2, 0b10), claim_arc(2, 2, ANYWHERE)];
    check_cycles(&Web { claim, ..web }, Property::Claim(0), [false, false]);
}

#[test]
fn timeout_in_a_claim_is_true_when_no_process_can_move_without_it() {
    let timeout = |from, to| ClaimArc { kind: ClaimArcKind::Timeout, ..claim_arc(from, to, ANYWHERE) };
    let claim = vec![claim_arc(0, 0, ANYWHERE), timeout(0, END)];
    // No process uses timeout.
    let web = Web { claim: claim.clone(), ..Web::new(2, 1, vec![arc(0, 0, 1)]) };
    let moves = ["claim takes 0 to 0", "0 takes 0", "claim takes 1 to 4"];
    check_found(&web, Property::Claim(0), ViolationKind::ClaimEnd, &moves);
    // One does.
    let out = Arc { kind: ArcKind::Timeout, ..arc(1, 0, 0) };
    let web = Web { claim: claim.clone(), ..Web::new(2, 1, vec![arc(0, 0, 1), out]) };
    check_found(&web, Property::Claim(0), ViolationKind::ClaimEnd, &moves);
    // Somebody can always move.
    let web = Web { claim, ..Web::new(2, 1, vec![arc(0, 0, 1), arc(1, 0, 0)]) };
    check_cycles(&web, Property::Claim(0), [false, false]);
}

#[test]
fn a_claim_may_change_the_state_before_the_system_moves() {
    // The claim moves the system from node 1 back to 0; without that it would stop in 1.
    let back = ClaimArc { kind: ClaimArcKind::Changing(0), ..claim_arc(0, 2, 0b10) };
    let web = Web::new(2, 1, vec![arc(0, 0, 1)]);
    let web = Web { claim: vec![claim_arc(0, 0, 0b01), back, claim_arc(2, 0, 0b10)], ..web };
    check_cycles(&web, Property::Claim(0), [true, true]);
}

#[test]
fn labels_inside_atomic_are_not_seen() {
    let atomic = Arc { kind: ArcKind::Atomic, ..arc(0, 0, 1) };
    let web = accepting(Web::new(2, 1, vec![atomic, arc(1, 0, 0)]), &[1]);
    check_cycles(&web, Property::Acceptance, [false, false]);
}

#[test]
fn all_movers_of_an_atomic_run_have_moved() {
    // Process 0 goes through two rendezvous without a stop; 1 and 2 could also do something else.
    let first = Arc { kind: ArcKind::Atomic, receiver: Some(1), ..arc(0, 0, 1) };
    let second = Arc { receiver: Some(2), ..arc(1, 0, 0) };
    let web = Web::new(3, 3, vec![first, second, arc(0, 1, 2), arc(0, 2, 2)]);
    check_cycles(&accepting(web, &[0]), Property::Acceptance, [true, true]);
}

#[test]
fn two_steps_to_the_same_state_are_told_apart_by_who_moves() {
    // Both processes turn on the spot: only together they are fair.
    let web = accepting(Web::new(1, 2, vec![arc(0, 0, 0), arc(0, 1, 0)]), &[0]);
    for liveness in BOTH {
        let found = findings(&web, Property::Acceptance, &options(liveness, true));
        assert_eq!(found[0].moves.len(), 2);
    }
}

#[test]
fn hidden_variables_do_not_keep_a_cycle_from_closing() {
    let count = Arc { kind: ArcKind::Hidden, ..arc(1, 0, 0) };
    let web = accepting(Web::new(2, 1, vec![arc(0, 0, 1), count]), &[1]);
    check_cycles(&web, Property::Acceptance, [true, true]);
    check_found(&web, Property::Acceptance, ViolationKind::AcceptanceCycle, &["cycle: 0 takes 0", "0 takes 1"]);
}

#[test]
fn counterexamples_are_short_although_the_search_goes_deep() {
    // A long way round first, for a depth-first search, and a long cycle; and short ones.
    let n = 30;
    let mut arcs: Vec<Arc> = (0..n).map(|node| arc(node, 0, node + 1)).collect();
    arcs.extend([arc(n, 0, 1), arc(0, 0, n), arc(n, 0, n - 1)]);
    let web = accepting(Web::new(n as usize + 1, 1, arcs), &[n]);
    for liveness in BOTH {
        let found = findings(&web, Property::Acceptance, &options(liveness, false));
        assert_eq!((found[0].moves.len(), found[0].cycle_start), (3, Some(1)), "{liveness:?}");
    }
}

/// A ring of many nodes, accepting or not.
fn ring(n: u32, accept: u64) -> Web {
    let arcs = (0..n).map(|node| arc(node, 0, (node + 1) % n)).collect();
    Web { accept, ..Web::new(n as usize, 1, arcs) }
}

#[test]
fn limits_are_kept_and_told() {
    let limits = [
        (Limits { max_states: Some(10), ..Limits::default() }, Stop::MaxStates(10)),
        (Limits { max_depth: Some(10), ..Limits::default() }, Stop::MaxDepth(10)),
        (Limits { max_time: Some(Duration::ZERO), ..Limits::default() }, Stop::MaxTime(Duration::ZERO)),
        (Limits { memory: Some(1000), ..Limits::default() }, Stop::Memory(1000)),
    ];
    for (limits, stop) in limits {
        for (liveness, fair) in BOTH.into_iter().flat_map(|liveness| [(liveness, false), (liveness, true)]) {
            let options = Options { limits: limits.clone(), ask: Ask::Acceptance, ..options(liveness, fair) };
            for threads in [1, 3] {
                let report = check(&ring(64, 0), &Options { threads, ..options.clone() });
                assert_eq!(report.verdict, Verdict::Incomplete, "{stop:?}, {liveness:?}, {threads} threads");
                assert_eq!(report.properties[0].stop, Some(stop));
            }
        }
        let options = Options { limits, ask: Ask::Acceptance, shortest: true, ..options(Liveness::Auto, false) };
        let report = check(&ring(64, 0), &options);
        assert_eq!((report.verdict, report.properties[0].stop), (Verdict::Incomplete, Some(stop)));
    }
}

#[test]
fn the_shortest_lasso_is_not_the_one_with_the_nearest_accepting_state() {
    // At distance 1 an accepting state on a ring of ten; at distance 2 one that turns on the spot.
    let mut arcs: Vec<Arc> = (0..9).map(|node| arc(node, 0, node + 1)).collect();
    arcs.extend([arc(9, 0, 0), arc(0, 0, 10), arc(10, 0, 11), arc(11, 0, 11)]);
    let web = accepting(Web::new(12, 1, arcs), &[1, 11]);
    let options = Options { shortest: true, ..options(Liveness::Auto, false) };
    let found = findings(&web, Property::Acceptance, &options);
    assert_eq!(show(&found[0]), ["0 takes 10", "0 takes 11", "cycle: 0 takes 12"]);
}

#[test]
fn an_interrupt_ends_in_an_honest_report() {
    let interrupt = Interrupt::new();
    interrupt.set();
    for liveness in BOTH {
        let options = Options { ask: Ask::Acceptance, ..options(liveness, false) };
        for threads in [1, 3] {
            let options = Options { threads, ..options.clone() };
            let report = check_with(&ring(64, 1), &options, &interrupt, &mut Silent);
            assert_eq!(report.verdict, Verdict::Incomplete);
            assert_eq!(report.properties[0].stop, Some(Stop::Interrupted));
        }
    }
}

#[test]
fn with_all_errors_the_search_goes_on_behind_a_cycle() {
    // Two components with a cycle each, and an end of the claim.
    let web = Web::new(3, 1, vec![arc(0, 0, 0), arc(0, 0, 1), arc(1, 0, 1), arc(1, 0, 2)]);
    let claim = vec![claim_arc(0, 2, ANYWHERE), claim_arc(2, 2, ANYWHERE), claim_arc(2, END, 0b100)];
    let web = Web { claim, ..web };
    for liveness in BOTH {
        let options = Options { all_errors: true, ..options(liveness, false) };
        let found = findings(&web, Property::Claim(1), &options);
        let kinds: Vec<_> = found.iter().map(|finding| (finding.found.kind.name(), finding.occurrences)).collect();
        assert!(kinds.contains(&("claim", 1)), "{kinds:?}");
        assert!(kinds.iter().any(|&(kind, n)| kind == "acceptance-cycle" && n >= 2), "{kinds:?}");
    }
}
