//! Every command that a page shows is run, and what it prints compared.
//!
//! A block of the language `console` holds lines `$ pmc ARGUMENTS`, each with its output behind it. `...` stands for any lines. A model that
//! a page shows is there under the name that stands last before it, and so is a `pmc.toml`. Times and memory are not compared. A comment
//! `<!-- excerpt of FILE: FUNCTION -->` stands before a function of a crate that `pmc compile` has written. With `UPDATE_DOCS=1` what
//! is not as it should be is written anew, but for blocks with `...`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::pages::{Block, Page, pages, read, root};

#[test]
fn commands_print_what_pages_show() {
    let mut wrong = Vec::new();
    let mut n_commands = 0;
    for mut page in pages() {
        let blocks = page.blocks();
        if !blocks.iter().any(|block| block.language == "console") {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        copy(&root().join("examples"), &folder.path().join("examples"));
        let mut changes: Vec<(&Block, String)> = Vec::new();
        for block in &blocks {
            match block.language.as_str() {
                "promela" | "toml" => {
                    if let Some(name) = file_name(&page.text[..block.start], &block.language) {
                        fs::write(folder.path().join(name), &block.text).expect("written");
                    }
                }
                "console" => {
                    n_commands += block.text.matches("$ pmc ").count();
                    let actual = run_block(&block.text, folder.path());
                    if !agrees(&block.text, &actual) {
                        wrong.push(format!("{}:\n{actual}", page.name));
                        changes.push((block, actual));
                    }
                }
                "rust" => {
                    if let Some((file, function)) = excerpt_name(&page.text[..block.start]) {
                        let actual = excerpt(folder.path(), &file, &function);
                        if block.text != actual {
                            wrong.push(format!("{}:\n{actual}", page.name));
                            changes.push((block, actual));
                        }
                    }
                }
                _ => {}
            }
        }
        if std::env::var_os("UPDATE_DOCS").is_some() {
            for (block, actual) in changes.iter().rev().filter(|(block, _)| !block.text.contains("\n...\n")) {
                page.text.replace_range(block.start..block.start + block.text.len(), actual);
            }
            fs::write(root().join(&page.name), &page.text).expect("the page can be written");
        }
    }
    assert!(n_commands > 10, "only {n_commands} commands are shown");
    assert!(wrong.is_empty(), "not as shown (UPDATE_DOCS=1 writes it anew):\n{}", wrong.join("\n"));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder of the repository") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("it can be read");
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).expect("a file can be copied");
        }
    }
}

/// The last name of a model, or of a project, before a block, in the same paragraph.
fn file_name(before: &str, language: &str) -> Option<String> {
    let before = before.trim_end().strip_suffix(language)?.strip_suffix("```")?;
    let paragraph = before.trim_end().rsplit("\n\n").next()?;
    let is_file = |span: &&str| match language {
        "promela" => span.ends_with(".pml") && !span.contains('/'),
        _ => *span == "pmc.toml",
    };
    paragraph.split('`').skip(1).step_by(2).filter(is_file).last().map(str::to_owned)
}

/// The file and the function of `<!-- excerpt of FILE: FUNCTION -->` right before a block.
fn excerpt_name(before: &str) -> Option<(String, String)> {
    let line = before.trim_end().strip_suffix("```rust")?.trim_end().lines().last()?;
    let name = line.strip_prefix("<!-- excerpt of ")?.strip_suffix(" -->")?;
    name.split_once(": ").map(|(file, function)| (file.to_owned(), function.to_owned()))
}

/// A function of an emitted crate, with its documentation.
fn excerpt(folder: &Path, file: &str, function: &str) -> String {
    let crates = fs::read_dir(folder).expect("the folder of the page").filter_map(|entry| Some(entry.ok()?.path()));
    let texts: Vec<String> = crates.filter_map(|path| fs::read_to_string(path.join(file)).ok()).collect();
    let [text] = &texts[..] else { panic!("{} crates have a file {file}", texts.len()) };
    let lines: Vec<&str> = text.lines().collect();
    let is_head = |line: &&str| line.contains(&format!("fn {function}("));
    let head = lines.iter().position(is_head).unwrap_or_else(|| panic!("no function {function} in {file}"));
    let n_before =
        lines[..head].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#[")).count();
    let n_inside = lines[head..].iter().position(|line| *line == "}").expect("a function ends");
    lines[head - n_before..=head + n_inside].iter().map(|line| format!("{line}\n")).collect()
}

/// A block with what its commands print today.
fn run_block(block: &str, folder: &Path) -> String {
    let commands = block.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.map(|command| format!("$ {command}\n{}", run(command, folder))).collect()
}

fn run(command: &str, folder: &Path) -> String {
    let arguments = command.strip_prefix("pmc ").unwrap_or_else(|| panic!("pages run pmc, not {command}"));
    let mut arguments = split(arguments);
    if arguments[0] == "verify" && !arguments.iter().any(|word| word.starts_with("--engine")) {
        // What is shown takes milliseconds. This pmc is slower, but must not start to build a verifier for it.
        arguments.splice(1..1, ["--engine", "interpret"].map(str::to_owned));
    }
    let mut pmc = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
    // What the tests were started with must not reach the cargo that pmc starts.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") && name != "CARGO_HOME") {
        pmc.env_remove(name);
    }
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("end_to_end");
    pmc.env_remove("RUSTFLAGS").env("PMC_CACHE", cache).env("NO_COLOR", "1").stdin(Stdio::null());
    let output = pmc.args(arguments).current_dir(folder).output().expect("pmc can be started");
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("we write UTF-8")).concat()
}

/// The arguments of a command, as a shell takes them: single quotes hold spaces together.
fn split(command: &str) -> Vec<String> {
    let quoted = command.split('\'').enumerate();
    let parts = quoted.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    parts.collect()
}

