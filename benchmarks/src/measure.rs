//! The order of the runs: both tools take turns, so that other load on the machine affects them alike.

use std::path::Path;

use crate::catalogue::Instance;
use crate::pan::{Counts, Pan, Spin};
use crate::question::{Clock, Question, Rival};
use crate::results::{Figures, Outcome, Row, median};
use crate::usage::Usage;
use crate::verifier::{Pmc, Verifier};

/// One tool, ready to run, and its results so far.
struct Contender<'a> {
    run: Box<dyn FnMut() -> Result<(Counts, Usage), String> + 'a>,
    build: Usage,
    counts: Option<Counts>,
    runs: Vec<Usage>,
    failure: Option<String>,
}

impl<'a> Contender<'a> {
    fn new(build: Usage, run: impl FnMut() -> Result<(Counts, Usage), String> + 'a) -> Contender<'a> {
        Contender { run: Box::new(run), build, counts: None, runs: Vec::new(), failure: None }
    }

    fn failed(why: String) -> Contender<'a> {
        Contender { failure: Some(why), ..Contender::new(Usage::default(), || Err(String::new())) }
    }

    fn take_turn(&mut self) {
        if self.failure.is_some() {
            return;
        }
        match (self.run)() {
            Ok((counts, _)) if self.counts.is_some_and(|before| before != counts) => {
                self.failure = Some(format!("{:?} in one run and {counts:?} in another", self.counts));
            }
            Ok((counts, usage)) => {
                self.counts = Some(counts);
                self.runs.push(usage);
            }
            Err(why) => self.failure = Some(why),
        }
    }

    fn outcome(self, clock: Clock) -> Outcome {
        match (self.failure, self.counts) {
            (None, Some(Counts { states, transitions })) => {
                Outcome::Done(Figures { states, transitions, build: self.build, run: median(self.runs, clock) })
            }
            (why, _) => Outcome::Failed(why.unwrap_or_else(|| "did not run".to_owned())),
        }
    }
}

/// Builds and runs both sides.
pub fn measure(
    pmc: &Pmc,
    spin: Option<&Spin>,
    instance: &Instance,
    question: &'static Question,
    repetitions: u32,
    folder: &Path,
) -> Row {
    let mut verifier = pmc.build(instance, question, &folder.join("pmc"));
    let rival = match question.rival {
        Rival::Pan { .. } => spin.map(|spin| {
            let mut pan = spin.build(instance, question, &folder.join("pan"));
            if let (true, Ok(verifier), Ok(pan)) = (question.same_memory, &mut verifier, &mut pan)
                && let Ok((_, usage)) = pan.run()
            {
                verifier.set_memory(usage.peak_bytes);
            }
            pan_contender(pan)
        }),
        Rival::Pmc { verifier_flags, .. } => {
            let other = verifier.as_ref().map(|verifier| verifier.with_flags(verifier_flags, instance));
            Some(verifier_contender(other.map_err(Clone::clone)))
        }
    };
    let (pmc, rival) = take_turns(verifier_contender(verifier), rival, repetitions);
    let mut row = Row {
        model: instance.model.clone(),
        set: instance.set,
        size: instance.size(),
        question: question.name,
        clock: question.clock,
        pmc: pmc.outcome(question.clock),
        rival: rival.map(|rival| rival.outcome(question.clock)),
    };
    check_states(&mut row, instance, question);
    row
}

fn verifier_contender(built: Result<Verifier, String>) -> Contender<'static> {
    match built {
        Ok(verifier) => Contender::new(verifier.build, move || verifier.run()),
        Err(why) => Contender::failed(why),
    }
}

fn pan_contender(built: Result<Pan, String>) -> Contender<'static> {
    match built {
        Ok(mut pan) => Contender::new(pan.build, move || pan.run()),
        Err(why) => Contender::failed(why),
    }
}

fn take_turns<'a>(
    mut one: Contender<'a>,
    mut other: Option<Contender<'a>>,
    repetitions: u32,
) -> (Contender<'a>, Option<Contender<'a>>) {
    for _ in 0..repetitions {
        one.take_turn();
        if let Some(other) = &mut other {
            other.take_turn();
        }
    }
    (one, other)
}

