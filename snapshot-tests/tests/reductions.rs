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

/// Too may send to k, so that Put's promise cannot be proved. It is broken, unless Too never gets that far.
fn promise(name: &str, too: &str, put: &str) -> Member {
    let text = format!(
        "chan k = [1] of {{ byte }}; chan j = [1] of {{ byte }}; byte last, stop;
active proctype Get() {{ byte m; k?m; last = m; end: false }}
active proctype Too() {{ chan c; byte i; i = 1; i = 2; if :: c = k :: c = j fi; {too} }}
active proctype Put() {{ xs k; {put} }}
ltl p {{ [] (last != 2) }}"
    );
    let path = folder("promises").join(format!("{name}.pml"));
    std::fs::write(&path, text).expect("the model can be written");
    Member { name: name.to_owned(), path, options: Options { simplify: Simplify::NONE, ..Options::default() } }
}

/// A search that leaves out steps because of a promise finds out when it is broken, and one that would not does not rely
/// on it.
#[test]
fn a_broken_promise_is_found_whatever_is_left_out() {
    let members = [
        promise("ends", "c!2", "k!1"),
        promise("stays", "c!2", "k!1; end: false"),
        promise("kept", "stop == 1; c!2", "k!1; end: false"),
    ];
    let batch = Batch::build(&folder("promises"), &members).unwrap_or_else(|error| panic!("{error}"));
    let report = |name: &str, flags: &[&str]| {
        let report = batch.report(name, flags).unwrap_or_else(|error| panic!("{error}"));
        report["properties"][0].clone()
    };
    for reduction in ["none", "ample", "cluster", "stubborn", "auto"] {
        for search in ["dfs", "bfs"] {
            for proviso in ["visited", "static"] {
                let flags = ["--safety", "--no-deadlock", "--reduction", reduction, "--search", search];
                let flags = [&flags[..], &["--proviso", proviso]].concat();
                for name in ["ends", "stays"] {
                    let found = report(name, &flags);
                    let expected = if reduction == "none" { &serde_json::Value::Null } else { &"xr-xs".into() };
                    assert_eq!(&found["violation"]["kind"], expected, "{name}, {flags:?}: {found}");
                }
                assert_eq!(report("kept", &flags)["verdict"], "verified", "{flags:?}");
            }
        }
        for (name, expected) in [("ends", "violated"), ("stays", "violated"), ("kept", "verified")] {
            let found = report(name, &["--ltl=p", "--reduction", reduction]);
            assert_eq!(found["verdict"], expected, "{name}, {reduction}: {found}");
        }
    }
    let states = |reduction: &str| {
        let flags = ["--safety", "--no-deadlock", "--reduction", reduction, "--search", "dfs"];
        report("kept", &flags)["search"]["states_stored"].as_u64()
    };
    assert!(states("ample") < states("none"), "the promise is relied on");
}

/// A receiver that asks for a message of k, in one step with what it does then; not all of it is certain.
fn asking(name: &str, sends: &str, receiver: &str, others: &str) -> Member {
    let text = format!(
        "chan k = [2] of {{ byte }}; chan j = [2] of {{ byte }}; chan r = [0] of {{ byte }}; byte late, x;
active proctype Put() {{ {sends} }}
active proctype Get() {{ byte y; chan c = j; {receiver} }}
active proctype Watch() {{ end: late == 1; assert(false) }}
{others}"
    );
    let path = folder("asking").join(format!("{name}.pml"));
    std::fs::write(&path, text).expect("the model can be written");
    Member { name: name.to_owned(), path, options: Options { simplify: Simplify::NONE, ..Options::default() } }
}

/// `late` is 1 only while Get waits in the middle of an `atomic`, which it does not if all messages are there. So who
/// takes the sends ahead, as if nobody could wait there, misses the assertion.
#[test]
fn a_step_that_asks_and_may_block_all_the_same() {
    let sends = "k!1; k!1";
    let blocking = [
        asking("second", sends, "atomic { nempty(k) -> k?y; late = 1; k?y; late = 0 }", ""),
        asking(
            "in_loop",
            sends,
            "atomic { nempty(k) -> do :: y < 2 -> k?_; y++; late = 2 - y :: y == 2 -> break od }",
            "",
        ),
        asking("or_else", sends, "atomic { nempty(k) || x == 0 -> late = 1; k?y; late = 0 }", ""),
        asking("beside_else", sends, "atomic { if :: nempty(k) :: else -> late = 1 fi; k?y; late = 0 }", ""),
        asking("other", sends, "j!1; atomic { nempty(j) -> late = 1; k?y; late = 0 }", ""),
        asking("variable", sends, "j!1; atomic { nempty(c) -> c = k; late = 1; c?y; late = 0 }", ""),
        asking("random", "k!2; k!1", "atomic { nempty(k) -> late = 1; k??1; late = 0 }", ""),
        asking("eval", "k!2; k!1", "y = 1; atomic { nempty(k) -> late = 1; k??eval(y); late = 0 }", ""),
        asking("pattern", "k!2; k!1", "atomic { nempty(k) -> late = 1; k?1; late = 0 }", ""),
        asking(
            "handshake",
            sends,
            "atomic { nempty(k) -> r!1; late = 1; k?y; late = 0 }",
            "active proctype Take() { atomic { r?_; k?_ } }",
        ),
        asking(
            "waits",
            sends,
            "atomic { nempty(k) -> late = 2; x == 1; late = 1; k?y; late = 0 }",
            "active proctype Take() { atomic { late == 2 -> k?_; x = 1 } }",
        ),
    ];
    let certain = asking("certain", sends, "atomic { nempty(k) -> late = 1; k?y; late = 0 }", "");
    let members: Vec<Member> = blocking.iter().cloned().chain([certain]).collect();
    let batch = Batch::build(&folder("asking"), &members).unwrap_or_else(|error| panic!("{error}"));
    let property = |name: &str, reduction: &str, search: &str| {
        let flags = ["--safety", "--no-deadlock", "--reduction", reduction, "--search", search];
        let report = batch.report(name, &flags).unwrap_or_else(|error| panic!("{error}"));
        report["properties"][0].clone()
    };
    for search in ["dfs", "bfs"] {
        for reduction in ["none", "ample", "cluster", "stubborn", "auto"] {
            for member in &blocking {
                let found = property(&member.name, reduction, search);
                assert_eq!(found["verdict"], "violated", "{}, {reduction}, {search}: {found}", member.name);
            }
            assert_eq!(property("certain", reduction, search)["verdict"], "verified", "{reduction}, {search}");
        }
    }
    let states = |reduction: &str| property("certain", reduction, "dfs")["search"]["states_stored"].as_u64();
    assert!(states("ample") < states("none"), "the sends are taken ahead");
}
