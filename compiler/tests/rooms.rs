//! The borders between the rooms of the compiler hold.
//!
//! Data flows one way, and a room knows only its neighbours (ARCHITECTURE.md).
//! This reads every path that begins with `crate::` and compares it with the
//! table below, so a new line between two rooms is a decision, not a slip.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each room may name, beside itself and the floor that all stand on.
const ROOMS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("collections", &[]),
    ("diagnostic", &[]),
    ("syntax", &[]),
    ("model", &["syntax::ast", "syntax::c_text"]),
    ("ltl", &["model", "syntax::ast"]),
    ("ir", &["model", "ltl"]),
    ("analysis", &["ir", "model"]),
    ("clock", &["syntax", "model", "ir", "analysis"]),
    ("exec", &["ir", "analysis", "model"]),
    ("tables", &["exec", "ir", "analysis", "model"]),
    ("codegen", &["tables", "exec", "ir", "analysis", "model"]),
    ("interpret", &["tables", "exec", "ir", "analysis", "model"]),
    ("package", &["codegen"]),
    ("picture", &[]),
    (
        "driver",
        &["syntax", "model", "ltl", "ir", "analysis", "clock", "exec", "tables", "codegen", "interpret", "package"],
    ),
    ("api", &["driver", "codegen", "interpret", "package", "picture"]),
    ("lsp", &["driver", "syntax", "model", "analysis", "interpret"]),
    ("cli", &["driver"]),
    (
        "commands",
        &[
            "cli",
            "driver",
            "syntax",
            "model",
            "ltl",
            "ir",
            "analysis",
            "exec",
            "codegen",
            "interpret",
            "package",
            "picture",
            "lsp",
        ],
    ),
];

/// Every room may use these.
const FLOOR: &[&str] = &["source", "collections", "diagnostic", "ids"];

/// Files that touch the disk; no other may. `verifier` keeps a cache of builds, `files` finds models and projects; `driver`
/// asks for the age of the program.
const DISK: &[&str] = &[
    "driver.rs",
    "driver/disk.rs",
    "package.rs",
    "commands/verifier.rs",
    "commands/cache.rs",
    "commands/c_compiler.rs",
    "commands/man.rs",
    "commands/verify/files.rs",
    "commands/pictures.rs",
];

