//! Every model of the benchmarks at its smallest size has the states that Spin counted.

use benchmarks::catalogue::{Scale, instances};
use pmc::driver::{Options, Simplify};
use snapshot_tests::batch::{Batch, Figures, Member};

#[test]
fn verifiers_count_what_spin_counted() {
    let small: Vec<_> = instances().into_iter().filter(|instance| instance.scale == Scale::Small).collect();
    let members: Vec<Member> = small
        .iter()
        .map(|instance| Member {
            name: instance.model.clone(),
            path: instance.path(),
            options: Options { defines: instance.defines.clone(), simplify: Simplify::NONE, ..Options::default() },
        })
        .collect();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("benchmark-counts");
    let batch = Batch::build(&folder, &members).expect("the models compile");
    for instance in &small {
        let figures = batch.figures(&instance.model, &["--safety", "--no-reduction"]).expect("it runs");
        let expected = Figures { states: instance.states, transitions: instance.transitions, errors: 0 };
        assert_eq!(figures, expected, "{} {}", instance.model, instance.size());
    }
}
