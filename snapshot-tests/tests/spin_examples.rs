//! Generated verifiers and the interpreter against Spin on the example models of
//! Debian's package, where both can be had. The program `spin-examples` compares
//! the large ones, too.

use std::path::Path;
use std::sync::OnceLock;

use pmc::driver::{Options, Rules};
use snapshot_tests::batch::{Batch, Figures, Member};
use snapshot_tests::interpret::{self, explore};
use snapshot_tests::load::load;
use snapshot_tests::savings::{self, Savings, Stored};
use snapshot_tests::spin::{self, NoFigures};
use snapshot_tests::spin_examples::Example;

/// Larger models are left out: of the verifiers, which are built without optimisation, ...
const MOST_STATES: &str = "100000";

/// (five searches), ...
const MOST_REDUCED_STATES: &str = "50000";

/// (with a claim), ...
const MOST_PRODUCT_STATES: &str = "60000";

/// ... and of the interpreter.
fn options() -> interpret::Options {
    interpret::Options { max_states: 10_000, max_steps: 100_000, ..interpret::Options::default() }
}

/// Nothing if the model is too large.
fn by_verifier(batch: &Batch, name: &str) -> Result<Option<Figures>, String> {
    let flags = ["--safety", "--no-reduction", "--search", "dfs", "--all-errors", "--max-states", MOST_STATES];
    let report = batch.report(name, &flags)?;
    let property = &report["properties"][0];
    let search = &property["search"];
    let numbers =
        [&search["states_stored"], &search["transitions"], &property["errors"]].map(serde_json::Value::as_u64);
    let [Some(states), Some(transitions), Some(errors)] = numbers else { return Err(format!("no figures: {report}")) };
    Ok((search["complete"] == true).then_some(Figures { states, transitions, errors }))
}

/// Nothing if the model is too large.
fn by_interpreter(path: &Path) -> Result<Option<Figures>, String> {
    let graph = explore(&load(path)?.model, &options());
    let states = graph.states.len() as u64;
    let found = Figures { states, transitions: graph.n_transitions() as u64, errors: graph.violations.len() as u64 };
    Ok(graph.complete.then_some(found))
}

/// All examples, built once for the tests in this file.
fn batch() -> &'static Batch {
    static BATCH: OnceLock<Batch> = OnceLock::new();
    BATCH.get_or_init(|| {
        let examples = Example::all();
        let members: Vec<Member> =
            examples.iter().filter(|example| example.refused.is_none()).map(Example::member).collect();
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin_examples");
        Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"))
    })
}

