//! What the README shows is what happens.

use snapshot_tests::front_end::check_text;

#[test]
fn the_message_in_the_readme_is_the_one_that_is_shown() {
    let readme = std::fs::read_to_string("../README.md").expect("the README is there");
    let model = between(&readme, "```promela\n", "```");
    let shown = between(&readme, "$ pmc check relay.pml\n", "```");
    let found = check_text("relay.pml", model);
    assert_eq!(found.text, shown);
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start:?} in the README"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} behind it")).0
}
