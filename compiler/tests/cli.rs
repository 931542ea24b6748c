//! The program as a shell sees it: exit codes, and what goes to which stream.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const GOOD: &str = "byte x;\nactive proctype p() { x = 1; assert(x == 1) }\n";
const BAD: &str = "active proctype p() { y = 1 }\n";
const DOUBTFUL: &str = "byte unused;\nactive proctype p() { skip }\n";

fn pmc(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
    command.args(arguments).env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("pmc can be started");
    // It may end without reading: a wrong command line.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("pmc ends")
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

#[test]
fn a_good_model_is_fine() {
    let output = pmc(&["check", "-"], GOOD);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "<stdin>: no errors, no warnings\n"));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_bad_model_is_exit_code_2_and_its_message_goes_to_standard_error() {
    let output = pmc(&["check", "-"], BAD);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    let text = stderr(&output);
    assert!(text.starts_with("error[P0") && text.contains("<stdin>:1:23") && text.ends_with("1 error\n"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
}

/// A model with a violation at the end of a long run.
#[cfg(target_os = "linux")]
const LATE: &str = "int x;\nactive proctype p() { do :: x < 9000 -> x++ :: else -> break od; assert(x == 0) }\n";

/// A folder with the model `late.pml` and its trail.
#[cfg(target_os = "linux")]
fn with_a_trail() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("late.pml"), LATE).expect("written");
    let mut verify = Command::new(env!("CARGO_BIN_EXE_pmc"));
    verify.args(["verify", "--engine", "interpret", "--search", "dfs", "late.pml"]).current_dir(folder.path());
    assert_eq!(verify.output().expect("pmc can be started").status.code(), Some(1));
    folder
}

/// `/dev/full` is a disk without any space. That nothing could be written is no mistake in the model, nor a success.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_exit_code_101() {
    let folder = with_a_trail();
    for line in [
        "--version --verbose",
        "--version",
        "--help",
        "verify --help",
        "help check",
        "check late.pml",
        "check --format sarif late.pml",
        "expand late.pml",
        "simulate late.pml",
        "replay late.pml",
        "replay --format json late.pml",
        "explain P0203",
        "man",
        "completions bash",
    ] {
        let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
        let output = command.args(line.split(' ')).current_dir(folder.path()).stdout(full()).output();
        let output = output.expect("pmc can be started");
        assert_eq!(code(&output), 101, "{line}: {}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains("error: cannot write the output: "), "{line}: {said}");
        assert!(!said.contains("panicked") && !said.contains("trail.json"), "{line}: {said}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let status = command.args(["verify", "there-is-none.pml"]).current_dir(folder.path()).stderr(full).status();
    assert_eq!(status.expect("pmc can be started").code(), Some(2));
}

/// As behind `| head -1`: no message, and the status of a run that was read to its end.
#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_has_seen_enough_changes_nothing() {
    let folder = with_a_trail();
    for (line, status) in [
        ("--help", 0),
        ("--version --verbose", 0),
        ("expand late.pml", 0),
        ("simulate late.pml", 0),
        ("replay --all late.pml", 1),
        ("replay --format json late.pml", 1),
        ("verify --engine interpret --search dfs late.pml", 1),
        ("verify --engine interpret --no-assert late.pml", 0),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
        let output = command.args(line.split(' ')).current_dir(folder.path()).stdout(writer).output();
        let output = output.expect("pmc can be started");
        assert_eq!(code(&output), status, "{line}: {}", stderr(&output));
        assert!(!stderr(&output).contains("error:"), "{line}: {}", stderr(&output));
    }
}

/// Levels decide whether a model is refused, and change nothing that is written.
#[test]
fn what_spin_accepts_by_accident_is_accepted_on_request_only() {
    const ACCIDENT: &str = "byte a[2];\nactive proctype p() { a = 1; assert(a[0] == 1) }\n";
    let refused = pmc(&["check", "-"], ACCIDENT);
    assert_eq!(code(&refused), 2);
    let text = stderr(&refused);
    assert!(text.starts_with("error[array-without-index]"), "{text}");
    assert!(text.contains("`-A array-without-index` accepts it with Spin's meaning: element 0"), "{text}");
    let warned = pmc(&["check", "-W", "array-without-index", "--format", "json", "-"], ACCIDENT);
    assert_eq!(code(&warned), 0);
    let json = stdout(&warned);
    assert!(json.contains("\"lint\": \"array-without-index\"") && json.contains("\"level\": \"warn\""), "{json}");
    let allowed = pmc(&["check", "--allow", "array-without-index", "-"], ACCIDENT);
    assert_eq!((code(&allowed), stderr(&allowed).as_str()), (0, ""));

    let dir = tempfile::tempdir().expect("a folder for temporary files");
    let dir = dir.path().to_str().expect("a plain path");
    let compile = |flags: &[&str]| code(&pmc(&[&["compile", "-o", dir], flags, &["-"]].concat(), ACCIDENT));
    assert_eq!(compile(&[]), 2);
    assert_eq!(compile(&["-A", "array-without-index"]), 0);
    assert_eq!(compile(&["--check", "-A", "array-without-index"]), 0);
    assert_eq!(compile(&["--check", "-W", "array-without-index"]), 0);
    assert_eq!(compile(&["--check"]), 2);
}

#[test]
fn completions_know_the_levels() {
    let script = stdout(&pmc(&["completions", "bash"], ""));
    for word in ["--allow", "--warn", "--deny", "option-scope"] {
        assert!(script.contains(word), "{word}");
    }
}

#[test]
fn warnings_can_be_silenced_and_denied() {
    let output = pmc(&["check", "-"], DOUBTFUL);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).starts_with("warning[unused-variable]"), "{}", stderr(&output));
    let output = pmc(&["check", "-A", "unused-variable", "-"], DOUBTFUL);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    let output = pmc(&["check", "--deny", "unused-variable", "-"], DOUBTFUL);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).starts_with("error[unused-variable]"), "{}", stderr(&output));
}

