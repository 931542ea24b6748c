//! The searches for safety on hand-written models, also with several threads: counts, shortest trails, limits, interrupts.

use super::control::Control;
use super::{Searched, safety, search_property};
use crate::fault::Fault;
use crate::limits::{Interrupt, Limits, Stop};
use crate::monitor::Silent;
use crate::options::{Algorithm, Options};
use crate::property::Property;
use crate::reduction::Independence;
use crate::store::Storable;
use crate::system::{ModelSystems, ProductSystems};
use crate::toy::{Counters, Edge, Graph, Ranked, check, check_with};
use crate::verdict::{PropertyReport, Report, Verdict, ViolationKind};
use crate::walk::follow;
use Edge::{Atomic, Bad, Fails, Hidden, Plain, Timeout};
use std::time::Duration;

/// As in a program that has the searches for all properties.
pub(super) fn search_any<'s, P: Storable>(
    systems: &'s dyn ProductSystems<P>,
    property: Property,
    control: &mut Control<'_>,
) -> Result<Searched<'s>, &'static str> {
    search_property(systems, Some(safety::search_claim), property, control)
}

/// A search algorithm, and its number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SearchMode {
    algorithm: Algorithm,
    threads: usize,
}

const fn breadth_first(threads: usize) -> SearchMode {
    SearchMode { algorithm: Algorithm::BreadthFirst, threads }
}

const DEPTH_FIRST: SearchMode = SearchMode { algorithm: Algorithm::DepthFirst, threads: 1 };

/// These models have no control flow to guide a search, so that both take states in the order of their depth.
const GREEDY: SearchMode = SearchMode { algorithm: Algorithm::Guided, threads: 1 };
const A_STAR: SearchMode = SearchMode { algorithm: Algorithm::AStar, threads: 1 };

const MODES: [SearchMode; 7] =
    [breadth_first(1), DEPTH_FIRST, breadth_first(2), breadth_first(3), breadth_first(4), GREEDY, A_STAR];

fn all_errors(mode: SearchMode) -> Options {
    Options { all_errors: true, ..first_error(mode) }
}

fn first_error(mode: SearchMode) -> Options {
    Options { algorithm: mode.algorithm, threads: mode.threads, ..Options::default() }
}

fn limited(mode: SearchMode, limits: Limits) -> Options {
    Options { limits, ..all_errors(mode) }
}

/// These models have no claims: safety is the only property.
#[track_caller]
fn only(report: &Report) -> &PropertyReport {
    let [safety] = &report.properties[..] else { panic!("{report:?}") };
    safety
}

fn figures(report: &Report) -> (u64, u64, u64) {
    (only(report).statistics.states_stored, only(report).statistics.transitions, report.errors())
}

/// Stored states, transitions and errors, in both searches, with all errors.
#[track_caller]
fn check_figures(edges: &[(u32, u32, Edge)], ends: &[u32], expected: (u64, u64, u64)) {
    for mode in MODES {
        let report = check(&Graph::new(edges, ends), &all_errors(mode));
        assert_eq!(figures(&report), expected, "{mode:?}");
        check_trails(&Graph::new(edges, ends), &report);
    }
}

/// Every trail can be followed.
#[track_caller]
fn check_trails<M: Independence>(model: &M, report: &Report) {
    for violation in report.violations() {
        assert!(follow(&ModelSystems::new(model), &violation.trail.moves).is_some(), "{violation:?}");
    }
}

#[test]
fn the_initial_state_counts_as_a_transition() {
    check_figures(&[], &[0], (1, 1, 0));
}

#[test]
fn identical_edges_are_separate_transitions() {
    check_figures(&[(0, 1, Plain), (0, 1, Plain), (1, 0, Plain)], &[], (2, 4, 0));
}

#[test]
fn states_inside_atomic_are_neither_stored_nor_counted() {
    check_figures(&[(0, 1, Atomic), (1, 2, Atomic), (2, 3, Plain)], &[3], (2, 2, 0));
}

#[test]
fn every_choice_inside_atomic_is_an_arrival() {
    let edges = [(0, 1, Atomic), (0, 2, Atomic), (1, 3, Plain), (1, 4, Plain), (2, 3, Plain)];
    check_figures(&edges, &[3, 4], (3, 4, 0));
}

