//! Random models with claims: generated verifiers, with each reduction and
//! without, against the explicit product. No Spin is needed.

use std::path::Path;

use pmc::driver;
use snapshot_tests::batch::{Batch, Member};
use snapshot_tests::interpret::{Options, read_lasso, replay_lasso};
use snapshot_tests::load::{Loaded, load_text};
use snapshot_tests::questions::{Answer, Question, Subject, answers, property, questions};
use snapshot_tests::random_model::{RandomModel, random_calm_model, random_live_model, shrink};

/// How many models are built. `RANDOM_MODELS=first..end` takes those of other seeds, `RANDOM_TRAILS=1` follows every
/// counterexample, and `RANDOM_SHRINK=1` makes the first model that differs smaller, which takes a build for each attempt.
const N_MODELS: usize = 24;

/// The ways to look for cycles, and to leave out steps on the way.
const SEARCHES: &[&[&str]] = &[
    &["--search", "nested", "--no-reduction"],
    &["--search", "scc", "--no-reduction"],
    &["--search", "nested", "--reduction", "ample"],
    &["--search", "scc", "--reduction", "ample"],
    &["--search", "nested", "--reduction", "cluster"],
    &["--search", "scc", "--reduction", "cluster"],
    &["--search", "nested", "--reduction", "stubborn"],
    &["--search", "scc", "--reduction", "stubborn"],
    &["--search", "nested", "--reduction", "stubborn", "--proviso", "static"],
    &["--search", "scc", "--reduction", "stubborn", "--proviso", "static"],
    &["--search", "nested", "--reduction", "ample", "--proviso", "static"],
    // Claims that are safety properties are searched as such unless a search for cycles is asked for.
    &["--no-reduction"],
    &["--reduction", "ample"],
    &["--reduction", "stubborn", "--threads", "2"],
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

fn model(seed: u64) -> RandomModel {
    match seed % 3 {
        0 => random_live_model(seed, N_CLAIMS, seed.is_multiple_of(2)),
        _ => random_calm_model(seed, N_CLAIMS),
    }
}

fn case(seed: u64) -> Option<Case> {
    case_of(seed, &model(seed))
}

fn case_of(seed: u64, model: &RandomModel) -> Option<Case> {
    let text = model.to_string();
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
        Subject::Zeno => vec!["--zeno".to_owned()],
        Subject::Claim(name) if loaded.model.formulas.iter().any(|ltl| *ltl.name == **name) => {
            vec!["--ltl".to_owned(), name.clone()]
        }
        Subject::Claim(name) => vec![format!("--never={name}")],
    };
    flags.extend(question.fair.then(|| "--fair".to_owned()));
    flags
}

/// What one search says to one question.
struct Found {
    violated: bool,
    n_states: u64,
    reduced: bool,
}

