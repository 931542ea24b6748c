//! Directives in the comments of a model.
//!
//! ```promela
//! // @pmc -A option-scope       flags of pmc: -A, -W and --deny
//! // @complains                 Spin reports errors, but writes a verifier all the same
//! ```

use pmc::diagnostic::{Lint, LintLevels};
use pmc::driver::Options;

/// The options with the levels of lints that the model's directives set.
pub fn with_lints(options: &Options, text: &str) -> Options {
    let mut options = options.clone();
    let LintLevels { allowed, warned, denied, .. } = lints(text);
    options.lints.allowed.extend(allowed);
    options.lints.warned.extend(warned);
    options.lints.denied.extend(denied);
    options
}

/// Whether Spin reports errors in a model and writes a verifier all the same.
pub fn complains(text: &str) -> bool {
    directives(text, "complains").next().is_some()
}

/// The lines of a text with a directive, without the text before it.
pub fn lines(text: &str) -> String {
    let comments = |name: &'static str| directives(text, name).map(move |rest| format!("// @{name}{rest}\n"));
    comments("pmc").chain(comments("complains")).collect()
}

fn lints(text: &str) -> LintLevels {
    let mut levels = LintLevels::default();
    for line in directives(text, "pmc") {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.chunks(2) {
            let lint = pair.get(1).and_then(|name| Lint::from_name(name));
            let lint = lint.unwrap_or_else(|| panic!("no lint in `@pmc{line}`"));
            match pair[0] {
                "-A" => levels.allowed.push(lint),
                "-W" => levels.warned.push(lint),
                "--deny" => levels.denied.push(lint),
                other => panic!("no flag of a lint: `{other}`"),
            }
        }
    }
    levels
}

/// The text behind `// @name` in each line that has it.
fn directives<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    let after = move |line: &'t str| line.split_once("//")?.1.trim_start().strip_prefix('@')?.strip_prefix(name);
    text.lines().filter_map(after).filter(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_from_comments() {
        let text = "byte x; // @pmc -A option-scope --deny truncation\n// @complains\n//@pmc -W late-channel\n";
        let levels = lints(text);
        assert_eq!(levels.allowed, [Lint::OptionScope]);
        assert_eq!(levels.denied, [Lint::Truncation]);
        assert_eq!(levels.warned, [Lint::LateChannel]);
        assert!(complains(text) && !complains("// @complainsnot"));
        assert_eq!(lints(&lines(text)).denied, [Lint::Truncation]);
    }
}