#[test]
fn a_blocked_atomic_is_stored() {
    check_figures(&[(0, 1, Atomic), (1, 2, Atomic)], &[2], (2, 2, 0));
}

#[test]
fn a_blocked_atomic_is_an_end_state_like_others() {
    check_figures(&[(0, 1, Atomic)], &[], (2, 2, 1));
}

#[test]
fn a_cycle_inside_atomic_ends() {
    for mode in MODES {
        let edges = [(0, 1, Atomic), (1, 2, Atomic), (2, 1, Atomic), (2, 3, Plain)];
        let report = check(&Graph::new(&edges, &[3]), &all_errors(mode));
        assert_eq!((report.verdict, only(&report).statistics.states_stored), (Verdict::Verified, 2));
        assert_eq!(report.warnings.len(), 1, "{:?}", report.warnings);
    }
}

#[test]
fn many_ways_round_inside_atomic_end_too() {
    // Twelve nodes, each with an edge to each: too many paths to enumerate.
    let mut edges = vec![(0, 1, Atomic)];
    for from in 1..=12 {
        edges.extend((1..=12).map(|to| (from, to, Atomic)));
    }
    edges.push((12, 13, Plain));
    for mode in MODES {
        let report = check(&Graph::new(&edges, &[13]), &all_errors(mode));
        assert_eq!((report.verdict, only(&report).statistics.states_stored), (Verdict::Verified, 2));
    }
}

/// An atomic sequence of `n` choices between two branches that join again.
fn diamonds(n: u32) -> Graph {
    let mut edges = vec![(0, 1, Atomic)];
    for level in 0..n {
        let from = 1 + 3 * level;
        let to = if level + 1 == n { Plain } else { Atomic };
        for side in [from + 1, from + 2] {
            edges.extend([(from, side, Atomic), (side, from + 3, to)]);
        }
    }
    Graph::new(&edges, &[1 + 3 * n])
}

#[test]
fn many_ways_through_an_atomic_are_many_transitions() {
    for mode in MODES {
        let report = check(&diamonds(14), &all_errors(mode));
        assert_eq!(figures(&report), (2, 1 + (1 << 14), 0));
    }
}

#[test]
fn more_ways_through_an_atomic_than_can_be_walked_meet_a_limit() {
    let limits = Limits { memory: Some(1 << 20), max_time: Some(Duration::from_millis(200)), ..Limits::default() };
    for mode in MODES {
        let report = check(&diamonds(60), &limited(mode, limits.clone()));
        assert_eq!(report.verdict, Verdict::Incomplete);
    }
}

#[test]
fn a_long_atomic_without_a_cycle_is_exact() {
    let mut edges: Vec<_> = (0..2_000).map(|n| (n, n + 1, Atomic)).collect();
    edges.push((2_000, 2_001, Plain));
    edges.push((1_999, 2_001, Plain));
    check_figures(&edges, &[2_001], (2, 3, 0));
}

#[test]
fn a_violated_assertion_is_counted_and_the_step_taken() {
    check_figures(&[(0, 1, Bad), (1, 2, Plain), (0, 2, Bad)], &[2], (3, 4, 2));
}

#[test]
fn a_fault_is_counted_and_the_step_not_taken() {
    let fault = Fault::ArrayIndex { index: 3, length: 3 };
    check_figures(&[(0, 1, Fails(fault)), (0, 2, Plain)], &[2], (2, 2, 1));
}

#[test]
fn a_process_that_fails_is_stuck() {
    let fault = Fault::UninitializedChannel;
    check_figures(&[(0, 1, Fails(fault))], &[], (1, 1, 2));
    // Not reported again when the state is asked once more with timeout, nor when an atomic sequence is released there.
    check_figures(&[(0, 1, Atomic), (1, 2, Fails(fault)), (1, 3, Timeout)], &[3], (3, 3, 1));
    for mode in MODES {
        let report = check(&Graph::new(&[(0, 1, Fails(fault))], &[]), &first_error(mode));
        assert_eq!((only(&report).violations[0].found.kind, report.errors()), (ViolationKind::Fault(fault), 1));
    }
}

