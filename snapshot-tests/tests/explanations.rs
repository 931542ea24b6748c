//! `pmc explain P0203`: every code has a page, whose wrong model gives it and whose right one gives nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pmc::diagnostic::explanation::{Explanation, explanations};
use pmc::diagnostic::{Level, Lint};
use pmc::driver::{Options, Session};

/// The codes of all messages about an example.
fn codes(language: &str, example: &str) -> Vec<String> {
    match language {
        "toml" => codes_of_project(example),
        "promela" => codes_of_model(example),
        other => panic!("there are no examples in {other}"),
    }
}

fn codes_of_model(model: &str) -> Vec<String> {
    let abstract_time = model.starts_with("/* pmc verify --timers abstract */");
    let mut options = Options { abstract_time, ..Options::default() };
    if let Some(rest) = model.strip_prefix("/* pmc verify --capacity ") {
        let (flag, _) = rest.split_once(" */").expect("the end of the comment");
        let (channel, capacity) = flag.split_once('=').expect("a channel and its capacity");
        options.capacities.push((channel.to_owned(), capacity.parse().expect("a number")));
    }
    let mut session = Session::from_text("model.pml", model.to_owned(), &options).expect("a small one");
    let _ = session.check();
    session.diagnostics.sorted().iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}

/// Verifies a project with one model, `lock.pml`.
fn codes_of_project(manifest: &str) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("pmc.toml"), manifest).expect("written");
    fs::write(dir.path().join("lock.pml"), "byte x; init { x = 1; assert(x == 1) }").expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
    let output = command.args(["verify", "--engine", "interpret"]).current_dir(dir.path()).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let of_line = |line: &str| Some(line.strip_prefix("error[")?.split_once(']')?.0.to_owned());
    let codes: Vec<String> = errors.lines().filter_map(of_line).collect();
    assert_eq!(output.status.success(), codes.is_empty(), "{errors}");
    codes
}

#[test]
fn the_wrong_model_gives_the_code_and_the_right_one_nothing() {
    let mut complaints = Vec::new();
    for Explanation { code, language, wrong, right, .. } in explanations() {
        let found = codes(language, wrong);
        if !found.iter().any(|found| found == code) {
            complaints.push(format!("{code}: the wrong model gives {found:?}"));
        }
        let found = codes(language, right);
        if !found.is_empty() {
            complaints.push(format!("{code}: the right model gives {found:?}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What stands in the place of an error's number in the sources.
#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/src");
    let mut known: BTreeSet<String> = Lint::ALL.iter().map(|lint| lint.name().to_owned()).collect();
    let numbers = fs::read_to_string(sources.join("model/codes.rs")).expect("the numbers");
    let named = numbers.lines().filter_map(|line| line.strip_prefix("pub const ")?.strip_suffix(';')?.rsplit_once(' '));
    known.extend(named.map(|(_, number)| code(number)));
    let mut dirs = vec![sources];
    while let Some(dir) = dirs.pop() {
        for path in fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                known.extend(numbers_in(&path));
            }
        }
    }
    let pages: BTreeSet<String> = explanations().map(|page| page.code.to_owned()).collect();
    assert_eq!(known, pages);
}

fn code(number: &str) -> String {
    format!("P{number:0>4}")
}

/// The plain numbers in calls of `Diagnostic::error`.
fn numbers_in(path: &PathBuf) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a source");
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    // Those of a limit or of what is no model have a name.
    let named = text.lines().filter_map(|line| line.strip_prefix("const ")?.split_once(": u16 = 9"));
    let named = named.filter_map(|(_, rest)| rest.strip_suffix(';')).map(|rest| code(&format!("9{rest}")));
    let calls = text.split("Diagnostic::error(").skip(1).map(str::trim_start);
    let numbers = calls.filter_map(|call| call.split_once(',')).map(|(number, _)| number).filter_map(plain);
    numbers.chain(named).collect()
}

fn plain(number: &str) -> Option<String> {
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| code(number))
}

#[test]
fn the_level_of_a_lint_is_told_by_its_example() {
    for lint in Lint::ALL {
        let page = explanations().find(|page| page.code == lint.name()).expect("a page");
        let is_refused = pmc::warnings(page.wrong).is_err();
        assert_eq!(is_refused, lint.default_level() == Level::Deny, "{}", lint.name());
    }
}
