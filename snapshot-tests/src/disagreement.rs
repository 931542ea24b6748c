//! Whether Spin and pmc accept the same texts.

use std::path::Path;
use std::process::{Command, Stdio};

use pmc::diagnostic::{Level, Lint, LintLevels, Severity};
use pmc::driver::{Options, Session, on_large_stack};

/// Spin's reaction to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accepts,
    /// It reports errors, and writes a verifier all the same.
    Complains(String),
    Refuses(String),
}

/// Runs Spin, but not the C compiler.
pub fn ask_spin(text: &str, folder: &Path) -> std::io::Result<Verdict> {
    let model = folder.join("model.pml");
    std::fs::write(&model, text)?;
    let _ = std::fs::remove_file(folder.join("pan.c"));
    let mut spin = Command::new("timeout");
    spin.args(["10", "spin", "-a", "model.pml"]).current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null());
    let output = spin.output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let complaint = said.lines().find(|line| line.contains("rror")).unwrap_or_default().to_owned();
    let has_verifier = std::fs::metadata(folder.join("pan.c")).is_ok_and(|file| file.len() > 0);
    Ok(match (output.status.success(), has_verifier) {
        (true, true) => Verdict::Accepts,
        // Messages about the text behind a syntax error have no meaning.
        (false, true) if output.status.code().is_some_and(|code| code < 124) && !said.contains("syntax error") => {
            Verdict::Complains(complaint)
        }
        _ => Verdict::Refuses(complaint),
    })
}

/// Whether the C compiler accepts what Spin wrote in that folder.
pub fn ask_gcc(folder: &Path) -> std::io::Result<bool> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-fsyntax-only", "-DSAFETY", "pan.c"]).current_dir(folder);
    Ok(gcc.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}

/// Why pmc refuses a text, if it does even with all lints allowed: the first error, without names.
pub fn why_refused(text: &str) -> Option<String> {
    let denied = Lint::ALL.iter().copied().filter(|lint| lint.default_level() == Level::Deny);
    let lints = LintLevels { allowed: denied.collect(), ..LintLevels::default() };
    let options = Options { lints, ..Options::default() };
    let found = on_large_stack(|| {
        let mut session = Session::from_text("model.pml", text.to_owned(), &options).ok()?;
        session.resolve().err()?;
        let sorted = session.diagnostics.sorted();
        let first = sorted.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
        Some(format!("{} {}", first.code, class(&first.message)))
    });
    found.unwrap_or_else(|panic| Some(format!("PANIC {panic}")))
}

/// A message without the names and numbers of one model, so that messages of one kind are the same.
pub fn class(message: &str) -> String {
    let mut parts = message.split('`');
    let mut class = String::new();
    while let Some(plain) = parts.next() {
        class.extend(plain.chars().filter(|c| !c.is_ascii_digit()));
        if parts.next().is_some() {
            class.push('_');
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_no_part_of_a_class() {
        assert_eq!(class("3 values for the 2 elements of `b`"), " values for the  elements of _");
        assert_eq!(class("`a` hides `b`"), "_ hides _");
    }

    #[test]
    fn a_lint_that_can_be_allowed_is_no_refusal() {
        assert_eq!(why_refused("byte a[2]; init { a = 1 }"), None);
        assert!(why_refused("init { b = 1 }").is_some_and(|why| why.starts_with("P0201")));
    }
}
