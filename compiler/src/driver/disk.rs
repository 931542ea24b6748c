//! Models and included files come from the disk, from standard input, or from an editor.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::{Error, OpenFile};
use crate::source;
use crate::syntax::{LoadError, Loader};

/// The text of a file, and its name in messages; `-` is standard input.
pub fn read_text(path: &Path) -> Result<(String, String), Error> {
    let shown = path.display().to_string();
    let read = |source: io::Error| Error::Read { path: shown.clone(), source };
    let bytes = if path == Path::new("-") {
        read_bounded(io::stdin().lock()).map_err(read)?
    } else if path.is_dir() {
        return Err(Error::Folder { path: shown });
    } else {
        File::open(path).and_then(read_bounded).map_err(read)?
    };
    let bytes = bytes.ok_or_else(|| Error::TooLarge { path: shown.clone() })?;
    let name = if shown == "-" { "<stdin>".to_owned() } else { shown };
    Ok((name, source::decode(bytes)))
}

/// Included files come from the disk, or from an editor that has them open.
pub struct Disk {
    pub open_files: Vec<OpenFile>,
}

impl Loader for Disk {
    fn load(&mut self, path: &str) -> Result<String, LoadError> {
        let wanted = plain_path(Path::new(path));
        if let Some(open) = self.open_files.iter().find(|open| plain_path(&open.path) == wanted) {
            return Ok(open.text.to_string());
        }
        if Path::new(path).is_dir() {
            return Err(LoadError::NotFound);
        }
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LoadError::NotFound,
            _ => LoadError::Unreadable(error.to_string()),
        };
        let bytes = File::open(path).and_then(read_bounded).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| LoadError::Unreadable(format!("larger than {} MiB", LARGEST_FILE >> 20)))?;
        Ok(source::decode(bytes))
    }
}

/// A path without `.` and `..`.
fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Larger than any model, and small enough that a mistaken `/dev/zero` ends soon.
pub const LARGEST_FILE: u64 = 256 << 20;

/// All bytes, or `None` if there are too many.
pub fn read_bounded(reader: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= LARGEST_FILE).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_file_is_refused() {
        assert!(read_bounded(io::repeat(0)).unwrap().is_none());
    }
}
