//! What the resolver says about a model, and what it makes of it.
//!
//! A test is a model with a comment under each place that is wrong:
//!
//! ```promela
//! init { c!1,0 }
//!      //^^^^^ error: this send has 2 fields, but `c` carries 1
//! ```

mod meaning;
mod messages;
mod names;
mod robustness;
mod rules;
mod types;
mod warnings;

use pmc::diagnostic::{Diagnostics, Severity};
use pmc::driver::{self, Options, Session};
use pmc::model::Model;
use pmc::source::SourceMap;

fn resolve<T: Send>(text: &str, look: impl FnOnce(&Session, Option<Model>) -> T + Send) -> T {
    driver::on_large_stack(|| {
        let mut session = Session::from_text("model.pml", text.to_owned(), &Options::default()).expect("small enough");
        let model = session.resolve().ok();
        look(&session, model)
    })
    .expect("no panic")
}

/// `line:column-end severity: message`, as the comments under the lines have it.
fn annotations(text: &str) -> Vec<String> {
    let mut line = 0;
    let mut found = Vec::new();
    for (number, content) in (1..).zip(text.lines()) {
        let marks = content.trim_start();
        match marks.strip_prefix("//").filter(|rest| rest.trim_start().starts_with('^')) {
            Some(rest) => {
                let start = content.find('^').expect("just seen") + 1;
                let n_marks = rest.trim_start().chars().take_while(|c| *c == '^').count();
                let message = rest.trim_start().trim_start_matches('^').trim();
                found.push(format!("{line}:{start}-{} {message}", start + n_marks));
            }
            None => line = number,
        }
    }
    found
}

fn shown(sources: &SourceMap, diagnostics: &Diagnostics, least: Severity) -> Vec<String> {
    let found = diagnostics.sorted().into_iter().filter(|diagnostic| diagnostic.severity >= least);
    found
        .map(|diagnostic| {
            let start = sources.position(diagnostic.primary.span);
            let length = sources.text(diagnostic.primary.span).lines().next().unwrap_or_default().chars().count();
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let end = start.column as usize + length;
            format!("{}:{}-{end} {severity}: {}", start.line, start.column, diagnostic.message)
        })
        .collect()
}

/// The errors are those that the comments name. Warnings count too if one is named.
#[track_caller]
fn check_diagnostics(text: &str) {
    let expected = annotations(text);
    let least =
        if expected.iter().any(|line| line.contains(" warning: ")) { Severity::Warning } else { Severity::Error };
    let mut found = resolve(text, |session, _| shown(&session.sources, &session.diagnostics, least));
    let mut expected = expected;
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

/// Not even a warning.
#[track_caller]
fn check_silence(text: &str) {
    let found = resolve(text, |session, _| shown(&session.sources, &session.diagnostics, Severity::Warning));
    assert_eq!(found, Vec::<String>::new());
}

/// Looks at a model that has no errors.
#[track_caller]
fn model(text: &str) -> Model {
    resolve(text, |session, model| {
        let errors = shown(&session.sources, &session.diagnostics, Severity::Error);
        assert_eq!(errors, Vec::<String>::new());
        model.expect("no errors")
    })
}