#[test]
fn figures_are_those_of_spin() {
    let examples = Example::all();
    if examples.is_empty() || !spin::is_installed() {
        println!("skipped: spin or its examples are not installed");
        return;
    }
    let batch = batch();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for example in &examples {
        let name = &example.name;
        if let Some(why) = example.exception().or(example.refused.as_deref()) {
            println!("{name}: {why}");
            continue;
        }
        let found: Vec<Figures> = match (by_verifier(batch, &example.module), by_interpreter(&example.path)) {
            (Ok(verifier), Ok(interpreter)) => verifier.into_iter().chain(interpreter).collect(),
            (Err(error), _) | (_, Err(error)) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        if found.is_empty() {
            println!("{name}: too large");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder for what Spin writes");
        match spin::exact_figures_of_file(&example.path, folder.path()) {
            Ok(figures) if found.iter().all(|found| *found == Figures::from(figures)) => compared += 1,
            Ok(figures) => wrong.push(format!("{name}: found {found:?}, {figures:?}")),
            Err(NoFigures::TooDeep) => println!("{name}: too deep for pan"),
            Err(NoFigures::TooSlow) => println!("{name}: too slow for pan"),
            Err(NoFigures::TooLarge) => println!("{name}: too large for pan"),
            Err(NoFigures::Refused(why)) => println!("{name}: Spin says {why}"),
        }
    }
    println!("{compared} models agree");
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The same verdict with every reduction, and no more states than Spin with its own.
#[test]
fn reductions_store_no_more_than_spins() {
    let examples = Example::all();
    if examples.is_empty() || !spin::is_installed() {
        println!("skipped: spin or its examples are not installed");
        return;
    }
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for example in examples.iter().filter(|example| example.refused.is_none() && example.exception().is_none()) {
        let full = match Stored::by(batch(), &example.module, "none", &["--max-states", MOST_REDUCED_STATES]) {
            Ok(full) if full.is_complete => full,
            Ok(_) => {
                println!("{}: too large", example.name);
                continue;
            }
            Err(error) => {
                wrong.push(format!("{}: {error}", example.name));
                continue;
            }
        };
        let folder = tempfile::tempdir().expect("a folder for what Spin writes");
        let Ok(spin) = spin::reduced_figures_of_file(&example.path, folder.path()) else { continue };
        match Savings::of(batch(), &example.name, &example.module, full, spin, &[]) {
            Ok(found) => {
                println!("{}", found.row());
                wrong.extend(found.complaints(savings::exception(&example.name)));
                compared += 1;
            }
            Err(error) => wrong.push(format!("{}: {error}", example.name)),
        }
    }
    println!("{compared} models compared");
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

/// Examples of which Spin's reduction leaves out much, and by the same rules ours the same: see `anchors.rs`. Not among
/// them is LTL/leader, where Spin takes the ends of processes ahead whose promises we rely on.
const BY_SPINS_RULES: &[&str] = &["eratosthenes", "leader0", "sort", "LTL/mobile2"];

#[test]
fn by_spins_rules_the_counts_are_spins() {
    let name = |part: &str| format!("Examples/{part}.pml");
    let is_one = |example: &Example| BY_SPINS_RULES.iter().any(|part| example.name == name(part));
    let examples: Vec<Example> = Example::all().into_iter().filter(is_one).collect();
    if examples.is_empty() || !spin::is_installed() {
        println!("skipped: spin or its examples are not installed");
        return;
    }
    let member = |example: &Example| {
        let Member { name, path, options } = example.member();
        Member { name, path, options: Options { rules: Rules::Spin, ..options } }
    };
    let members: Vec<Member> = examples.iter().map(member).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spins_rules");
    let batch = Batch::build(&dir, &members).unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    for example in &examples {
        let flags = ["--safety", "--all-errors", "--search", "dfs", "--reduction", "ample", "--proviso", "prompt"];
        let found = batch.figures(&example.module, &flags);
        let folder = tempfile::tempdir().expect("a folder for what Spin writes");
        let expected = spin::reduced_figures_of_file(&example.path, folder.path()).map(Figures::from);
        if found.as_ref().ok() != expected.as_ref().ok() {
            wrong.push(format!("{}: {found:?}, Spin {expected:?}", example.name));
        }
    }
    assert!(examples.len() == BY_SPINS_RULES.len() && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a claim, or an assertion beside it, is violated; nothing if the model is too large.
fn is_violated(example: &Example, claim: &str, fair: bool) -> Result<Option<bool>, String> {
    let question = format!("--ltl={claim}");
    let flags = [question.as_str(), "--max-states", MOST_PRODUCT_STATES].into_iter().chain(fair.then_some("--fair"));
    let report = batch().report(&example.module, &flags.collect::<Vec<_>>())?;
    match report["properties"][0]["verdict"].as_str() {
        Some("violated") => return Ok(Some(true)),
        Some("verified") => {}
        _ => return Ok(None),
    }
    let flags = ["--safety", "--no-deadlock", "--max-states", MOST_STATES];
    match batch().report(&example.module, &flags)?["properties"][0]["verdict"].as_str() {
        Some("violated") => Ok(Some(true)),
        Some("verified") => Ok(Some(false)),
        _ => Ok(None),
    }
}

#[test]
fn verdicts_on_claims_are_those_of_spin() {
    let examples = Example::all();
    if examples.is_empty() || !spin::is_installed() {
        println!("skipped: spin or its examples are not installed");
        return;
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for example in examples.iter().filter(|example| example.refused.is_none()) {
        let Ok(loaded) = load(&example.path) else { continue };
        let formulas = loaded.model.formulas.iter().map(|ltl| ltl.name.to_string());
        let claims: Vec<String> = formulas.chain(loaded.model.never.iter().map(|it| it.name.to_string())).collect();
        let folder = tempfile::tempdir().expect("a folder for what Spin writes");
        let mut is_built = false;
        for (claim, fair) in claims.iter().flat_map(|claim| [(claim, false), (claim, true)]) {
            let about = format!("{}, {claim}{}", example.name, if fair { ", fair" } else { "" });
            let found = match is_violated(example, claim, fair) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    println!("{about}: too large");
                    continue;
                }
                Err(error) => {
                    wrong.push(format!("{about}: {error}"));
                    continue;
                }
            };
            if !is_built && let Err(error) = spin::build(&example.path, folder.path(), "-a", "-DNOREDUCE -DNFAIR=5") {
                println!("{about}: Spin says {error:?}");
                break;
            }
            is_built = true;
            let name = if claims.len() > 1 { format!("-N {claim}") } else { String::new() };
            let flags = format!("-a -m1000000 {name} {}", if fair { "-f" } else { "" });
            match spin::ask(folder.path(), &flags) {
                Ok(figures) if found == (figures.errors > 0) => compared += 1,
                // pan finds too little with fairness: see `live_fair_last_writer` and `live_fair_order`.
                Ok(figures) if fair && found => println!("{about}: violated, missed by {figures:?}"),
                Ok(figures) => wrong.push(format!("{about}: violated is {found}, {figures:?}")),
                Err(error) => println!("{about}: Spin says {error:?}"),
            }
        }
    }
    println!("{compared} verdicts agree");
    assert!(wrong.is_empty(), "{} verdicts differ:\n{}", wrong.len(), wrong.join("\n"));
}
