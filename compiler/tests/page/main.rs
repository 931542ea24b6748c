//! The page of a run and the page of `pmc explore`, in a real browser: clicked through, and read as a person reads them.

mod browser;
mod explore;
mod limited;
mod shown;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use limited::Limited;

/// Runs pmc in a folder.
fn pmc(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR").stdin(Stdio::null());
    Limited::run(&mut command)
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file in a temporary folder");
    path
}
