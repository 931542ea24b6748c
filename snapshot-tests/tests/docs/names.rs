//! Links lead somewhere, files and names that pages speak of exist.

use std::collections::BTreeSet;

use super::pages::{Page, files, pages, read, root};

/// Pages that speak of the past, or of another crate: only their links are checked.
const NOT_OF_TODAY: &[&str] = &["CHANGELOG.md", "docs/performance-diary.md", "templates/README.md"];

/// Files that pages speak of and that are not in the repository: those of an emitted crate, and of a reader.
const FILES_OF_OTHERS: &[&str] = &[
    "src/worker.rs",
    "src/embedded.rs",
    "tests/model.rs",
    "src/README.md",
    "independence.rs",
    "state.rs",
    "build.rs",
    "Cargo.toml",
    "model.pml",
];

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let prose = page.prose();
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (path, anchor) = target.split_once('#').map_or((target, None), |(path, at)| (path, Some(at)));
            let file = if path.is_empty() { page.name.clone() } else { join(page.folder(), path) };
            let is_there = root().join(&file).exists();
            let has_anchor = anchor.is_none_or(|anchor| is_there && anchors(&read(&file)).contains(anchor));
            if !is_there || !has_anchor {
                broken.push(format!("{}: {target}", page.name));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// `a/b` and `../c` are `a/c`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The names by which a link can lead to a heading of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let keep = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || c == ' ';
    headings
        .map(|heading| heading.to_lowercase().chars().filter(|c| keep(*c)).collect::<String>().replace(' ', "-"))
        .collect()
}

#[test]
fn every_file_that_a_page_names_exists() {
    let known = files(&["rs", "md", "csv", "lalrpop", "svg", "toml", "pml", "txt", "dict", "json", "snap", "run"]);
    let names: BTreeSet<&str> = known.iter().filter_map(|path| path.rsplit('/').next()).collect();
    let mut missing = Vec::new();
    for page in pages().iter().filter(|page| !NOT_OF_TODAY.contains(&page.name.as_str())) {
        for span in page.code_spans().iter().filter(|span| is_path(span)) {
            let folders = ["", page.folder(), "compiler/src", "runtime/src"];
            let is_there = |path: &str| folders.iter().any(|folder| root().join(folder).join(path).exists());
            let is_known = names.contains(span.as_str()) || is_there(span);
            if !is_known && !FILES_OF_OTHERS.contains(&span.as_str()) {
                missing.push(format!("{}: {span}", page.name));
            }
        }
    }
    assert!(missing.is_empty(), "files that do not exist:\n{}", missing.join("\n"));
}

/// A file of ours, or a folder.
fn is_path(span: &str) -> bool {
    let is_plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let is_file =
        [".rs", ".md", ".csv", ".lalrpop", ".svg"].iter().any(|end| span.len() > end.len() && span.ends_with(end));
    let first = span.split('/').next().unwrap_or(span);
    let is_below = span.contains('/') && !first.is_empty() && root().join(first).is_dir();
    is_plain && (is_file || is_below)
}

#[test]
fn every_name_that_a_page_uses_occurs_in_the_sources() {
    let known = words_of_the_sources();
    let mut missing = Vec::new();
    for page in pages().iter().filter(|page| !NOT_OF_TODAY.contains(&page.name.as_str())) {
        let shown: BTreeSet<String> = page.blocks().iter().flat_map(|block| words(&block.text)).collect();
        for span in page.code_spans().iter().filter(|span| is_name(span)) {
            for part in span.split("::") {
                let is_known = known.contains(part) || shown.contains(part);
                if !is_known {
                    missing.push(format!("{}: {span}", page.name));
                }
            }
        }
    }
    assert!(missing.is_empty(), "names that occur in no source:\n{}", missing.join("\n"));
}

/// A name of Rust, or of a model: `StateSet`, `offer_steps`, `exec::Program`.
fn is_name(span: &str) -> bool {
    let is_plain = span.replace("::", "").chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let begins = span.starts_with(|c: char| c.is_ascii_alphabetic());
    let has_lower = span.contains(|c: char| c.is_ascii_lowercase());
    let is_long = span.len() > 1 && (span.starts_with(|c: char| c.is_ascii_uppercase()) || span.contains('_'));
    is_plain && begins && has_lower && !span.ends_with(':') && (is_long || span.contains("::"))
}

/// Every word of code, models and tables, and the names of files and folders. The tests of pages are left out: they name what is wrong.
fn words_of_the_sources() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for name in files(&["rs", "pml", "lalrpop", "csv", "toml"]) {
        found.extend(name.split(['/', '.']).map(str::to_owned));
        if !name.starts_with("snapshot-tests/tests/docs/") {
            // Some models are not UTF-8, on purpose.
            let bytes = std::fs::read(root().join(&name)).expect("a file of the repository");
            found.extend(words(&String::from_utf8_lossy(&bytes)));
        }
    }
    found
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[test]
fn paths_and_names_are_told_from_other_words() {
    assert!(is_path("docs/lints.md") && is_path("lexer.rs") && is_path("snapshot-tests/models"));
    assert!(!is_path("-o1") && !is_path("and/or") && !is_path(".rs") && !is_path("pan -a"));
    assert!(is_name("StateSet") && is_name("exec::Program") && is_name("offer_steps") && is_name("Facts"));
    assert!(!is_name("GATE") && !is_name("turn == 1") && !is_name("ltl") && !is_name("X") && !is_name("P:a"));
    assert_eq!(join("docs/decisions", "../walkthrough.md"), "docs/walkthrough.md");
    assert!(anchors("# A `b` c\n## Two threads\n").contains("a-b-c"));
    let page = Page { name: "x.md".to_owned(), text: "a `b\nc` d\n\n```text\n`e`\n```\n".to_owned() };
    assert_eq!(page.code_spans(), ["b c"]);
}
