//! The searches for safety with every store: equal counts if the store is exact, an omission probability if it is not.

use crate::limits::{Limits, Stop};
use crate::options::{Algorithm, Options, Store};
use crate::reduction::Independence;
use crate::store::Storable;
use crate::toy::{Counters, check};
use crate::verdict::{Report, Verdict};

const ALL: [Store; 6] =
    [Store::Auto, Store::Exact, Store::Tree, Store::Compact, Store::HashCompact(Some(40)), Store::Bitstate(Some(5))];

/// Some hundred states of different sizes, optionally one with a violation.
fn counters(bad: Option<u32>) -> Counters {
    Counters { n: 4, limit: 4, bad }
}

/// Tables that do not grow take three quarters of a megabyte.
fn options(store: Store, algorithm: Algorithm, threads: usize) -> Options {
    let limits = Limits { memory: Some(4 << 20), ..Limits::default() };
    Options { store, algorithm, threads, limits, all_errors: true, ..Options::default() }
}

/// Runs each store and each search, and compares with exact storage.
fn check_each(model: &impl Independence<Packed: Storable>, look: impl Fn(Store, &Report, &Report)) {
    for (algorithm, threads) in
        [(Algorithm::BreadthFirst, 1), (Algorithm::BreadthFirst, 3), (Algorithm::DepthFirst, 1), (Algorithm::Guided, 1)]
    {
        let exact = check(model, &options(Store::Exact, algorithm, threads));
        for store in ALL {
            look(store, &exact, &check(model, &options(store, algorithm, threads)));
        }
    }
}

fn figures(report: &Report) -> [u64; 4] {
    let figures = &report.properties[0].statistics;
    [figures.states_stored, figures.transitions, figures.depth, report.errors()]
}

/// Collisions are so unlikely here that lossy stores count alike, too.
#[test]
fn every_store_finds_the_same() {
    for bad in [None, Some(9)] {
        check_each(&counters(bad), |store, exact, report| {
            assert_eq!(figures(report), figures(exact), "{store:?}");
            assert_eq!(report.verdict, exact.verdict, "{store:?}");
            let name = report.properties[0].statistics.storage;
            let chosen = if store == Store::Auto { "exact" } else { store.name() };
            assert_eq!(name, chosen);
        });
    }
}

#[test]
fn what_may_have_missed_states_says_so() {
    check_each(&counters(None), |store, _, report| {
        assert_eq!(report.verdict, Verdict::Verified);
        assert_eq!(report.is_complete(), !store.is_lossy(), "{store:?}");
        assert_eq!(report.omission_probability().is_some(), store.is_lossy(), "{store:?}");
        let odds = report.properties[0].odds();
        assert_eq!(odds.is_some_and(|lines| lines[0].starts_with("states may have been missed")), store.is_lossy());
    });
    // A violation that a lossy search finds is real.
    let report = check(&counters(Some(9)), &options(Store::Bitstate(None), Algorithm::BreadthFirst, 1));
    assert_eq!((report.verdict, report.properties[0].odds()), (Verdict::Violated, None));
}

#[test]
fn a_choice_is_announced() {
    let report = check(&counters(None), &Options { expect_states: Some(u64::MAX), ..Options::default() });
    assert_eq!(report.properties[0].statistics.storage, "compact");
    assert_eq!(report.properties[0].statistics.storage_notes, ["chosen since so many states are expected"]);
    let report = check(&counters(None), &options(Store::Bitstate(None), Algorithm::BreadthFirst, 1));
    assert_eq!(report.properties[0].statistics.storage_notes, ["3 bits for each state, in 3 MB"]);
}

/// 1,296 states in about as many bits.
#[test]
fn a_table_that_is_too_small_misses_states_and_the_odds_tell() {
    let model = Counters { n: 4, limit: 5, bad: None };
    let limits = Limits { memory: Some(280), ..Limits::default() };
    let report = check(&model, &Options { limits, ..options(Store::Bitstate(Some(2)), Algorithm::DepthFirst, 1) });
    let exact = check(&model, &options(Store::Exact, Algorithm::DepthFirst, 1));
    assert!(figures(&report)[0] < figures(&exact)[0]);
    // The limit leaves no memory for the stacks, so that the search may not even finish.
    assert!(matches!(report.properties[0].stop, None | Some(Stop::Memory(_))));
    assert!(report.omission_probability().is_some_and(|odds| odds > 0.01), "{:?}", report.omission_probability());
}

#[test]
fn who_has_no_room_for_a_level_hears_what_would_fit() {
    let model = Counters { n: 6, limit: 5, bad: None };
    let limits = Limits { memory: Some(300 << 10), ..Limits::default() };
    let run = |store, algorithm| check(&model, &Options { limits: limits.clone(), ..options(store, algorithm, 1) });
    let has_advice = |report: &Report| {
        let notes = &report.properties[0].statistics.storage_notes;
        notes.iter().any(|note| note.contains("--search dfs"))
    };
    let report = run(Store::Bitstate(None), Algorithm::BreadthFirst);
    assert!(matches!(report.properties[0].stop, Some(Stop::Memory(_))) && has_advice(&report));
    let report = run(Store::Bitstate(None), Algorithm::DepthFirst);
    assert!(report.properties[0].stop.is_none() && !has_advice(&report));
    let report = run(Store::Exact, Algorithm::BreadthFirst);
    assert!(matches!(report.properties[0].stop, Some(Stop::Memory(_))) && !has_advice(&report));
}
