//! The disk, as far as `pmc verify` and `pmc init` need it: models in folders, projects, times of changes.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use crate::driver::Error;
use crate::source;

/// What a model's file ends with.
const ENDING: &str = "pml";

/// The models below a folder, in order: every `.pml` file that no other one there includes. Hidden folders are left out,
/// and so are links to folders.
pub fn models_below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    visit(folder, &mut found)?;
    found.sort();
    let included: BTreeSet<PathBuf> = found.iter().flat_map(|path| includes(path)).collect();
    found.retain(|path| !included.contains(&plain(path)));
    match found.is_empty() {
        true => Err(Error::NoModels { folder: folder.display().to_string() }),
        false => Ok(found),
    }
}

fn visit(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |source: io::Error| Error::Read { path: folder.display().to_string(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if kind.is_dir() && !is_hidden {
            visit(&path, found)?;
        } else if !kind.is_dir() && !is_hidden && path.extension().is_some_and(|ending| ending == ENDING) {
            found.push(path);
        }
    }
    Ok(())
}

/// The files that a file includes directly, as far as that can be seen.
fn includes(path: &Path) -> Vec<PathBuf> {
    let text = fs::read(path).map(source::decode).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let names = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        rest.strip_prefix('"')?.split('"').next()
    });
    names.map(|name| plain(&folder.join(name))).collect()
}

/// A path without `.` and `x/..`, so that two paths to a file look alike.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if plain.components().next_back().is_some_and(|last| matches!(last, Component::Normal(_))) =>
            {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// The text of a file that may not be there.
pub fn read(path: &Path) -> Option<String> {
    fs::read(path).ok().map(source::decode)
}

/// The nearest file of this name, in a folder or above it.
pub fn above(folder: &Path, name: &str) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// What tells a change of a file: its time and its size; nothing if it is not there.
pub fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// Writes a file unless something is there. Returns whether it did.
pub fn write_new(path: &Path, text: &str) -> Result<bool, Error> {
    let failed = |source: io::Error| Error::Create { path: path.display().to_string(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    match fs::File::create_new(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_models_that_nothing_includes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| assert!(write_new(&folder.path().join(name), text).expect("written"));
        write("b.pml", "#include \"sub/common.pml\"\n");
        write("a.pml", " # include \"./sub/../sub/also.pml\"\n");
        write("sub/common.pml", "byte x;");
        write("sub/also.pml", "byte y;");
        write("sub/c.pml", "");
        write("sub/readme.md", "");
        write(".hidden/d.pml", "");
        let found = models_below(folder.path()).expect("models");
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(folder.path()).expect("inside")).collect();
        assert_eq!(names, [Path::new("a.pml"), Path::new("b.pml"), Path::new("sub/c.pml")]);
        let error = models_below(&folder.path().join(".hidden/..").join("sub/../.hidden")).map(|found| found.len());
        assert_eq!(error.ok(), Some(1));
        fs::create_dir(folder.path().join("empty")).expect("a folder");
        let error = models_below(&folder.path().join("empty")).expect_err("there is none");
        assert!(error.to_string().contains("no model"), "{error}");
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("new/file");
        assert!(write_new(&path, "first").expect("written") && !write_new(&path, "second").expect("left alone"));
        assert_eq!(read(&path).as_deref(), Some("first"));
        assert_eq!(above(&folder.path().join("new"), "file"), Some(path));
    }
}
