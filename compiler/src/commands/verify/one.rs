//! One model, in this process.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pmc_runtime::report::quoted;

use super::{flags, is_command, parameters, spin};
use crate::cli::{Color, ModelArgs, Optimize, PictureArgs, ReportFormat, VerifyArgs};
use crate::commands::{ExitStatus, engine, pictures, source_folder};
use crate::driver::{Error, Simplification};

pub fn run(arguments: &VerifyArgs, path: &Path) -> Result<ExitStatus, Error> {
    let mut model = ModelArgs { path: path.to_owned(), reading: arguments.reading.clone() };
    let mut flags = flags(arguments);
    if arguments.pictures.take_output() {
        return Err(Error::OutputTaken);
    }
    if arguments.pictures.any() && model.path == Path::new("-") {
        return Err(Error::ReadTwice);
    }
    let is_check = !is_command(arguments);
    if is_check {
        flags.extend(spin::take_macros(&mut model)?);
    }
    if flags.iter().any(is_goal) {
        // A goal may be a place that a merged step would pass, so that no state shows it: then nothing is merged.
        model.reading.optimize.push(Optimize::Without(Simplification::Merge));
    }
    // In front, so that a format behind `--` wins.
    let is_given = is_check && arguments.format != ReportFormat::Human;
    let format = is_given.then(|| OsString::from(format!("--format={}", arguments.format.name())));
    let replay = is_check.then(|| OsString::from(format!("--replay-command={}", replay_command(&model))));
    let parameters = if is_check { parameters::of(&model) } else { None };
    let parameters = parameters.map(|text| OsString::from(format!("--parameters={text}")));
    let folder = if is_check { source_folder(&model.path) } else { None };
    let color = match model.reading.color {
        Color::Auto => None,
        Color::Always => Some(OsString::from("--color=always")),
        Color::Never => Some(OsString::from("--color=never")),
    };
    let color = color.filter(|_| is_check);
    let own = replay.into_iter().chain(folder).chain(parameters).chain(format).chain(color);
    let trail = trail(&flags);
    let status = engine::run(arguments.engine, &model, arguments.format, own.chain(flags))?;
    if is_check && arguments.pictures.any() {
        draw(&model, trail.as_deref(), &arguments.pictures, status);
    }
    Ok(status)
}

/// Draws the first counterexample. The verdict stays, even if that fails.
fn draw(model: &ModelArgs, trail: Option<&Path>, drawn: &PictureArgs, status: ExitStatus) {
    let said = match status {
        ExitStatus::Violated => {
            pictures::write(model, trail, drawn).err().map(|error| match std::error::Error::source(&error) {
                Some(cause) => format!("error: {error}: {cause}"),
                None => format!("error: {error}"),
            })
        }
        ExitStatus::Fine | ExitStatus::Incomplete => Some("note: there is no counterexample to draw".to_owned()),
        ExitStatus::Wrong | ExitStatus::Internal => None,
    };
    if let Some(said) = said {
        let _ = writeln!(io::stderr(), "{said}");
    }
}

/// The trail that a flag of the verifier names.
fn trail(flags: &[OsString]) -> Option<PathBuf> {
    let mut named = None;
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let text = flag.to_string_lossy();
        if text == "--trail" {
            named = flags.next().map(PathBuf::from);
        } else if let Some(path) = text.strip_prefix("--trail=") {
            named = Some(PathBuf::from(path));
        }
    }
    named
}

fn is_goal(flag: &OsString) -> bool {
    let name = flag.to_str().map(|flag| flag.split_once('=').map_or(flag, |(name, _)| name));
    matches!(name, Some("--towards" | "--goal"))
}

/// The command that replays a trail of this model, which belongs to it only with the same options.
fn replay_command(model: &ModelArgs) -> String {
    let mut words = vec!["pmc".to_owned(), "replay".to_owned()];
    words.extend(model.given().iter().map(|word| quoted(&word.to_string_lossy())));
    words.join(" ")
}
