//! A run as a document of schema `pmc-run/1`.

use pmc_runtime::explore::Explorer;
use pmc_runtime::json::Json;
use pmc_runtime::trail::Trail;

use crate::driver::Error;

/// The most steps of a run that is drawn.
const LONGEST: usize = 100_000;

/// The run with what each step changes: what a page follows.
pub fn document(explorer: &Explorer<'_>, trail: &Trail) -> Result<Json, Error> {
    let n = trail.n_steps();
    if n > LONGEST {
        let message = format!("the run has {n} steps, and pictures are drawn of at most {LONGEST}");
        return Err(Error::Trail { message });
    }
    told(explorer, trail, false)
}

/// The run with the state behind each step.
pub fn with_states(explorer: &Explorer<'_>, trail: &Trail) -> Result<Json, Error> {
    told(explorer, trail, true)
}

fn told(explorer: &Explorer<'_>, trail: &Trail, with_states: bool) -> Result<Json, Error> {
    let run = explorer.run(trail, with_states).map_err(|message| Error::Trail { message })?;
    Ok(run.to_json())
}