#[test]
fn some_faults_end_the_search_where_depth_first_search_meets_them() {
    let edges = [(0, 1, Plain), (1, 2, Plain), (0, 3, Fails(Fault::DStepBlocks)), (0, 4, Plain)];
    let report = check(&Graph::new(&edges, &[2, 4]), &all_errors(DEPTH_FIRST));
    assert_eq!((figures(&report), only(&report).stop), ((3, 3, 1), Some(Stop::Violation)));
}

#[test]
fn priority_goes_before_atomic() {
    // Spin's figures for this model.
    for mode in MODES {
        assert_eq!(figures(&check(&Ranked, &all_errors(mode))), (12, 12, 0));
    }
}

#[test]
fn timeout_is_true_only_if_nothing_else_can_be_done() {
    check_figures(&[(0, 1, Plain), (0, 2, Timeout), (1, 3, Timeout)], &[3], (3, 3, 0));
}

#[test]
fn deadlocks_are_found_unless_switched_off() {
    let graph = Graph::new(&[(0, 1, Plain), (0, 2, Plain), (2, 3, Plain)], &[1]);
    for mode in MODES {
        let report = check(&graph, &first_error(mode));
        assert_eq!(
            (report.verdict, only(&report).violations[0].found.kind),
            (Verdict::Violated, ViolationKind::InvalidEndState)
        );
        assert_eq!(only(&report).violations[0].message, "invalid end state: process 0 (walker) waits at graph.pml:1");
        let off = Options { check_end_states: false, ..first_error(mode) };
        assert_eq!(check(&graph, &off).verdict, Verdict::Verified);
    }
}

#[test]
fn assertions_can_be_switched_off() {
    let off = Options { check_assertions: false, ..Options::default() };
    check(&Graph::new(&[(0, 1, Bad)], &[1]), &off).assert_verified();
}

#[test]
fn leftover_messages_are_a_violation_if_asked() {
    let graph = Graph::new(&[(0, 100, Plain)], &[100]);
    for mode in MODES {
        check(&graph, &first_error(mode)).assert_verified();
        let asked = Options { check_leftover_messages: true, ..first_error(mode) };
        assert_eq!(only(&check(&graph, &asked)).violations[0].found.kind, ViolationKind::LeftoverMessages);
    }
}

#[test]
fn breadth_first_search_finds_a_shortest_trail() {
    let edges = [(0, 1, Plain), (1, 2, Plain), (2, 3, Plain), (3, 4, Bad), (0, 5, Plain), (5, 6, Bad)];
    let graph = Graph::new(&edges, &[4, 6]);
    let steps = |mode| only(&check(&graph, &first_error(mode))).violations[0].trail.n_steps();
    assert_eq!(MODES.map(steps), [2, 4, 2, 2, 2, 2, 2]);
}

#[test]
fn a_trail_goes_through_atomic_sequences() {
    let edges = [(0, 1, Atomic), (1, 2, Atomic), (2, 3, Plain), (3, 4, Atomic), (4, 5, Bad)];
    for mode in MODES {
        let graph = Graph::new(&edges, &[5]);
        let report = check(&graph, &first_error(mode));
        assert_eq!(only(&report).violations[0].trail.n_steps(), 5);
        check_trails(&graph, &report);
    }
}

#[test]
fn hidden_variables_are_carried_along_but_do_not_split_states() {
    check_figures(&[(0, 1, Hidden), (0, 1, Plain), (1, 2, Hidden)], &[2], (3, 4, 0));
}

#[test]
fn a_match_with_other_hidden_values_is_told_by_every_search() {
    let differs = Graph::new(&[(0, 1, Hidden), (0, 1, Plain), (1, 2, Plain)], &[2]);
    let agrees = Graph::new(&[(0, 1, Hidden), (0, 1, Hidden), (1, 2, Plain)], &[2]);
    for mode in MODES {
        let [other, same] = [&differs, &agrees].map(|graph| check(graph, &all_errors(mode)));
        assert_eq!((other.verdict, other.is_complete(), other.hidden_differed()), (Verdict::Verified, false, true));
        assert!(only(&other).odds().is_some_and(|lines| lines[0].contains("hidden")));
        assert_eq!((same.verdict, same.is_complete(), only(&same).odds()), (Verdict::Verified, true, None));
    }
}

