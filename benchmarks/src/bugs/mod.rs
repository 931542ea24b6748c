//! Time to the violation: the models of `bugs/`, pmc with its default flags beside pan.
//!
//! Violations lie deep, late, early, or nowhere; `bugs.csv` says what each model has. All contenders take turns on one
//! model before the next, and medians are compared: of the time by the clock until the violation is met, and where there
//! is none of processor time on one thread, and of time by the clock on two. A contender that finds nothing within its
//! limits has given up, and its time says nothing.

mod contender;
mod table;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::catalogue::{Instance, folder};
use crate::pan::Spin;
use crate::results::median_of;
use crate::verifier::Pmc;
pub use contender::{Answer, Found};
use contender::{Contender, Times};
pub use table::{cost_table, table};

/// What is compared where there is no violation: a name, the search and the threads.
const SEARCHES: [(&str, &str, &str); 4] =
    [("auto", "auto", "1"), ("bfs", "bfs", "1"), ("auto on two", "auto", "2"), ("bfs on two", "bfs", "2")];

/// One model, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    pub model: String,
    /// The kind of violation as reports name it; `none` if there is none, `any` if there are several kinds.
    pub violation: String,
    /// The steps of the run that pan finds by default, if it finds one.
    pub spin_steps: Option<u64>,
    /// The states within which a test finds it.
    pub test_states: Option<u64>,
}

impl Bug {
    pub fn path(&self) -> PathBuf {
        folder().join("bugs").join(format!("{}.pml", self.model))
    }

    pub fn is_violated(&self) -> bool {
        self.violation != "none"
    }
}

/// The rows of `bugs.csv`.
pub fn bugs() -> Vec<Bug> {
    let parse = |line: &str| {
        let mut cells = line.split(',');
        let mut next = || cells.next().map(str::to_owned);
        Some(Bug {
            model: next()?,
            violation: next()?,
            spin_steps: next()?.parse().ok(),
            test_states: next()?.parse().ok(),
        })
    };
    let text = include_str!("../../bugs.csv");
    text.lines().skip(1).map(|line| parse(line).unwrap_or_else(|| panic!("not well formed: {line}"))).collect()
}

/// The contenders on one model: names, medians and answers.
#[derive(Debug, Serialize)]
pub struct Race {
    pub model: String,
    pub runs: Vec<Run>,
}

/// What one contender did.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    pub contender: &'static str,
    /// Seconds of processor time, the median.
    pub seconds: f64,
    /// Seconds by the clock until the violation was met, and until it was reported: medians.
    pub found: f64,
    pub reported: f64,
    pub answer: Answer,
}

impl Race {
    pub fn run(&self, contender: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.contender == contender)
    }
}

/// What is measured.
pub struct Plan<'p> {
    pub pmc: &'p Pmc,
    pub spin: Option<&'p Spin>,
    /// Also build verifiers; else models are interpreted only.
    pub builds: bool,
    pub repetitions: u32,
    /// Seconds after which a run is ended: of processor time for pan, of the clock for pmc.
    pub seconds: u32,
    pub folder: &'p Path,
}

impl Plan<'_> {
    /// All contenders on one model that is violated.
    pub fn race(&self, bug: &Bug) -> Race {
        let folder = self.folder.join(format!("bug-{}", bug.model));
        let mut contenders = vec![Contender::interpreted(self.pmc, &bug.path(), &[], &[], &folder, self.seconds)];
        if self.builds {
            contenders.push(Contender::compiled(self.pmc, &bug.path(), &[], &[], &folder, self.seconds));
        }
        if let Some(spin) = self.spin {
            contenders.extend(Contender::pans(spin, &bug.path(), &folder, self.seconds));
        }
        Race { model: bug.model.clone(), runs: self.take_turns(contenders) }
    }

    /// The probe's cost on a model without violation: the default search beside breadth-first search alone, on one thread
    /// and on two.
    pub fn cost(&self, name: &str, path: &Path, defines: &[String]) -> Race {
        let folder = self.folder.join(format!("cost-{name}"));
        let contender = |(name, search, threads): (&'static str, &'static str, &'static str)| {
            let flags = ["--threads", threads, "--search", search];
            let contender = match self.builds {
                true => Contender::compiled(self.pmc, path, defines, &flags, &folder, self.seconds),
                false => Contender::interpreted(self.pmc, path, defines, &flags, &folder, self.seconds),
            };
            contender.named(name)
        };
        Race { model: name.to_owned(), runs: self.take_turns(SEARCHES.map(contender).into()) }
    }

    fn take_turns(&self, contenders: Vec<Contender>) -> Vec<Run> {
        let mut times: Vec<Vec<Times>> = vec![Vec::new(); contenders.len()];
        let mut answers: Vec<Option<Answer>> = vec![None; contenders.len()];
        for _ in 0..self.repetitions {
            for (n, contender) in contenders.iter().enumerate() {
                // One that has given up would do so again.
                if matches!(answers[n], Some(Answer::GaveUp(_))) {
                    continue;
                }
                let (answer, taken) = contender.run();
                times[n].push(taken);
                answers[n] = Some(answer);
            }
        }
        let runs = contenders.iter().zip(times).zip(answers);
        runs.map(|((contender, times), answer)| Run {
            contender: contender.name,
            seconds: median_of(times.iter().map(|times| times.processor).collect()),
            found: median_of(times.iter().map(|times| times.found).collect()),
            reported: median_of(times.iter().map(|times| times.reported).collect()),
            answer: answer.unwrap_or_else(|| Answer::GaveUp("did not run".to_owned())),
        })
        .collect()
    }
}

/// The models without violation, those of `bugs/` whose name contains this and the chosen others: name, path and macros.
pub fn without_violation(instances: &[Instance], filter: &str) -> Vec<(String, PathBuf, Vec<String>)> {
    let own = bugs().into_iter().filter(|bug| !bug.is_violated() && bug.model.contains(filter));
    let own = own.map(|bug| (bug.model.clone(), bug.path(), Vec::new()));
    let others = instances.iter().map(|instance| (instance.model.clone(), instance.path(), instance.flags().collect()));
    own.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_its_row_and_every_row_its_model() {
        let mut files: Vec<String> = std::fs::read_dir(folder().join("bugs"))
            .unwrap()
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().strip_suffix(".pml")?.to_owned()))
            .collect();
        files.sort();
        let names: Vec<String> = bugs().into_iter().map(|bug| bug.model).collect();
        assert_eq!(names, files);
        assert!(names.len() >= 20);
        assert!(bugs().iter().any(|bug| !bug.is_violated()));
    }
}
