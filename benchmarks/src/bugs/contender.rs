//! One tool with its flags on one model.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::pan::Spin;
use crate::usage::{Finished, Usage, run};
use crate::verifier::Pmc;

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Answer {
    Violation(Found),
    /// Every state was visited.
    None,
    /// A limit ended the run, or it could not begin.
    GaveUp(String),
}

/// A violation that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The steps of the run; nothing if the program died of the fault itself, as pan does of a division by zero.
    pub steps: Option<u64>,
}

/// How long a run took, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub processor: f64,
    /// By the clock, until the violation was met.
    pub found: f64,
    /// By the clock, until the program had ended: the run to the violation was made shorter meanwhile.
    pub reported: f64,
}

pub(super) struct Contender {
    pub name: &'static str,
    /// What is run, or why nothing can be.
    program: Result<Prepared, String>,
}

struct Prepared {
    /// What is run: the first of these, or the next one once that has given up.
    commands: Vec<Vec<String>>,
    chosen: Cell<usize>,
    folder: PathBuf,
    /// The answer, and the seconds from the violation to the report.
    read: fn(&Finished, u32) -> (Answer, f64),
    seconds: u32,
}

/// The memory of each run, in megabytes.
const MEGABYTES: u32 = 2_000;

/// The depths of pan's search: its default, and where it finds nothing within that a larger one.
const DEPTHS: [u32; 2] = [10_000, 1_000_000];

/// Flags of every run of pmc: what a user gets who gives none, and limits.
fn limits(seconds: u32) -> Vec<String> {
    let limits = format!("--safety --no-progress --format json --memory {MEGABYTES}M --max-time {seconds}s");
    limits.split(' ').map(str::to_owned).collect()
}

impl Contender {
    pub fn interpreted(
        pmc: &Pmc,
        path: &Path,
        defines: &[String],
        flags: &[&str],
        folder: &Path,
        seconds: u32,
    ) -> Contender {
        let program = make(folder).map(|()| {
            let mut words =
                vec![text(pmc.program()), "verify".to_owned(), "--engine".to_owned(), "interpret".to_owned()];
            words.extend(defines.iter().cloned());
            words.extend([text(path), "--".to_owned()]);
            words.extend(flags.iter().map(ToString::to_string).chain(limits(seconds)));
            Prepared::new(vec![words], folder, read_report, seconds)
        });
        Contender { name: "interpreted", program }
    }

    pub fn compiled(
        pmc: &Pmc,
        path: &Path,
        defines: &[String],
        flags: &[&str],
        folder: &Path,
        seconds: u32,
    ) -> Contender {
        let program = make(folder).and_then(|()| pmc.verifier(path, defines)).map(|verifier| {
            let flags = flags.iter().map(ToString::to_string).chain(limits(seconds));
            let words = std::iter::once(text(&verifier)).chain(flags).collect();
            Prepared::new(vec![words], folder, read_report, seconds)
        });
        Contender { name: "compiled", program }
    }

    /// pan's default, its search for a shorter run, and its breadth-first search.
    pub fn pans(spin: &Spin, path: &Path, folder: &Path, seconds: u32) -> Vec<Contender> {
        let kinds = [("pan", "", ""), ("pan -i", "-DREACH", "-i"), ("pan -DBFS", "-DBFS", "")];
        let build = |(n, (name, cc_flag, pan_flag)): (usize, (&'static str, &str, &str))| {
            let folder = folder.join(format!("pan-{n}"));
            let memory = format!("-DMEMLIM={MEGABYTES}");
            let cc_flags: Vec<&str> = ["-O3", "-DSAFETY", "-DNOCLAIM", &memory, cc_flag]
                .into_iter()
                .filter(|flag| !flag.is_empty())
                .collect();
            let program = make(&folder).and_then(|()| spin.pan(path, &cc_flags, &folder)).map(|pan| {
                // The shell sets the limit of processor time.
                let command = |depth| {
                    let script = format!("ulimit -t {seconds}; exec \"$0\" -m{depth} {pan_flag}");
                    vec!["sh".to_owned(), "-c".to_owned(), script, text(&pan)]
                };
                Prepared::new(DEPTHS.map(command).into(), &folder, read_pan, seconds)
            });
            Contender { name, program }
        };
        kinds.into_iter().enumerate().map(build).collect()
    }

    pub fn named(self, name: &'static str) -> Contender {
        Contender { name, ..self }
    }

    pub fn run(&self) -> (Answer, Times) {
        let prepared = match &self.program {
            Ok(prepared) => prepared,
            Err(why) => return (Answer::GaveUp(why.clone()), Times::default()),
        };
        loop {
            let (answer, times) = prepared.run();
            let next = prepared.chosen.get() + 1;
            if !matches!(answer, Answer::GaveUp(_)) || next == prepared.commands.len() {
                return (answer, times);
            }
            prepared.chosen.set(next);
        }
    }
}

impl Prepared {
    fn new(
        commands: Vec<Vec<String>>,
        folder: &Path,
        read: fn(&Finished, u32) -> (Answer, f64),
        seconds: u32,
    ) -> Prepared {
        Prepared { commands, chosen: Cell::new(0), folder: folder.to_owned(), read, seconds }
    }

