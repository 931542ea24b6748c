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

pub fn run(arguments: &InitArgs) -> Result<ExitStatus, Error> {
    let folder = arguments.folder.as_deref().unwrap_or(Path::new(""));
    for (name, about, text) in FILES {
        let path = folder.join(name);
        let done = match arguments.list {
            true => about,
            false if write_new(&path, text)? => about,
            false => "is there already, and stays as it is",
        };
        print(&format!("{:31} {done}\n", path.display().to_string()))?;
    }
    if !arguments.list {
        let at = if folder == Path::new("") { String::new() } else { format!(" in {}", folder.display()) };
        print(&format!("`pmc verify`{at} checks all of it\n"))?;
    }
    Ok(ExitStatus::Fine)
}
