//! `pmc init`: the files of a new project.

use std::path::Path;

use super::verify::write_new;
use super::{ExitStatus, print};
use crate::cli::InitArgs;
use crate::driver::Error;

/// Each file with what it is for.
const FILES: [(&str, &str, &str); 5] = [
    (
        "pmc.toml",
        "the models, and the verdicts that are expected",
        include_str!("../../embedded/templates/init/pmc.toml"),
    ),
    ("models/lock.pml", "a small model to begin with", include_str!("../../embedded/templates/init/lock.pml")),
    (".gitignore", "leaves out counterexamples", include_str!("../../embedded/templates/init/gitignore")),
    (".github/workflows/models.yml", "verifies on GitHub", include_str!("../../embedded/templates/init/github.yml")),
    (".gitlab-ci.yml", "verifies on GitLab", include_str!("../../embedded/templates/init/gitlab.yml")),
];

/// What a workflow must be told: on crates.io, another program has the name of pmc.
const ADDRESS: &str = "PMC_REPOSITORY";

pub fn run(arguments: &InitArgs) -> Result<ExitStatus, Error> {
    let folder = arguments.folder.as_deref().unwrap_or(Path::new(""));
    let mut is_to_be_filled_in = false;
    for (name, about, text) in FILES {
        let path = folder.join(name);
        let is_written = !arguments.list && write_new(&path, text)?;
        let done = match arguments.list || is_written {
            true => about,
            false => "is there already, and stays as it is",
        };
        is_to_be_filled_in |= is_written && text.contains(ADDRESS);
        print(&format!("{:31} {done}\n", path.display().to_string()))?;
    }
    if !arguments.list {
        let at = if folder == Path::new("") { String::new() } else { format!(" in {}", folder.display()) };
        print(&format!("`pmc verify`{at} checks all of it\n"))?;
    }
    if is_to_be_filled_in {
        print(&format!("For the workflows, fill in `{ADDRESS}`: where they install pmc from\n"))?;
    }
    Ok(ExitStatus::Fine)
}
