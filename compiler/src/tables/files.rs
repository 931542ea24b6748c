//! The files of a model, as seen from its folder: the same model gives the same bytes in every folder.

use std::path::{Path, absolute};

/// The path of each file, the first of which is the model, as seen from the folder of the model.
pub fn from_folder(paths: &[&str]) -> Vec<String> {
    let Some(main) = paths.first() else { return Vec::new() };
    paths.iter().map(|path| relative(main, path)).collect()
}

fn relative(main: &str, path: &str) -> String {
    // Of a path that is absolute whatever the model is called, that is what is known.
    if path.starts_with('<') || Path::new(path).is_absolute() && !Path::new(main).is_absolute() {
        return path.to_owned();
    }
    let is_mixed = Path::new(path).is_absolute() != Path::new(main).is_absolute();
    let plain = if is_mixed { None } else { way(&parts(main), &parts(path)) };
    // Only the working folder knows what a leading `..` is called.
    let full = || way(&parts(absolute(main).ok()?.to_str()?), &parts(absolute(path).ok()?.to_str()?));
    plain.or_else(full).unwrap_or_else(|| super::file_name(path).to_owned())
}

/// The folders of a path and its name, without `.`, and with `..` at the beginning only.
fn parts(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}

/// The way from the folder of one file to another, if it can be told.
fn way(main: &[&str], path: &[&str]) -> Option<String> {
    let (_, folder) = main.split_last()?;
    let (_, other) = path.split_last()?;
    let n_common = folder.iter().zip(other).take_while(|(one, other)| one == other).count();
    let up = &folder[n_common..];
    let is_known = !up.contains(&"..");
    is_known.then(|| {
        std::iter::repeat_n("..", up.len()).chain(path[n_common..].iter().copied()).collect::<Vec<_>>().join("/")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_seen_from_the_folder_of_the_model() {
        for (main, path, expected) in [
            ("m.pml", "m.pml", "m.pml"),
            ("./m.pml", "./m.pml", "m.pml"),
            ("models/m.pml", "models/m.pml", "m.pml"),
            ("models/m.pml", "models/lib/a.h", "lib/a.h"),
            ("models/m.pml", "models/../lib/a.h", "../lib/a.h"),
            ("models/m.pml", "lib/a.h", "../lib/a.h"),
            ("models/deep/m.pml", "models/a.h", "../a.h"),
            ("../models/m.pml", "../lib/a.h", "../lib/a.h"),
            ("/repo/models/m.pml", "/repo/lib/a.h", "../lib/a.h"),
            ("m.pml", "/usr/lib/a.h", "/usr/lib/a.h"),
            ("m.pml", "<formula>", "<formula>"),
            ("<stdin>", "lib/a.h", "lib/a.h"),
        ] {
            assert_eq!(
                from_folder(&[main, path]),
                from_folder(&[main]).into_iter().chain([expected.to_owned()]).collect::<Vec<_>>(),
                "{main} {path}"
            );
        }
    }

    /// What the working folder is called appears, where nothing else can be said.
    #[test]
    fn a_way_out_of_an_unknown_folder_goes_through_the_working_folder() {
        let here = std::env::current_dir().expect("a folder");
        let name = here.file_name().and_then(|name| name.to_str()).expect("a name");
        assert_eq!(relative("../m.pml", "lib/a.h"), format!("{name}/lib/a.h"));
        let main = here.join("models/m.pml").display().to_string();
        assert_eq!(relative(&main, "lib/a.h"), "../lib/a.h");
    }
}
