//! The portfolio against breadth-first search alone, on random graphs that are large enough for the probe to begin.

use crate::options::{Algorithm, Options};
use crate::system::ModelSystems;
use crate::toy::Edge::{Atomic, Bad, Plain};
use crate::toy::{Edge, Graph, Random, check};
use crate::verdict::{ProbeOutcome, Report, Verdict};
use crate::walk::follow;

/// Nodes mostly lead to near ones, so that some are deep; few lead far ahead or back.
fn random_graph(random: &mut Random, atomic_percent: u64) -> Vec<(u32, u32, Edge)> {
    let n = 1_500 + random.below(1_000) as u32;
    let reach = 1 + random.below(40);
    let mut edges = Vec::new();
    for from in 0..n {
        edges.push((from, (from + 1) % n, Plain));
        for _ in 0..random.below(3) {
            let near = from + 1 + random.below(reach) as u32;
            let to = if random.percent(97) { near % n } else { random.below(u64::from(n)) as u32 };
            edges.push((from, to, if random.percent(atomic_percent) { Atomic } else { Plain }));
        }
    }
    for _ in 0..random.below(3) {
        let from = n / 2 + random.below(u64::from(n / 2)) as u32;
        edges.push((from, from + 1, Bad));
    }
    edges
}

fn searched(graph: &Graph, algorithm: Algorithm, threads: usize, seed: u64) -> Report {
    check(graph, &Options { algorithm, threads, seed, ..Options::default() })
}

fn n_steps(report: &Report) -> Option<usize> {
    report.violations().next().map(|violation| violation.trail.moves.len())
}

#[test]
fn the_portfolio_answers_as_breadth_first_search_does() {
    // By the outcome of the probe.
    let (mut nothing, mut violation, mut proof, mut longer) = (0, 0, 0, 0);
    for seed in 0..40 {
        let has_atomic = seed % 2 == 0;
        let edges = random_graph(&mut Random(seed), if has_atomic { 5 } else { 0 });
        let graph = Graph::new(&edges, &[]);
        let plain = searched(&graph, Algorithm::BreadthFirst, 1, 1);
        for threads in [1, 2] {
            let report = searched(&graph, Algorithm::Auto, threads, seed);
            assert_eq!(report.verdict, plain.verdict, "seed {seed}, {threads} threads");
            for found in report.violations() {
                assert!(follow(&ModelSystems::new(&graph), &found.trail.moves).is_some(), "{found:?}");
            }
            let figures = |report: &Report| {
                let statistics = &report.properties[0].statistics;
                (statistics.states_stored, statistics.transitions)
            };
            if report.verdict == Verdict::Verified {
                assert_eq!(figures(&report), figures(&plain), "seed {seed}, {threads} threads");
            }
            // Random walks get their part soon, however long the walk in order goes on.
            if let Some(probe) = report.properties[0].statistics.probe.filter(|probe| probe.transitions > 500) {
                assert!(probe.walks > 1, "seed {seed}, {threads} threads: {probe:?}");
            }
            let is_longer = report.warnings.iter().any(|warning| warning.contains("may not be the shortest"));
            // Breadth-first search counts states and not the steps inside atomic sequences.
            match is_longer {
                _ if has_atomic => {}
                true => assert!(n_steps(&report) >= n_steps(&plain), "seed {seed}, {threads} threads"),
                false => assert_eq!(n_steps(&report), n_steps(&plain), "seed {seed}, {threads} threads"),
            }
            longer += usize::from(is_longer);
            match report.properties[0].statistics.probe.map(|probe| probe.outcome) {
                Some(ProbeOutcome::Violation) => violation += 1,
                Some(ProbeOutcome::Proof) => proof += 1,
                Some(ProbeOutcome::Nothing) => nothing += 1,
                // Breadth-first search was done before.
                None => {}
            }
        }
        // One thread and one seed: one course.
        let once = || format!("{:?}", searched(&graph, Algorithm::Auto, 1, seed).properties[0].violations);
        assert_eq!(once(), once());
    }
    println!("nothing {nothing}, violation {violation}, proof {proof}, longer {longer}");
    assert!(nothing > 10 && violation > 1, "{nothing}, {violation}, {proof}");
}
