//! `pmc expand`: the model without macros, includes and inlines, and with `--spin` without timers.

use super::{ExitStatus, print, report};
use crate::cli::ExpandArgs;
use crate::driver::{Error, Session};
use crate::syntax;

pub fn run(arguments: &ExpandArgs) -> Result<ExitStatus, Error> {
    if arguments.spin && arguments.model.reading.is_time_abstract() {
        let message = "--spin writes a clock, with which timers run exactly: leave --timers abstract out".to_owned();
        return Err(Error::Flags { message });
    }
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let file = if arguments.spin { session.parse_for_spin() } else { session.parse() };
    report(&session, arguments.messages.format, arguments.model.color)?;
    match file {
        Ok(file) => print(&syntax::print::file(&file)).map(|()| ExitStatus::Fine),
        Err(_) => Ok(ExitStatus::Wrong),
    }
}
