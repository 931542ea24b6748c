//! Every search of infinite runs against the naive reference, on thousands of random webs.

use super::SearchKind;
use super::control::Control;
use super::naive::{Answer, answer, check_run};
use super::tests::search_any;
use crate::limits::{Interrupt, Limits};
use crate::monitor::Silent;
use crate::options::{Algorithm, Liveness, Options, Store};
use crate::property::Property;
use crate::system::ModelSystems;
use crate::toy::Random;
use crate::toy::web::{Arc, ArcKind, ClaimArc, ClaimArcKind, END, N_PLACES, Web};
use crate::verdict::ViolationKind;

/// What a web may contain beside plain steps.
#[derive(Clone, Copy)]
struct Spice {
    /// Faults, ends and failed assertions of claims: with them few webs have no simple violation.
    wrong: bool,
}

fn random_web(random: &mut Random, spice: Spice) -> Web {
    let n_nodes = 1 + random.below(6);
    let n_processes = 1 + random.below(4) as u8;
    let mut web = Web::new(n_nodes as usize, n_processes, Vec::new());
    if random.percent(20) {
        for node in &mut web.n_processes {
            *node = random.below(u64::from(n_processes) + 1) as u8;
        }
    }
    for _ in 0..random.below(14) {
        let pid = random.below(u64::from(n_processes)) as u8;
        let other = random.below(u64::from(n_processes)) as u8;
        let kind = match random.below(100) {
            0..75 => ArcKind::Plain,
            75..85 => ArcKind::Atomic,
            85..92 => ArcKind::Timeout,
            92..95 => ArcKind::Bad,
            95..98 => ArcKind::Hidden,
            _ if spice.wrong => ArcKind::Fails,
            _ => ArcKind::Plain,
        };
        web.arcs.push(Arc {
            from: random.below(n_nodes) as u32,
            pid,
            to: random.below(n_nodes) as u32,
            receiver: (other != pid && kind != ArcKind::Fails && random.percent(20)).then_some(other),
            kind,
        });
    }
    web.accept = random.bits(30);
    web.progress = random.bits(30);
    for _ in 0..1 + random.below(9) {
        let kind = match random.below(100) {
            0..80 => ClaimArcKind::Plain,
            80..88 => ClaimArcKind::Atomic,
            88..92 => ClaimArcKind::Timeout,
            92..96 => ClaimArcKind::Changing(random.below(n_nodes) as u32),
            96..98 if spice.wrong => ClaimArcKind::Bad,
            98..100 if spice.wrong => ClaimArcKind::Fails,
            _ => ClaimArcKind::Plain,
        };
        let places = if spice.wrong { N_PLACES } else { END };
        web.claim.push(ClaimArc {
            from: random.below(u64::from(END)) as u16,
            to: random.below(u64::from(places)) as u16,
            nodes: random.bits(60),
            kind,
        });
    }
    web
}

const PROPERTIES: [Property; 4] = [Property::Claim(0), Property::Claim(1), Property::Acceptance, Property::NonProgress];

/// Totals of the checks, so that a test can make sure that it tested something.
#[derive(Default, Debug)]
struct Tally {
    violated: [usize; 2],
    holds: [usize; 2],
}

fn check_web(web: &Web, seed: u64, tally: &mut Tally) {
    for property in PROPERTIES {
        let expected = answer(web, property);
        check_shortest(web, seed, property, &expected);
        for fair in [false, true] {
            let expects_cycle = if fair { expected.fair_cycle } else { expected.cycle };
            let count = if expects_cycle { &mut tally.violated } else { &mut tally.holds };
            count[usize::from(fair)] += 1;
            let mut n_alone = None;
            // Fairness is searched on one thread.
            let several = [2, 2, 3, 8][seed as usize % 4];
            let searches = [(Liveness::Nested, 1), (Liveness::Components, 1), (Liveness::Nested, several)];
            for (liveness, threads) in searches.into_iter().take(if fair { 2 } else { 3 }) {
                let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
                let options = Options { fair, liveness, threads, limits, ..Options::default() };
                let (interrupt, mut silent) = (Interrupt::new(), Silent);
                let mut control = Control::new(&options, &interrupt, &mut silent);
                let systems = ModelSystems::new(web);
                let searched = search_any(&systems, property, &mut control);
                let counts = searched.expect("it can be checked").counts;
                let what = format!("seed {seed}, {property:?}, fair: {fair}, {liveness:?}, {threads} threads: {web:?}");
                assert_eq!(control.errors > 0, expected.wrong || expects_cycle, "{expected:?}, {what}");
                if control.errors == 0 && !fair {
                    let figures = (counts.states_stored, counts.transitions);
                    assert_eq!(figures, *n_alone.get_or_insert(figures), "{what}");
                }
                for finding in &control.findings {
                    let is_cycle = finding.cycle_start.is_some();
                    assert!(if is_cycle { expects_cycle } else { expected.wrong }, "{what}");
                    let kind = match property {
                        Property::NonProgress => ViolationKind::NonProgressCycle,
                        _ => ViolationKind::AcceptanceCycle,
                    };
                    assert_eq!(is_cycle, finding.found.kind == kind, "{what}");
                    let run = std::panic::catch_unwind(|| {
                        check_run(web, property, fair, finding.found, &finding.moves, finding.cycle_start)
                    });
                    assert!(run.is_ok(), "{:?}, {:?}, {what}", finding.moves, finding.cycle_start);
                }
            }
        }
    }
}

