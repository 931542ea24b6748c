//! `docs/differences-from-spin.md`: every model of that page, and what it says of pmc and of Spin.

use std::fs;
use std::path::{Path, PathBuf};

use pmc::driver::{Options, Session, Simplify, on_large_stack};
use serde_json::Value;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::spin;

/// A model of the page, with the lines that it begins with.
struct Entry {
    name: String,
    text: String,
    pmc: Claim,
    spin: Claim,
}

/// `// Spin exact: 5 states, 1 error`
struct Claim {
    question: String,
    answer: String,
}

impl Claim {
    fn read(line: &str, who: &str) -> Claim {
        let claim =
            line.strip_prefix("// ").and_then(|line| line.strip_prefix(who)).and_then(|line| line.split_once(": "));
        let (question, answer) = claim.unwrap_or_else(|| panic!("no `// {who} QUESTION: ANSWER`: {line}"));
        Claim { question: question.trim().to_owned(), answer: answer.to_owned() }
    }

    /// The number in front of a word, if the answer has it: `5 states`, `depth 1`.
    fn number(&self, word: &str) -> Option<u64> {
        let part = self.answer.split(", ").find(|part| part.trim_end_matches('s').contains(word))?;
        part.split(' ').find_map(|word| word.parse().ok())
    }

    fn has(&self, word: &str) -> bool {
        self.answer.split(", ").any(|part| part == word)
    }
}

fn entries() -> Vec<Entry> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/differences-from-spin.md");
    let page = fs::read_to_string(page).expect("the page is part of the repository");
    let blocks = page.split("```promela\n").skip(1).map(|rest| rest.split("```").next().expect("a block has an end"));
    let entry = |(number, text): (usize, &str)| {
        let mut lines = text.lines();
        let mut claim = |who| Claim::read(lines.next().expect("a block has lines"), who);
        Entry { name: format!("difference_{number}"), pmc: claim("pmc "), spin: claim("Spin "), text: text.to_owned() }
    };
    blocks.enumerate().map(entry).collect()
}

/// The models as files in a folder of this test.
fn written(entries: &[Entry]) -> (PathBuf, Vec<Member>) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differences");
    fs::create_dir_all(dir.join("models")).expect("the folder of tests can be written");
    let member = |entry: &Entry| {
        let path = dir.join("models").join(format!("{}.pml", entry.name));
        fs::write(&path, &entry.text).expect("the folder of tests can be written");
        let options = Options { simplify: Simplify::NONE, ..Options::default() };
        Member { name: entry.name.clone(), path, options }
    };
    let members = entries.iter().map(member).collect();
    (dir, members)
}

fn is_refused(member: &Member) -> bool {
    on_large_stack(|| Session::open(&member.path, &member.options).is_ok_and(|mut session| session.generate().is_err()))
        .expect("the stack can be had")
}

#[test]
fn pmc_does_what_the_page_says() {
    let entries = entries();
    assert!(entries.len() > 25, "the page has its models");
    let (dir, members) = written(&entries);
    let (refused, built): (Vec<_>, Vec<_>) =
        entries.iter().zip(&members).partition(|(entry, _)| entry.pmc.has("refused"));
    let mut wrong: Vec<String> = Vec::new();
    for (entry, member) in refused {
        assert_eq!(entry.pmc.question, "check");
        if !is_refused(member) {
            wrong.push(format!("accepted:\n{}", entry.text));
        }
    }
    let members: Vec<Member> = built.iter().map(|(_, member)| (*member).clone()).collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    for (entry, _) in built {
        let flags: Vec<&str> = match entry.pmc.question.as_str() {
            "exact" => vec!["--safety", "--no-reduction", "--search", "dfs", "--all-errors"],
            flags => flags.split(' ').collect(),
        };
        match batch.report(&entry.name, &flags) {
            Ok(report) if agrees(&entry.pmc, &report["properties"][0]) => {}
            Ok(report) => wrong.push(format!("{report}\n{}", entry.text)),
            Err(error) => wrong.push(format!("{error}\n{}", entry.text)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn agrees(claim: &Claim, property: &Value) -> bool {
    let figures = [
        ("state", &property["search"]["states_stored"]),
        ("error", &property["errors"]),
        ("depth", &property["search"]["depth"]),
    ];
    property["verdict"].as_str().is_some_and(|verdict| claim.has(verdict))
        && claim.has("not complete") == (property["search"]["hidden_differed"] == true)
        && figures.iter().all(|(word, found)| claim.number(word).is_none_or(|said| found.as_u64() == Some(said)))
}

#[test]
fn spin_does_what_the_page_says() {
    if !spin::is_installed() {
        println!("skipped: spin is not installed");
        return;
    }
    let entries = entries();
    let (dir, members) = written(&entries);
    let mut wrong: Vec<String> = Vec::new();
    for (entry, member) in entries.iter().zip(&members) {
        let (spin_flags, cc_flags, pan_flags) = match entry.spin.question.as_str() {
            "exact" => ("-a -o1 -o2 -o3", "-DSAFETY -DNOREDUCE -DNOCLAIM", "-c0 -m100000"),
            "por" => ("-a", "-DSAFETY -DNOCLAIM", "-c0 -m100000"),
            "acc" => ("-a -o1 -o2 -o3", "-DNOREDUCE", "-a -m100000"),
            "accfair" => ("-a -o1 -o2 -o3", "-DNOREDUCE", "-a -f -m100000"),
            "npfair" => ("-a -o1 -o2 -o3", "-DNP -DNOREDUCE", "-l -f -m100000"),
            other => panic!("no such mode: {other}"),
        };
        let folder = dir.join("spin").join(&entry.name);
        fs::create_dir_all(&folder).expect("the folder of tests can be written");
        let claim = &entry.spin;
        let is_right = match spin::figures_of_file(&member.path, &folder, spin_flags, cc_flags, pan_flags) {
            Ok(found) => {
                let figures = [("state", Some(found.states)), ("error", Some(found.errors)), ("depth", found.depth)];
                !claim.has("refused")
                    && figures.iter().all(|(word, n)| claim.number(word).is_none_or(|said| *n == Some(said)))
            }
            Err(_) => claim.has("refused"),
        };
        if !is_right {
            wrong.push(entry.text.clone());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
