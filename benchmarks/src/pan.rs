//! Spin's side: a verifier in C.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::catalogue::Instance;
use crate::question::{Question, Rival};
use crate::usage::{Finished, Usage, run};

/// Spin and a C compiler, if both are there.
#[derive(Debug)]
pub struct Spin {
    spin: PathBuf,
    cc: PathBuf,
}

/// A verifier that Spin and the C compiler made.
#[derive(Debug)]
pub struct Pan {
    folder: PathBuf,
    flags: Vec<String>,
    depth: u64,
    pub build: Usage,
}

/// The figures of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
}

impl Spin {
    pub fn find() -> Option<Spin> {
        Some(Spin { spin: which::which("spin").ok()?, cc: which::which("gcc").ok()? })
    }

    pub fn version(&self) -> Option<String> {
        let said = run(Command::new(&self.spin).arg("-V")).ok()?;
        Some(said.stdout.trim().to_owned())
    }

    pub fn cc_version(&self) -> Option<String> {
        let said = run(Command::new(&self.cc).arg("--version")).ok()?;
        said.stdout.lines().next().map(str::to_owned)
    }

    /// Builds in a folder of its own. The time is that of a build at `-O2`; the program that runs is built at
    /// `-O3 -march=native`.
    pub fn build(&self, instance: &Instance, question: &Question, folder: &Path) -> Result<Pan, String> {
        let Rival::Pan { spin_flags, cc_flags, pan_flags } = question.rival else {
            return Err("pan is not asked this".to_owned());
        };
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let mut spin = Command::new(&self.spin);
        spin.arg("-a").args(spin_flags).args(instance.flags()).arg(instance.path()).current_dir(folder);
        let build = succeed(&mut spin)?.usage;
        let compile = |levels: &str, program: &str| {
            let mut cc = Command::new(&self.cc);
            cc.args(levels.split(' '))
                .args(["-w", "-DMEMLIM=16000", "-DVECTORSZ=4096", "-o", program, "pan.c"])
                .args(cc_flags);
            succeed(cc.current_dir(folder))
        };
        let build = build.then(compile("-O2", "pan-O2")?.usage);
        compile("-O3 -march=native", "pan")?;
        let mut flags: Vec<String> = pan_flags.iter().map(|&flag| flag.to_owned()).collect();
        flags.push(format!("-w{}", table_bits(instance.states, cc_flags)));
        Ok(Pan { folder: folder.to_owned(), flags, depth: instance.depth, build })
    }
}

impl Spin {
    /// Builds a verifier in a folder, with flags of the C compiler, unless there is one that is younger than the model.
    pub fn pan(&self, model: &Path, cc_flags: &[&str], folder: &Path) -> Result<PathBuf, String> {
        let modified = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
        let program = folder.join("pan");
        if let (Some(built), Some(written)) = (modified(&program), modified(model))
            && built > written
        {
            return Ok(program);
        }
        succeed(Command::new(&self.spin).arg("-a").arg(model).current_dir(folder))?;
        let mut cc = Command::new(&self.cc);
        succeed(cc.args(["-w", "-o", "pan", "pan.c"]).args(cc_flags).current_dir(folder))?;
        Ok(program)
    }
}

/// One slot for each state; with bits instead of states, [`bitstate_bytes`].
fn table_bits(states: u64, cc_flags: &[&str]) -> u32 {
    if cc_flags.contains(&"-DBITSTATE") { bitstate_bytes(states).ilog2() + 3 } else { slots(states).ilog2() }
}

fn slots(states: u64) -> u64 {
    states.max(1 << 16).next_power_of_two()
}

/// The memory of pan's bitstate search: 32 bits for each state or more, a power of two.
pub fn bitstate_bytes(states: u64) -> u64 {
    slots(states) * 4
}

impl Pan {
    /// Runs once. If the stack is too small it is enlarged, and the run does not count.
    pub fn run(&mut self) -> Result<(Counts, Usage), String> {
        loop {
            let depth = format!("-m{}", self.depth.max(10_000));
            let finished =
                succeed(Command::new(self.folder.join("pan")).arg(depth).args(&self.flags).current_dir(&self.folder))?;
            if finished.stdout.contains("max search depth too small") && self.depth < 1 << 32 {
                self.depth = self.depth.max(10_000) * 4;
                continue;
            }
            let (counts, errors) = parse(&finished.stdout).ok_or_else(|| beginning(&finished.stdout))?;
            if errors > 0 {
                return Err(format!("pan found {errors} errors: {}", beginning(&finished.stdout)));
            }
            return Ok((counts, finished.usage));
        }
    }
}

fn succeed(command: &mut Command) -> Result<Finished, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let finished = run(command).map_err(|error| format!("{program}: {error}"))?;
    if finished.code == Some(0) {
        Ok(finished)
    } else {
        Err(format!("{program}: {}", beginning(&(finished.stderr + &finished.stdout))))
    }
}

fn beginning(said: &str) -> String {
    said.lines().filter(|line| !line.trim().is_empty()).take(2).collect::<Vec<_>>().join("; ")
}

/// Counts and errors from pan's output. Large numbers are printed as `1.2645068e+07`, with eight digits.
fn parse(said: &str) -> Option<(Counts, u64)> {
    let before = |mark: &str| {
        let line = said.lines().find(|line| line.contains(mark))?;
        let number = line.split_whitespace().next()?.parse::<f64>().ok()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        Some(number.round() as u64)
    };
    let errors = said.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()?;
    Some((Counts { states: before(" states, stored")?, transitions: before(" transitions (= ")? }, errors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_what_pan_prints() {
        let said = "State-vector 20 byte, depth reached 8, errors: 0\n       30 states, stored\n        \
                    7 states, matched\n1.2645068e+07 transitions (= stored+matched)\n";
        assert_eq!(parse(said), Some((Counts { states: 30, transitions: 12_645_068 }, 0)));
        assert_eq!(parse("pan: out of memory"), None);
    }

    #[test]
    fn the_table_has_a_slot_for_each_state() {
        assert_eq!(table_bits(10, &[]), 16);
        assert_eq!(table_bits(1 << 20, &[]), 20);
        assert_eq!(table_bits((1 << 20) + 1, &[]), 21);
        assert_eq!(table_bits(1 << 20, &["-DBITSTATE"]), 25);
        assert_eq!(bitstate_bytes(1 << 20), 1 << 22);
    }
}
