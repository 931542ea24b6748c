//! `pmc explain P0203`: every code has a page, whose wrong model gives it and whose right one gives nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pmc::diagnostic::explanation::{Explanation, explanations};
use pmc::diagnostic::{Level, Lint};

/// The codes of all messages about a model.
fn codes(model: &str) -> Vec<String> {
    let messages = match pmc::warnings(model) {
        Ok(warnings) => warnings,
        Err(pmc::Error::Model(messages)) => messages,
        Err(error) => panic!("{error}"),
    };
    messages.into_iter().map(|message| message.code).collect()
}

#[test]
fn the_wrong_model_gives_the_code_and_the_right_one_nothing() {
    let mut complaints = Vec::new();
    for Explanation { code, wrong, right, .. } in explanations() {
        let found = codes(wrong);
        if !found.iter().any(|found| found == code) {
            complaints.push(format!("{code}: the wrong model gives {found:?}"));
        }
        let found = codes(right);
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
    let calls = text.split("Diagnostic::error(").skip(1).map(str::trim_start);
    calls.filter_map(|call| call.split_once(',')).map(|(number, _)| number).filter_map(plain).collect()
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
