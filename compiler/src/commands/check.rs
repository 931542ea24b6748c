//! `pmc check`: the front end only.

use super::{ExitStatus, junit, print, report, sarif};
use crate::cli::{CheckArgs, CheckFormat, Format};
use crate::diagnostic::json::to_json;
use crate::diagnostic::render::summary;
use crate::driver::{Error, Session};

pub fn run(arguments: &CheckArgs) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let model = session.check();
    match arguments.format {
        // Here the diagnostics are the result.
        CheckFormat::Sarif => print(&sarif(&session))?,
        CheckFormat::Junit => print(&junit(&session))?,
        CheckFormat::Json => print(&(to_json(&session.sources, &session.diagnostics) + "\n"))?,
        CheckFormat::Human => {
            report(&session, Format::Human, arguments.model.color)?;
            if session.diagnostics.sorted().is_empty() {
                print(&format!("{}: {}\n", session.name(), summary(&session.diagnostics)))?;
            }
        }
    }
    Ok(if model.is_ok() { ExitStatus::Fine } else { ExitStatus::Wrong })
}
