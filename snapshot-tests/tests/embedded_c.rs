//! Models with embedded C against the figures that Spin and gcc gave for them (`snapshot-tests/embedded/expected.csv`), and what
//! becomes of C that goes wrong. They are built, since only a built verifier runs C; where there is no C compiler nothing
//! is tested, and a message says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use pmc::driver::{Options, Simplify};
use serde_json::Value;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::engine::Figures;

/// A line of the table.
struct Row {
    name: String,
    figures: Figures,
    /// `verified`, or `violated: ` and a part of the message.
    verdict: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("embedded")
}

fn rows() -> Vec<Row> {
    let table = fs::read_to_string(folder().join("expected.csv")).expect("the table");
    let row = |line: &str| {
        let fields: Vec<&str> = line.splitn(5, ',').collect();
        let number = |at: usize| fields[at].parse().expect("a number");
        let figures = Figures { states: number(1), transitions: number(2), errors: number(3) };
        Row { name: fields[0].to_owned(), figures, verdict: fields[4].to_owned() }
    };
    table.lines().skip(1).map(row).collect()
}

/// C that misbehaves.
const WRONG: [(&str, &str); 6] = [
    ("divides", "int z = 1; active proctype P() { z = 0; c_code { now.z = 100 / now.z; }; z = 5 }"),
    (
        "points",
        "byte x; active proctype P() { if :: x = 1 :: x = 2 fi; c_code { if (now.x == 2) { int *p = 0; *p = 1; } } }",
    ),
    ("aborts", "byte x; active proctype P() { c_expr { (abort(), 1) } -> x = 1 }"),
    (
        "recurses",
        "byte x; c_code { int deep(int n) { return n ? deep(n + 1) + deep(n + 2) : 0; } }\nactive proctype P() { x = 1; c_code { now.x = deep(now.x); } }",
    ),
    ("loops", "byte x; active proctype P() { x = 1; c_code { while (now.x) { } } }"),
    (
        "changes",
        "byte x; c_code { int next(void) { now.x = now.x + 1; return now.x; } }\nactive proctype P() { x = 1; c_expr { (next() > 0) } }",
    ),
];

/// C that says something.
const PRINTS: &str =
    "byte x; active proctype P() { c_code { printf(\"from C: %d\\n\", now.x); now.x = 3; }; assert(x == 3) }";

/// With functions that have names of the system.
const NAMES: &str =
    "byte x; c_code { int write(int a) { return a + 1; } int close(int a) { return write(a); } const int read = 2; }
active proctype P() { x = c_expr { (close(read)) }; assert(x == 3) }";

/// All models, built once; nothing if there is no C compiler.
fn batch() -> Option<&'static Batch> {
    static BATCH: OnceLock<Option<Batch>> = OnceLock::new();
    BATCH.get_or_init(build).as_ref()
}

fn build() -> Option<Batch> {
    let compiler = ["cc", "gcc", "clang"]
        .iter()
        .any(|name| Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok());
    if !compiler {
        eprintln!("there is no C compiler: models with embedded C are not tested");
        return None;
    }
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedded_c");
    let written = dir.join("models");
    fs::create_dir_all(&written).expect("a folder for models");
    let options = Options { simplify: Simplify::NONE, ..Options::default() };
    let mut members: Vec<Member> = Vec::new();
    for row in rows() {
        let path = folder().join(format!("{}.pml", row.name));
        // As it is verified by default too.
        members.push(Member { name: format!("m_{}_short", row.name), path: path.clone(), options: Options::default() });
        members.push(Member { name: format!("m_{}", row.name), path, options: options.clone() });
    }
    for (name, text) in WRONG.into_iter().chain([("prints", PRINTS), ("names", NAMES)]) {
        let path = written.join(format!("{name}.pml"));
        fs::write(&path, text).expect("a model can be written");
        members.push(Member { name: format!("m_{name}"), path, options: options.clone() });
    }
    Some(Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}")))
}

