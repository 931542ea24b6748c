//! `pmc verify`: does every property hold?
//!
//! One model is verified in this process (`one`). Several models, or one with several numbers, are [`tasks`](task): each
//! is a process of its own, so that none can spoil the verdict of another, and a signal ends all.

mod capacity;
mod combined;
mod files;
mod many;
mod one;
mod parameters;
mod pool;
mod project;
mod spin;
mod sweep;
mod table;
mod task;
mod watch;

use std::ffi::OsString;

use pmc_runtime::cli::mistake;

pub(super) use files::write_new;

use super::ExitStatus;
use crate::cli::VerifyArgs;
use crate::driver::Error;

pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    let arguments = &sweep::of_defines(arguments)?;
    // Before anything is read or built.
    let words: Vec<String> = flags(arguments).iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(message) = mistake(&words) {
        return Err(Error::Flags { message });
    }
    if arguments.watch { watch::run(arguments) } else { once(arguments) }
}

fn once(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    let is_one = matches!(&arguments.models[..], [model] if !model.is_dir());
    if arguments.pictures.any() && !(is_one && arguments.sweep.is_empty() && arguments.sweep_capacity.is_none()) {
        return Err(Error::OnePicture);
    }
    if let Some(capacities) = &arguments.sweep_capacity {
        return capacity::run(arguments, capacities);
    }
    match &arguments.models[..] {
        _ if !arguments.sweep.is_empty() => sweep::run(arguments),
        [] => project::run(arguments),
        [model] if !model.is_dir() => one::run(arguments, model),
        _ => many::run(arguments),
    }
}

/// The flags for the verifier, but for the format: those of the command line, before and behind `--`.
fn flags(arguments: &VerifyArgs) -> Vec<OsString> {
    // A command of the verifier behind `--` has to stay the first word.
    let behind = arguments.flags.iter().cloned();
    if is_command(arguments) {
        return behind.collect();
    }
    let names = arguments.ltl.iter().map(|name| OsString::from(format!("--ltl={name}")));
    names.chain(arguments.verifier.words.iter().cloned()).chain(behind).collect()
}

/// Whether what stands behind `--` begins with a command of the verifier.
fn is_command(arguments: &VerifyArgs) -> bool {
    arguments.flags.first().is_some_and(|first| !first.as_encoded_bytes().starts_with(b"-"))
}