/// If counts must be equal, a different one is a failure and yields no speed.
fn check_states(row: &mut Row, instance: &Instance, question: &Question) {
    if !question.same_states {
        return;
    }
    let (states, transitions) = (instance.states, instance.transitions);
    for outcome in [Some(&mut row.pmc), row.rival.as_mut()].into_iter().flatten() {
        if let Some(figures) = outcome.figures()
            && !is_same(figures.states, states)
        {
            *outcome = Outcome::Failed(format!("{} states, but there are {states}", figures.states));
        } else if let Some(figures) = outcome.figures()
            && !is_same(figures.transitions, transitions)
        {
            *outcome = Outcome::Failed(format!("{} transitions, but there are {transitions}", figures.transitions));
        }
    }
}

/// pan prints the first eight digits of a count.
fn is_same(counted: u64, expected: u64) -> bool {
    let n_digits = expected.checked_ilog10().unwrap_or(0) + 1;
    let unit = 10_u64.pow(n_digits.saturating_sub(8));
    counted.abs_diff(expected) <= unit / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Scale, Set};
    use crate::question::QUESTIONS;
    use crate::results::tests::row;
    use std::cell::RefCell;

    const COUNTS: Counts = Counts { states: 10, transitions: 20 };

    fn seconds(user: f64) -> Usage {
        Usage { user, ..Usage::default() }
    }

    #[test]
    fn eight_digits_of_a_count_are_compared() {
        assert!(is_same(107_058_290, 107_058_293) && is_same(0, 0) && is_same(99_999_999, 99_999_999));
        assert!(!is_same(107_058_280, 107_058_293) && !is_same(12_345_677, 12_345_678) && !is_same(1, 0));
    }

    #[test]
    fn both_take_turns_and_the_median_counts() {
        let log = RefCell::new(String::new());
        let times = RefCell::new(vec![2.0, 9.0, 1.0]);
        let one = Contender::new(seconds(0.5), || {
            log.borrow_mut().push('a');
            Ok((COUNTS, seconds(times.borrow_mut().pop().unwrap())))
        });
        let other = Contender::new(seconds(0.5), || {
            log.borrow_mut().push('b');
            Ok((COUNTS, seconds(1.0)))
        });
        let (one, other) = take_turns(one, Some(other), 3);
        let outcome = one.outcome(Clock::Processor);
        assert!((outcome.figures().unwrap().run.user - 2.0).abs() < 1e-9);
        assert!(other.unwrap().outcome(Clock::Processor).figures().is_some());
        assert_eq!(*log.borrow(), "ababab");
    }

    #[test]
    fn a_failure_ends_the_runs_of_one() {
        let n_runs = RefCell::new(0);
        let one = Contender::new(seconds(0.5), || {
            *n_runs.borrow_mut() += 1;
            Err("no".to_owned())
        });
        let (one, _) = take_turns(one, None, 3);
        assert!(matches!(one.outcome(Clock::Processor), Outcome::Failed(why) if why == "no"));
        assert_eq!(*n_runs.borrow(), 1);
    }

    #[test]
    fn counts_that_change_from_run_to_run_are_a_failure() {
        let states = RefCell::new(0);
        let one = Contender::new(seconds(0.5), || {
            *states.borrow_mut() += 1;
            Ok((Counts { states: *states.borrow(), transitions: 1 }, seconds(1.0)))
        });
        assert!(take_turns(one, None, 2).0.outcome(Clock::Processor).figures().is_none());
    }

    #[test]
    fn different_counts_are_no_speed() {
        let instance = |states| Instance {
            model: "a".to_owned(),
            set: Set::Plain,
            scale: Scale::Small,
            defines: Vec::new(),
            states,
            transitions: 3_000_000,
            depth: 1,
        };
        let mut right = row("a", 2.0);
        check_states(&mut right, &instance(1_000_000), &QUESTIONS[0]);
        assert!(right.speed_ratio().is_some());
        let mut wrong = row("a", 2.0);
        check_states(&mut wrong, &instance(1_000_001), &QUESTIONS[0]);
        assert!(wrong.speed_ratio().is_none() && wrong.rival.unwrap().figures().is_none());
    }
}
