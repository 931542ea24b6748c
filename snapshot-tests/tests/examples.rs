//! Each folder of `examples/` has a model, a README that says what it shows, and
//! the verdict to expect. The interpreter gives that verdict.

use std::path::PathBuf;

use snapshot_tests::front_end::{check, models};
use snapshot_tests::interpret::{Options, Program, Property, Runs, System, decide, explore};
use snapshot_tests::load::load;

fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("../examples").expect("the examples are there");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    assert!(folders.len() >= 3, "{folders:?}");
    folders
}

fn model(folder: &std::path::Path) -> PathBuf {
    let paths = models(&folder.to_string_lossy());
    assert_eq!(paths.len(), 1, "{} should hold one model", folder.display());
    paths[0].clone()
}

fn has_violated_formula(model: &pmc::model::Model) -> bool {
    let program = Program::new(model, &Options::default());
    let mut system = System::new(&program);
    let mut is_violated = |ltl: &pmc::model::Ltl| {
        let verdict = decide(&mut system, Property::Formula(&ltl.formula), Runs::ALL);
        verdict.expect("an example is small and without faults").is_violated()
    };
    model.formulas.iter().any(&mut is_violated)
}

#[test]
fn every_example_passes_without_a_warning() {
    for folder in folders() {
        let found = check(&model(&folder));
        assert_eq!(found.text, "", "{}", folder.display());
    }
}

#[test]
fn every_example_has_the_verdict_that_it_promises() {
    for folder in folders() {
        let expected = std::fs::read_to_string(folder.join("expected")).expect("a verdict to expect");
        let readme = std::fs::read_to_string(folder.join("README.md")).expect("a README");
        let promised = expected.split_whitespace().next().expect("a word");
        assert!(readme.contains(&format!("**{promised}**")), "{} does not say {promised}", folder.display());
        let loaded = load(&model(&folder)).expect("a model without errors");
        let graph = explore(&loaded.model, &Options::default());
        assert!(graph.complete, "{} is too large", folder.display());
        let is_violated = !graph.violations.is_empty() || has_violated_formula(&loaded.model);
        let verdict = if is_violated { "violated" } else { "verified" };
        assert_eq!(verdict, promised, "{}", folder.display());
    }
}
