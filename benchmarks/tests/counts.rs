//! Every model of the benchmarks at its smallest size: the states that Spin counted, and the same counts from both engines.

use std::path::Path;
use std::sync::OnceLock;

use benchmarks::catalogue::{Instance, Scale, instances};
use pmc::driver::{Options, Simplify};
use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::engine::give_the_same;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};

fn small() -> Vec<Instance> {
    instances().into_iter().filter(|instance| instance.scale == Scale::Small).collect()
}

fn member(instance: &Instance) -> Member {
    Member {
        name: instance.model.clone(),
        path: instance.path(),
        options: Options { defines: instance.defines.clone(), simplify: Simplify::NONE, ..Options::default() },
    }
}

/// All models, built once for the tests in this file.
fn batch() -> &'static Batch {
    static BATCH: OnceLock<Batch> = OnceLock::new();
    BATCH.get_or_init(|| {
        let members: Vec<Member> = small().iter().map(member).collect();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("benchmark-counts");
        Batch::build(&folder, &members).expect("the models compile")
    })
}

#[test]
fn verifiers_count_what_spin_counted() {
    for instance in small() {
        let figures = batch().figures(&instance.model, &["--safety", "--no-reduction"]).expect("it runs");
        let expected = Figures { states: instance.states, transitions: instance.transitions, errors: 0 };
        assert_eq!(figures, expected, "{} {}", instance.model, instance.size());
    }
}

/// The throttle of the reduction begins to matter after some thousand states, and must not depend on how an engine packs
/// them.
#[test]
fn both_engines_reduce_alike() {
    let small = small();
    let compared = on_all_cores(&small, |instance| {
        Interpreted::with(&member(instance), |interpreted| {
            for search in [&["--search", "bfs"][..], &["--search", "auto"], &["--search", "dfs", "--safety"]] {
                let flags = [search, &["--threads", "1"]].concat();
                give_the_same(batch(), interpreted, &instance.model, &flags)?;
            }
            Ok(())
        })
    });
    let failed = small.iter().zip(compared).filter_map(|(of, result)| Some(format!("{}: {}", of.model, result.err()?)));
    let wrong: Vec<String> = failed.collect();
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), small.len(), wrong.join("\n"));
}
