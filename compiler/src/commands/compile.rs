//! `pmc compile`: the verifier as a crate.

use std::io::{self, Write};
use std::path::Path;

use pmc_runtime::report::quoted;

use super::{ExitStatus, print, report};
use crate::cli::CompileArgs;
use crate::driver::{Error, Session};
use crate::package::{Package, Runtime};

pub fn run(arguments: &CompileArgs) -> Result<ExitStatus, Error> {
    let mut session = Session::open(&arguments.model.path, &arguments.model.options())?;
    let generated = session.generate();
    report(&session, arguments.messages.format, arguments.model.color)?;
    let Ok(generated) = generated else { return Ok(ExitStatus::Wrong) };
    let package = Package::new(generated, &Runtime::Inside);
    let dir = arguments.output.as_deref().unwrap_or(Path::new("."));
    if arguments.check {
        let differences = package.differences(dir);
        for path in &differences {
            let _ = writeln!(io::stderr(), "`{path}` is not what would be written");
        }
        return Ok(if differences.is_empty() { ExitStatus::Fine } else { ExitStatus::Violated });
    }
    package.write(dir)?;
    let next = match &arguments.output {
        None => "cargo run --release".to_owned(),
        Some(dir) => {
            let manifest = dir.join("Cargo.toml").display().to_string();
            format!("cargo run --release --manifest-path {}", quoted(&manifest))
        }
    };
    print(&format!("wrote the verifier of {}; run it with `{next}`\n", arguments.model.path.display()))?;
    Ok(ExitStatus::Fine)
}
