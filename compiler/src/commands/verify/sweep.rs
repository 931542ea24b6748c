//! One model with several numbers: a row for each.

use std::path::{Path, PathBuf};

use super::many::{Show, common_flags};
use super::pool::{self, jobs, shares};
use super::spin;
use super::task::{Setting, Task};
use crate::cli::{ModelArgs, ReportFormat, Sweep, VerifyArgs};
use crate::commands::{ExitStatus, print};
use crate::driver::Error;

/// Takes macros whose value is a range, `-D N=2..5`, for sweeps.
pub fn of_defines(arguments: &VerifyArgs) -> Result<VerifyArgs, Error> {
    let mut arguments = arguments.clone();
    let mut kept = Vec::new();
    for define in std::mem::take(&mut arguments.reading.define) {
        match Sweep::in_define(&define) {
            Some(Ok(sweep)) => arguments.sweep.push(sweep),
            Some(Err(message)) => return Err(Error::Flags { message }),
            None => kept.push(define),
        }
    }
    arguments.reading.define = kept;
    Ok(arguments)
}

/// So many rows that are left out are named.
const MOST_NAMED: usize = 4;

pub fn run(arguments: &VerifyArgs) -> Result<ExitStatus, Error> {
    let model = one_model(arguments, "a sweep")?;
    for sweep in &arguments.sweep {
        check_mentioned(arguments, model, &sweep.name)?;
    }
    let flags = common_flags(arguments)?;
    let columns = columns(&arguments.sweep);
    let tasks: Vec<Vec<Task>> =
        columns.iter().map(|rows| rows.iter().map(|values| task(arguments, model, &flags, values)).collect()).collect();
    // One after the other without `--jobs`: each has the whole machine, and the first that is too large ends the sweep.
    let n_jobs = arguments.jobs.map_or(1, |asked| jobs(Some(asked), columns.iter().map(Vec::len).max().unwrap_or(1)));
    let setting =
        Setting { folder: None, engine: arguments.engine, format: arguments.format, shares: shares(n_jobs, &flags) };
    let names: Vec<&str> = arguments.sweep.iter().map(|sweep| sweep.name.as_str()).collect();
    let all: Vec<Task> = tasks.concat();
    let mut show = Show::new(arguments, &names.join(" "), &all);
    let mut notes = Vec::new();
    for column in &tasks {
        let (mut n_taken, mut is_full) = (0, false);
        let was_signalled = pool::run(column, &setting, n_jobs, &mut |task, outcome| {
            n_taken += 1;
            is_full = outcome.met_a_limit();
            show.take(task, outcome, None) && !is_full
        });
        if was_signalled {
            break;
        }
        let left: Vec<&str> = column[n_taken..].iter().map(|task| task.title.as_str()).collect();
        if let (true, Some(last)) = (is_full && !left.is_empty(), column.get(n_taken - 1)) {
            let left = match &left[..] {
                [first, .., end] if left.len() > MOST_NAMED => format!("{first} ... {end} ({} rows)", left.len()),
                _ => left.join(", "),
            };
            notes.push(format!("{} met a limit, so these were not tried: {left}", last.title));
        }
    }
    if arguments.format == ReportFormat::Human {
        if let ([_], Some(change)) = (&arguments.sweep[..], change(&show)) {
            notes.push(change);
        }
        for note in notes {
            print(&format!("{note}\n"))?;
        }
    }
    show.end("row")
}

/// The model of a question that is about one.
pub fn one_model<'a>(arguments: &'a VerifyArgs, what: &str) -> Result<&'a Path, Error> {
    match &arguments.models[..] {
        [model] if model == Path::new("-") => {
            Err(Error::Flags { message: format!("{what} reads the model again and again: put it in a file") })
        }
        [model] if !model.is_dir() => Ok(model),
        _ => Err(Error::Flags { message: format!("{what} is about one model: name its file") }),
    }
}

/// A macro that the model does not mention is misspelt, and a table of equal rows would hide that.
fn check_mentioned(arguments: &VerifyArgs, model: &Path, name: &str) -> Result<(), Error> {
    let model = ModelArgs { path: model.to_owned(), reading: arguments.reading.clone() };
    if spin::texts(&model)?.iter().any(|text| spin::mentions(text, name)) {
        return Ok(());
    }
    Err(Error::Flags { message: format!("`{}` does not mention the macro `{name}`", model.path.display()) })
}

/// All combinations of values, by columns: in each, only the last name has different values.
fn columns(sweeps: &[Sweep]) -> Vec<Vec<Vec<(String, i32)>>> {
    let Some((last, others)) = sweeps.split_last() else { return Vec::new() };
    let mut heads: Vec<Vec<(String, i32)>> = vec![Vec::new()];
    for sweep in others {
        heads = heads
            .iter()
            .flat_map(|head| sweep.values.iter().map(|value| [&head[..], &[(sweep.name.clone(), *value)]].concat()))
            .collect();
    }
    let column = |head: &Vec<(String, i32)>| {
        last.values.iter().map(|value| [&head[..], &[(last.name.clone(), *value)]].concat()).collect()
    };
    heads.iter().map(column).collect()
}

fn task(arguments: &VerifyArgs, model: &Path, flags: &[std::ffi::OsString], values: &[(String, i32)]) -> Task {
    let mut reading = arguments.reading.words();
    for (name, value) in values {
        reading.push(format!("-D{name}={value}").into());
    }
    let title: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let stem = model.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Task {
        trail: PathBuf::from(format!("{stem}.{}.trail.json", title.join("."))),
        title: title.join(" "),
        model: model.to_owned(),
        reading,
        flags: flags.to_vec(),
        values: values.to_vec(),
    }
}

/// Where the verdict changes from row to row. A row that met a limit has none.
pub fn change(show: &Show) -> Option<String> {
    let has_verdict = |status: ExitStatus| matches!(status, ExitStatus::Fine | ExitStatus::Violated);
    let mut decided = show.entries().iter().filter(|entry| has_verdict(entry.outcome.status));
    let first = decided.next()?.outcome.verdict();
    let at = decided.find(|entry| entry.outcome.verdict() != first)?;
    Some(format!("the verdict changes at {}", at.task.title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_makes_the_columns() {
        let sweeps: Vec<Sweep> = ["A=1,2", "B=3..4"].iter().map(|text| text.parse().expect("a sweep")).collect();
        let shown = |values: &Vec<(String, i32)>| {
            values.iter().map(|(name, value)| format!("{name}{value}")).collect::<Vec<_>>().concat()
        };
        let all: Vec<Vec<String>> = columns(&sweeps).iter().map(|rows| rows.iter().map(shown).collect()).collect();
        assert_eq!(all, [["A1B3", "A1B4"], ["A2B3", "A2B4"]]);
    }
}
