//! Large models build: functions stay small, so rustc does not choke on them.

use std::fmt::Write;
use std::path::Path;

use pmc::driver::{Options, Simplify};
use snapshot_tests::batch::{Batch, Figures, Member};

/// Five processes of a thousand statements each, one after the other: every
/// process waits for its turn and hands it on.
fn many_statements() -> String {
    let mut text = String::from("int total; byte turn;\n");
    for process in 0..5 {
        let _ = write!(text, "active proctype P{process}() {{\n  int a;\n  turn == {process};\n");
        for n in 0..500 {
            let _ = writeln!(text, "  a = a + {n};\n  if :: a > {n} -> total = total + a :: else -> a = a + 1 fi;");
        }
        let _ = write!(text, "  turn = {}\n}}\n", process + 1);
    }
    text
}

/// A thousand statements that are one step.
fn long_d_step() -> String {
    let mut text = String::from("int x, y;\nactive proctype P() {\n  d_step {\n    x = 1;\n");
    for n in 0..500 {
        let _ = writeln!(text, "    x = x + {n};\n    if :: x > y -> y = x :: else -> y = y + 1 fi;");
    }
    text + "    assert(x == 124751)\n  }\n}\n"
}

#[test]
fn thousands_of_statements_build_and_run() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large");
    std::fs::create_dir_all(&dir).expect("a folder for the models");
    let models = [("many_statements", many_statements()), ("long_d_step", long_d_step())];
    let members: Vec<Member> = models
        .iter()
        .map(|(name, text)| {
            let path = dir.join(format!("{name}.pml"));
            std::fs::write(&path, text).expect("the model can be written");
            let options = Options { simplify: Simplify::NONE, ..Options::default() };
            Member { name: (*name).to_owned(), path, options }
        })
        .collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let flags = ["--no-reduction", "--search", "dfs", "--all-errors"];
    // The step and the end of the process.
    assert_eq!(batch.figures("long_d_step", &flags), Ok(Figures { states: 3, transitions: 3, errors: 0 }));
    // One run, since only one process can move at a time: the figures are Spin's.
    assert_eq!(batch.figures("many_statements", &flags), Ok(Figures { states: 7516, transitions: 7516, errors: 0 }));
}
