//! `pmc lsp`.

use clap::Args;

use super::ReadingArgs;

const LSP_EXAMPLES: &str = "\
Examples:
  pmc lsp                                     what an editor starts
  pmc lsp -D N=3 -A unused-variable           all models with this macro, without that warning
  pmc lsp --max-time 10 --memory 500          small verifications only

The guide tells how editors are set up: docs/guide/editors.md.";

/// Serve an editor: the Language Server Protocol over standard input and output
///
/// Shows errors and warnings while you type, explains names, finds and renames
/// them, and verifies a property with a click on the line above it. An editor
/// starts this command; there is nothing to type.
#[derive(Debug, Args)]
#[command(after_help = LSP_EXAMPLES)]
pub struct LspArgs {
    #[command(flatten)]
    pub reading: ReadingArgs,

    /// End a verification after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub max_time: u64,

    /// End a verification that needs more memory, in MiB
    #[arg(long, value_name = "SIZE", default_value_t = 1024)]
    pub memory: u64,

    /// Accepted because many editors give it: there is no other way to talk
    #[arg(long)]
    pub stdio: bool,
}
