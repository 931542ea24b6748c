//! Random models with claims: the explicit product against Spin, where it is installed.

use std::path::Path;

use snapshot_tests::interpret::Options;
use snapshot_tests::load::load_text;
use snapshot_tests::questions::{Answer, Question, Subject, answers, questions};
use snapshot_tests::random_model::{RandomModel, random_live_model, shrink};
use snapshot_tests::spin;

/// How many models are compared. `RANDOM_MODELS=first..end` compares others.
const SEEDS: std::ops::Range<u64> = 0..8;

/// Claims of a model that has no accept labels.
const N_CLAIMS: u32 = 5;

/// Models that need more are left out.
fn options() -> Options {
    Options { max_states: 400, max_steps: 4_000, ..Options::default() }
}

/// A question to which Spin answers otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Difference {
    question: Question,
    answer: Answer,
    spin: bool,
}

impl Difference {
    /// With fairness pan finds too little: it loses violations that lie in the
    /// stuttering after the last step of a run (`live_fair_last_writer`), and
    /// cycles, depending on the order of options (`live_fair_order` against
    /// `live_fair_order_back`). It never finds too much.
    fn is_known(&self) -> bool {
        self.question.fair && self.answer.violated && !self.spin
    }
}

#[derive(Default)]
struct Comparison {
    n_same: usize,
    n_violated: usize,
    n_known: usize,
    differences: Vec<Difference>,
}

/// Nothing if one of the two cannot answer.
fn compare(model: &RandomModel) -> Option<Comparison> {
    let text = model.to_string();
    let loaded = load_text(&text).ok()?;
    let questions = questions(&loaded.model);
    let answers = answers(&loaded.model, &questions, &options()).ok()?;
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("model.pml");
    std::fs::write(&path, &text).ok()?;
    let n_claims = model.claims.len();
    let mut built = None;
    let mut comparison = Comparison::default();
    for (question, answer) in questions.into_iter().zip(answers) {
        let progress = question.subject == Subject::Progress;
        if built != Some(progress) {
            build(&path, folder.path(), progress)?;
            built = Some(progress);
        }
        let fair = if question.fair { " -f" } else { "" };
        let flags = match &question.subject {
            Subject::Progress => format!("-l{fair}"),
            Subject::Zeno => unreachable!("Spin has no timers"),
            Subject::Claim(name) if n_claims > 1 => format!("-a{fair} -N {name}"),
            _ => format!("-a{fair}"),
        };
        let figures = spin::ask(folder.path(), &format!("{flags} -E -m100000")).ok()?;
        let difference = Difference { question, answer, spin: figures.errors > 0 };
        comparison.n_violated += usize::from(answer.violated);
        if difference.spin == answer.violated {
            comparison.n_same += 1;
        } else if difference.is_known() {
            comparison.n_known += 1;
        } else {
            comparison.differences.push(difference);
        }
    }
    Some(comparison)
}

fn build(model: &Path, folder: &Path, progress: bool) -> Option<()> {
    let flags = if progress { "-DNP -DNOREDUCE" } else { "-DNOREDUCE" };
    spin::build(model, folder, "-a -o1 -o2 -o3", flags).ok()
}

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("RANDOM_MODELS").ok();
    let range = given.as_deref().and_then(|given| given.split_once(".."));
    match range.map(|(first, end)| (first.parse(), end.parse())) {
        Some((Ok(first), Ok(end))) => first..end,
        _ => SEEDS,
    }
}

#[test]
fn product_and_spin_agree_on_random_claims() {
    if !spin::is_installed() {
        println!("skipped: spin is not installed");
        return;
    }
    let mut wrong = Vec::new();
    let mut sum = Comparison::default();
    for seed in seeds() {
        let model = random_live_model(seed, N_CLAIMS, false);
        let Some(comparison) = compare(&model) else { continue };
        sum.n_same += comparison.n_same;
        sum.n_violated += comparison.n_violated;
        sum.n_known += comparison.n_known;
        if let Some(difference) = comparison.differences.into_iter().next() {
            let is_same_kind =
                |other: &Difference| other.question == difference.question && other.spin == difference.spin;
            let still =
                |model: &RandomModel| compare(model).is_some_and(|found| found.differences.iter().any(is_same_kind));
            let smallest = shrink(&model, still);
            println!("seed {seed}: {difference:?}\n{smallest}");
            wrong.push(seed);
        }
    }
    println!(
        "{} answers agree, {} are violations, {} more are lost by Spin under fairness",
        sum.n_same, sum.n_violated, sum.n_known
    );
    assert!(wrong.is_empty(), "the models of these seeds differ: {wrong:?}");
    assert!(sum.n_same > 0, "nothing was compared");
}
