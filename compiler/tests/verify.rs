//! `pmc verify` as a shell sees it: flags, several models, sweeps, projects. Models are interpreted, nothing is built.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const GOOD: &str = "byte x;\nactive proctype p() { x = 1; assert(x == 1) }\n";
const BAD: &str = "byte x;\nactive proctype p() { x = 2; assert(x == 1) }\n";
const WRONG: &str = "active proctype p() { y = 1 }\n";

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder in it");
        fs::write(path, text).expect("a file in it");
    }
    folder
}

fn pmc(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
    command.args(arguments).current_dir(dir).env_remove("NO_COLOR").env("PMC_CACHE", dir.join(".cache"));
    command.stdin(Stdio::null()).output().expect("pmc can be started")
}

/// `pmc verify` without a build.
fn verify(dir: &Path, line: &str) -> Output {
    let arguments: Vec<&str> = ["verify", "--engine", "interpret"].into_iter().chain(line.split(' ')).collect();
    pmc(dir, &arguments)
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("we write UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("we write UTF-8")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", stdout(output) + &stderr(output)))
}

/// Lines without the times in them.
fn untimed(text: &str) -> String {
    let is_time = |words: &[&str], n: usize| words.get(n + 1) == Some(&"s") && words[n].parse::<f64>().is_ok();
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kept = (0..words.len()).filter(|n| !is_time(&words, *n)).map(|n| words[n]);
        kept.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn flags_of_verifiers_are_flags_of_verify() {
    let folder = folder(&[("m.pml", GOOD)]);
    for line in
        ["--search dfs --no-reduction --format json m.pml", "m.pml --format json -- --search dfs --no-reduction"]
    {
        let report = json(&verify(folder.path(), line));
        let search = &report["properties"][0]["search"];
        assert_eq!((&search["algorithm"], &search["reduction"]), (&"dfs".into(), &false.into()), "{line}");
    }
    // Behind the dashes they count more, since they come last.
    let report = json(&verify(folder.path(), "--search dfs --format json m.pml -- --search bfs"));
    assert_eq!(report["properties"][0]["search"]["algorithm"], "bfs");
    let help = stdout(&pmc(folder.path(), &["verify", "--help"]));
    for words in ["How to search:", "--max-time <TIME>", "--store <HOW>", "Limits (a search that meets one"] {
        assert!(help.contains(words), "no `{words}` in {help}");
    }
    let script = stdout(&pmc(folder.path(), &["completions", "bash"]));
    assert!(script.contains("--all-errors") && script.contains("hash-compact") && script.contains("a-star"));
}

/// The disk is full while the trail is written: the run is told all the same, and no part of a trail is left.
#[cfg(target_os = "linux")]
#[test]
fn a_trail_that_cannot_be_written_leaves_nothing_behind() {
    let folder = folder(&[("m.pml", "byte x; init { x = 1; assert(x == 2) }")]);
    // A limit of the shell, in place of a full disk; the signal that comes with it must not end pmc.
    let script =
        format!("trap '' XFSZ; ulimit -f 0; exec '{}' verify --engine interpret m.pml", env!("CARGO_BIN_EXE_pmc"));
    let output = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output();
    let Ok(output) = output else { return println!("skipped: there is no bash") };
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot write the trail `m.trail.json`: "), "{}", stderr(&output));
    assert!(stdout(&output).contains("x = 1, expected 2"), "{}", stdout(&output));
    assert!(!folder.path().join("m.trail.json").exists());
}

/// The model is not even looked for.
#[test]
fn the_help_lists_arguments_before_flags() {
    let help = stdout(&pmc(Path::new("."), &["verify", "-h"]));
    let (arguments, flags) = help.split_once("\nOptions:\n").expect("flags");
    assert!(arguments.contains("\n  [MODEL]...") && arguments.contains("\n  [FLAGS]..."), "{help}");
    assert!(!flags.contains("[FLAGS]"), "{help}");
}

#[test]
fn wrong_flags_are_refused_before_anything_else() {
    let folder = folder(&[]);
    for (line, message) in [
        ("--search quick no.pml", "error: `--search` takes auto, bfs, dfs, guided, a-star, nested or scc, not `quick`"),
        ("--search dfs --shortest no.pml", "error: --shortest needs --search bfs"),
        ("no.pml -- --max-time soon", "error: `--max-time` takes a time"),
        ("no.pml -- --al-errors", "did you mean `--all-errors`?"),
        ("--all-error no.pml", "'--all-errors'"),
        ("-c5 no.pml", "error: `-c5` is a flag of Spin that is not known here"),
    ] {
        let output = verify(folder.path(), line);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{line}");
        assert!(stderr(&output).contains(message), "{line}: {}", stderr(&output));
    }
}

#[test]
fn what_makes_no_sense_for_a_model_is_refused_before_it_is_built() {
    let folder = folder(&[("m.pml", GOOD)]);
    let output = pmc(folder.path(), &["verify", "--engine", "compiled", "--ltl", "served", "m.pml"]);
    assert_eq!(
        (code(&output), stderr(&output).as_str()),
        (2, "error: m.pml has no claim `served`; it has none at all\n")
    );
    assert!(!folder.path().join(".cache").exists(), "nothing was built");
}

#[test]
fn flags_of_spin_are_taken_for_ours_with_a_note() {
    const LABELLED: &str = "byte x;\nactive proctype p() { accept: do :: x = 1 - x od }\n";
    let folder = folder(&[("m.pml", LABELLED), ("plain.pml", GOOD)]);
    let output = verify(folder.path(), "-a -m10000 -w24 -n -DNOREDUCE --format json m.pml");
    let report = json(&output);
    assert_eq!(code(&output), 1, "{report}");
    let names: Vec<&str> =
        report["properties"].as_array().expect("a list").iter().filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, ["safety", "acceptance"]);
    assert_eq!(report["properties"][0]["search"]["reduction"], false);
    for note in [
        "`-a` is taken for `--everything --acceptance`",
        "`-w24` is not needed",
        "`-DNOREDUCE` is taken for `--no-reduction`",
    ] {
        assert!(stderr(&output).contains(&format!("note: {note}")), "{}", stderr(&output));
    }
    // Without accept labels there is nothing to ask.
    let report = json(&verify(folder.path(), "-a --format json plain.pml"));
    assert_eq!(report["properties"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_macro_that_the_model_mentions_stays_one() {
    let files = [
        ("m.pml", "#include \"n.h\"\nactive proctype p() { assert(N == 2) }\n"),
        ("n.h", "#ifdef BFS\n#define N 2\n#else\n#define N 1\n#endif\n"),
    ];
    let folder = folder(&files);
    let output = verify(folder.path(), "-DBFS m.pml");
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{}", stdout(&output));
    let output = verify(folder.path(), "-DBFS -DCOLLAPSE m.pml");
    assert_eq!((code(&output), stderr(&output).as_str()), (0, "note: `-DCOLLAPSE` is taken for `--store tree`\n"));
}

#[test]
fn an_incomplete_search_ends_with_advice_that_fits() {
    let counter = "#ifndef N\n#define N 200\n#endif\nbyte x[3];\nactive [3] proctype p() { do :: x[_pid] < N -> x[_pid]++ :: else -> break od }\n";
    let folder = folder(&[("m.pml", counter)]);
    let output = verify(folder.path(), "--max-states 100 m.pml");
    assert_eq!(code(&output), 3);
    assert!(
        stdout(&output).contains("  try: smaller numbers make a smaller model: -D N=199 (it is 200)\n"),
        "{}",
        stdout(&output)
    );
    let report = json(&verify(folder.path(), "--max-states 100 -D N=9 --no-reduction --format json m.pml"));
    assert_eq!(report["advice"].as_array().map(Vec::len), Some(2), "{report}");
    let report = json(&verify(folder.path(), "--format json -D N=3 m.pml"));
    assert_eq!(report["advice"].as_array().map(Vec::len), Some(0), "{report}");
}

#[test]
fn several_models_make_one_table_in_their_order() {
    let folder = folder(&[
        ("good.pml", GOOD),
        ("sub/bad.pml", BAD),
        ("sub/wrong.pml", WRONG),
        ("sub/part.pml", ""),
        ("sub/whole.pml", "#include \"part.pml\"\nactive proctype p() { skip }\n"),
    ]);
    let one = verify(folder.path(), "good.pml sub --threads 1 --jobs 1");
    let text = stdout(&one);
    assert_eq!(code(&one), 2, "{text}");
    let firsts: Vec<&str> =
        text.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(firsts, ["model", "good.pml", "sub/bad.pml", "sub/whole.pml", "sub/wrong.pml", "4"], "{text}");
    assert!(
        text.contains("assertion violated: assert(x == 1)") && text.contains("pmc replay sub/bad.pml bad.trail.json"),
        "{text}"
    );
    assert!(text.contains("4 models: 2 verified, 1 violated, 1 wrong"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(stderr(&one).contains("sub/wrong.pml:1:23") && folder.path().join("bad.trail.json").is_file());
    let several = verify(folder.path(), "good.pml sub --threads 1 --jobs 3");
    assert_eq!((untimed(&stdout(&several)), stderr(&several)), (untimed(&text), stderr(&one)));
}

#[test]
fn the_worst_verdict_is_the_exit_status() {
    let folder = folder(&[("good.pml", GOOD), ("bad.pml", BAD)]);
    assert_eq!(code(&verify(folder.path(), "good.pml good.pml ./good.pml")), 0);
    assert_eq!(code(&verify(folder.path(), "good.pml bad.pml")), 1);
    fs::write(folder.path().join("many.pml"), PHILOSOPHERS).expect("a file");
    assert_eq!(code(&verify(folder.path(), "good.pml many.pml -D POLITE --max-states 20")), 3);
    assert_eq!(code(&verify(folder.path(), "good.pml many.pml bad.pml -D POLITE --max-states 20")), 1);
    assert_eq!(code(&verify(folder.path(), "good.pml bad.pml missing.pml")), 2);
    for line in
        ["good.pml bad.pml --trail t.json", "good.pml bad.pml -- replay", "good.pml bad.pml --format pan", "good.pml -"]
    {
        let output = verify(folder.path(), line);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{line}");
    }
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let output = verify(folder.path(), "empty");
    assert_eq!((code(&output), stderr(&output).as_str()), (2, "error: there is no model (*.pml) in `empty`\n"));
}

#[test]
fn tools_get_one_document_about_all() {
    let folder = folder(&[("good.pml", GOOD), ("bad.pml", BAD), ("wrong.pml", WRONG)]);
    let document = json(&verify(folder.path(), "good.pml bad.pml wrong.pml --format json"));
    assert_eq!((&document["schema"], &document["verdict"]), (&"pmc-reports/1".into(), &"wrong".into()));
    let verdicts: Vec<&str> =
        document["models"].as_array().expect("a list").iter().filter_map(|m| m["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["verified", "violated", "wrong"]);
    assert_eq!(document["models"][1]["report"]["schema"], "pmc-report/1");
    let text = stdout(&verify(folder.path(), "good.pml bad.pml wrong.pml --format junit"));
    assert_eq!(
        (text.matches("<testsuite ").count(), text.matches("<failure ").count(), text.matches("<error ").count()),
        (3, 1, 1),
        "{text}"
    );
    assert_eq!((text.matches("<?xml").count(), text.matches("</testsuites>").count()), (1, 1), "{text}");
    let document = json(&verify(folder.path(), "good.pml bad.pml wrong.pml --format sarif"));
    let runs = document["runs"].as_array().expect("a list");
    assert_eq!((document["version"].as_str(), runs.len()), (Some("2.1.0"), 3), "{document}");
    assert_eq!(runs[1]["results"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_second_report_can_go_to_a_file() {
    let folder = folder(&[("bad.pml", BAD)]);
    let output = verify(folder.path(), "bad.pml --also json=report.json --also junit=report.xml");
    assert!(stdout(&output).starts_with("bad.pml: violated\n"));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a report");
    assert!(read("report.json").contains("\"pmc-report/1\"") && read("report.xml").starts_with("<?xml"));
    fs::write(folder.path().join("good.pml"), GOOD).expect("a model");
    let output = verify(folder.path(), "good.pml --also json=no/such/folder.json");
    assert_eq!(code(&output), 101, "no report, no verdict: {}", stderr(&output));
    let output = verify(folder.path(), "bad.pml --also json");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

const PHILOSOPHERS: &str = include_str!("bounds/n_phil.pml");

#[test]
fn a_range_of_numbers_makes_a_row_for_each() {
    let folder = folder(&[("m.pml", PHILOSOPHERS)]);
    let document = json(&verify(folder.path(), "-D N=2..4 -D POLITE m.pml -O0 --no-reduction --format json"));
    let rows = document["models"].as_array().expect("rows");
    let row = |row: &Value| {
        let search = &row["report"]["properties"][0]["search"];
        [&row["values"]["N"], &search["states_stored"], &search["transitions"]].map(|n| n.as_u64().expect("a number"))
    };
    // Spin's figures, with `-o1 -o2 -o3 -DNOREDUCE`.
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), [[2, 42, 79], [3, 270, 748], [4, 1746, 6445]]);
    let output = verify(folder.path(), "--sweep N=2..3 m.pml");
    assert_eq!(code(&output), 1);
    assert!(folder.path().join("m.N=3.trail.json").is_file() && stdout(&output).contains("2 rows: 2 violated"));
    let output = verify(folder.path(), "--sweep M=2..3 m.pml");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("does not mention the macro `M`"), "{}", stderr(&output));
}

#[test]
fn a_sweep_ends_where_a_limit_ends_it() {
    let folder = folder(&[("m.pml", PHILOSOPHERS)]);
    for jobs in ["--jobs 1", "--jobs 4"] {
        let output =
            verify(folder.path(), &format!("-D N=2..5 -D POLITE --max-states 100 --no-reduction -O0 m.pml {jobs}"));
        let text = stdout(&output);
        assert_eq!(code(&output), 3, "{text}");
        assert!(text.contains("\nN=3 ") && !text.contains("\nN=4 "), "{text}");
        assert!(text.contains("N=3 met a limit, so these were not tried: N=4, N=5\n"), "{text}");
        // A limit is no verdict.
        assert!(!text.contains("the verdict changes") && text.contains("2 rows: 1 verified, 1 incomplete"), "{text}");
    }
}

/// A model: its name, its text, a channel, states and transitions by capacity, and the answer.
type Capacities = (&'static str, &'static str, &'static str, &'static [(u64, u64)], &'static str);

/// The table of what each says, of states and transitions as Spin counts them, and of the answer.
#[test]
fn a_sweep_over_capacities_answers_whether_a_channel_is_large_enough() {
    let models: [Capacities; 7] = [
        ("q_window", include_str!("bounds/q_window.pml"), "up", &[(4, 5), (4, 5)], "1 is enough for `up`"),
        (
            "q_flood",
            include_str!("bounds/q_flood.pml"),
            "c",
            &[(2, 3), (3, 5), (4, 7), (5, 9), (6, 11), (7, 13)],
            "no end in sight",
        ),
        (
            "q_guarded",
            include_str!("bounds/q_guarded.pml"),
            "c",
            &[(32, 42), (44, 66), (53, 84), (59, 96), (62, 102), (62, 102)],
            "5 is enough for `c`",
        ),
        (
            "q_late",
            include_str!("bounds/q_late.pml"),
            "c",
            &[(68, 101), (96, 157), (120, 205), (343, 713), (391, 841), (427, 937)],
            "the verdict changes at c=4",
        ),
        ("q_stop", include_str!("bounds/q_stop.pml"), "c", &[(8, 14), (8, 14)], "1 is enough for `c`"),
        ("q_chain", include_str!("bounds/q_chain.pml"), "req", &[], "no end in sight"),
        ("q_cross", include_str!("bounds/q_cross.pml"), "a", &[], "`a`"),
    ];
    for (name, text, channel, rows, answer) in models {
        let folder = folder(&[("m.pml", text)]);
        let output = verify(folder.path(), &format!("--sweep-capacity {channel}=1..6 m.pml"));
        assert!(stdout(&output).contains(answer), "{name}: {}", stdout(&output));
        assert!(stderr(&output).is_empty(), "{name}: {}", stderr(&output));
        if rows.is_empty() {
            continue;
        }
        let document = json(&verify(folder.path(), &format!("--sweep-capacity {channel}=1..6 m.pml --format json")));
        let row = |row: &Value| {
            let search = &row["report"]["properties"][0]["search"];
            (search["states_stored"].as_u64().expect("a number"), search["transitions"].as_u64().expect("a number"))
        };
        let found: Vec<(u64, u64)> = document["models"].as_array().expect("rows").iter().map(row).collect();
        // The other channel of `q_window` keeps its capacity, and so do the counts.
        assert_eq!(found, rows, "{name}");
    }
}

#[test]
fn a_capacity_is_that_of_a_channel() {
    let rendezvous = "chan c = [0] of { bit };\nactive proctype p() { c!1 }\nactive proctype q() { c?1 }\n";
    let folder = folder(&[("m.pml", include_str!("bounds/q_stop.pml")), ("r.pml", rendezvous)]);
    for (line, message) in [
        ("--sweep-capacity d=1..3 m.pml", "no channel `d` is declared"),
        ("--sweep-capacity d=1..3 m.pml", "channels with a capacity: `c`"),
        ("--sweep-capacity c=1..3 r.pml", "`c` is a rendezvous channel"),
        ("--sweep-capacity c=0..3 m.pml", "a capacity is 1 to 255, not 0"),
        ("--capacity c=0 m.pml", "1 to 255"),
        ("--capacity d=3 m.pml", "no channel `d` is declared"),
    ] {
        let output = verify(folder.path(), line);
        assert_eq!(code(&output), 2, "{line}");
        assert!(stderr(&output).contains(message), "{line}: {}", stderr(&output));
    }
    // A trail belongs to a capacity.
    let output = verify(folder.path(), "--sweep-capacity c=2 m.pml");
    let text = stdout(&output);
    let replay = text.lines().find_map(|line| line.trim().strip_prefix("pmc ")).unwrap_or_else(|| panic!("{text}"));
    let replayed = pmc(folder.path(), &replay.split(' ').collect::<Vec<_>>());
    assert_eq!(code(&replayed), 1, "{replay}: {}", stderr(&replayed));
}

const PROJECT: &str = "\
[[model]]
path = \"good.pml\"

[[model]]
path = \"bad.pml\"
expect = \"violated\"
at = \"bad.pml:2\"

[[model]]
path = \"sub/wrong.pml\"
expect = \"wrong\"
at = \"no variable `y`\"
";

#[test]
fn a_project_is_fine_if_every_verdict_is_as_expected() {
    let folder = folder(&[("pmc.toml", PROJECT), ("good.pml", GOOD), ("bad.pml", BAD), ("sub/wrong.pml", WRONG)]);
    let output = pmc(folder.path(), &["verify", "--engine", "interpret"]);
    let text = stdout(&output);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{text}");
    assert_eq!(text.matches("    as expected\n").count(), 2, "{text}");
    // From below, and as a report for tools, in which what is expected is no failure.
    let below = pmc(&folder.path().join("sub"), &["verify", "--engine", "interpret", "--format", "junit"]);
    assert_eq!(code(&below), 0, "{}", stderr(&below));
    assert!(!stdout(&below).contains("<failure") && !stdout(&below).contains("<error"), "{}", stdout(&below));
    assert!(folder.path().join("bad.trail.json").is_file());
    let sarif = json(&pmc(folder.path(), &["verify", "--engine", "interpret", "--format", "sarif"]));
    let results = sarif["runs"].as_array().expect("runs").iter().filter_map(|run| run["results"].as_array());
    assert_eq!(results.map(Vec::len).sum::<usize>(), 0, "{sarif}");

    fs::write(folder.path().join("good.pml"), BAD).expect("another model");
    let output = pmc(folder.path(), &["verify", "--engine", "interpret"]);
    assert_eq!(code(&output), 1);
    let complaint = "    NOT AS EXPECTED: violated, where verified is expected\n    assertion violated";
    assert!(stdout(&output).contains(complaint), "{}", stdout(&output));
    fs::write(folder.path().join("good.pml"), GOOD).expect("the first model");
    fs::write(folder.path().join("bad.pml"), GOOD).expect("another model");
    let output = pmc(folder.path(), &["verify", "--engine", "interpret", "--format", "sarif"]);
    assert_eq!(code(&output), 1, "a violation that is gone is news");
    assert!(stdout(&output).contains("verified, where violated is expected"), "{}", stdout(&output));
    fs::write(folder.path().join("bad.pml"), WRONG).expect("another model");
    assert_eq!(code(&pmc(folder.path(), &["verify", "--engine", "interpret"])), 2);
}

#[test]
fn a_wrong_project_is_shown_where_it_is_wrong() {
    let folder = folder(&[("pmc.toml", "[[model]]\npath = \"good.pml\"\nexpct = \"violated\"\n"), ("good.pml", GOOD)]);
    let output = pmc(folder.path(), &["verify"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    let text = stderr(&output);
    assert!(
        text.contains("pmc.toml:3:1") && text.contains("did you mean `expect`?") && text.contains("expct = "),
        "{text}"
    );
    let empty = tempfile::tempdir().expect("a folder for temporary files");
    let output = pmc(empty.path(), &["verify"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("name a model") && stderr(&output).contains("pmc init"), "{}", stderr(&output));
}

#[test]
fn a_new_project_is_verified_at_once_and_never_overwritten() {
    let folder = folder(&[(".gitignore", "mine\n")]);
    let listed = pmc(folder.path(), &["init", "--list"]);
    assert_eq!((code(&listed), fs::read_dir(folder.path()).expect("it is there").count()), (0, 1));
    let output = pmc(folder.path(), &["init"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).contains(".gitignore") && stdout(&output).contains("is there already"),
        "{}",
        stdout(&output)
    );
    assert!(
        stdout(&output).ends_with("fill in `PMC_REPOSITORY`: where they install pmc from\n"),
        "{}",
        stdout(&output)
    );
    let output = pmc(folder.path(), &["verify", "--engine", "interpret"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{}", stdout(&output));
    assert!(stdout(&output).contains("3 models: 2 verified, 1 violated"), "{}", stdout(&output));
    fs::write(folder.path().join("models/lock.pml"), "changed").expect("written");
    let again = pmc(folder.path(), &["init"]);
    assert_eq!(code(&again), 0);
    assert!(!stdout(&again).contains("PMC_REPOSITORY"), "{}", stdout(&again));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it is there");
    assert_eq!((read("models/lock.pml").as_str(), read(".gitignore").as_str()), ("changed", "mine\n"));
    // Another program has the name of pmc on crates.io: a workflow must not install that one.
    for workflow in [".github/workflows/models.yml", ".gitlab-ci.yml"] {
        let text = read(workflow);
        let (_, install) = text.split_once("cargo install").expect("it installs pmc");
        let command = install.split_once(" pmc\n").expect("it does").0;
        assert!(command.contains("--git \"${PMC_REPOSITORY:?"), "{workflow}: {command}");
    }
}

#[cfg(unix)]
mod signals {
    use std::io::{BufRead, BufReader};
    use std::process::Child;

    use super::*;

    /// A search that takes hours.
    const ENDLESS: &str = "int x[8];\nactive [8] proctype p() { do :: x[_pid]++; assert(x[_pid] > 0) od }\n";

    fn start(dir: &Path, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
        command.args(arguments).current_dir(dir).env("PMC_CACHE", dir.join(".cache"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("pmc can be started")
    }

    fn terminate(child: &Child) {
        let ended = Command::new("kill").arg(child.id().to_string()).status().expect("kill can be started");
        assert!(ended.success());
    }

    #[test]
    fn a_signal_ends_all_models() {
        let folder = folder(&[("good.pml", GOOD), ("a.pml", ENDLESS), ("b.pml", ENDLESS), ("c.pml", GOOD)]);
        let arguments = [
            "verify",
            "--engine",
            "interpret",
            "--memory",
            "100M",
            "--jobs",
            "2",
            "good.pml",
            "a.pml",
            "b.pml",
            "c.pml",
        ];
        let mut child = start(folder.path(), &arguments);
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.starts_with("good.pml")), "the first model has a row at once");
        terminate(&child);
        let rest: Vec<String> = lines.collect();
        assert_eq!(child.wait().expect("it ends").code(), Some(3), "{rest:#?}");
        // Where the machine is so busy that this takes a second, the table ends early.
        let is_whole = rest.iter().any(|line| line.starts_with("4 models: "));
        let is_left_out = rest.iter().any(|line| line.starts_with("c.pml  ") && line.ends_with("not run"));
        assert_eq!(is_whole, is_left_out, "{rest:#?}");
    }

    #[test]
    fn a_watched_model_is_verified_again_when_an_included_file_changes() {
        let model = "#include \"n.h\"\nactive proctype p() { assert(N == 2) }\n";
        let folder = folder(&[("m.pml", model), ("n.h", "#define N 2\n")]);
        let mut child = start(folder.path(), &["verify", "--engine", "interpret", "--watch", "m.pml"]);
        let mut errors = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
        assert!(errors.any(|line| line.starts_with("watching 2 files")), "it waits");
        // Another size, so that the time does not matter, and all at once.
        fs::write(folder.path().join("new"), "#define N 2000\n").expect("another text");
        fs::rename(folder.path().join("new"), folder.path().join("n.h")).expect("it takes the place");
        assert!(errors.any(|line| line.ends_with("n.h has changed:")), "it is noticed");
        assert!(errors.any(|line| line.starts_with("watching 2 files")), "it waits again");
        terminate(&child);
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.starts_with("m.pml: verified\n") && text.contains("m.pml: violated\n"), "{text}");
        // The last verdict; 3 where the machine is so busy that it takes a second to end.
        assert!(matches!(output.status.code(), Some(1 | 3)), "{:?}", output.status);
    }
}