/// Asks everything with one search and one kind of fairness.
fn ask(batch: &Batch, case: &Case, extra: &[&str], fair: bool) -> Result<Vec<Found>, String> {
    let questions = case.questions.iter().filter(|question| question.fair == fair);
    let given: Vec<String> = questions.flat_map(|question| flags(question, &case.loaded)).collect();
    let mut given: Vec<&str> = given.iter().map(String::as_str).filter(|flag| *flag != "--fair").collect();
    given.extend(fair.then_some("--fair"));
    given.extend(extra);
    let report = batch.report(&format!("seed_{}", case.seed), &given)?;
    let properties = report["properties"].as_array().ok_or("no properties")?;
    let found = |property: &serde_json::Value| {
        let violated = match property["verdict"].as_str() {
            Some("violated") => true,
            Some("verified") => false,
            other => return Err(format!("{other:?} in {property}")),
        };
        let search = &property["search"];
        let n_states = search["states_stored"].as_u64().ok_or_else(|| format!("no states in {property}"))?;
        Ok(Found { violated, n_states, reduced: search["reduction"] == true })
    };
    properties.iter().map(found).collect()
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

/// What was compared, so that a test can make sure that it tested something.
#[derive(Debug, Default)]
struct Tally {
    n_asked: usize,
    n_violated: usize,
    /// Of those that hold, in how many a reduction was used, and stored fewer states.
    n_reduced: usize,
    n_smaller: usize,
    n_trails: usize,
}

/// Compares everything about one model; the complaints.
fn check(batch: &Batch, case: &Case, follow_all: bool, tally: &mut Tally) -> Vec<String> {
    let mut wrong = Vec::new();
    for fair in [false, true] {
        let asked = case.questions.iter().zip(&case.answers).filter(|(question, _)| question.fair == fair);
        let asked: Vec<(&Question, &Answer)> = asked.collect();
        let mut whole: Vec<Option<u64>> = vec![None; asked.len()];
        for (setting, search) in SEARCHES.iter().enumerate() {
            let found = match ask(batch, case, search, fair) {
                Ok(found) if found.len() == asked.len() => found,
                Ok(found) => {
                    wrong.push(format!("{search:?}: {} answers to {} questions", found.len(), asked.len()));
                    continue;
                }
                Err(error) => {
                    wrong.push(format!("{search:?}, fair {fair}: {error}"));
                    continue;
                }
            };
            tally.n_asked += asked.len();
            for (number, ((question, answer), found)) in asked.iter().zip(found).enumerate() {
                let mut complain = |what: String| wrong.push(format!("{question:?}: {search:?}: {what}"));
                if found.violated != answer.violated {
                    complain(format!("finds violated {}, the product {answer:?}", found.violated));
                    continue;
                }
                if found.violated {
                    tally.n_violated += 1;
                    // A counterexample from each search and reduction takes long; each gets its turn.
                    if follow_all || (setting + number + case.seed as usize).is_multiple_of(8) {
                        tally.n_trails += 1;
                        check_trail(batch, case, question, search).unwrap_or_else(complain);
                    }
                    continue;
                }
                let n_whole = *whole[number].get_or_insert(found.n_states);
                tally.n_reduced += usize::from(found.reduced);
                tally.n_smaller += usize::from(found.n_states < n_whole);
                if found.n_states > n_whole {
                    complain(format!("{} states with a reduction, {n_whole} without", found.n_states));
                }
            }
        }
    }
    wrong
}

fn build(dir: &Path, cases: &[Case]) -> Result<Batch, String> {
    std::fs::create_dir_all(dir).map_err(|error| error.to_string())?;
    let mut members = Vec::new();
    for case in cases {
        let name = format!("seed_{}", case.seed);
        let path = dir.join(format!("{name}.pml"));
        std::fs::write(&path, &case.text).map_err(|error| error.to_string())?;
        // Merging takes away what is safe: of every other model all steps are left.
        let simplify = if case.seed % 2 == 0 { driver::Simplify::ALL } else { driver::Simplify::NONE };
        members.push(Member { name, path, options: driver::Options { simplify, ..driver::Options::default() } });
    }
    Batch::build(dir, &members)
}

/// Whether something is still wrong with a model that became smaller.
fn still_differs(dir: &Path, seed: u64, model: &RandomModel) -> bool {
    let Some(case) = case_of(seed, model) else { return false };
    let cases = [case];
    let Ok(batch) = build(dir, &cases) else { return false };
    !check(&batch, &cases[0], true, &mut Tally::default()).is_empty()
}

#[test]
fn verifiers_and_product_agree_on_random_claims() {
    let name = if std::env::var_os("RANDOM_MODELS").is_some() { "more_random_liveness" } else { "random_liveness" };
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let cases = cases();
    let batch = build(&dir, &cases).unwrap_or_else(|error| panic!("{error}"));
    let follow_all = std::env::var_os("RANDOM_TRAILS").is_some();
    let (mut wrong, mut tally) = (Vec::new(), Tally::default());
    for case in &cases {
        let complaints = check(&batch, case, follow_all, &mut tally);
        if !complaints.is_empty() {
            if wrong.is_empty() && std::env::var_os("RANDOM_SHRINK").is_some() {
                let shrunk = shrink(&model(case.seed), |model| still_differs(&dir.join("shrink"), case.seed, model));
                println!("seed {}, made smaller:\n{shrunk}", case.seed);
            }
            wrong.push(format!("seed {}:\n{}\n{}", case.seed, complaints.join("\n"), case.text));
        }
    }
    println!("{} models, {tally:?}", cases.len());
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.n_violated > 0 && tally.n_trails > 0 && tally.n_smaller > 0, "{tally:?}");
}
