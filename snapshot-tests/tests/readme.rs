//! What the README shows is what happens.

use pmc::diagnostic::{Level, Lint};
use snapshot_tests::front_end::check_text;

#[test]
fn the_message_in_the_readme_is_the_one_that_is_shown() {
    let readme = std::fs::read_to_string("../README.md").expect("the README is there");
    let model = between(&readme, "```promela\n", "```");
    let shown = between(&readme, "$ pmc check relay.pml\n", "```");
    let found = check_text("relay.pml", model);
    assert_eq!(found.text, shown);
}

#[test]
fn the_page_of_lints_has_all_of_them() {
    let page = std::fs::read_to_string("../docs/lints.md").expect("the page is there");
    let shown = between(&page, "| Lint | Level | What it finds |\n| --- | --- | --- |\n", "\n\n");
    let row = |lint: &Lint| format!("| `{}` | {} | {} |", lint.name(), lint.default_level().name(), lint.about());
    let rows: Vec<String> = Lint::ALL.iter().map(row).collect();
    assert_eq!(shown, rows.join("\n"));
}

/// Each model of the page of differences that a lint refuses: refused by default, for that reason, and accepted with `-A`.
#[test]
fn what_is_accepted_on_request_is_refused_otherwise() {
    let page = std::fs::read_to_string("../docs/accepted-on-request.md").expect("the page is there");
    let mut n_models = 0;
    for section in page.split("\n### `").skip(1) {
        let lint = section.split('`').next().expect("a name");
        let model = between(section, "```promela\n", "```");
        let found = check_text("model.pml", model);
        assert!(found.diagnostics.has_errors(), "{lint} is accepted");
        let title = format!("error[{lint}]");
        assert!(found.text.contains(&title) && !found.text.contains("error[P"), "{}", found.text);
        assert!(found.text.contains(&format!("`-A {lint}` accepts it with Spin's meaning: ")), "{}", found.text);
        let allowed = check_text("model.pml", format!("{model}// @pmc -A {lint}\n"));
        assert!(!allowed.diagnostics.has_errors(), "{}", allowed.text);
        n_models += 1;
    }
    let n_denied = Lint::ALL.iter().filter(|lint| lint.default_level() == Level::Deny).count();
    assert_eq!(n_models, n_denied);
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start:?} in the README"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} behind it")).0
}