#[test]
fn states_that_grow_are_counted_right() {
    // 1 + 2 + ... processes, each with 0..=2: 3 + 9 + 27 states.
    let model = Counters { n: 3, limit: 2, bad: None };
    for mode in MODES {
        let report = check(&model, &all_errors(mode));
        assert_eq!((only(&report).statistics.states_stored, report.verdict), (39, Verdict::Verified));
        assert_eq!(only(&report).statistics.state_bytes, 4);
        assert_eq!(only(&report).reached, [true, true, false]);
    }
}

#[test]
fn all_searches_agree_on_states_transitions_and_errors() {
    let model = Counters { n: 3, limit: 3, bad: Some(4) };
    let expected = figures(&check(&model, &all_errors(DEPTH_FIRST)));
    for mode in MODES {
        let report = check(&model, &all_errors(mode));
        assert_eq!(figures(&report), expected, "{mode:?}");
        assert!(report.errors() > 1 && only(&report).violations.len() == 1);
        assert_eq!(only(&report).violations[0].occurrences, report.errors());
        // One process can count to three, so a second one has to be started.
        if mode != DEPTH_FIRST {
            assert_eq!(only(&report).violations[0].trail.n_steps(), 5);
        }
        check_trails(&model, &report);
    }
}

#[test]
fn a_state_limit_is_kept_and_told() {
    let model = Counters { n: 3, limit: 9, bad: None };
    for mode in MODES {
        let report = check(&model, &limited(mode, Limits { max_states: Some(100), ..Limits::default() }));
        assert_eq!((report.verdict, only(&report).stop), (Verdict::Incomplete, Some(Stop::MaxStates(100))));
        assert_eq!(only(&report).statistics.states_stored, 100);
        // A limit that equals the number of states does not cut the search.
        let report = check(&model, &limited(mode, Limits { max_states: Some(1110), ..Limits::default() }));
        assert_eq!((report.verdict, only(&report).statistics.states_stored), (Verdict::Verified, 1110));
    }
}

#[test]
fn a_depth_limit_is_kept_and_told() {
    let model = Counters { n: 1, limit: 9, bad: None };
    for mode in MODES {
        let report = check(&model, &limited(mode, Limits { max_depth: Some(5), ..Limits::default() }));
        assert_eq!((report.verdict, only(&report).stop), (Verdict::Incomplete, Some(Stop::MaxDepth(5))));
        assert_eq!(only(&report).statistics.depth, 5);
        let report = check(&model, &limited(mode, Limits { max_depth: Some(9), ..Limits::default() }));
        assert_eq!((report.verdict, only(&report).statistics.depth), (Verdict::Verified, 9));
    }
}

#[test]
fn a_memory_limit_is_kept_and_told() {
    let model = Counters { n: 5, limit: 9, bad: None };
    for mode in MODES {
        let report = check(&model, &limited(mode, Limits { memory: Some(300_000), ..Limits::default() }));
        assert_eq!(report.verdict, Verdict::Incomplete);
        assert!(matches!(only(&report).stop, Some(Stop::Memory(_))), "{:?}", only(&report).stop);
    }
}

#[test]
fn no_time_is_no_proof() {
    let model = Counters { n: 2, limit: 9, bad: None };
    for mode in MODES {
        let report = check(&model, &limited(mode, Limits { max_time: Some(Duration::ZERO), ..Limits::default() }));
        assert_eq!((report.verdict, only(&report).stop), (Verdict::Incomplete, Some(Stop::MaxTime(Duration::ZERO))));
    }
}

#[test]
fn an_interrupt_ends_in_an_honest_report() {
    let interrupt = Interrupt::new();
    interrupt.set();
    for mode in MODES {
        let model = Counters { n: 2, limit: 9, bad: None };
        let report = check_with(&model, &all_errors(mode), &interrupt, &mut Silent);
        assert_eq!((report.verdict, only(&report).stop), (Verdict::Incomplete, Some(Stop::Interrupted)));
    }
}

#[test]
fn violations_found_before_a_limit_are_still_violations() {
    let model = Counters { n: 3, limit: 9, bad: Some(1) };
    for mode in MODES {
        let report = check(&model, &limited(mode, Limits { max_states: Some(50), ..Limits::default() }));
        assert_eq!(report.verdict, Verdict::Violated);
        assert_eq!(only(&report).stop, Some(Stop::MaxStates(50)));
    }
}
