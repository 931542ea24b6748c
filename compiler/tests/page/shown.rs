//! Counterexamples and simulations as pages.

use std::path::{Path, PathBuf};

use super::browser::Browser;
use super::{pmc, write};

/// Two processes pass messages; the third one fails on a value.
const SENDER: &str = r#"mtype = { data, stop };
chan q = [2] of { mtype, byte };
byte got;

active proctype sender() {
  byte n = 3;
  q!data(n);
  q!stop(0)
}

active proctype receiver() {
  byte x;
  q?data(x);
  got = x;
  q?stop(x);
  assert(got < 3) /* </script><script>document.title = "evil"</script> */
}
"#;

/// Writes the page of what `pmc verify` finds.
fn page_of(folder: &Path, model: &str) -> PathBuf {
    write(folder, "model.pml", model);
    let output = pmc(folder, &["verify", "--engine", "interpret", "--html", "page.html", "model.pml"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("page.html"), "{said}");
    folder.join("page.html")
}

#[test]
fn a_counterexample_is_stepped_through() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = page_of(folder.path(), SENDER);
    browser.open_file(&page, "");
    assert_eq!(browser.value("document.title"), "model.pml violated");
    assert!(browser.text("#verdict").contains("assertion violated"));
    assert_eq!(browser.texts("#heads div").len(), 2);
    assert_eq!(browser.text("#step"), "initial state");
    let n = browser.value("Number(document.getElementById('slider').max)").as_u64().expect("a number");
    assert!((5..=9).contains(&n), "{n} steps");

    // The button, the key, and a link to a step do the same.
    browser.click("#next");
    assert_eq!(browser.text("#where"), format!("step 1 of {n}"));
    browser.press("ArrowRight");
    assert_eq!(browser.value("document.body.dataset.position"), "2");
    browser.press("ArrowLeft");
    assert_eq!(browser.value("location.hash"), "#step=1");
    browser.press("End");
    assert_eq!(browser.text("#where"), format!("step {n} of {n}"));
    assert!(browser.text("#step .bad").contains("assertion violated"));
    assert!(browser.text("#source .line.on .text").contains("assert(got < 3)"));
    assert!(browser.value("document.getElementById('last').disabled") == true);

    // Two messages arrive: two arrows.
    assert_eq!(browser.value("document.querySelectorAll('#rows .tip').length"), 2);
    assert!(browser.texts("#rows .label").iter().any(|label| label.starts_with("q!data(3)")));

    // Where `got` changes, it is marked with both values.
    for at in 1..=n {
        browser.open_file(&page, &format!("step={at}"));
        if browser.text("#source .line.on .text").contains("got = x") {
            break;
        }
    }
    let changed = browser.texts("#values tr.changed td");
    assert_eq!(changed, ["got", "03"], "the old and the new value");
    assert_eq!(browser.text("#values tr.changed del"), "0");

    // The model's comment is text, wherever it is shown.
    assert_eq!(browser.value("document.title"), "model.pml violated");
    assert!(browser.text("#source").contains("</script><script>"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);

    watched_and_filtered(&mut browser);
    themes(&mut browser);
}

/// Behind `got = x`, with 3 in `got`.
fn watched_and_filtered(browser: &mut Browser) {
    for (expression, shown) in [
        ("got * 2 + 1 == 7", "1"),
        ("len(q) <= 1", "1"),
        ("receiver:x", "3"),
        ("sender[0]:n", "3"),
        ("(got > 2 -> 10 : 20)", "10"),
        ("nonsense", "there is no `nonsense` here"),
        ("got +", "something is missing at the end"),
        ("got / (got - 3)", "division by zero"),
    ] {
        browser.click("#watch");
        browser.type_text(expression);
        browser.press("Enter");
        let rows = browser.texts("#values tr.watch");
        let row = rows.last().expect("a row");
        assert!(row.contains(expression) && row.ends_with(shown), "{expression}: {row}");
    }
    browser.click("#filter");
    browser.type_text("GO");
    assert_eq!(browser.texts("#values tr:not(.watch) td:first-child"), ["got"]);
    browser.press("Escape");
}

fn themes(browser: &mut Browser) {
    let ground = "getComputedStyle(document.body).backgroundColor";
    assert_eq!(browser.value(ground), "rgb(255, 255, 255)");
    browser.click("#theme");
    assert_eq!(browser.value(ground), "rgb(20, 23, 27)");
    assert!(browser.value("location.hash").as_str().is_some_and(|hash| hash.ends_with("&theme=dark")));
    browser.click("#theme");
    assert_eq!(browser.value(ground), "rgb(255, 255, 255)");
    browser.click("#help");
    assert_eq!(browser.value("document.getElementById('keys').open"), true);
}

#[test]
fn a_cycle_is_closed() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = "byte x; bool served;
active proctype p() { x = 1; x = 2; do :: x == 2 -> x = 3 :: x == 3 -> x = 2 :: x == 3 -> served = true od }
ltl service { <> served }
";
    let page = page_of(folder.path(), model);
    browser.open_file(&page, "step=end");
    let n = browser.value("Number(document.getElementById('slider').max)").as_u64().expect("a number");
    assert!(browser.text("#verdict").starts_with("service: "));
    assert!(browser.text("#where").ends_with("in the cycle"));
    let again = browser.text("#rows .cycle-text");
    assert!(again.starts_with("and again from step ") && again.ends_with(", for ever"), "{again}");
    // What the formula misses is said in words, and not by moves of its automaton.
    let facts = browser.text("#step .facts");
    assert!(facts.contains("service is <> served") && facts.contains("served is never true"), "{facts}");
    assert_eq!(browser.texts("#step .facts code"), ["service", "<> served", "served"]);
    assert!(!browser.text("#step").contains("claim service"));
    assert_eq!(browser.value("document.querySelectorAll('#rows path.cycle').length"), 1);
    assert_eq!(browser.value("document.getElementById('band').hidden"), false);
    // One step further is the first step of the cycle again, and one back the last.
    browser.press("ArrowRight");
    let position = browser.value("Number(document.body.dataset.position)").as_u64().expect("a number");
    assert!(position > 1 && position <= n && browser.text("#where").ends_with("in the cycle (time 2)"), "{position}");
    browser.press("ArrowLeft");
    assert_eq!(browser.text("#where"), format!("step {n} of {n}, in the cycle"));
    browser.press("c");
    assert_eq!(browser.value("Number(document.body.dataset.position)").as_u64(), Some(position - 1));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// Twenty processes and five thousand steps: only what is in sight is drawn.
#[test]
fn a_long_run_of_many_processes_is_usable() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = "byte turn; int n;
active [20] proctype p() { do :: turn == _pid && n < 9999 -> turn = (turn + 1) % 20; n++ od }
";
    write(folder.path(), "model.pml", model);
    let arguments = ["simulate", "-O0", "--steps", "5000", "--html", "page.html", "model.pml"];
    let output = pmc(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    browser.open_file(&folder.path().join("page.html"), "step=2500");
    assert_eq!(browser.text("#where"), "step 2500 of 5000");
    assert_eq!(browser.texts("#heads div").len(), 20);
    let drawn = browser.value("document.querySelectorAll('#rows .label').length").as_u64().expect("a number");
    assert!((10..100).contains(&drawn), "{drawn} rows are drawn");
    // The row of the step is in sight, and so is the column of its process.
    let in_sight = "(() => { const pane = document.getElementById('chart').getBoundingClientRect(); \
                    const box = document.querySelector('#rows .box.on').getBoundingClientRect(); \
                    return box.top > pane.top && box.bottom < pane.bottom && box.left > pane.left && box.right < pane.right; })()";
    for key in ["PageDown", "End", "ArrowLeft", "n", "p", "Home", "ArrowRight"] {
        browser.press(key);
        if key != "Home" {
            assert_eq!(browser.value(in_sight), true, "behind {key}");
        }
    }
    // Going back does not replay the whole run: the values are those of the way there.
    browser.open_file(&folder.path().join("page.html"), "step=end");
    let last = browser.texts("#values td");
    browser.press("ArrowLeft");
    browser.press("ArrowRight");
    assert_eq!(browser.texts("#values td").len(), last.len());
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// `docs/handover.svg` is what the command in `docs/counterexamples.md` writes.
#[test]
fn the_picture_in_the_documentation_is_current() {
    let document = include_str!("../../../docs/counterexamples.md");
    let (_, rest) = document.split_once("```promela\n").expect("a model");
    let (model, _) = rest.split_once("```").expect("its end");
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "handover.pml", model);
    let output = pmc(folder.path(), &["verify", "--engine", "interpret", "--svg", "handover.svg", "handover.pml"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let drawn = std::fs::read_to_string(folder.path().join("handover.svg")).expect("the picture");
    assert!(drawn == include_str!("../../../docs/handover.svg"), "`pmc verify --svg docs/handover.svg` draws it anew");
}
