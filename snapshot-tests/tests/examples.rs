//! Each folder of `examples/` has a model, a README that tells its story, and the verdicts to expect: a line `FLAGS: VERDICT KIND` of the
//! file `expected` for each set of flags, the first without. Two engines give those verdicts: pmc, and the interpreter of the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use pmc::cli::{self, Cli};
use pmc::driver::{Options, Session, on_large_stack};
use snapshot_tests::interpret::{self, Program, Property, Runs, System, decide, explore};

/// A model with flags, and the verdict on it.
struct Variant {
    name: String,
    model: PathBuf,
    flags: Vec<String>,
    /// As `expected` has them.
    given: String,
    verdict: String,
    /// Of the first violation, where `expected` names it.
    kind: Option<String>,
}

impl Variant {
    fn parse(folder: &Path, line: &str) -> Variant {
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let (given, verdict) = line.rsplit_once(": ").unwrap_or(("", line));
        let mut words = verdict.split(' ').map(str::to_owned);
        Variant {
            model: folder.join(format!("{name}.pml")),
            flags: split(given),
            given: given.to_owned(),
            verdict: words.next().expect("a verdict"),
            kind: words.next(),
            name,
        }
    }

    fn is_violated(&self) -> bool {
        self.verdict == "violated"
    }

    fn options(&self) -> Options {
        let words = ["pmc", "check"].map(str::to_owned).into_iter().chain(self.flags.iter().cloned());
        let cli = Cli::try_parse_from(words.chain([self.model.to_string_lossy().into_owned()]));
        match cli.map(|cli| cli.command) {
            Ok(cli::Command::Check(check)) => check.model.options(),
            other => panic!("{} {}: {other:?}", self.name, self.given),
        }
    }

    fn open(&self) -> Session {
        Session::open(&self.model, &self.options()).expect("a readable model")
    }
}

/// Without reductions. An example is small, and a slow interpreter has to visit them in a test.
const MOST_STATES: usize = 20_000;

/// The arguments of a command, as a shell takes them: single quotes hold spaces together.
fn split(command: &str) -> Vec<String> {
    let quoted = command.split('\'').enumerate();
    let parts = quoted.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    parts.collect()
}

fn folders() -> Vec<PathBuf> {
    let entries = fs::read_dir("../examples").expect("the examples are there");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    assert!(folders.len() >= 15, "{folders:?}");
    folders
}

fn variants() -> Vec<Variant> {
    let lines = |folder: &PathBuf| {
        let expected = fs::read_to_string(folder.join("expected")).expect("a verdict to expect");
        expected.lines().map(|line| Variant::parse(folder, line)).collect::<Vec<_>>()
    };
    let variants: Vec<Variant> = folders().iter().flat_map(lines).collect();
    assert!(variants.iter().all(|one| ["verified", "violated"].contains(&&*one.verdict)));
    variants
}

#[test]
fn every_example_passes_without_a_warning() {
    for variant in variants() {
        let text = on_large_stack(|| {
            let mut session = variant.open();
            let _ = session.check();
            pmc::diagnostic::render::render(&session.sources, &session.diagnostics, Default::default())
        });
        assert_eq!(text.expect("no panic"), "", "{} {}", variant.name, variant.given);
    }
}

#[test]
fn every_example_has_the_verdict_that_it_promises() {
    for variant in variants() {
        let mut session = variant.open();
        let Ok(model) = session.resolve() else { panic!("{} has errors", variant.name) };
        let graph = explore(&model, &interpret::Options { max_states: MOST_STATES, ..interpret::Options::default() });
        // All of the states matter only where there is nothing to be found.
        assert!(graph.complete || !graph.violations.is_empty(), "{} is too large", variant.name);
        let is_violated = !graph.violations.is_empty() || has_violated_formula(&model);
        assert_eq!(is_violated, variant.is_violated(), "{} {}", variant.name, variant.given);
    }
}