#[test]
fn json_is_alone_on_standard_output() {
    for (model, errors) in [(GOOD, 0), (BAD, 1)] {
        let output = pmc(&["check", "--format", "json", "-"], model);
        assert_eq!(stderr(&output), "");
        let document: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(document["schema"], "pmc-diagnostics/1");
        assert_eq!(document["errors"], errors);
    }
}

#[test]
fn macros_come_from_the_command_line() {
    let model = "byte x;\nactive proctype p() { x = N; assert(x == 3) }\n";
    assert_eq!(code(&pmc(&["check", "-"], model)), 2);
    assert_eq!(code(&pmc(&["check", "-D", "N=3", "-"], model)), 0);
    let output = pmc(&["expand", "-DN=3", "-"], model);
    assert!(stdout(&output).contains("x = 3"), "{}", stdout(&output));
}

#[test]
fn includes_are_found_beside_the_file_and_then_where_told() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(at(name), text).expect("a temporary file can be written");
    std::fs::create_dir_all(at("lib")).expect("a temporary folder can be made");
    write("model.pml", "#include \"near.h\"\n#include \"far.h\"\nactive proctype p() { near = far }\n");
    write("near.h", "byte near;\n");
    write("lib/far.h", "byte far;\n");
    let model = at("model.pml").display().to_string();
    let lib = at("lib").display().to_string();
    assert_eq!(code(&pmc(&["check", "-I", &lib, &model], "")), 0);
    let output = pmc(&["check", &model], "");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("far.h"), "{}", stderr(&output));
}

#[test]
fn colours_are_used_when_asked_for() {
    assert!(stderr(&pmc(&["check", "--color", "always", "-"], BAD)).contains('\x1b'));
    assert!(!stderr(&pmc(&["check", "--color", "never", "-"], BAD)).contains('\x1b'));
}

/// The report of `verify` obeys the flag, too.
#[test]
fn a_report_has_colours_when_asked_for() {
    let verify = |color: &str| pmc(&["verify", "--engine", "interpret", "--color", color, "-"], GOOD);
    assert!(stdout(&verify("always")).contains("\x1b[1;32mverified"));
    assert!(!stdout(&verify("auto")).contains('\x1b') && !stdout(&verify("never")).contains('\x1b'));
}

#[test]
fn a_model_without_a_command_is_answered_with_one() {
    let output = pmc(&["model.pml"], "");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("`pmc verify model.pml` verifies it"), "{}", stderr(&output));
}

/// Editors on Windows write such files.
#[test]
fn texts_are_read_as_editors_write_them() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("model.pml");
    let check = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("a temporary file can be written");
        let output = pmc(&["check", &path.display().to_string()], "");
        (code(&output), stderr(&output))
    };
    let windows = format!("\u{feff}{}", GOOD.replace('\n', "\r\n"));
    assert_eq!(check(windows.as_bytes()), (0, String::new()));
    assert_eq!(check(&[b"/* caf\xe9 */", GOOD.as_bytes()].concat()), (0, String::new()));
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(GOOD.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let (code, text) = check(&wide);
    assert_eq!(code, 2);
    assert!(text.contains("this file is UTF-16 text") && text.ends_with("1 error\n"), "{text}");
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    for arguments in
        [&["chek", "m.pml"][..], &["check"], &["check", "-A", "nonsense", "-"], &["check", "no-such-file.pml"]]
    {
        let output = pmc(arguments, "");
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).starts_with("error: "), "{}", stderr(&output));
    }
}