fn sources() -> Vec<(String, PathBuf, String)> {
    fn visit(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the sources are there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                visit(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    visit(&root, &mut files);
    files.sort();
    let room = |path: &Path| {
        let inside = path.strip_prefix(&root).expect("found below it");
        let first = inside.components().next().expect("a file has a name");
        Path::new(&first).with_extension("").display().to_string()
    };
    let with_text = |path: PathBuf| (room(&path), path.clone(), fs::read_to_string(&path).expect("a text file"));
    files.into_iter().map(with_text).collect()
}

/// The code of a file: no comments, and not the tests at its end, which may
/// borrow from anywhere.
fn code(text: &str) -> String {
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(all(test, unix))]\nmod "];
    let end = tests.iter().filter_map(|tests| text.find(tests)).min();
    let text = &text[..end.unwrap_or(text.len())];
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Every path from the root of the crate, as `room::rest`; `use crate::{a, b::c}` gives two.
fn paths(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (start, _) in code.match_indices("crate::") {
        // `$crate::` and `crate::` alike; `my_crate::` is another name.
        if code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[start + "crate::".len()..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
        let head = &rest[..end];
        match rest[end..].strip_prefix('{') {
            Some(list) => found.extend(split_list(list).into_iter().map(|item| format!("{head}{item}"))),
            None => {
                found.insert(head.trim_end_matches(':').to_owned());
            }
        }
    }
    found
}

/// The items of `a, b::{c, d}}` up to the brace that closes the list; nested
/// lists are cut off, since their head decides.
fn split_list(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            c if depth == 0 && !c.is_whitespace() => items.last_mut().expect("never empty").push(c),
            _ => {}
        }
    }
    items.into_iter().map(|item| item.trim_end_matches(':').to_owned()).filter(|item| !item.is_empty()).collect()
}

fn may_use(room: &str, path: &str) -> bool {
    let first = path.split("::").next().unwrap_or(path);
    let allowed = ROOMS.iter().find(|(name, _)| *name == room).map_or(&[][..], |(_, allowed)| allowed);
    let is_inside = |prefix: &&str| path == *prefix || path.starts_with(&format!("{prefix}::"));
    first == room || FLOOR.contains(&first) || allowed.iter().any(is_inside)
}

#[test]
fn a_room_names_only_its_neighbours() {
    let mut wrong = Vec::new();
    for (room, path, text) in sources() {
        // Helpers of tests may borrow from anywhere, as tests may.
        let is_test =
            path.ends_with("testing.rs") || path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
        if room == "lib" || room == "main" || is_test {
            continue;
        }
        assert!(ROOMS.iter().any(|(name, _)| *name == room), "`{room}` is a new room: give it a row in ROOMS");
        // What codegen quotes names the rooms of the emitted crate, so only its `use` lines count.
        let is_use = |line: &&str| room != "codegen" || line.starts_with("use ");
        let code: Vec<String> = code(&text).lines().filter(is_use).map(str::to_owned).collect();
        for used in paths(&code.join("\n")) {
            if !may_use(&room, &used) {
                wrong.push(format!("{} names crate::{used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "a room reaches past its neighbour:\n{}", wrong.join("\n"));
}

#[test]
fn only_the_driver_and_the_packager_touch_the_disk() {
    for (_, path, text) in sources() {
        let code = code(&text);
        let touches = ["std::fs", "fs::", "File::open"].iter().any(|word| code.contains(word));
        let may_touch = DISK.iter().any(|file| path.ends_with(Path::new("src").join(file)));
        assert!(!touches || may_touch, "{} touches the disk", path.display());
    }
}

/// A new kind of statement or action is a build error wherever it has to be thought of.
#[test]
fn no_kind_of_statement_is_left_to_a_catch_all_arm() {
    let wrong: Vec<String> = sources()
        .into_iter()
        .flat_map(|(_, path, text)| catch_alls(&text).into_iter().map(move |line| format!("{}:{line}", path.display())))
        .collect();
    assert!(wrong.is_empty(), "name the other kinds:\n{}", wrong.join("\n"));
}

/// The lines of the arms `_ =>` that stand behind an arm for a kind of statement or action. Arms of one `match` have one
/// indentation, since the sources are formatted.
fn catch_alls(text: &str) -> Vec<usize> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let is_catch_all = |n: &usize| lines[*n].trim_start().starts_with("_ =>");
    let names_kind = |n: usize| {
        let pattern = lines[n].split(" => ").next().unwrap_or_default().trim_start_matches([' ', '|', '(']);
        lines[n].contains("=>") && ["StatementKind::", "Action::"].iter().any(|kind| pattern.starts_with(kind))
    };
    let is_wrong = |n: &usize| {
        let own = indentation(lines[*n]);
        let inside = (0..*n).rev().take_while(|before| lines[*before].is_empty() || indentation(lines[*before]) >= own);
        inside.into_iter().any(|before| indentation(lines[before]) == own && names_kind(before))
    };
    (0..lines.len()).filter(is_catch_all).filter(is_wrong).map(|n| n + 1).collect()
}

#[test]
fn catch_all_arms_are_found() {
    let code = "match x {\n    Action::Jump => 1,\n    Action::Print(text) => {\n        2\n    }\n    _ => 3,\n}\n\
                match y {\n    1 => Action::Jump,\n    _ => Action::Else,\n}\n";
    assert_eq!(catch_alls(code), [6]);
}

#[test]
fn paths_are_found_in_every_form() {
    let code =
        "use crate::{source::Span, model};\nuse crate::syntax::{ast, lexer::Lexer};\nfn f(x: crate::ir::Guard) {}";
    let found: Vec<String> = paths(code).into_iter().collect();
    assert_eq!(found, ["ir::Guard", "model", "source::Span", "syntax::ast", "syntax::lexer::Lexer"]);
    assert!(may_use("model", "syntax::ast::File") && !may_use("model", "syntax::lexer::Lexer"));
    assert!(!may_use("syntax", "model") && may_use("syntax", "source::Span"));
    assert!(may_use("ir", "model::Model") && !may_use("ir", "syntax::ast"));
}
