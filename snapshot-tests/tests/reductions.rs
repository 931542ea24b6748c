//! What reductions save: figures that are known from elsewhere.

use std::path::{Path, PathBuf};

use pmc::driver::{Options, Simplify};
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::expected;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the models");
    folder
}

/// A model of `models/` with macros, every step kept.
fn member(name: &str, model: &str, defines: &[&str]) -> Member {
    let defines = defines.iter().map(|define| (*define).to_owned()).collect();
    Member {
        name: name.to_owned(),
        path: expected::folder().join(format!("{model}.pml")),
        options: Options { defines, simplify: Simplify::NONE, ..Options::default() },
    }
}

/// Two variants of the alternating bit protocol. Stubborn sets are known to leave 16,818 states of the first (of 51,128;
/// Spin stores 50,487), 2,986 of the second (of 10,976) and 18,726 of the third (of 1,132,288; Spin 1,097,026): Valmari,
/// Vogler: Fair testing and stubborn sets, 2016. In two states nobody can move.
#[test]
fn alternating_bit_protocols() {
    let members = [
        member("fifo", "red_abp_fifo", &["C=10", "T"]),
        member("cells_3", "red_abp_cells", &["C=3", "T"]),
        member("cells_6", "red_abp_cells", &["C=6", "T"]),
    ];
    let batch = Batch::build(&folder("alternating_bit"), &members).unwrap_or_else(|error| panic!("{error}"));
    let states = |name: &str, search: &str| {
        let flags = ["--safety", "--reduction", "stubborn", "--search", search, "--all-errors"];
        let figures = batch.figures(name, &flags).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(figures.errors, 2, "{name}, {search}: states in which nobody can move");
        figures.states
    };
    assert_eq!(states("fifo", "dfs"), 10_610);
    assert_eq!(states("cells_3", "dfs"), 2_202);
    assert_eq!(states("cells_6", "dfs"), 13_136);
    let n_states = states("fifo", "bfs");
    assert!(n_states < 20_300, "{n_states}");
}
