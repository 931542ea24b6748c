//! The modules of the runtime form a directed graph without cycles.
//!
//! This test reads every path that begins with `crate::` and compares the edges between top-level modules with the table
//! below. A new edge fails until its author adds it here; an edge that closes a cycle cannot be added, because a row
//! may only name modules of rows above it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each module uses, lowest layer first.
const MODULES: &[(&str, &[&str])] = &[
    ("memory", &[]),
    ("sorting", &[]),
    ("bits", &["memory"]),
    ("omission", &[]),
    ("random", &[]),
    ("limits", &[]),
    ("options", &["limits"]),
    ("prefetch", &[]),
    ("pack", &["memory", "prefetch"]),
    ("huge_pages", &[]),
    ("zeroed", &["huge_pages", "memory"]),
    ("backoff", &[]),
    ("lock", &["backoff"]),
    ("store", &["huge_pages", "lock", "memory", "omission", "options", "pack", "backoff", "prefetch", "zeroed"]),
    ("symmetry", &["options", "pack"]),
    ("fault", &[]),
    ("step", &["fault"]),
    ("control_flow", &["step"]),
    ("model", &["control_flow", "fault", "pack", "step", "symmetry"]),
    ("reduction", &["fault", "model", "step"]),
    ("distance", &["control_flow", "model", "reduction"]),
    ("goal", &["model", "options", "reduction", "sorting"]),
    ("property", &["goal", "model", "options"]),
    ("json", &[]),
    ("trail", &["json", "model", "step"]),
    ("explanation", &[]),
    ("verdict", &["explanation", "fault", "limits", "model", "omission", "options", "property", "step", "trail"]),
    ("monitor", &[]),
    ("priority", &["fault", "model", "step"]),
    ("hidden", &["lock", "memory"]),
    ("dyn_model", &["fault", "hidden", "model", "pack", "step"]),
    ("record", &["fault", "model", "priority", "dyn_model", "step", "trail", "verdict"]),
    ("show", &["model", "record", "step"]),
    ("walk", &["fault", "record", "dyn_model", "step", "trail", "verdict"]),
    ("retrace", &["dyn_model", "fault", "goal", "model", "step", "trail", "verdict", "walk"]),
    ("exact_run", &["dyn_model", "model", "retrace", "step", "trail", "verdict", "walk"]),
    (
        "system",
        &[
            "control_flow",
            "distance",
            "exact_run",
            "fault",
            "goal",
            "hidden",
            "limits",
            "memory",
            "model",
            "options",
            "pack",
            "priority",
            "property",
            "record",
            "reduction",
            "sorting",
            "dyn_model",
            "step",
            "store",
            "symmetry",
            "trail",
            "verdict",
            "walk",
        ],
    ),
    (
        "story",
        &[
            "fault",
            "json",
            "model",
            "record",
            "reduction",
            "show",
            "dyn_model",
            "step",
            "system",
            "trail",
            "verdict",
            "walk",
        ],
    ),
    (
        "report",
        &["json", "limits", "model", "monitor", "omission", "options", "property", "show", "story", "trail", "verdict"],
    ),
    (
        "simulate",
        &["model", "random", "record", "dyn_model", "reduction", "show", "story", "system", "trail", "verdict"],
    ),
    ("sound", &["model", "options", "property"]),
    ("cli", &["model", "omission", "options", "property", "report", "show", "simulate", "sound", "store"]),
    ("replay", &["dyn_model", "reduction", "retrace", "show", "story", "system", "trail"]),
    ("signal", &["limits"]),
    ("supervised", &["signal", "verdict"]),
    (
        "search",
        &[
            "bits",
            "distance",
            "goal",
            "hidden",
            "limits",
            "lock",
            "memory",
            "model",
            "monitor",
            "omission",
            "options",
            "pack",
            "backoff",
            "property",
            "random",
            "reduction",
            "sorting",
            "signal",
            "sound",
            "step",
            "store",
            "symmetry",
            "system",
            "trail",
            "verdict",
        ],
    ),
    (
        "entry_point",
        &[
            "cli",
            "json",
            "limits",
            "model",
            "monitor",
            "options",
            "reduction",
            "replay",
            "report",
            "dyn_model",
            "search",
            "show",
            "signal",
            "simulate",
            "story",
            "supervised",
            "system",
            "trail",
            "verdict",
        ],
    ),
    (
        "checked",
        &[
            "dyn_model",
            "entry_point",
            "explanation",
            "limits",
            "model",
            "monitor",
            "options",
            "reduction",
            "report",
            "search",
            "story",
            "system",
            "verdict",
        ],
    ),
    (
        "explore",
        &[
            "dyn_model",
            "entry_point",
            "fault",
            "limits",
            "model",
            "monitor",
            "options",
            "record",
            "reduction",
            "replay",
            "search",
            "step",
            "story",
            "system",
            "trail",
            "verdict",
            "walk",
        ],
    ),
    ("precompiled", &["pack", "search"]),
    // Code of emitted crates.
    ("generated", &["control_flow", "fault", "model", "pack", "reduction", "step"]),
];