/// Whether two texts are the same but for times and memory, where a line `...` of the first stands for any lines.
fn agrees(shown: &str, actual: &str) -> bool {
    let actual: Vec<String> = actual.lines().map(mask).collect();
    let shown: Vec<String> = shown.lines().map(mask).collect();
    matches(&shown, &actual)
}

fn matches(shown: &[String], actual: &[String]) -> bool {
    match shown.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first == "..." => (0..=actual.len()).any(|n| matches(rest, &actual[n..])),
        Some((first, rest)) => actual.split_first().is_some_and(|(line, more)| line == first && matches(rest, more)),
    }
}

/// A line without the numbers that measure time or memory.
fn mask(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_unit = |word: &&str| ["s", "s,", "states/s,", "states/s", "MB", "MB,"].contains(word);
    let is_measure =
        |n: usize| words[n].starts_with(|c: char| c.is_ascii_digit()) && words.get(n + 1).is_some_and(is_unit);
    let masked: Vec<&str> = (0..words.len()).map(|n| if is_measure(n) { "N" } else { words[n] }).collect();
    masked.join(" ")
}

/// The commands and flags that pmc and verifiers have.
fn known_flags() -> (BTreeSet<String>, BTreeSet<String>) {
    let help = |arguments: &str| run(&format!("pmc {arguments}"), &root());
    let overview = help("--help");
    let (_, list) = overview.split_once("Commands:\n").expect("the help lists the commands");
    let commands =
        list.lines().take_while(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
    let commands: BTreeSet<String> = commands.filter(|name| *name != "help").map(str::to_owned).collect();
    let mut flags = BTreeSet::from(["--help", "--version", "--verbose"].map(str::to_owned));
    for command in &commands {
        flags.extend(flags_in(&help(&format!("{command} --help"))));
    }
    let own = read("runtime/src/cli/flags.rs");
    // An example of the help runs cargo.
    flags.remove("--release");
    flags.extend(own.split('"').filter(|text| text.starts_with("--") && !text.contains(' ')).map(str::to_owned));
    (commands, flags)
}

/// Every word that begins with two dashes.
fn flags_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words
        .filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---"))
        .map(str::to_owned)
        .collect()
}

/// Flags of the benchmarks and of the tools in `snapshot-tests`.
const FLAGS_OF_OUR_TOOLS: &[&str] = &["docs/performance.md: --question", "CONTRIBUTING.md: --refused"];

#[test]
fn pages_use_flags_that_exist() {
    let (_, known) = known_flags();
    // The benchmarks have flags of their own, and the past had others.
    let is_ours = |page: &Page| {
        !["CHANGELOG.md", "benchmarks/README.md", "docs/performance-diary.md"].contains(&page.name.as_str())
    };
    let mut wrong = Vec::new();
    for page in pages().iter().filter(|page| is_ours(page)) {
        let spans = page.code_spans();
        let commands = spans.iter().flat_map(|span| span.split(" && "));
        for span in commands.filter(|span| span.starts_with("--") || span.starts_with("pmc ")) {
            wrong.extend(flags_in(span).difference(&known).map(|flag| format!("{}: {flag}", page.name)));
        }
    }
    wrong.retain(|line| !FLAGS_OF_OUR_TOOLS.contains(&line.as_str()));
    assert!(wrong.is_empty(), "flags that nothing has:\n{}", wrong.join("\n"));
}

#[test]
fn the_page_of_flags_has_every_command_and_every_flag() {
    let (commands, flags) = known_flags();
    let page = Page::named("docs/flags.md");
    let shown: BTreeSet<String> = page.code_spans().iter().flat_map(|span| flags_in(span)).collect();
    let missing: Vec<&String> = flags.iter().filter(|flag| !shown.contains(*flag)).collect();
    assert!(missing.is_empty(), "docs/flags.md does not have {missing:?}");
    for command in commands {
        assert!(page.text.contains(&format!("| `pmc {command} ")), "docs/flags.md has no row of `pmc {command}`");
    }
}

#[test]
fn the_page_of_stores_has_each() {
    let page = Page::named("docs/stores.md");
    let flags = read("runtime/src/cli/flags.rs");
    let stores = flags.split("\"--store\", \"").skip(1).filter_map(|rest| rest.split(['"', '[']).next());
    let stores: Vec<&str> = stores.filter(|name| *name != "HOW").collect();
    assert!(stores.len() >= 5, "{stores:?}");
    let rows = page.table("# Stores");
    for store in stores {
        let has_row = rows.iter().any(|row| row[0].trim_matches('`').split('[').next() == Some(store));
        assert!(has_row, "docs/stores.md has no row of {store}");
    }
}

#[test]
fn what_is_left_out_may_be_anything_and_time_is_not_compared() {
    assert!(agrees("$ a\n...\nc\n", "$ a\nb\nb\nc\n") && !agrees("a\n...\nc\n", "a\nb\n"));
    assert!(agrees("x; 0.00 s, 206,969 states/s, 3 MB\n", "x; 1.25 s, 7 states/s, 41 MB\n"));
    assert!(!agrees("38 states, 0.00 s\n", "39 states, 0.00 s\n"));
    assert_eq!(split("verify --formula '[] (x < 2)' m.pml"), ["verify", "--formula", "[] (x < 2)", "m.pml"]);
    assert_eq!(file_name("Some `a.pml`.\n\nThen `b.pml`:\n\n```promela\n", "promela").as_deref(), Some("b.pml"));
    assert_eq!(file_name("In `pmc.toml`, `path`:\n\n```toml\n", "toml").as_deref(), Some("pmc.toml"));
}
