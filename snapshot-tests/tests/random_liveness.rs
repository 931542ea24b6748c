//! Random models with claims: generated verifiers against the explicit product.
//! No Spin is needed.

use std::path::Path;

use pmc::driver;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::interpret::{Options, read_lasso, replay_lasso};
use snapshot_tests::load::{Loaded, load_text};
use snapshot_tests::questions::{Answer, Question, Subject, answers, property, questions};
use snapshot_tests::random_model::random_live_model;

/// How many models are built. `RANDOM_MODELS=first..end` takes those of other seeds.
const N_MODELS: usize = 8;

/// The ways to look for cycles.
const SEARCHES: &[&[&str]] = &[
    &["--search", "nested"],
    &["--search", "scc"],
    &["--search", "nested", "--no-reduction"],
    &["--search", "scc", "--no-reduction"],
];

/// Claims of a model that has no accept labels.
const N_CLAIMS: u32 = 15;

fn options() -> Options {
    Options { max_states: 600, max_steps: 6_000, ..Options::default() }
}

/// A model with all that can be asked about it, and what is right.
struct Case {
    seed: u64,
    text: String,
    loaded: Loaded,
    questions: Vec<Question>,
    answers: Vec<Answer>,
}

fn case(seed: u64) -> Option<Case> {
    let text = random_live_model(seed, N_CLAIMS, seed.is_multiple_of(3)).to_string();
    let loaded = load_text(&text).ok()?;
    let questions = questions(&loaded.model);
    let answers = answers(&loaded.model, &questions, &options()).ok()?;
    (!questions.is_empty()).then_some(Case { seed, text, loaded, questions, answers })
}

fn cases() -> Vec<Case> {
    let given = std::env::var("RANDOM_MODELS").ok();
    let range = given.as_deref().and_then(|given| given.split_once(".."));
    match range.map(|(first, end)| (first.parse(), end.parse())) {
        Some((Ok(first), Ok(end))) => (first..end).filter_map(case).collect(),
        _ => (0..).filter_map(case).take(N_MODELS).collect(),
    }
}

/// The flags that ask a question.
fn flags(question: &Question, loaded: &Loaded) -> Vec<String> {
    let mut flags = match &question.subject {
        Subject::Acceptance => vec!["--acceptance".to_owned()],
        Subject::Progress => vec!["--non-progress".to_owned()],
        Subject::Claim(name) if loaded.model.formulas.iter().any(|ltl| *ltl.name == **name) => {
            vec!["--ltl".to_owned(), name.clone()]
        }
        Subject::Claim(name) => vec![format!("--never={name}")],
    };
    flags.extend(question.fair.then(|| "--fair".to_owned()));
    flags
}

/// Asks everything with one search and one kind of fairness: whether each is violated.
fn ask(batch: &Batch, case: &Case, extra: &[&str], fair: bool) -> Result<Vec<bool>, String> {
    let questions = case.questions.iter().filter(|question| question.fair == fair);
    let given: Vec<String> = questions.flat_map(|question| flags(question, &case.loaded)).collect();
    let mut given: Vec<&str> = given.iter().map(String::as_str).filter(|flag| *flag != "--fair").collect();
    given.extend(fair.then_some("--fair"));
    given.extend(extra);
    let report = batch.report(&format!("seed_{}", case.seed), &given)?;
    let properties = report["properties"].as_array().ok_or("no properties")?;
    properties
        .iter()
        .map(|property| match property["verdict"].as_str() {
            Some("violated") => Ok(true),
            Some("verified") => Ok(false),
            other => Err(format!("{other:?} in {property}")),
        })
        .collect()
}

/// Asks one question that is known to be violated, and follows the counterexample.
fn check_trail(batch: &Batch, case: &Case, question: &Question, search: &[&str]) -> Result<(), String> {
    let name = format!("seed_{}", case.seed);
    let file = format!("{name}.one.json");
    let path = batch.work().join(&file);
    let mut given = flags(question, &case.loaded);
    given.extend(search.iter().chain(&["--trail", &file]).map(|&flag| flag.to_owned()));
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let (code, said) = batch.run(&name, &given)?;
    if code != 1 {
        return Err(format!("exit code {code}: {said}"));
    }
    let trail = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let lasso = read_lasso(&trail)?;
    if question.fair && lasso.cycle_start.is_some() && !lasso.fair {
        return Err(format!("the trail does not say that it is fair: {trail}"));
    }
    let loaded = &case.loaded;
    replay_lasso(&loaded.model, &loaded.sources, &lasso, property(&loaded.model, &question.subject), &options())
        .map_err(|error| format!("the trail is no counterexample ({error:?}): {trail}"))
}

#[test]
fn verifiers_and_product_agree_on_random_claims() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_liveness");
    std::fs::create_dir_all(&dir).expect("a folder for the models");
    let cases = cases();
    let members: Vec<Member> = cases
        .iter()
        .map(|case| {
            let name = format!("seed_{}", case.seed);
            let path = dir.join(format!("{name}.pml"));
            std::fs::write(&path, &case.text).expect("the model can be written");
            Member { name, path, options: driver::Options::default() }
        })
        .collect();
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    let (mut n_asked, mut n_violated) = (0, 0);
    for case in &cases {
        let searches = SEARCHES.iter().flat_map(|search| [(search, false), (search, true)]);
        for (search, fair) in searches {
            let asked = case.questions.iter().zip(&case.answers).filter(|(question, _)| question.fair == fair);
            let asked: Vec<(&Question, &Answer)> = asked.collect();
            let found = match ask(&batch, case, search, fair) {
                Ok(found) => found,
                Err(error) => {
                    wrong.push(format!("seed {}: {search:?}, fair {fair}: {error}\n{}", case.seed, case.text));
                    continue;
                }
            };
            if found.len() != asked.len() {
                wrong.push(format!("seed {}: {} answers to {} questions", case.seed, found.len(), asked.len()));
                continue;
            }
            n_asked += asked.len();
            for ((question, answer), violated) in asked.into_iter().zip(found) {
                n_violated += usize::from(violated);
                let error = if violated != answer.violated {
                    Err(format!("finds violated {violated}, the product {answer:?}"))
                } else if violated {
                    check_trail(&batch, case, question, search)
                } else {
                    Ok(())
                };
                if let Err(error) = error {
                    wrong.push(format!("seed {}: {question:?}: {search:?}: {error}\n{}", case.seed, case.text));
                }
            }
        }
    }
    println!("{} models, {n_asked} answers, {n_violated} violations", cases.len());
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_violated > 0, "nothing was compared");
}
