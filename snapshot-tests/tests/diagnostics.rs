//! Each ill-formed model in `bad/` beside its exact message.
//!
//! `snapshots/` holds what is shown, and the first comment of a model names the
//! line and column that the message must point at.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use pmc::diagnostic::Severity;
use pmc::diagnostic::render::summary;
use pmc::source::Position;
use snapshot_tests::front_end::{check, models, name};

/// What becomes of a model that is not simply refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instead {
    /// Well formed: not a word.
    Accepted,
    /// Well formed, but worth a warning at the place that its comment names.
    Warned,
    /// Refused, but there is no comment that could name the place.
    RefusedAt { line: u32, column: u32 },
}
use Instead::{Accepted, RefusedAt, Warned};

/// Every model in `bad/` that is not refused at the place that its comment
/// names, with what happens instead and why.
const EXCEPTIONS: &[(&str, Instead, &str)] = &[
    ("bad_array_list_long", RefusedAt { line: 2, column: 20 }, "the first value too many"),
    ("bad_array_size_var", Warned, "Spin warns and goes on"),
    ("bad_binary", RefusedAt { line: 1, column: 5 }, "no comment can be read in it"),
    ("bad_bom", Accepted, "an editor put the mark there; it is skipped"),
    ("bad_c_keyword", Warned, "fine for us, but not for Spin"),
    ("bad_chan_condition", Warned, "Spin accepts it"),
    ("bad_deep_blocks_open", RefusedAt { line: 3, column: 4023 }, "too deep comes before not closed"),
    ("bad_deep_if", Accepted, "well formed"),
    ("bad_deep_parens", Accepted, "well formed"),
    ("bad_deep_parens_open", RefusedAt { line: 3, column: 10029 }, "the brace that cannot close a parenthesis"),
    ("bad_else_rendezvous", Warned, "Spin warns and goes on"),
    ("bad_empty", RefusedAt { line: 1, column: 1 }, "no comment is in it"),
    ("bad_goto_dstep_start", Warned, "to Spin a jump into the `d_step`; here it leads in front of it"),
    ("bad_grows", Warned, "well formed, but no search comes to its end"),
    ("bad_hidden_chan", Warned, "fine for us, but not for Spin"),
    ("bad_inline_deep", Accepted, "well formed: there is no limit of 60 here"),
    ("bad_latin1_string", Accepted, "well formed"),
    ("bad_long_name", Warned, "well formed, but it is not used"),
    ("bad_long_string", Accepted, "well formed"),
    ("bad_long_sum", Accepted, "well formed"),
    ("bad_loop_label", Warned, "Spin accepts it"),
    ("bad_many_fields", Warned, "well formed, but nothing is received"),
    ("bad_mtype_arith", Warned, "Spin accepts it"),
    ("bad_never_side_effect", Warned, "Spin warns and goes on"),
    ("bad_nul_in_comment", Accepted, "nobody reads it"),
    ("bad_number_huge", Warned, "Spin warns and goes on"),
    ("bad_printf_args", Warned, "Spin accepts it"),
    ("bad_provided_run", RefusedAt { line: 4, column: 31 }, "the `run`, not the parenthesis before it"),
    ("bad_scope_option_same", Warned, "options have scopes of their own here, but not in Spin"),
    ("bad_timeout_assign", Warned, "Spin accepts it"),
    ("bad_typedef_assign", RefusedAt { line: 4, column: 23 }, "the first record, not the `=` behind it"),
    ("bad_unused_name_clash", Warned, "fine for us, but not for Spin"),
    ("bad_vector_size", Accepted, "well formed: there is no limit on the size of a state here"),
];

#[test]
fn every_bad_model_has_its_message() {
    let mut changed = Vec::new();
    for path in models("bad") {
        let found = check(&path);
        let shown = if found.text.is_empty() { summary(&found.diagnostics) } else { found.text };
        let settings = {
            let mut settings = insta::Settings::clone_current();
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.set_input_file(&path);
            settings
        };
        let is_same = catch_unwind(AssertUnwindSafe(|| settings.bind(|| insta::assert_snapshot!(name(&path), shown))));
        if is_same.is_err() {
            changed.push(name(&path));
        }
    }
    assert!(changed.is_empty(), "these messages changed: {}", changed.join(", "));
}

#[test]
fn every_message_points_at_the_place_that_the_comment_names() {
    let mut wrong = Vec::new();
    for path in models("bad") {
        if let Err(why) = check_place(&path) {
            wrong.push(format!("{}: {why}", name(&path)));
        }
    }
    assert!(wrong.is_empty(), "{} messages are not where they belong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn exceptions_exist() {
    for (model, ..) in EXCEPTIONS {
        assert!(Path::new("bad").join(format!("{model}.pml")).exists(), "{model}");
    }
}

fn check_place(path: &Path) -> Result<(), String> {
    let model = name(path);
    let exception = EXCEPTIONS.iter().find(|(name, ..)| *name == model).map(|(_, instead, _)| *instead);
    let found = check(path);
    let sorted = found.diagnostics.sorted();
    let first = |severity: Severity| {
        let diagnostic = sorted.iter().find(|diagnostic| diagnostic.severity == severity)?;
        Some(found.sources.position(diagnostic.primary.span))
    };
    let named = || named_place(path).ok_or("its first comment names no place");
    match exception {
        None => is_at(first(Severity::Error), named()?, "error"),
        Some(RefusedAt { line, column }) => is_at(first(Severity::Error), (line, Some(column)), "error"),
        Some(Warned) if found.diagnostics.has_errors() => Err("refused, but a warning would do".to_owned()),
        Some(Warned) => is_at(first(Severity::Warning), named()?, "warning"),
        Some(Accepted) if sorted.is_empty() => Ok(()),
        Some(Accepted) => Err(format!("accepted, but not silently: {}", sorted[0].message)),
    }
}

fn is_at(found: Option<Position>, (line, column): (u32, Option<u32>), what: &str) -> Result<(), String> {
    let Some(found) = found else { return Err(format!("no {what}")) };
    if found.line == line && column.is_none_or(|column| found.column == column) {
        Ok(())
    } else {
        let column = column.map_or("any column".to_owned(), |column| format!("column {column}"));
        Err(format!("{what} at line {} column {}, not line {line} {column}", found.line, found.column))
    }
}

/// The first `line N column M` in the first comment of a model, or else the first `line N`.
fn named_place(path: &Path) -> Option<(u32, Option<u32>)> {
    let bytes = std::fs::read(path).expect("a readable model");
    let text = String::from_utf8_lossy(&bytes);
    let comment = text.split("*/").next()?;
    let words: Vec<&str> =
        comment.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<u32>().ok());
    let lines: Vec<usize> =
        (0..words.len()).filter(|index| words[*index] == "line" && number(index + 1).is_some()).collect();
    let full = lines.iter().find(|index| words.get(*index + 2) == Some(&"column") && number(*index + 3).is_some());
    let index = *full.or(lines.first())?;
    Some((number(index + 1)?, full.and(number(index + 3))))
}
