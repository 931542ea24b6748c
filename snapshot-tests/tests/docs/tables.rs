//! Tables and lists of the pages beside what they are made from.

use std::fs;

use super::pages::{Page, read, root};

/// The map has the rooms of `compiler/tests/rooms.rs`, each with what it may use.
#[test]
fn the_map_has_the_rooms_that_are_tested() {
    let test = read("compiler/tests/rooms.rs");
    let list = between(&test, "const ROOMS: &[(&str, &[&str])] = &[", "\n];");
    let names = |text: &str| text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let tested: Vec<Vec<String>> = list.split('(').skip(1).map(names).collect();
    let floor = ["source", "collections", "diagnostic"].map(str::to_owned);
    let tested: Vec<Vec<String>> = tested.into_iter().filter(|row| !floor.contains(&row[0])).collect();
    let map = Page::named("ARCHITECTURE.md");
    let spans = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let shown: Vec<Vec<String>> =
        map.table("## Rooms of the compiler").iter().map(|row| [spans(&row[0]), spans(&row[2])].concat()).collect();
    assert_eq!(shown, tested);
}

#[test]
fn the_map_is_short() {
    let n_lines = read("ARCHITECTURE.md").lines().count();
    assert!(n_lines <= 120, "ARCHITECTURE.md has {n_lines} lines: what is more than a map belongs elsewhere");
}

/// Decisions are numbered without gaps, have three parts, and stand in the index.
#[test]
fn every_decision_is_in_the_index() {
    let folder = root().join("docs/decisions");
    let entries = fs::read_dir(folder)
        .expect("there are decisions")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = entries.filter(|name| name != "README.md").collect();
    names.sort();
    let index = Page::named("docs/decisions/README.md");
    let rows = index.table("# Decisions");
    assert_eq!(rows.len(), names.len(), "the index has another number of decisions");
    for ((name, row), number) in names.iter().zip(&rows).zip(1..) {
        assert!(name.starts_with(&format!("{number:04}-")), "{name} should be number {number}");
        let text = read(&format!("docs/decisions/{name}"));
        let title = text.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a decision has a title");
        let title = title.split_once(". ").map_or(title, |(_, title)| title);
        assert_eq!(row[1], format!("[{title}]({name})"));
        for part in ["**Context.** ", "**Decision.** ", "**Consequence.** "] {
            assert!(text.contains(part), "{name} has no {part}");
        }
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start:?}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} behind {start:?}")).0
}