/// The kind and the message of the first violation.
fn violation(report: &Value) -> String {
    let violation = &report["properties"][0]["violation"];
    format!("{}: {}", violation["kind"].as_str().unwrap_or_default(), violation["message"].as_str().unwrap_or_default())
}

#[track_caller]
fn check_verdict(row: &Row, report: &Value, flags: &[&str]) {
    let found = format!("{} {}", report["verdict"].as_str().unwrap_or_default(), violation(report));
    let (verdict, message) = row.verdict.split_once(": ").unwrap_or((&row.verdict, ""));
    let message = message.replace(' ', "-");
    let is_right = found.starts_with(verdict) && found.replace(' ', "-").contains(&message);
    assert!(is_right, "{} {flags:?}: {found}, not {}\n{report}", row.name, row.verdict);
}

#[test]
fn figures_equal_those_of_spin() {
    let Some(batch) = batch() else { return };
    let flags = ["--safety", "--search", "dfs", "--no-reduction", "--all-errors"];
    for row in rows() {
        let name = format!("m_{}", row.name);
        assert_eq!(batch.figures(&name, &flags), Ok(row.figures), "{}", row.name);
        check_verdict(&row, &batch.report(&name, &flags).expect("a report"), &flags);
    }
}

#[test]
fn verdicts_are_the_same_in_every_search() {
    let Some(batch) = batch() else { return };
    let searches: [&[&str]; 9] = [
        &[],
        &["--search", "bfs", "--no-reduction"],
        &["--search", "bfs", "--threads", "2"],
        &["--search", "dfs", "--reduction", "ample"],
        &["--search", "dfs", "--reduction", "stubborn"],
        &["--search", "guided"],
        &["--store", "tree"],
        &["--store", "hash-compact", "--threads", "2"],
        &["--store", "bitstate"],
    ];
    for row in rows() {
        for search in searches {
            let flags = [search, &["--safety"]].concat();
            for name in [format!("m_{}", row.name), format!("m_{}_short", row.name)] {
                let report = batch.report(&name, &flags).unwrap_or_else(|error| panic!("{name} {flags:?}: {error}"));
                let has_passed = report["verdict"] == "incomplete" && flags.contains(&"bitstate");
                if !(has_passed && row.verdict == "verified") {
                    check_verdict(&row, &report, &flags);
                }
            }
        }
    }
}

#[test]
fn formulas_and_claims_may_contain_c() {
    let Some(batch) = batch() else { return };
    for (name, flags) in [("m_functions", ["--ltl", "rises"]), ("m_pid_claim", ["--ltl", "never_0"])] {
        let report = batch.report(name, &flags).expect("a report");
        assert_eq!(report["verdict"], "verified", "{name}: {report}");
    }
}

#[test]
fn counterexamples_can_be_replayed() {
    let Some(batch) = batch() else { return };
    for row in rows().iter().filter(|row| row.verdict != "verified") {
        let name = format!("m_{}_short", row.name);
        let trail = format!("{name}.replayed.json");
        batch.report_and_trail(&name, &["--safety"], &trail).expect("a report");
        let (code, text) = batch.run(&name, &["replay", &trail]).expect("a replay");
        assert_eq!(code, 1, "{name}: {text}");
    }
    // Values that C has computed are those of the state behind the step.
    let (_, text) = batch.run("m_race_short", &["replay", "m_race_short.replayed.json"]).expect("a replay");
    assert!(text.contains("a = 1") || text.contains("a: 0 -> 1") || text.contains("a 0 -> 1"), "{text}");
}

