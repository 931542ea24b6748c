//! Commands that serve a shell and a manual.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  pmc completions bash > ~/.local/share/bash-completion/completions/pmc
  pmc completions fish > ~/.config/fish/completions/pmc.fish
  pmc completions zsh > ~/.zfunc/_pmc       with ~/.zfunc in your fpath

In bash, the names of formulas are completed too: `pmc verify model.pml --ltl <TAB>`.";

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    #[arg(value_name = "SHELL", required_unless_present = "claims")]
    pub shell: Option<clap_complete::Shell>,

    /// Print the names of the formulas of the models among these words of a command line: scripts call this
    #[arg(long, hide = true)]
    pub claims: bool,

    #[arg(last = true, hide = true, requires = "claims")]
    pub words: Vec<OsString>,
}

const MAN_EXAMPLES: &str = "\
Examples:
  pmc man | man -l -                          the page of pmc
  pmc man verify | man -l -                   the page of a command
  pmc man -o ~/.local/share/man/man1          all pages, for `man pmc-verify`";

/// Print a page of the manual, or write all of them
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// The command that the page is about; without it, pmc itself
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    pub command: Option<String>,

    /// Write a page for each command to this folder
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