/// If there is no other violation: the lasso of the shortest search is as short as that of the naive reference.
fn check_shortest(web: &Web, seed: u64, property: Property, expected: &Answer) {
    let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
    let options = Options { shortest: true, limits, ..Options::default() };
    let (interrupt, mut silent) = (Interrupt::new(), Silent);
    let mut control = Control::new(&options, &interrupt, &mut silent);
    assert!(search_any(&ModelSystems::new(web), property, &mut control).is_ok());
    let what = format!("seed {seed}, {property:?}, shortest: {web:?}");
    assert_eq!(control.errors > 0, expected.wrong || expected.cycle, "{expected:?}, {what}");
    if expected.wrong {
        return;
    }
    let length = control
        .findings
        .first()
        .map(|finding| check_run(web, property, false, finding.found, &finding.moves, finding.cycle_start));
    assert_eq!(length, expected.shortest, "{what}");
}

/// The claim that only its end violates: searched as safety, with every search and kind of store. Returns whether it is
/// violated.
fn check_end(web: &Web, seed: u64) -> bool {
    let property = Property::Claim(2);
    let expected = answer(web, property);
    let mut figures = None;
    let mut lengths = Vec::new();
    for (algorithm, threads, store) in [
        (Algorithm::BreadthFirst, 1, Store::Exact),
        (Algorithm::BreadthFirst, 3, Store::Exact),
        (Algorithm::BreadthFirst, 1, Store::Compact),
        (Algorithm::BreadthFirst, 2, Store::Bitstate(None)),
        (Algorithm::DepthFirst, 1, Store::Exact),
        (Algorithm::DepthFirst, 1, Store::Auto),
        (Algorithm::Auto, 1, Store::Auto),
    ] {
        let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
        let options = Options { algorithm, threads, store, limits, ..Options::default() };
        let (interrupt, mut silent) = (Interrupt::new(), Silent);
        let mut control = Control::new(&options, &interrupt, &mut silent);
        let systems = ModelSystems::new(web);
        let searched = search_any(&systems, property, &mut control).expect("it can be checked");
        let what = format!("seed {seed}, {algorithm:?}, {store:?}, {threads} threads: {web:?}");
        assert!(matches!(searched.kind, SearchKind::Safety(_)), "{what}");
        assert_eq!(control.errors > 0, expected.wrong, "{expected:?}, {what}");
        if !expected.wrong {
            let counts = (searched.counts.states_stored, searched.counts.transitions);
            assert_eq!(counts, *figures.get_or_insert(counts), "{what}");
        }
        for finding in &control.findings {
            assert_eq!(finding.cycle_start, None, "{what}");
            check_run(web, property, false, finding.found, &finding.moves, None);
            if algorithm != Algorithm::DepthFirst {
                lengths.push(finding.moves.iter().filter(|made| made.is_step()).count());
            }
        }
    }
    // Atomic steps are not counted by levels, so that lengths may differ by their number.
    let is_plain = web.arcs.iter().all(|arc| arc.kind != ArcKind::Atomic);
    assert!(!is_plain || lengths.windows(2).all(|pair| pair[0] == pair[1]), "{lengths:?}, seed {seed}, {web:?}");
    expected.wrong
}

#[test]
fn a_claim_that_only_its_end_violates_is_searched_as_safety() {
    let mut counts = [0; 2];
    for seed in 0..1500 {
        let web = random_web(&mut Random(seed), Spice { wrong: seed % 4 != 0 });
        counts[usize::from(check_end(&web, seed))] += 1;
    }
    assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
}

#[test]
fn all_searches_agree_with_the_naive_answer() {
    let mut tally = Tally::default();
    for seed in 0..2000 {
        let mut random = Random(seed);
        let web = random_web(&mut random, Spice { wrong: seed % 4 == 0 });
        check_web(&web, seed, &mut tally);
    }
    // Some webs have violations and some have none, with fairness and without.
    assert!(tally.violated.iter().chain(&tally.holds).all(|&n| n > 500), "{tally:?}");
}