#[test]
fn what_goes_wrong_in_c_is_a_violation_with_its_run() {
    let Some(batch) = batch() else { return };
    for (name, expected) in [
        ("divides", "crash: c_code line 1 crashed: SIGFPE"),
        ("points", "crash: c_code line 1 crashed: SIGSEGV"),
        ("aborts", "crash: c_expr line 1 crashed: SIGABRT"),
        ("recurses", "crash: c_code line 2 crashed: SIG"),
        ("loops", "endless-block: c_code line 1 has used ten seconds"),
        ("changes", "side-effect: c_expr line 2 has changed"),
    ] {
        if name == "loops" && !cfg!(target_os = "linux") {
            continue;
        }
        let name = format!("m_{name}");
        let trail = format!("{name}.crash.json");
        let report =
            batch.report_and_trail(&name, &["--safety"], &trail).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report["verdict"], "violated", "{name}: {report}");
        assert!(violation(&report).starts_with(expected), "{name}: {}", violation(&report));
        if name != "m_loops" {
            let (code, text) = batch.run(&name, &["replay", &trail]).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(code, 1, "{name}: {text}");
        }
    }
}

#[test]
fn what_c_prints_does_not_spoil_a_report() {
    let Some(batch) = batch() else { return };
    let report = batch.report("m_prints", &["--safety"]).expect("JSON, and nothing else");
    assert_eq!(report["verdict"], "verified");
}

#[test]
fn functions_of_c_do_not_take_the_place_of_those_of_the_system() {
    let Some(batch) = batch() else { return };
    assert_eq!(batch.report("m_names", &["--safety"]).expect("a report")["verdict"], "verified");
}

/// Runs pmc on a model in a folder of its own.
fn pmc(arguments: &[&str], model: &str, variables: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("model.pml"), model).expect("a model can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
    command.args(arguments).arg("model.pml").current_dir(folder.path()).stdin(Stdio::null());
    command.env("PMC_CACHE", folder.path().join("cache")).envs(variables.iter().copied());
    command.output().expect("it runs")
}

#[track_caller]
fn refused(output: &Output, words: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
    assert!(output.stdout.is_empty(), "{output:?}");
}

const SMALL: &str = "byte x;\nactive proctype P() {\n  c_code { now.x = 1; };\n  assert(x == 1)\n}\n";

#[test]
fn nothing_of_a_model_runs_without_permission() {
    for command in ["verify", "simulate", "replay"] {
        refused(&pmc(&[command], SMALL, &[]), &["embedded C, which runs with your rights", "--allow-c"]);
    }
    refused(&pmc(&["verify", "--engine", "compiled"], SMALL, &[]), &["--allow-c"]);
    let interpreted = pmc(&["verify", "--engine", "interpret", "--allow-c"], SMALL, &[]);
    refused(&interpreted, &["error[P0901]", "model.pml:3:3", "does not run in its own process"]);
    // These do not run it.
    for command in
        [&["check"][..], &["expand"], &["explain"], &["explain", "--exec"], &["compile", "-o", "out"], &["graph"]]
    {
        let output = pmc(command, SMALL, &[("CC", "/nonexistent")]);
        assert!(output.status.success(), "{command:?}: {output:?}");
    }
}

#[test]
fn a_compiler_that_is_not_there_is_said_before_anything_is_built() {
    let output = pmc(&["verify", "--allow-c"], SMALL, &[("CC", "/nonexistent/cc")]);
    refused(&output, &["there is no C compiler", "/nonexistent/cc"]);
    let bare = tempfile::tempdir().expect("a folder");
    let path = bare.path().to_string_lossy().into_owned();
    refused(&pmc(&["verify", "--allow-c"], SMALL, &[("PATH", &path), ("CC", "")]), &["`cc`, `gcc` and `clang`"]);
}

#[test]
fn mistakes_in_c_are_named_by_the_lines_of_the_model() {
    if batch().is_none() {
        return;
    }
    let model = "byte x;\nactive proctype P() {\n  c_code {\n    now.x = 1;\n    now.x = nothing;\n  };\n  x = 2\n}\n";
    let output = pmc(&["verify", "--allow-c"], model, &[]);
    refused(&output, &["the C compiler refuses the C of this model", "model.pml:5:", "nothing"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.matches("nothing").count(), 1, "{said}");
}
