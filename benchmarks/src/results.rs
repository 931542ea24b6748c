//! The measurements, for the table, the chart and the JSON file.

use serde::Serialize;

use crate::catalogue::Set;
use crate::question::Clock;
use crate::usage::Usage;

/// All results of one run of the benchmarks.
#[derive(Debug, Serialize)]
pub struct Results {
    pub schema: &'static str,
    /// The versions of the tools.
    pub pmc: String,
    pub spin: Option<String>,
    pub cc: Option<String>,
    pub machine: String,
    pub repetitions: u32,
    pub rows: Vec<Row>,
}

pub const SCHEMA: &str = "pmc-benchmarks/1";

/// One question about one model.
#[derive(Debug, Serialize)]
pub struct Row {
    pub model: String,
    pub set: Set,
    pub size: String,
    pub question: &'static str,
    /// The measure of speed.
    #[serde(skip)]
    pub clock: Clock,
    pub pmc: Outcome,
    /// Pan, or pmc with other flags; nothing if Spin is not installed.
    pub rival: Option<Outcome>,
}

/// The result of one tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done(Figures),
    /// It cannot answer this question, or failed.
    Failed(String),
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    /// From the model's text to the program.
    pub build: Usage,
    /// The median of the runs.
    pub run: Usage,
}

impl Outcome {
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Outcome::Done(figures) => Some(figures),
            Outcome::Failed(_) => None,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio needs fewer than sixteen digits")]
impl Figures {
    pub fn states_per_second(&self, clock: Clock) -> f64 {
        self.states as f64 / self.seconds(clock)
    }

    /// The time of the run, never zero.
    pub fn seconds(&self, clock: Clock) -> f64 {
        match clock {
            Clock::Processor => self.run.cpu().max(1e-6),
            Clock::Wall => self.run.wall.max(1e-6),
        }
    }

    pub fn bytes_per_state(&self) -> f64 {
        self.run.peak_bytes as f64 / self.states.max(1) as f64
    }

    /// Seconds from the model's text to the verdict.
    pub fn to_verdict(&self) -> f64 {
        self.build.cpu() + self.run.cpu()
    }
}

impl Row {
    /// Both sides' figures, if both have some.
    pub fn both(&self) -> Option<(&Figures, &Figures)> {
        Some((self.pmc.figures()?, self.rival.as_ref()?.figures()?))
    }

    /// How many times as fast pmc is as its rival, in states per second.
    pub fn speed_ratio(&self) -> Option<f64> {
        let (pmc, rival) = self.both()?;
        Some(pmc.states_per_second(self.clock) / rival.states_per_second(self.clock))
    }

    /// How many times as long pmc takes as its rival for its answer.
    pub fn time_ratio(&self) -> Option<f64> {
        let (pmc, rival) = self.both()?;
        Some(pmc.seconds(self.clock) / rival.seconds(self.clock))
    }
}

/// The median run.
pub fn median(mut runs: Vec<Usage>, clock: Clock) -> Usage {
    let seconds = |run: &Usage| match clock {
        Clock::Processor => run.cpu(),
        Clock::Wall => run.wall,
    };
    runs.sort_by(|one, other| seconds(one).total_cmp(&seconds(other)));
    runs.get(runs.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// The median of some times; 0 of none.
pub fn median_of(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// `None` of nothing.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a few dozen")]
    let n = ratios.len() as f64;
    (!ratios.is_empty()).then(|| (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / n).exp())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A row in which pmc is `ratio` times as fast as its rival.
    pub fn row(model: &str, ratio: f64) -> Row {
        let run = |user| Usage { user, system: 0.0, wall: user, peak_bytes: 64_000_000 };
        let figures = |user| Figures { states: 1_000_000, transitions: 3_000_000, build: run(0.5), run: run(user) };
        Row {
            model: model.to_owned(),
            set: Set::Plain,
            size: "N=3".to_owned(),
            question: "exact",
            clock: Clock::Processor,
            pmc: Outcome::Done(figures(1.0)),
            rival: Some(Outcome::Done(figures(ratio))),
        }
    }

    #[test]
    fn ratios_are_pmc_over_its_rival() {
        let row = row("a", 2.5);
        assert!((row.speed_ratio().unwrap() - 2.5).abs() < 1e-9);
        assert!((row.time_ratio().unwrap() - 0.4).abs() < 1e-9);
        let (pmc, _) = row.both().unwrap();
        assert!((pmc.bytes_per_state() - 64.0).abs() < 1e-9 && (pmc.to_verdict() - 1.5).abs() < 1e-9);
    }

    #[test]
    fn the_median_is_a_run_that_happened() {
        let run = |user| Usage { user, wall: user * 2.0, ..Usage::default() };
        assert_eq!(median(vec![run(3.0), run(1.0), run(2.0)], Clock::Processor), run(2.0));
        assert_eq!(median(vec![run(4.0), run(1.0), run(2.0), run(3.0)], Clock::Wall), run(2.0));
        assert_eq!(median(Vec::new(), Clock::Wall), Usage::default());
    }

    #[test]
    fn the_mean_of_ratios_is_geometric() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-9);
    }
}
