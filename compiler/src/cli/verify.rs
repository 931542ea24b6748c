//! The command line of `pmc verify`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::arguments::is_macro;
use super::{PictureArgs, ReadingArgs, ReportFormat, VerifierFlags};

const VERIFY_EXAMPLES: &str = "\
Examples:
  pmc verify model.pml
  pmc verify model.pml --ltl served           only that formula
  pmc verify model.pml --formula '[] (turn < 2)'
  pmc verify --search dfs --max-time 10m model.pml
  pmc verify --format json model.pml          the report for scripts: schema pmc-report/1
  pmc verify --html run.html model.pml        the counterexample as a page for a browser
  pmc verify a.pml b.pml models/              several models, and one table
  pmc verify -D N=2..6 model.pml              one row for each N
  pmc verify --sweep-capacity c=1..8 m.pml    is the channel c large enough?
  pmc verify --watch model.pml                again whenever it changes
  pmc verify                                  what pmc.toml says: see `pmc help init`
  pmc verify model.pml && echo correct        the exit status is the verdict: see `pmc --help`

A counterexample is written to `model.trail.json` in the current folder, for `pmc replay`. Flags of Spin and pan are
understood where their meaning is clear: -a -f -l -m10000 -E -A -c0 -DNOREDUCE -DBITSTATE -run -bfs, and so on.";

const MANY: &str = "Several models, or one with several numbers";

/// Does every property of the model hold?
///
/// The model is interpreted at once. If that takes longer than a tenth of a
/// second, its verifier is built with cargo meanwhile, and takes over from the
/// beginning when it is ready. Verifiers are kept in a cache (the folder in
/// PMC_CACHE, or `pmc` in the user's cache), so that an unchanged model is not
/// built again. A verifier that was not used for 30 days is removed, and beyond
/// 1 GiB those that were not used for longest.
#[derive(Clone, Debug, Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct VerifyArgs {
    /// Models, and folders of models; `-` reads one from standard input
    ///
    /// Of a folder, every `.pml` file below it that no other one includes. Without any model, what `pmc.toml` says, in
    /// this folder or above.
    #[arg(value_name = "MODEL")]
    pub models: Vec<PathBuf>,

    /// Flags of the verifier can also stand here
    // In front of what has a heading: the help would list it there.
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<std::ffi::OsString>,

    #[command(flatten)]
    pub reading: ReadingArgs,

    /// How the verdict is written, and errors and warnings of the model
    ///
    /// The report goes to standard output and nothing else does. Errors and
    /// warnings of the model go to standard error: with `json` as one JSON object,
    /// else as text.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: ReportFormat,

    /// Check only the formula or claim of this name, or several of them
    #[arg(long, value_name = "NAME")]
    pub ltl: Vec<String>,

    /// What executes the model
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,

    /// So many models at a time (default: the number of cores)
    ///
    /// The cores are shared among them, and so is the memory unless --memory is given.
    #[arg(long, value_name = "N", help_heading = MANY)]
    pub jobs: Option<NonZeroUsize>,

    /// Verify again whenever a model, or a file that it includes, changes
    #[arg(long, help_heading = MANY)]
    pub watch: bool,

    /// One row for each value of a macro, such as N=2..5 or N=1,2,4
    ///
    /// `-D N=2..5` is the same. Several of them make all combinations. Larger values are left out when one meets a limit
    /// of memory, time or states.
    #[arg(long, value_name = "NAME=VALUES", help_heading = MANY, value_parser = Sweep::of_macro)]
    pub sweep: Vec<Sweep>,

    /// Is this channel large enough? One row for each capacity, such as queue=1..8
    ///
    /// It ends at the first capacity that no run fills, which proves that one less is enough: with any larger one there
    /// are the same states and the same verdicts. Every interleaving is explored.
    #[arg(long, value_name = "CHAN=VALUES", help_heading = MANY, conflicts_with_all = ["sweep", "watch"])]
    pub sweep_capacity: Option<Sweep>,

    #[command(flatten)]
    pub pictures: PictureArgs,

    #[command(flatten)]
    pub verifier: VerifierFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The interpreter at once, and the verifier when it is built
    Auto,
    /// pmc itself: nothing is built
    Interpret,
    /// The emitted verifier, which is built with cargo
    Compiled,
}

/// A name, and the numbers that it takes one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    pub name: String,
    pub values: Vec<i32>,
}

/// A table of more rows says nothing to a reader.
const MOST_VALUES: usize = 1000;

impl Sweep {
    fn of_macro(text: &str) -> Result<Self, String> {
        let sweep: Self = text.parse()?;
        is_macro(&sweep.name)?;
        Ok(sweep)
    }

    /// The value of a `-D`, if it is a range: `N=2..5`. Text that is meant as such has spaces in it.
    pub fn in_define(define: &str) -> Option<Result<Self, String>> {
        let (_, value) = define.split_once('=')?;
        let (first, last) = value.split_once("..")?;
        let is_number = |text: &str| text.parse::<i32>().is_ok();
        (is_number(first) && is_number(last)).then(|| Self::of_macro(define))
    }
}

impl FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage = "give a name and numbers, such as N=2..5 or N=1,2,4";
        let (name, values) = text.split_once('=').ok_or(usage)?;
        let number = |text: &str| text.trim().parse::<i32>().map_err(|_| format!("`{text}` is no number: {usage}"));
        let values: Vec<i32> = match values.split_once("..") {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last.strip_prefix('=').unwrap_or(last))?);
                if first > last {
                    return Err(format!("there is no number from {first} to {last}"));
                }
                (first..=last).take(MOST_VALUES + 1).collect()
            }
            None => values.split(',').map(number).collect::<Result<_, _>>()?,
        };
        if name.is_empty() {
            return Err(usage.to_owned());
        }
        if values.len() > MOST_VALUES {
            return Err(format!("these are more than {MOST_VALUES} values"));
        }
        Ok(Self { name: name.to_owned(), values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_a_range_or_a_list() {
        let values = |text: &str| text.parse::<Sweep>().map(|sweep| sweep.values);
        assert_eq!(values("N=2..5"), Ok(vec![2, 3, 4, 5]));
        assert_eq!(values("N=2..=3"), Ok(vec![2, 3]));
        assert_eq!(values("N=7"), Ok(vec![7]));
        assert_eq!(values("N=-1..1"), Ok(vec![-1, 0, 1]));
        assert_eq!(values("N=1,4,2"), Ok(vec![1, 4, 2]));
        for wrong in ["N", "=2..3", "N=", "N=5..2", "N=a..b", "N=1,,2", "N=0..100000"] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
        assert_eq!(values("N=5..2"), Err("there is no number from 5 to 2".to_owned()));
    }

    #[test]
    fn a_define_is_a_sweep_only_with_two_numbers() {
        let names = |define: &str| Sweep::in_define(define).map(|sweep| sweep.map(|sweep| sweep.values.len()));
        assert_eq!(names("N=2..5"), Some(Ok(4)));
        for text in ["N=2", "N", "R=0 .. 5", "R=A..B", "R=x..5", "N=1,2"] {
            assert_eq!(names(text), None, "{text}");
        }
    }
}
