//! Random models, built and run: emitted verifiers against the interpreter of the tests.

use std::path::Path;

use pmc::driver;

use crate::batch::{Batch, Figures, Member};
use crate::interpret::{Graph, Options, explore, read_trail, replay};
use crate::load::{Loaded, load_text};

/// A random model that the interpreter has explored completely.
pub struct Candidate {
    pub seed: u64,
    pub text: String,
    loaded: Loaded,
    graph: Graph,
}

/// Models that need more are left out.
fn limits() -> Options {
    Options { max_states: 3_000, max_steps: 30_000, max_depth: 2_000, ..Options::default() }
}

/// Explores a model; there is nothing to compare with if pmc refuses it or if it is too large.
pub fn candidate(seed: u64, text: String) -> Option<Candidate> {
    let loaded = load_text(&text).ok()?;
    let graph = explore(&loaded.model, &limits());
    graph.complete.then_some(Candidate { seed, text, loaded, graph })
}

/// Builds the verifiers of all candidates in one folder, runs them, and returns a message for each difference: other
/// counts, or a counterexample that is no run of the model.
pub fn differences(dir: &Path, candidates: &[Candidate]) -> Result<Vec<String>, String> {
    std::fs::create_dir_all(dir).map_err(|error| error.to_string())?;
    let members: Vec<Member> = candidates.iter().map(|candidate| member(dir, candidate)).collect::<Result<_, _>>()?;
    let batch = Batch::build(dir, &members)?;
    let differing = candidates.iter().zip(&members).filter_map(|(candidate, member)| {
        let difference = compare(&batch, dir, &member.name, candidate).err()?;
        Some(format!("seed {}: {difference}\n{}", candidate.seed, candidate.text))
    });
    Ok(differing.collect())
}

fn member(dir: &Path, candidate: &Candidate) -> Result<Member, String> {
    let name = format!("seed_{}", candidate.seed);
    let path = dir.join(format!("{name}.pml"));
    std::fs::write(&path, &candidate.text).map_err(|error| error.to_string())?;
    // The interpreter keeps what a simplification would remove.
    let options = driver::Options { simplify: driver::Simplify::NONE, ..driver::Options::default() };
    Ok(Member { name, path, options })
}

fn compare(batch: &Batch, dir: &Path, name: &str, candidate: &Candidate) -> Result<(), String> {
    let Candidate { graph, loaded, .. } = candidate;
    let expected = Figures {
        states: graph.states.len() as u64,
        transitions: graph.n_transitions() as u64,
        errors: graph.violations.len() as u64,
    };
    let found = batch.figures(name, &["--no-reduction", "--search", "dfs", "--all-errors"])?;
    if found != expected {
        return Err(format!("the verifier {found:?}, the interpreter {expected:?}"));
    }
    if graph.violations.is_empty() { Ok(()) } else { check_trail(batch, dir, name, loaded) }
}

/// The verifier's counterexample is a run that ends as it says.
fn check_trail(batch: &Batch, dir: &Path, name: &str, loaded: &Loaded) -> Result<(), String> {
    let file = format!("{name}.first.json");
    let (code, said) = batch.run(name, &["--trail", &file])?;
    if code != 1 {
        return Err(format!("exit code {code}: {said}"));
    }
    let trail = std::fs::read_to_string(dir.join("work").join(&file)).map_err(|error| error.to_string())?;
    let (instructions, claimed) = read_trail(&trail)?;
    replay(&loaded.model, &loaded.sources, &instructions, &claimed, &limits())
        .map_err(|error| format!("the trail is no counterexample ({error:?}): {trail}"))
}
