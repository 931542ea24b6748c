//! Counts that are known from Spin, to the digit, by rules that know no more than Spin's: every global concerns everybody,
//! and a channel has one sender or receiver only where `xs` or `xr` says so. And the models in which reductions go wrong
//! easily, in every setting.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pmc::driver::{Options, Rules, Simplify};
use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::expected::{self, Row};
use snapshot_tests::savings;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the models");
    folder
}

/// Every step kept, as by Spin with `-o1 -o2 -o3`.
fn member(name: &str, path: PathBuf, define: Option<&str>, rules: Rules) -> Member {
    let defines = define.iter().map(|define| (*define).to_owned()).collect();
    Member {
        name: name.to_owned(),
        path,
        options: Options { defines, simplify: Simplify::NONE, rules, ..Options::default() },
    }
}

/// `n` pairs of processes, each about a variable of its own.
fn pairs(n: usize) -> PathBuf {
    let pair = |k: usize| format!("int v{k};\nproctype Lo{k}() {{ v{k} = 0 }}\nproctype Hi{k}() {{ v{k} = 1 }}\n");
    let declared: String = (0..n).map(pair).collect();
    let started: Vec<String> = (0..n).map(|k| format!("run Lo{k}(); run Hi{k}()")).collect();
    let path = folder("anchors").join(format!("pairs_{n}.pml"));
    let text = format!("{declared}init {{ atomic {{ {} }} }}\n", started.join("; "));
    std::fs::write(&path, text).expect("the model can be written");
    path
}

/// States and transitions without reduction, with it, and breadth-first; and how many errors there are each time.
/// Transitions are 0 where Spin's breadth-first search counts also what happens inside `atomic`.
type Anchor = (&'static str, &'static str, Counts, [u64; 3]);
type Counts = [(u64, u64); 3];

const NONE: [u64; 3] = [0; 3];

const ANCHORS: &[Anchor] = &[
    ("red_ign1", "", [(12, 21), (10, 14), (10, 15)], [3, 1, 1]),
    ("red_ign2", "", [(19, 32), (16, 21), (16, 22)], [5, 2, 2]),
    ("red_ign8", "", [(21, 39), (17, 25), (17, 27)], [6, 2, 2]),
    ("red_mgr", "N=2", [(10, 12), (10, 12), (10, 0)], NONE),
    ("red_mgr", "N=3", [(32, 47), (32, 47), (32, 0)], NONE),
    ("red_mgr", "N=4", [(114, 230), (114, 230), (114, 0)], NONE),
    ("red_mgr", "N=5", [(412, 1097), (412, 1097), (412, 0)], NONE),
    ("red_mgr", "N=6", [(1466, 4880), (1466, 4880), (1466, 0)], NONE),
    ("red_mgr", "N=7", [(5112, 20435), (5112, 20435), (5112, 0)], NONE),
    ("red_mgr", "N=8", [(17506, 81674), (17506, 81674), (17506, 0)], NONE),
    ("red_mgr", "N=9", [(59060, 314_957), (59060, 314_957), (59060, 0)], NONE),
    ("red_ring", "N=4", [(497, 1304), (34, 34), (34, 0)], NONE),
    ("red_ring", "N=5", [(1459, 4781), (37, 37), (37, 0)], NONE),
    ("red_ring", "N=7", [(21289, 93443), (61, 61), (61, 0)], NONE),
    ("red_sieve", "MAX=8", [(1039, 2490), (246, 275), (246, 275)], NONE),
    ("red_sieve", "MAX=12", [(4404, 12629), (603, 690), (603, 690)], NONE),
    ("red_sieve", "MAX=20", [(79200, 295_516), (4744, 5706), (4744, 5706)], NONE),
    ("red_wire", "TMO=8", [(1066, 1208), (1066, 1208), (1066, 0)], NONE),
    ("red_wire", "TMO=9", [(1116, 1258), (1116, 1258), (1116, 0)], NONE),
    ("red_wire", "TMO=10", [(1166, 1308), (1166, 1308), (1166, 0)], NONE),
    ("red_t6a", "", [(24, 40), (24, 31), (0, 0)], [1, 1, 1]),
    ("red_t6b", "", [(27, 40), (18, 20), (0, 0)], [1, 1, 1]),
];

/// The same for so many pairs, and what clusters leave of it.
const PAIRS: &[(usize, Counts, u64)] = &[
    (2, [(65, 108), (60, 76), (60, 0)], 30),
    (3, [(329, 784), (304, 480), (304, 0)], 66),
    (4, [(1657, 5216), (1532, 2908), (0, 0)], 138),
    (5, [(8313, 32680), (7688, 17064), (0, 0)], 282),
];

fn name(model: &str, define: &str) -> String {
    format!("{model}_{}", define.replace('=', "_").to_lowercase())
}

fn model(name: &str) -> PathBuf {
    expected::folder().join(format!("{name}.pml"))
}

fn rows() -> Vec<Row> {
    expected::rows("exact").into_iter().filter(|row| row.model.starts_with("red_")).collect()
}