/// Modules of tests may use everything.
fn is_test(path: &Path) -> bool {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let helpers = ["testing", "naive", "random_threads", "random_webs"];
    name == "tests"
        || name.ends_with("_tests")
        || helpers.contains(&name)
        || path.iter().any(|part| part == "toy" || part == "tests")
}

/// The roots of the two crates in the folder.
fn is_root(module: &str) -> bool {
    module == "lib" || module == "core"
}

/// The top-level module of each source file, with the text of the file.
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
    let inside = |path: &Path| path.strip_prefix(&root).expect("found below it").to_owned();
    let read = |path: PathBuf| {
        let first = inside(&path).components().next().map(|part| Path::new(&part).with_extension(""));
        let module = first.expect("a file has a name").display().to_string();
        let text = fs::read_to_string(&path).expect("a text file");
        (module, inside(&path), text)
    };
    files.into_iter().map(read).filter(|(module, path, _)| !is_root(module) && !is_test(path)).collect()
}

/// The code of a file, without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The first names of all paths from the root of the crate; `crate::{a, b::c}` gives two.
fn used_modules(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (start, found) in code.match_indices("crate::") {
        // `pmc_crate::` would be another name.
        if code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[start + found.len()..];
        match rest.strip_prefix('{') {
            Some(list) => used.extend(heads(list)),
            None => used.extend(head(rest)),
        }
    }
    used
}

fn head(path: &str) -> Option<String> {
    let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_owned())
}

/// The first names of `a, b::{c, d}}`, up to the brace that closes the list.
fn heads(list: &str) -> Vec<String> {
    let (mut heads, mut depth, mut is_start) = (Vec::new(), 0, true);
    for (index, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_start = true,
            c if is_start && !c.is_whitespace() => {
                heads.extend(head(&list[index..]));
                is_start = false;
            }
            _ => {}
        }
    }
    heads
}

#[test]
fn a_module_uses_what_the_table_allows() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (module, path, text) in sources() {
        let Some((_, allowed)) = MODULES.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("`{module}` is a new module: give it a row in MODULES"));
            continue;
        };
        for used in used_modules(&code(&text)).into_iter().filter(|used| *used != module) {
            if !allowed.contains(&used.as_str()) {
                wrong.push(format!("{} uses crate::{used}", path.display()));
            }
            seen.insert((module.clone(), used));
        }
    }
    for (module, allowed) in MODULES {
        for used in *allowed {
            if !seen.contains(&((*module).to_owned(), (*used).to_owned())) {
                wrong.push(format!("`{module}` no longer uses `{used}`: take it out of MODULES"));
            }
        }
    }
    assert!(wrong.is_empty(), "edges that the table does not have:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_has_no_cycle() {
    for (row, (module, allowed)) in MODULES.iter().enumerate() {
        let below = &MODULES[..row];
        for used in *allowed {
            assert!(below.iter().any(|(name, _)| name == used), "`{module}` uses `{used}`, which has no row above it");
        }
    }
}

#[test]
fn paths_are_found_in_every_form() {
    let code = "use crate::{pack::Packed, model};\nuse crate::store::{a, b::C};\nfn f(x: crate::step::Pid) {}";
    let found: Vec<String> = used_modules(code).into_iter().collect();
    assert_eq!(found, ["model", "pack", "step", "store"]);
}
