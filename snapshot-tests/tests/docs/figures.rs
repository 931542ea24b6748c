//! Figures that stand in several places are the same, and means are those of their tables. Nothing is measured here.

use super::pages::{Page, read};

const PAGE: &str = "docs/performance.md";

/// The number at the beginning of a cell: `2.94x`, `1,234`.
fn number(cell: &str) -> Option<f64> {
    let digits: String = cell.chars().filter(|c| *c != ',').take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.trim_end_matches('.').parse().ok()
}

/// `31 : 78` as a ratio.
fn ratio(cell: &str) -> Option<f64> {
    let (ours, theirs) = cell.split_once(" : ")?;
    Some(number(ours)? / number(theirs)?)
}

fn mean(values: &[f64]) -> f64 {
    assert!(!values.is_empty(), "a mean of nothing");
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// A column of a table, without what is missing there.
fn column(table: &[Vec<String>], n: usize, read: fn(&str) -> Option<f64>) -> Vec<f64> {
    table.iter().filter_map(|row| read(&row[n])).collect()
}

/// Tables are rounded, and so are means.
#[track_caller]
fn assert_near(stated: f64, computed: f64, tolerance: f64) {
    assert!((stated - computed).abs() <= tolerance, "stated is {stated}, computed {computed}");
}

/// The numbers behind each of these words in a sentence.
#[track_caller]
fn stated(text: &str, words: &[&str]) -> Vec<f64> {
    let mut rest = text;
    let mut numbers = Vec::new();
    for word in words {
        let (_, behind) = rest.split_once(word).unwrap_or_else(|| panic!("no {word:?} in {PAGE}"));
        numbers.push(number(behind.trim_start()).unwrap_or_else(|| panic!("no number behind {word:?}")));
        rest = behind;
    }
    numbers
}

/// The number that begins the line with "in the mean".
#[track_caller]
fn before_the_mean(text: &str) -> f64 {
    let line = text.lines().find(|line| line.contains(" in the mean")).expect("a sentence with the mean");
    number(line).expect("it begins with a number")
}

#[test]
fn means_are_those_of_the_tables() {
    let page = Page::named(PAGE);
    let table = page.table("## Safety");
    assert_eq!(table.len(), 14);
    let speed = column(&table, 5, number);
    let words = ["Geometric means, pmc over `pan`: speed", "(least", "memory", "build time", "time to verdict"];
    let safety = stated(&page.text, &words);
    assert_near(safety[0], mean(&speed), 0.006);
    assert_near(safety[1], least(&speed), 0.001);
    assert_near(safety[2], mean(&column(&table, 8, ratio)), 0.02);
    assert_near(safety[3], mean(&column(&table, 9, ratio)), 0.02);
    assert_near(safety[4], mean(&column(&table, 10, ratio)), 0.02);

    let table = page.table("## Formulas");
    let formulas = stated(&page.text, &["Geometric means: speed", "(least", "memory"]);
    assert_near(formulas[0], mean(&column(&table, 5, number)), 0.006);
    assert_near(formulas[1], least(&column(&table, 5, number)), 0.001);
    assert_near(formulas[2], mean(&column(&table, 8, ratio)), 0.06);

    let bitstate = column(&page.table("## Bitstate"), 5, number);
    assert_near(stated(&page.text, &["\nSpeed is"])[0], mean(&bitstate), 0.006);

    let build = column(&page.table("## Build time"), 3, number);
    let (_, text) = page.text.split_once("## Build time").expect("a section");
    assert_near(before_the_mean(text), mean(&build), 0.006);
    assert_eq!(build.iter().filter(|ratio| **ratio > 1.0).count(), 1);

    let threads = page.table("## Two threads");
    let (_, text) = page.text.split_once("## Two threads").expect("a section");
    let both = column(&threads, 3, number);
    assert_near(before_the_mean(text), mean(&both), 0.006);
    assert_near(stated(text, &["in the mean,"])[0], least(&both), 0.001);
}

#[test]
fn states_are_those_that_spin_counted() {
    let sizes = read("benchmarks/sizes.csv");
    for row in Page::named(PAGE).table("## Safety") {
        let known = format!("{},medium,{},{},", row[0], row[1], row[2]);
        assert!(sizes.contains(&known), "benchmarks/sizes.csv does not have {known}");
    }
    let growth = read("benchmarks/growth.csv");
    for row in Page::named(PAGE).table("### Growth") {
        assert!(growth.lines().any(|line| line.ends_with(&format!(",{}", row[0]))), "{row:?}");
    }
}

#[test]
fn the_picture_shows_the_table() {
    let picture = read("docs/speed.svg");
    for row in Page::named(PAGE).table("## Safety") {
        let speed = row[5].trim_end_matches('x');
        assert!(picture.contains(&format!(">{}<", row[0])) && picture.contains(&format!(">{speed}<")), "{row:?}");
    }
}

/// The summary at the top of the page, and what the README takes from it.
#[test]
fn the_readme_has_the_figures_of_the_page() {
    let page = Page::named(PAGE);
    let sentence = stated(
        &page.text,
        &["Geometric means, pmc over `pan`: speed", "(least", "memory", "build time", "time to verdict"],
    );
    let rows = page.table("# Performance");
    let summary: String = rows.concat().concat();
    let readme = read("README.md");
    for figure in [sentence[0], sentence[1], sentence[2], sentence[4]] {
        let figure = format!("{figure:.2}");
        assert!(summary.contains(&figure), "the summary does not have {figure}");
        assert!(readme.contains(&figure), "the README does not have {figure}");
    }
}