    fn run(&self) -> (Answer, Times) {
        let words = &self.commands[self.chosen.get()];
        match run(Command::new(&words[0]).args(&words[1..]).current_dir(&self.folder)) {
            Ok(finished) => {
                let (answer, shortening) = (self.read)(&finished, self.seconds);
                let Usage { wall, .. } = finished.usage;
                (answer, Times { processor: finished.usage.cpu(), found: wall - shortening, reported: wall })
            }
            Err(error) => (Answer::GaveUp(error.to_string()), Times::default()),
        }
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())
}

/// What a report of pmc says.
fn read_report(finished: &Finished, _: u32) -> (Answer, f64) {
    let Ok(report) = serde_json::from_str::<serde_json::Value>(&finished.stdout) else {
        return (Answer::GaveUp(finished.stderr.lines().next().unwrap_or("no report").to_owned()), 0.0);
    };
    let property = &report["properties"][0];
    let seconds = |key: &str| property["search"][key].as_f64();
    let shortening = seconds("seconds").zip(seconds("found_seconds")).map_or(0.0, |(end, found)| end - found);
    let answer = match report["verdict"].as_str() {
        Some("violated") => Answer::Violation(Found { steps: property["violation"]["steps"].as_u64() }),
        Some("verified") => Answer::None,
        _ => Answer::GaveUp(property["search"]["stopped_by"].as_str().unwrap_or("no verdict").to_owned()),
    };
    (answer, shortening)
}

/// What pan says: of several runs the shortest, with the step into the violation.
fn read_pan(finished: &Finished, seconds: u32) -> (Answer, f64) {
    (pans_answer(finished, seconds), 0.0)
}

fn pans_answer(finished: &Finished, seconds: u32) -> Answer {
    let found = finished.stdout.lines().filter(|line| line.starts_with("pan:") && line.contains("(at depth "));
    let depth = |line: &str| line.split("(at depth ").nth(1)?.trim_end_matches(')').trim().parse::<u64>().ok();
    if let Some(depth) = found.filter_map(depth).min() {
        return Answer::Violation(Found { steps: Some(depth + 1) });
    }
    let is_cut = finished.stdout.contains("max search depth too small") || finished.stdout.contains("out of memory");
    match finished.code {
        // A fault of the model is one of the program: no report, and no run.
        None if finished.usage.cpu() < f64::from(seconds) - 0.5 => Answer::Violation(Found { steps: None }),
        None => Answer::GaveUp(format!("{seconds} s")),
        Some(_) if is_cut => Answer::GaveUp("depth or memory".to_owned()),
        Some(_) if finished.stdout.contains("errors: 0") => Answer::None,
        Some(code) => Answer::GaveUp(format!("exit code {code}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Usage;

    fn finished(code: Option<i32>, stdout: &str) -> Finished {
        Finished { code, stdout: stdout.to_owned(), stderr: String::new(), usage: Usage::default() }
    }

    #[test]
    fn what_pan_says_is_understood() {
        let said = "pan:1: assertion violated (x) (at depth 90)\npan:2: invalid end state (at depth 41)\nerrors: 2";
        assert_eq!(pans_answer(&finished(Some(0), said), 20), Answer::Violation(Found { steps: Some(42) }));
        assert_eq!(pans_answer(&finished(Some(0), "State-vector 20 byte, errors: 0\n"), 20), Answer::None);
        let cut = "error: max search depth too small\nerrors: 0\n";
        assert_eq!(pans_answer(&finished(Some(0), cut), 20), Answer::GaveUp("depth or memory".to_owned()));
        assert_eq!(pans_answer(&finished(None, ""), 20), Answer::Violation(Found { steps: None }));
        let mut killed = finished(None, "");
        killed.usage.user = 20.0;
        assert_eq!(pans_answer(&killed, 20), Answer::GaveUp("20 s".to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn what_gave_up_is_tried_another_way() {
        let command = |text: &str| vec!["echo".to_owned(), text.to_owned()];
        let commands = vec![command("max search depth too small"), command("errors: 0"), command("errors: 1")];
        let program = Ok(Prepared::new(commands, Path::new("."), read_pan, 20));
        let contender = Contender { name: "pan", program };
        assert_eq!([contender.run().0, contender.run().0], [Answer::None, Answer::None]);
    }

    #[test]
    fn what_a_report_says_is_understood() {
        let report = |verdict: &str| {
            let search = r#"{"stopped_by": "limit of 20.0 s reached", "seconds": 2.0, "found_seconds": 0.5}"#;
            let text = format!(
                r#"{{"verdict": "{verdict}", "properties": [{{"violation": {{"steps": 7}}, "search": {search}}}]}}"#
            );
            let (answer, shortening) = read_report(&finished(Some(0), &text), 20);
            assert!((shortening - 1.5).abs() < 1e-9, "{shortening}");
            answer
        };
        assert_eq!(report("violated"), Answer::Violation(Found { steps: Some(7) }));
        assert_eq!(report("verified"), Answer::None);
        assert_eq!(report("incomplete"), Answer::GaveUp("limit of 20.0 s reached".to_owned()));
        assert!(matches!(read_report(&finished(Some(2), ""), 20), (Answer::GaveUp(_), _)));
    }
}
