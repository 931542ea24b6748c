//! Flags of commands that can draw a run.

use std::path::{Path, PathBuf};

use clap::Args;

/// The pictures of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pictures of the run")]
pub struct PictureArgs {
    /// Write a page for a browser: the steps, the messages, the source, the values
    ///
    /// One file that needs no network. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write a sequence chart as SVG, for a document; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Write a sequence diagram for Mermaid, for a document; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub mermaid: Option<PathBuf>,
}

impl PictureArgs {
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.html, &self.svg, &self.mermaid].into_iter().flatten().map(PathBuf::as_path)
    }

    pub fn any(&self) -> bool {
        self.files().next().is_some()
    }

    /// Standard output carries a picture, and nothing else.
    pub fn take_output(&self) -> bool {
        self.files().any(|path| path == Path::new("-"))
    }
}
