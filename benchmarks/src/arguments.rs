//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::catalogue::{Instance, Scale, Set};
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
    /// Only one of the two sets of models.
    #[arg(long, value_name = "plain|varied", value_parser = set, conflicts_with_all = ["growth", "bugs"])]
    pub set: Option<Set>,
    /// Instead: one model of pmc alone, larger and larger, up to so many states.
    #[arg(long, value_name = "STATES", num_args = 0..=1, default_missing_value = "150000000")]
    pub growth: Option<u64>,
    /// Instead: the models of `bugs/`, time to the violation.
    #[arg(long, conflicts_with = "growth")]
    pub bugs: bool,
    /// Instead: what the default search costs over breadth-first search alone where there is no violation.
    #[arg(long, conflicts_with_all = ["growth", "bugs"])]
    pub probe_cost: bool,
    /// With `--bugs` and `--probe-cost`: build no verifiers, only interpret.
    #[arg(long)]
    pub interpreted: bool,
    /// With `--bugs` and `--probe-cost`: the seconds after which a run is ended.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: u32,
    /// Instead: time per transition of the interpreter, the verifier that is built and pan, for the first question.
    #[arg(long, conflicts_with_all = ["growth", "bugs", "probe_cost"])]
    pub engines: bool,
    /// Instead: time from the command to the verdict on twenty small models.
    #[arg(long, conflicts_with_all = ["growth", "engines", "bugs", "probe_cost"])]
    pub verdicts: bool,
    /// With `--verdicts`: leave out crates that cargo builds from nothing, which take most of the time.
    #[arg(long, requires = "verdicts")]
    pub no_crates: bool,
    /// This pmc, and not the one that cargo builds.
    #[arg(long, value_name = "PROGRAM")]
    pub pmc: Option<PathBuf>,
    /// Build in this folder and keep it: the runtime, and pan for the models of `bugs/`, are used again.
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
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

    /// Whether a model at one size is among those that are asked for.
    pub fn choose(&self, instance: &Instance) -> bool {
        instance.scale == self.scale()
            && instance.model.contains(self.filter.as_deref().unwrap_or(""))
            && self.set.is_none_or(|set| set == instance.set)
    }

    /// The chosen questions, each once, in the order of the list.
    pub fn questions(&self) -> Vec<&'static Question> {
        let asked = |question: &Question| self.questions.iter().flatten().any(|other| other.name == question.name);
        QUESTIONS.iter().filter(|question| asked(question)).collect()
    }
}

fn set(name: &str) -> Result<Set, String> {
    Set::ALL.into_iter().find(|set| set.name() == name).ok_or("there are: plain, varied".to_owned())
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
    use crate::catalogue::instances;

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
    fn models_are_chosen_by_name_size_and_set() {
        let chosen = |line: &str| {
            let arguments = parse(line).expect("well formed");
            let names = instances().into_iter().filter(|instance| arguments.choose(instance));
            names.map(|instance| instance.model).collect::<Vec<String>>()
        };
        assert_eq!(chosen("benchmarks peters --large"), ["peterson"]);
        assert!(chosen("benchmarks peters --set varied").is_empty());
        let (all, plain, varied) =
            (chosen("benchmarks"), chosen("benchmarks --set plain"), chosen("benchmarks --set varied"));
        assert_eq!(all, [plain, varied].concat());
    }

    #[test]
    fn bugs_are_a_run_of_their_own() {
        let arguments = parse("benchmarks --bugs deep --interpreted").unwrap();
        assert!(arguments.bugs && arguments.interpreted && arguments.filter.as_deref() == Some("deep"));
    }

    #[test]
    fn a_run_can_use_what_was_built_before() {
        let arguments = parse("benchmarks --verdicts --no-crates --pmc bin/pmc --keep built").unwrap();
        assert!(arguments.no_crates);
        assert_eq!((arguments.pmc, arguments.keep), (Some("bin/pmc".into()), Some("built".into())));
        assert!(parse("benchmarks --probe-cost --interpreted --small").unwrap().probe_cost);
    }

    #[test]
    fn mistakes_are_refused() {
        let lines = "--no-crates|--set plane|--set plain --bugs|--bugs --growth|--bugs --probe-cost|--question fast|--repetitions 0|--small --large|one two|--engines --verdicts";
        for line in lines.split('|') {
            assert!(parse(&format!("benchmarks {line}")).is_err(), "{line}");
        }
    }
}