fn has_violated_formula(model: &pmc::model::Model) -> bool {
    let program = Program::new(model, &interpret::Options::default());
    let mut system = System::new(&program);
    let mut is_violated = |ltl: &pmc::model::Ltl| {
        let verdict = decide(&mut system, Property::Formula(&ltl.formula), Runs::ALL);
        verdict.expect("an example is small and without faults").is_violated()
    };
    model.formulas.iter().any(&mut is_violated)
}

#[test]
fn pmc_gives_the_same_verdicts_and_names_the_violation() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for variant in variants() {
        let mut pmc = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
        pmc.args(["verify", "--engine", "interpret", "--format", "json"]).args(&variant.flags);
        let model = fs::canonicalize(&variant.model).expect("the model is there");
        let output = pmc.arg(model).current_dir(folder.path()).output().expect("pmc can be started");
        let what = format!("{} {}", variant.name, variant.given);
        assert_eq!(output.status.code(), Some(i32::from(variant.is_violated())), "{what}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["verdict"], variant.verdict.as_str(), "{what}");
        let properties = report["properties"].as_array().expect("a list");
        let kind = properties.iter().find_map(|property| property["violation"]["kind"].as_str());
        assert!(variant.kind.is_none() || kind == variant.kind.as_deref(), "{what}: {kind:?}");
    }
}

/// The stories say the verdict of the model as it is, and show the command for every other one; the index has them all.
#[test]
fn every_example_is_told() {
    let index = fs::read_to_string("../examples/README.md").expect("an index");
    for folder in folders() {
        let models = snapshot_tests::front_end::models(&folder.to_string_lossy());
        assert_eq!(models.len(), 1, "{} should hold one model", folder.display());
    }
    for Variant { name, given, verdict, .. } in variants() {
        let readme = fs::read_to_string(format!("../examples/{name}/README.md")).expect("a README");
        let row = index.lines().find(|line| line.starts_with(&format!("| [{name}]({name}) |")));
        let row = row.unwrap_or_else(|| panic!("examples/README.md has no row of {name}"));
        if given.is_empty() {
            assert!(readme.contains(&format!("**{verdict}**")), "{name} does not say {verdict}");
            assert!(row.contains(&format!("| {verdict} |")), "{row}");
        }
        let given = if given.is_empty() { given } else { format!("{given} ") };
        let command = format!("$ pmc verify {given}examples/{name}/{name}.pml\n{name}.pml: {verdict}\n");
        assert!(readme.contains(&command), "{name} does not show {command}");
    }
}

/// `counterexample.svg` of an example that is violated is what pmc draws, and the story shows it. With `UPDATE_DOCS=1` it is
/// drawn anew.
#[test]
fn pictures_of_counterexamples_are_current() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let mut outdated = Vec::new();
    for Variant { name, model, .. } in variants().iter().filter(|one| one.given.is_empty() && one.is_violated()) {
        let mut pmc = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
        // On one thread every run is the same.
        pmc.args(["verify", "--engine", "interpret", "--threads", "1", "--quiet", "--svg", "drawn.svg"]);
        // A picture may name the place of the violation, as seen from here.
        let copy = format!("{name}.pml");
        fs::copy(model, folder.path().join(&copy)).expect("a copy of the model");
        let output = pmc.arg(copy).current_dir(folder.path()).output().expect("pmc can be started");
        assert_eq!(output.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let drawn = fs::read_to_string(folder.path().join("drawn.svg")).expect("a picture");
        let kept = format!("../examples/{name}/counterexample.svg");
        if fs::read_to_string(&kept).ok() != Some(drawn.clone()) {
            if std::env::var_os("UPDATE_DOCS").is_some() {
                fs::write(&kept, drawn).expect("the picture can be written");
            } else {
                outdated.push(name.clone());
            }
        }
        let readme = fs::read_to_string(format!("../examples/{name}/README.md")).expect("a README");
        assert!(readme.contains("](counterexample.svg)"), "the story of {name} does not show its counterexample");
    }
    assert!(outdated.is_empty(), "not as pmc draws it (UPDATE_DOCS=1 draws it anew): {}", outdated.join(", "));
}
