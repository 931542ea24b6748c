//! A check whose report explains itself: for tests, which show nothing but the message of a panic.

use crate::dyn_model::DynModel;
use crate::entry_point::trail_paths;
use crate::explanation::{Attachment, Explanation};
use crate::limits::Interrupt;
use crate::model::located;
use crate::monitor::Silent;
use crate::options::Options;
use crate::reduction::Independence;
use crate::report::{Format, Subject};
use crate::search::Searches;
use crate::story::tell_violations_of;
use crate::system::ModelSystems;
use crate::verdict::{Report, Verdict};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Checks what [`Options::ask`] asks for: by default safety (assertions, end states, faults) and every claim of the model.
///
/// For use in a `#[test]`: unless all of it holds, the report has an [`Explanation`], which [`Report::assert_verified`]
/// shows and writes, as the default of [`Surroundings`] says.
pub fn check<M: Independence>(model: &M, searches: Searches<M::Packed>, options: &Options) -> Report {
    check_in(&Surroundings::default(), model, searches, options)
}

/// The same in other surroundings.
pub fn check_in<M: Independence>(
    surroundings: &Surroundings,
    model: &M,
    searches: Searches<M::Packed>,
    options: &Options,
) -> Report {
    let files: Vec<String> = model.info().files.iter().map(|file| located(&surroundings.sources, file)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let systems = ModelSystems::with_files(model, &files);
    let mut report = searches.check(&systems, options, &Interrupt::new(), &mut Silent);
    if report.verdict != Verdict::Verified {
        report.explanation = Some(explain(&systems, &report, surroundings));
    }
    report
}

/// Where the explanation of a report finds the model, and where it puts its files.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Where the files go: by default the folder `pmc` in cargo's target folder.
    pub folder: PathBuf,
    /// The folder of the model, as seen from the current one; empty if it is that.
    pub sources: String,
    /// The command that replays a trail, which is appended to it: `pmc replay model.pml`.
    pub replay: Option<String>,
}

impl Default for Surroundings {
    fn default() -> Surroundings {
        Surroundings { folder: folder_of_tests(), sources: String::new(), replay: None }
    }
}

/// The folder `pmc` in the folder that cargo builds in, if this program is there, as tests are; otherwise the current one.
/// As seen from the current folder, if it is inside.
fn folder_of_tests() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let is_target = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file();
    let folder = program.ancestors().skip(1).find(is_target).map(|target| target.join("pmc")).unwrap_or_default();
    let here = std::env::current_dir().unwrap_or_default();
    folder.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(folder)
}

fn explain(dyn_model: &dyn DynModel, report: &Report, surroundings: &Surroundings) -> Explanation {
    let info = dyn_model.info();
    let folder = &surroundings.folder;
    let mut paths = trail_paths(&folder.join(file_name(info.name, info.hash, &report.options)), report).into_iter();
    let (mut files, mut trails) = (Vec::new(), Vec::new());
    for property in &report.properties {
        let mut of_property = Vec::new();
        for (nth, violation) in property.violations.iter().enumerate() {
            // The runs of further ones are in the text.
            let path = paths.next().filter(|_| nth == 0);
            of_property.push(path.as_ref().map(|path| path.display().to_string()));
            let text = || format!("{}\n", violation.trail.to_json(info));
            files.extend(path.map(|path| Attachment { path, text: text(), about: None }));
        }
        trails.push(of_property);
    }
    let subject = Subject {
        info,
        report,
        trails: &trails,
        runs: &tell_violations_of(dyn_model, report),
        replay: surroundings.replay.as_deref(),
        parameters: None,
        list_unreached: false,
        use_colors: false,
    };
    let mut text = Vec::new();
    // Nothing can fail that is written to memory.
    let _ = Format::Human.reporter().report(&subject, &mut text);
    Explanation { text: String::from_utf8_lossy(&text).into_owned(), files }
}

