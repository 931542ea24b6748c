//! Random models, built and run: emitted verifiers against the interpreter of the tests.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use pmc::driver;

use crate::batch::{Batch, Figures, Member};
use crate::interpret::{Graph, Options, ViolationKind, explore, read_trail, replay};
use crate::load::{Loaded, load_text};
use crate::random_model::{RandomModel, shrink};

/// A random model that the interpreter has explored completely.
pub struct Candidate {
    pub seed: u64,
    pub text: String,
    loaded: Loaded,
    graph: Graph,
}

/// A model whose verifier and interpreter disagree.
#[derive(Debug)]
pub struct Difference {
    pub seed: u64,
    pub kind: Kind,
    /// What each of the two says.
    detail: String,
    model: String,
}

/// The kind of a difference. A model is made smaller as long as it shows a difference of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The verifier has fewer or more states than the interpreter.
    States(Ordering),
    Transitions(Ordering),
    /// The errors of the same property.
    Errors(&'static str, Ordering),
    /// The counterexample is no run of the model, or does not end in a violation.
    Trail,
    /// The verifier gives no answer.
    Failure,
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {:?}: {}\n{}", self.seed, self.kind, self.detail, self.model)
    }
}

/// Models that need more are left out.
fn limits() -> Options {
    Options { max_states: 3_000, max_steps: 30_000, max_depth: 2_000, ..Options::default() }
}

/// Explores a model; there is nothing to compare with if pmc refuses it, if it is too large, or if the interpreter has
/// no answer.
pub fn candidate(seed: u64, text: String) -> Option<Candidate> {
    let loaded = load_text(&text).ok()?;
    let graph = explore(&loaded.model, &limits());
    (graph.complete && !graph.is_open).then_some(Candidate { seed, text, loaded, graph })
}

/// Builds the verifiers of all candidates in one folder, runs them, and returns each difference: other counts, or a
/// counterexample that is no run of the model.
pub fn differences(dir: &Path, candidates: &[Candidate]) -> Result<Vec<Difference>, String> {
    std::fs::create_dir_all(dir).map_err(|error| error.to_string())?;
    let members: Vec<Member> = candidates.iter().map(|candidate| member(dir, candidate)).collect::<Result<_, _>>()?;
    let batch = Batch::build(dir, &members)?;
    let differing = candidates.iter().zip(&members).filter_map(|(candidate, member)| {
        let (kind, detail) = compare(&batch, dir, &member.name, candidate).err()?;
        Some(Difference { seed: candidate.seed, kind, detail, model: candidate.text.clone() })
    });
    Ok(differing.collect())
}

/// The smallest model that shows a difference of the same kind, and that difference. Each attempt is a build.
pub fn smallest(dir: &Path, model: &RandomModel, difference: Difference) -> Difference {
    let mut best = difference;
    shrink(model, |smaller| {
        // The name of the verifier stays the same, so that nothing of earlier attempts is left in the folder.
        let Some(candidate) = candidate(best.seed, smaller.to_string()) else { return false };
        let Ok(found) = differences(dir, &[candidate]) else { return false };
        let same = found.into_iter().find(|found| found.kind == best.kind);
        same.map(|found| best = found).is_some()
    });
    best
}

fn member(dir: &Path, candidate: &Candidate) -> Result<Member, String> {
    let name = format!("seed_{}", candidate.seed);
    let path = dir.join(format!("{name}.pml"));
    std::fs::write(&path, &candidate.text).map_err(|error| error.to_string())?;
    // The interpreter keeps what a simplification would remove.
    let options = driver::Options { simplify: driver::Simplify::NONE, ..driver::Options::default() };
    Ok(Member { name, path, options })
}

/// The interpreter checks the trace together with the rest, as Spin does; for a verifier it is a property of its own,
/// with a search of its own.
fn compare(batch: &Batch, dir: &Path, name: &str, candidate: &Candidate) -> Result<(), (Kind, String)> {
    compare_property(batch, dir, name, candidate, "--safety")?;
    if candidate.loaded.model.trace.is_some() {
        compare_property(batch, dir, name, candidate, "--trace")?;
    }
    Ok(())
}

fn compare_property(
    batch: &Batch,
    dir: &Path,
    name: &str,
    candidate: &Candidate,
    property: &'static str,
) -> Result<(), (Kind, String)> {
    let Candidate { graph, loaded, .. } = candidate;
    let is_asked = |kind: ViolationKind| kind.is_of_trace() == (property == "--trace");
    let expected = Figures {
        states: graph.states.len() as u64,
        transitions: graph.n_transitions() as u64,
        errors: graph.violations.iter().filter(|violation| is_asked(violation.kind)).count() as u64,
    };
    let found = batch.figures(name, &["--no-reduction", "--search", "dfs", "--all-errors", property]);
    let found = found.map_err(|error| (Kind::Failure, error))?;
    if let Some(kind) = differs(found, expected, property) {
        return Err((kind, format!("the verifier {found:?}, the interpreter {expected:?}")));
    }
    if expected.errors == 0 {
        return Ok(());
    }
    check_trail(batch, dir, name, loaded, property)
}

fn differs(found: Figures, expected: Figures, property: &'static str) -> Option<Kind> {
    let different = |found: u64, expected: u64| Some(found.cmp(&expected)).filter(|order| order.is_ne());
    let states = different(found.states, expected.states).map(Kind::States);
    let transitions = different(found.transitions, expected.transitions).map(Kind::Transitions);
    states.or(transitions).or(different(found.errors, expected.errors).map(|order| Kind::Errors(property, order)))
}

/// The verifier's counterexample is a run that ends as it says.
fn check_trail(batch: &Batch, dir: &Path, name: &str, loaded: &Loaded, property: &str) -> Result<(), (Kind, String)> {
    let failed = |error: String| (Kind::Failure, error);
    let file = format!("{name}.first.json");
    let mut flags = vec![property, "--trail", &file];
    // With a reduction the verifier also checks `xr` and `xs`, for statements that are not executable, too; neither Spin
    // nor the interpreter reports those.
    if loaded.model.proctypes.iter().any(|process| !process.exclusive.is_empty()) {
        flags.push("--no-reduction");
    }
    let (code, said) = batch.run(name, &flags).map_err(failed)?;
    if code != 1 {
        return Err(failed(format!("exit code {code}: {said}")));
    }
    let trail = std::fs::read_to_string(dir.join("work").join(&file)).map_err(|error| failed(error.to_string()))?;
    let (instructions, claimed) = read_trail(&trail).map_err(failed)?;
    replay(&loaded.model, &loaded.sources, &instructions, &claimed, &limits())
        .map_err(|error| (Kind::Trail, format!("the trail is no counterexample ({error:?}): {trail}")))
}
