//! `pmc check`: the front end only.

use super::{ExitStatus, print, report};
use crate::cli::{CheckArgs, Format};
use crate::diagnostic::json::to_json;
use crate::diagnostic::render::summary;
use crate::driver::{Error, Session};

pub fn run(arguments: &CheckArgs) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let model = session.check();
    match arguments.messages.format {
        // Here the diagnostics are the result.
        Format::Json => print(&(to_json(&session.sources, &session.diagnostics) + "\n"))?,
        Format::Human => {
            report(&session, Format::Human, arguments.model.color)?;
            if session.diagnostics.sorted().is_empty() {
                print(&format!("{}: {}\n", session.name(), summary(&session.diagnostics)))?;
            }
        }
    }
    Ok(if model.is_ok() { ExitStatus::Fine } else { ExitStatus::Wrong })
}
