//! `pmc man`: the pages of the manual, made from the same texts as `--help`.

use std::fs;

use clap::CommandFactory;
use clap_mangen::Man;

use super::{ExitStatus, print};
use crate::cli::{Cli, ManArgs};
use crate::driver::Error;

pub fn run(arguments: &ManArgs) -> Result<ExitStatus, Error> {
    let pages = pages();
    if let Some(folder) = &arguments.output {
        let failed = |source| Error::Create { path: folder.display().to_string(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        for (name, text) in &pages {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|source| Error::Create { path: path.display().to_string(), source })?;
        }
        return print(&format!("{} pages in {}\n", pages.len(), folder.display())).map(|()| ExitStatus::Fine);
    }
    let wanted = arguments.command.as_ref().map_or("pmc.1".to_owned(), |command| format!("pmc-{command}.1"));
    match pages.iter().find(|(name, _)| *name == wanted) {
        Some((_, text)) => print(text).map(|()| ExitStatus::Fine),
        None => {
            let there_are: Vec<&str> = pages.iter().filter_map(|(name, _)| command_of(name)).collect();
            let message = format!("there is no command `{}`; there are {}", shown(arguments), there_are.join(", "));
            Err(Error::Flags { message })
        }
    }
}

fn shown(arguments: &ManArgs) -> &str {
    arguments.command.as_deref().unwrap_or_default()
}

/// `verify` of `pmc-verify.1`
fn command_of(page: &str) -> Option<&str> {
    page.strip_prefix("pmc-")?.strip_suffix(".1")
}

/// The name of each page, and its text.
fn pages() -> Vec<(String, String)> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let page = |command: clap::Command| {
        let man = Man::new(command);
        let mut text = Vec::new();
        // Nothing can fail that is written to memory.
        let _ = man.render(&mut text);
        (man.get_filename(), String::from_utf8_lossy(&text).into_owned())
    };
    std::iter::once(program.clone()).chain(commands).map(page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page_with_its_flags() {
        let pages = pages();
        let text = |name: &str| &pages.iter().find(|(page, _)| page == name).expect("a page").1;
        for command in Cli::command().get_subcommands() {
            let text = text(&format!("pmc-{}.1", command.get_name()));
            assert!(text.contains(".SH NAME") && text.contains(".SH OPTIONS"), "{text}");
        }
        assert!(text("pmc.1").contains("verify"));
        let verify = text("pmc-verify.1");
        for flag in ["all\\-errors", "store", "Examples"] {
            assert!(verify.contains(flag), "{flag}: {verify}");
        }
    }
}
