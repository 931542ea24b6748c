//! `pmc verify` with each engine: the interpreter needs no toolchain, and a verifier takes over where that pays.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const BAD: &str = "byte critical;
active [2] proctype worker() {
  critical++; assert(critical == 1); critical--
}
";

/// Some hundred thousand states: longer than a tenth of a second, also if pmc is optimised.
const LARGE: &str = "byte x[4];
active [4] proctype p() { do :: x[_pid] < 12 -> x[_pid]++ :: x[_pid] == 12 -> break od }
";

const STATES_OF_LARGE: u64 = 475_255;

fn folder(model: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("model.pml"), model).expect("a file in it");
    dir
}

/// Runs pmc with no program in its path but a `cargo` of this text, if one is given.
fn run(dir: &Path, cargo: Option<&str>, arguments: &[&str]) -> Output {
    let tools = dir.join("tools");
    fs::create_dir_all(&tools).expect("a folder for programs");
    if let Some(text) = cargo {
        let path = tools.join("cargo");
        // First it is asked for its version.
        fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = -vV ] && exit 0\n{text}\n")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
    command.args(arguments).current_dir(dir).env("PATH", &tools).env("PMC_CACHE", dir.join("cache"));
    command.stdin(Stdio::null()).output().expect("pmc can be started")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

#[test]
fn every_command_works_without_cargo() {
    let dir = folder(BAD);
    let output = run(dir.path(), None, &["verify", "model.pml", "--", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let report = json(&output);
    assert_eq!((&report["engine"], &report["verdict"]), (&"interpreted".into(), &"violated".into()));
    let commands: [(&[&str], i32, &str); 8] = [
        (&["replay", "model.pml"], 1, "assert(critical == 1)"),
        (&["simulate", "--seed", "3", "model.pml"], 0, "critical"),
        (&["check", "model.pml"], 0, ""),
        (&["expand", "model.pml"], 0, "proctype worker"),
        (&["explain", "model.pml"], 0, "critical"),
        (&["graph", "model.pml"], 0, "digraph"),
        (&["ltl", "[] p"], 0, "never"),
        (&["compile", "model.pml", "-o", "crate"], 0, ""),
    ];
    for (arguments, code, words) in commands {
        let output = run(dir.path(), None, arguments);
        let is_right = output.status.code() == Some(code) || arguments[0] == "simulate";
        assert!(is_right && said(&output).contains(words), "{arguments:?}: {}", said(&output));
    }
}

/// What a user sees beside the output of a command: at most that a toolchain would be faster.
fn has_no_more_than_a_note(output: &Output) -> bool {
    let notes = String::from_utf8_lossy(&output.stderr);
    let is_note = |line: &str| line.starts_with("note: the model is interpreted: there is no `cargo`; with a Rust");
    notes.lines().count() <= 1 && notes.lines().all(is_note)
}

#[test]
fn every_example_and_every_command_works_without_cargo() {
    let mut n_examples = 0;
    for entry in fs::read_dir("../examples").expect("the examples") {
        let from = entry.expect("an entry").path();
        if !from.is_dir() {
            continue;
        }
        n_examples += 1;
        let name = from.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(from.join(format!("{name}.pml"))).expect("a model of that name");
        let expected = fs::read_to_string(from.join("expected")).expect("the verdict to expect");
        let verdict = expected.split_whitespace().next().expect("a word");
        let is_violated = verdict == "violated";
        let dir = folder(&text);
        for engine in ["auto", "interpret"] {
            let arguments = ["verify", "--engine", engine, "model.pml", "--", "--format", "json"];
            let output = run(dir.path(), None, &arguments);
            assert_eq!(output.status.code(), Some(i32::from(is_violated)), "{name}: {}", said(&output));
            let report = json(&output);
            assert_eq!((&report["engine"], &report["verdict"]), (&"interpreted".into(), &verdict.into()), "{name}");
            assert!(has_no_more_than_a_note(&output), "{name}: {}", said(&output));
        }
        // Without a violation there is no trail, which is a mistake of the command line.
        let replayed = if is_violated { (1, "") } else { (2, "there is no such trail") };
        let commands: [(&[&str], i32, &str); 9] = [
            (&["replay", "model.pml"], replayed.0, replayed.1),
            (&["simulate", "--seed", "7", "--steps", "100", "model.pml"], 0, "the state at the end:"),
            (&["check", "model.pml"], 0, ""),
            (&["expand", "model.pml"], 0, "proctype"),
            (&["explain", "model.pml"], 0, "State:"),
            (&["graph", "model.pml"], 0, "digraph"),
            (&["compile", "model.pml", "-o", "crate"], 0, ""),
            (&["ltl", "[] p"], 0, "never"),
            (&["completions", "bash"], 0, "pmc"),
        ];
        for (arguments, code, words) in commands {
            let output = run(dir.path(), None, arguments);
            // A random run may end in the error that the example shows.
            let is_right = output.status.code() == Some(code)
                || is_violated && arguments[0] == "simulate" && output.status.code() == Some(1);
            assert!(is_right && said(&output).contains(words), "{name} {arguments:?}: {}", said(&output));
        }
        // Who asks for a verifier is told that there is none.
        let output = run(dir.path(), None, &["verify", "--engine", "compiled", "model.pml"]);
        assert_eq!(output.status.code(), Some(101), "{name}: {}", said(&output));
        assert!(output.stdout.is_empty() && said(&output).contains("cannot find `cargo`"), "{name}: {}", said(&output));
    }
    assert!(n_examples >= 4);
}

#[test]
fn who_has_no_cargo_is_told_what_would_be_faster() {
    let dir = folder(LARGE);
    let output = run(dir.path(), None, &["verify", "model.pml", "--", "--no-reduction", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(json(&output)["properties"][0]["search"]["states_stored"], STATES_OF_LARGE);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.starts_with("note: the model is interpreted: there is no `cargo`"), "{notes}");
    assert_eq!(notes.lines().count(), 1, "{notes}");
}

#[test]
fn a_build_that_fails_does_not_change_the_verdict() {
    let dir = folder(LARGE);
    let arguments = ["verify", "model.pml", "--", "--no-reduction", "--format", "json"];
    let output = run(dir.path(), Some("echo 'error[E0425]: no' >&2; exit 101"), &arguments);
    assert_eq!((output.status.code(), &json(&output)["verdict"]), (Some(0), &"verified".into()), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no verifier takes over"), "{}", said(&output));
}

/// The build is in a process group of its own, which ends with the search.
#[cfg(target_os = "linux")]
#[test]
fn a_verdict_ends_the_build_with_all_its_processes() {
    let dir = folder(LARGE);
    let build = "cd $PMC_CACHE; echo $$ > builder; /bin/sleep 1000 & echo $! > compiler; wait";
    let output = run(dir.path(), Some(build), &["verify", "model.pml", "--", "--no-reduction"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for name in ["builder", "compiler"] {
        let pid = written_pid(dir.path(), name);
        // A process that was killed is gone soon, or waits for its parent to learn of it.
        let is_gone = || {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            status.is_empty() || status.contains("State:\tZ")
        };
        let mut tries = 0..1000;
        while !is_gone() {
            assert!(tries.next().is_some(), "{name} {pid} is still there");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

#[cfg(target_os = "linux")]
fn written_pid(dir: &Path, name: &str) -> u32 {
    let written = fs::read_to_string(dir.join("cache").join(name)).expect("the build began");
    written.trim().parse().expect("a pid")
}

/// A `cargo` that writes a program of this text, as a build would.
fn cargo_that_writes(program: &str) -> String {
    format!(
        r#"while [ $# -gt 0 ]; do
  case "$1" in
    --target-dir) target="$2" ;;
    --bin) name="$2" ;;
  esac
  shift
done
/bin/mkdir -p "$target/release"
printf '%s' '{program}' > "$target/release/$name"
/bin/chmod 755 "$target/release/$name""#
    )
}

/// The `cargo` of this test writes the program that a build would: a script that says who it is.
#[test]
fn a_verifier_that_is_ready_first_takes_over() {
    let dir = folder(
        "int a, b, c; active proctype P() { do :: a++ :: b++ :: c++ od }
active proctype Q() { a < 0 && b < 0 && c < 0; assert(false) }
",
    );
    let build = &cargo_that_writes("#!/bin/sh\necho \"the verifier was given $*\"\nexit 83\n");
    let output = run(dir.path(), Some(build), &["verify", "model.pml", "--", "--memory", "2G"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "the verifier was given --supervised=stdin --replay-command=pmc replay model.pml --memory 2G\n"
    );
    // It was built, so that it runs at once from now on.
    let output = run(dir.path(), Some("exit 101"), &["verify", "model.pml", "--", "--memory", "1G"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "the verifier was given --supervised=stdin --replay-command=pmc replay model.pml --memory 1G\n"
    );
}

/// Whatever ends in the place of a verifier, or ends it: it was taken for a verdict.
#[test]
fn an_end_without_a_report_is_no_verdict() {
    let programs = [
        ("", "it cannot be run"),
        ("#!/bin/sh\nexit 0\n", "its exit code was 0"),
        ("#!/bin/sh\nexit 1\n", "its exit code was 1"),
        ("#!/bin/sh\nexit 84\n", "its exit code was 84"),
        ("#!/bin/sh\nexit 101\n", "an error in it ended it (exit code 101)"),
        ("#!/bin/sh\nkill -SEGV $$\n", "signal 11 ended it, SIGSEGV"),
        ("#!/bin/sh\nkill -KILL $$\n", "signal 9 ended it, SIGKILL: perhaps memory ran out"),
        ("#!/no/such/shell\n", "it cannot be run"),
    ];
    for (program, how) in programs {
        let dir = folder(BAD);
        // Each build is counted.
        let cargo = format!("echo built >> $PMC_CACHE/builds\n{}", cargo_that_writes(program));
        let output = run(dir.path(), Some(&cargo), &["verify", "--engine", "compiled", "model.pml"]);
        assert_eq!(output.status.code(), Some(101), "{program}: {}", said(&output));
        let expected = format!("error: the verifier ended without a report, so nothing is verified: {how}");
        assert!(said(&output).starts_with(&expected), "{program}: {}", said(&output));
        let builds = fs::read_to_string(dir.path().join("cache/builds")).expect("it was built");
        let is_repeated = !how.contains("101") && !how.contains("KILL");
        assert_eq!(builds.lines().count(), 1 + usize::from(is_repeated), "{program}");
    }
}

/// The interpreter does what the verifier could not do.
#[test]
fn a_verifier_that_takes_over_and_fails_gives_way() {
    let dir = folder(LARGE);
    let cargo = cargo_that_writes("#!/bin/sh\nexit 0\n");
    let arguments = ["verify", "model.pml", "--", "--no-reduction", "--format", "json"];
    let output = run(dir.path(), Some(&cargo), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(json(&output)["properties"][0]["search"]["states_stored"], STATES_OF_LARGE);
    // It may have been too late.
    let notes = String::from_utf8_lossy(&output.stderr);
    let note = "note: the model is interpreted: the verifier ended without a report: its exit code was 0\n";
    assert!(notes.is_empty() || notes == note, "{notes}");
}

/// `/dev/full` is a disk without any space.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_no_proof() {
    for (model, status) in [("byte x; active proctype p() { x = 1 }", 101), (BAD, 1)] {
        let dir = folder(model);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let output = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"))
            .args(["verify", "--engine", "interpret", "--format", "json", "model.pml"])
            .current_dir(dir.path())
            .stdout(full)
            .output()
            .expect("pmc can be started");
        assert_eq!(output.status.code(), Some(status), "{}", said(&output));
        assert!(said(&output).contains("cannot write the report"), "{}", said(&output));
    }
}

/// A folder that every user can write to is no place for programs.
#[test]
fn without_a_home_there_is_no_cache() {
    let dir = folder(BAD);
    let run = |engine: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
        for variable in ["HOME", "PMC_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"] {
            command.env_remove(variable);
        }
        command.args(["verify", "--engine", engine, "model.pml"]).current_dir(dir.path()).output().expect("it starts")
    };
    let output = run("compiled");
    assert_eq!(output.status.code(), Some(101), "{}", said(&output));
    assert!(
        said(&output).contains("there is no folder for built verifiers: set PMC_CACHE, or HOME"),
        "{}",
        said(&output)
    );
    assert_eq!(run("auto").status.code(), Some(1));
}

/// A process that a build leaves behind, such as the server of a compiler's cache, does not keep pmc from going on.
#[test]
fn what_a_build_leaves_behind_is_not_waited_for() {
    let dir = folder(BAD);
    let cargo = "/bin/sleep 1000 &\necho $! > $PMC_CACHE/left; echo 'error: linker `cc` not found' >&2; exit 101";
    let output = run(dir.path(), Some(cargo), &["verify", "--engine", "compiled", "model.pml"]);
    let left = fs::read_to_string(dir.path().join("cache/left")).expect("it was started");
    let ended = Command::new("kill").arg(left.trim()).status();
    assert_eq!(output.status.code(), Some(101), "{}", said(&output));
    assert!(said(&output).contains("\n    error: linker `cc` not found\n"), "{}", said(&output));
    assert!(ended.is_ok_and(|status| status.success()), "it was still there");
}
