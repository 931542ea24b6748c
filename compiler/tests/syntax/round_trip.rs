//! A tree that is printed and parsed again is the same tree.

use super::ast::{Block, File, ItemKind, Statement, StatementKind, VarRef};
use super::random_tree::any_file;
use super::{parse, parse_file, parse_well, with_large_stack};
use pmc::syntax::print;
use proptest::prelude::*;
use std::path::Path;

/// Inlines as they are printed: blocks, in which `return` assigns.
fn without_inlines(file: &File) -> File {
    let mut file = file.clone();
    for item in &mut file.items {
        match &mut item.kind {
            ItemKind::Proctype(proctype) => unfold(&mut proctype.body, None),
            ItemKind::Init { body, .. } | ItemKind::Never { body, .. } | ItemKind::Trace { body, .. } => {
                unfold(body, None);
            }
            ItemKind::Mtype { .. } | ItemKind::Typedef { .. } | ItemKind::Global(_) => {}
            ItemKind::Ltl { .. } | ItemKind::C { .. } => {}
        }
    }
    file
}

fn unfold(block: &mut Block, result: Option<&VarRef>) {
    for statement in &mut block.statements {
        unfold_statement(statement, result);
    }
}

fn unfold_statement(statement: &mut Statement, result: Option<&VarRef>) {
    match &mut statement.kind {
        StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => unfold(body, result),
        StatementKind::ForRange { body, .. } | StatementKind::ForIn { body, .. } => unfold(body, result),
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter_mut().for_each(|option| unfold(option, result));
        }
        StatementKind::Unless { body, escape } => {
            unfold_statement(body, result);
            unfold_statement(escape, result);
        }
        StatementKind::Inlined(inlined) => {
            let mut body = inlined.body.clone();
            unfold(&mut body, inlined.result.as_ref());
            statement.kind = StatementKind::Block(body);
        }
        StatementKind::Return(value) => {
            if let Some(target) = result {
                statement.kind = StatementKind::Assign { target: target.clone(), value: value.clone() };
            }
        }
        _ => {}
    }
}

fn assert_round_trip(file: &File, what: &str) {
    let printed = print::file(file);
    let again = parse_well(&printed);
    assert_eq!(without_inlines(&again), without_inlines(file), "{what} printed as\n{printed}");
    assert_eq!(print::file(&again), printed, "{what} printed twice");
}

fn models_in(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "pml"));
    let mut models: Vec<_> = paths
        .filter_map(|path| {
            let text = std::fs::read(&path).ok()?;
            Some((path.display().to_string(), String::from_utf8_lossy(&text).into_owned()))
        })
        .collect();
    models.sort();
    models
}

#[test]
fn every_model_of_the_language_survives() {
    with_large_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshot-tests/models");
        let models = models_in(&folder);
        assert!(models.len() > 400, "{} models", models.len());
        for (path, text) in models {
            let (file, errors) = parse_file(&path, &text);
            assert!(errors.is_empty(), "{path}: {errors:#?}");
            assert_round_trip(&file, &path);
        }
    });
}

/// Each model with a piece cut out or doubled: whatever is reported, it ends well.
#[test]
fn mutilated_models_do_no_harm() {
    with_large_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshot-tests/models");
        let mut seed = 12_345_usize;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below.max(1)
        };
        for (path, text) in models_in(&folder) {
            let characters: Vec<char> = text.chars().collect();
            let from = random(characters.len());
            let to = (from + random(20)).min(characters.len());
            let cut = characters[..from].iter().chain(&characters[to..]).collect::<String>();
            let doubled = characters[..to].iter().chain(&characters[from..]).collect::<String>();
            for mutilated in [cut, doubled] {
                let (file, errors) = parse_file(&path, &mutilated);
                if errors.is_empty() {
                    assert_round_trip(&file, &mutilated);
                }
            }
        }
    });
}

/// The examples that come with Spin, where they are installed; those that
/// include files or are no models by themselves are left out.
#[test]
fn examples_of_spin_survive() {
    with_large_stack(|| {
        let examples = Path::new("/usr/share/doc/spin/examples/Examples");
        for folder in ["", "LTL", "Exercises", "Book_1991"] {
            for (path, text) in models_in(&examples.join(folder)) {
                let (file, errors) = parse_file(&path, &text);
                if errors.is_empty() {
                    assert_round_trip(&file, &path);
                }
            }
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_trees_survive(file in any_file()) {
        assert_round_trip(&file, "a random tree");
    }

    /// Nothing that is fed to it makes the parser panic.
    #[test]
    fn noise_is_refused_in_peace(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        let text = words.join(" ");
        let (file, errors) = parse(&text);
        if errors.is_empty() {
            assert_round_trip(&file, &text);
        }
    }
}

/// A model with one token too few or too many has few errors, and they end: one or two, nearly always, and at most four, as
/// where a `}` too many ends a process.
#[test]
fn one_slip_gives_few_errors() {
    let (mut n_models, mut n_many) = (0, 0);
    let mut check = |words: Vec<&str>, what: &str| {
        let (_, errors) = parse(&words.join(" "));
        assert!(errors.len() <= 4, "{what}: {errors:#?}");
        n_models += 1;
        n_many += usize::from(errors.len() > 2);
    };
    for at in 0..SOUND.len() {
        let (before, behind) = SOUND.split_at(at);
        check([before, &behind[1..]].concat(), &format!("without word {at}"));
        for word in WORDS {
            check([before, &[*word], behind].concat(), &format!("with `{word}` before word {at}"));
        }
    }
    assert!(n_many * 50 < n_models, "more than two errors in {n_many} of {n_models}");
}

const WORDS: &[&str] = &[
    "active", "proctype", "init", "never", "ltl", "typedef", "mtype", "byte", "chan", "unsigned", "if", "fi", "do",
    "od", "for", "in", "select", "atomic", "d_step", "unless", "else", "goto", "break", "run", "assert", "printf",
    "skip", "P", "x", "y", "1", "2", "\"s\"", "'c'", "{", "}", "(", ")", "[", "]", ";", "->", "::", ":", ",", ".",
    "..", "=", "==", "++", "!", "!!", "?", "??", "<", ">", "+", "-", "&&", "@", "of", "eval", "len", "full", "_", "\n",
    "c_code", "priority", "provided", "hidden", "true", "timeout", "~", "trace", "xr", "return",
];

const SOUND: &[&str] = &[
    "byte", "x", ",", "y", ";", "chan", "q", "=", "[", "1", "]", "of", "{", "byte", "}", ";", "\n", "active",
    "proctype", "P", "(", ")", "{", "byte", "i", ";", "do", "::", "x", "==", "1", "->", "q", "!", "x", "+", "1", "::",
    "q", "?", "i", "->", "if", "::", "(", "i", ">", "2", ")", "->", "x", "=", "y", "*", "(", "x", "-", "1", ")", "::",
    "else", "fi", "od", "unless", "{", "y", "==", "3", "}", ";", "L", ":", "goto", "L", "}", "\n", "init", "{",
    "atomic", "{", "run", "P", "(", ")", ";", "assert", "(", "x", "<", "3", ")", "}", "}", "\n", "ltl", "f", "{", "[]",
    "(", "x", "==", "1", "->", "y", "==", "2", ")", "}",
];
