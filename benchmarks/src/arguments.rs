//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::catalogue::Scale;
use crate::question::{QUESTIONS, Question};

/// Runs pmc and Spin's pan on the same models and prints ratios.
#[derive(Debug, Parser)]
#[command(name = "benchmarks")]
pub struct Arguments {
    /// Only models whose name contains this.
    pub filter: Option<String>,
    /// How often each of the two runs; medians are shown.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub repetitions: u32,
    /// What to ask (may be given several times; `all`: everything).
    #[arg(long = "question", value_name = "NAME", default_value = "exact", value_parser = questions)]
    pub questions: Vec<Vec<&'static Question>>,
    /// Ten thousand to a hundred thousand states.
    #[arg(long, conflicts_with = "large")]
    pub small: bool,
    /// Millions to tens of millions of states.
    #[arg(long)]
    pub large: bool,
    /// Instead: one model of pmc alone, larger and larger, up to so many states.
    #[arg(long, value_name = "STATES", num_args = 0..=1, default_missing_value = "150000000")]
    pub growth: Option<u64>,
    /// Instead: the models of `bugs/`, time to the violation, and what the probe costs where there is none.
    #[arg(long, conflicts_with = "growth")]
    pub bugs: bool,
    /// With `--bugs`: build no verifiers, only interpret.
    #[arg(long, requires = "bugs")]
    pub interpreted: bool,
    /// With `--bugs`: the seconds after which a run is ended.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: u32,
    /// Instead: time per transition of the interpreter, the verifier that is built and pan, for the first question.
    #[arg(long, conflicts_with_all = ["growth", "bugs"])]
    pub engines: bool,
    /// Instead: time from the command to the verdict on twenty small models.
    #[arg(long, conflicts_with_all = ["growth", "engines", "bugs"])]
    pub verdicts: bool,
    /// Leave Spin out.
    #[arg(long)]
    pub only_pmc: bool,
    /// Write all that was measured.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw the ratios of the first question.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

impl Arguments {
    pub fn scale(&self) -> Scale {
        match (self.small, self.large) {
            (true, _) => Scale::Small,
            (_, true) => Scale::Large,
            _ => Scale::Medium,
        }
    }

    /// The chosen questions, each once, in the order of the list.
    pub fn questions(&self) -> Vec<&'static Question> {
        let asked = |question: &Question| self.questions.iter().flatten().any(|other| other.name == question.name);
        QUESTIONS.iter().filter(|question| asked(question)).collect()
    }
}

fn questions(name: &str) -> Result<Vec<&'static Question>, String> {
    if name == "all" {
        return Ok(QUESTIONS.iter().collect());
    }
    let found: Vec<_> = QUESTIONS.iter().filter(|question| question.name == name).collect();
    if found.is_empty() {
        let names: Vec<&str> = QUESTIONS.iter().map(|question| question.name).collect();
        return Err(format!("there are: all, {}", names.join(", ")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(line.split_whitespace())
    }

    fn asked(line: &str) -> Vec<&'static str> {
        parse(line).expect("well formed").questions().iter().map(|question| question.name).collect()
    }

    #[test]
    fn the_usual_command_line_is_understood() {
        let arguments = parse("benchmarks pet --repetitions 5 --json a.json --svg b.svg --small").unwrap();
        assert_eq!((arguments.filter.as_deref(), arguments.repetitions), (Some("pet"), 5));
        assert_eq!(arguments.scale(), Scale::Small);
        assert_eq!(parse("benchmarks").unwrap().scale(), Scale::Medium);
    }

    #[test]
    fn questions_come_once_and_in_order() {
        assert_eq!(asked("benchmarks"), ["exact"]);
        assert_eq!(asked("benchmarks --question dfs --question exact --question dfs"), ["exact", "dfs"]);
        assert_eq!(asked("benchmarks --question all").len(), QUESTIONS.len());
    }

    #[test]
    fn growth_has_a_limit_of_its_own() {
        assert_eq!(parse("benchmarks").unwrap().growth, None);
        assert_eq!(parse("benchmarks --growth").unwrap().growth, Some(150_000_000));
        assert_eq!(parse("benchmarks --growth 1000").unwrap().growth, Some(1000));
    }

    #[test]
    fn bugs_are_a_run_of_their_own() {
        let arguments = parse("benchmarks --bugs deep --interpreted").unwrap();
        assert!(arguments.bugs && arguments.interpreted && arguments.filter.as_deref() == Some("deep"));
    }

    #[test]
    fn mistakes_are_refused() {
        let lines = "--interpreted|--bugs --growth|--question fast|--repetitions 0|--small --large|one two|--engines --verdicts";
        for line in lines.split('|') {
            assert!(parse(&format!("benchmarks {line}")).is_err(), "{line}");
        }
    }
}