#[test]
fn completions_exist_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = pmc(&["completions", shell], "");
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("expand"), "{shell}");
    }
}

/// What a test of a user's crate shows when it fails, and the command in it.
#[test]
fn a_test_that_fails_names_a_trail_that_can_be_replayed() {
    let dir = tempfile::tempdir().expect("a folder for temporary files");
    let model = dir.path().join("lock.pml");
    std::fs::write(&model, "byte inside;\nactive [N] proctype p() { inside++; assert(inside == 1); inside-- }\n")
        .expect("a temporary file");
    let build = pmc::Build::new(&model).define("N", "2").out_dir(dir.path().join("found"));
    build.clone().define("N", "1").unsimplified().check().expect("well formed").assert_verified();
    let message_of = |build: &pmc::Build| {
        let panic = std::panic::catch_unwind(|| build.assert_verified()).expect_err("it fails");
        panic.downcast_ref::<String>().expect("a text").clone()
    };
    let message = message_of(&build);
    assert!(message.starts_with("lock.pml: violated\n  assertion violated: assert(inside == 1)"), "{message}");
    assert!(message.contains("inside = 2, expected 1"), "{message}");
    let line = |mark: &str| message.lines().find_map(|line| line.trim().strip_prefix(mark)).expect(mark).to_owned();
    let page = std::fs::read_to_string(line("as a page for a browser: ")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("assert"));
    let words = line("step by step: pmc ");
    let words: Vec<&str> = words.split(' ').collect();
    let replayed = pmc(&words, "");
    assert_eq!(code(&replayed), 1, "{words:?}: {}", stderr(&replayed));
    assert!(stdout(&replayed).contains("inside = 2, expected 1"), "{}", stdout(&replayed));

    std::fs::write(&model, "init { y = 1 }\n").expect("a temporary file");
    let message = message_of(&build);
    assert!(message.starts_with("\nerror[P0201]: no variable `y` in scope") && message.contains("1:8 ]"), "{message}");
}

/// The script in a bash, as the TAB key uses it.
#[cfg(unix)]
#[test]
fn bash_completes_the_names_of_formulas() {
    let dir = tempfile::tempdir().expect("a folder for temporary files");
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a temporary file");
    write("m.pml", "byte x; init { x = 1 }\nltl served { <> (x == 1) }\nltl safe { [] (x < 2) }\n");
    write("pmc.bash", &stdout(&pmc(&["completions", "bash"], "")));
    let program = env!("CARGO_BIN_EXE_pmc");
    let complete = |words: &str| {
        let script = format!(
            "source ./pmc.bash; COMP_WORDS=('{program}' {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
             _pmc_with_claims '{program}' \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
             printf '%s ' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &script]).current_dir(dir.path()).output();
        output.map(|output| stdout(&output).trim().to_owned())
    };
    match complete("verify m.pml --ltl ''") {
        Ok(names) => assert_eq!(names, "safe served"),
        Err(error) => return println!("skipped: there is no bash: {error}"),
    }
    let of = |words: &str| complete(words).expect("there is a bash");
    assert_eq!(of("verify m.pml --ltl se"), "served");
    assert_eq!(of("verify m.pml --ltl = sa"), "safe");
    assert_eq!(of("verify m.pml --ltl ="), "safe served");
    assert_eq!(of("verify missing.pml --ltl ''"), "");
    assert!(of("verify --no-red").contains("--no-reduction"));
}

#[test]
fn claims_can_stand_in_a_file_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a temporary file can be written");
        path.display().to_string()
    };
    // The macros of the model are known there, and what one file defines is known in the next.
    let model = "#define LIMIT 3\nbyte x;\nactive proctype p() { do :: x < LIMIT -> x++ :: else -> x = 0 od }\n";
    let bound = write("bound.ltl", "#define AT_MOST(n) (x <= n)\nltl bounded { [] AT_MOST(LIMIT) }\n");
    let again = write("again.pml", "never stuck { do :: AT_MOST(LIMIT) :: x == 0 -> break od }\n");
    let output = pmc(&["explain", "--format", "json", "--claims", &bound, "--claims", &again, "-"], model);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let document: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let properties = document["reduction"]["properties"].as_array().expect("a list").clone();
    let names: Vec<&str> = properties.iter().filter_map(|property| property["name"].as_str()).collect();
    assert!(names.contains(&"bounded") && names.contains(&"stuck"), "{names:?}");

    let wrong = write("wrong.ltl", "\nltl reached { <> (y == LIMIT) }\n");
    let output = pmc(&["check", "--claims", &wrong, "-"], model);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("wrong.ltl:2:19"), "the message leads to the file: {}", stderr(&output));
    let output = pmc(&["check", "--claims", "no-such-file.ltl", "-"], model);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).starts_with("error: "), "{}", stderr(&output));
}