/// All models, built once for the tests in this file.
fn batch() -> &'static Batch {
    static BATCH: OnceLock<Batch> = OnceLock::new();
    BATCH.get_or_init(|| {
        let mut members: Vec<Member> = Vec::new();
        for (file, define, ..) in ANCHORS {
            let define = Some(*define).filter(|define| !define.is_empty());
            members.push(member(&name(file, define.unwrap_or("")), model(file), define, Rules::Spin));
        }
        for (n, ..) in PAIRS {
            members.push(member(&format!("pairs_{n}"), pairs(*n), None, Rules::Spin));
            members.push(member(&format!("pairs_{n}_own"), pairs(*n), None, Rules::Own));
        }
        for row in rows() {
            let Member { name, path, options } = savings::member(&row);
            members.push(Member { name, path, options: Options { simplify: Simplify::NONE, ..options } });
        }
        for timeout in 3..8 {
            let define = format!("TMO={timeout}");
            members.push(member(&format!("wire_{timeout}"), model("red_wire"), Some(&define), Rules::Own));
        }
        Batch::build(&folder("anchors"), &members).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The three searches of an anchor.
const SEARCHES: [&[&str]; 3] = [
    &["--search", "dfs", "--reduction", "none"],
    &["--search", "dfs", "--reduction", "ample", "--proviso", "prompt"],
    &["--search", "bfs", "--reduction", "ample", "--proviso", "prompt", "--threads", "1"],
];

fn check(name: &str, flags: &[&str], figures: Counts, errors: [u64; 3], wrong: &mut Vec<String>) {
    for ((search, (states, transitions)), errors) in SEARCHES.iter().zip(figures).zip(errors) {
        let flags = [&["--safety", "--all-errors"], *search, flags].concat();
        let found = batch().figures(name, &flags).unwrap_or_else(|error| panic!("{error}"));
        let counted = |expected: u64, found: u64| if expected == 0 { 0 } else { found };
        let found = Figures {
            states: counted(states, found.states),
            transitions: counted(transitions, found.transitions),
            ..found
        };
        if found != (Figures { states, transitions, errors }) {
            wrong.push(format!("{name} {search:?}: {found:?}, Spin {states}/{transitions}/{errors}"));
        }
    }
}

#[test]
fn by_spins_rules_the_counts_are_spins() {
    let mut wrong = Vec::new();
    for (file, define, figures, errors) in ANCHORS {
        let is_endless = file.starts_with("red_ign") || *file == "red_t6a";
        let flags: &[&str] = if is_endless { &["--no-deadlock"] } else { &[] };
        check(&name(file, define), flags, *figures, *errors, &mut wrong);
    }
    for (n, figures, _) in PAIRS {
        check(&format!("pairs_{n}"), &[], *figures, NONE, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Basten and Bošnački: 9 * 2^n - 6, each with one step into it.
#[test]
fn pairs_are_clusters() {
    for (n, [_, (by_spin, _), _], states) in PAIRS {
        let figures = |reduction: &str| {
            let flags = ["--safety", "--search", "dfs", "--reduction", reduction];
            batch().figures(&format!("pairs_{n}_own"), &flags).unwrap_or_else(|error| panic!("{error}"))
        };
        let found = figures("cluster");
        assert_eq!((found.states, found.transitions), (*states, *states), "{n} pairs");
        for reduction in savings::REDUCTIONS {
            assert!(figures(reduction).states <= *by_spin, "{n} pairs, {reduction}");
        }
    }
}

/// Models in which something is lost easily: whatever is left out, however it is made up for, and whatever states are
/// kept in.
#[test]
fn soundness_tests_hold_in_every_setting() {
    let verdict = |is_violated: bool| if is_violated { "violated" } else { "verified" };
    let recorded = rows().into_iter().map(|row| {
        let errors = row.figures.map_or(0, |[_, _, errors]| errors);
        (row.model.clone(), savings::flags(&row), verdict(errors > 0))
    });
    let wires = (3..8).map(|timeout| (format!("wire_{timeout}"), Vec::new(), "violated"));
    let mut wrong = Vec::new();
    for (name, own, expected) in recorded.chain(wires) {
        for setting in settings() {
            let flags = [&["--safety"], &setting[..], &own].concat();
            let report = batch().report(&name, &flags).unwrap_or_else(|error| panic!("{name}: {error}"));
            let property = &report["properties"][0];
            if property["verdict"] != expected {
                wrong.push(format!("{name} {flags:?}: {property}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn settings() -> Vec<Vec<&'static str>> {
    let mut settings = Vec::new();
    for search in ["dfs", "bfs"] {
        settings.push(vec!["--search", search, "--reduction", "none"]);
        for reduction in savings::REDUCTIONS {
            for proviso in ["visited", "static", "prompt"] {
                settings.push(vec!["--search", search, "--reduction", reduction, "--proviso", proviso]);
            }
        }
        for store in ["tree", "compact", "hash-compact", "bitstate"] {
            let flags = ["--search", search, "--reduction", "auto", "--store", store, "--memory", "16M"];
            settings.push(flags.to_vec());
        }
    }
    settings.push(vec!["--search", "bfs", "--reduction", "auto", "--threads", "2"]);
    settings
}
