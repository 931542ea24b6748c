//! What a person needs to understand a report that is no proof: the report as text, and files that show its runs.

use std::fmt;
use std::path::{Path, PathBuf};

/// A report as text, and files beside it.
///
/// The files are written where a test fails, and not before: a report that a program only reads leaves nothing behind.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The report, with the runs in words and values.
    pub text: String,
    /// What [`write`](Explanation::write) writes.
    pub files: Vec<Attachment>,
}

/// A file that is not written yet.
#[derive(Clone)]
pub struct Attachment {
    /// Where it goes.
    pub path: PathBuf,
    /// What it contains.
    pub text: String,
    /// What it is, if [`Explanation::text`] does not name it.
    pub about: Option<&'static str>,
}

/// Without the text, which is long.
impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment").field("path", &self.path).field("about", &self.about).finish_non_exhaustive()
    }
}

impl Explanation {
    /// Writes the files. Returns the text, with the names of those that it does not name, and what could not be written.
    pub fn write(&self) -> String {
        let mut text = self.text.trim_end().to_owned();
        for file in &self.files {
            let shown = file.path.display();
            let line = match (file.write(), file.about) {
                (Err(error), _) => format!("cannot write `{shown}`: {error}"),
                (Ok(()), Some(about)) => format!("{about}: {shown}"),
                (Ok(()), None) => continue,
            };
            text.push_str("\n  ");
            text.push_str(&line);
        }
        text
    }
}

impl Attachment {
    /// Writes the file completely or not at all: another test may fail at the same time, over the same model.
    fn write(&self) -> std::io::Result<()> {
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        folder.map_or(Ok(()), std::fs::create_dir_all)?;
        let thread = format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
        let mut unfinished = self.path.clone().into_os_string();
        unfinished.push(format!(".{}-{thread}", std::process::id()));
        let written = std::fs::write(&unfinished, &self.text).and_then(|()| std::fs::rename(&unfinished, &self.path));
        if written.is_err() {
            let _ = std::fs::remove_file(&unfinished);
        }
        written
    }
}
