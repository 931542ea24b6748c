//! Runs Spin on a model, where it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::directives::complains;

/// The figures that pan prints at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub errors: u64,
    /// Nothing if it was not recorded.
    pub depth: Option<u64>,
}

/// Why there are no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigures {
    /// Spin, the C compiler or pan refused the model; the first lines of its message.
    Refused(String),
    /// The search ran into pan's depth limit.
    TooDeep,
    /// The search exceeded its time limit.
    TooSlow,
    /// The search exceeded its memory limit.
    TooLarge,
}

/// Whether `spin` and a C compiler can be called.
pub fn is_installed() -> bool {
    let answers = |program: &str, flag: &str| {
        Command::new(program).arg(flag).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    answers("spin", "-V") && answers("gcc", "--version")
}

/// Spin's whole state space without reductions, with all errors: the figures
/// that can be reproduced to the last digit.
pub fn exact_figures(model: &str) -> Result<Figures, NoFigures> {
    let folder = tempfile::tempdir().map_err(|error| NoFigures::Refused(error.to_string()))?;
    let path = folder.path().join("model.pml");
    std::fs::write(&path, model).map_err(|error| NoFigures::Refused(error.to_string()))?;
    exact_figures_of_file(&path, folder.path())
}

/// The same for a model on the disk; Spin writes its files to `folder`.
pub fn exact_figures_of_file(model: &Path, folder: &Path) -> Result<Figures, NoFigures> {
    figures_of_file(model, folder, "-a -o1 -o2 -o3", "-DSAFETY -DNOREDUCE -DNOCLAIM", "-c0 -m100000")
}

/// The same with Spin's reduction.
pub fn reduced_figures_of_file(model: &Path, folder: &Path) -> Result<Figures, NoFigures> {
    figures_of_file(model, folder, "-a -o1 -o2 -o3", "-DSAFETY -DNOCLAIM", "-c0 -m100000")
}

/// The figures of [`exact_figures_of_file`] for a model that may be large: pan is optimised, and killed after so many
/// seconds of processor time, which does not depend on the load of the machine.
pub fn exact_figures_within(model: &Path, folder: &Path, seconds: u32) -> Result<Figures, NoFigures> {
    figures_within(model, folder, "-DNOREDUCE", seconds)
}

/// The same with Spin's reduction.
pub fn reduced_figures_within(model: &Path, folder: &Path, seconds: u32) -> Result<Figures, NoFigures> {
    figures_within(model, folder, "", seconds)
}

fn figures_within(model: &Path, folder: &Path, reduction: &str, seconds: u32) -> Result<Figures, NoFigures> {
    let cc_flags = format!("-O2 -DSAFETY -DNOCLAIM -DMEMLIM=8000 -DVECTORSZ=65536 {reduction}");
    build(model, folder, "-a -o1 -o2 -o3", &cc_flags)?;
    let limited = format!("ulimit -t {seconds}; exec ./pan -c0 -m2000000 -w24");
    let mut pan = Command::new("sh");
    pan.args(["-c", &limited]).current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null());
    let output = pan.output().map_err(|error| NoFigures::Refused(error.to_string()))?;
    match output.status.code() {
        Some(_) => read(&String::from_utf8_lossy(&output.stdout)),
        // It was killed.
        None => Err(NoFigures::TooSlow),
    }
}

/// Spin's figures for a model with given flags, as in `expected.csv`.
pub fn figures_of_file(
    model: &Path,
    folder: &Path,
    spin_flags: &str,
    cc_flags: &str,
    pan_flags: &str,
) -> Result<Figures, NoFigures> {
    build(model, folder, spin_flags, cc_flags)?;
    ask(folder, pan_flags)
}

/// Makes a verifier in a folder, for [`ask`].
pub fn build(model: &Path, folder: &Path, spin_flags: &str, cc_flags: &str) -> Result<(), NoFigures> {
    let generated = run(folder, Command::new("spin").args(spin_flags.split_whitespace()).arg(model));
    // Some errors are only messages and an exit status: Spin still writes a verifier for what it understood.
    let text = std::fs::read(model).map_err(|error| NoFigures::Refused(error.to_string()))?;
    if !complains(&String::from_utf8_lossy(&text)) {
        generated?;
    }
    if !folder.join("pan.c").exists() {
        return Err(NoFigures::Refused("spin wrote no pan.c".to_owned()));
    }
    let cc_flags = ["-O0", "-w", "-o", "pan", "pan.c"].into_iter().chain(cc_flags.split_whitespace());
    run(folder, Command::new("gcc").args(cc_flags))?;
    Ok(())
}

/// Runs the verifier that was built in a folder.
pub fn ask(folder: &Path, pan_flags: &str) -> Result<Figures, NoFigures> {
    read(&run(folder, Command::new(folder.join("pan")).args(pan_flags.split_whitespace()))?)
}

/// The output of pan.
fn read(said: &str) -> Result<Figures, NoFigures> {
    if said.contains("max search depth too small") {
        return Err(NoFigures::TooDeep);
    }
    // It has figures all the same, for the states that it visited.
    if said.contains("pan: reached -DMEMLIM bound") || said.contains("pan: out of memory") {
        return Err(NoFigures::TooLarge);
    }
    figures(said).ok_or_else(|| NoFigures::Refused(beginning(said)))
}

fn run(folder: &Path, command: &mut Command) -> Result<String, NoFigures> {
    let output = command.current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let output = output.map_err(|error| NoFigures::Refused(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(said) } else { Err(NoFigures::Refused(beginning(&said))) }
}

fn beginning(said: &str) -> String {
    said.lines().filter(|line| !line.trim().is_empty()).take(3).collect::<Vec<_>>().join("; ")
}

fn figures(said: &str) -> Option<Figures> {
    let before = |mark: &str| {
        let line = said.lines().find(|line| line.contains(mark))?;
        // Large numbers are printed as 1.2e+06.
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let errors = said.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()?;
    let depth = said.split("depth reached ").nth(1)?.split(',').next()?.parse().ok();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are positive and small")]
    let whole = |number: f64| number as u64;
    let (states, transitions) = (whole(before(" states, stored")?), whole(before(" transitions (= ")?));
    Some(Figures { states, transitions, errors, depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_pan_prints() {
        let said = "State-vector 20 byte, depth reached 8, errors: 2\n       30 states, stored\n        7 states, matched\n       37 transitions (= stored+matched)\n";
        assert_eq!(figures(said), Some(Figures { states: 30, transitions: 37, errors: 2, depth: Some(8) }));
        assert_eq!(figures("pan: out of memory"), None);
        assert!(matches!(read(&format!("pan: reached -DMEMLIM bound\n{said}")), Err(NoFigures::TooLarge)));
    }
}
