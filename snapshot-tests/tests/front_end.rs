//! The whole front end on well-formed models: ours, the examples, and those
//! that come with Spin.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pmc::diagnostic::{Code, Severity};
use snapshot_tests::expected::{self, Row};
use snapshot_tests::front_end::{check, check_text, expand, models};
use snapshot_tests::spin::{self, NoFigures};

#[test]
fn every_model_passes() {
    refuse_none(&models("models"));
}

fn refuse_none(paths: &[PathBuf]) {
    let mut refused = Vec::new();
    for path in paths {
        let found = check(path);
        if found.diagnostics.has_errors() {
            refused.push(found.text);
        }
    }
    assert!(refused.is_empty(), "{} of {} models are refused:\n{}", refused.len(), paths.len(), refused.join("\n"));
}

/// The words, numbers and symbols of a model, without comments, texts and directives: where each begins and ends.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let (bytes, mut at, mut found) = (text.as_bytes(), 0, Vec::new());
    while at < bytes.len() {
        let rest = &text[at..];
        let skip_to = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |n| from + n + end.len());
        at += match bytes[at] {
            b'/' if rest.starts_with("/*") => skip_to("*/", 2),
            b'/' if rest.starts_with("//") => skip_to("\n", 2),
            b'#' => skip_to("\n", 1),
            quote @ (b'"' | b'\'') => skip_to(&char::from(quote).to_string(), 1),
            c if is_word(c) => {
                let n = rest.bytes().take_while(|c| is_word(*c)).count();
                found.push((at, at + n));
                n
            }
            c if c.is_ascii_punctuation() => {
                found.push((at, at + 1));
                1
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    found
}

/// One mistake in a model gives no errors of a later stage: those would follow from it. More of it in the variable
/// PMC_MISTAKES, which is the number of mistakes for each model.
#[test]
fn no_error_follows_from_another() {
    let n_mistakes = std::env::var("PMC_MISTAKES").ok().and_then(|n| n.parse().ok());
    let step = if n_mistakes.is_some() { 1 } else { 6 };
    let (mut wrong, mut n_behind, mut random) = (Vec::new(), 0, 1u64);
    for path in models("models").into_iter().step_by(step) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let tokens = tokens(&text);
        for _ in 0..n_mistakes.unwrap_or(6).min(tokens.len()) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (start, end) = tokens[(random >> 33) as usize % tokens.len()];
            let instead = ["", "% ", "no_such_name", ")", "}"][(random >> 20) as usize % 5];
            let mistaken = format!("{}{instead}{}", &text[..start], &text[end..]);
            let found = check_text("model.pml", mistaken);
            // The word that is put in is unknown.
            let is_counted = |one: &&pmc::diagnostic::Diagnostic| {
                one.severity == Severity::Error && !one.message.contains("no_such_name")
            };
            let errors = found.diagnostics.sorted().into_iter().filter(is_counted);
            let stages: Vec<u8> = errors.map(|error| stage(error.code)).collect();
            let first = stages.iter().min().copied().unwrap_or(0);
            n_behind += usize::from(first < 2 && !stages.is_empty());
            if stages.iter().any(|stage| *stage > first) {
                let line = text[..start].lines().count();
                let token = &text[start..end];
                wrong.push(format!("{}:{line}: `{instead}` for `{token}`:\n{}", path.display(), found.text));
            }
        }
    }
    assert!(n_behind > 100, "{n_behind} mistakes that later stages look behind");
    // What a channel variable may hold can depend on an assignment that was cut out, which is rare.
    assert!(5_000 * wrong.len() <= n_behind, "{} of {n_behind}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Characters and syntax, names, what needs the whole model.
fn stage(code: Code) -> u8 {
    match code {
        Code::Error(0..=199) => 0,
        Code::Error(203 | 215 | 217 | 315 | 318) => 2,
        Code::Error(_) | Code::Lint(_) => 1,
    }
}

/// What is printed can be read again, and is then printed the same.
#[test]
fn an_expanded_model_expands_to_itself() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let again = folder.path().join("expanded.pml");
    let mut wrong = Vec::new();
    for path in models("models") {
        let once = expand(&path).unwrap_or_else(|why| panic!("{why}"));
        std::fs::write(&again, &once).expect("a temporary file can be written");
        match expand(&again) {
            Ok(twice) if twice == once => {
                let found = check_text("model.pml", once);
                if found.diagnostics.has_errors() {
                    wrong.push(format!("{}: {}", path.display(), found.text));
                }
            }
            Ok(_) => wrong.push(format!("{} changes when expanded again", path.display())),
            Err(_) => wrong.push(format!("{}: {}", path.display(), check_text("model.pml", once).text)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Spin reads what `pmc expand` prints, and finds as much in it as in the model itself.
#[test]
fn an_expanded_model_means_the_same_to_spin() {
    if !spin::is_installed() {
        println!("skipped: spin or a C compiler is not installed");
        return;
    }
    let mut rows: Vec<Row> = expected::rows("exact").into_iter().filter(|row| row.figures.is_some()).collect();
    // Whether Spin lists or counts a `select` depends on its text, which expanding changes.
    rows.retain(|row| row.model != "flow_select_text");
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = same_to_spin(row) {
                        wrong.lock().expect("no panic while locked").push(format!("{}: {why}", row.model));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic while locked");
    assert!(wrong.is_empty(), "{} of {} models differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn same_to_spin(row: &Row) -> Result<(), String> {
    let expanded = expand(&Path::new("models").join(format!("{}.pml", row.model)))?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let model = folder.path().join("model.pml");
    std::fs::write(&model, expanded).map_err(|error| error.to_string())?;
    match spin::figures_of_file(&model, folder.path(), &row.spin_flags, &row.cc_flags, &row.pan_flags) {
        Ok(fresh) => {
            let fresh = [fresh.states, fresh.transitions, fresh.errors].map(|number| number as usize);
            let recorded = row.figures.expect("rows without were left out");
            if fresh == recorded { Ok(()) } else { Err(format!("recorded {recorded:?}, now {fresh:?}")) }
        }
        // The recorded figures of such a run are those of the states within the limit.
        Err(NoFigures::TooDeep) if row.first_error.contains("depth limit") => Ok(()),
        Err(why) => Err(format!("{why:?}")),
    }
}

/// Spin accepts all of them but this one, which uses the operator X that a usual
/// build of Spin lacks. We have X, but one of its formulas says `!R& X(...)`
/// where `&&` is meant, and a formula has no value to compute with.
const REFUSED: &str = "LTL/patterns.pml";

#[test]
fn models_that_come_with_spin_pass() {
    let root = Path::new("/usr/share/doc/spin/examples/Examples");
    if !root.is_dir() {
        println!("skipped: the examples of Debian's spin package are not installed");
        return;
    }
    let folders = ["", "Book_1991", "Exercises", "LTL"];
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| models(&root.join(folder).to_string_lossy())).collect();
    assert!(paths.len() > 70, "{} models", paths.len());
    let (refused, accepted): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.ends_with(REFUSED));
    refuse_none(&accepted);
    for path in refused {
        let found = check(&path);
        assert!(found.diagnostics.n_errors() == 1 && found.text.contains("error[P0401]: `X`"), "{}", found.text);
    }
}
