//! `cargo run -p snapshot-tests --example random_model SEED`: the model of a seed.

fn main() {
    for seed in std::env::args().skip(1).filter_map(|seed| seed.parse().ok()) {
        println!("{}", snapshot_tests::random_model::random_model(seed));
    }
}
