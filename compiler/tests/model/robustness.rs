//! Models that are hostile or broken: there is always an answer.

use pmc::diagnostic::Severity;
use pmc::driver::{self, Options, Session};

/// The models of the other tests, without the comments that say what is wrong.
fn models() -> Vec<Vec<String>> {
    let files = [
        include_str!("meaning.rs"),
        include_str!("messages.rs"),
        include_str!("names.rs"),
        include_str!("rules.rs"),
        include_str!("types.rs"),
        include_str!("warnings.rs"),
    ];
    let blocks = files.iter().flat_map(|file| file.split("r#\"").skip(1));
    let blocks = blocks.filter_map(|rest| rest.split("\"#").next());
    let without_comments = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    };
    blocks.map(|block| words(&without_comments(block))).collect()
}

/// Names and numbers as they are, every other character for itself.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for c in text.chars() {
        match words.last_mut() {
            Some(last) if is_word(c) && last.ends_with(is_word) => last.push(c),
            _ => words.push(c.to_string()),
        }
    }
    words
}

/// Words left out, doubled, swapped and brought in from other models: nothing
/// of that may lead to a panic.
#[test]
fn no_mangled_model_makes_the_resolver_panic() {
    let models = models();
    assert!(models.len() > 30);
    let mut state: u64 = 20_261_116;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    let mut n_clean = 0;
    for round in 0..3000 {
        let mut text = models[round % models.len()].clone();
        for _ in 0..1 + next(3) {
            let (at, from) = (next(text.len()), next(text.len()));
            match next(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, text[from].clone()),
                2 => text.swap(at, from),
                _ => {
                    let other = &models[next(models.len())];
                    text[at] = other[next(other.len())].clone();
                }
            }
        }
        let text = text.concat();
        let resolved = driver::on_large_stack(|| {
            let session = Session::from_text("mangled.pml", text.clone(), &Options::default());
            session.expect("small enough").resolve().is_ok()
        });
        n_clean += usize::from(resolved.unwrap_or_else(|error| panic!("{error}\nin\n{text}")));
    }
    // If all were refused, the resolver would have seen nothing.
    assert!(n_clean > 100, "{n_clean}");
}

/// Verifiers number proctypes in 16 bits: with more of them, two would have the same number.
#[test]
fn proctypes_that_cannot_be_numbered_are_refused() {
    let errors = |n_proctypes: usize| {
        let others: String = (1..n_proctypes).map(|number| format!("proctype p{number}() {{ skip }}\n")).collect();
        let model = format!("active proctype p0() {{ skip }}\n{others}");
        super::resolve(&model, |session, _| super::shown(&session.sources, &session.diagnostics, Severity::Error))
    };
    assert_eq!(errors(65_536), Vec::<String>::new());
    let message = "error: the model has 65537 proctypes, and 65536 is the most";
    assert_eq!(errors(65_537), [format!("65537:10-16 {message}")]);
}
