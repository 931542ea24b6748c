//! Checks whose reports explain themselves: what a test shows when it fails, with the pages that it writes.

use std::path::Path;

use pmc_runtime::explanation::Attachment;
use pmc_runtime::options::Options as CheckOptions;
use pmc_runtime::reduction::Independence;
use pmc_runtime::report::quoted;
use pmc_runtime::search::Searches;
use pmc_runtime::story::tell_run;
use pmc_runtime::verdict::Report;
use pmc_runtime::{Surroundings, check_in};

use crate::driver::{EscapeOrder, Options, Simplify};
use crate::interpret::Visitor;
use crate::picture::page::page;

/// Checks a model, whatever the size of its states.
pub struct Check<'o> {
    pub options: &'o CheckOptions,
    pub surroundings: Surroundings,
}

/// A browser cannot show a longer run.
const LONGEST: usize = 100_000;

const TRAIL: &str = ".trail.json";

impl Visitor for Check<'_> {
    type Output = Report;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> Report {
        let mut report = check_in(&self.surroundings, model, searches, self.options);
        let first_violations = report.properties.iter().filter_map(|property| property.violations.first());
        if let Some(explanation) = &mut report.explanation {
            let mut pages = Vec::new();
            for (violation, trail) in first_violations.zip(&explanation.files) {
                let path = trail.path.to_string_lossy();
                if violation.trail.n_steps() <= LONGEST {
                    let document = tell_run(model, &violation.trail, false).to_json().to_string();
                    let path = format!("{}.html", path.strip_suffix(TRAIL).unwrap_or(&path)).into();
                    pages.push(Attachment { path, text: page(&document), about: Some("as a page for a browser") });
                }
            }
            explanation.files.extend(pages);
        }
        report
    }
}

/// The command that replays a trail of a model in a file.
pub fn replay_command(model: &Path, options: &Options) -> String {
    let mut words: Vec<String> = vec!["pmc".into(), "replay".into()];
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), quoted(value)]);
    options.defines.iter().for_each(|define| add("-D", define));
    options.include_dirs.iter().for_each(|folder| add("-I", &folder.display().to_string()));
    options.lints.allowed.iter().for_each(|lint| add("-A", lint.name()));
    options.lints.warned.iter().for_each(|lint| add("-W", lint.name()));
    words.extend((options.simplify == Simplify::NONE).then(|| "-O0".to_owned()));
    words.extend(options.loses_messages.then(|| "-m".to_owned()));
    words.extend((options.escapes == EscapeOrder::InnerFirst).then(|| "-J".to_owned()));
    words.extend(options.abstract_time.then(|| "--abstract-time".to_owned()));
    words.push(quoted(&model.display().to_string()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Lint;

    #[test]
    fn a_trail_is_replayed_with_what_it_was_made_with() {
        let options = Options::default();
        assert_eq!(replay_command(Path::new("my models/lock.pml"), &options), "pmc replay 'my models/lock.pml'");
        let mut options = Options {
            defines: vec!["N=3".to_owned(), "M=a b".to_owned()],
            include_dirs: vec!["lib".into()],
            loses_messages: true,
            escapes: EscapeOrder::InnerFirst,
            simplify: Simplify::NONE,
            ..Options::default()
        };
        options.lints.allowed.push(Lint::ArrayWithoutIndex);
        let command = replay_command(Path::new("lock.pml"), &options);
        assert_eq!(command, "pmc replay -D N=3 -D 'M=a b' -I lib -A array-without-index -O0 -m -J lock.pml");
    }
}