/// `lock-1a2b3c4d.trail.json`: tests may check one model with several macros, and in several ways, at the same time.
fn file_name(model: &str, hash: &str, options: &Options) -> String {
    let stem = Path::new(model).file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
    let mut hasher = DefaultHasher::new();
    (hash, format!("{options:?}")).hash(&mut hasher);
    format!("{stem}-{:08x}.trail.json", hasher.finish() & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Algorithm;
    use crate::toy::{Edge, Graph};

    const BAD: &[(u32, u32, Edge)] = &[(0, 1, Edge::Plain), (1, 2, Edge::Bad)];

    fn report_of(edges: &[(u32, u32, Edge)], folder: &Path, options: &Options) -> Report {
        let replay = Some("pmc replay graph.pml".to_owned());
        let surroundings = Surroundings { folder: folder.to_owned(), sources: "models".to_owned(), replay };
        check_in(&surroundings, &Graph::new(edges, &[2]), Searches::new(), options)
    }

    fn message_of(report: &Report) -> String {
        let panic = std::panic::catch_unwind(|| report.assert_verified()).expect_err("it is violated");
        panic.downcast_ref::<String>().expect("a text").clone()
    }

    /// A folder that is gone with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            Folder(std::env::temp_dir().join(format!("pmc-checked-{}-{name}", std::process::id())))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_failing_assertion_shows_the_run_and_writes_the_trail() {
        let folder = Folder::new("told");
        let report = report_of(BAD, &folder.0, &Options::default());
        assert!(!folder.0.exists(), "a report that is only read leaves nothing behind");
        let message = message_of(&report);
        assert!(message.starts_with("graph.pml: violated\n  assertion violated: assert(good)\n"), "{message}");
        assert!(message.contains("  2  walker  models/graph.pml:3  assert(good)  at: 1 -> 2  <- here\n"), "{message}");
        let trail = message.lines().find_map(|line| line.trim().strip_prefix("trail: ")).expect("a trail");
        let text = std::fs::read_to_string(trail).expect("it is written");
        assert!(text.contains("\"schema\": \"pmc-trail/1\""), "{text}");
        assert!(message.contains(&format!("step by step: pmc replay graph.pml {trail}")), "{message}");
        assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 1, "nothing unfinished stays");
    }

    #[test]
    fn other_options_have_other_files() {
        let name = |algorithm| {
            let report = report_of(BAD, Path::new("x"), &Options { algorithm, ..Options::default() });
            report.explanation.expect("it is violated").files[0].path.clone()
        };
        assert_ne!(name(Algorithm::DepthFirst), name(Algorithm::BreadthFirst));
        assert_eq!(name(Algorithm::DepthFirst), name(Algorithm::DepthFirst));
    }

    #[test]
    fn what_cannot_be_written_is_told_with_the_run() {
        let folder = Folder::new("file");
        std::fs::write(&folder.0, "in the way").expect("a file");
        let message = message_of(&report_of(BAD, &folder.0.join("inside"), &Options::default()));
        std::fs::remove_file(&folder.0).expect("it is there");
        assert!(message.contains("assert(good)") && message.contains("\n  cannot write `"), "{message}");
    }

    #[test]
    fn what_holds_needs_no_explanation_and_what_is_cut_short_does() {
        let good = report_of(&[(0, 1, Edge::Plain), (1, 2, Edge::Plain)], Path::new("x"), &Options::default());
        assert!(good.explanation.is_none());
        good.assert_verified();
        let mut options = Options { algorithm: Algorithm::DepthFirst, ..Options::default() };
        options.limits.max_states = Some(1);
        let cut = report_of(&[(0, 1, Edge::Plain), (1, 2, Edge::Plain)], Path::new("x"), &options);
        assert!(message_of(&cut).contains("NOT a proof, the search is incomplete"));
    }

    #[test]
    fn the_folder_of_tests_is_where_cargo_builds() {
        let folder = folder_of_tests();
        assert!(folder.ends_with("pmc"), "{}", folder.display());
    }
}
