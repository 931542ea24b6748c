//! Random models: generated verifiers against the interpreter. No Spin is needed.

use std::path::Path;

use pmc::driver;
use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::interpret::{Graph, Options, explore, read_trail, replay};
use snapshot_tests::load::{Loaded, load_text};
use snapshot_tests::random_model::{RandomModel, random_model, random_whole_model};

/// How many models are built.
const N_MODELS: usize = 24;

fn options() -> Options {
    Options { max_states: 3_000, max_steps: 30_000, max_depth: 2_000, ..Options::default() }
}

/// The first models that the interpreter can explore, with their seeds.
fn candidates(make: fn(u64) -> RandomModel) -> impl Iterator<Item = (u64, String, Loaded, Graph)> {
    let all = (0..).map(move |seed| (seed, make(seed).to_string()));
    all.filter_map(|(seed, text)| {
        let loaded = load_text(&text).ok()?;
        let graph = explore(&loaded.model, &options());
        graph.complete.then_some((seed, text, loaded, graph))
    })
}

#[test]
fn verifiers_and_interpreter_agree_on_random_models() {
    check("random", random_model);
}

#[test]
fn verifiers_and_interpreter_agree_on_models_of_the_whole_language() {
    check("random-whole", random_whole_model);
}

fn check(folder: &str, make: fn(u64) -> RandomModel) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&dir).expect("a folder for the models");
    let chosen: Vec<(u64, String, Loaded, Graph)> = candidates(make).take(N_MODELS).collect();
    let members: Vec<Member> = chosen
        .iter()
        .map(|(seed, text, ..)| {
            let path = dir.join(format!("seed_{seed}.pml"));
            std::fs::write(&path, text).expect("the model can be written");
            Member {
                name: format!("seed_{seed}"),
                path,
                options: driver::Options { simplify: driver::Simplify::NONE, ..driver::Options::default() },
            }
        })
        .collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    for ((seed, text, loaded, graph), member) in chosen.iter().zip(&members) {
        let flags = ["--no-reduction", "--search", "dfs", "--all-errors"];
        let expected = Figures {
            states: graph.states.len() as u64,
            transitions: graph.n_transitions() as u64,
            errors: graph.violations.len() as u64,
        };
        let found = batch.figures(&member.name, &flags);
        if found.as_ref().ok() != Some(&expected) {
            wrong.push(format!("seed {seed}: the verifier {found:?}, the interpreter {expected:?}\n{text}"));
        } else if !graph.violations.is_empty() {
            wrong.extend(
                check_trail(&batch, &member.name, loaded, &dir)
                    .err()
                    .map(|error| format!("seed {seed}: {error}\n{text}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The verifier's counterexample is a run that ends as it says.
fn check_trail(batch: &Batch, name: &str, loaded: &Loaded, dir: &Path) -> Result<(), String> {
    let file = format!("{name}.first.json");
    let (code, said) = batch.run(name, &["--trail", &file])?;
    if code != 1 {
        return Err(format!("exit code {code}: {said}"));
    }
    let trail = std::fs::read_to_string(dir.join("work").join(&file)).map_err(|error| error.to_string())?;
    let (instructions, claimed) = read_trail(&trail)?;
    replay(&loaded.model, &loaded.sources, &instructions, &claimed, &options())
        .map_err(|error| format!("the trail is no counterexample ({error:?}): {trail}"))
}
