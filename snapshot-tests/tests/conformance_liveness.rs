//! Generated verifiers on what the models say about infinite runs: the verdicts of the explicit product, which
//! `conformance_claims.rs` compares with Spin's, from every search, and counterexamples that replay.

use std::collections::BTreeSet;
use std::path::Path;

use pmc::driver;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::expected::{self, Row};
use snapshot_tests::expected_claims::liveness_rows;
use snapshot_tests::infinite_runs::searches_agree;

fn batch(rows: &[Row]) -> Batch {
    let models: BTreeSet<&str> = rows.iter().map(|row| row.model.as_str()).collect();
    let member = |model: &&str| Member {
        name: (*model).to_owned(),
        path: expected::folder().join(format!("{model}.pml")),
        options: driver::Options::default(),
    };
    let members: Vec<Member> = models.iter().map(member).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance_liveness");
    Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn verifiers_give_the_verdicts_of_the_product_and_lassos_that_replay() {
    let rows = liveness_rows();
    let batch = batch(&rows);
    let (mut wrong, mut n_smaller) = (Vec::new(), 0);
    for row in &rows {
        match searches_agree(&batch, row) {
            Ok(is_smaller) => n_smaller += usize::from(is_smaller),
            Err(why) => wrong.push(format!("{} ({}): {why}", row.model, row.mode)),
        }
    }
    println!("{} rows, fewer states with a reduction in {n_smaller}", rows.len());
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(n_smaller > 0, "no reduction ever left out anything");
}
